package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/ode"
)

// A System is the right-hand sides of a model, one for each state, as functions
// of time, states and free parameters. It is immutable and may be used by several
// goroutines.
type System struct {
	states   []string
	index    []int     // the parameters among those of the problem
	fixed    []float64 // values of the last variables
	times    int       // variables that are the time
	compiled *expression.System
	// adjoint is the products of weights, which are variables after the times, and the
	// Jacobians by states and parameters.
	adjoint func() *expression.System
}

// System returns the right-hand sides of all states; fixed parameters are bound.
// Its error is a [*ModelError] if a state of the data has no equation.
func (p *Problem) System() (*System, error) {
	s := &System{states: slices.Clone(p.model.States)}
	src, paths, names, err := p.rightHandSides()
	if err != nil {
		return nil, err
	}
	var parameters, fixed []string
	for _, q := range names.order {
		full := names.full[q]
		if v, ok := p.model.fixed(full); ok {
			fixed, s.fixed = append(fixed, q), append(s.fixed, v)
			continue
		}
		parameters, s.index = append(parameters, q), append(s.index, slices.Index(p.Parameters, full))
	}
	times := p.model.times()
	s.times = len(times)
	s.compiled, err = expression.CompileSystem(src, slices.Concat(s.states, parameters, times, fixed), s.states, parameters)
	if err != nil {
		if e, ok := errors.AsType[*expression.SystemError](err); ok {
			return nil, &ModelError{paths[e.Formula], offsetOf(err), e.Err}
		}
		return nil, err
	}
	s.adjoint = sync.OnceValue(func() *expression.System {
		weights := make([]string, len(src))
		for i := range weights {
			weights[i] = "_" + strconv.Itoa(i) + "_" // no name that a model can have
		}
		variables := slices.Concat(s.states, parameters, times, weights, fixed)
		c, _ := expression.CompilePull(src, weights, variables, s.states, parameters) // they compiled before
		return c
	})
	return s, nil
}

// symbols are the parameters in the text of right-hand sides: names in the text,
// which stand for full names.
type symbols struct {
	order []string
	full  map[string]string
}

func (s *symbols) add(name, full string) {
	if _, ok := s.full[name]; !ok {
		s.order, s.full[name] = append(s.order, name), full
	}
}

// rightHandSides writes the right-hand side of each state, in the order of the
// states, and where in the configuration it is from.
func (p *Problem) rightHandSides() (src []string, paths [][]string, names *symbols, err error) {
	names = &symbols{full: map[string]string{}}
	for i, state := range p.model.States {
		at := slices.IndexFunc(p.equations, func(e equation) bool { return e.state == state })
		if at < 0 {
			return nil, nil, nil, &ModelError{[]string{"model", "equations"}, -1, fmt.Errorf(
				"no equation for %q: trajectories need one for every state of the data", state)}
		}
		e := &p.equations[at]
		if e.terms == nil {
			used, err := expression.Names(e.text)
			if err != nil {
				return nil, nil, nil, &ModelError{[]string{"model", "equations", state}, offsetOf(err), err}
			}
			for _, name := range used {
				if !slices.Contains(p.model.States, name) && !slices.Contains(p.model.times(), name) {
					names.add(name, name)
				}
			}
			src, paths = append(src, e.text), append(paths, []string{"model", "equations", state})
			continue
		}
		src, paths = append(src, p.sum(e, i, names)), append(paths, []string{"model", "library"})
	}
	return src, paths, names, nil
}

// sum writes the combination of a library's terms that the model has.
func (p *Problem) sum(e *equation, state int, names *symbols) string {
	text := ""
	for k, t := range e.terms {
		v, fixed := p.model.fixed(t.parameter)
		if fixed && v == 0 || !fixed && !slices.Contains(p.Parameters, t.parameter) {
			continue
		}
		name := "_" + strconv.Itoa(state) + "_" + strconv.Itoa(k) + "_"
		names.add(name, t.parameter)
		if text != "" {
			text += " + "
		}
		text += name + "*(" + t.text + ")"
	}
	if text == "" {
		return "0"
	}
	return text
}

// States returns the names of the states, in the order of y.
func (s *System) States() []string { return slices.Clone(s.states) }

// Index returns, for each parameter of the right-hand sides, its place in
// [Problem.Parameters].
func (s *System) Index() []int { return slices.Clone(s.index) }

// evaluator returns an evaluator whose fixed parameters are set.
func (s *System) evaluator() *expression.SystemEvaluator {
	e := s.compiled.Evaluator()
	copy(e.Input[len(e.Input)-len(s.fixed):], s.fixed)
	return e
}

// setTime writes t into an evaluator's input.
func (s *System) setTime(e *expression.SystemEvaluator, t float64) {
	at := len(s.states) + len(s.index)
	for k := range s.times {
		e.Input[at+k] = t
	}
}

