package dynamics

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkTrajectoryLanes is a gradient at draws about the mode at tolerance 1e-6: ns a
// lane is what counts.
func BenchmarkTrajectoryLanes(b *testing.B) {
	m := lynxTrajectory()
	m.Solver.RTol = 1e-6
	p := must(Build(m, lynxHare()))
	for _, r := range []int{1, 4, 8, 12, 32} {
		rng := rand.New(rand.NewPCG(1, 1))
		const blocks = 8
		x, energy, grad := make([][]float64, blocks), make([]float64, r), make([]float64, 8*r)
		for n := range x {
			x[n] = make([]float64, 8*r)
			for i := range r {
				for k := range 8 {
					z := rng.NormFloat64()
					for j := range 8 {
						x[n][j*r+i] += z * p.Factor[j][k]
					}
				}
				for j, v := range p.Center {
					x[n][j*r+i] += v
				}
			}
		}
		e := p.path().Evaluator(r, nil)
		b.Run(fmt.Sprint(r), func(b *testing.B) {
			n := 0
			for b.Loop() {
				e.Eval(energy, grad, x[n%blocks])
				n++
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*r), "ns/lane")
		})
	}
}
