// Package simulation answers where the system will go: trajectories of a model
// from one set of parameters or from many draws of them, with bands; when two
// trajectories part; how fast neighbours part.
package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// A Model is a system whose right-hand sides depend on parameters x. Its functions
// may be called by several goroutines at once.
type Model struct {
	States  []string                     // names
	System  func(x []float64) ode.System // for one goroutine; it may keep x
	Initial func(dst, x []float64)       // writes the state at the first time; NaN where that is not known
	// Noise writes the standard deviation of an observation of each state; NaN
	// where that is not known. Nil: it is not known of any.
	Noise     func(dst, x []float64)
	LogNormal bool // Noise is that of the logarithms
}

// Options say what to simulate.
type Options struct {
	From    float64     // time of the initial state
	Start   []float64   // initial state in place of Model.Initial; NaN leaves that of a state, nil of all
	Times   []float64   // from From on, rising or falling
	Solver  ode.Options // but for Control and Events, which are not the caller's
	Threads int         // at most so many at once; 0 is all processors. Changes no number
}

// A Result is a trajectory for every draw.
type Result struct {
	Model *Model
	From  float64
	Times []float64
	Draws [][]float64 // the parameters
	// Paths holds component i at Times[k] as Paths[draw][k*dim+i]; NaN after a
	// trajectory ended.
	Paths [][]float64
	Blown []Blown // in the order of draws
	Stats ode.Stats

	periods [][]float64 // of each draw and state; NaN without one
}

// Blown is a trajectory that could not go on.
type Blown struct {
	Draw int // index
	*ode.BlowUp
}

// Lost is the error when no trajectory comes to the last time.
type Lost struct {
	States []string
	Of     int   // trajectories
	First  Blown // the one that came least far
}

// Error says how far it came.
func (e *Lost) Error() string {
	who := "the trajectory"
	if e.Of > 1 {
		who = fmt.Sprintf("each of %d trajectories; the first", e.Of)
	}
	return fmt.Sprintf("%s blows up at t = %.6g (%s): %s", who, e.First.Time, e.First.Where(e.States), e.First.Reason)
}

// Where is the last state, as in "x = 1, y = 2".
func (b *Blown) Where(states []string) string {
	var out []string
	for i, n := range states {
		out = append(out, n+" = "+text.Short(b.State[i], 4))
	}
	return strings.Join(out, ", ")
}

// Run integrates the system for each of the draws of its parameters. Trajectories
// that blow up are in Result.Blown; a *[Lost] if none comes to the end. Once ctx is
// done they stop, with its error. Equal arguments give equal results whatever the
// number of threads.
func Run(ctx context.Context, m *Model, draws [][]float64, o Options) (*Result, error) {
	if err := o.check(m, draws); err != nil {
		return nil, err
	}
	r := &Result{Model: m, From: o.From, Times: o.Times, Draws: draws,
		Paths: make([][]float64, len(draws)), periods: make([][]float64, len(draws))}
	blown, stats := make([]*ode.BlowUp, len(draws)), make([]ode.Stats, len(draws))
	threads := o.Threads
	if threads <= 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	errs := make([]error, len(draws))
	var next, failed atomic.Int64
	var g errgroup.Group
	for range min(threads, len(draws)) {
		g.Go(func() error {
			w, err := newWorker(m, &o)
			for err == nil && failed.Load() == 0 {
				k := int(next.Add(1)) - 1
				if k >= len(draws) || ctx.Err() != nil {
					break
				}
				if r.Paths[k], blown[k], errs[k] = w.path(ctx, draws[k]); errs[k] != nil {
					failed.Store(1) // those before it are done or under way
				}
				r.periods[k] = w.periods
				stats[k] = w.solver.Stats()
			}
			return err
		})
	}
	if err := errors.Join(g.Wait(), ctx.Err()); err != nil {
		return nil, err
	}
	for k, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("draw %d: %w", k+1, err)
		}
	}
	return r, r.gather(blown, stats)
}

// gather adds up what the draws took and what ended early.
func (r *Result) gather(blown []*ode.BlowUp, stats []ode.Stats) error {
	var first Blown
	for k, b := range blown {
		r.Stats.Evaluations += stats[k].Evaluations
		r.Stats.Jacobians += stats[k].Jacobians
		r.Stats.Decompositions += stats[k].Decompositions
		r.Stats.Steps += stats[k].Steps
		r.Stats.Rejected += stats[k].Rejected
		if b == nil {
			continue
		}
		r.Blown = append(r.Blown, Blown{k, b})
		if first.BlowUp == nil || math.Abs(b.Time-r.From) < math.Abs(first.Time-r.From) {
			first = Blown{k, b}
		}
	}
	if len(r.Blown) == len(blown) {
		return &Lost{r.Model.States, len(blown), first}
	}
	return nil
}

// mostNumbers bounds the memory of a result: 1.6 GB.
const mostNumbers = 200_000_000

func (o *Options) check(m *Model, draws [][]float64) error {
	d := len(m.States)
	switch {
	case len(draws) == 0:
		return errors.New("simulate: no parameters: give at least one draw")
	case len(o.Times) == 0:
		return errors.New("simulate: no times: give at least one")
	case o.Start != nil && len(o.Start) != d:
		return fmt.Errorf("simulate: an initial state of %d numbers for %d states", len(o.Start), d)
	case len(draws)*d > mostNumbers/len(o.Times):
		return fmt.Errorf("simulate: %d draws of %d states at %d times do not fit into memory: take fewer points or draws", len(draws), d,
			len(o.Times))
	}
	return nil
}

// A worker simulates one draw after the other.
type worker struct {
	m       *Model
	o       *Options
	solver  *ode.Solver
	steps   steps     // of the last trajectory
	periods []float64 // of its states
}

func newWorker(m *Model, o *Options) (*worker, error) {
	w := &worker{m: m, o: o, steps: steps{dim: len(m.States)}}
	options := o.Solver
	options.Control, options.Events = 0, []ode.Event{{Name: "step", Zero: w.steps.note}}
	var err error
	w.solver, err = ode.NewSolver(len(m.States), options)
	return w, err
}

func (w *worker) path(ctx context.Context, x []float64) ([]float64, *ode.BlowUp, error) {
	y0 := w.m.Start(x, w.o.Start)
	for i, v := range y0 {
		if v-v != 0 {
			return nil, nil, fmt.Errorf("the initial value of %s is %g: give one", w.m.States[i], v)
		}
	}
	out, sys := make([]float64, len(w.o.Times)*len(y0)), w.m.System(x)
	w.steps.reset()
	err := w.solver.SolveContext(ctx, sys, w.o.From, y0, w.o.Times, out)
	w.periods = slices.Repeat([]float64{math.NaN()}, len(y0))
	if blown, ok := errors.AsType[*ode.BlowUp](err); ok {
		return out, blown, nil
	}
	if err == nil {
		w.steps.cut(w.o.Times[0])
		w.steps.periods(w.periods, &sys)
	}
	return out, nil, err
}

// Start returns the initial state for parameters x, with the numbers of given, as
// in [Options], that are not NaN.
func (m *Model) Start(x, given []float64) []float64 {
	y0 := make([]float64, len(m.States))
	m.Initial(y0, x)
	for i, v := range given {
		if v == v {
			y0[i] = v
		}
	}
	return y0
}

// Grid returns n times from a to b, both among them, evenly spaced.
func Grid(a, b float64, n int) []float64 {
	out := make([]float64, max(n, 2))
	last := len(out) - 1
	for k := range out {
		out[k] = a + (b-a)*float64(k)/float64(last)
	}
	out[last] = b
	return slices.Clip(out)
}