// Parametric returns the system with its parameters free: p has the entries of
// Index. Each call returns a workspace of its own, for one goroutine.
func (s *System) Parametric() ode.Parametric {
	e := s.evaluator()
	d, n := len(s.states), len(s.index)
	return ode.Parametric{Dim: d, Parameters: n, Block: s.block, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		move(e.Input[:d], y)
		move(e.Input[d:d+n], p)
		s.setTime(e, t)
		if jy == nil && jp == nil {
			e.Values()
		} else {
			e.Jacobians()
			if jy != nil {
				move(jy, e.Jacobian[0])
			}
			if jp != nil {
				move(jp, e.Jacobian[1])
			}
		}
		move(f, e.Value)
	}}
}

// A systemBlock is a system at n lanes: what is said to be at j is at j*n+i for lane i.
type systemBlock struct {
	s               *System
	n               int
	values, adjoint *expression.SystemEvaluator
}

func (s *System) block(n int) ode.Block {
	b := &systemBlock{s, n, s.compiled.Block(n), s.adjoint().Block(n)}
	for _, e := range []*expression.SystemEvaluator{b.values, b.adjoint} {
		fixed := e.Input[len(e.Input)-n*len(s.fixed):]
		for i := range fixed {
			fixed[i] = s.fixed[i/n]
		}
	}
	return b
}

// Set is that of [ode.Block].
func (b *systemBlock) Set(p []float64) {
	copy(b.values.Input[len(b.s.states)*b.n:], p)
	copy(b.adjoint.Input[len(b.s.states)*b.n:], p)
}

// Values is that of [ode.Block].
func (b *systemBlock) Values(f, t, y []float64) {
	b.at(b.values.Input, t, y)
	b.values.Values()
	copy(f, b.values.Value)
}

// Pull is that of [ode.Block].
func (b *systemBlock) Pull(gy, gp, t, y, w []float64) {
	in := b.adjoint.Input
	copy(b.at(in, t, y), w)
	b.adjoint.Jacobians()
	copy(gy, b.adjoint.Jacobian[0])
	vector.Add(gp, gp, b.adjoint.Jacobian[1])
}

// at writes states and times into an input, and returns what follows them.
func (b *systemBlock) at(in, t, y []float64) (rest []float64) {
	copy(in, y)
	in = in[len(y)+b.n*len(b.s.index):]
	for range b.s.times {
		copy(in, t)
		in = in[b.n:]
	}
	return in
}

// move is copy, quicker for a few numbers.
func move(dst, src []float64) {
	if len(dst) > 16 {
		copy(dst, src)
		return
	}
	src = src[:len(dst)]
	for i := range dst {
		dst[i] = src[i]
	}
}

// At returns the system at parameters x, a vector of [Problem.Parameters], with
// a workspace of its own, for one goroutine.
func (s *System) At(x []float64) ode.System {
	e := s.evaluator()
	d := len(s.states)
	for k, j := range s.index {
		e.Input[d+k] = x[j]
	}
	return ode.System{Dim: d,
		F: func(dy []float64, t float64, y []float64) {
			copy(e.Input[:d], y)
			s.setTime(e, t)
			e.Values()
			copy(dy, e.Value)
		},
		Jacobian: func(j []float64, t float64, y []float64) {
			copy(e.Input[:d], y)
			s.setTime(e, t)
			e.Jacobians()
			copy(j, e.Jacobian[0])
		}}
}

// Initial writes the state at the first time of the data into dst (one entry per
// state of the data): the initial values among the parameters x of a trajectory
// model or fixed there, else the first observed value of each state.
func (p *Problem) Initial(dst, x []float64) {
	for i, state := range p.model.States {
		if j := slices.Index(p.Parameters, state+initialSuffix); j >= 0 && p.model.Likelihood == "trajectory" {
			dst[i] = x[j]
			continue
		}
		if v, ok := p.model.fixed(state + initialSuffix); ok {
			dst[i] = v
			continue
		}
		dst[i] = math.NaN()
		if k := slices.IndexFunc(p.series.Values[state], func(v float64) bool { return v == v }); k >= 0 {
			dst[i] = p.series.Values[state][k]
		}
	}
}

// InitialTime is the time that [Problem.Initial] is of: the first of the data.
func (p *Problem) InitialTime() float64 { return p.series.Time[0] }

// States returns the names of all states: those of the data in the order of the
// configuration, then those that a trajectory carries along.
func (p *Problem) States() []string { return slices.Clone(p.model.States) }

// Trajectory reports whether the likelihood is that of the data about a trajectory.
func (p *Problem) Trajectory() bool { return p.model.Likelihood == "trajectory" }
