package r2sgld_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// tilted is exp(−3x − y²) on [−1, 1] × [−2, 2], whose law at the temperature is by a lattice.
func tilted(t *testing.T, tau float64) law {
	t.Helper()
	box, err := domain.NewBox([]float64{-1, -2}, []float64{1, 2})
	if err != nil {
		t.Fatal(err)
	}
	return lattice(r2sgld.Problem{Domain: box, Potential: potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 3, 2*x[1]
		return 3*x[0] + x[1]*x[1]
	})}, 400_000, tau)
}

// Steps of next to no length leave it to swaps and to states of the hottest rung to move the
// coldest, which has its law by them all the same: at temperature 2, and at 1 with a guide that
// is wrong. Means of 48 ladders by Student's t (chance: 1e-7 each). About as many proposals are
// taken as n independent ones would be.
//
// Mutants: weights without the temperature; the proposal seen last; the state that is left not
// weighed; more of it weighed; a proposal of the iteration before.
func TestIndependence(t *testing.T) {
	for name, c := range map[string]struct {
		tau   float64
		guide *r2sgld.Guide
	}{"uniform law": {2, nil}, "guide": {1, normalGuide(2, -0.3, 0.9)}} {
		for _, leapfrog := range []int{2, 4} {
			l := tilted(t, c.tau)
			l.p.Guide = c.guide
			s := r2sgld.Settings{Seed: 8, Ladders: 48, Iterations: longer(2000), BurnIn: 100, Kernel: kernel.HMC{Leapfrog: leapfrog},
				Temperature: []float64{c.tau, infinity}, StepSize: []float64{1e-12, 1}}
			res := sample(t, l.p, s)
			if z, what := l.score(res); !(z < student(s.Ladders)) {
				t.Errorf("%s, %d steps: E %s is off by |t| = %.1f", name, leapfrog, what, z)
			}
			if m := res.Independence(); m.Proposed != int64(48*s.Iterations) || m.Accepted < m.Proposed/5 || m.Accepted > m.Proposed*9/10 {
				t.Errorf("%s, %d steps: %+v", name, leapfrog, m)
			}
		}
	}
}

// States of energies so large that others are lost beside them are never taken, be they seen before
// or after these.
//
// Mutant: weights added up from the first on.
func TestIndependenceOfLargeEnergies(t *testing.T) {
	box, err := domain.NewBox([]float64{-1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	p := r2sgld.Problem{Domain: box, Potential: potential.Func(1, func(grad, x []float64) float64 {
		if grad[0] = 0; x[0] > 0 {
			return 1e36 * (1 + x[0])
		}
		return 50
	})}
	s := r2sgld.Settings{Seed: 2, Iterations: 2000, Kernel: kernel.HMC{Leapfrog: 4}, Temperature: []float64{1, infinity},
		StepSize: []float64{1e-12, 1}, Start: []float64{-0.5}}
	res := sample(t, p, s)
	for _, l := range res.Ladders {
		for _, u := range l.Energy[0] {
			if u != 50 {
				t.Fatalf("a draw has the energy %g", u)
			}
		}
	}
	if m := res.Independence(); m.Proposed == 0 || m.Accepted < m.Proposed/3 {
		t.Errorf("%+v", m)
	}
}

// Nothing is proposed where rungs do not trade, or by another rule, where a trajectory has one step, where the
// hottest rung is not drawn, where energies have noise, and where no state could be drawn.
func TestNoIndependence(t *testing.T) {
	l := tilted(t, 1)
	var draws atomic.Int64
	ends, inside := normalGuide(2, 0, 0.3), normalGuide(2, 0, 0.3).Draw
	ends.Draw = func(x []float64, rng *rand.Rand) { // a law whose draws end
		if inside(x, rng); draws.Add(1) > 60 {
			x[0] = 9
		}
	}
	plain := r2sgld.Settings{Seed: 1, Iterations: 20, Kernel: kernel.HMC{Leapfrog: 2}, Temperature: []float64{1, infinity},
		StepSize: []float64{0.1, 1}, Start: []float64{0, 0}}
	for name, change := range map[string]func(*r2sgld.Problem, *r2sgld.Settings){
		"no swaps":  func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Swap = never },
		"a rule":    func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Swap = exchange.Settings{Rule: "threshold"} },
		"one step":  func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Kernel = kernel.HMC{Leapfrog: 1} },
		"it moves":  func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Temperature = []float64{1, 9} },
		"noise":     func(p *r2sgld.Problem, _ *r2sgld.Settings) { p.Potential = potential.Noisy(p.Potential, 0, 1) },
		"no states": func(p *r2sgld.Problem, _ *r2sgld.Settings) { p.Guide = ends },
	} {
		p, s := l.p, plain
		change(&p, &s)
		if m := sample(t, p, s).Independence(); m.Proposed != 0 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if m := sample(t, l.p, plain).Independence(); m.Proposed != 20 {
		t.Errorf("%+v without any of these", m)
	}
}
