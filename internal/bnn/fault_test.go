package bnn_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// A brittle engine breaks at its call number Left.
type brittle struct {
	*bnntest.Engine
	left int
}

var errBroken = errors.New("the engine broke")

func (b *brittle) strike() {
	if b.left--; b.left == 0 {
		b.Fail = errBroken
	}
}

func (b *brittle) Load(n int, s *images.Set, mean, sd []float64) error {
	b.strike()
	return b.Engine.Load(n, s, mean, sd)
}
func (b *brittle) Start(x bnn.Batch) ([]bnn.Outcome, error) { b.strike(); return b.Engine.Start(x) }
func (b *brittle) Advance(m []bnn.Move, x bnn.Batch) ([]bnn.Outcome, error) {
	b.strike()
	return b.Engine.Advance(m, x)
}
func (b *brittle) Losses(x bnn.Batch) ([]float64, error) { b.strike(); return b.Engine.Losses(x) }
func (b *brittle) Gradient(i int, x bnn.Batch) (float64, []float64, error) {
	b.strike()
	return b.Engine.Gradient(i, x)
}
func (b *brittle) Predict(i, set int) ([]float32, error) { b.strike(); return b.Engine.Predict(i, set) }
func (b *brittle) Recompute(i int, x []bnn.Batch) error  { b.strike(); return b.Engine.Recompute(i, x) }
func (b *brittle) State(i int) (*bnn.State, error)       { b.strike(); return b.Engine.State(i) }
func (b *brittle) SetState(i int, s *bnn.State) error    { b.strike(); return b.Engine.SetState(i, s) }
func (b *brittle) Usage() (bnn.Usage, error)             { b.strike(); return b.Engine.Usage() }

// Whichever call breaks, the training ends with that error, and from the newest
// checkpoint before it goes on to the end that it would have had.
func TestEngineBreaksAnywhere(t *testing.T) {
	for _, method := range []string{"r2sghmc", "swag"} {
		s := small(t, method)
		s.Epochs, s.Batch, s.Average, s.SWAG.Draws = 3, 25, bnn.Averaging{Recompute: 20}, 2
		s.Measure = bnn.Measure{Every: 1, Batches: 2}
		if method == "r2sghmc" {
			s.Swap.Rule, s.Swap.Target, s.FullEnergies = "metropolis", 0, true
		}
		whole := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still})
		for n := 1; ; n++ {
			b := &brittle{open(t, s, perceptron), n}
			var last *bnn.Checkpoint
			_, err := bnn.Train(t.Context(), b, cloudData(), s, bnn.Observer{Seconds: still, Due: func() bool { return n%2 == 0 },
				Save: func(c *bnn.Checkpoint) error { last = c; return nil }})
			if b.left > 0 {
				if err != nil || n < 40 {
					t.Fatalf("%s ends after %d calls: %v", method, n-1, err)
				}
				break
			}
			if !errors.Is(err, errBroken) {
				t.Fatalf("%s, call %d broke: %v", method, n, err)
			}
			if last != nil {
				r := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still, Resume: last})
				if r.Single.Test.Probabilities()[7] != whole.Single.Test.Probabilities()[7] ||
					r.Average.Test.Probabilities()[7] != whole.Average.Test.Probabilities()[7] {
					t.Fatalf("%s, call %d broke: another end after it", method, n)
				}
			}
		}
	}
}

// An observer's error ends the training.
func TestObserverFails(t *testing.T) {
	full := errors.New("disk full")
	for name, o := range map[string]bnn.Observer{
		"epoch": {Epoch: func(bnn.Epoch) error { return full }},
		"keep":  {Keep: func(bnn.Draw) error { return full }},
		"save":  {Due: func() bool { return true }, Save: func(*bnn.Checkpoint) error { return full }},
	} {
		s := small(t, "sghmc")
		if _, err := bnn.Train(t.Context(), open(t, s, perceptron), cloudData(), s, o); !errors.Is(err, full) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Regressions average outputs, and score by half the squared error.
func TestRegression(t *testing.T) {
	data, network := line(100)
	data.Test = data.Train
	s := small(t, "sghmc")
	s.Batch = 20
	var draws []bnn.Draw
	r := train(t, s, network, data, bnn.Observer{Keep: func(d bnn.Draw) error { draws = append(draws, d); return nil }})
	mean := 0.0
	for _, d := range draws {
		mean += float64(d.Logits[3]) / float64(len(draws))
	}
	e := r.Epochs[5].Average
	if math.Abs(r.Average.Outputs[3]-mean) > 1e-12 || math.Abs(e.NLL-(mean-1)*(mean-1)/2) > 1e-12 || !math.IsNaN(e.Accuracy) ||
		r.Average.Test != nil {
		t.Errorf("average %g instead of %g, scores %+v", r.Average.Outputs[3], mean, e)
	}
}

// A loss that is not finite says what to try.
func TestNotFiniteWords(t *testing.T) {
	e := &bnn.NotFinite{Rung: 1, Epoch: 2, Iteration: 30, StepSize: 2, Loss: math.Inf(1)}
	if got := e.Error(); !strings.Contains(got, "rung 2, epoch 2, iteration 30: the loss is +Inf") || !strings.Contains(got, "try 0.5") {
		t.Error(got)
	}
	e.Loss = 2.5
	if got := e.Error(); !strings.Contains(got, "iteration 30: the weights are not finite") || !strings.Contains(got, "loss is 2.5") {
		t.Error(got)
	}
	if got := (&bnn.NotFinite{Loss: math.NaN()}).Error(); !strings.Contains(got, "first weights") {
		t.Error(got)
	}
}
