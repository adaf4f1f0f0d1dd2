package r2sgld_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// randomFacets is {x : u_i·x ≤ 1} for m random unit vectors u_i of R^d.
func randomFacets(m, d int) domain.Domain {
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
	return must(domain.NewPolytope(a, side, nil))
}

// BenchmarkPolytopeSampler is a run of the whole sampler, noise, reflection, potential
// and statistics, on the normal law of sd 0.5 between 500 random facets at distance 1
// in R^50, step size 0.01. The reflection alone is in package domain.
func BenchmarkPolytopeSampler(b *testing.B) {
	const d = 50
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
	res, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: normal, Domain: randomFacets(500, d)}, s)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64((cpuTime(b)-cpu).Nanoseconds())/float64(s.Iterations), "cpu-ns/step")
	t := res.Tally(0)
	b.ReportMetric(float64(t.Reflections)/float64(t.Steps), "hits/op")
}

// BenchmarkPolytopeUniform draws uniformly between the same facets: billiard
// trajectories of normal length, √(2η) = 1.4 in each coordinate. Effective draws are
// those of the coordinates (draws are antithetic) and of their squares.
func BenchmarkPolytopeUniform(b *testing.B) {
	const d = 50
	flat := potential.Func(d, func(grad, _ []float64) float64 { clear(grad); return 0 })
	s := r2sgld.Settings{Seed: 1, Start: make([]float64, d), Iterations: max(2000, b.N), BurnIn: 500, StepSize: []float64{0.98},
		Kernel: kernel.HMC{Leapfrog: 1}}
	cpu := cpuTime(b)
	res, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: flat, Domain: randomFacets(500, d)}, s)
	if err != nil {
		b.Fatal(err)
	}
	seconds := (cpuTime(b) - cpu).Seconds()
	var plain, square []float64
	for j := range d {
		x := slices.Clone(res.Chains(j)[0])
		plain = append(plain, diag.ESSBulk([][]float64{x}))
		for i, v := range x {
			x[i] = v * v
		}
		square = append(square, diag.ESSBulk([][]float64{x}))
	}
	slices.Sort(plain)
	slices.Sort(square)
	b.ReportMetric(plain[d/2]/seconds, "median-ESS/cpu-s")
	b.ReportMetric(plain[0]/seconds, "least-ESS/cpu-s")
	b.ReportMetric(square[d/2]/seconds, "median-ESS-of-squares/cpu-s")
	t := res.Tally(0)
	b.ReportMetric(float64(t.Reflections)/float64(t.Steps), "hits/op")
}
