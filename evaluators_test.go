package r2sgld_test

import (
	"context"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// counted is a noisy potential whose evaluators are counted while they are open,
// and whose exact evaluators die after a number of calls, if one is given.
type counted struct {
	potential.Potential
	open, opened, twice *atomic.Int64
	dies                int64
	exact               bool
}

func counting(u potential.Potential, dies int64) counted {
	return counted{u, new(atomic.Int64), new(atomic.Int64), new(atomic.Int64), dies, false}
}

func (c counted) EnergyNoise() float64 { return 1 }

func (c counted) Exact() (potential.Potential, bool) { c.exact = true; return c, true }

func (c counted) Evaluator(r int, s *stream.Set) potential.Evaluator {
	c.open.Add(1)
	c.opened.Add(1)
	return &countedEvaluator{Evaluator: c.Potential.Evaluator(r, s), c: c}
}

type countedEvaluator struct {
	potential.Evaluator
	c      counted
	calls  int64
	closed bool
}

var errDied = errors.New("the program died")

func (e *countedEvaluator) Eval(energy, grad, x []float64) {
	e.calls++
	e.Evaluator.Eval(energy, grad, x)
	if e.Err() != nil {
		for i := range energy {
			energy[i] = math.NaN()
		}
	}
}

func (e *countedEvaluator) Err() error {
	if e.c.exact && e.c.dies > 0 && e.calls >= e.c.dies {
		return errDied
	}
	return nil
}

func (e *countedEvaluator) Close() error {
	if e.closed {
		e.c.twice.Add(1)
	}
	e.closed = true
	e.c.open.Add(-1)
	return nil
}

// Every evaluator is closed, once, however a run or a check ends.
func TestEvaluatorsAreClosed(t *testing.T) {
	nan := potential.Func(2, func(grad, x []float64) float64 { clear(grad); return math.Sqrt(x[0]) })
	for name, c := range map[string]struct {
		bend func(p *r2sgld.Problem, s *r2sgld.Settings)
		want string // in the error
	}{
		"a run":         {func(*r2sgld.Problem, *r2sgld.Settings) {}, ""},
		"full energies": {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.FullEnergies, s.Whitening = true, shear }, ""},
		"rounds":        {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Review = review(300) }, ""},
		"a certificate": {func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Certificate, s.Kernel, s.FullEnergies = true, nil, true
		}, ""},
		"a blow-up": {func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Potential, s.Start = counting(nan, 0), []float64{0.1, 0}
		}, "the energy is NaN"},
		"no start": {func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Potential, s.Start = counting(nan, 0), []float64{-0.1, 0}
		}, "not finite at the start"},
		"a recorder": {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Recorder = halting{1, 30}.recorder }, "stop here"},
		"a keeper": {func(_ *r2sgld.Problem, s *r2sgld.Settings) {
			s.Keeper = func(int) r2sgld.Keeper { return &tape{fail: 3} }
		}, "the tape is full"},
		"a boundary":      {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Boundary = "bounce" }, "bounce"},
		"a scheme":        {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Swap.Scheme = "ring" }, "ring"},
		"a torn state":    {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Resume = [][]byte{{1}, {2}} }, "cut short"},
		"a state outside": {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.States = outside }, "ladder 2 lies outside"},
		"death at a swap": {func(p *r2sgld.Problem, s *r2sgld.Settings) {
			p.Potential, s.FullEnergies = counting(multimodal, 40), true
		}, "the program died"},
		"a momentum": {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 1} }, "momentum 1"},
		"infinite, no use": {func(_ *r2sgld.Problem, s *r2sgld.Settings) { s.Boundary, s.Temperature[1] = domain.Free, infinity },
			"infinite temperature"},
	} {
		t.Run(name, func(t *testing.T) {
			p := r2sgld.Problem{Potential: counting(multimodal, 0), Domain: flower}
			s := r2sgld.Settings{Ladders: 2, Iterations: 100, Temperature: []float64{1, 2}, Kernel: kernel.Momentum{Mu: 0.5}}
			c.bend(&p, &s)
			u := p.Potential.(counted)
			check := func(what string) {
				if u.open.Load() != 0 || u.twice.Load() != 0 {
					t.Errorf("%s: of %d evaluators %d stay open, %d were closed twice", what, u.opened.Load(), u.open.Load(), u.twice.Load())
				}
			}
			_, err := r2sgld.Sample(context.Background(), p, s)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
			check("Sample")
			if err == nil && u.opened.Load() == 0 {
				t.Error("no evaluator was opened")
			}
			if err := r2sgld.Check(t.Context(), p, s); c.want == "" && err != nil {
				t.Error(err)
			}
			check("Check")
		})
	}
}

// outside are the states of two ladders of two rungs, the last outside the flower.
var outside = [][][]float64{{{0, 0}, {0, 0.5}}, {{0.5, 0}, {9, 9}}}

