// Package ode answers where a trajectory goes: initial value problems
// y' = f(t, y) with error control, dense output, events and sensitivities.
//
// Methods: Dormand–Prince 5(4) for ordinary needs, DOP853 for tight tolerances,
// LSODA where the problem may be stiff. Tolerances mean what they mean in SciPy:
// a step is accepted if the root mean square of e_i/(atol_i + rtol·max(|y_i|, |ŷ_i|))
// is below 1. LSODA measures with the maximum instead and allows a step a tenth of it.
package ode

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
)

// A System is y' = f(t, y).
type System struct {
	Dim int // length of y
	// F writes f(t, y) into dy. It must neither change nor keep y.
	F func(dy []float64, t float64, y []float64)
	// Jacobian writes ∂f_i/∂y_k into j[i*Dim+k]. A method that wants one makes
	// it by differences if this is nil.
	Jacobian func(j []float64, t float64, y []float64)
	// columns is how many columns of variations follow the state, row by row; each
	// varies with the Jacobian of the state, which is then all that Jacobian writes.
	columns int
}

// A Method is how a trajectory is integrated.
type Method string

// The methods.
const (
	DormandPrince Method = "dopri5" // Dormand–Prince 5(4), dense output of order 4; also the empty Method
	DOP853        Method = "dop853" // Hairer's 8(5,3), dense output of order 7: for rtol below about 1e-7
	LSODA         Method = "lsoda"  // Adams and BDF of varying order, switching: for what may be stiff
)

// Options say how to integrate. The zero value is Dormand–Prince with rtol 1e-6
// and atol 1e-9.
type Options struct {
	Method Method
	RTol   float64   // relative tolerance per step, at least 2.3e-14; 0 is 1e-6
	ATol   []float64 // absolute tolerance ≥ 0: one for all, or one for each component under control; nil is 1e-9
	First  float64   // length of the first step; 0 chooses
	Max    float64   // longest step; 0 is no limit
	Steps  int       // accepted and rejected steps, at most; 0 is 1,000,000
	// Control says that the first Control components are under error control; 0
	// is all. The others ride along on the same steps.
	Control int
	Events  []Event
}

// Stats count work.
type Stats struct {
	Evaluations    int // of f
	Jacobians      int
	Decompositions int
	Steps          int // accepted
	Rejected       int
}

// A Solution is a trajectory at the times asked for.
type Solution struct {
	T       []float64   // the times reached: all, unless stopped
	Y       [][]float64 // the state at each
	Stats   Stats
	Events  []Occurrence // in the order of the trajectory
	Stopped bool         // by an event, the last one
}

// A BlowUp is the error of a trajectory that cannot go on.
type BlowUp struct {
	Time   float64   // how far it came
	State  []float64 // the last good state
	Reason string    // and what to do
	Stats
}

// Error says where the trajectory ended and why.
func (b *BlowUp) Error() string {
	return fmt.Sprintf("trajectory ends at t = %.6g, y = %.4g after %d steps: %s", b.Time, b.State, b.Steps, b.Reason)
}

// What a step may fail with.
var (
	errNotFinite = errors.New("the right-hand side is not finite there: check its domain and parameters, or end earlier")
	errTooSmall  = errors.New("the step fell below the resolution of time: the solution runs off to infinity, jumps, " +
		"or is stiff; end earlier, loosen the tolerance or use lsoda")
	// ErrTooMany is that of a trajectory which took more steps than it may.
	ErrTooMany = errors.New("too many steps: raise the limit, loosen the tolerance, or use lsoda if it is stiff")
	// ErrBehind is that of a few among many [Lanes], which need far more steps than the
	// others: fewer lanes solve them at less cost, with the same numbers.
	ErrBehind = errors.New("far more steps than other lanes")
)

// A stepper is a method at work. Its Options are complete: RTol > 0, one ATol for
// each controlled component (so that len(ATol) is Control), Max > 0 or +Inf.
type stepper interface {
	// start heads from (t, y) for bound, which differs from t. It may evaluate f
	// and resets stats. It copies y and keeps sys.
	start(sys *System, t, bound float64, y []float64)
	// step makes one accepted step, never past bound. After an error, interval
	// and state are those of the last accepted step (or of the start).
	step() error
	interval() (from, to float64) // of the last step; both t after start
	state() []float64             // at its end; valid until the next step
	at(dst []float64, t float64)  // dense output within the last step; state() at its end
	stats() Stats
}

