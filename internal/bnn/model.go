package bnn

import (
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/kernel"
)

// keeps reports whether models are kept in an epoch; in the last they always are.
func (t *training) keeps(epoch int) bool {
	a := t.set.Average
	first := math.Floor(a.From*float64(t.set.Epochs) + 1e-9)
	return float64(epoch) > first && (t.set.Epochs-epoch)%a.Every == 0
}

// keep averages the model of the cold rung after a step = 1, 2, … of an epoch if that
// is due.
func (t *training) keep(epoch, step int) error {
	if !t.keeps(epoch) {
		return nil
	}
	if s := t.set.Method; s == "ensemble" || s == "swag" {
		if step < t.steps {
			return nil
		}
		return t.keepOptima(epoch)
	}
	draws := min(t.set.Average.Draws, t.steps)
	if step*draws/t.steps == (step-1)*draws/t.steps || t.exploring(epoch, step) {
		return nil
	}
	return t.add(epoch, t.cold())
}

// exploring reports whether a step belongs to the first three quarters of a cosine cycle,
// whose models are not averaged (Zhang et al. 2020, Algorithm 1 with β = ¾; their runs
// keep the last 3 of 50 epochs); the last step of all does not.
func (t *training) exploring(epoch, step int) bool {
	if t.set.Decay.Kind != kernel.Cosine {
		return false
	}
	k, all := (epoch-1)*t.steps+step, t.set.Epochs*t.steps
	cycle := (all + t.set.Decay.Cycles - 1) / t.set.Decay.Cycles
	return k < all && (k-1)%cycle < cycle*3/4
}

// keepOptima averages the members of an ensemble as they are, or takes note of an
// iterate of SWAG and, at the end, averages models drawn from its Gaussian.
func (t *training) keepOptima(epoch int) error {
	last := epoch == t.set.Epochs
	if t.set.Method == "ensemble" {
		t.forget()
		for i := range t.Rung {
			if err := t.add(epoch, i); err != nil {
				return err
			}
		}
		return nil
	}
	s, err := t.engine.State(0)
	if err != nil {
		return err
	}
	t.SWAG.add(s.Parameters, t.set.SWAG.Rank)
	if !last {
		return nil
	}
	current, err := t.model(0, nil) // before its place is lent to others
	if err != nil {
		return err
	}
	t.forget()
	rng := t.streams.Of(0, fitted)
	for range t.set.SWAG.Draws {
		drawn := *s
		drawn.Parameters = make([]float64, len(s.Parameters))
		t.SWAG.draw(drawn.Parameters, t.set.SWAG.Scale, rng)
		if err := t.engine.SetState(0, &drawn); err != nil {
			return err
		}
		if err := t.add(epoch, 0); err != nil {
			return err
		}
	}
	t.current = current
	return t.engine.SetState(0, s)
}

// forget empties the average.
func (t *training) forget() {
	t.Average, t.Kept = mixture{Of: t.Average.Of}, 0
}

// add averages the model of a replica and offers it.
func (t *training) add(epoch, replica int) error {
	offered := t.obs.Keep != nil && (t.set.Method != "ensemble" || epoch == t.set.Epochs)
	var state *State
	o, err := t.model(replica, func() (err error) {
		if offered {
			state, err = t.engine.State(replica)
		}
		return err
	})
	if err != nil {
		return err
	}
	if replica == t.cold() {
		t.current = o
	}
	if err := t.Average.add(o, t.data); err != nil {
		return err
	}
	t.Kept++
	if !offered {
		return nil
	}
	t.Number++
	d := Draw{Number: t.Number, Epoch: epoch, Iteration: t.Iteration, Replica: replica,
		Parameters: state.Parameters, Buffers: state.Buffers, Logits: o.test}
	if err := t.obs.Keep(d); err != nil {
		return fmt.Errorf("keep model %d: %w", d.Number, err)
	}
	return nil
}

// model evaluates the model of a replica, its batch-norm buffers recomputed where the
// settings say so; then look, if any, sees it. The replica is left as it was.
func (t *training) model(replica int, look func() error) (o *outputs, err error) {
	if n := t.set.Average.Recompute; n > 0 && t.layout.BufferSize() > 0 {
		was, fault := t.engine.State(replica)
		if fault != nil {
			return nil, fault
		}
		defer func() { err = errors.Join(err, t.engine.SetState(replica, was)) }()
		if err = t.engine.Recompute(replica, t.unchanged(n)); err != nil {
			return nil, err
		}
	}
	if look != nil {
		if err := look(); err != nil {
			return nil, err
		}
	}
	o = &outputs{}
	if t.data.Test != nil {
		if o.test, err = t.engine.Predict(replica, testSet); err != nil {
			return nil, err
		}
		if len(o.test) == 0 || len(o.test)%t.data.Test.Len() != 0 {
			return nil, fmt.Errorf("the engine gave %d outputs for %d examples", len(o.test), t.data.Test.Len())
		}
	}
	if t.data.Test != nil && t.data.Outside != nil {
		o.outside, err = t.engine.Predict(replica, outsideSet)
	}
	return o, err
}

// assess evaluates what is due at the end of an epoch.
func (t *training) assess(e *Epoch) error {
	m, last := t.set.Measure, e.Epoch == t.set.Epochs
	e.Kept = t.Kept
	if m.Every > 0 && (e.Epoch%m.Every == 0 || last) {
		layers, err := t.layers()
		if err != nil {
			return err
		}
		e.Layers = layers
	}
	if t.data.Test == nil {
		return nil
	}
	var err error
	if t.current == nil && (last || e.Epoch%m.Test == 0) {
		if t.current, err = t.model(t.cold(), nil); err != nil {
			return err
		}
	}
	if t.current != nil {
		p, err := t.current.predictions(t.data)
		if err != nil {
			return err
		}
		if e.Single, err = p.curve(t.data.Test); err != nil {
			return err
		}
	}
	if t.Average.Models > 0 && (last || t.keeps(e.Epoch)) {
		p, err := t.Average.predictions()
		if err != nil {
			return err
		}
		e.Average, err = p.curve(t.data.Test)
		return err
	}
	return nil
}
