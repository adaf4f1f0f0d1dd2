package r2sgld

import (
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sync"
	"time"
)

// A savedState is a copy of a ladder between two iterations.
type savedState struct {
	done  int
	bytes []byte
	err   error
}

// snapshot leaves a copy of the ladder for the saver. Only the goroutine that
// moves the ladder calls it.
func (l *ladder) snapshot() {
	b, err := l.appendState(nil)
	l.saved.Store(&savedState{l.done, b, err})
	l.signal.CompareAndSwap(save, quiet)
}

// appendState appends all that the rest of the ladder's run depends on, and
// what it made so far.
func (l *ladder) appendState(b []byte) ([]byte, error) {
	order := binary.LittleEndian
	draws := 0 // bytes of them: a copy is large, and must not take up more than it needs
	for _, v := range l.numbers() {
		draws += 8 * len(*v)
	}
	begin := len(b)
	b = slices.Grow(b, draws+l.rest)
	for _, n := range []int{l.done, l.schedule.Iterations, l.kept, l.stride} {
		b = order.AppendUint64(b, uint64(n))
	}
	for _, v := range l.numbers() {
		b = order.AppendUint64(b, uint64(len(*v)))
		for _, f := range *v {
			b = order.AppendUint64(b, math.Float64bits(f))
		}
	}
	for _, r := range l.block.Rung {
		b = order.AppendUint64(b, uint64(r))
	}
	b, err := binary.Append(b, order, l.tally)
	if err == nil {
		b, err = binary.Append(b, order, l.mover.Moves())
	}
	if err == nil {
		b, err = binary.Append(b, order, l.corners)
	}
	if err == nil && l.watch != nil {
		b, err = binary.Append(b, order, l.watch.jumps)
	}
	if err != nil {
		return nil, err
	}
	for _, part := range l.parts() {
		at := len(b)
		b = order.AppendUint64(b, 0)
		if b, err = part.AppendBinary(b); err != nil {
			return nil, err
		}
		order.PutUint64(b[at:], uint64(len(b)-at-8))
	}
	l.rest = len(b) - begin - draws
	return b, nil
}

const ownNumbers = 7 // of numbers, of known lengths

// numbers lists the slices of the state.
func (l *ladder) numbers() []*[]float64 {
	v := []*[]float64{&l.block.X, &l.block.Grad, &l.block.Energy, &l.block.V, &l.at.Spread, &l.block.Base, &l.block.BaseGrad}
	v = append(v, l.mover.Numbers()...)
	for r := range l.draws.X {
		v = append(v, &l.draws.X[r], &l.draws.Energy[r])
	}
	return v
}

// A part is a piece of the ladder that saves itself.
type part interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

func (l *ladder) parts() []part {
	p := []part{l.streams, l.exchange}
	if l.shadow != nil {
		p = append(p, l.shadow)
	}
	if l.keeper != nil {
		p = append(p, l.keeper)
	}
	if r, ok := l.recorder.(part); ok {
		p = append(p, r)
	}
	return p
}

var (
	errShort  = errors.New("the saved state is cut short")
	errForged = errors.New("the saved state is that of no ladder")
)

