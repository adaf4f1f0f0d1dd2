// Package bnntest is an engine of small networks in memory, in float64 and with exact
// gradients: for tests and examples of what stands on a [bnn.Engine], where there is no
// libtorch.
package bnntest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// An Engine holds replicas of a multilayer perceptron with at most one hidden layer.
// Norm batch centres the inputs, by their mean over a minibatch in training and by a
// running mean, the buffers, in evaluation.
type Engine struct {
	setup    bnn.Setup
	in, hid  int // widths; hid is 0 without hidden layer
	out      int
	layout   bnn.Layout
	held     []bool // per parameter, whether walls hold it back
	replicas []bnn.State
	sets     map[int]*set
	// Fail makes every call fail with it from then on, if it is not nil.
	Fail error
}

var _ bnn.Engine = (*Engine)(nil)

// set is a loaded set of examples.
type set struct {
	*images.Set
	x []float64 // n × in
}

// Open returns an engine. First weights are uniform in ±1/sqrt(inputs of the layer),
// biases 0.
func Open(s bnn.Setup) (*Engine, error) {
	n := s.Network
	if n.Kind != "mlp" || len(n.Hidden) > 1 {
		return nil, fmt.Errorf("network %s with %d hidden layers: the engine in memory has mlp with at most one", n.Kind, len(n.Hidden))
	}
	if s.Replicas < 1 || n.Outputs < 1 || n.Input[0]*n.Input[1]*n.Input[2] < 1 {
		return nil, fmt.Errorf("%d replicas of a network from %v to %d numbers: each must be at least 1", s.Replicas, n.Input, n.Outputs)
	}
	e := &Engine{setup: s, in: n.Input[0] * n.Input[1] * n.Input[2], out: n.Outputs, sets: map[int]*set{}}
	if len(n.Hidden) == 1 {
		e.hid = n.Hidden[0]
		e.linear("hidden", e.in, e.hid)
		e.linear("output", e.hid, e.out)
	} else {
		e.linear("output", e.in, e.out)
	}
	if n.Norm == "batch" {
		e.layout.Buffers = []bnn.Tensor{{Name: "input.running_mean", Role: bnn.Shift, Shape: []int{e.in}, Size: e.in}}
	}
	for i := range s.Replicas {
		e.replicas = append(e.replicas, e.first(i))
	}
	return e, nil
}

// linear adds the parameters of a layer: weights out × in, then biases.
func (e *Engine) linear(name string, in, out int) {
	for _, t := range []bnn.Tensor{
		{Name: name + ".weight", Role: bnn.Weight, Shape: []int{out, in}, Size: in * out},
		{Name: name + ".bias", Role: bnn.Bias, Shape: []int{out}, Size: out},
	} {
		t.Offset = e.layout.Size()
		e.layout.Parameters = append(e.layout.Parameters, t)
		held := e.setup.Reflect == nil || slices.Contains(e.setup.Reflect, t.Role)
		e.held = append(e.held, slices.Repeat([]bool{held}, t.Size)...)
	}
}

// first is the state that a replica begins with.
func (e *Engine) first(replica int) bnn.State {
	d := e.layout.Size()
	s := bnn.State{Parameters: make([]float64, d), Momenta: make([]float64, d), Gradient: make([]float64, d),
		Buffers: make([]float64, e.layout.BufferSize())}
	rng := e.noise(replica, math.MaxUint64)
	for _, t := range e.layout.Parameters {
		if t.Role != bnn.Weight {
			continue
		}
		bound := 1 / math.Sqrt(float64(t.Shape[1]))
		for i := t.Offset; i < t.Offset+t.Size; i++ {
			s.Parameters[i] = bound * (2*rng.Float64() - 1)
		}
	}
	return s
}

// noise is the chance of a replica in a step.
func (e *Engine) noise(replica int, step uint64) *rand.Rand {
	return rand.New(rand.NewPCG(e.setup.Seed^uint64(e.setup.Number(replica)+1)*0x9e3779b97f4a7c15, step))
}

// Layout says where the numbers of the network lie.
func (e *Engine) Layout() bnn.Layout { return e.layout }

// Replicas is the number of replicas.
func (e *Engine) Replicas() int { return len(e.replicas) }

// Load hands over a set of examples.
func (e *Engine) Load(number int, s *images.Set, mean, sd []float64) error {
	if e.Fail != nil {
		return e.Fail
	}
	each := s.Channels * s.Height * s.Width
	if each != e.in {
		return fmt.Errorf("%s: examples of %d numbers, the network takes %d", s.Name, each, e.in)
	}
	loaded := &set{Set: s, x: make([]float64, s.Len()*each)}
	plane := s.Height * s.Width
	for i := range loaded.x {
		if s.Values != nil {
			loaded.x[i] = float64(s.Values[i])
			continue
		}
		c := i % each / plane
		loaded.x[i] = (float64(s.Pixels[i])/255 - mean[c]) / sd[c]
	}
	e.sets[number] = loaded
	return nil
}

