package dynamics

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/internal/vector"
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
	solved    sync.Pool   // of solutions, one lane
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

// Lanewise is true; see [potential.Lanewise].
func (p *trajectory) Lanewise() bool { return true }

// Evaluator returns an evaluator for blocks of r states.
func (p *trajectory) Evaluator(r int, _ *stream.Set) potential.Evaluator { return newSolutions(p, r) }

// A likeness is what a trajectory makes of solutions, n lanes side by side: number k of
// lane i of a vector is at k*n+i.
type likeness struct {
	p              *trajectory
	n, rows        int // rows of the data that count, from the first
	y0, parameters []float64
	y, log, weight []float64 // by row: state, its logarithm, the derivative of the energy by it
	g              []float64 // gradient by the parameters of the system and the initial values
	by             []int     // their places among all parameters, −1 for those that are none
	scale          []float64 // of the noise
	slope          []float64 // of the energy by it
}

func newLikeness(p *trajectory, n int) likeness {
	q := p.system.Parametric()
	d, m := q.Dim, len(p.times)*q.Dim
	l := likeness{p: p, n: n, rows: len(p.times), by: p.system.Index()}
	for _, v := range []struct {
		at  *[]float64
		len int
	}{{&l.y0, d}, {&l.parameters, q.Parameters}, {&l.y, m}, {&l.log, m}, {&l.weight, m},
		{&l.g, q.Parameters + d}, {&l.scale, d}, {&l.slope, d}} {
		*v.at = make([]float64, v.len*n)
	}
	for _, at := range p.initial {
		l.by = append(l.by, at.index)
	}
	return l
}

// load takes lane to state i of a block x of r. Where it reports false the state is
// impossible, and the lane has no initial state.
func (l *likeness) load(lane int, x []float64, r, i int) bool {
	p, n := l.p, l.n
	ok := true
	for k, j := range p.system.index {
		v := x[j*r+i]
		l.parameters[k*n+lane] = v
		ok = ok && isFinite(v)
	}
	for k := range p.initial {
		y, s := p.initial[k].at(x, r, i), p.noise[k].at(x, r, i)
		l.y0[k*n+lane], l.scale[k*n+lane] = y, s
		ok = ok && isFinite(y) && isFinite(s) && s > 0 && (y > 0 || !p.lognormal || p.counts[k] == 0)
	}
	if !ok {
		l.clear(lane)
	}
	return ok
}

// clear leaves a lane without a solution.
func (l *likeness) clear(lane int) {
	for j := lane; j < len(l.y0); j += l.n {
		l.y0[j] = math.NaN()
	}
}

// energy is that of the solution in a lane, whose weights and slopes it writes; it is +Inf
// where there is none.
func (l *likeness) energy(lane int) float64 {
	p, n, d := l.p, l.n, len(l.p.initial)
	sum := 0.0
	for _, c := range p.constants[:l.rows] {
		sum += c
	}
	for k := range d {
		s, squares, count := l.scale[k*n+lane], 0.0, 0
		for t := range l.rows {
			at := t*d + k
			residual, slope, ok := l.residual(at, lane)
			l.weight[at*n+lane] = 0
			if !ok {
				continue
			}
			if math.IsInf(slope, 0) {
				return math.Inf(1)
			}
			count++
			squares += residual * residual
			l.weight[at*n+lane] = -residual * slope / (s * s)
		}
		sum += squares/(2*s*s) + float64(count)*math.Log(s)
		l.slope[k*n+lane] = float64(count)/s - squares/(s*s*s)
	}
	if math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum
}

// scatter adds the gradients of a lane to state i of a block of r, unless they are not finite.
func (l *likeness) scatter(grad []float64, r, i, lane int) bool {
	for _, v := range [][]float64{l.g, l.slope} {
		for j := lane; j < len(v); j += l.n {
			if !isFinite(v[j]) {
				return false
			}
		}
	}
	for k, j := range l.by {
		if j >= 0 {
			grad[j*r+i] += l.g[k*l.n+lane]
		}
	}
	for k, q := range l.p.noise {
		if q.index >= 0 {
			grad[q.index*r+i] += l.slope[k*l.n+lane]
		}
	}
	return true
}

// residual is that of datum at in a lane, and the derivative by the solution of what it is
// about; ok is false where it is missing.
func (l *likeness) residual(at, lane int) (residual, slope float64, ok bool) {
	y, z := l.p.data[at], l.y[at*l.n+lane]
	switch {
	case y != y:
		return 0, 0, false
	case !l.p.lognormal:
		return y - z, 1, true
	case !(z > 0):
		return 0, math.Inf(1), true
	}
	return y - l.log[at*l.n+lane], 1 / z, true
}

// logs takes logarithms of the solutions, where the noise is that of them.
func (l *likeness) logs() {
	if l.p.lognormal {
		n := l.rows * len(l.y0)
		vector.Log(l.log[:n], l.y[:n])
	}
}

// solution returns the states by row at parameters x, NaN where there are none.
func (p *trajectory) solution(x []float64) []float64 {
	e, _ := p.solved.Get().(*solutions)
	if e == nil {
		e = newSolutions(p, 1)
	}
	defer p.solved.Put(e)
	return slices.Clone(e.solution(x))
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
					return &DataError{s.File, s.Line.At(i), 0, fmt.Sprintf(
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
