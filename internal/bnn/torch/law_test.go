package torch

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// soak makes tests long.
func soak(n int) int {
	return pace.Soak(n, 10*n)
}

// sample trains a network in the engine and hands over what is kept of the cold rung.
func sample(t *testing.T, s bnn.Settings, network bnn.Network, precision string, data bnn.Data, keep func(bnn.Draw)) *bnn.Result {
	t.Helper()
	setup := s.Setup(network)
	setup.Precision = precision
	e := get[bnn.Engine](t)(Open(context.Background(), setup, here(t)))
	defer func() { must(t, e.Close()) }()
	r, err := bnn.Train(context.Background(), e, data, s, bnn.Observer{Keep: func(d bnn.Draw) error { keep(d); return nil }})
	must(t, err)
	return r
}

// constant runs a method at one temperature and step size, with independent
// minibatches, and keeps draws of every epoch after the first fifth.
func constant(t *testing.T, method string) bnn.Settings {
	t.Helper()
	s, err := bnn.Method(method)
	must(t, err)
	s.Order, s.Decay, s.Seed = "independent", kernel.Decay{}, 5
	s.Measure = bnn.Measure{Test: math.MaxInt}
	s.Average = bnn.Averaging{From: 0.2}
	return s
}

// A regression is y = xw + b with loss squared, for many outputs at once and one input
// x that is the same in all examples. Along (x, 1) the potential of each output's (w, b)
// has curvature N(1+x²) + λ and noise in its gradient that does not depend on the place;
// across it has curvature λ and no noise.
type regression struct {
	x       float64
	n, k    int
	mean    []float64 // of the targets, per output
	scatter float64   // variance of the targets (over n−1), mean of all outputs
	data    bnn.Data
}

func newRegression(x float64, n, k int, target func(output int, rng *rand.Rand) float64) *regression {
	rng := rand.New(rand.NewPCG(3, 4))
	s := &images.Set{Name: "regression", Channels: 1, Height: 1, Width: 1}
	r := &regression{x: x, n: n, k: k, mean: make([]float64, k), data: bnn.Data{Train: s}}
	squares := make([]float64, k)
	for range n {
		s.Values = append(s.Values, float32(x))
		for i := range k {
			y := float32(target(i, rng))
			s.Targets = append(s.Targets, y)
			r.mean[i] += float64(y) / float64(n)
			squares[i] += float64(y) * float64(y)
		}
	}
	for i, m := range r.mean {
		r.scatter += (squares[i] - float64(n)*m*m) / float64(n-1) / float64(k)
	}
	return r
}

func (r *regression) network() bnn.Network {
	return bnn.Network{Kind: "mlp", Input: [3]int{1, 1, 1}, Outputs: r.k, Loss: "squared"}
}

// deviations are the mean squares of the distances from the mode, along and across.
func (r *regression) deviations(d bnn.Draw, decay float64) (along, across float64) {
	norm := math.Sqrt(1 + r.x*r.x)
	for i, m := range r.mean {
		w, b := d.Parameters[i], d.Parameters[r.k+i]
		u := (r.x*w+b)/norm - float64(r.n)*norm*m/(float64(r.n)*norm*norm+decay)
		v := (w - r.x*b) / norm
		along += u * u / float64(r.k)
		across += v * v / float64(r.k)
	}
	return along, across
}

// The variance of SGHMC on U = hx²/2 with minibatch noise of variance s² is
//
//	(τ + ηs²/(2(1−μ))) / (h (1 − ηh/(2(1+μ)))),
//
// within 1 % + 4 MCSE. MCSE is 0.5 % at most, so that a false alarm is one of |z| > 6 and the
// budget of all checks together below 1e-8. Kills noise without its (1−μ) (off by 2 to 100
// times), batches that are summed or miss the factor N, decay that is left out or not, and a
// gradient that is not the one of the new place (the denominator, 2 to 40 %).
func TestVarianceFormula(t *testing.T) {
	pace.Slow(t)
	r := newRegression(0.5, 1024, 400, func(_ int, rng *rand.Rand) float64 { return 0.2 + 0.4*rng.NormFloat64() })
	for name, c := range map[string]struct {
		step, mu, tau, decay float64 // the step is ηh
		batch, steps         int
		precision            string
	}{
		"sgld, batch 256":     {0.4, 0, 1, 900, 256, 4000, "float32"},
		"batch 8":             {0.3, 0.9, 0.5, 600, 8, 5000, "float32"},
		"no temperature":      {0.3, 0.5, 0, 200, 1, 5000, "float32"},
		"much momentum":       {0.1, 0.95, 2, 900, 64, 7000, "float32"},
		"large step":          {1, 0.3, 1, 400, 32, 2500, "float32"},
		"large step, float64": {1, 0.3, 1, 400, 32, 2500, "float64"},
	} {
		t.Run(name, func(t *testing.T) {
			method := "sghmc"
			if c.tau == 0 {
				method = "sgdm"
			}
			s := constant(t, method)
			h := 1.25*float64(r.n) + c.decay
			eta := c.step / h
			s.Batch, s.Epochs = c.batch, max(5, soak(c.steps)*c.batch/r.n)
			s.StepSize, s.Temperature, s.Momentum, s.WeightDecay = []float64{eta * float64(r.n)}, []float64{c.tau}, c.mu, c.decay
			s.Average.Draws = max(1, r.n/c.batch/3)
			var along, across []float64
			sample(t, s, r.network(), c.precision, r.data, func(d bnn.Draw) {
				a, b := r.deviations(d, c.decay)
				along, across = append(along, a), append(across, b)
			})
			noise := float64(r.n*r.n) * 1.25 * r.scatter / float64(c.batch) * (1 - float64(c.batch)/float64(r.n))
			formula := func(h, s2 float64) float64 {
				return (c.tau + eta*s2/(2*(1-c.mu))) / (h * (1 - eta*h/(2*(1+c.mu))))
			}
			within(t, "along", along, formula(h, noise), 0.01)
			if c.tau == 0 { // only what is left of the start
				if last := across[len(across)-1]; last > 1e-6 {
					t.Errorf("across: %g at the end without any noise", last)
				}
				return
			}
			within(t, "across", across, formula(c.decay, 0), 0.01)
		})
	}
}

// within holds the mean of a series against what it should be, up to slack (relative) + 4
// MCSE.
func within(t *testing.T, what string, series []float64, want, slack float64) {
	t.Helper()
	chains := [][]float64{series}
	mean, se := diag.Mean(series), diag.MCSEMean(chains)
	t.Logf("%s: %.5g ± %.2g, formula %.5g (%+.2f %%)", what, mean, se, want, 100*(mean/want-1))
	if !(math.Abs(mean-want) <= slack*math.Abs(want)+4*se) {
		t.Errorf("%s: %.5g ± %.2g instead of %.5g", what, mean, se, want)
	}
	if !(se <= 0.005*math.Abs(want)) {
		t.Errorf("%s: an error of %.2g is too large to say", what, se)
	}
}
