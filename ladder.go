package r2sgld

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/r2sgld/r2sgld/potential"
)

// What a ladder is asked to do before its next iteration.
const (
	quiet uint32 = iota // go on
	save                // leave a copy of the state
	stop                // end here
)

// A ladder is one set of replicas that trade rungs. One goroutine moves it, with those of
// its band.
type ladder struct {
	replicas
	trading
	collection
	shadow   *shadow // sees every step, for a certificate; nil without
	recorder Recorder
	index    int
	names    []string // of the coordinates of draws
	done     int      // iterations behind it
	begun    int      // of them before a resume
	until    int      // the last iteration of the round that a resumed ladder was in
	next     int      // the next iteration whose draw is kept
	torn     bool     // whether it failed within an iteration, so that there is no state to save
	owned    bool     // whether the workspace is one that a goroutine asked for
	rest     int      // bytes of the newest copy of the state, numbers aside

	signal atomic.Uint32
	saved  atomic.Pointer[savedState] // the newest copy of the state
}

// stopped heeds what the ladder is asked to do between two iterations, and reports
// whether that is to end.
func (l *ladder) stopped() bool {
	switch l.signal.Load() {
	case stop:
		return true
	case save:
		l.snapshot()
	}
	return false
}

// end ends iteration k, whose steps are made: rungs trade, and a draw is kept if one is
// due. The energies of all lanes may be finite.
func (l *ladder) end(k int, finite bool) error {
	if !finite {
		if i := l.notFinite(); i >= 0 {
			return l.blowUp(k, i)
		}
	}
	if err := l.mover.Check(l.block); err != nil {
		return fmt.Errorf("iteration %d: %w: begin anew with another kernel, such as hmc", k, err)
	}
	if err := l.shadow.follow(k); err != nil {
		return fmt.Errorf("certificate, iteration %d: %w", k, err)
	}
	err := l.trade(&l.replicas, k) // labels trade, states stay
	if err == nil && l.shadow != nil {
		err = l.shadow.trade(k)
	}
	if err != nil {
		return fmt.Errorf("swaps of iteration %d: %w", k, err)
	}
	l.done = k
	if k < l.next && l.recorder == nil {
		return nil
	}
	if err := l.record(k); err != nil {
		return fmt.Errorf("record iteration %d: %w", k, err)
	}
	return nil
}

// record keeps the draw of iteration k, if it is one to keep, and shows the
// block to the user's recorder.
func (l *ladder) record(k int) error {
	if k >= l.next {
		l.next = l.schedule.Next(k)
		if err := l.keepDraw(); err != nil {
			return err
		}
	}
	if l.recorder == nil {
		return nil
	}
	return l.recorder.Record(k, l.block)
}

// close ends what the evaluators keep outside of this program.
func (l *ladder) close() error {
	return errors.Join(l.lanes.close(), closeAll(l.full), l.shadow.close())
}

// closeAll closes those evaluators that there are.
func closeAll(all ...potential.Evaluator) error {
	var errs []error
	for _, e := range all {
		if e != nil {
			errs = append(errs, potential.Close(e))
		}
	}
	return errors.Join(errs...)
}

// A BlowUp is the end of a run whose energy or gradient stopped being finite.
type BlowUp struct {
	Rung        int // from 1, the coldest
	Iteration   int
	Temperature float64
	StepSize    float64
	Energy      float64
	State       []float64 // in the user's coordinates
	Names       []string  // of the coordinates; nil are numbers alone
}

func (e *BlowUp) Error() string {
	at := make([]string, len(e.State))
	for j, v := range e.State {
		at[j] = fmt.Sprintf("%.4g", v)
		if j < len(e.Names) {
			at[j] = e.Names[j] + " = " + at[j]
		}
	}
	warmth := strings.Replace(fmt.Sprintf("%.4g", e.Temperature), "+Inf", "∞", 1)
	if math.IsNaN(e.Energy) {
		return fmt.Sprintf("rung %d (temperature %s), iteration %d: the energy is NaN at (%s): the potential is not defined there; keep the "+
			"domain away from there, by a bound on a parameter, for instance",
			e.Rung, warmth, e.Iteration, strings.Join(at, ", "))
	}
	what, where, why := fmt.Sprintf("the energy is %g", e.Energy), "", ""
	switch {
	case e.Energy-e.Energy == 0:
		what, where = "the gradient is not finite", fmt.Sprintf(", where the energy is %.4g", e.Energy)
	case e.Energy > 0:
		why = "it grows beyond all numbers, or the density is 0 there, which kernels that refuse steps (hmc, mala) cope with, or "
	case e.Energy < 0:
		why = "the density is infinite there (where it is 0 the energy is +Inf), or "
	}
	return fmt.Sprintf("rung %d (temperature %s), iteration %d: %s at (%s)%s: %sthe step size %.4g may be too large for this potential",
		e.Rung, warmth, e.Iteration, what, strings.Join(at, ", "), where, why, e.StepSize)
}

// blowUp says why the energies of iteration k are not finite.
func (l *ladder) blowUp(k, replica int) error {
	if err := potential.Err(l.potential); err != nil {
		return fmt.Errorf("iteration %d: %w", k, err)
	}
	r := l.block.Rung[replica]
	return &BlowUp{Rung: r + 1, Iteration: k, Temperature: l.at.Temperature[r], StepSize: l.at.StepSize[r],
		Energy: l.block.Energy[replica], State: l.state(replica), Names: l.names}
}
