package fleet

import (
	"math"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// Letters of variants of a potential, in the order in which they are made of each other.
const (
	exact = 'x'
	few   = 'f'
	rough = 'r'
)

// Potential is p, whose states workers of the crew evaluate as well where that does not
// change a bit and is quicker. p is the potential of the crew's brief.
func (c *Crew) Potential(p potential.Potential) potential.Potential { return &shared{p, c, ""} }

// shared is a potential, or a variant of it, and what it says of itself.
type shared struct {
	potential.Potential
	crew    *Crew
	variant string
}

func (p *shared) Lanewise() bool       { return potential.Lanewise(p.Potential) }
func (p *shared) EnergyNoise() float64 { return potential.EnergyNoise(p.Potential) }
func (p *shared) Quadratic() bool      { return potential.Quadratic(p.Potential) }

func (p *shared) Exact() (potential.Potential, bool) {
	e, noisy := potential.Exact(p.Potential)
	switch {
	case !noisy:
		return p, false
	case e == nil:
		return nil, true
	}
	return p.as(e, exact), true
}

func (p *shared) Few() (potential.Potential, float64) {
	u, part := potential.Few(p.Potential)
	if part == 1 {
		return p, 1
	}
	return p.as(u, few), part
}

func (p *shared) Rough() potential.Potential { return p.as(potential.Rough(p.Potential), rough) }

func (p *shared) as(u potential.Potential, letter rune) potential.Potential {
	if len(p.variant) == variantBytes {
		return u
	}
	return &shared{u, p.crew, p.variant + string(letter)}
}

// Shareable reports whether workers can evaluate states of a potential, or of what it is
// exactly.
func Shareable(p potential.Potential) bool {
	if Pure(p) {
		return true
	}
	e, _ := potential.Exact(p)
	return e != nil && Pure(e)
}

// Pure reports whether what p makes of a state depends on the state alone.
func Pure(p potential.Potential) bool {
	_, noisy := potential.Exact(p)
	return potential.Lanewise(p) && !noisy
}

// Evaluator returns an evaluator that shares its blocks with workers, or one of p that does
// not where states depend on each other, or on random numbers.
func (p *shared) Evaluator(r int, s *stream.Set) potential.Evaluator {
	if !Pure(p.Potential) {
		return p.Potential.Evaluator(r, s)
	}
	d := p.Dim()
	return &evaluator{p: p, whole: p.Potential.Evaluator(r, s), parts: sizes{potential: p.Potential},
		x: make([]float64, r*d), values: make([]float64, r*(d+1)), grads: make([]float64, r*d), done: make([]bool, r),
		by: make([]*worker, r)}
}

type evaluator struct {
	p     *shared
	whole potential.Evaluator // for all states of a block
	parts sizes               // for some
	err   error

	// the workspace: states one after the other, and what is known of them
	x, values, grads []float64
	done             []bool
	by               []*worker // nil is here
}

func (e *evaluator) Eval(energy, grad, x []float64) {
	if e.err == nil {
		e.err = e.p.crew.evaluate(e, energy, grad, x)
	}
	if e.err != nil {
		for _, s := range [2][]float64{energy, grad} {
			for i := range s {
				s[i] = math.NaN()
			}
		}
	}
}

// Err is the first failure of the evaluation here: one elsewhere is none.
func (e *evaluator) Err() error {
	if e.err != nil {
		return e.err
	}
	return potential.Err(e.whole)
}

// Close ends what the evaluators here hold.
func (e *evaluator) Close() error {
	if err := potential.Close(e.whole); err != nil {
		return err
	}
	return e.parts.close()
}
