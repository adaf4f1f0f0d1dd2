package dynamics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A trajectory is the negative log likelihood of data about the solution z of
// the equations from the initial values at the first time,
//
//	y ~ normal(z, s)   or   y ~ lognormal(log z, s),
//
// for every value of a state that is not missing, that at the first time
// included. It has all its constants. Its gradient is that of the numerical
// solution at the steps that it took. Where the solution ends early, is not
// positive under log-normal noise, or a scale or such an initial value is not
// positive, the energy is +Inf and the gradient 0: a state to be rejected.
type trajectory struct {
	problem   *Problem
	system    *System
	options   ode.Options
	dim       int // parameters
	start     float64
	times     []float64
	data      []float64 // row by row, of the states of the system; logarithms under log-normal noise; NaN is missing
	lognormal bool
	initial   []slot // by state
	noise     []slot
	constants []float64 // by row: of the energy
	counts    []int     // by state: data
	undecided atomic.Int64
	stiff     atomic.Int64
	flows     sync.Pool
	rough     *trajectory // for a warm-up; nil is none
	// stiffLimit is how many steps the method for stiff equations may take
	stiffLimit int
}

// A slot is a parameter by its index, or a number if that is −1.
type slot struct {
	index int
	value float64
}

// at is the value at state i of a block x of r.
func (p slot) at(x []float64, r, i int) float64 {
	if p.index < 0 {
		return p.value
	}
	return x[p.index*r+i]
}

// Work that an evaluation may take before it is given up: steps of the explicit
// method, and then of one for stiff equations.
const (
	explicitSteps = 10_000
	stiffSteps    = 20_000
)

// The search for the mode is less patient: most of where it looks is nowhere near it.
// It takes so many steps, or as many a row, of the explicit method, and twice that of
// the other.
const (
	searchSteps    = 1000
	searchStepsRow = 20
)

// Dim is the number of parameters.
func (p *trajectory) Dim() int { return p.dim }

// Evaluator returns an evaluator for blocks of r states: one solve each.
func (p *trajectory) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	return &trajectoryEvaluator{newFlow(p, false), r}
}

type trajectoryEvaluator struct {
	*flow
	r int
}

func (e *trajectoryEvaluator) Eval(energy, grad, x []float64) {
	clear(grad)
	for i := range e.r {
		energy[i] = e.descend(grad, x, e.r, i)
	}
}

// A flow is a trajectory at work, for one goroutine. It tries the first of its methods
// and then the one for stiff equations, if that is another. Where curvatures are wanted,
// and with methods that have no way back along their steps, sensitivities go along.
type flow struct {
	p              *trajectory
	rows           int          // of the data that count, from the first
	adjoint        *ode.Adjoint // the first method, or
	first          *ode.Sensitive
	stiff          *ode.Sensitive
	y0, parameters []float64
	y, weight      []float64 // by row: state; the derivative of the energy by it
	sens           []float64 // by row: derivative of the state by the parameters of the system and the initial values
	sensitive      bool      // the last solution has it
	g              []float64 // gradient by those
	by             []int     // their places among all parameters, −1 for those that are none
	scale          []float64 // of the noise
	slope          []float64 // of the energy by it
	work, steps    int       // evaluations of the last solution; its steps
	// sticky begins with the method for stiff equations where the last solution
	// needed it. Energies then depend a little on where the flow was before: not
	// for samplers.
	sticky, wasStiff bool
}

func newFlow(p *trajectory, curved bool) *flow {
	q := p.system.Parametric()
	d, w := q.Dim, q.Dim+q.Parameters
	n := len(p.times) * d
	f := &flow{p: p, rows: len(p.times), y0: make([]float64, d), parameters: make([]float64, q.Parameters),
		y: make([]float64, n), weight: make([]float64, n), sens: make([]float64, n*w), g: make([]float64, w),
		by: p.system.Index(), scale: make([]float64, d), slope: make([]float64, d)}
	for _, at := range p.initial {
		f.by = append(f.by, at.index)
	}
	// The options were checked when the trajectory was made.
	o := p.options
	if curved || o.Method == ode.LSODA {
		f.first, _ = ode.NewSensitive(q, o)
	} else {
		f.adjoint, _ = ode.NewAdjoint(q, o)
	}
	if o.Method != ode.LSODA {
		o.Method, o.Steps = ode.LSODA, cmp.Or(p.stiffLimit, stiffSteps)
		f.stiff, _ = ode.NewSensitive(q, o)
	}
	return f
}

