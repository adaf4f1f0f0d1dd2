package tune

import (
	"sync/atomic"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A twice is a potential that counts its evaluators, and has a rough one that does.
type twice struct {
	potential.Potential
	asked, rough *atomic.Int64
}

func (p twice) Evaluator(r int, s *stream.Set) potential.Evaluator {
	p.asked.Add(1)
	return p.Potential.Evaluator(r, s)
}

func (p twice) Rough() potential.Potential { return twice{p.Potential, p.rough, p.rough} }

// The warm-up of an exact kernel makes do with the rough potential, also under
// coordinates of its own and in a sum; that of others, which look for jumps, does not.
func TestWarmUpIsRough(t *testing.T) {
	p := bumps(t)
	for _, hmc := range []kernel.Kernel{nil, kernel.HMC{Leapfrog: 5}} {
		var asked, rough atomic.Int64
		q, err := potential.Sum(twice{p.Potential, &asked, &rough}, potential.Func(2, func(grad, _ []float64) float64 { clear(grad); return 0 }))
		if err != nil {
			t.Fatal(err)
		}
		q = potential.Affine(q, []float64{0, 0}, [][]float64{{1, 0}, {0, 1}})
		if _, err := Tune(t.Context(), r2sgld.Problem{Potential: q, Domain: p.Domain}, r2sgld.Settings{Seed: 1, Ladders: 2, Kernel: hmc}, nil,
			func(*Found) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if (rough.Load() > 0) != (hmc != nil) || (asked.Load() > 0) != (hmc == nil) {
			t.Errorf("HMC %v: %d evaluators, %d rough ones", hmc, asked.Load(), rough.Load())
		}
	}
}