// newStepper returns the method that complete options name.
func newStepper(dim int, o *Options) (stepper, error) {
	switch o.Method {
	case "", DormandPrince:
		return newExplicit(&dormandPrince, dim, 1, o), nil
	case DOP853:
		return newExplicit(&dop853, dim, 1, o), nil
	case LSODA:
		return newLSODA(dim, o), nil
	}
	return nil, fmt.Errorf("no method %q: use %s, %s or %s", o.Method, DormandPrince, DOP853, LSODA)
}

// complete returns o with its defaults written out, for systems of a dimension.
func (o Options) complete(dim int) (Options, error) {
	var errs []error
	bad := func(format string, a ...any) { errs = append(errs, fmt.Errorf(format, a...)) }
	if dim < 1 {
		bad("a system has %d components: at least 1", dim)
	}
	if o.Control == 0 {
		o.Control = dim
	}
	if o.Control < 0 || o.Control > dim {
		bad("%d components under control: 1 to %d", o.Control, dim)
		o.Control = max(dim, 0)
	}
	if o.RTol == 0 {
		o.RTol = 1e-6
	}
	if !(o.RTol >= 100*0x1p-52) || math.IsInf(o.RTol, 0) {
		bad("rtol %g: at least %.2g", o.RTol, 100*0x1p-52)
	}
	switch len(o.ATol) {
	case 0:
		o.ATol = slices.Repeat([]float64{1e-9}, o.Control)
	case 1:
		o.ATol = slices.Repeat(o.ATol, o.Control)
	case o.Control:
		o.ATol = slices.Clone(o.ATol)
	default:
		bad("%d absolute tolerances for %d components: one, or one for each", len(o.ATol), o.Control)
	}
	for _, a := range o.ATol {
		if !(a >= 0) || math.IsInf(a, 0) {
			bad("atol %g: finite and at least 0", a)
			break
		}
	}
	if !(o.First >= 0) || !(o.Max >= 0) || o.Steps < 0 {
		bad("first step %g, longest step %g, %d steps: none may be negative", o.First, o.Max, o.Steps)
	}
	if o.Max == 0 {
		o.Max = math.Inf(1)
	}
	if o.Steps == 0 {
		o.Steps = 1_000_000
	}
	o.Events = slices.Clone(o.Events)
	for i, e := range o.Events {
		if e.Zero == nil {
			bad("event %d (%s) has no function", i, e.Name)
		}
	}
	return o, errors.Join(errs...)
}

// Solve integrates from y0 at t0 through times (monotone, in either direction, t0
// may be among them) and returns the states there. With an error of the way (a
// *BlowUp, or that of ctx) comes what was reached.
func Solve(ctx context.Context, s System, t0 float64, y0 []float64, times []float64, o Options) (*Solution, error) {
	v, err := NewSolver(s.Dim, o)
	if err != nil {
		return nil, err
	}
	n := s.Dim
	out := make([]float64, len(times)*n)
	if err := v.check(s, t0, y0, times, out); err != nil {
		return nil, err
	}
	v.sys = s
	err = v.run(ctx, t0, y0, times, out)
	r := &Solution{T: slices.Clone(times[:v.reached]), Y: make([][]float64, v.reached),
		Stats: v.Stats(), Events: v.events.found, Stopped: v.events.stopped}
	for i := range r.Y {
		r.Y[i] = out[i*n : (i+1)*n : (i+1)*n]
	}
	return r, err
}

// A Solver is Solve with a workspace: it allocates nothing after its first call.
// It serves one goroutine.
type Solver struct {
	dim     int
	o       Options
	sys     System
	method  stepper
	events  events
	reached int // times
	stats   Stats
}

// NewSolver returns a solver of systems of a dimension.
func NewSolver(dim int, o Options) (*Solver, error) {
	o, err := o.complete(dim)
	if err != nil {
		return nil, fmt.Errorf("ode options: %w", err)
	}
	s := &Solver{dim: dim, o: o}
	if s.method, err = newStepper(dim, &s.o); err != nil {
		return nil, fmt.Errorf("ode options: %w", err)
	}
	s.events = newEvents(dim, s.o.Events)
	return s, nil
}

