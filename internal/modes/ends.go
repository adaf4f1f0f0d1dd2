package modes

import (
	"context"
	"math/bits"
)

// ends takes the descents of an order to their ends, which tell their homes: side by side, more and more of them
// while none is found to have been at home before it went on.
func (s *Search) ends(ctx context.Context, t *Target, all []*descent, order, home []int) error {
	ends, spent, most := 0, s.Gradients, int64(0)
	for _, w := range all {
		most += int64(w.asked)
	}
	for width := 1; len(order) > 0; {
		var group []int // of those that no mode is known to be the home of
		var from, to []*descent
		for len(order) > 0 && len(group) < width {
			i := order[0]
			order = order[1:]
			if home[i] = within(s.Modes, all[i]); home[i] < 0 && ends+len(group) < mostEnds && len(s.Modes) < mostModes &&
				s.Gradients-spent <= most {
				group, from, to = append(group, i), append(from, newDescent(t, all[i].x)), append(to, all[i])
				from[len(from)-1].e = all[i].e
			}
		}
		if err := s.finish(ctx, t, to); err != nil {
			return err
		}
		width = min(2*width, lanes)
		for k, i := range group {
			if home[i] = within(s.Modes, from[k]); home[i] >= 0 {
				width = 1
				continue
			}
			if len(s.Modes) == mostModes {
				continue
			}
			ends++
			var err error
			if home[i], err = s.end(ctx, t, to[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostSaddles is how often a descent goes on from a saddle that it has come to.
const mostSaddles = 8

// end is the mode that a finished descent ends in, which may be a new one, -1 for none.
func (s *Search) end(ctx context.Context, t *Target, w *descent) (home int, err error) {
	for saddles := 0; ; saddles++ {
		if home = within(s.Modes, w); home >= 0 || !w.done {
			return home, nil
		}
		cov, lower, asked, err := t.covariance(ctx, w)
		if s.Gradients += int64(asked); err != nil {
			return -1, err
		}
		if lower == nil || saddles == mostSaddles {
			return s.add(ctx, t, w, cov)
		}
		copy(w.x, lower)
		if err := s.finish(ctx, t, []*descent{w}); err != nil {
			return -1, err
		}
	}
}

// finish takes descents to their minima.
func (s *Search) finish(ctx context.Context, t *Target, all []*descent) error {
	if len(all) == 0 {
		return nil
	}
	before := 0
	for _, w := range all {
		before += w.asked
		w.most = w.asked + mostFine
		w.done, w.lost, w.s, w.y = false, false, nil, nil
		w.begun, w.tries = false, 0
		copy(w.next, w.x)
	}
	v := t.idle.take(t.Energy, 1<<bits.Len(uint(len(all)-1))) // few widths: some evaluators are processes
	defer t.idle.put(v)
	err := v.settle(ctx, all, fine, func(int, *descent) bool { return false })
	for _, w := range all {
		s.Gradients += int64(w.asked)
	}
	s.Gradients -= int64(before)
	return err
}
