package tune

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// What places come to does not depend on the number of threads.
//
// Mutants: slopes of another stretch of places; places of another stretch looked at.
func TestGaugeOnThreads(t *testing.T) {
	slow := potential.Func(2, func(g, x []float64) float64 {
		time.Sleep(worthThreads)
		g[0], g[1] = math.Sin(x[0]*x[1]), x[0]-x[1]
		return x[0] * math.Exp(x[1])
	})
	of := func(r int) potential.Evaluator { return slow.Evaluator(r, stream.New(1, 1)) }
	rapid.Check(t, func(t *rapid.T) {
		r, threads := rapid.IntRange(2, 9).Draw(t, "places"), rapid.IntRange(2, 12).Draw(t, "threads")
		one, many := newGauge(2, r, 1, of), newGauge(2, r, threads, of)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		for look := range 4 {
			x, some := make([]float64, 2*r), make([]bool, r)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			for i := range some {
				some[i] = look == 0 || rng.IntN(2) == 0
			}
			var energy, grad [2][]float64
			for k, g := range []*gauge{one, many} {
				energy[k], grad[k] = make([]float64, r), make([]float64, 2*r)
				g.eval(energy[k], grad[k], x, some)
			}
			for i, is := range some {
				if is && (energy[0][i] != energy[1][i] || grad[0][i] != grad[1][i] || grad[0][r+i] != grad[1][r+i]) {
					t.Fatalf("look %d, place %d of %v: %v and %v, slopes %v and %v", look, i, some, energy[0], energy[1], grad[0], grad[1])
				}
			}
		}
		if len(one.stretches) != 1 || len(many.stretches) != 1+min(r, threads) {
			t.Fatalf("%d places in %d stretches on one thread, in %d on %d", r, len(one.stretches), len(many.stretches), threads)
		}
	})
}
