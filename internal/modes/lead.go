package modes

import (
	"context"
	"math"
)

// Lead says where descents from points, n × d, end: at which of some modes, or -1 at none of
// them. Each goes in steps no longer than the normal law of the mode near its point is wide, so
// that none steps over a barrier. It returns how many gradients it took.
func (t *Target) Lead(ctx context.Context, to []Mode, at []float64, near []int) (home []int, gradients int64, err error) {
	d := len(to[0].X)
	own, inv := make([]Target, len(to)), make([][][]float64, len(to))
	for k, m := range to {
		own[k], inv[k] = *t, inverse(m.L)
		own[k].Flat, own[k].Width = 1, make([]float64, d)
		for j, row := range m.L {
			for _, l := range row {
				own[k].Width[j] = math.Hypot(own[k].Width[j], l)
			}
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
			if far := white(w.v, inv[k], w.x, to[k].X); far < nearest && math.Abs(w.e-to[k].Energy) < barrier {
				home[i], nearest = k, far
			}
		}
	}
	return home, gradients, nil
}
