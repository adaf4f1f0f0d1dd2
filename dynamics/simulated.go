package dynamics

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// far is how many ranges of the data beyond them a simulated state may go.
const far = 10

// inexact says why draws of a problem with simulated states have no law.
const inexact = "states: simulated moves along a gradient that holds the simulated states fixed, which is not the gradient of U: " +
	"the draws follow no known law, and swaps compare energies of another field. Use states: observed or likelihood: trajectory for a " +
	"posterior."

// simulation is the potential of the derivatives about right-hand sides at states
// that are simulated with the parameters B,
//
//	U(B) = ½ Σ_responses weight·Σ_rows (f(X(B), B) − dX)²/SD²,
//
// X(B) being the trajectory from the first row of the data. Its gradient holds
// X(B) fixed. A trajectory that leaves the data by ten of their ranges, or cannot
// be integrated on, stays where it left: U is that of the stopped trajectory,
// large, finite and with a slope that leads back.
type simulation struct {
	system    *System
	parts     []simulatedPart
	times     []float64 // of all rows
	from      float64
	start     []float64
	mid, room []float64 // by state: middle of the data and how far it may be from it
	options   ode.Options
	dim       int
	batch     int
}

// simulatedPart is what one response adds.
type simulatedPart struct {
	state    int
	observed []float64 // by row; NaN where there is none
	weight   []float64 // by row, 1/(noise·SD)²
}

// simulated is the likelihood of slopes at simulated states. The estimate, the noise, the
// mode and the whitening are those of the slopes at observed states.
type simulated struct {
	*slopes
	states *simulation
}

// simulateStates makes the posterior of slopes at simulated states.
func (p *Problem) simulateStates(s *Series) error {
	observed, err := p.slopes(s)
	if err != nil {
		return err
	}
	likelihood, whole, err := p.fromSimulated()
	if err != nil {
		return err
	}
	p.Likelihood, p.Linear, p.Inexact = &simulated{observed, whole}, false, inexact
	if p.Potential, err = p.Prior.Add(likelihood); err != nil {
		return err
	}
	if p.Whole, err = p.Prior.Add(whole); err != nil {
		return err
	}
	p.Warnings = append(p.Warnings, inexact)
	return nil
}

// Fitted is that of [Likelihood].
func (l *simulated) Fitted(c int, rows []int) func(dst, x []float64) {
	return picked(len(l.Responses[c].Observed), rows, l.states.fitted(c))
}

// LogDensity is that of [Likelihood].
func (l *simulated) LogDensity(data []int) func(dst, x []float64) bool {
	along := *l.slopes
	along.fitted = l.Fitted
	return along.LogDensity(data)
}

// fromSimulated makes the likelihood with simulated states, with minibatches and
// without.
func (p *Problem) fromSimulated() (likelihood, whole *simulation, err error) {
	system, err := p.System()
	if err != nil {
		return nil, nil, err
	}
	d := len(p.model.States)
	u := &simulation{system: system, times: p.Time, from: p.series.Time[0], start: make([]float64, d), dim: len(p.Parameters),
		options: p.model.Solver}
	p.Initial(u.start, p.Estimate)
	u.mid, u.room = make([]float64, d), make([]float64, d)
	for k, name := range p.model.States {
		_, _, v := p.series.existing(p.series.Values[name])
		lo, hi := slices.Min(v), slices.Max(v)
		u.mid[k], u.room[k] = (lo+hi)/2, (hi-lo)/2+far*math.Max(hi-lo, 1e-3*math.Max(math.Abs(lo), math.Abs(hi)))
	}
	u.options.Events = []ode.Event{{Name: "left the data", Direction: 1, Stop: true, Zero: u.outside}}
	for c, r := range p.Responses {
		part := simulatedPart{slices.Index(p.model.States, r.State), nans(len(p.Time)), make([]float64, len(p.Time))}
		weight := 1 / float64(len(r.Observed))
		if p.Noise != nil {
			weight = 1 / (p.Noise[c] * p.Noise[c])
		}
		sd := unitOr(r.SD, len(r.Observed))
		for t, y := range r.Observed {
			row, _ := slices.BinarySearch(p.Time, r.Time[t])
			part.observed[row], part.weight[row] = y, weight/(sd[t]*sd[t])
		}
		u.parts = append(u.parts, part)
	}
	if _, err := ode.NewSolver(d, u.options); err != nil {
		return nil, nil, &ModelError{[]string{"model", "solver"}, -1, err}
	}
	minibatch := *u
	if minibatch.batch = p.model.Batch; minibatch.batch >= len(p.Time) {
		minibatch.batch = 0
	}
	return &minibatch, u, nil
}

// outside is positive where a state is too far from the data.
func (u *simulation) outside(_ float64, y []float64) float64 {
	most := math.Inf(-1)
	for k, v := range y {
		most = math.Max(most, math.Abs(v-u.mid[k])/u.room[k]-1)
	}
	return most
}

