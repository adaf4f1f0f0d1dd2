package fleet

import (
	"context"
	"time"
)

// A demand is how many cases of a shelf workers took.
type demand struct {
	taken uint64 // so far
	at    time.Time
	short bool // whether the shelf was about to be empty
}

const (
	foresight = 3           // seconds of their demand that are on a shelf
	fewest    = 16          // cases that are, as long as there are so many
	longCase  = time.Second // of which none is kept in reserve
)

// next is the demand once workers have taken more, and how many cases then are to be on the shelf, on which
// some are left.
func (d demand) next(taken uint64, left int, now time.Time) (demand, int) {
	rate := (float64(taken) - float64(d.taken)) / now.Sub(d.at).Seconds() // of a broker that has begun anew it is below 0
	want := int(min(max(fewest, foresight*rate), greatest))
	return demand{taken, now, left < want/2}, want
}

const greatest = 1 << 20 // cases on a shelf while there is a reserve

// reserve keeps cases back that the hands of the run take without asking the broker, which costs as much as
// some milliseconds of work each. What workers need of them is put on the shelf as they take others. Only
// a list of which nobody else knows has a reserve. p.mu is held.
func (p *posting) reserve() {
	p.spare = nil
	for _, i := range p.list.Left[min(fewest, len(p.list.Left)):] {
		if p.stage[i] < ours { // others were done here while the broker was away
			p.stage[i], p.spare = kept, append(p.spare, i)
		}
	}
	p.took = time.Now()
	p.demand = demand{at: p.took, short: true} // nobody has been asked yet
}

// supply puts cases of the reserve on the shelf: as many as workers take in some seconds, and all once hands
// of the run are at one for long, since then the broker costs next to nothing, and whoever ends the run
// leaves more to do.
func (p *posting) supply(ctx context.Context, s *shelf) error {
	p.mu.Lock()
	more, slow := len(p.spare), time.Since(p.took) > longCase
	p.mu.Unlock()
	if more == 0 {
		p.demand.short = false
		return nil
	}
	if !slow {
		about, err := s.hands.Info(ctx)
		if err != nil {
			return err
		}
		left, want := int(about.NumPending), 0
		p.demand, want = p.demand.next(about.Delivered.Consumer, left, time.Now())
		more = want - left
	}
	var some []*errand
	p.mu.Lock()
	more = max(0, min(more, len(p.spare))) // hands took some meanwhile
	for _, i := range p.spare[:more] {
		p.stage[i] = offered
		some = append(some, p.errand[i])
	}
	p.spare = p.spare[more:]
	p.mu.Unlock()
	if err := s.put(ctx, some); err != nil {
		p.posted = false // as far as is known
		return err
	}
	return nil
}
