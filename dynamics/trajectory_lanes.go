package dynamics

import (
	"cmp"
	"errors"
	"math"

	"github.com/r2sgld/r2sgld/ode"
)

// together is about how many numbers the states of lanes that are solved together have, so
// that they stay in the cache, and fewest how many lanes are worth the while of a kernel.
const (
	together = 64
	fewest   = 8
)

// solutions are a trajectory at work on blocks of r states, for one goroutine. An explicit
// method solves n of them at a time; those that it gives up fall out, one by one, to the
// method for stiff equations.
type solutions struct {
	likeness
	r          int
	solver     *ode.Lanes // nil: all are for the other
	stiff      *flow
	narrow     *solutions // for those that fall behind,
	block      []float64  // their energies, gradients and states
	late       []int      // and which they are
	possible   []bool
	work, fell int // evaluations so far, and states that fell out
	steps      int // of the last solution
}

func newSolutions(p *trajectory, r int) *solutions {
	most := max(fewest, together/len(p.initial))
	blocks := (r + most - 1) / most
	n := (r + blocks - 1) / blocks
	e := &solutions{likeness: newLikeness(p, n), r: r, stiff: stiffFlow(p), possible: make([]bool, n)}
	if p.options.Method != ode.LSODA {
		// The options were checked when the trajectory was made.
		e.solver, _ = ode.NewLanes(p.system.Parametric(), n, p.options)
	}
	return e
}

// Eval is that of [potential.Evaluator].
func (e *solutions) Eval(energy, grad, x []float64) {
	clear(grad)
	for from := 0; from < e.r; from += e.n {
		e.solve(x, from)
		e.gradients(energy[from:min(from+e.n, e.r)], grad, x, from)
	}
}

// solve solves the equations at the states of a block from one on.
func (e *solutions) solve(x []float64, from int) {
	for lane := range e.possible {
		if e.possible[lane] = from+lane < e.r && e.load(lane, x, e.r, from+lane); !e.possible[lane] {
			e.clear(lane)
		}
	}
	if e.solver == nil {
		return
	}
	// It fails only where the lengths or the times are wrong.
	_ = e.solver.Solve(e.p.start, e.y0, e.parameters, e.p.times, e.y)
	for lane := range e.possible {
		stats := e.solver.Stats(lane)
		e.steps = stats.Steps + stats.Rejected
		e.work += stats.Evaluations
	}
	e.logs()
}

// falls reports whether a possible state falls out.
func (e *solutions) falls(lane int) bool {
	return e.solver == nil || e.solver.Err(lane) != nil && e.solver.Err(lane) != ode.ErrBehind
}

// gradients are the energies and gradients of what was solved.
func (e *solutions) gradients(energy, grad, x []float64, from int) {
	clear(e.weight)
	behind := 0
	for lane := range energy {
		energy[lane] = math.Inf(1)
		switch {
		case !e.possible[lane]:
		case e.falls(lane):
			energy[lane] = e.stiff.descend(grad, x, e.r, from+lane)
			e.fell, e.work, e.steps = e.fell+1, e.work+e.stiff.work, e.stiff.steps
			e.possible[lane] = false
		case e.solver.Err(lane) != nil:
			behind++
		default:
			energy[lane] = e.energy(lane)
		}
	}
	if e.solver == nil {
		return
	}
	e.solver.Gradient(e.g, e.weight)
	for lane, u := range energy {
		if e.possible[lane] && !math.IsInf(u, 1) && !e.scatter(grad, e.r, from+lane, lane) {
			energy[lane] = math.Inf(1)
		}
	}
	if behind > 0 {
		e.apart(energy, grad, x, from)
	}
}

// apart evaluates the states that fell behind, at most a quarter, in lanes of their own.
func (e *solutions) apart(energy, grad, x []float64, from int) {
	r, d := e.n/4, e.p.dim
	if e.narrow == nil {
		e.narrow, e.block = newSolutions(e.p, r), make([]float64, (1+2*d)*r)
	}
	u, g, z := e.block[:r], e.block[r:][:r*d], e.block[r*(1+d):]
	for i := range z {
		z[i] = math.NaN()
	}
	e.late = e.late[:0]
	for lane := range energy {
		if e.possible[lane] && e.solver.Err(lane) != nil {
			for j := range d {
				z[j*r+len(e.late)] = x[j*e.r+from+lane]
			}
			e.late = append(e.late, lane)
		}
	}
	was := e.narrow.work
	e.narrow.Eval(u, g, z)
	e.work += e.narrow.work - was
	for k, lane := range e.late {
		energy[lane] = u[k]
		for j := range d {
			grad[j*e.r+from+lane] += g[j*r+k]
		}
	}
}

