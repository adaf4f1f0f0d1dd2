package r2sgld

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	names     []string // of the coordinates
	done      int      // iterations behind it
	begun     int      // of them before a resume
	torn      bool     // whether it failed within an iteration, so that there is no state to save
	until     int      // the last iteration of the round that a resumed ladder was in
	keep      int      // the next iteration whose draw is kept
	schedule  *kernel.Schedule
	at        *kernel.At
	block     *kernel.Block
	potential potential.Evaluator
	base      potential.Evaluator // of the base law; nil without
	full      potential.Evaluator // over all data, for swaps; nil where potential will do
	reflector domain.Reflector    // nil lets steps go
	domain    domain.Domain       // of the draws, to count those outside; nil counts none
	exchange  *exchange.Exchange
	streams   *stream.Set
	noise     []*stream.Rand // per replica
	uniform   *stream.Rand   // for swaps
	whitening *Whitening
	mirror    *domain.Mirror // of the domain; nil moves in the user's coordinates
	chart     *Chart         // nil keeps draws in the user's coordinates
	recorder  Recorder
	keeper    Keeper
	draws     Draws
	kept      int // draws so far
	stride    int // of them, every stride-th is held
	max       int // draws held at most; 0 is all
	fresh     int // the rung whose states are drawn afresh, from law; -1 is none
	law       Law
	toKernel  func(z, x []float64)
	tally     []domain.Tally // per rung
	traits    kernel.Traits
	mover     kernel.Mover
	corners   []corner // per rung, where a step was last given up
	watch     *watch   // for jumps; nil does not look
	inside    bool     // whether draws outside the domain are dropped
	rest      int      // bytes of the newest copy of the state, draws aside
	owned     bool     // whether the workspace is that of the goroutine
	shadow    *shadow  // with half the step, for a certificate, and a shadow of its own; nil without
	lead      *ladder  // whose shadow the ladder is; nil for a run's own

	// the workspace
	from, to []float64   // one state
	point    []float64   // one as it is shown
	v        []float64   // its momentum; nil without
	rows     [][]float64 // one state per rung
	energies []float64   // one per replica or rung
	slope    []float64   // a gradient that nobody asks for
	batches  [][]float64 // energies on fresh minibatches
	spread   []float64   // At.Spread of the iteration before
	rung     []int       // labels before a sweep

	signal atomic.Uint32
	saved  atomic.Pointer[savedState] // the newest copy of the state
}

// set takes step sizes and temperatures to iteration k, and momenta along.
func (l *ladder) set(k int) {
	copy(l.spread, l.at.Spread)
	if !l.schedule.Set(l.at, k) || !l.traits.Carries {
		return
	}
	for i, r := range l.block.Rung {
		l.block.Rescale(i, l.spread[r], l.at.Temperature[r], l.at.Spread[r], l.at.Temperature[r])
	}
}

// move makes a step of iteration k of every replica, up to walls.
func (l *ladder) move(k int) {
	l.mover.Step(l.block, l.at, l.noise)
	if k <= l.schedule.BurnIn {
		l.mover.Warm(l.block)
	}
}

// evaluate evaluates the block at its states.
func (l *ladder) evaluate() {
	b := l.block
	l.potential.Eval(b.Energy, b.Grad, b.X)
	if l.base != nil {
		l.base.Eval(b.Base, b.BaseGrad, b.X)
	}
}

// trade lets the rungs of iteration k trade. The momentum of a replica that
// changed its rung is taken to the equilibrium of its new one. It fails where the full
// potential does.
func (l *ladder) trade(k int) error {
	b := l.block
	if n := l.exchange.Wanted(k); n > 0 {
		for len(l.batches) < n {
			l.batches = append(l.batches, make([]float64, b.R))
		}
		for _, energy := range l.batches[:n] {
			l.potential.Eval(energy, l.slope, b.X)
		}
		l.exchange.Observe(b.Rung, l.batches[:n])
	}
	if k == l.schedule.BurnIn+1 {
		l.exchange.Reset() // what it tells is that of the draws
	}
	energy := b.Energy
	if l.full != nil {
		if !l.exchange.Due(k) {
			return nil
		}
		energy = l.energies
		l.full.Eval(energy, l.slope, b.X)
		if err := potential.Err(l.full); err != nil {
			return err
		}
	}
	if l.traits.Carries {
		copy(l.rung, b.Rung)
	}
	l.exchange.Sweep(k, b.Rung, energy, l.at.Temperature, &l.uniform.Rand)
	if !l.traits.Carries {
		return nil
	}
	for i, r := range b.Rung {
		if was := l.rung[i]; r != was {
			b.Rescale(i, l.at.Spread[was], l.at.Temperature[was], l.at.Spread[r], l.at.Temperature[r])
		}
	}
	return nil
}

