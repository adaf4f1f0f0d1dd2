package r2sgld

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// lanes are the replicas of ladders that go in step, side by side in one block: what moves
// and evaluates them all at once. Which ladders share them changes no draw.
type lanes struct {
	schedule  *kernel.Schedule
	at        *kernel.At
	block     *kernel.Block
	traits    kernel.Traits
	mover     kernel.Mover
	potential potential.Evaluator
	base      potential.Evaluator // of the base law; nil without
	guide     *guide              // what leads from its law to the density; nil without
	noise     *stream.Lanes       // a lane per replica
	glance    domain.Glance       // at all steps; nil looks at each by itself
	crowd     *domain.Crowd       // in the domain of the problem; nil ends step after step
	hands     []hand              // of the replicas in a crowd
	watch     *watch              // for jumps along steps; nil does not look
	ends      bool                // whether it is the ends of steps that walls see
	closing   sync.Mutex          // of potential and watch

	// the workspace
	spread []float64 // At.Spread of the iteration before
	told   []float64 // energies U
	more   []float64 // what they are more than those that rungs trade by
	may    []bool    // of each replica, whether walls may change its step
}

// set takes step sizes and temperatures to iteration k, and momenta along.
func (w *lanes) set(k int) {
	copy(w.spread, w.at.Spread)
	if !w.schedule.Set(w.at, k) || !w.traits.Carries {
		return
	}
	for i, r := range w.block.Rung {
		w.block.Rescale(i, w.spread[r], w.at.Temperature[r], w.at.Spread[r], w.at.Temperature[r])
	}
}

// move makes a step of iteration k of every replica, up to walls.
func (w *lanes) move(k int) {
	w.mover.Step(w.block, w.at, w.noise)
	if k <= w.schedule.BurnIn {
		w.mover.Warm(w.block)
	}
}

// look finds the steps that walls may change.
func (w *lanes) look() {
	b := w.block
	switch {
	case w.glance == nil:
		return
	case w.ends:
		clear(w.may)
		w.glance(w.may, nil, b.X, b.Stride)
	default:
		clear(w.may)
		w.glance(w.may, b.From, b.X, b.Stride)
	}
	clear(b.Hits)
}

// evaluate evaluates the block at its states.
func (w *lanes) evaluate() {
	b := w.block
	w.potential.Eval(b.Energy, b.Grad, b.X)
	if w.base != nil {
		w.base.Eval(b.Base, b.BaseGrad, b.X)
	}
	w.guide.lead(b, w.base != nil)
}

// tell finds the energies that draws are told with.
func (w *lanes) tell() { w.guide.told(w.told, w.more, w.block, w.base) }

// close ends what the evaluators keep outside of this program, once: ladders that were in one
// band may be in two when bands are made anew, which close what they shared at the same time.
func (w *lanes) close() error {
	w.closing.Lock()
	defer w.closing.Unlock()
	err := closeAll(w.potential)
	if w.watch != nil {
		err = errors.Join(err, closeAll(w.watch.probe))
	}
	w.potential, w.watch = nil, nil
	return err
}

// mostLanes is how many replicas share a block: their numbers stay in the cache.
const mostLanes = 128

// A band is ladders that share lanes.
type band []*ladder

// bands parts the ladders: those that have done equally much go in step, in a band for
// each thread, where evaluators take states one by one.
func (r *run) bands() []band {
	most := 1
	if r.lanewise() {
		most = max(1, min((len(r.all)+r.threads-1)/r.threads, mostLanes/len(r.schedule.Temperature)))
	}
	var all []band
	open := map[int]int{} // by iterations done, the band that has room
	for _, l := range r.all {
		i, ok := open[l.done]
		if !ok || len(all[i]) == most {
			i = len(all)
			open[l.done], all = i, append(all, nil)
		}
		all[i] = append(all[i], l)
	}
	return all
}

// lanewise reports whether ladders may share evaluators. Estimates of the noise of energies,
// and energies over all data, are asked of those of one ladder.
func (r *run) lanewise() bool {
	p := r.problem
	if r.settings.Swap.Estimate.Every > 0 || r.full != nil {
		return false
	}
	return potential.Lanewise(r.potential) && (p.Base == nil || potential.Lanewise(p.Base.Potential)) &&
		(p.Guide == nil || potential.Lanewise(p.Guide.Potential))
}

// own gives the ladders of the band lanes in common, and each a workspace of its own: the
// goroutine that first runs them asks for it, so that no two write to one cache line.
func (b band) own(r *run) error {
	own := b[0].owned
	for _, l := range b {
		own = own && l.owned && l.lanes == b[0].lanes
	}
	if own && b[0].lanes.block.R == len(b)*b[0].block.R {
		return nil
	}
	var all []*replicas
	var errs []error
	for _, l := range b {
		l.owned = true
		l.collection.own(l.block.R, len(l.names))
		all = append(all, &l.replicas)
		errs = append(errs, l.close())
	}
	errs = append(errs, r.join(all...))
	for _, l := range b {
		l.membership(r)
		r.workspace(&l.trading, &l.replicas)
		errs = append(errs, l.shadow.own(r))
	}
	return errors.Join(errs...)
}

// run takes the ladders of the band from where they stand to their last iteration.
func (b band) run() error {
	for _, l := range b {
		l.next = l.schedule.Next(l.done)
	}
	for k := b[0].done + 1; k <= b[0].schedule.Iterations; k++ {
		for _, l := range b {
			if l.signal.Load() != quiet && l.stopped() {
				return context.Canceled
			}
		}
		if err := b.iterate(k); err != nil {
			return err
		}
	}
	return nil
}

// iterate makes the steps and the swaps of iteration k.
func (b band) iterate(k int) error {
	w := b[0].lanes
	for _, l := range b {
		l.streams.Begin(k)
	}
	w.set(k) // step size, temperature per rung
	watched, trade := w.watch.looks(k), b[0].exchange.Due(k)
	for step := range w.traits.Steps {
		w.move(k) // drift and noise: From to X
		if err := b.reflect(); err != nil {
			return fmt.Errorf("iteration %d: %w", k, err)
		}
		if watched {
			w.watch.from.note(w.block)
		}
		w.evaluate() // one minibatch for all rungs
		if watched {
			w.watch.to.note(w.block)
			for _, l := range b {
				w.watch.land(&l.replicas)
			}
		}
		for _, l := range b {
			if trade && step < w.traits.Steps-1 {
				l.jump.note(&l.replicas)
			}
		}
	}
	w.mover.End(w.block, w.at, w.noise)
	for _, l := range b {
		if trade {
			l.jump.settle(&l.replicas)
		}
	}
	if k >= b[0].next {
		w.tell()
	}
	return b.end(k, w.block.NotFinite() < 0)
}

// reflect ends the steps of all replicas inside the domain.
func (b band) reflect() error {
	b[0].look()
	for _, l := range b {
		l.shadow.observe()
		if l.crowd == nil {
			l.reflect() // along that step; fallbacks counted
		}
	}
	if b[0].crowd == nil {
		return nil
	}
	return b.together()
}

// end ends iteration k, whose steps are made. A ladder that fails does not keep the others
// from ending theirs.
func (b band) end(k int, finite bool) error {
	var failed error
	for _, l := range b {
		if err := l.end(k, finite); err != nil {
			l.torn = l.torn || l.done < k
			failed = cmp.Or(failed, fmt.Errorf("ladder %d: %w", l.index+1, err))
		}
	}
	return failed
}
