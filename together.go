package r2sgld

import (
	"context"

	"github.com/r2sgld/r2sgld/domain"
)

// herd sets up a crowd, where the walls of the domain are asked for elsewhere: a hand for each
// replica, and draws of the hottest rungs that ask through it too.
func (r *run) herd(w *lanes, all []*replicas) (err error) {
	if r.domain == nil || r.traits.Paths {
		return nil
	}
	if w.crowd = domain.NewCrowd(r.problem.Domain); w.crowd == nil {
		return nil
	}
	d, err := r.frame.domain(w.crowd.Domain())
	if err != nil {
		return err
	}
	for _, l := range all {
		if l.asked == nil {
			l.asked = make([]int64, 1)
		}
		for range l.block.R {
			h, err := r.hand(l, d)
			if err != nil {
				return err
			}
			w.hands = append(w.hands, h)
		}
		if _, drawn := l.source.(lawSource); drawn {
			drawer, err := r.problem.drawer(context.Background(), w.crowd)
			if err != nil {
				return err
			}
			l.source = lawSource{drawer}
		}
	}
	return nil
}

// together ends the steps of all replicas side by side: what they ask of the walls is asked at
// once. What is counted is so in their order. It fails where the walls are not told any more.
func (b band) together() error {
	w, rungs := b[0].lanes, b[0].block.R
	w.crowd.Do(len(w.hands), func(lane int) {
		l, i, h := b[lane/rungs], lane%rungs, &w.hands[lane]
		switch {
		case l.block.Rung[i] == l.fresh:
			l.refresh(h, i)
		case w.may[lane]:
			l.gather(h, i)
			h.end()
		}
	})
	for lane := range w.hands {
		l, i := b[lane/rungs], lane%rungs
		r := l.block.Rung[i]
		l.asked[0] += w.crowd.Asked(lane)
		if r != l.fresh && w.may[lane] {
			l.ended(&w.hands[lane], i, r)
		}
	}
	err := domain.Err(w.crowd.Domain())
	for _, l := range b {
		l.steps++
		l.torn = l.torn || err != nil
	}
	return err
}
