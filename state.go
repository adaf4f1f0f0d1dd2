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

	"github.com/r2sgld/r2sgld/kernel"
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

// A picture is what a checkpoint keeps of replicas, of the draws that they made and of
// what goes with them.
type picture struct {
	*replicas
	states *kernel.Block // of the replicas, in memory without gaps
	counts [4]int        // iterations done and to do, draws kept, and which of them are held
	draws  Draws
	parts  []part
}

// A part is a piece that saves itself.
type part interface {
	encoding.BinaryAppender
	encoding.BinaryUnmarshaler
}

// picture is what a checkpoint keeps of the ladder, counts aside.
func (l *ladder) picture() picture {
	p := picture{replicas: &l.replicas, states: l.apart(), draws: l.draws, parts: []part{l.exchange}}
	if l.shadow != nil {
		p.parts = append(p.parts, l.shadow)
	}
	if l.keeper != nil {
		p.parts = append(p.parts, l.keeper)
	}
	if r, ok := l.recorder.(part); ok {
		p.parts = append(p.parts, r)
	}
	return p
}

// appendState appends all that the rest of the ladder's run depends on, and
// what it made so far.
func (l *ladder) appendState(b []byte) ([]byte, error) {
	p := l.picture()
	p.counts = [...]int{l.done, l.schedule.Iterations, l.kept, l.stride}
	return p.encode(b, &l.rest)
}

// restoreState takes the ladder to where appendState saw it.
func (l *ladder) restoreState(b []byte) error {
	p := l.picture()
	err := p.decode(b)
	l.done, l.until, l.kept, l.stride = p.counts[0], p.counts[1], p.counts[2], p.counts[3]
	return err
}

const ownNumbers = 7 // of numbers, of known lengths

// numbers lists the slices of p: those of known lengths, those of the mover, and draws.
func (p *picture) numbers() []*[]float64 {
	b := p.states
	v := []*[]float64{&b.X, &b.Grad, &b.Energy, &b.V, &p.at.Spread, &b.Base, &b.BaseGrad}
	v = append(v, p.replicas.numbers()...)
	for r := range p.draws.X {
		v = append(v, &p.draws.X[r], &p.draws.Energy[r])
	}
	for r := range p.draws.More {
		v = append(v, &p.draws.More[r])
	}
	return v
}

// tables lists what is counted, of known lengths.
func (p *picture) tables() []any {
	return []any{p.counted(), p.moves(), p.corners, p.jumps, p.asked, p.jump.counted()}
}

// encode appends p to b, whose length but for numbers was rest the last time.
func (p *picture) encode(b []byte, rest *int) ([]byte, error) {
	order := binary.LittleEndian
	bytes := 0 // of numbers: a copy is large, and must not take up more than it needs
	for _, v := range p.numbers() {
		bytes += 8 * len(*v)
	}
	begin := len(b)
	b = slices.Grow(b, bytes+*rest)
	for _, n := range p.counts {
		b = order.AppendUint64(b, uint64(n))
	}
	for _, v := range p.numbers() {
		b = order.AppendUint64(b, uint64(len(*v)))
		for _, f := range *v {
			b = order.AppendUint64(b, math.Float64bits(f))
		}
	}
	for _, r := range p.block.Rung {
		b = order.AppendUint64(b, uint64(r))
	}
	var err error
	for _, t := range p.tables() {
		if b, err = binary.Append(b, order, t); err != nil {
			return nil, err
		}
	}
	for _, part := range p.parts {
		at := len(b)
		b = order.AppendUint64(b, 0)
		if b, err = part.AppendBinary(b); err != nil {
			return nil, err
		}
		order.PutUint64(b[at:], uint64(len(b)-at-8))
	}
	*rest = len(b) - begin - bytes
	return b, nil
}

var (
	errShort  = errors.New("the saved state is cut short")
	errForged = errors.New("the saved state is that of no ladder")
)

