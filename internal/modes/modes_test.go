package modes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// mixture of round normals.
func round(mean [][]float64, sd, weight []float64) potential.Potential {
	d := len(mean[0])
	return potential.Func(d, func(grad, x []float64) float64 {
		logs := make([]float64, len(mean))
		top := math.Inf(-1)
		for k, m := range mean {
			q := 0.0
			for j := range x {
				q += (x[j] - m[j]) * (x[j] - m[j])
			}
			logs[k] = math.Log(weight[k]) - q/(2*sd[k]*sd[k]) - float64(d)*math.Log(sd[k]*math.Sqrt(2*math.Pi))
			top = max(top, logs[k])
		}
		sum := 0.0
		for _, l := range logs {
			sum += math.Exp(l - top)
		}
		clear(grad)
		for k, m := range mean {
			r := math.Exp(logs[k]-top) / sum
			for j := range x {
				grad[j] += r * (x[j] - m[j]) / (sd[k] * sd[k])
			}
		}
		return -top - math.Log(sum)
	})
}

// two is the mixture of two round normals in a box, and starts that fill it.
func two(t *testing.T, d int, narrow, wide float64) (Target, func(x []float64) error) {
	t.Helper()
	a, b, lo, hi, w := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
	for j := range d {
		a[j], b[j], lo[j], hi[j], w[j] = 2, -2, -6, 6, 12/math.Sqrt(12)
	}
	box, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	draw := func(x []float64) error {
		for j := range x {
			x[j] = 12*rng.Float64() - 6
		}
		return nil
	}
	return Target{Energy: round([][]float64{a, b}, []float64{narrow, wide}, []float64{0.7, 0.3}), Domain: box, Width: w, Threads: 2}, draw
}