// run solves the equations at state i of a block x of r. It reports false where
// there is no solution, or none is found.
func (f *flow) run(x []float64, r, i int) bool {
	p := f.p
	for k, j := range p.system.index {
		f.parameters[k] = x[j*r+i]
	}
	for k := range f.y0 {
		f.y0[k], f.scale[k] = p.initial[k].at(x, r, i), p.noise[k].at(x, r, i)
		if !(f.scale[k] > 0) || p.lognormal && p.counts[k] > 0 && !(f.y0[k] > 0) {
			return false
		}
	}
	if !finite(f.y0) || !finite(f.parameters) || !finite(f.scale) {
		return false
	}
	return f.solve()
}

// solve tries the methods.
func (f *flow) solve() bool {
	f.work = 0
	if f.sticky && f.wasStiff {
		if f.attempt(f.stiff) == nil {
			return f.good()
		}
	}
	f.wasStiff = false
	err := f.attempt(f.first)
	limit := f.p.options.Steps
	if err != nil && f.stiff != nil {
		limit = cmp.Or(f.p.stiffLimit, stiffSteps)
		if err = f.attempt(f.stiff); err == nil {
			f.wasStiff = true
			f.p.stiff.Add(1)
		}
	}
	if err != nil {
		// A solution that runs off has no likelihood; one cut short may have.
		var b *ode.BlowUp
		if !errors.As(err, &b) || b.Steps+b.Rejected >= limit {
			f.p.undecided.Add(1)
		}
		return false
	}
	return f.good()
}

// attempt solves by s, or by the first method without sensitivities if that is nil.
func (f *flow) attempt(s *ode.Sensitive) error {
	d := len(f.y0)
	times, y := f.p.times[:f.rows], f.y[:f.rows*d]
	var err error
	var stats ode.Stats
	if f.sensitive = s != nil; f.sensitive {
		err, stats = s.Solve(f.p.start, f.y0, f.parameters, times, y, f.sens[:len(y)*len(f.g)]), s.Stats()
	} else {
		err, stats = f.adjoint.Solve(f.p.start, f.y0, f.parameters, times, y), f.adjoint.Stats()
	}
	f.work += stats.Evaluations
	f.steps = stats.Steps + stats.Rejected
	return err
}

// good reports whether the solution is finite.
func (f *flow) good() bool {
	n := f.rows * len(f.y0)
	return finite(f.y[:n]) && (!f.sensitive || finite(f.sens[:n*len(f.g)]))
}

// descend returns the energy at state i of a block x of r, and adds the gradient
// to grad.
func (f *flow) descend(grad, x []float64, r, i int) float64 {
	if !f.run(x, r, i) {
		return math.Inf(1)
	}
	p, d := f.p, len(f.y0)
	sum := 0.0
	for _, c := range p.constants[:f.rows] {
		sum += c
	}
	for k, s := range f.scale {
		squares, n := 0.0, 0
		for t := range f.rows {
			residual, slope, ok := f.residual(t*d + k)
			f.weight[t*d+k] = 0
			if !ok {
				continue
			}
			if math.IsInf(slope, 0) {
				return math.Inf(1)
			}
			n++
			squares += residual * residual
			f.weight[t*d+k] = -residual * slope / (s * s)
		}
		sum += squares/(2*s*s) + float64(n)*math.Log(s)
		f.slope[k] = float64(n)/s - squares/(s*s*s)
	}
	f.gradient()
	if !finite(f.g) || !finite(f.slope) || math.IsNaN(sum) {
		return math.Inf(1)
	}
	f.scatter(grad, r, i)
	return sum
}

// gradient is that by the parameters of the system and the initial values.
func (f *flow) gradient() {
	weight, w := f.weight[:f.rows*len(f.y0)], len(f.g)
	if !f.sensitive {
		f.adjoint.Gradient(f.g, weight)
		return
	}
	clear(f.g)
	for i, c := range weight {
		if c == 0 {
			continue
		}
		for j, v := range f.sens[i*w : (i+1)*w] {
			f.g[j] += c * v
		}
	}
}

// scatter adds the gradients.
func (f *flow) scatter(grad []float64, r, i int) {
	for k, j := range f.by {
		if j >= 0 {
			grad[j*r+i] += f.g[k]
		}
	}
	for k, q := range f.p.noise {
		if q.index >= 0 {
			grad[q.index*r+i] += f.slope[k]
		}
	}
}

// residual is that of datum at, and the derivative of what it is about by z; ok
// is false where it is missing.
func (f *flow) residual(at int) (residual, slope float64, ok bool) {
	y, z := f.p.data[at], f.y[at]
	switch {
	case y != y:
		return 0, 0, false
	case !f.p.lognormal:
		return y - z, 1, true
	case !(z > 0):
		return 0, math.Inf(1), true
	}
	return y - math.Log(z), 1 / z, true
}

// solution returns the states by row at parameters x, NaN where there are none.
func (p *trajectory) solution(x []float64) []float64 {
	f, _ := p.flows.Get().(*flow)
	if f == nil {
		f = newFlow(p, false)
	}
	defer p.flows.Put(f)
	if !f.run(x, 1, 0) {
		return slices.Repeat([]float64{math.NaN()}, len(f.y))
	}
	return slices.Clone(f.y)
}

