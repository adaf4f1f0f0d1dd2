package r2sgld_test

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// inStep are runs whose ladders share lanes: those of every other kernel, penalty and base
// law, and some more, with exact energies.
func inStep() map[string]func(*r2sgld.Problem, *r2sgld.Settings) {
	all := map[string]func(*r2sgld.Problem, *r2sgld.Settings){
		"SGLD":        func(*r2sgld.Problem, *r2sgld.Settings) {},
		"certificate": func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Certificate = true },
		"variance":    func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Swap.Estimate.Every = 50 },
		"momentum":    func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.6} },
		"harmonic": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			boxedNormal(p)
			s.Kernel, s.Temperature = kernel.Harmonic{Jitter: 0.3}, []float64{1, 300, 1e6} // times of travel become shorter
		},
		"harmonic, given up": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			boxedNormal(p)
			s.Kernel, s.Temperature = kernel.Harmonic{Cap: 5}, []float64{1, 30, 1000}
		},
		"guide": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Guide, s.Temperature[2], s.Kernel = normalGuide(2, 0.2, 0.8), infinity, kernel.HMC{Leapfrog: 2}
		},
		"guide, base": func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Base, p.Guide, s.Temperature[2] = roundBase(), normalGuide(2, 0.2, 0.8), infinity
		},
	}
	maps.Copy(all, others())
	maps.Copy(all, inCrowds())
	return all
}

// boxedNormal makes of p a normal law in a box.
func boxedNormal(p *r2sgld.Problem) {
	p.Domain = must(domain.NewBox([]float64{-2, -1}, []float64{1, 2}))
	p.Potential = potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 2*x[0]+x[1], x[0]+2*x[1]
		return x[0]*x[0] + x[0]*x[1] + x[1]*x[1]
	})
}

// Ladders that go in step make the draws that each makes alone, whichever share a block:
// five ladders on one thread, on two, and on five; the first two of them by themselves; and
// when all go on from one iteration, or each from one of its own.
func TestLaddersInStepMakeTheirOwnDraws(t *testing.T) {
	pace.Slow(t)
	for name, bend := range inStep() {
		t.Run(name, func(t *testing.T) {
			p, s := small()
			p.Potential, s.Iterations, s.MaxDraws, s.Threads = multimodal, 500, 90, 5
			bend(&p, &s)
			kept := taped(&s)
			want := sample(t, p, s)
			check := func(what string, res *r2sgld.Result, tapes []*tape) {
				t.Helper()
				for i, l := range finished(res).Ladders {
					if !reflect.DeepEqual(l, want.Ladders[i]) || string(tapes[i].b) != string(kept[i].b) {
						t.Errorf("%s: ladder %d makes other draws", what, i+1)
					}
				}
			}
			for _, s.Threads = range []int{1, 2} {
				again := taped(&s)
				check(fmt.Sprint(s.Threads, " threads"), sample(t, p, s), again)
			}
			two := s
			two.Ladders, two.Threads = 2, 1
			again := taped(&two)
			check("two of them", sample(t, p, two), again)

			stopped := func(at int) (states [][]byte) {
				part := s
				part.Threads = 1
				part.Checkpoint = &r2sgld.Checkpoint{Save: func(_ int, now [][]byte) error { states = now; return nil }}
				part.Recorder = func(int) r2sgld.Recorder { return stopper(at) }
				taped(&part)
				if _, err := r2sgld.Sample(t.Context(), p, part); !errors.Is(err, errStop) {
					t.Fatal(err)
				}
				return states
			}
			own := make([][]byte, s.Ladders)
			for i := range own {
				own[i] = stopped(1 + 97*i)[i]
			}
			s.Resume = stopped(150)
			again = taped(&s)
			check("from one iteration", sample(t, p, s), again)
			s.Resume = own
			again = taped(&s)
			check("from iterations of their own", sample(t, p, s), again)
		})
	}
}
