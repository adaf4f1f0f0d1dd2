package spread

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
)

// Engine is an engine whose replicas move at several places.
type Engine struct {
	Options
	setup   bnn.Setup
	layout  bnn.Layout
	ctx     context.Context
	stop    context.CancelFunc
	seats   []*seat // the first is this machine
	sets    []set
	journal journal
	bases   map[int]base        // of replicas that are elsewhere
	redone  map[int]bnn.Outcome // of the last deed, by replicas that were moved again
	spent   bnn.Usage           // of engines that are closed
	proof   *proof
	proved  chan proved
	longest time.Duration // that places took to answer
	closed  bool
}

var _ bnn.Engine = (*Engine)(nil)

// Options say where replicas may move.
type Options struct {
	Home   Place // this machine, which always holds a replica
	Others Others
	// Agree reports whether numbers of two machines are the same.
	Agree func(a, b []float64) bool
	// Most is how many bytes of deeds are remembered before states are asked for; 0 is 64 MiB.
	Most int
	// Patience is how long places may take to answer, at least; they may take 20 times as long
	// as any call before. 0 is a minute.
	Patience time.Duration
}

const (
	lateness = 20
	hurry    = time.Second / 2 // for places to answer once the run is to stop
)

// Open opens an engine at home. Others join as they come. An error of home is final, as of any engine.
func Open(ctx context.Context, s bnn.Setup, o Options) (*Engine, error) {
	if o.Most == 0 {
		o.Most = 64 << 20
	}
	if o.Patience == 0 {
		o.Patience = time.Minute
	}
	e := &Engine{Options: o, setup: s, bases: map[int]base{}, redone: map[int]bnn.Outcome{}, proved: make(chan proved)}
	e.ctx, e.stop = context.WithCancel(ctx)
	home := &seat{place: o.Home}
	for r := range s.Replicas {
		home.holds = append(home.holds, r)
	}
	e.seats = []*seat{home}
	var err error
	if home.engine, err = o.Home.Open(e.ctx, s); err != nil {
		e.stop()
		return nil, err
	}
	e.layout = home.engine.Layout()
	return e, nil
}

// Layout is that of this machine.
func (e *Engine) Layout() bnn.Layout { return e.layout }

// Replicas is the number of all.
func (e *Engine) Replicas() int { return e.setup.Replicas }

// home is the seat of this machine.
func (e *Engine) home() *seat { return e.seats[0] }

// A fault is the error of a seat.
type fault struct {
	seat *seat
	err  error
}

// fan calls some seats at the same time and returns what went wrong with each. Those that do not
// answer are cut off.
func (e *Engine) fan(seats []*seat, call func(s *seat) error) (faults []fault) {
	errs := make([]error, len(seats))
	began, most := time.Now(), max(e.Patience, lateness*e.longest)
	var wait sync.WaitGroup
	for i, s := range seats {
		wait.Go(func() {
			if s != e.home() {
				late := time.AfterFunc(most, func() { e.Others.Cut(s.place, most) })
				defer late.Stop()
				defer context.AfterFunc(e.ctx, func() { late.Reset(hurry) })()
			}
			errs[i] = call(s)
		})
	}
	wait.Wait()
	for i, err := range errs {
		if err != nil {
			faults = append(faults, fault{seats[i], err})
		}
	}
	if len(faults) == 0 {
		e.longest = max(e.longest, time.Since(began))
	}
	return faults
}

// drop gives up the seats of faults, but for this machine, whose fault it returns.
func (e *Engine) drop(faults []fault) error {
	for _, f := range faults {
		if f.seat == e.home() {
			return f.err
		}
		if e.ctx.Err() != nil { // it was ended with the run
			return errors.Join(context.Cause(e.ctx), f.err)
		}
		if f.seat.engine != nil {
			_ = f.seat.engine.Close()
		}
		e.seats = slices.DeleteFunc(e.seats, func(s *seat) bool { return s == f.seat })
		e.Others.Lost(f.seat.place, f.err)
	}
	return nil
}

