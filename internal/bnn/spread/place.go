package spread

import (
	"context"
	"fmt"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// A Place is where replicas may move.
type Place interface {
	// Slots is how many replicas move there at once, at least 1.
	Slots() int
	// Open makes replicas there, beside others that may be open.
	Open(ctx context.Context, s bnn.Setup) (bnn.Engine, error)
}

// Others are places on other machines. Their methods are called one at a time, but for Cut.
type Others interface {
	// Come are the places that have come since the last call.
	Come() []Place
	// Taken hears that a place has proved itself.
	Taken(p Place)
	// Holds hears how many replicas a place has from now on.
	Holds(p Place, replicas int)
	// Moved hears that a place, or home, has moved so many replicas.
	Moved(p Place, replicas int)
	// Cut ends the calls of a place that has not answered for so long: they fail then. Any
	// goroutine calls it.
	Cut(p Place, after time.Duration)
	// Refused hears that a place has other numbers than this machine.
	Refused(p Place, why error)
	// Lost hears that a place does not answer any more, or cannot do what it is asked.
	Lost(p Place, why error)
}

// A seat is a place with the replicas that it holds.
type seat struct {
	place  Place
	engine bnn.Engine // of holds, if there are any
	holds  []int
}

// A set is examples that every place is given.
type set struct {
	number   int
	examples *images.Set
	mean, sd []float64
}

// opened opens replicas at a place, with sets of examples, in states; nil is as they are made.
func (e *Engine) opened(p Place, sets []set, replicas []int, states map[int]*bnn.State) (bnn.Engine, error) {
	s := e.setup
	s.Replicas, s.Numbers = len(replicas), replicas
	engine, err := p.Open(e.ctx, s)
	if err != nil {
		return nil, err
	}
	if err = e.furnish(engine, sets); err == nil {
		for k, r := range replicas {
			if states[r] != nil && err == nil {
				err = engine.SetState(k, states[r])
			}
		}
	}
	if err != nil {
		_ = engine.Close()
		return nil, err
	}
	return engine, nil
}

// furnish gives an engine sets, if its network is that of this machine.
func (e *Engine) furnish(engine bnn.Engine, sets []set) error {
	if got := engine.Layout(); got.Size() != e.layout.Size() || got.BufferSize() != e.layout.BufferSize() {
		return fmt.Errorf("its network has %d parameters and %d buffers instead of %d and %d", got.Size(), got.BufferSize(), e.layout.Size(),
			e.layout.BufferSize())
	}
	for _, s := range sets {
		if err := engine.Load(s.number, s.examples, s.mean, s.sd); err != nil {
			return err
		}
	}
	return nil
}
