package runner

import (
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/tune"
)

// basins are the modes of a as a figure shows them; none where a is nil.
func basins(a *tune.Audit) figure.Basins {
	var q figure.Basins
	if a == nil {
		return q
	}
	q.Missing = a.Missing
	for _, v := range a.Modes {
		q.Energy, q.Weight = append(q.Energy, v.Energy), append(q.Weight, v.Weight)
	}
	for _, j := range a.Barriers {
		q.Joins = append(q.Joins, figure.Join{A: j.Between[0], B: j.Between[1], Energy: j.Energy})
	}
	return q
}

// minima are those of several modes, in the order in which parameters are shown, with the
// weights of their basins; none of one mode alone.
func minima(a *tune.Audit, shown []int) (at [][]float64, weight []float64) {
	if a == nil || len(a.Modes) < 2 {
		return nil, nil
	}
	for _, v := range a.Modes {
		var x []float64
		for _, j := range shown {
			x = append(x, v.At[j])
		}
		at, weight = append(at, x), append(weight, v.Weight)
	}
	return at, weight
}