// Start evaluates every replica where it stands.
func (e *Engine) Start(b bnn.Batch) ([]bnn.Outcome, error) {
	if e.Fail != nil {
		return nil, e.Fail
	}
	out := make([]bnn.Outcome, len(e.replicas))
	for i := range out {
		if err := e.evaluate(i, b, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// evaluate stores the gradient of a replica on a minibatch.
func (e *Engine) evaluate(i int, b bnn.Batch, o *bnn.Outcome) (err error) {
	s := &e.replicas[i]
	if o.Loss, err = e.loss(s, b, s.Gradient); err != nil {
		return err
	}
	if len(s.Buffers) > 0 {
		for j, m := range e.center(e.sets[b.Set], b.Indices) {
			s.Buffers[j] += 0.1 * (m - s.Buffers[j])
		}
	}
	o.Square = 0
	for _, x := range s.Parameters {
		o.Square += x * x
	}
	return nil
}

// Advance moves every replica and evaluates it.
func (e *Engine) Advance(moves []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	if e.Fail != nil {
		return nil, e.Fail
	}
	if len(moves) != len(e.replicas) {
		return nil, fmt.Errorf("%d moves for %d replicas", len(moves), len(e.replicas))
	}
	out := make([]bnn.Outcome, len(e.replicas))
	for i, m := range moves {
		s := &e.replicas[i]
		rng := e.noise(i, s.Step)
		s.Step++
		for j := range s.Parameters {
			g := m.Weight*s.Gradient[j] + m.Decay*s.Parameters[j]
			v := m.Scale*s.Momenta[j] + m.Lean*g
			v = m.Momentum*v - m.StepSize*g
			if m.Noise != 0 {
				v += m.Noise * rng.NormFloat64()
			}
			x := s.Parameters[j] + v
			if e.held[j] && (x > m.Bound || x < -m.Bound) {
				x, v = fold(x, v, m)
				out[i].Reflected++
			}
			s.Parameters[j], s.Momenta[j] = x, v
		}
		if err := e.evaluate(i, b, &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// fold mirrors x at the walls until it is inside, and turns v each time.
func fold(x, v float64, m bnn.Move) (float64, float64) {
	b := m.Bound
	if m.AsReleased {
		return math.Copysign(2*b, x) - x, v
	}
	y := math.Mod(x+b, 4*b) // the walls are at 0 and 2b, the picture repeats after 4b
	if y < 0 {
		y += 4 * b
	}
	if y > 2*b {
		return 3*b - y, -v
	}
	return y - b, v
}

// Losses returns mean losses and changes nothing.
func (e *Engine) Losses(b bnn.Batch) ([]float64, error) {
	losses := make([]float64, len(e.replicas))
	for i := range losses {
		var err error
		if losses[i], _, err = e.Gradient(i, b); err != nil {
			return nil, err
		}
	}
	return losses, nil
}

// Gradient returns the mean loss and its gradient and changes nothing.
func (e *Engine) Gradient(replica int, b bnn.Batch) (float64, []float64, error) {
	if e.Fail != nil {
		return 0, nil, e.Fail
	}
	g := make([]float64, e.layout.Size())
	loss, err := e.loss(&e.replicas[replica], b, g)
	return loss, g, err
}

// Predict returns the outputs for a whole set.
func (e *Engine) Predict(replica, number int) ([]float32, error) {
	if e.Fail != nil {
		return nil, e.Fail
	}
	s, found := e.sets[number]
	if !found {
		return nil, fmt.Errorf("set %d was not loaded", number)
	}
	center := make([]float64, e.in)
	copy(center, e.replicas[replica].Buffers)
	n := s.Len()
	out := make([]float32, 0, n*e.out)
	w := e.workspace()
	for i := range n {
		e.forward(e.replicas[replica].Parameters, s.x[i*e.in:(i+1)*e.in], center, w)
		for _, y := range w.y {
			out = append(out, float32(y))
		}
	}
	return out, nil
}

// Recompute sets the buffers of a replica to the means over the batches.
func (e *Engine) Recompute(replica int, batches []bnn.Batch) error {
	if e.Fail != nil {
		return e.Fail
	}
	s := &e.replicas[replica]
	clear(s.Buffers)
	for _, b := range batches {
		for j, m := range e.center(e.sets[b.Set], b.Indices) {
			if j < len(s.Buffers) {
				s.Buffers[j] += m / float64(len(batches))
			}
		}
	}
	return nil
}

// State returns a copy of the state of a replica.
func (e *Engine) State(replica int) (*bnn.State, error) {
	if e.Fail != nil {
		return nil, e.Fail
	}
	return clone(&e.replicas[replica]), nil
}

// SetState sets a replica to a state.
func (e *Engine) SetState(replica int, s *bnn.State) error {
	if e.Fail != nil {
		return e.Fail
	}
	if d := e.layout.Size(); len(s.Parameters) != d || len(s.Momenta) != d || len(s.Gradient) != d || len(s.Buffers) != e.layout.BufferSize() {
		return errors.New("a state of another network")
	}
	e.replicas[replica] = *clone(s)
	return nil
}

func clone(s *bnn.State) *bnn.State {
	return &bnn.State{Parameters: slices.Clone(s.Parameters), Momenta: slices.Clone(s.Momenta), Gradient: slices.Clone(s.Gradient),
		Buffers: slices.Clone(s.Buffers), Step: s.Step}
}

// Usage is not measured.
func (e *Engine) Usage() (bnn.Usage, error) { return bnn.Usage{}, e.Fail }

// Close ends the engine.
func (e *Engine) Close() error { return nil }