// fitted returns what writes the prediction of a response's equation along the trajectory.
func (u *simulation) fitted(c int) func(dst, x []float64) {
	return func(dst, x []float64) {
		e := u.evaluator(1)
		copy(e.point, x)
		e.simulate()
		part, t := u.parts[c], 0
		for row, y := range part.observed {
			if !math.IsNaN(y) {
				e.rightHand(row, false)
				dst[t] = e.value[part.state]
				t++
			}
		}
	}
}

// Dim is the number of parameters.
func (u *simulation) Dim() int { return u.dim }

// EnergyNoise is unknown with minibatches, and 0 without.
func (u *simulation) EnergyNoise() float64 {
	if u.batch > 0 {
		return math.NaN()
	}
	return 0
}

// Exact compares with all rows.
func (u *simulation) Exact() (potential.Potential, bool) {
	whole := *u
	whole.batch = 0
	return &whole, u.batch > 0
}

// Evaluator returns an evaluator for blocks of r states.
func (u *simulation) Evaluator(r int, s *stream.Set) potential.Evaluator {
	e := u.evaluator(r)
	if u.batch > 0 {
		e.rng, e.picked = &s.Of(0, stream.Batch).Rand, seq(u.batch)
		e.rows = e.order[:u.batch]
	}
	return e
}

func (u *simulation) evaluator(r int) *simulatedEvaluator {
	d, n := len(u.start), len(u.times)
	e := &simulatedEvaluator{simulation: u, r: r, point: make([]float64, u.dim), parameters: make([]float64, len(u.system.index)),
		states: make([]float64, n*d), value: make([]float64, d), slope: make([]float64, d*len(u.system.index)),
		right: u.system.Parametric(), order: seq(n)}
	e.rows = e.order
	e.solver, _ = ode.NewSolver(d, u.options) // its options have been checked
	e.bound = ode.System{Dim: d, F: func(dy []float64, t float64, y []float64) { e.right.Eval(dy, nil, nil, t, y, e.parameters) }}
	return e
}

type simulatedEvaluator struct {
	*simulation
	r                 int
	solver            *ode.Solver
	right             ode.Parametric
	bound             ode.System // right at parameters
	point, parameters []float64
	states            []float64 // of the trajectory, row by row
	value, slope      []float64 // of the right-hand sides at a row
	rng               *rand.Rand
	order, picked     []int
	rows              []int // of the minibatch
}

// simulate makes the trajectory at e.point.
func (e *simulatedEvaluator) simulate() {
	for k, j := range e.system.index {
		e.parameters[k] = e.point[j]
	}
	last := e.start
	err := e.solver.Solve(e.bound, e.from, e.start, e.times, e.states)
	if found, stopped := e.solver.Events(); stopped {
		last = found[len(found)-1].Y
	} else if up, ok := errors.AsType[*ode.BlowUp](err); ok && finite(up.State) {
		last = up.State
	}
	d := len(e.start)
	for t := 0; t < len(e.states); t += d {
		if math.IsNaN(e.states[t]) {
			copy(e.states[t:t+d], last)
		}
	}
}

// rightHand evaluates the right-hand sides at a row of the trajectory, and their
// derivatives by the parameters.
func (e *simulatedEvaluator) rightHand(row int, slopes bool) {
	d := len(e.start)
	var slope []float64
	if slopes {
		slope = e.slope
	}
	e.right.Eval(e.value, nil, slope, e.times[row], e.states[row*d:(row+1)*d], e.parameters)
}

// draw draws the rows of a minibatch without replacement: the first steps of a
// Fisher–Yates shuffle, undone before the next, so that the random stream is all
// that it remembers.
func (e *simulatedEvaluator) draw() {
	for i := len(e.picked) - 1; i >= 0; i-- {
		j := e.picked[i]
		e.order[i], e.order[j] = e.order[j], e.order[i]
	}
	for i := range e.picked {
		j := i + e.rng.IntN(len(e.order)-i)
		e.picked[i] = j
		e.order[i], e.order[j] = e.order[j], e.order[i]
	}
}

// Eval writes energies of a block of states and their gradients at fixed
// trajectories.
func (e *simulatedEvaluator) Eval(energy, grad, x []float64) {
	if e.rng != nil {
		e.draw()
	}
	clear(grad)
	n := len(e.system.index)
	share := float64(len(e.times)) / float64(len(e.rows))
	for i := range e.r {
		for j := range e.point {
			e.point[j] = x[j*e.r+i]
		}
		e.simulate()
		sum := 0.0
		for _, row := range e.rows {
			e.rightHand(row, true)
			for c := range e.parts {
				part := &e.parts[c]
				residual := e.value[part.state] - part.observed[row]
				if part.weight[row] == 0 {
					continue
				}
				weighted := share * part.weight[row] * residual
				sum += weighted * residual / 2
				for k, j := range e.system.index {
					grad[j*e.r+i] += weighted * e.slope[part.state*n+k]
				}
			}
		}
		energy[i] = sum
	}
}

// checkSimulated says what a model with simulated states must not have.
func (m *Model) checkSimulated(f *faults) {
	if !m.Simulated {
		return
	}
	if m.Likelihood != "" && m.Likelihood != "derivative" {
		f.add(-1, fmt.Errorf("states: simulated belongs to likelihood: derivative, not %s", m.Likelihood), "states")
	}
}
