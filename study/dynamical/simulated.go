package dynamical

import (
	"errors"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// simulatedStates is the potential of the paper's text, in which the states are
// not those observed: with the coefficients of every iteration the trajectory is
// simulated anew, and its basis functions Θ are compared with the observed
// derivatives. What stands for the gradient is ΘᵀΘB − ΘᵀẊ over the rows, with Θ
// as it is: the paper's, and no gradient of U, for Θ depends on B. Rows after the
// end of a trajectory that runs off are left out.
type simulatedStates struct {
	r        *ruler
	times    []float64
	observed [][]float64 // derivatives by state
	batch    int
}

// newSimulated returns the potential over minibatches of the data of a problem.
func newSimulated(r *ruler, p *dynamics.Problem) *simulatedStates {
	s := &simulatedStates{r: r, times: p.Time, batch: batchRows}
	for _, q := range p.Responses {
		s.observed = append(s.observed, q.Observed)
	}
	return s
}

// Dim is the number of coefficients.
func (s *simulatedStates) Dim() int { return len(s.r.v.parameters) }

// Evaluator returns an evaluator for blocks of r states.
func (s *simulatedStates) Evaluator(r int, streams *stream.Set) potential.Evaluator {
	n := len(s.observed)
	solver, err := ode.NewSolver(n, ode.Options{Steps: 50_000})
	e := &simulatedEvaluator{simulatedStates: s, r: r, err: err, rng: &streams.Of(0, stream.Batch).Rand, solver: solver, system: s.r.system.Parametric(), index: s.r.system.Index(),
		order: make([]int, len(s.times)), path: make([]float64, n*len(s.times)), x: make([]float64, s.Dim()), f: make([]float64, n)}
	e.p, e.jp = make([]float64, len(e.index)), make([]float64, n*len(e.index))
	e.bound = ode.System{Dim: n, F: func(dy []float64, t float64, y []float64) { e.system.Eval(dy, nil, nil, t, y, e.p) }}
	for i := range e.order {
		e.order[i] = i
	}
	return e
}

type simulatedEvaluator struct {
	*simulatedStates
	r      int
	err    error
	rng    *rand.Rand
	solver *ode.Solver
	system ode.Parametric
	bound  ode.System // with coefficients p
	index  []int
	order  []int
	path   []float64
	x, p   []float64
	f, jp  []float64
}

// Err is the first fault of a trajectory that is not its end.
func (e *simulatedEvaluator) Err() error { return e.err }

// Eval simulates every state's trajectory and compares it with the same rows.
func (e *simulatedEvaluator) Eval(energy, grad, x []float64) {
	clear(energy)
	clear(grad)
	for i := range e.batch {
		j := i + e.rng.IntN(len(e.order)-i)
		e.order[i], e.order[j] = e.order[j], e.order[i]
	}
	n, weight := len(e.observed), 1/float64(e.batch)
	for i := range e.r {
		for k, j := range e.index {
			e.p[k] = x[j*e.r+i]
		}
		var blown *ode.BlowUp
		if err := e.solver.Solve(e.bound, 0, e.simulatedStates.r.v.system.initial, e.times, e.path); err != nil && !errors.As(err, &blown) {
			e.err = err
		}
		for _, t := range e.order[:e.batch] {
			y := e.path[t*n : (t+1)*n]
			if y[0] != y[0] {
				continue // the trajectory has ended before
			}
			e.system.Eval(e.f, nil, e.jp, e.times[t], y, e.p)
			for c, f := range e.f {
				residual := f - e.observed[c][t]
				energy[i] += weight / 2 * residual * residual
				for k, j := range e.index {
					grad[j*e.r+i] += weight * residual * e.jp[c*len(e.index)+k]
				}
			}
		}
	}
}