// busy are the seats that hold replicas.
func (e *Engine) busy() []*seat {
	return slices.DeleteFunc(slices.Clone(e.seats), func(s *seat) bool { return len(s.holds) == 0 })
}

// act has all seats do a deed.
func (e *Engine) act(d deed) ([]bnn.Outcome, error) {
	if len(e.bases) > 0 {
		e.journal.add(d)
	}
	out := make([]bnn.Outcome, e.setup.Replicas)
	faults := e.fan(e.busy(), func(s *seat) error {
		some, err := d.do(s.engine, s.holds)
		if err == nil && some != nil && len(some) != len(s.holds) {
			err = fmt.Errorf("%d outcomes of %d replicas", len(some), len(s.holds))
		}
		if err == nil {
			for k := range some {
				out[s.holds[k]] = some[k]
			}
		}
		return err
	})
	if len(faults) == 0 {
		return out, nil
	}
	clear(e.redone)
	if err := e.replace(faults); err != nil {
		return nil, err
	}
	for r, o := range e.redone {
		out[r] = o
	}
	return out, nil
}

// ask calls all seats that hold one of some replicas, which changes nothing, until all have answered.
func (e *Engine) ask(replicas []int, call func(s *seat) error) error {
	for {
		some := slices.DeleteFunc(e.busy(), func(s *seat) bool {
			return !slices.ContainsFunc(s.holds, func(r int) bool { return slices.Contains(replicas, r) })
		})
		if len(some) == 0 || len(replicas) > 1 && !e.placed() {
			return errors.New("no place holds the replicas: an error before has ended the engine")
		}
		faults := e.fan(some, call)
		if len(faults) == 0 {
			return nil
		}
		if err := e.replace(faults); err != nil {
			return err
		}
	}
}

// placed reports whether every replica is held somewhere.
func (e *Engine) placed() bool {
	n := 0
	for _, s := range e.seats {
		n += len(s.holds)
	}
	return n == e.setup.Replicas
}

// one asks the seat of one replica, whose place there is k.
func (e *Engine) one(r int, call func(engine bnn.Engine, k int) error) error {
	if r < 0 || r >= e.setup.Replicas {
		return fmt.Errorf("replica %d: the engine has %d", r, e.setup.Replicas)
	}
	return e.ask([]int{r}, func(s *seat) error { return call(s.engine, slices.Index(s.holds, r)) })
}

// every are the numbers of all replicas.
func (e *Engine) every() []int {
	all := make([]int, e.setup.Replicas)
	for r := range all {
		all[r] = r
	}
	return all
}

// Load gives all places a set of examples.
func (e *Engine) Load(number int, s *images.Set, mean, sd []float64) error {
	e.sets = append(slices.DeleteFunc(e.sets, func(o set) bool { return o.number == number }), set{number, s, mean, sd})
	return e.ask(e.every(), func(t *seat) error { return t.engine.Load(number, s, mean, sd) })
}

// Start evaluates every replica where it stands.
func (e *Engine) Start(b bnn.Batch) ([]bnn.Outcome, error) { return e.act(&start{kept(b)}) }

// Advance moves every replica, after those places have been given some that have come.
func (e *Engine) Advance(moves []bnn.Move, b bnn.Batch) ([]bnn.Outcome, error) {
	if len(moves) != e.setup.Replicas {
		return nil, fmt.Errorf("%d moves for %d replicas", len(moves), e.setup.Replicas)
	}
	if err := e.welcome(); err != nil {
		return nil, err
	}
	if e.journal.bytes > e.Most {
		if err := e.refresh(); err != nil {
			return nil, err
		}
	}
	out, err := e.prove(&advance{slices.Clone(moves), kept(b)})
	if err != nil {
		return nil, err
	}
	for _, s := range e.busy() {
		e.Others.Moved(s.place, len(s.holds))
	}
	return out, nil
}

// kept is a batch that whoever made it may change.
func kept(b bnn.Batch) bnn.Batch {
	b.Indices = slices.Clone(b.Indices)
	return b
}