// notFinite returns the first replica whose energy is not finite, or whose
// gradient is not, -1 if there is none. At infinite temperature neither an
// energy of +Inf nor the gradient matters.
func (l *ladder) notFinite() int {
	b := l.block
	i := b.NotFinite()
	if i < 0 || !math.IsInf(l.schedule.Temperature[b.R-1], 1) {
		return i
	}
	for i, r := range b.Rung {
		if u := b.Energy[i]; r == b.R-1 && u > math.Inf(-1) || u-u == 0 && !b.SlopeNotFinite(i) {
			continue
		}
		return i
	}
	return -1
}

// close ends what the evaluators keep outside of this program.
func (l *ladder) close() error {
	err := potential.Close(l.potential)
	if l.full != nil {
		err = errors.Join(err, potential.Close(l.full))
	}
	if l.shadow != nil {
		err = errors.Join(err, l.shadow.close())
	}
	return err
}

// reflect ends the step of every replica inside the domain.
func (l *ladder) reflect() {
	b := l.block
	for i, r := range b.Rung {
		if r == l.fresh {
			l.gather(i)
			l.refresh(i, r)
			continue
		}
		t := &l.tally[r]
		t.Steps++
		if l.traits.Paths && !math.IsInf(l.at.Temperature[r], 1) {
			l.arrived(t, i)
			continue
		}
		if l.reflector == nil {
			continue
		}
		l.gather(i)
		hits, ok := l.reflector.Reflect(l.from, l.to, l.v)
		b.Hits[i] = hits
		if hits == 0 && ok {
			continue
		}
		t.Reflected++
		t.Reflections += int64(hits)
		if !ok {
			t.Fallbacks++
			if s, ok := l.reflector.(domain.Stuck); ok {
				l.corners[r].set(s.LastFallback())
			}
			if !l.traits.Metropolis { // a trajectory that turns back is as good as any
				l.withoutDrift(i, r)
			}
		}
		l.scatter(i)
	}
}

// arrived counts the path of replica i.
func (l *ladder) arrived(t *domain.Tally, i int) {
	if hits := l.block.Hits[i]; hits > 0 {
		t.Reflected++
		t.Reflections += int64(hits)
	}
	if l.mover.Stuck(i) {
		t.Fallbacks++
	}
}

// refresh draws the state of replica i, on rung r, from the law at infinite
// temperature; a shadow takes the state of its lead.
func (l *ladder) refresh(i, r int) {
	if l.lead != nil {
		l.lead.block.State(l.to, l.lead.block.Replica(r))
		l.block.Hits[i] = 0
		l.scatter(i)
		return
	}
	rng := l.noise[i]
	x := l.rows[r][:l.block.D]
	if l.law.Draw(context.Background(), x, &rng.Rand) == nil {
		l.toKernel(l.to, x)
	} else {
		copy(l.to, l.from)
	}
	if !l.traits.Metropolis { // else the momentum stays, and so does H: the trajectory is accepted
		for j := range l.v {
			l.v[j] = l.at.Spread[r] * rng.NormFloat64()
		}
	}
	l.block.Hits[i] = 0
	l.scatter(i)
}

// gather copies the step of replica i, and its momentum, out of the block.
func (l *ladder) gather(i int) {
	b := l.block
	for j := range l.from {
		l.from[j], l.to[j] = b.From[j*b.R+i], b.X[j*b.R+i]
	}
	for j := range l.v {
		l.v[j] = b.V[j*b.R+i]
	}
}

// scatter copies the end of the step, and the momentum, back.
func (l *ladder) scatter(i int) {
	b := l.block
	for j, v := range l.to {
		b.X[j*b.R+i] = v
	}
	for j, v := range l.v {
		b.V[j*b.R+i] = v
	}
}

// withoutDrift takes the step of replica i, on rung r, again without its drift
// and with fresh noise (with a fresh momentum, if there is one), after a step
// that could not be ended inside; if this one cannot either, the replica stays.
// Staying alone would be a trap: where the potential is infinite at the wall, a
// replica that lands within rounding of it has a drift that no number of
// mirrorings uses up, and so it has in the next iteration.
func (l *ladder) withoutDrift(i, r int) {
	for j, x := range l.from {
		v := l.at.Spread[r] * l.noise[i].NormFloat64()
		if l.v != nil && l.lead == nil {
			l.v[j] = v
		}
		l.to[j] = x + v
	}
	hits, _ := l.reflector.Reflect(l.from, l.to, l.v)
	l.tally[r].Reflections += int64(hits)
}