// States say where each replica starts.
func TestStates(t *testing.T) {
	s := r2sgld.Settings{Ladders: 2, Iterations: 1, Temperature: []float64{1, 2}, StepSize: []float64{1e-9},
		States: [][][]float64{{{0, 0}, {0, 0.5}}, {{0.5, 0}, {0.1, 0.2}}}, Swap: never, Whitening: shear}
	for l, ladder := range sample(t, r2sgld.Problem{Potential: multimodal, Domain: flower}, s).Ladders {
		for r, x := range ladder.X {
			for j := range x {
				if math.Abs(x[j]-s.States[l][r][j]) > 1e-3 {
					t.Errorf("ladder %d, rung %d starts at %v", l+1, r+1, x)
				}
			}
		}
	}
	s.States = s.States[:1]
	if _, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: multimodal, Domain: flower}, s); err == nil {
		t.Error("the states of one ladder were taken for two")
	}
}

// A program that dies while it is asked for full energies ends the run, and the
// state saved is one from before the iteration: resumed, the run is the whole run.
func TestDeathAtASwapLosesNothing(t *testing.T) {
	s := r2sgld.Settings{Ladders: 2, Iterations: 200, Temperature: []float64{1, 2, infinity}, StepSize: []float64{1e-3},
		Kernel: kernel.Momentum{Mu: 0.9}, FullEnergies: true}
	p := r2sgld.Problem{Potential: counting(multimodal, 0), Domain: flower}
	want := sample(t, p, s)
	var states [][]byte
	s.Checkpoint = &r2sgld.Checkpoint{Every: time.Millisecond, Save: func(_ int, now [][]byte) error { states = now; return nil }}
	p.Potential = counting(multimodal, 77)
	if _, err := r2sgld.Sample(context.Background(), p, s); !errors.Is(err, errDied) {
		t.Fatalf("%v", err)
	}
	p.Potential, s.Resume = counting(multimodal, 0), states
	if !reflect.DeepEqual(finished(sample(t, p, s)), want) {
		t.Error("the resumed run is not the whole run")
	}
}

// An iteration with momentum and eight rungs, the hottest at infinite temperature,
// allocates nothing: as many allocations in 2,000 iterations as in 12,000, up to
// what the runtime does beside them.
func TestMomentumAndReferenceAllocateNothing(t *testing.T) {
	pace.Slow(t)
	for name, c := range map[string]struct {
		d domain.Domain
		w *r2sgld.Whitening
	}{
		"flower":          {flower, nil},
		"flower, mapped":  {flower, shear},
		"box":             {must(domain.NewBox([]float64{-1, -1}, []float64{1, 2})), nil},
		"ball":            {must(domain.NewBall([]float64{0, 0}, 1)), nil},
		"simplex, mapped": {must(domain.NewSimplex(2, 1)), shear},
	} {
		p := r2sgld.Problem{Potential: potential.Noisy(multimodal, 0.05, 0.05), Domain: c.d}
		s := r2sgld.Settings{Ladders: 1, Threads: 1, Temperature: []float64{1, 1.3, 1.7, 2.2, 3, 4, 6, infinity},
			StepSize: []float64{1e-3}, MaxDraws: 10,
			Kernel: kernel.Momentum{Mu: 0.9}, Decay: kernel.Decay{Kind: kernel.Cosine, Cycles: 3}, FullEnergies: true, Whitening: c.w,
			Swap: exchange.Settings{Estimate: exchange.Estimate{Every: 10}}}
		count := func(iterations int) float64 {
			s.Iterations = iterations
			return testing.AllocsPerRun(3, func() { sample(t, p, s) })
		}
		if few, many := count(2000), count(12000); many > few+20 {
			t.Errorf("%s: %v allocations in 2,000 iterations, %v in 12,000", name, few, many)
		}
	}
}

// Starts where the energy is not finite are drawn again, 100 times for each of
// ten replicas; then the share that was finite is told.
func TestStartsAreDrawnAgain(t *testing.T) {
	box, _ := domain.NewBox([]float64{-1, -1}, []float64{1, 1})
	below := func(end float64) potential.Potential {
		return potential.Func(2, func(grad, x []float64) float64 {
			clear(grad)
			if x[0] > end {
				return math.NaN()
			}
			return 0
		})
	}
	s := r2sgld.Settings{Ladders: 2, Iterations: 1, Temperature: []float64{1, 2}, StepSize: []float64{1e-12, 1e-12}, Seed: 1}
	if _, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: below(-0.9), Domain: box}, s); err != nil {
		t.Error(err)
	}
	for end, share := range map[float64]string{-2: "(of 1002 draws 0 have one that is)", -0.99999: "(of 1002 draws "} {
		_, err := r2sgld.Sample(context.Background(), r2sgld.Problem{Potential: below(end), Domain: box}, s)
		if err == nil || !strings.Contains(err.Error(), share) {
			t.Errorf("%v, want %s", err, share)
		}
	}
}
