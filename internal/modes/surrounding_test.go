package modes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/stream"
)

// The law around a mixture is normal, of three times the standard deviations of all its parts together: of 0.15 : 0.35 of
// two normal laws of sd 1 and 2 at (−2, 0) and (2, 0), the mean is 0.8, and the variances are 0.3·1 + 0.7·4 + 4 − 0.8²
// and 3.1, nine times. Its energies tell it, and 20,000 draws within 5 standard errors, by chance missed once in a million.
func TestSurrounding(t *testing.T) {
	m := Mixture{Parts: []Part{
		{Weight: 0.15, Center: []float64{-2, 0}, L: [][]float64{{1, 0}, {0, 1}}},
		{Weight: 0.35, Center: []float64{2, 0}, L: [][]float64{{2, 0}, {0, 2}}},
	}}
	g := m.Surrounding()
	mean, variance := [2]float64{0.8, 0}, [2]float64{9 * (0.3 + 0.7*4 + 4 - 0.64), 9 * 3.1}
	u := g.Potential.Evaluator(1, stream.New(1, 1))
	energy, grad := make([]float64, 1), make([]float64, 2)
	at := func(x, y float64) float64 {
		u.Eval(energy, grad, []float64{x, y})
		return energy[0]
	}
	lowest := at(mean[0], mean[1])
	for j, v := range variance {
		x := mean
		x[j] += 3
		if rise := at(x[0], x[1]) - lowest; math.Abs(rise-9/(2*v)) > 1e-9 {
			t.Errorf("variable %d: the energy rises by %g, want %g", j, rise, 9/(2*v))
		}
	}
	const n = 20_000
	rng, x := rand.New(rand.NewPCG(1, 2)), make([]float64, 2)
	var sum, squares [2]float64
	for range n {
		g.Draw(x, rng)
		for j, v := range x {
			sum[j] += v - mean[j]
			squares[j] += (v - mean[j]) * (v - mean[j])
		}
	}
	for j, v := range variance {
		if z := sum[j] / n / math.Sqrt(v/n); !(math.Abs(z) < 5) {
			t.Errorf("variable %d: the mean is off by %.1f standard errors", j, z)
		}
		if z := (squares[j]/n/v - 1) / math.Sqrt(2./n); !(math.Abs(z) < 5) {
			t.Errorf("variable %d: the variance is off by %.1f standard errors", j, z)
		}
	}
}