// restoreState takes the ladder to where appendState saw it.
func (l *ladder) restoreState(b []byte) error {
	order := binary.LittleEndian
	number := func() int {
		if len(b) < 8 {
			b = nil
			return -1
		}
		n := order.Uint64(b)
		b = b[8:]
		return int(n)
	}
	if err := l.restoreNumbers(number, func() int { return len(b) / 8 }); err != nil {
		return err
	}
	counted := []any{l.tally, l.mover.Moves(), l.corners}
	if l.watch != nil {
		counted = append(counted, l.watch.jumps)
	}
	for _, counts := range counted {
		n, err := binary.Decode(b, order, counts)
		if err != nil {
			return errShort
		}
		b = b[n:]
	}
	for _, part := range l.parts() {
		n := number()
		if n < 0 || n > len(b) {
			return errShort
		}
		if err := part.UnmarshalBinary(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	if len(b) > 0 {
		return fmt.Errorf("%d bytes too many in the saved state", len(b))
	}
	return nil
}

// restoreNumbers takes the counts of the ladder, its numbers and who holds which rung from
// number, which is -1 at the end; left tells how many there are.
func (l *ladder) restoreNumbers(number, left func() int) error {
	for _, n := range []*int{&l.done, &l.until, &l.kept, &l.stride} {
		if *n = number(); *n < 0 {
			return errShort
		}
	}
	if l.done > l.until || l.until > mostIterations || l.kept > l.done || l.stride > mostIterations || bits.OnesCount(uint(l.stride)) != 1 {
		return fmt.Errorf("%w: %d of %d iterations, %d draws of which one in %d is held", errForged, l.done, l.until, l.kept, l.stride)
	}
	moving := ownNumbers + len(l.mover.Numbers()) // none, or one per rung
	for i, v := range l.numbers() {
		n := number()
		if n < 0 || n > left() || i < ownNumbers && n != len(*v) || i >= ownNumbers && i < moving && n != 0 && n != l.block.R {
			return errShort
		}
		if n == 0 {
			continue
		}
		*v = make([]float64, n)
		for k := range *v {
			(*v)[k] = math.Float64frombits(uint64(number()))
		}
	}
	for i := range l.block.Rung {
		l.block.Rung[i] = number()
		if r := l.block.Rung[i]; r < 0 || r >= l.block.R || slices.Contains(l.block.Rung[:i], r) {
			return fmt.Errorf("%w: replica %d holds rung %d", errForged, i+1, r+1)
		}
	}
	return nil
}

// mostIterations is more than any run makes.
const mostIterations = 1e12

// fits says why the numbers of a saved state are none of a ladder, with its shadow, that
// holds n draws.
func (l *ladder) fits(n int) error {
	for _, x := range l.block.X {
		if x-x != 0 {
			return fmt.Errorf("%w: a coordinate is %g", errForged, x)
		}
	}
	width := len(l.shown(l.block.State(l.from, 0)))
	for r := range l.draws.X {
		if len(l.draws.Energy[r]) != n || len(l.draws.X[r]) != n*width {
			return fmt.Errorf("%w: rung %d has %d draws instead of %d", errForged, r+1, len(l.draws.Energy[r]), n)
		}
	}
	if l.shadow != nil {
		return l.shadow.fits(n)
	}
	return nil
}

// restore takes every ladder to its saved state.
func (r *run) restore(states [][]byte) error {
	if len(states) != len(r.all) {
		return fmt.Errorf("resume: %d saved ladders for %d ladders", len(states), len(r.all))
	}
	for i, l := range r.all {
		err := l.restoreState(states[i])
		if err == nil {
			err = l.fits(l.kept / l.stride)
		}
		if err != nil {
			return fmt.Errorf("resume: ladder %d: %w", i+1, err)
		}
		l.begun = l.done
		if r.settings.Review != nil { // the round that they were in
			r.schedule.Iterations = max(r.schedule.Iterations, l.until)
		}
	}
	return nil
}

// A saver asks the ladders for copies of their states while they run and hands
// them on.
type saver struct {
	r    *run
	end  chan struct{}
	wait sync.WaitGroup
}

// startSaver copies the states at the start and then every so often.
func (r *run) startSaver() *saver {
	s := &saver{r: r, end: make(chan struct{})}
	c := r.settings.Checkpoint
	if c == nil {
		return s
	}
	for _, l := range r.all {
		l.snapshot()
	}
	_ = s.save() // so that a run killed early can be resumed; the last save's error counts
	if c.Every <= 0 {
		return s
	}
	s.wait.Go(func() {
		tick := time.NewTicker(c.Every)
		defer tick.Stop()
		for {
			select {
			case <-s.end:
				return
			case <-tick.C:
				s.ask()
				_ = s.save() // tried again at the next tick; the last save's error counts
			}
		}
	})
	return s
}

// ask has every ladder that runs leave a copy at its next iteration, and waits
// for it at most a second: a ladder that waits for a thread, or is at its end,
// keeps the copy it has.
func (s *saver) ask() {
	for _, l := range s.r.all {
		l.signal.CompareAndSwap(quiet, save)
	}
	for range 100 {
		waiting := false
		for _, l := range s.r.all {
			waiting = waiting || l.signal.Load() == save
		}
		if !waiting {
			return
		}
		select {
		case <-s.end:
			return
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func (s *saver) save() error {
	states := make([][]byte, len(s.r.all))
	iterations := 0
	for i, l := range s.r.all {
		c := l.saved.Load()
		if c.err != nil {
			return c.err
		}
		states[i] = c.bytes
		iterations += c.done
	}
	if err := s.r.settings.Checkpoint.Save(iterations, states); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	return nil
}

// finish ends the saver once no ladder runs any more and saves the last states.
// A ladder that failed within an iteration keeps the copy from before.
func (s *saver) finish() error {
	close(s.end)
	s.wait.Wait()
	if s.r.settings.Checkpoint == nil {
		return nil
	}
	for _, l := range s.r.all {
		if !l.torn {
			l.snapshot()
		}
	}
	err := s.save()
	for _, l := range s.r.all {
		l.saved.Store(nil) // copies are large
	}
	return err
}
