package modes

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Lead says where descents from points, n × d, end: at which of some modes, or -1 at none of
// them. Each goes in steps no longer than the normal laws of the valley near its point are wide, so
// that none steps over a barrier. It returns how many gradients it took: ways to valleys, for points that
// end between the modes of one of several alike, are looked for until that are so many.
func (t *Target) Lead(ctx context.Context, to []Mode, at []float64, near []int, most int64) (home []int, gradients int64, err error) {
	d, whole := len(to[0].X), *t
	whole.idle, whole.Flat = &idle{}, 1
	_, whole.Width = extent(to)
	defer whole.idle.close()
	own, inv := make([]Target, len(to)), make([][][]float64, len(to))
	pieces := make([]int, len(to)) // of its valley
	for _, several := range Pieces(to) {
		widths := narrowest(pick(to, several))
		for _, k := range several {
			own[k], inv[k] = *t, inverse(to[k].L)
			own[k].Flat, own[k].Width, pieces[k] = 1, widths, len(several)
		}
	}
	all := make([]*descent, len(near))
	for i, k := range near {
		all[i] = newDescent(&own[k], at[i*d:(i+1)*d])
	}
	if err := t.settle(ctx, all, mostFine, fine, func(int, *descent) bool { return false }); err != nil {
		return nil, 0, err
	}
	home = make([]int, len(near))
	for i, w := range all {
		gradients += int64(w.asked)
		home[i] = -1
		for k, nearest := 0, 1.0; w.done && k < len(to); k++ {
			if pieces[k] > 1 { // whose laws reach far beyond their valley
				continue
			}
			if far := white(w.v, inv[k], w.x, to[k].X); far < nearest && math.Abs(w.e-to[k].Energy) < barrier {
				home[i], nearest = k, far
			}
		}
		if home[i] < 0 && w.done && gradients < most {
			asked := 0
			if home[i], asked, err = whole.between(ctx, to, w); err != nil {
				return nil, 0, err
			}
			gradients += int64(asked)
		}
	}
	return home, gradients, nil
}

// between is the closest mode of the valley that the end of a descent lies in, -1 for none: of the one whose
// floor is as high, or of several such of the one that a level way leads to. It took so many gradients.
func (t *Target) between(ctx context.Context, all []Mode, w *descent) (home, asked int, err error) {
	home = -1
	var as []int // the closest modes of such valleys
	for first, several := range Pieces(all) {
		if len(several) == 1 || math.Abs(all[first].Energy-w.e) >= barrier {
			continue
		}
		as = append(as, slices.MinFunc(several, func(a, b int) int {
			return cmp.Compare(t.apart(all[a].X, w.x), t.apart(all[b].X, w.x))
		}))
	}
	slices.SortStableFunc(as, func(a, b int) int { return cmp.Compare(t.apart(all[a].X, w.x), t.apart(all[b].X, w.x)) })
	if len(as) == 1 {
		return as[0], 0, nil
	}
	for _, k := range as {
		level, n, err := t.level(ctx, &Mode{X: w.x, Energy: w.e}, &all[k])
		if asked += n; level || err != nil {
			return k, asked, err
		}
	}
	return -1, asked, nil
}