// record keeps the draw of iteration k, if it is one to keep, and shows the
// block to the user's recorder.
func (l *ladder) record(k int) error {
	if k >= l.keep {
		l.keep = l.schedule.Next(k)
		if err := l.keepDraw(); err != nil {
			return err
		}
	}
	if l.recorder == nil {
		return nil
	}
	return l.recorder.Record(k, l.block)
}

// keepDraw keeps the states and energies of all rungs.
func (l *ladder) keepDraw() error {
	b := l.block
	if l.inside && !l.domain.Contains(l.shown(b.State(l.from, b.Replica(0)))) {
		l.tally[0].Outside++
		return nil
	}
	if l.kept++; l.max > 0 && l.draws.X[0] == nil {
		l.room()
	}
	held := l.kept%l.stride == 0
	for i, r := range b.Rung {
		x := l.shown(b.State(l.from, i))
		if r == 0 && l.domain != nil && !l.domain.Contains(x) {
			l.tally[r].Outside++
		}
		if held {
			l.draws.X[r] = append(l.draws.X[r], x...)
			l.draws.Energy[r] = append(l.draws.Energy[r], b.Energy[i])
		}
		if l.keeper != nil {
			copy(l.rows[r], x)
			l.energies[r] = b.Energy[i]
		}
	}
	if held && l.shadow != nil {
		l.shadow.keep()
	}
	if held && l.max > 0 && len(l.draws.Energy[0]) > l.max {
		l.draws.halve()
		if l.shadow != nil {
			l.shadow.halve()
		}
		l.stride *= 2
	}
	if l.keeper == nil {
		return nil
	}
	err := l.keeper.Keep(l.rows, l.energies)
	l.torn = err != nil
	return err
}

// room makes room for as many draws as will be held, so that memory does not
// depend on how slices grow.
func (l *ladder) room() {
	n := min((l.schedule.Iterations-l.schedule.BurnIn)/l.schedule.Thin, l.max) + 1
	for r := range l.draws.X {
		l.draws.X[r] = make([]float64, 0, n*len(l.names))
		l.draws.Energy[r] = make([]float64, 0, n)
	}
	if l.shadow != nil {
		l.shadow.room(n)
	}
}

// original maps a state of the kernel to the user's coordinates. It may use
// l.to and return it.
func (l *ladder) original(z []float64) []float64 {
	if l.mirror != nil {
		l.mirror.Primal(l.to, z)
		return l.to
	}
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

// shown maps a state of the kernel to what draws are kept in. It may use l.to and
// l.point and return one of them.
func (l *ladder) shown(z []float64) []float64 {
	x := l.original(z)
	if l.chart == nil {
		return x
	}
	l.chart.Point(l.point, x)
	return l.point
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
	warmth := strings.Replace(fmt.Sprintf("%g", e.Temperature), "+Inf", "∞", 1)
	if math.IsNaN(e.Energy) {
		return fmt.Sprintf("rung %d (temperature %s), iteration %d: the energy is NaN at (%s): the potential is not defined there; keep the domain away from there",
			e.Rung, warmth, e.Iteration, strings.Join(at, ", "))
	}
	what := fmt.Sprintf("the energy is %g", e.Energy)
	if e.Energy-e.Energy == 0 {
		what = "the gradient is not finite"
	}
	return fmt.Sprintf("rung %d (temperature %s), iteration %d: %s at (%s): the step size %g may be too large for this potential",
		e.Rung, warmth, e.Iteration, what, strings.Join(at, ", "), e.StepSize)
}

// blowUp says why the energies of iteration k are not finite.
func (l *ladder) blowUp(k, replica int) error {
	if err := potential.Err(l.potential); err != nil {
		return fmt.Errorf("iteration %d: %w", k, err)
	}
	r := l.block.Rung[replica]
	return &BlowUp{Rung: r + 1, Iteration: k, Temperature: l.at.Temperature[r], StepSize: l.at.StepSize[r],
		Energy: l.block.Energy[replica], State: l.state(replica)}
}

// state returns the state of a replica as draws are kept.
func (l *ladder) state(replica int) []float64 {
	return append([]float64(nil), l.shown(l.block.State(l.from, replica))...)
}
