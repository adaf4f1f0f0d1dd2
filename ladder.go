package r2sgld

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// What a ladder is asked to do before its next iteration.
const (
	quiet uint32 = iota // go on
	save                // leave a copy of the state
	stop                // end here
)

// A ladder is one set of replicas that trade rungs. One goroutine moves it.
type ladder struct {
	index     int
	done      int // iterations behind it
	begun     int // of them before a resume
	keep      int // the next iteration whose draw is kept
	schedule  *kernel.Schedule
	at        *kernel.At
	block     *kernel.Block
	potential potential.Evaluator
	reflector domain.Reflector // nil lets steps go
	domain    domain.Domain    // of the original coordinates, to count draws outside; nil counts none
	exchange  *exchange.Exchange
	streams   *stream.Set
	noise     []*stream.Rand // per replica
	uniform   *stream.Rand   // for swaps
	whitening *Whitening
	recorder  Recorder
	draws     Draws
	tally     []domain.Tally // per rung
	from, to  []float64      // one state

	signal atomic.Uint32
	saved  atomic.Pointer[savedState] // the newest copy of the state
}

// reflect ends the step of every replica inside the domain.
func (l *ladder) reflect() {
	b := l.block
	if l.reflector == nil {
		for _, r := range b.Rung {
			l.tally[r].Steps++
		}
		return
	}
	for i, r := range b.Rung {
		for j := range l.from {
			l.from[j], l.to[j] = b.From[j*b.R+i], b.X[j*b.R+i]
		}
		t := &l.tally[r]
		t.Steps++
		hits, ok := l.reflector.Reflect(l.from, l.to, nil)
		if hits == 0 && ok {
			continue
		}
		t.Reflected++
		t.Reflections += int64(hits)
		if !ok {
			t.Fallbacks++
			l.withoutDrift(i, r)
		}
		for j, v := range l.to {
			b.X[j*b.R+i] = v
		}
	}
}

// withoutDrift takes the step of replica i, on rung r, again without its drift
// and with fresh noise, after a step that could not be ended inside; if this one
// cannot either, the replica stays. Staying alone would be a trap: where the
// potential is infinite at the wall, a replica that lands within rounding of it
// has a drift that no number of mirrorings uses up, and so it has in the next
// iteration.
func (l *ladder) withoutDrift(i, r int) {
	for j, v := range l.from {
		l.to[j] = v + l.at.Noise[r]*l.noise[i].NormFloat64()
	}
	hits, _ := l.reflector.Reflect(l.from, l.to, nil)
	l.tally[r].Reflections += int64(hits)
}

// record keeps the draw of iteration k, if it is one to keep, and shows the
// block to the user's recorder.
func (l *ladder) record(k int) error {
	b := l.block
	if k >= l.keep {
		l.keep = l.schedule.Next(k)
		for i, r := range b.Rung {
			x := l.original(b.State(l.from, i))
			l.draws.X[r] = append(l.draws.X[r], x...)
			l.draws.Energy[r] = append(l.draws.Energy[r], b.Energy[i])
			if l.domain != nil && !l.domain.Contains(x) {
				l.tally[r].Outside++
			}
		}
	}
	if l.recorder == nil {
		return nil
	}
	return l.recorder.Record(k, b)
}

// original maps a state of the kernel to the user's coordinates. It may use
// l.to and return it.
func (l *ladder) original(z []float64) []float64 {
	w := l.whitening
	if w == nil {
		return z
	}
	for j, row := range w.L {
		sum := w.Center[j]
		for i, v := range row {
			sum += v * z[i]
		}
		l.to[j] = sum
	}
	return l.to
}

// A BlowUp is the end of a run whose energy or gradient stopped being finite.
type BlowUp struct {
	Rung        int // from 1, the coldest
	Iteration   int
	Temperature float64
	StepSize    float64
	Energy      float64
	State       []float64 // in the user's coordinates
}

func (e *BlowUp) Error() string {
	at := make([]string, len(e.State))
	for j, v := range e.State {
		at[j] = fmt.Sprintf("%.4g", v)
	}
	what := fmt.Sprintf("the energy is %g", e.Energy)
	if e.Energy-e.Energy == 0 {
		what = "the gradient is not finite"
	}
	return fmt.Sprintf("rung %d (temperature %g), iteration %d: %s at (%s): the step size %g may be too large for this potential",
		e.Rung, e.Temperature, e.Iteration, what, strings.Join(at, ", "), e.StepSize)
}

func (l *ladder) blowUp(k, replica int) error {
	r := l.block.Rung[replica]
	x := l.original(l.block.State(l.from, replica))
	return &BlowUp{Rung: r + 1, Iteration: k, Temperature: l.at.Temperature[r], StepSize: l.at.StepSize[r],
		Energy: l.block.Energy[replica], State: append([]float64(nil), x...)}
}