// refresh takes new bases, so that the journal is short.
func (e *Engine) refresh() error {
	for r := range e.bases {
		if _, err := e.State(r); err != nil {
			return err
		}
	}
	return nil
}

// Losses are those of all replicas on a minibatch.
func (e *Engine) Losses(b bnn.Batch) ([]float64, error) {
	out := make([]float64, e.setup.Replicas)
	return out, e.ask(e.every(), func(s *seat) error {
		some, err := s.engine.Losses(b)
		if err == nil && len(some) != len(s.holds) {
			err = fmt.Errorf("%d losses of %d replicas", len(some), len(s.holds))
		}
		if err == nil {
			for k, r := range s.holds {
				out[r] = some[k]
			}
		}
		return err
	})
}

// Gradient is that of one replica.
func (e *Engine) Gradient(r int, b bnn.Batch) (loss float64, gradient []float64, err error) {
	err = e.one(r, func(engine bnn.Engine, k int) (err error) {
		loss, gradient, err = engine.Gradient(k, b)
		return err
	})
	return loss, gradient, err
}

// Predict returns the outputs of a replica for a set.
func (e *Engine) Predict(r, set int) (outputs []float32, err error) {
	err = e.one(r, func(engine bnn.Engine, k int) (err error) {
		outputs, err = engine.Predict(k, set)
		return err
	})
	return outputs, err
}

// Recompute sets the buffers of a replica.
func (e *Engine) Recompute(r int, batches []bnn.Batch) error {
	if r < 0 || r >= e.setup.Replicas {
		return fmt.Errorf("replica %d: the engine has %d", r, e.setup.Replicas)
	}
	c := &recompute{replica: r}
	for _, b := range batches {
		c.batches = append(c.batches, kept(b))
	}
	_, err := e.act(c)
	return err
}

// State is that of a replica, from which it goes on should its place be lost.
func (e *Engine) State(r int) (s *bnn.State, err error) {
	err = e.one(r, func(engine bnn.Engine, k int) (err error) {
		if s, err = engine.State(k); err == nil {
			err = e.fits(s)
		}
		return err
	})
	if _, away := e.bases[r]; away && err == nil {
		e.based(r, s.Clone())
	}
	return s, err
}

// fits says what of a state cannot be of the network.
func (e *Engine) fits(s *bnn.State) error {
	d := e.layout.Size()
	if len(s.Parameters) != d || len(s.Momenta) != d || len(s.Gradient) != d || len(s.Buffers) != e.layout.BufferSize() {
		return fmt.Errorf("a state of %d parameters instead of %d", len(s.Parameters), d)
	}
	return nil
}

// SetState puts a replica into a state.
func (e *Engine) SetState(r int, s *bnn.State) error {
	if _, away := e.bases[r]; away {
		e.based(r, s.Clone())
	}
	return e.one(r, func(engine bnn.Engine, k int) error { return engine.SetState(k, s) })
}

// Usage is the sum over all places, and what places have used that are gone.
func (e *Engine) Usage() (bnn.Usage, error) {
	var mu sync.Mutex
	var sum bnn.Usage
	err := e.ask(e.every(), func(s *seat) error {
		u, err := s.engine.Usage()
		mu.Lock()
		defer mu.Unlock()
		sum = added(sum, u)
		return err
	})
	return added(sum, e.spent), err
}

// added is the sum of what two have used.
func added(a, b bnn.Usage) bnn.Usage {
	return bnn.Usage{Resident: a.Resident + b.Resident, Peak: a.Peak + b.Peak, Device: a.Device + b.Device, CPU: a.CPU + b.CPU}
}

// Close ends all replicas. A place that is being put to the proof ends by itself.
func (e *Engine) Close() error {
	if e.closed {
		return nil
	}
	e.closed = true
	e.stop()
	var errs []error
	for _, f := range e.fan(e.busy(), func(s *seat) error { return s.engine.Close() }) {
		errs = append(errs, f.err)
	}
	return errors.Join(errs...)
}
