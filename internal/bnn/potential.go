package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// posterior is the potential of a network on a set of examples.
type posterior struct {
	open     func(replicas int) (Engine, error)
	data     Data
	decay    float64
	examples []int32
	layout   Layout
}

// NewPotential returns what the posterior of a network on all of data.Train is made of,
// without minibatches,
//
//	U(θ) = Σ_j loss_j(θ) + ½λ|θ|²,  λ = decay ≥ 0,
//
// for HMC, ladders and diagnostics of small networks. Coordinates are those of the
// layout. open makes an engine of so many replicas, best of precision float64; each
// evaluator has one, and closes it. A network with buffers has no posterior and is
// refused. If an engine fails, Eval writes NaN, and Err of package potential says why.
// Eval allocates what the engine's calls allocate.
func NewPotential(open func(replicas int) (Engine, error), data Data, decay float64) (potential.Potential, error) {
	if data.Train == nil || data.Train.Len() == 0 {
		return nil, errors.New("there are no training examples")
	}
	if !(decay >= 0) || math.IsInf(decay, 1) {
		return nil, fmt.Errorf("weight decay %g must be finite and not negative", decay)
	}
	e, err := open(1)
	if err != nil {
		return nil, err
	}
	p := &posterior{open: open, data: data, decay: decay, layout: e.Layout(), examples: newDeck(data.Train.Len(), 1, false).cards}
	if err := e.Close(); err != nil {
		return nil, err
	}
	if p.layout.BufferSize() > 0 {
		return nil, errors.New("batch norm makes the likelihood of an example depend on the others: such a network has no posterior (use " +
			"norm: frn or none)")
	}
	return p, nil
}

// Dim is the number of parameters.
func (p *posterior) Dim() int { return p.layout.Size() }

// Evaluator opens an engine of r replicas.
func (p *posterior) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	d := p.Dim()
	e := &posteriorEvaluator{posterior: p, state: State{Parameters: make([]float64, d), Momenta: make([]float64, d),
		Gradient: make([]float64, d)}}
	if e.engine, e.err = p.open(r); e.err == nil {
		mean, sd := p.data.Mean, p.data.SD
		if mean == nil {
			mean = make([]float64, p.data.Train.Channels)
		}
		if sd == nil {
			sd = slices.Repeat([]float64{1}, p.data.Train.Channels)
		}
		e.err = e.engine.Load(trainSet, p.data.Train, mean, sd)
	}
	return e
}

type posteriorEvaluator struct {
	*posterior
	engine Engine
	state  State // of one replica
	err    error
}

// part is how many examples are evaluated at once, for the sake of memory.
const part = 2048

// Eval evaluates all states.
func (e *posteriorEvaluator) Eval(energy, grad, x []float64) {
	if e.err == nil {
		e.err = e.eval(energy, grad, x)
	}
	if e.err != nil {
		for _, s := range [][]float64{energy, grad} {
			for i := range s {
				s[i] = math.NaN()
			}
		}
	}
}

func (e *posteriorEvaluator) eval(energy, grad, x []float64) error {
	r := len(energy)
	if n := e.engine.Replicas(); n != r {
		return fmt.Errorf("the engine has %d replicas, not the %d that were asked for", n, r)
	}
	for i := range r {
		for j := range e.state.Parameters {
			e.state.Parameters[j] = x[j*r+i]
		}
		if err := e.engine.SetState(i, &e.state); err != nil {
			return err
		}
	}
	clear(energy)
	for j, v := range x {
		energy[j%r] += e.decay * v * v / 2
		grad[j] = e.decay * v
	}
	for from := 0; from < len(e.examples); from += part {
		batch := e.examples[from:min(from+part, len(e.examples))]
		if err := e.add(energy, grad, batch); err != nil {
			return err
		}
	}
	return nil
}

// add adds losses and gradients on some examples.
func (e *posteriorEvaluator) add(energy, grad []float64, examples []int32) error {
	out, err := e.engine.Start(Batch{Set: trainSet, Indices: examples}) // all replicas at once
	if err != nil {
		return err
	}
	n, r := float64(len(examples)), len(energy)
	for i, o := range out {
		s, err := e.engine.State(i)
		if err != nil {
			return err
		}
		energy[i] += n * o.Loss
		for j, g := range s.Gradient {
			grad[j*r+i] += n * g
		}
	}
	return nil
}

// Err is the engine's failure.
func (e *posteriorEvaluator) Err() error { return e.err }

// Close closes the engine.
func (e *posteriorEvaluator) Close() error {
	if e.engine == nil {
		return nil
	}
	return e.engine.Close()
}
