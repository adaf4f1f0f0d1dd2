package r2sgld_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// BenchmarkPolytopeSampler is a run of the whole sampler, noise, reflection, potential
// and statistics, on the normal law of sd 0.5 between 500 random facets at distance 1
// in R^50, step size 0.01. The reflection alone is in package domain.
func BenchmarkPolytopeSampler(b *testing.B) {
	const d, m = 50, 500
	rng := rand.New(rand.NewPCG(1, 1))
	a, side := make([][]float64, m), make([]float64, m)
	for i := range a {
		a[i] = make([]float64, d)
		s := 0.0
		for j := range a[i] {
			a[i][j] = rng.NormFloat64()
			s += a[i][j] * a[i][j]
		}
		side[i] = math.Sqrt(s)
	}
	normal := potential.Func(d, func(grad, x []float64) float64 {
		u := 0.0
		for j, v := range x {
			grad[j] = 4 * v
			u += 2 * v * v
		}
		return u
	})
	s := r2sgld.Settings{Seed: 1, Start: make([]float64, d), Iterations: max(2, b.N), Thin: 1000, StepSize: []float64{0.01}}
	cpu := cpuTime(b)
	res, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: normal, Domain: must(domain.NewPolytope(a, side, nil))}, s)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/float64(s.Iterations), "cpu-ns/step")
	t := res.Tally(0)
	b.ReportMetric(float64(t.Reflections)/float64(t.Steps), "hits/op")
}
