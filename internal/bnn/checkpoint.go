package bnn

import (
	"bytes"
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
)

// A Checkpoint is the whole state of a training between two iterations. Going on from
// it gives the bytes of a training that was never interrupted. It may be used more
// than once.
type Checkpoint struct {
	Epoch     int     // epochs that are complete
	Iteration int     // iterations done
	Epochs    []Epoch // records of the complete epochs
	held      held
}

// held is what a checkpoint holds, in the order of its bytes.
type held struct {
	Steps    int // of an epoch
	Place    place
	Averages [][]byte // over the sets, of classes
	Replicas []State
	Exchange []byte // nil where nobody trades
}

var (
	_ encoding.BinaryAppender    = (*Checkpoint)(nil)
	_ encoding.BinaryUnmarshaler = (*Checkpoint)(nil)
)

// checkpointMagic begins the bytes of a checkpoint and tells their version.
const checkpointMagic = "r2sgld bnn 4\n"

// AppendBinary appends the checkpoint.
func (c *Checkpoint) AppendBinary(b []byte) ([]byte, error) {
	return appendValue(append(b, checkpointMagic...), reflect.ValueOf(c.held)), nil
}

// UnmarshalBinary reads a checkpoint and says what is wrong with one that is not whole.
// After an error c is as before.
func (c *Checkpoint) UnmarshalBinary(b []byte) error {
	rest, found := bytes.CutPrefix(b, []byte(checkpointMagic))
	if !found {
		return errors.New("no checkpoint of a training of this version")
	}
	r := &reader{b: rest}
	var h held
	r.value(reflect.ValueOf(&h).Elem())
	if r.err == nil && len(r.b) > 0 {
		r.err = fmt.Errorf("%d bytes too many", len(r.b))
	}
	if r.err == nil && (h.Steps < 1 || h.Place.Iteration < 0) {
		r.err = fmt.Errorf("iteration %d of epochs of %d", h.Place.Iteration, h.Steps)
	}
	if r.err != nil {
		return fmt.Errorf("checkpoint of a training: %w", r.err)
	}
	*c = newCheckpoint(h)
	return nil
}

func newCheckpoint(h held) Checkpoint {
	return Checkpoint{Epoch: h.Place.Iteration / h.Steps, Iteration: h.Place.Iteration, Epochs: h.Place.Epochs, held: h}
}

// clone returns a copy that later iterations leave alone. What only ever grows is
// shared, clipped so that whoever goes on from it grows elsewhere.
func (p *place) clone() place {
	c := *p
	c.Rung, c.Momenta, c.Cards = slices.Clone(p.Rung), slices.Clone(p.Momenta), slices.Clone(p.Cards)
	c.Loss, c.Met = slices.Clone(p.Loss), slices.Clone(p.Met)
	c.Average.Sums = slices.Clone(p.Average.Sums)
	c.SWAG.Mean, c.SWAG.Square, c.SWAG.Columns = slices.Clone(p.SWAG.Mean), slices.Clone(p.SWAG.Square), slices.Clone(p.SWAG.Columns)
	c.Index.Iteration, c.Index.Rung = slices.Clip(p.Index.Iteration), slices.Clip(p.Index.Rung)
	c.Epochs = slices.Clip(p.Epochs)
	return c
}

// checkpoint returns the state after the last iteration.
func (t *training) checkpoint() (*Checkpoint, error) {
	if t.last != nil && t.last.Iteration == t.Iteration {
		return t.last, nil
	}
	t.Cards, t.Next = t.deck.cards, t.deck.next
	h := held{Steps: t.steps, Place: t.place.clone(), Replicas: make([]State, len(t.Rung))}
	for i := range h.Replicas {
		s, err := t.engine.State(i)
		if err != nil {
			return nil, fmt.Errorf("state of replica %d: %w", i+1, err)
		}
		h.Replicas[i] = *s
	}
	var err error
	if h.Averages, err = t.Average.saved(); err != nil {
		return nil, err
	}
	if t.exchange != nil {
		if h.Exchange, err = t.exchange.AppendBinary(nil); err != nil {
			return nil, err
		}
	}
	c := newCheckpoint(h)
	t.last = &c
	return t.last, nil
}

// save gives Save the state after the last iteration.
func (t *training) save() error {
	if t.obs.Save == nil {
		return nil
	}
	c, err := t.checkpoint()
	if err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return t.give(c)
}

// give gives Save a checkpoint that it does not have yet.
func (t *training) give(c *Checkpoint) error {
	if t.obs.Save == nil || c == nil || c == t.saved {
		return nil
	}
	t.saved = c
	if err := t.obs.Save(c); err != nil {
		return fmt.Errorf("save checkpoint: %w", err)
	}
	return nil
}

// restore goes to where a checkpoint was taken.
func (t *training) restore(c *Checkpoint) error {
	h := c.held
	if err := t.fits(&h); err != nil {
		return fmt.Errorf("the checkpoint is of another training: %w", err)
	}
	if t.exchange != nil {
		if err := t.exchange.UnmarshalBinary(h.Exchange); err != nil {
			return err
		}
	}
	for i := range h.Replicas {
		if err := t.engine.SetState(i, &h.Replicas[i]); err != nil {
			return fmt.Errorf("set state of replica %d: %w", i+1, err)
		}
	}
	t.place = h.Place.clone()
	if err := t.Average.restore(h.Averages, t.data); err != nil {
		return err
	}
	t.deck.cards, t.deck.next = t.Cards, t.Next
	t.last, t.saved = c, c
	return nil
}

// fits reports what of a checkpoint cannot be of this training.
func (t *training) fits(h *held) error {
	p, replicas, d := &h.Place, len(t.Rung), t.layout.Size()
	var f faults
	f.when(h.Steps != t.steps, "%d iterations of an epoch instead of %d", h.Steps, t.steps)
	f.when(p.Iteration > t.set.Epochs*t.steps, "%d iterations are done, more than %d epochs have", p.Iteration, t.set.Epochs)
	f.when(len(h.Replicas) != replicas || len(p.Momenta) != replicas || len(p.Loss) != replicas || len(p.Met) != replicas ||
		!permutes(p.Rung, replicas),
		"%d replicas instead of %d", len(h.Replicas), replicas)
	for i := range h.Replicas {
		s := &h.Replicas[i]
		f.when(len(s.Parameters) != d || len(s.Momenta) != d || len(s.Gradient) != d || len(s.Buffers) != t.layout.BufferSize(),
			"replica %d has %d parameters instead of %d", i+1, len(s.Parameters), d)
	}
	f.when(!permutes(p.Cards, t.n) || p.Next < 0 || p.Next > t.n, "%d training examples instead of %d", len(p.Cards), t.n)
	f.when(p.Index.Stride < 1 || p.Index.Sweeps < 0, "an index process of every %d sweeps", p.Index.Stride)
	g := &p.SWAG
	f.when(g.Count > 0 && (len(g.Mean) != d || len(g.Square) != d), "moments of %d parameters instead of %d", len(g.Mean), d)
	for _, column := range g.Columns {
		f.when(len(column) != d, "deviations of %d parameters instead of %d", len(column), d)
	}
	f.when((t.exchange == nil) != (h.Exchange == nil), "swaps where there are none, or none where there are")
	return errors.Join(f...)
}

// permutes reports whether x holds each of 0 … n−1 once.
func permutes[I int | int32](x []I, n int) bool {
	if len(x) != n {
		return false
	}
	seen := make([]bool, n)
	for _, i := range x {
		if i < 0 || int(i) >= n || seen[i] {
			return false
		}
		seen[i] = true
	}
	return true
}
