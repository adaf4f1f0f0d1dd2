package r2sgld

import (
	"context"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// replicas are the states of one ladder, one on each rung, and what keeps them between
// walls.
type replicas struct {
	*lanes                // what moves them, with those of other ladders
	block   *kernel.Block // of the lanes those of the ladder
	first   int           // of its lanes
	frame   frame
	streams *stream.Set
	fresh   int // the rung whose states come from source; -1 is none
	source  source
	tally   []domain.Tally // per rung, but for the steps
	steps   int64          // of every replica, that the tally has not
	asked   []int64        // in a crowd, one number: the values of surfaces that steps asked for
	corners []corner       // per rung, where a step was last given up
	jumps   []Jumps        // per rung; nil where none are looked for
	jump    *independence  // of the coldest rung to states of the hottest; nil where there are none

	hand // the workspace
}

// A hand is what the step of one replica is held in while it is ended.
type hand struct {
	reflector domain.Reflector // nil lets steps go
	from, to  []float64        // one state
	v         []float64        // its momentum; nil without
	hits      int              // of the wall
	ok        bool             // whether the step could be ended inside
}

// end ends the step.
func (h *hand) end() { h.hits, h.ok = h.reflector.Reflect(h.from, h.to, h.v) }

// hand returns what ends a step of the replicas in a domain.
func (r *run) hand(l *replicas, d domain.Domain) (h hand, err error) {
	h.from, h.to = make([]float64, l.block.D), make([]float64, l.block.D)
	if l.block.V != nil {
		h.v = make([]float64, l.block.D)
	}
	if d != nil {
		h.reflector, err = domain.NewReflector(d, r.rule(), r.settings.Cap)
	}
	return h, err
}

// A source gives states to the hottest rung.
type source interface {
	// draw writes a state, in the coordinates of the kernel, to h.to, and may draw from
	// the noise of replica i.
	draw(l *replicas, h *hand, i int)
}

// A lawSource draws from the law at infinite temperature.
type lawSource struct{ *Drawer }

// draw stays where it is if the law fails.
func (s lawSource) draw(l *replicas, h *hand, i int) {
	rng := l.random(i)
	if x := l.frame.x; s.Draw(context.Background(), x, rng) == nil {
		l.frame.inverse(h.to, x)
	} else {
		copy(h.to, h.from)
	}
	if l.traits.Carries {
		for j := range h.v {
			h.v[j] = l.at.Spread[l.fresh] * rng.NormFloat64()
		}
	}
}

// random is the stream of replica i.
func (l *replicas) random(i int) *stream.Rand { return l.noise.Of(l.first + i) }

// notFinite returns the first replica whose energy is not finite, or whose
// gradient is not, -1 if there is none. At infinite temperature neither an
// energy of +Inf nor the gradient matters.
func (l *replicas) notFinite() int {
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

// reflect ends the step of every replica inside the domain.
func (l *replicas) reflect() {
	l.steps++
	if l.fresh >= 0 {
		l.refresh(&l.hand, l.block.Replica(l.fresh))
	}
	switch {
	case l.traits.Paths:
		for i, r := range l.block.Rung {
			if !math.IsInf(l.at.Temperature[r], 1) {
				l.arrived(&l.tally[r], i)
			} else if r != l.fresh && l.reflector != nil {
				l.bounce(&l.hand, i, r)
			}
		}
	case l.reflector != nil:
		rung := l.block.Rung
		for i, may := range l.may[l.first:][:len(rung)] {
			if may && rung[i] != l.fresh {
				l.bounce(&l.hand, i, rung[i])
			}
		}
	}
}

// refresh draws the state of replica i from the source.
func (l *replicas) refresh(h *hand, i int) {
	l.gather(h, i)
	l.source.draw(l, h, i)
	l.block.Hits[i] = 0
	l.scatter(h, i)
}

// bounce ends the step of replica i, on rung r, inside the domain.
func (l *replicas) bounce(h *hand, i, r int) {
	l.gather(h, i)
	h.end()
	l.ended(h, i, r)
}

// ended takes over the end of the step of replica i, on rung r.
func (l *replicas) ended(h *hand, i, r int) {
	t := &l.tally[r]
	l.block.Hits[i] = h.hits
	if h.hits == 0 && h.ok {
		return
	}
	t.Reflected++
	t.Reflections += int64(h.hits)
	if h.ok {
		l.watch.lean(l, h, i, r)
	} else {
		t.Fallbacks++
		if s, ok := h.reflector.(domain.Stuck); ok {
			l.corners[r].set(s.LastFallback())
		}
		if !l.traits.Metropolis { // a trajectory that turns back is as good as any
			l.withoutDrift(h, i, r)
		}
	}
	l.scatter(h, i)
}

// counted is the tally, with the steps made.
func (l *replicas) counted() []domain.Tally {
	for r := range l.tally {
		if r != l.fresh {
			l.tally[r].Steps += l.steps
		}
	}
	l.steps = 0
	return l.tally
}

// arrived counts the path of replica i.
func (l *replicas) arrived(t *domain.Tally, i int) {
	if hits := l.block.Hits[i]; hits > 0 {
		t.Reflected++
		t.Reflections += int64(hits)
	}
	if l.mover.Stuck(l.first + i) {
		t.Fallbacks++
	}
}

// gather copies the step of replica i, and its momentum, out of the block.
func (l *replicas) gather(h *hand, i int) {
	b := l.block
	for j := range h.from {
		h.from[j], h.to[j] = b.From[j*b.Stride+i], b.X[j*b.Stride+i]
	}
	for j := range h.v {
		h.v[j] = b.V[j*b.Stride+i]
	}
}

// scatter copies the end of the step, and the momentum, back.
func (l *replicas) scatter(h *hand, i int) {
	b := l.block
	for j, v := range h.to {
		b.X[j*b.Stride+i] = v
	}
	for j, v := range h.v {
		b.V[j*b.Stride+i] = v
	}
}

// withoutDrift takes the step of replica i, on rung r, again without its drift
// and with fresh noise (with a fresh momentum, if there is one), after a step
// that could not be ended inside; if this one cannot either, the replica stays.
// Staying alone would be a trap: where the potential is infinite at the wall, a
// replica that lands within rounding of it has a drift that no number of
// mirrorings uses up, and so it has in the next iteration.
func (l *replicas) withoutDrift(h *hand, i, r int) {
	for j, x := range h.from {
		v := l.at.Spread[r] * l.random(i).NormFloat64()
		if l.traits.Carries {
			h.v[j] = v
		}
		h.to[j] = x + v
	}
	h.end()
	l.tally[r].Reflections += int64(h.hits)
}

// state returns the state of a replica as draws are kept.
func (l *replicas) state(replica int) []float64 {
	return append([]float64(nil), l.frame.shown(l.block.State(l.from, replica))...)
}

// moves are those that the mover counts of the ladder.
func (l *replicas) moves() []kernel.Moves {
	all := l.mover.Moves()
	if all == nil {
		return nil
	}
	return all[l.first : l.first+l.block.R]
}

// handOver gives what the mover remembers of the ladder to that of other lanes, where its
// own begin at first.
func (l *replicas) handOver(w *lanes, first int) {
	for i, v := range l.numbers() {
		if *v == nil {
			continue
		}
		to := w.mover.Numbers()[i]
		if *to == nil {
			*to = make([]float64, w.block.R)
		}
		copy((*to)[first:], *v)
	}
	if moves := l.moves(); moves != nil {
		copy(w.mover.Moves()[first:], moves)
	}
}

// numbers are those of the mover that are of the ladder.
func (l *replicas) numbers() []*[]float64 {
	all := l.mover.Numbers()
	if l.block.R == l.lanes.block.R {
		return all
	}
	var own []*[]float64
	for _, v := range all {
		part := *v
		if part != nil {
			part = part[l.first : l.first+l.block.R]
		}
		own = append(own, &part)
	}
	return own
}

// apart is the block of the ladder if it has lanes of its own, else a copy.
func (l *replicas) apart() *kernel.Block {
	b := l.block
	if b.R == b.Stride {
		return b
	}
	c := kernel.NewBlock(b.R, b.D)
	if b.Base != nil {
		c.WithBase()
	}
	if b.V != nil {
		c.V = make([]float64, len(c.X))
	}
	c.Copy(b)
	return c
}
