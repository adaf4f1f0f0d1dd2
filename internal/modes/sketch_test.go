package modes

import (
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A sketched potential has another that descents begin with, and counts the states that it sees.
type sketched struct {
	potential.Potential
	few  potential.Potential
	seen atomic.Int64
}

func (p *sketched) Few() (potential.Potential, float64) { return p.few, 0.01 }

func (p *sketched) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return &watched{p.Potential.Evaluator(r, s), p, r}
}

type watched struct {
	potential.Evaluator
	p *sketched
	r int
}

func (e *watched) Eval(energy, grad, x []float64) {
	e.p.seen.Add(int64(e.r))
	e.Evaluator.Eval(energy, grad, x)
}

// hinted has modes of weight a third and two thirds, of which the sketch knows the first as two, the
// second elsewhere and narrower, and a third that is none.
func hinted() *sketched {
	return &sketched{Potential: round([][]float64{{-3, 1}, {3, 0}}, []float64{0.5, 0.8}, []float64{1. / 3, 2. / 3}),
		few: round([][]float64{{-3.4, 1.4}, {-2.6, 0.6}, {3.3, -0.2}, {0, 4}}, []float64{0.2, 0.2, 0.6, 0.3}, []float64{0.2, 0.2, 0.5, 0.1})}
}

// Minima, energies and curvatures are those of all, whatever a sketch of it says, as far as descents
// are exact: 1e-3 of a standard deviation, 1e-5 of energies, and of masses what differences of
// slopes leave. Every start that led to a mode of the sketch counts, and work by all is that of the
// few modes that were found, and not of the starts.
//
// Mutants: modes of the sketch; of them those that lead elsewhere.
func TestFindBeginsWithASketch(t *testing.T) {
	const starts = 300
	p := hinted()
	target, draw := boxed(t, p, -6, 6, 3)
	s, err := Find(t.Context(), target, draw, starts, starts, 0)
	if err != nil || len(s.Modes) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	if n := p.seen.Load(); n > starts {
		t.Errorf("%d states are looked at by all of it, from %d starts", n, starts)
	}
	target.Energy = p.Potential
	_, draw = boxed(t, p, -6, 6, 3)
	want, err := Find(t.Context(), target, draw, starts, starts, 0)
	if err != nil || len(want.Modes) != 2 {
		t.Fatalf("%+v, %v", want, err)
	}
	settled := 0
	for i, m := range s.Modes {
		w := want.Modes[i]
		settled += m.Starts
		sd := w.L[0][0]
		if math.Hypot(m.X[0]-w.X[0], m.X[1]-w.X[1]) > 1e-3*sd || math.Abs(m.Energy-w.Energy) > 1e-5 || math.Abs(m.Log-w.Log) > 1e-3 ||
			math.Abs(m.L[0][0]/sd-1) > 1e-3 {
			t.Errorf("mode %d: %+v, want %+v", i, m, w)
		}
	}
	if settled < s.Settled || s.Settled < starts*9/10 || s.Starts != want.Starts {
		t.Errorf("%d of %d starts settled, %d in modes", s.Settled, s.Starts, settled)
	}
	if s.Gradients >= want.Gradients/5 {
		t.Errorf("%d gradients, %d without a sketch", s.Gradients, want.Gradients)
	}
}

// A fit whose parts move by a sketch tells the mass by all: log Z of a density is 0 within six of the
// errors that it states, and shares of modes are theirs within six. The sketch alone, narrower as it is,
// would say −0.5. Near a mode it has the energy and the slope of all, and all is looked at by the last
// draws and at the modes.
//
// Mutants: the last draws by the sketch; a sketch that is not tied to all.
func TestFitMovesByASketch(t *testing.T) {
	p := hinted()
	target, draw := boxed(t, p, -6, 6, 3)
	s, err := Find(t.Context(), target, draw, 300, 300, 0)
	if err != nil || len(s.Modes) != 2 {
		t.Fatalf("%+v, %v", s, err)
	}
	tied, _, err := s.tied(target)
	if err != nil {
		t.Fatal(err)
	}
	for i, m := range s.Modes {
		all, few := newEvaluator(p, 1), newEvaluator(tied.Energy, 1)
		near := []float64{m.X[0] + 1e-4, m.X[1] - 1e-4}
		for _, v := range []*evaluator{all, few} {
			v.set(0, near)
			if err := v.run(); err != nil {
				t.Fatal(err)
			}
		}
		off := math.Hypot(all.grad[0]-few.grad[0], all.grad[1]-few.grad[1])
		if off > 200*1.5e-4 || math.Abs(all.energy[0]-few.energy[0]) > 200*1.5e-8 { // second derivatives differ by less than 200
			t.Errorf("mode %d: energy %v and slope %v, want %v and %v", i, few.energy, few.grad, all.energy, all.grad)
		}
	}
	p.seen.Store(0)
	f, err := s.Fit(t.Context(), target, rand.New(rand.NewPCG(4, 5)))
	if err != nil || f == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	if math.Abs(f.LogZ) > 6*f.SE || math.Abs(f.Weight[0]-2./3) > 6*f.WeightSE[0] || f.SE > 0.05 {
		t.Errorf("log Z %v ± %v, weights %v ± %v", f.LogZ, f.SE, f.Weight, f.WeightSE)
	}
	if n := p.seen.Load(); n > fitDraws+lanes+int64(len(s.Modes)) {
		t.Errorf("%d states are looked at by all of it", n)
	}
}

// Beside the parts of a bounded density stands the uniform law of its box, and the law around them where little is known further away.
func TestDefendNearModes(t *testing.T) {
	box, err := domain.NewBox([]float64{-50}, []float64{50})
	if err != nil {
		t.Fatal(err)
	}
	for _, near := range []bool{false, true} {
		target := Target{Energy: potential.Func(1, func(g, x []float64) float64 { g[0] = x[0]; return x[0] * x[0] / 2 }), Domain: box,
			Width: []float64{1}, Flat: 1e-6, Near: near}
		rng := rand.New(rand.NewPCG(1, 1))
		draw := func(x []float64) error { x[0] = 20 * (rng.Float64() - 0.5); return nil }
		s, err := Find(t.Context(), target, draw, 16, 16, 1)
		if err != nil {
			t.Fatal(err)
		}
		f, err := s.Fit(t.Context(), target, rng)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := f.Defend(t.Context(), target, rng, nil, 0.05, 0.2); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if around := f.Mixture.Wide != nil; around != near || (f.Mixture.Lo == nil) != near {
			t.Errorf("near %v: a law around the parts %v, the box %v", near, around, f.Mixture.Lo)
		}
	}
}