// trajectory makes the posterior of likelihood trajectory.
func (p *Problem) trajectory(s *Series) error {
	f := &faults{}
	p.model.checkTrajectory(f)
	if err := f.join(); err != nil {
		return err
	}
	t := &trajectory{problem: p, dim: len(p.Parameters), lognormal: p.model.lognormal(), start: s.Time[0], times: s.Time}
	var err error
	if t.system, err = p.System(); err != nil {
		return err
	}
	if err := p.explain(t, s); err != nil {
		return err
	}
	p.Likelihood, p.Noise = t, nil
	if err := p.solver(t); err != nil {
		return err
	}
	return p.fitTrajectory(t)
}

// explain gathers the data of a trajectory.
func (p *Problem) explain(t *trajectory, s *Series) error {
	states := p.model.States
	n, d := len(s.Time), len(states)
	t.data, t.constants, t.counts = make([]float64, n*d), make([]float64, n), make([]int, d)
	for k, state := range states {
		values, ok := s.Values[state]
		if !p.model.observed(state) {
			values, ok = slices.Repeat([]float64{math.NaN()}, n), true
		}
		if !ok {
			return &ModelError{[]string{"data", "states"}, -1, fmt.Errorf("the series has no state %q", state)}
		}
		for i, y := range values {
			if y == y {
				t.constants[i] += logRoot2Pi
				t.counts[k]++
			}
			if t.lognormal && y == y {
				if !(y > 0) {
					return &DataError{s.File, s.Line[i], 0, fmt.Sprintf(
						"%s is %v: log-normal noise needs positive data: use noise: normal", state, y)}
				}
				y = math.Log(y)
				t.constants[i] += y
			}
			t.data[i*d+k] = y
		}
		t.initial = append(t.initial, p.place(state+initialSuffix, math.NaN()))
		given, ok := p.model.givenNoise(state)
		if !ok {
			given = 1 // of a state without data, where it does not matter
		}
		t.noise = append(t.noise, p.place(state+noiseSuffix, given))
	}
	slices.SortStableFunc(p.equations, func(a, b equation) int { // in the order of the responses
		return cmp.Compare(slices.Index(p.model.latent, a.state), slices.Index(p.model.latent, b.state))
	})
	for _, e := range p.equations {
		if !p.model.observed(e.state) {
			continue
		}
		r := Response{State: e.state, Label: e.state}
		for row, y := range s.Values[e.state] {
			if y == y {
				r.Observed, r.Time = append(r.Observed, y), append(r.Time, s.Time[row])
			}
		}
		if len(r.Observed) == 0 {
			return &DataError{s.File, 0, 0, fmt.Sprintf("all values of %q are missing", e.state)}
		}
		p.Responses = append(p.Responses, r)
	}
	p.Time = slices.Clone(s.Time)
	p.tellMissing(s, "the likelihood explains all other values")
	p.sortResponses()
	return nil
}

// place is where a parameter is: among the free ones, fixed, or given.
func (p *Problem) place(name string, given float64) slot {
	if v, ok := p.model.fixed(name); ok {
		return slot{-1, v}
	}
	if j := slices.Index(p.Parameters, name); j >= 0 {
		return slot{j, 0}
	}
	return slot{-1, given}
}

// solver settles how the equations are solved before the mode is known: absolute
// tolerances are those of the data.
func (p *Problem) solver(t *trajectory) error {
	t.options = p.model.Solver
	if t.options.Steps == 0 {
		t.options.Steps = explicitSteps
	}
	if t.options.RTol == 0 {
		t.options.RTol = 1e-6
	}
	if t.options.ATol == nil {
		t.options.ATol = t.sizes(t.options.RTol)
	}
	if _, err := ode.NewSensitive(t.system.Parametric(), t.options); err != nil {
		return &ModelError{[]string{"model", "solver"}, -1, err}
	}
	return nil
}

// sizes are absolute tolerances: rtol times the root mean square of each state's
// data. Where noise is relative, errors must be too however small the state gets,
// and no solution may cross 0 by an error: next to nothing.
func (t *trajectory) sizes(rtol float64) []float64 {
	d := len(t.initial)
	out := make([]float64, d)
	for k := range out {
		sum, n, least := 0.0, 0.0, math.Inf(1)
		for at := k; at < len(t.data); at += d {
			if y := t.data[at]; y == y {
				sum, n, least = sum+y*y, n+1, math.Min(least, y)
			}
		}
		out[k] = rtol * math.Sqrt(sum/n)
		if t.lognormal && n > 0 {
			out[k] = 1e-20 * rtol * math.Exp(least)
		}
		if !(out[k] > 0) {
			out[k] = rtol
		}
	}
	return out
}
