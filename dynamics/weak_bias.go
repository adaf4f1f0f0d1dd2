package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Noise of the size of noiseShare times that of the data is added to them
// noisePairs times, and as often its opposite.
const (
	noisePairs = 8
	noiseShare = 0.5
)

// without is the estimate without what noise of the states adds to it, to second
// order: noise in the integrals of the right-hand sides hangs together with the
// residuals, which pulls coefficients towards 0; squares of states grow by its
// variance; and it enters the covariance.
//
// That is found by simulation and extrapolation (Cook and Stefanski 1994): noise of
// s times the size multiplies it by 1 + s². Noise e and −e move the estimate by
// opposite amounts to first order; half the sum of both leaves ½ eᵀHe, H being
// the second derivative by the data. Its variance, of a few pairs, is small beside
// that of the estimate, in which εᵀHε has a part of that size itself. (The log
// determinant of the covariance as a function of the parameters, which the density
// of the residuals has, adds the pull towards 0 once more: it is left out.)
func (w *weakly) without(again func(*weakly) (estimator, error)) []float64 {
	better := append([]float64(nil), w.Estimate...)
	rng := rand.New(rand.NewPCG(1, 3))
	e := make([][]float64, len(w.model.States))
	for range noisePairs {
		for k := range e {
			e[k] = make([]float64, w.series.rows())
			for t := range e[k] {
				e[k][t] = noiseShare * w.sd[k] * rng.NormFloat64()
			}
		}
		for _, sign := range []float64{1, -1} {
			x, err := w.estimateWith(e, sign, again)
			if err != nil {
				w.Warnings = append(w.Warnings, fmt.Sprintf("what noise of the states adds to the estimates is left in them: with a quarter more of "+
					"its variance, %v.", err))
				return w.Estimate
			}
			for j, v := range x {
				better[j] -= (v - w.Estimate[j]) / (2 * noisePairs * noiseShare * noiseShare)
			}
		}
	}
	return better
}

// estimateWith is the estimate of the states with sign·e added.
func (w *weakly) estimateWith(e [][]float64, sign float64, again func(*weakly) (estimator, error)) ([]float64, error) {
	q := w.with(e, sign)
	fit, err := again(q)
	if err != nil {
		return nil, err
	}
	x, _, err := q.settle(fit, w.Estimate, 2) // each leaves a tenth at most of what the last did
	if err == nil && !finite(x) {
		err = fmt.Errorf("there is no fit")
	}
	return x, err
}

// with is the weak form of the states with sign·e added.
func (w *weakly) with(e [][]float64, sign float64) *weakly {
	q, p := *w, *w.Problem
	q.table = w.table.with(p.model.States, e, sign)
	q.table.Problem = &p
	p.Responses = append([]Response(nil), p.Responses...)
	q.target = append([]float64(nil), w.target...)
	place := map[string]int{}
	for k, name := range p.model.States {
		place[name] = k
	}
	for m, at := range w.joint.data {
		own := e[place[p.equations[at.response].state]]
		for k, v := range w.left[m].Weight {
			q.target[m] += sign * v * own[w.left[m].From+k]
		}
	}
	return &q
}

// with is the table with sign·e added to states; logarithms are moved where the
// noise is theirs.
func (r *table) with(states []string, e [][]float64, sign float64) *table {
	out := *r
	out.values = map[string][]float64{}
	for name, v := range r.values {
		out.values[name] = v
	}
	for k, name := range states {
		v := make([]float64, len(e[k]))
		for t, x := range r.values[name] {
			if v[t] = x + sign*e[k][t]; r.logs[name] {
				v[t] = x * math.Exp(sign*e[k][t])
			}
		}
		out.values[name] = v
	}
	return &out
}
