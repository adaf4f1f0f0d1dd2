package torch

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// truncated are the mean and the variance of N(m, σ²) between −b and b.
func truncated(m, sigma, b float64) (mean, variance float64) {
	n := distuv.UnitNormal
	low, high := (-b-m)/sigma, (b-m)/sigma
	mass := n.CDF(high) - n.CDF(low)
	shift := (n.Prob(low) - n.Prob(high)) / mass
	return m + sigma*shift, sigma * sigma * (1 + (low*n.Prob(low)-high*n.Prob(high))/mass - shift*shift)
}

// A boxed is a regression on inputs 0, where a weight has the law N(0, 1/λ) and a bias
// N(m, 1/(N+λ)) in [−b, b]. The m of four groups of outputs are 0, b/3, 2b/3 and b.
type boxed struct {
	*regression
	bound, decay float64
	worst        float64      // relative MCSE of all
	values       [2][4]series // of weights and biases, per group
}

// series are means and means of squares of a group, per draw.
type series struct{ mean, square []float64 }

const (
	boxExamples = 100
	boxDecay    = 50.0
)

func newBoxed(bound float64) *boxed {
	b := &boxed{bound: bound, decay: boxDecay}
	const n = boxExamples + boxDecay
	b.regression = newRegression(0, boxExamples, 1600, func(output int, _ *rand.Rand) float64 {
		return float64(output*4/1600) * bound / 3 * n / boxExamples
	})
	return b
}

func (b *boxed) keep(d bnn.Draw) {
	for role := range b.values {
		for g := range b.values[role] {
			mean, square := 0.0, 0.0
			size := b.k / 4
			from := role*b.k + g*size
			for _, x := range d.Parameters[from : from+size] {
				mean += x / float64(size)
				square += x * x / float64(size)
			}
			v := &b.values[role][g]
			v.mean, v.square = append(v.mean, mean), append(v.square, square)
		}
	}
}

// faults says where means and mean squares are not those of the truncated law, up to 1 % (of
// the standard deviation and of the mean square) + 4 MCSE.
func (b *boxed) faults(t *testing.T) (faults []string) {
	for role, curvature := range []float64{b.decay, float64(b.n) + b.decay} {
		sigma := 1 / math.Sqrt(curvature)
		for g, v := range b.values[role] {
			mode := float64(g*role) * b.bound / 3
			mean, variance := truncated(mode, sigma, b.bound)
			hold := func(what string, x []float64, want, unit float64) {
				got, se := diag.Mean(x), diag.MCSEMean([][]float64{x})
				b.worst = max(b.worst, se/unit)
				t.Logf("%.2f sd, mode %.2f sd, %s: %+.2f %% ± %.2f %%", b.bound/sigma, mode/sigma, what, 100*(got-want)/unit, 100*se/unit)
				if !(math.Abs(got-want) <= 0.01*unit+4*se) {
					faults = append(faults, fmt.Sprintf("bound %.2f, mode %.2f, %s: %.4g ± %.2g instead of %.4g", b.bound, mode, what, got, se, want))
				}
			}
			hold("mean", v.mean, mean, math.Sqrt(variance))
			hold("mean square", v.square, variance+mean*mean, variance+mean*mean)
		}
	}
	return faults
}

// Walls make a truncated Gaussian of the law, with momentum: means and mean squares within 1 %
// + 4 MCSE of the formula, false alarms below 1e-6 in all as MCSE is 0.6 % at most; the step's
// own bias, ηh/(2(1+μ)), is 0.5 % far from walls. The same check fails, as it should,
// if v is not turned at the walls (the released rule), and if there are none.
func TestTruncatedGaussian(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct {
		name, method string
		bound        float64 // in standard deviations of a bias
		epochs       int     // of 100 iterations
		released, ok bool
	}{
		{"narrow", "r-sghmc", 0.5, 30, false, true},
		{"one sd", "r-sghmc", 1, 30, false, true},
		{"wide", "r-sghmc", 2.5, 45, false, true},
		{"v not turned", "r-sghmc", 1, 5, true, false},
		{"no walls", "sghmc", 1, 5, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBoxed(c.bound / math.Sqrt(boxExamples+boxDecay))
			s := constant(t, c.method)
			s.Batch, s.Epochs = 1, soak(c.epochs)
			s.StepSize, s.Temperature, s.WeightDecay = []float64{0.02 * boxExamples / (boxExamples + boxDecay)}, []float64{1}, b.decay
			s.Momentum, s.AsReleased, s.Average.Draws = 0.9, c.released, 50
			if bnn.Reflects(c.method) {
				s.Bound = b.bound
			}
			sample(t, s, b.network(), "float32", b.data, b.keep)
			faults := b.faults(t)
			if c.ok == (len(faults) > 0) {
				t.Errorf("%d faults: %v", len(faults), faults)
			}
			if c.ok && b.worst > 0.006 {
				t.Errorf("an error of %.2g %% is too large to say", 100*b.worst)
			}
		})
	}
}