// solution is that at x, NaN where there is none.
func (e *solutions) solution(x []float64) []float64 {
	e.solve(x, 0)
	switch {
	case !e.possible[0]:
	case !e.falls(0):
		return e.y
	case e.stiff.run(x, 1, 0):
		return e.stiff.y
	}
	for j := range e.y {
		e.y[j] = math.NaN()
	}
	return e.y
}

// A flow is a trajectory at work on one state, with sensitivities: where curvatures are
// wanted, and with the method for stiff equations, which has no way back along its steps.
// It tries its methods in turn. It serves one goroutine.
type flow struct {
	likeness
	methods     []*ode.Sensitive
	limits      []int     // of their steps
	sens        []float64 // by row: derivative of the state by the parameters of the system and the initial values
	work, steps int       // evaluations of the last solution; its steps
	// sticky begins with the last method where the last solution needed it. Energies
	// then depend a little on where the flow was before: not for samplers.
	sticky, wasStiff bool
}

// newFlow returns a flow that tries the trajectory's method first.
func newFlow(p *trajectory) *flow {
	f := &flow{likeness: newLikeness(p, 1)}
	f.sens = make([]float64, len(f.y)*len(f.g))
	f.add(p.options)
	if p.options.Method != ode.LSODA {
		f.add(stiffOptions(p))
	}
	return f
}

// stiffFlow returns one that has the method for stiff equations only.
func stiffFlow(p *trajectory) *flow {
	f := &flow{likeness: newLikeness(p, 1)}
	f.sens = make([]float64, len(f.y)*len(f.g))
	f.add(stiffOptions(p))
	return f
}

func stiffOptions(p *trajectory) ode.Options {
	o := p.options
	if o.Method != ode.LSODA {
		o.Method, o.Steps = ode.LSODA, cmp.Or(p.stiffLimit, stiffSteps)
	}
	return o
}

func (f *flow) add(o ode.Options) {
	s, _ := ode.NewSensitive(f.p.system.Parametric(), o) // the options were checked
	f.methods, f.limits = append(f.methods, s), append(f.limits, o.Steps)
}

// run solves the equations at state i of a block x of r. It reports false where there is
// no solution, or none is found.
func (f *flow) run(x []float64, r, i int) bool {
	if !f.load(0, x, r, i) {
		return false
	}
	f.work = 0
	last := len(f.methods) - 1
	if f.sticky && f.wasStiff && f.attempt(last) == nil {
		return f.good()
	}
	f.wasStiff = false
	var err error
	for m := range f.methods {
		if err = f.attempt(m); err == nil {
			if f.wasStiff = f.p.options.Method != ode.LSODA && m == last; f.wasStiff {
				f.p.stiff.Add(1)
			}
			return f.good()
		}
	}
	// A solution that runs off has no likelihood; one cut short may have.
	if b, ok := errors.AsType[*ode.BlowUp](err); !ok || b.Steps+b.Rejected >= f.limits[last] {
		f.p.undecided.Add(1)
	}
	return false
}

// attempt solves by a method.
func (f *flow) attempt(method int) error {
	s, n := f.methods[method], f.rows*len(f.y0)
	err := s.Solve(f.p.start, f.y0, f.parameters, f.p.times[:f.rows], f.y[:n], f.sens[:n*len(f.g)])
	stats := s.Stats()
	f.work += stats.Evaluations
	f.steps = stats.Steps + stats.Rejected
	return err
}

// good reports whether the solution is finite.
func (f *flow) good() bool {
	f.logs()
	n := f.rows * len(f.y0)
	return finite(f.y[:n]) && finite(f.sens[:n*len(f.g)])
}

// descend returns the energy at state i of a block x of r, and adds the gradient to grad.
func (f *flow) descend(grad, x []float64, r, i int) float64 {
	if !f.run(x, r, i) {
		return math.Inf(1)
	}
	u := f.energy(0)
	if math.IsInf(u, 1) {
		return u
	}
	w := len(f.g)
	clear(f.g)
	for i, c := range f.weight[:f.rows*len(f.y0)] {
		if c == 0 {
			continue
		}
		for j, v := range f.sens[i*w : (i+1)*w] {
			f.g[j] += c * v
		}
	}
	if !f.scatter(grad, r, i, 0) {
		return math.Inf(1)
	}
	return u
}
