package tune

import (
	"slices"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/potential"
)

// worthThreads is what a block must take for its places to be looked at on several threads.
const worthThreads = 100 * time.Microsecond

// A gauge evaluates a potential at r places, or at some of them, on several threads where that pays: what a
// place comes to does not depend on which others are looked at with it where there are several.
type gauge struct {
	r, dim, threads int
	mu              sync.Mutex // of of
	of              func(r int) potential.Evaluator
	stretches       []*stretch // one, until a block has taken long
}

func newGauge(dim, r, threads int, of func(r int) potential.Evaluator) *gauge {
	g := &gauge{r: r, dim: dim, threads: threads, of: of}
	g.stretches = []*stretch{g.stretch(0, r)}
	return g
}

// eval writes energies and slopes of some places; those of others have no meaning.
func (g *gauge) eval(energy, grad, x []float64, some []bool) {
	if len(g.stretches) == 1 {
		begun := time.Now()
		g.stretches[0].eval(energy, grad, x, some)
		if parts := min(g.r, g.threads); parts > 1 && time.Since(begun) > worthThreads {
			for i := range parts {
				g.stretches = append(g.stretches, g.stretch(i*g.r/parts, (i+1)*g.r/parts))
			}
		}
		return
	}
	var wait sync.WaitGroup
	for _, s := range g.stretches[1:] {
		wait.Go(func() { s.eval(energy, grad, x, some) })
	}
	wait.Wait()
}

// make makes e, if it is not there, for n states.
func (g *gauge) make(e *potential.Evaluator, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if *e == nil {
		*e = g.of(n)
	}
}

// each is the evaluators that there are.
func (g *gauge) each() (all []potential.Evaluator) {
	if g == nil {
		return nil
	}
	for _, s := range g.stretches {
		for _, e := range []potential.Evaluator{s.all, s.single} {
			if e != nil {
				all = append(all, e)
			}
		}
	}
	return all
}

// A stretch is the places of a gauge from one to before another.
type stretch struct {
	*gauge
	from, to         int
	all, single      potential.Evaluator // nil until they are needed
	energy, x, grad  []float64           // of all its places
	one, there, down []float64           // of one
}

func (g *gauge) stretch(from, to int) *stretch {
	n := to - from
	return &stretch{gauge: g, from: from, to: to, energy: make([]float64, n), x: make([]float64, n*g.dim), grad: make([]float64, n*g.dim),
		one: make([]float64, 1), there: make([]float64, g.dim), down: make([]float64, g.dim)}
}

// eval is [gauge.eval] of the stretch. Up to half of the places are evaluated one by one; where more are,
// the others have the coordinates of the first, for their own may be dear.
func (s *stretch) eval(energy, grad, x []float64, some []bool) {
	some = some[s.from:s.to]
	n, first := 0, slices.Index(some, true)
	for _, is := range some {
		if is {
			n++
		}
	}
	switch {
	case n == 0:
	case 2*n > len(some):
		s.together(energy, grad, x, some, first)
	default:
		s.make(&s.single, 1)
		for i, is := range some {
			if is {
				s.alone(i, energy, grad, x)
			}
		}
	}
}

// together evaluates all places, those that are not wanted at the first that is.
func (s *stretch) together(energy, grad, x []float64, some []bool, first int) {
	s.make(&s.all, len(some))
	for i, is := range some {
		at := s.from + i
		if !is {
			at = s.from + first
		}
		for j := range s.dim {
			s.x[j*len(some)+i] = x[j*s.r+at]
		}
	}
	s.all.Eval(s.energy, s.grad, s.x)
	copy(energy[s.from:s.to], s.energy)
	for j := range s.dim {
		copy(grad[j*s.r+s.from:][:len(some)], s.grad[j*len(some):])
	}
}

// alone evaluates one place, the i-th.
func (s *stretch) alone(i int, energy, grad, x []float64) {
	i += s.from
	for j := range s.there {
		s.there[j] = x[j*s.r+i]
	}
	s.single.Eval(s.one, s.down, s.there)
	energy[i] = s.one[0]
	for j, v := range s.down {
		grad[j*s.r+i] = v
	}
}
