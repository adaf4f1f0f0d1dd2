package bnn_test

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// soak makes tests long.
func soak(n int) int {
	return pace.Soak(n, 10*n)
}

// line is the regression y = wx + b on n equal examples with x = ½, y = 1: whatever the
// minibatch, energies and gradients are those of all data. The posterior with decay λ
// is Gaussian with curvature λ + 1.25n along (½, 1) and λ across.
func line(n int) (bnn.Data, bnn.Network) {
	s := &images.Set{Name: "line", Channels: 1, Height: 1, Width: 1}
	for range n {
		s.Values = append(s.Values, 0.5)
		s.Targets = append(s.Targets, 1)
	}
	return bnn.Data{Train: s}, bnn.Network{Kind: "mlp", Norm: "none", Input: [3]int{1, 1, 1}, Outputs: 1, Loss: "squared"}
}

const (
	lineExamples = 1000
	lineDecay    = 500.0
)

// lineSettings make 1000 iterations of an epoch, each of whose draws is kept.
func lineSettings(t *testing.T, method string, epochs int) bnn.Settings {
	s := small(t, method)
	s.Epochs, s.Batch, s.WeightDecay, s.Decay = epochs, 1, lineDecay, kernel.Decay{}
	s.Average = bnn.Averaging{From: 0.02, Draws: lineExamples}
	s.Measure = bnn.Measure{Every: 1, Batches: 2}
	return s
}

// A shape is the second moments of kept draws along and across, each in units of
// temperature over curvature, with standard errors from the means of epochs.
type shape struct {
	sums  [2]float64
	means [2][]float64
	n     int
}

func (s *shape) keep(d bnn.Draw) error {
	w, b := d.Parameters[0], d.Parameters[1]
	peak := lineExamples * 1.0 / (lineDecay + 1.25*lineExamples) // the mode is peak·(½, 1)
	w, b = w-peak/2, b-peak
	along, across := (w/2+b)/math.Sqrt(1.25), (w-b/2)/math.Sqrt(1.25)
	s.sums[0] += along * along * (lineDecay + 1.25*lineExamples)
	s.sums[1] += across * across * lineDecay
	if s.n++; s.n%lineExamples == 0 {
		for i := range s.sums {
			s.means[i] = append(s.means[i], s.sums[i]/lineExamples)
		}
		s.sums = [2]float64{}
	}
	return nil
}

// check holds the moments against temperature times 1/(1 − ηa/(2(1+μ))), up to slack,
// relative, and 4.9 standard errors (two-sided false alarm 1e-6).
func (s *shape) check(t *testing.T, tau, eta, slack float64) {
	t.Helper()
	for i, a := range []float64{lineDecay + 1.25*lineExamples, lineDecay} {
		mean, se := meanAndError(s.means[i])
		want := tau / (1 - eta*a/(2*1.9))
		t.Logf("direction %d: %.4f ± %.4f, formula %.4f", i, mean, se, want)
		if math.Abs(mean-want) > slack*want+4.9*se {
			t.Errorf("direction %d: second moment %.4f instead of %.4f ± %.4f", i, mean, want, se)
		}
	}
}

func meanAndError(x []float64) (mean, se float64) {
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / float64(len(x)-1) / float64(len(x)))
}

// One rung samples the posterior, and measures its own temperature: kinetic, (1+μ) v²/2η,
// and configurational, θ·∇U, are both τ. No slack: the formula is exact. Kills noise
// without its 2, gradients without N, and temperatures without (1+μ).
func TestLawOfOneRung(t *testing.T) {
	data, network := line(lineExamples)
	s := lineSettings(t, "sghmc", soak(200))
	s.StepSize, s.Temperature = []float64{0.05}, []float64{0.7}
	var law shape
	r := train(t, s, network, data, bnn.Observer{Keep: law.keep})
	eta := 0.05 / lineExamples
	law.check(t, 0.7, eta, 0)
	var kinetic, configurational []float64
	for _, e := range r.Epochs[10:] {
		k, c := 0.0, 0.0
		for _, l := range e.Layers {
			if l.Minibatch != 0 || l.Share != 1 || math.Abs(l.Injected-0.7) > 1e-12 {
				t.Fatalf("equal examples make noise: %+v", l)
			}
			k += l.Kinetic / 2
			c += l.Configurational / 2
		}
		kinetic, configurational = append(kinetic, k), append(configurational, c)
	}
	for name, x := range map[string][]float64{"kinetic": kinetic, "configurational": configurational} {
		mean, se := meanAndError(x)
		if math.Abs(mean-0.7) > 0.03*0.7+4.9*se { // the step's own bias is ηa/(2(1+μ)), 2.3 % at most
			t.Errorf("%s temperature %.3f ± %.3f instead of 0.7", name, mean, se)
		}
	}
}

// Swaps with exact energies keep the law of the cold rung, momenta rescaled. The slack
// of 1 % is the step's bias, of ηa/(2(1+μ)) ≤ 0.9 % with which swaps mix two laws; a
// momentum that is not rescaled moves a second moment by 13 % and one without its lean by
// 6 %, swaps the wrong way round by more.
func TestSwapsKeepTheLaw(t *testing.T) {
	data, network := line(lineExamples)
	s := lineSettings(t, "resghmc", soak(400))
	s.StepSize, s.Temperature = []float64{0.02, 0.03}, []float64{1, 4}
	s.Swap = exchange.Settings{Rule: "metropolis"}
	s.Measure.Every = 0
	var law shape
	r := train(t, s, network, data, bnn.Observer{Keep: law.keep})
	law.check(t, 1, 0.02/lineExamples, 0.01)
	p := r.Swaps.Pairs[0]
	// Energies less their least are exponential with means τ in two dimensions: a swap
	// succeeds with probability 2 τ_cold/(τ_cold + τ_hot), as P(U_cold > U_hot) counts twice.
	if rate := p.MeanProbability(); math.Abs(rate-0.4) > 0.02 {
		t.Errorf("swaps succeed with probability %.3f instead of 0.4", rate)
	}
	if r.Swaps.RoundTrips == 0 {
		t.Error("no round trips")
	}
}

