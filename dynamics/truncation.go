package dynamics

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// coarse is the number of standard deviations of a coefficient that a better
// estimate of the slopes may move it by: noise moves it by one or two.
const coarse = 5

// finer is the estimator of slopes whose error is two orders in the step below that
// of d; false where there is none to be had.
func (d Derivative) finer() (Derivative, bool) {
	switch d.Kind {
	case "", "central":
		return Derivative{Kind: "savgol", Window: 5, Order: 4}, true
	case "savgol":
		return Derivative{Kind: "savgol", Window: d.Window + 2, Order: d.Order + 2}, true
	}
	return Derivative{}, false
}

// truncation warns if the error of the estimated slopes themselves, which steps of
// the data leave and no interval knows of, moves coefficients by more than their
// noise does, and reports whether it did.
func (p *slopes) truncation(s *Series) bool {
	finer, ok := p.model.Derivative.finer()
	if !ok {
		return false
	}
	var states []string
	for _, e := range p.equations {
		states = append(states, e.state)
	}
	better, err := s.slopes(finer, states, p.logarithmic())
	if err != nil {
		return false // fewer rows than it needs: nothing is told
	}
	worst, name := coarse*1.0, ""
	for i, c := range p.raw {
		shift := leastSquaresOf(c.Design, p.gains(i, better), len(c.Index))
		for k, v := range shift {
			if r := math.Abs(v) / p.spread(c.Index[k]); r > worst && !math.IsInf(r, 0) {
				worst, name = r, p.equations[i].parameters[k]
			}
		}
	}
	if name != "" {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the estimated slopes are too coarse for the data: better ones (derivative: {savgol: {window: %d, order: %d}}) move %s by %.0f of its standard deviations. "+
			"The steps between rows do that, not noise, and no interval knows of it. Take those, or likelihood: trajectory.", finer.Window, finer.Order, name, worst))
	}
	return name != ""
}

// gains are better slopes less the observed ones of equation i, 0 where there are
// none.
func (p *slopes) gains(i int, better *rowSlopes) []float64 {
	out := make([]float64, len(p.at[i]))
	for t, row := range p.at[i] {
		k, ok := slices.BinarySearch(better.Row, row)
		if ok && !math.IsNaN(better.Value[i][k]) {
			out[t] = better.Value[i][k] - p.Responses[i].Observed[t]
		}
	}
	return out
}

// leastSquaresOf solves for the n coefficients of a design by rows; nil if it is
// singular.
func leastSquaresOf(design, response []float64, n int) []float64 {
	if n == 0 || len(response) < n {
		return nil
	}
	var x mat.VecDense
	if err := x.SolveVec(mat.NewDense(len(response), n, design), mat.NewVecDense(len(response), response)); err != nil {
		return nil
	}
	return x.RawVector().Data
}