// Solve integrates from y0 at t0 through times (monotone, in either direction)
// into out, row by row: component i at times[k] is out[k*dim+i]. Times that are
// not reached, after an error or an event that stops, are NaN in out.
func (s *Solver) Solve(sys System, t0 float64, y0 []float64, times []float64, out []float64) error {
	return s.SolveContext(context.Background(), sys, t0, y0, times, out)
}

// SolveContext is [Solver.Solve] that stops, between two steps, once ctx is done,
// with an error that wraps its cause.
func (s *Solver) SolveContext(ctx context.Context, sys System, t0 float64, y0 []float64, times []float64, out []float64) error {
	if err := s.check(sys, t0, y0, times, out); err != nil {
		return err
	}
	s.sys = sys
	return s.run(ctx, t0, y0, times, out)
}

// Stats returns what the last Solve took.
func (s *Solver) Stats() Stats { return s.stats }

// Events returns what happened in the last Solve, in order, and whether the last
// of it stopped the trajectory. The memory is that of the solver.
func (s *Solver) Events() (found []Occurrence, stopped bool) { return s.events.found, s.events.stopped }

// check says what is wrong with a call.
func (s *Solver) check(sys System, t0 float64, y0, times, out []float64) error {
	switch {
	case sys.F == nil:
		return errors.New("ode: the system has no right-hand side F")
	case sys.Dim != s.dim || len(y0) != s.dim:
		return fmt.Errorf("ode: a system of %d components and an initial state of %d for a solver of %d", sys.Dim, len(y0), s.dim)
	case len(out) != len(times)*s.dim:
		return fmt.Errorf("ode: room for %d values: %d times of %d components are asked for", len(out), len(times), s.dim)
	case !finite(y0):
		return fmt.Errorf("ode: the initial state %.4g is not finite", y0)
	case !finite(times) || math.IsNaN(t0-t0):
		return fmt.Errorf("ode: the times (from %g) are not all finite", t0)
	}
	return disorder(t0, times)
}

// disorder is the error of times that do not go one way from t0.
func disorder(t0 float64, times []float64) error {
	last := t0
	for i, t := range times {
		if t != last && (t < last) != (times[len(times)-1] < t0) {
			return fmt.Errorf("ode: time %d (%g) after %g: times go one way, from t0 = %g", i+1, t, last, t0)
		}
		last = t
	}
	return nil
}

// run integrates s.sys.
func (s *Solver) run(ctx context.Context, t0 float64, y0, times, out []float64) error {
	n := s.dim
	s.reached, s.stats = 0, Stats{}
	s.events.reset()
	for s.reached < len(times) && times[s.reached] == t0 {
		copy(out[s.reached*n:], y0)
		s.reached++
	}
	if s.reached == len(times) {
		return nil
	}
	err := s.travel(ctx, t0, y0, times, out)
	s.stats = s.method.stats()
	for i := s.reached * n; i < len(out); i++ {
		out[i] = math.NaN()
	}
	return err
}

// travel goes from t0 to the last of times, which lies elsewhere.
func (s *Solver) travel(ctx context.Context, t0 float64, y0, times, out []float64) error {
	n, m := s.dim, s.method
	bound := times[len(times)-1]
	forward := math.Copysign(1, bound-t0)
	m.start(&s.sys, t0, bound, y0)
	s.events.start(t0, y0)
	done := ctx.Done()
	for s.reached < len(times) {
		select {
		case <-done:
			_, t := m.interval()
			return fmt.Errorf("ode: stopped at t = %g: %w", t, context.Cause(ctx))
		default:
		}
		if st := m.stats(); st.Steps+st.Rejected >= s.o.Steps {
			return s.blowUp(ErrTooMany)
		}
		if err := m.step(); err != nil {
			return s.blowUp(err)
		}
		end := s.events.step(m)
		for s.reached < len(times) && forward*(times[s.reached]-end) <= 0 {
			m.at(out[s.reached*n:(s.reached+1)*n], times[s.reached])
			s.reached++
		}
		if s.events.stopped {
			return nil
		}
	}
	return nil
}

// blowUp tells where the method stands.
func (s *Solver) blowUp(why error) error {
	_, t := s.method.interval()
	return &BlowUp{Time: t, State: slices.Clone(s.method.state()), Reason: why.Error(), Stats: s.method.stats()}
}

// finite reports whether all of x are finite.
func finite(x []float64) bool {
	for _, v := range x {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

func isFinite(v float64) bool { return v-v == 0 }
