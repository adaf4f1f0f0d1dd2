package runner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/figure"
)

// quantileResiduals are those of Dunn and Smyth (1996): the standard normal quantile of the share of draws
// of a value that are less than what was observed. Of ties a part counts, another for each value, evenly
// spread. They are against the mean of the draws. ok is false where a draw is no number.
func quantileResiduals(q figure.Predicted) (r figure.Response, ok bool) {
	n := len(q.Observed)
	r = figure.Response{Axis: figure.Axis{Name: q.Axis.Name}, Fitted: make([]float64, n), SD: 1, Each: "row"}
	for i, y := range q.Observed {
		below, ties, mean := 0.0, 0.0, 0.0
		for _, d := range q.Drawn {
			switch {
			case d[i] < y:
				below++
			case d[i] == y:
				ties++
			}
			mean += d[i] / float64(len(q.Drawn))
		}
		if mean-mean != 0 || y != y {
			return r, false
		}
		const golden = math.Phi - 1 // multiples of which are evenly spread
		_, part := math.Modf(golden * float64(i+1))
		u := (below + part*(ties+1)) / float64(len(q.Drawn)+1)
		r.Time, r.Observed = append(r.Time, mean), append(r.Observed, distuv.UnitNormal.Quantile(u))
	}
	order := make([]int, n)
	floats.Argsort(r.Time, order)
	z := slices.Clone(r.Observed)
	for i, k := range order {
		r.Observed[i] = z[k]
	}
	return r, true
}

// rowResiduals are the residuals of what was predicted.
func (x *execution) rowResiduals() (all []figure.Response) {
	for _, q := range x.predicted {
		if r, ok := quantileResiduals(q); ok && len(all) < figure.MostPanels/2 {
			all = append(all, r)
		}
	}
	return all
}
