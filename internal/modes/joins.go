package modes

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A Join is where two groups of minima meet: the lowest way from one group to the other by
// straight lines from minimum to minimum.
type Join struct {
	Between [2]int `json:"between"` // the ends of the line, of which each group has one, counted from 0
	// Energy is the highest E on the line, at least that of both ends; NaN where every line
	// leaves the domain or meets energies that are no numbers, or none was followed.
	Energy float64 `json:"energy"`
}

// Joins makes one group of the minima of n valleys, the lowest barriers first: n − 1 joins, those that
// are not known last. It follows a line between every two of as many of the first valleys as that many
// gradients allow, two at least, from where they are closest, by 30 points each, and returns how many
// gradients it took. The highest E of the way from one valley to another that climbs least is that of
// the highest join between them (a minimum spanning tree).
func (t *Target) Joins(ctx context.Context, at []Mode, gradients int64) ([]Join, int64, error) {
	const each = 2 * between
	group := Valleys(at)
	first := slices.Compact(slices.Sorted(slices.Values(group)))
	few := len(first)
	for few > 2 && int64(few*(few-1)/2*each) > gradients {
		few--
	}
	v := newEvaluator(t.Energy, between)
	defer v.close()
	var all []Join
	asked := int64(0)
	for i := range few {
		for j := range i {
			line := closest(at, group, first[j], first[i])
			top, n, err := t.highest(v, &at[line[0]], &at[line[1]])
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return nil, 0, err
			}
			if asked += int64(n); top == top {
				all = append(all, Join{line, top})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b Join) int { return cmp.Compare(a.Energy, b.Energy) })
	for i := range at { // what no line joins
		all = append(all, Join{[2]int{0, i}, math.NaN()})
	}
	out := []Join{}
	for _, j := range all {
		a, b := group[j.Between[0]], group[j.Between[1]]
		if a == b {
			continue
		}
		for i, g := range group {
			if g == b {
				group[i] = a
			}
		}
		out = append(out, j)
	}
	return out, asked, nil
}

// closest are the modes of two valleys that are closest.
func closest(all []Mode, valley []int, a, b int) (pair [2]int) {
	least := math.Inf(1)
	for i := range all {
		for j := range all {
			if valley[i] != a || valley[j] != b {
				continue
			}
			if far := all[i].far(&all[j]); far < least || least == math.Inf(1) {
				pair, least = [2]int{i, j}, far
			}
		}
	}
	return pair
}

// highest is the highest E on the straight line between two minima, and how many gradients it
// took: at points that are evenly spread and at more around the highest of them.
func (t *Target) highest(v *evaluator, a, b *Mode) (top float64, asked int, err error) {
	top = max(a.Energy, b.Energy)
	if t.Domain != nil && leaves(t.Domain.Tracer(), a.X, b.X, make([]float64, len(a.X))) {
		return math.NaN(), 0, nil
	}
	from, to := 0.0, 1.0
	for range 2 {
		if err := v.walk(a.X, b.X, from, to); err != nil {
			return 0, asked, err
		}
		asked += between
		best := 0
		for i, e := range v.energy {
			if e-e != 0 {
				return math.NaN(), asked, nil
			}
			if e > v.energy[best] {
				best = i
			}
		}
		top = max(top, v.energy[best])
		step := (to - from) / (between + 1)
		at := from + step*float64(best+1)
		from, to = max(0, at-step), min(1, at+step)
	}
	return top, asked, nil
}
