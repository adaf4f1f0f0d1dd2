package modes

import (
	"context"
	"fmt"
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

func TestLook(t *testing.T) {
	for _, d := range []int{2, 5, 10, 20, 50} {
		a, b, lo, hi, w := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for j := range d {
			a[j], b[j], lo[j], hi[j], w[j] = 2, -2, -6, 6, 12/math.Sqrt(12)
		}
		box, _ := domain.NewBox(lo, hi)
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 4096*d)
		for i := range x {
			x[i] = 12*rng.Float64() - 6
		}
		s, err := Find(context.Background(), Target{Energy: round([][]float64{a, b}, []float64{0.5, 1}, []float64{0.7, 0.3}), Domain: box, Width: w, Threads: 2}, x)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Println(d, s.Starts, s.Settled, s.Gradients)
		for _, m := range s.Modes {
			fmt.Println("  ", m.X[0], m.Energy, m.Log, m.Starts)
		}
	}
}

func TestLookFit(t *testing.T) {
	for _, d := range []int{2, 5, 10, 20, 50} {
		a, b, lo, hi, w := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for j := range d {
			a[j], b[j], lo[j], hi[j], w[j] = 2, -2, -6, 6, 12/math.Sqrt(12)
		}
		box, _ := domain.NewBox(lo, hi)
		rng := rand.New(rand.NewPCG(1, 2))
		x := make([]float64, 4096*d)
		for i := range x {
			x[i] = 12*rng.Float64() - 6
		}
		tt := Target{Energy: round([][]float64{a, b}, []float64{0.5, 1}, []float64{0.7, 0.3}), Domain: box, Width: w, Threads: 2}
		s, err := Find(context.Background(), tt, x)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Fit(context.Background(), tt, rng)
		fmt.Println(d, err, f.LogZ, f.SE, f.Share, f.K, f.Inside, f.Weight, f.WeightSE)
	}
}