// decode takes what p points to to where encode saw it. The replicas have lanes of their
// own.
func (p *picture) decode(b []byte) error {
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
	if err := p.decodeNumbers(number, func() int { return len(b) / 8 }); err != nil {
		return err
	}
	for _, t := range p.tables() {
		n, err := binary.Decode(b, order, t)
		if err != nil {
			return errShort
		}
		b = b[n:]
	}
	for _, part := range p.parts {
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

// decodeNumbers takes counts, numbers and who holds which rung from number, which is -1
// at the end; left tells how many there are.
func (p *picture) decodeNumbers(number, left func() int) error {
	for i := range p.counts {
		if p.counts[i] = number(); p.counts[i] < 0 {
			return errShort
		}
	}
	done, until, kept, stride := p.counts[0], p.counts[1], p.counts[2], p.counts[3]
	if done > until || until > mostIterations || kept > done || stride > mostIterations || bits.OnesCount(uint(stride)) != 1 {
		return fmt.Errorf("%w: %d of %d iterations, %d draws of which one in %d is held", errForged, done, until, kept, stride)
	}
	b := p.states
	moving := ownNumbers + len(p.mover.Numbers()) // none, or one per rung
	for i, v := range p.numbers() {
		n := number()
		if n < 0 || n > left() || i < ownNumbers && n != len(*v) || i >= ownNumbers && i < moving && n != 0 && n != b.R {
			return errShort
		}
		if n == 0 {
			continue
		}
		if i >= ownNumbers {
			*v = make([]float64, n)
		}
		for k := range *v {
			(*v)[k] = math.Float64frombits(uint64(number()))
		}
	}
	for i := range b.Rung {
		b.Rung[i] = number()
		if r := b.Rung[i]; r < 0 || r >= b.R || slices.Contains(b.Rung[:i], r) {
			return fmt.Errorf("%w: replica %d holds rung %d", errForged, i+1, r+1)
		}
	}
	return nil
}

// mostIterations is more than any run makes.
const mostIterations = 1e12

// fits says why the numbers of a saved state are none of replicas that hold n draws.
func (p *picture) fits(n int) error {
	for _, x := range p.block.X {
		if x-x != 0 {
			return fmt.Errorf("%w: a coordinate is %g", errForged, x)
		}
	}
	width := len(p.frame.shown(p.block.State(p.from, 0)))
	for r := range p.draws.X {
		if len(p.draws.Energy[r]) != n || len(p.draws.X[r]) != n*width || p.draws.More != nil && len(p.draws.More[r]) != n {
			return fmt.Errorf("%w: rung %d has %d draws instead of %d", errForged, r+1, len(p.draws.Energy[r]), n)
		}
	}
	return nil
}

// fits says why the numbers of a saved state are none of the ladder, or of its shadows.
func (l *ladder) fits() error {
	held := l.kept / l.stride
	own := l.picture()
	err := own.fits(held)
	for s := l.shadow; s != nil && err == nil; s = s.next {
		its := s.picture()
		err = its.fits(held)
	}
	return err
}

// A BadState says why a run cannot go on from the states in [Settings].Resume.
type BadState struct {
	Ladder int // from 1 on
	Err    error
}

func (e *BadState) Error() string { return fmt.Sprintf("resume: ladder %d: %v", e.Ladder, e.Err) }

// Unwrap returns the reason.
func (e *BadState) Unwrap() error { return e.Err }

// restore takes every ladder to its saved state.
func (r *run) restore(states [][]byte) error {
	if len(states) != len(r.all) {
		return fmt.Errorf("resume: %d saved ladders for %d ladders", len(states), len(r.all))
	}
	for i, l := range r.all {
		err := l.restoreState(states[i])
		if err == nil {
			err = l.fits()
		}
		if most := r.settings.Most; err == nil && most > 0 && l.until > max(most, r.schedule.Iterations) {
			err = fmt.Errorf("its round has %d iterations, where %d are the most", l.until, most)
		}
		if err != nil {
			return &BadState{i + 1, err}
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
