package bnn_test

import (
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/kernel"
)

// keeping trains and returns the kept models.
func keeping(t *testing.T, s bnn.Settings) (draws []bnn.Draw, r *bnn.Result) {
	r = train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Keep: func(d bnn.Draw) error {
		draws = append(draws, d)
		return nil
	}})
	return draws, r
}

// The average is that of the softmax of kept logits, or the softmax of their mean; 1e-12
// are for the order of sums and kill one that takes the other.
func TestAverageOfKeptModels(t *testing.T) {
	for _, method := range []string{"sghmc", "r2sghmc", "ensemble", "swag"} {
		for _, of := range []string{"probabilities", "logits"} {
			s := small(t, method)
			s.Average.Of = of
			draws, r := keeping(t, s)
			want := map[string]int{"sghmc": 5, "r2sghmc": 5, "ensemble": 4, "swag": 30}[method]
			if len(draws) != want || r.Kept != want || r.Epochs[5].Kept != want {
				t.Fatalf("%s keeps %d models, averages %d instead of %d", method, len(draws), r.Kept, want)
			}
			mean := make([]float64, 90)
			for _, d := range draws {
				p, err := score.FromLogits(d.Logits, 3)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range p.Probabilities() {
					if of == "logits" {
						v = math.Log(v)
					}
					mean[i] += v / float64(len(draws))
				}
			}
			if of == "logits" {
				p, _ := score.FromLogits(mean, 3)
				mean = p.Probabilities()
			}
			for i, v := range r.Average.Test.Probabilities() {
				if math.Abs(v-mean[i]) > 1e-12 {
					t.Fatalf("%s, %s: probability %d is %g instead of %g", method, of, i, v, mean[i])
				}
			}
			scored, err := score.Score(r.Average.Test, cloudData().Test.Labels, nil)
			if last := r.Epochs[5].Average; err != nil || last.NLL != scored.NLL || last.Accuracy != scored.Accuracy ||
				last.Temperature != scored.Temperature || last.Reliability != nil || !(last.Detection.Outside > 0) {
				t.Errorf("%s: the last epoch says %+v", method, last)
			}
		}
	}
}

// Models are kept after the share From, every so many epochs so that the last is one of
// them, and several times in an epoch if asked to.
func TestKeptWhen(t *testing.T) {
	for _, c := range []struct {
		a    bnn.Averaging
		want []int // iterations, of 6 epochs of 4
	}{
		{bnn.Averaging{From: 0.5}, []int{16, 20, 24}},
		{bnn.Averaging{From: 0.6}, []int{16, 20, 24}},
		{bnn.Averaging{From: 2.0 / 3}, []int{20, 24}},
		{bnn.Averaging{From: 0, Every: 4}, []int{8, 24}},
		{bnn.Averaging{From: 0.9, Draws: 2}, []int{22, 24}},
		{bnn.Averaging{From: 0.9, Draws: 3}, []int{22, 23, 24}},
		{bnn.Averaging{From: 0.9, Draws: 99}, []int{21, 22, 23, 24}},
	} {
		s := small(t, "r2sghmc")
		s.Average = c.a
		draws, r := keeping(t, s)
		var at []int
		for i, d := range draws {
			at = append(at, d.Iteration)
			cold := slices.Index(r.Index.Rung[d.Iteration-1], 0)
			if d.Number != i+1 || d.Replica != cold || d.Epoch != (d.Iteration+3)/4 {
				t.Errorf("%+v: draw %d of replica %d, the cold rung is on %d", c.a, d.Number, d.Replica, cold)
			}
		}
		if !slices.Equal(at, c.want) {
			t.Errorf("%+v: kept after iterations %v, not %v", c.a, at, c.want)
		}
	}
}

// Recomputed buffers are those of a fixed subset, and leave the training alone.
func TestRecompute(t *testing.T) {
	s := small(t, "sghmc")
	with := s
	with.Average.Recompute = 20
	plain, before := keeping(t, s)
	draws, r := keeping(t, with)
	if !slices.Equal(draws[4].Parameters, plain[4].Parameters) {
		t.Error("recomputed buffers change the training")
	}
	if slices.Equal(draws[4].Buffers, plain[4].Buffers) || !slices.Equal(draws[4].Buffers, draws[3].Buffers) {
		t.Errorf("buffers %v, then %v; as they ran %v", draws[3].Buffers, draws[4].Buffers, plain[4].Buffers)
	}
	if before.Epochs[5].Single.NLL == r.Epochs[5].Single.NLL {
		t.Error("the model is evaluated with other buffers than it is kept with")
	}
}

// The noise budget is ηs²/(2(1−μ)), s² the variance of N times the mean of B of N
// gradients drawn without replacement, N² S²/B (1 − B/N). From 4,000 minibatches the
// estimate has a relative standard deviation of sqrt(2/4000) at most, the gradients being
// bounded: 11 % are 4.9 of these, and kill a variance without N or a missing 2.
func TestNoiseBudget(t *testing.T) {
	s := small(t, "sghmc")
	s.Epochs, s.Measure.Batches, s.Average.From, s.Order = 1, 4000, 0, "independent"
	e := open(t, s, linear)
	r, err := bnn.Train(t.Context(), e, cloudData(), s, bnn.Observer{})
	if err != nil {
		t.Fatal(err)
	}
	d := e.Layout().Size()
	mean, squares := make([]float64, d), make([]float64, d)
	for i := range 50 {
		_, g, err := e.Gradient(0, bnn.Batch{Indices: []int32{int32(i)}})
		if err != nil {
			t.Fatal(err)
		}
		for j, v := range g {
			mean[j] += v / 50
			squares[j] += v * v
		}
	}
	for k, l := range r.Epochs[0].Layers {
		p, variance := e.Layout().Parameters[k], 0.0
		for j := p.Offset; j < p.Offset+p.Size; j++ {
			population := (squares[j] - 50*mean[j]*mean[j]) / 49
			variance += 50 * 50 * population / 16 * (1 - 16.0/50) / float64(p.Size)
		}
		want := r.Epochs[0].StepSize[0] * variance / (2 * 0.1)
		if math.Abs(l.Minibatch/want-1) > 0.11 || math.Abs(l.Share-l.Injected/(l.Injected+l.Minibatch)) > 1e-12 {
			t.Errorf("%s: noise %g instead of %g, share %g", l.Name, l.Minibatch, want, l.Share)
		}
	}
}

// What is injected is what the move leaves to the noise, τ(1−μ−β̂)/(1−μ); as released
// β̂ has η/20 more, of which the 1e-12 kill the lack.
func TestInjectedNoise(t *testing.T) {
	for _, released := range []bool{false, true} {
		s := small(t, "sghmc")
		s.NoiseEstimate, s.AsReleased, s.Decay = 0.03, released, kernel.Decay{}
		w, r, err := watched(t, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		eta := s.StepSize[0] / 50
		moved := w.moves[23][0].Noise
		if want := moved * moved / (2 * eta * 0.1); math.Abs(r.Epochs[5].Layers[0].Injected/want-1) > 1e-12 {
			t.Errorf("as released %v: injected %.15g, the move has %.15g", released, r.Epochs[5].Layers[0].Injected, want)
		}
	}
}

// linear is a network whose gradients do not depend on the rest of a minibatch.
var linear = bnn.Network{Kind: "mlp", Norm: "none", Input: [3]int{1, 1, 2}, Outputs: 3}