// The kinetic temperature of the cold rung is its own however swaps end an epoch: with
// scheme adj there is one after every iteration, and the momentum is still that of the rung
// that the replica left. The mean over epochs has 4.9 standard errors (two-sided false alarm
// 1e-6) and the step's bias, ηa/(2(1+μ)) ≤ 0.9 %, on which swaps build: 2 %. Kills a
// momentum as it is, whose temperature is 2.0 here.
func TestKineticTemperatureAfterSwaps(t *testing.T) {
	data, network := line(lineExamples)
	s := lineSettings(t, "resghmc", soak(1500))
	s.Batch = 10 // 100 iterations of an epoch
	s.StepSize, s.Temperature = []float64{0.02}, []float64{1, 4}
	s.Swap = exchange.Settings{Rule: "metropolis", Scheme: "adj"}
	s.Average = bnn.Averaging{From: 0.99}
	r := train(t, s, network, data, bnn.Observer{})
	var kinetic []float64
	for _, e := range r.Epochs[10:] {
		kinetic = append(kinetic, (e.Layers[0].Kinetic+e.Layers[1].Kinetic)/2)
	}
	mean, se := meanAndError(kinetic)
	t.Logf("kinetic temperature %.3f ± %.3f", mean, se)
	if math.Abs(mean-1) > 0.02+4.9*se {
		t.Errorf("kinetic temperature %.3f ± %.3f of a rung of temperature 1", mean, se)
	}
}

// Rule indicator trades where the hotter net's mean energy Ũ/N, and 𝒞, are below the colder
// one's, and moves 𝒞 ← 𝒞 + γ(1{trades} − 𝕊): sweep by sweep to the letter, with one pair
// that attempts in each. So the share of n sweeps that trade is 𝕊 + 𝒞/(γn), and as |𝒞| is
// at most the largest difference D of energies, and γ, within (D + γ)/(γn) of 𝕊. Kills
// energies that are not divided by N, or lack the prior's part.
func TestIndicatorMeetsTarget(t *testing.T) {
	const gain = 0.02
	for _, target := range []float64{0.15, 0.4} {
		s := small(t, "resghmc")
		s.Epochs, s.Decay, s.Measure = soak(300), kernel.Decay{}, bnn.Measure{Test: 1 << 30}
		s.StepSize, s.Temperature, s.Average.From = s.StepSize[:2], s.Temperature[:2], 0.99
		s.Swap = exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: target, Gain: gain, Window: 1, Parity: "off"}
		cold, level, most, trades, sweeps := 0, 0.0, 0.0, 0, 0
		w := &spy{Engine: open(t, s, perceptron), outcome: func(k int, o []bnn.Outcome) {
			u := func(i int) float64 { return o[i].Loss + s.WeightDecay*o[i].Square/2/50 }
			most = max(most, math.Abs(u(0)-u(1)))
			if sweeps++; u(1-cold)+level < u(cold) {
				cold, trades, level = 1-cold, trades+1, level+gain
			}
			level -= gain * target
		}}
		holds := func(e bnn.Epoch) error {
			if e.Rung[cold] != 0 || e.Pairs[0].Accepted != int64(trades) || e.Pairs[0].Attempts != int64(sweeps) {
				t.Fatalf("epoch %d: replica %d on the cold rung after %d trades of %d, found %+v", e.Epoch, cold, trades, sweeps, e.Pairs[0])
			}
			return nil
		}
		if _, err := bnn.Train(t.Context(), w, cloudData(), s, bnn.Observer{Epoch: holds}); err != nil {
			t.Fatal(err)
		}
		share, bound := float64(trades)/float64(sweeps), (most+gain)/(gain*float64(sweeps))
		t.Logf("target %g: %.4f, bound %.4f", target, share, bound)
		if math.Abs(share-target) > bound {
			t.Errorf("%.4f of the attempts trade: more than %.4f from %g", share, bound, target)
		}
	}
}

// Records tell 𝒞 as it is: with a constant gain γ and two rungs, each iteration adds γ(1 − 𝕊) or takes γ𝕊.
func TestEpochsTellTheThreshold(t *testing.T) {
	const gain, target = 0.5, 0.3
	s := small(t, "r2sghmc")
	s.StepSize, s.Temperature = s.StepSize[:2], s.Temperature[:2]
	s.Swap = exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: target, Gain: gain, Parity: "off", Gate: "once",
		Adapt: "after"}
	for _, e := range train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still}).Epochs {
		below := e.Level/gain + target*float64(e.Iteration)
		if math.Abs(below-math.Round(below)) > 1e-9 || below < -1e-9 || below > float64(e.Iteration)+1e-9 || e.Level == 0 {
			t.Errorf("epoch %d: 𝒞 is %g after %d iterations, %g times below", e.Epoch, e.Level, e.Iteration, below)
		}
	}
}
