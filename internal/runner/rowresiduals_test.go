package runner

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/figure"
)

// Residuals of data that have the law of the draws are standard normal, of numbers and of counts with
// many ties; twice the standard deviation shows. The distance of their distribution function from the
// normal one stays below what Kolmogorov's law gives up to 1e-7, but for the steps of 1,000 draws and
// of the parts of ties.
// Mutants: ties that do not count; all of them counted.
func TestQuantileResiduals(t *testing.T) {
	const n, draws = 4000, 1000
	bound := 2.9/math.Sqrt(n) + 2.0/draws
	for name, of := range map[string]struct {
		draw func(mean float64, rng *rand.Rand) float64
		data float64 // of the standard deviation
		want bool
	}{
		"normal": {func(m float64, rng *rand.Rand) float64 { return m + rng.NormFloat64() }, 1, true},
		"wide":   {func(m float64, rng *rand.Rand) float64 { return m + rng.NormFloat64() }, 2, false},
		"counts": {func(m float64, rng *rand.Rand) float64 { return distuv.Poisson{Lambda: 1 + m*m, Src: rng}.Rand() }, 1, true},
		"ones": {func(m float64, rng *rand.Rand) float64 {
			return distuv.Bernoulli{P: 1 / (1 + math.Exp(-m)), Src: rng}.Rand()
		}, 1, true},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		q := figure.Predicted{Drawn: make([][]float64, draws)}
		for range n {
			m := rng.NormFloat64()
			q.Observed = append(q.Observed, m+of.data*(of.draw(m, rng)-m))
			for k := range q.Drawn {
				q.Drawn[k] = append(q.Drawn[k], of.draw(m, rng))
			}
		}
		r, ok := quantileResiduals(q)
		if !ok || !slices.IsSorted(r.Time) {
			t.Fatalf("%s: ok %v, sorted %v", name, ok, slices.IsSorted(r.Time))
		}
		worst := 0.0
		for i, z := range slices.Sorted(slices.Values(r.Observed)) {
			p := distuv.UnitNormal.CDF(z)
			worst = max(worst, p-float64(i)/n, float64(i+1)/n-p)
		}
		if (worst < bound) != of.want {
			t.Errorf("%s: distribution functions differ by %.4f, bound %.4f", name, worst, bound)
		}
	}
	if _, ok := quantileResiduals(figure.Predicted{Observed: []float64{1}, Drawn: [][]float64{{math.NaN()}}}); ok {
		t.Error("a residual of no number")
	}
}
