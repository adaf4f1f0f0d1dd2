package diag

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// An ELPD is an expected log pointwise predictive density: how well a model
// predicts data it has not seen, a sum over the data.
type ELPD struct {
	Estimate  float64
	SE        float64   // √(n·variance) of the n pointwise terms; NaN for one datum
	P         float64   // effective number of parameters
	Pointwise []float64 // the terms of Estimate, one a datum
	// K is how heavy the tail of each datum's importance weights is: the term
	// can be trusted up to 0.7. +Inf where too few weights differ to tell, 0
	// where all are equal. Nil for WAIC.
	K []float64
}

// LOO estimates leave-one-out cross-validation from draws of the whole
// posterior by Pareto-smoothed importance sampling, as the R package loo 2.5
// does. logLik holds the log density of each datum at every draw,
// logLik[datum][draw]; rEff is the relative efficiency of the draws for each
// datum (see [RelativeEfficiency]), nil for 1.
//
// A datum whose log densities are not all finite has a NaN term, and with it
// the estimate. It is all NaN unless every datum has as many draws.
func LOO(logLik [][]float64, rEff []float64) ELPD {
	return elpd(logLik, func(i int, l []float64) (term, p, k float64) {
		eff := 1.0
		if i < len(rEff) {
			eff = rEff[i]
		}
		w := make([]float64, len(l))
		for s, v := range l {
			w[s] = -v
		}
		k = PSIS(w, eff)
		floats.Add(w, l)
		term = floats.LogSumExp(w)
		return term, logMean(l) - term, k
	})
}

// WAIC estimates the same by the widely applicable information criterion: the
// log of the mean density less the variance, with S−1, of the log density over
// the S draws, as loo 2.5 does (ArviZ 0.23 takes S). LOO is to be preferred.
func WAIC(logLik [][]float64) ELPD {
	e := elpd(logLik, func(_ int, l []float64) (term, p, k float64) {
		p = Variance(l)
		return logMean(l) - p, p, 0
	})
	e.K = nil
	return e
}

func elpd(logLik [][]float64, of func(i int, l []float64) (term, p, k float64)) ELPD {
	e := ELPD{Pointwise: make([]float64, len(logLik)), K: make([]float64, len(logLik))}
	for i, l := range logLik {
		term, p, k := math.NaN(), math.NaN(), math.NaN()
		if len(l) == len(logLik[0]) && len(l) > 0 && finite(l) {
			term, p, k = of(i, l)
		}
		e.Pointwise[i], e.K[i] = term, k
		e.P += p
	}
	e.Estimate, e.SE = SumSE(e.Pointwise)
	return e
}

// SumSE returns the sum of n pointwise terms and its standard error √(n·variance):
// for the difference of two models, of the differences of their terms.
func SumSE(pointwise []float64) (sum, se float64) {
	for _, v := range pointwise {
		sum += v
	}
	return sum, math.Sqrt(float64(len(pointwise)) * Variance(pointwise))
}

// RelativeEfficiency returns the effective sample size for the mean density of
// a datum over the number of draws: logLik holds its log density, a slice per
// ladder. It is 1 where there is no effective sample size.
func RelativeEfficiency(logLik [][]float64) float64 {
	top, n := math.Inf(-1), 0
	for _, c := range logLik {
		n += len(c)
		for _, v := range c {
			top = math.Max(top, v)
		}
	}
	density := make([][]float64, len(logLik))
	for i, c := range logLik {
		density[i] = make([]float64, len(c))
		for s, v := range c {
			density[i][s] = math.Exp(v - top)
		}
	}
	if r := ESSMean(density) / float64(n); r > 0 {
		return r
	}
	return 1
}

// PSIS smooths S log importance weights in place, and normalises them so that
// the weights add up to 1: the largest min(S/5, 3√(S/rEff)) weights become the
// quantiles of a generalised Pareto law fitted to them, at most the largest raw
// weight (Vehtari, Simpson, Gelman, Yao and Gabry 2024, algorithm 1). rEff is
// the relative efficiency of the draws, 1 for independent ones. It returns the
// shape k of that law: the mean under the weights can be trusted if k ≤ 0.7.
//
// k is +Inf, and the weights are only normalised, if fewer than five of them
// are larger than the rest; 0 if all are equal but for rounding; and NaN, with
// the weights as they were, unless all are finite. Weights tied with the
// largest one that is not in the tail stay out of it, as in ArviZ.
func PSIS(logWeights []float64, rEff float64) (k float64) {
	w := logWeights
	if len(w) == 0 || !finite(w) {
		return math.NaN()
	}
	if !(rEff > 0) {
		rEff = 1
	}
	floats.AddConst(-floats.Max(w), w)
	if floats.Min(w) > -1e-12 {
		k = 0
	} else {
		s := float64(len(w))
		k = smoothTail(w, int(math.Ceil(math.Min(s/5, 3*math.Sqrt(s/rEff)))))
	}
	floats.AddConst(-floats.LogSumExp(w), w)
	return k
}

// smoothTail smooths the m largest of the log weights w, whose largest is 0.
func smoothTail(w []float64, m int) (k float64) {
	const fewest, tiny = 5, -708.3964185322641 // log of the smallest normal number
	if m < fewest {
		return math.Inf(1)
	}
	cut := math.Max(largest(w, m+1), tiny)
	tail := make([]int, 0, m)
	for s, v := range w {
		if v > cut {
			tail = append(tail, s)
		}
	}
	slices.SortFunc(tail, func(a, b int) int { return cmp.Or(cmp.Compare(w[a], w[b]), a-b) })
	if len(tail) < fewest {
		return math.Inf(1)
	}
	base := math.Exp(cut)
	x := make([]float64, len(tail))
	for i, s := range tail {
		x[i] = math.Exp(w[s]) - base
	}
	k, sigma := fitPareto(x)
	if math.IsInf(k, 0) {
		return k
	}
	for i, s := range tail {
		p := (float64(i) + 0.5) / float64(len(tail))
		q := -math.Log1p(-p)
		if k != 0 {
			q = math.Expm1(k*q) / k
		}
		w[s] = math.Min(0, math.Log(sigma*q+base))
	}
	return k
}

// largest returns the n-th largest of the numbers w.
func largest(w []float64, n int) float64 {
	top, low := make([]float64, 0, 2*n), math.NaN() // which nothing is below
	for _, v := range w {
		if v <= low { // n are at least as large
			continue
		}
		if top = append(top, v); len(top) == 2*n {
			slices.Sort(top)
			top = top[:copy(top, top[n:])]
			low = top[0]
		}
	}
	slices.Sort(top)
	return top[len(top)-n]
}

// fitPareto fits a generalised Pareto law of shape k and scale sigma to x ≥ 0 in
// increasing order: the posterior mean of Zhang and Stephens (2009) for
// k/sigma, on a grid, and k drawn to ½ with the weight of ten observations
// (Vehtari et al. 2024). k is +Inf where that fails.
func fitPareto(x []float64) (k, sigma float64) {
	n := float64(len(x))
	grid := 30 + math.Floor(math.Sqrt(n))
	quarter, last := x[int(n/4+0.5)-1], x[len(x)-1]
	shape := func(theta float64) float64 {
		var sum float64
		for _, v := range x {
			sum += math.Log1p(-theta * v)
		}
		return sum / n
	}
	theta, weight := make([]float64, int(grid)), make([]float64, int(grid))
	for j := range theta {
		theta[j] = 1/last + (1-math.Sqrt(grid/(float64(j)+0.5)))/(3*quarter)
		k := shape(theta[j])
		weight[j] = n * (math.Log(-theta[j]/k) - k - 1)
	}
	total := floats.LogSumExp(weight)
	var mean float64
	for j, t := range theta {
		mean += t * math.Exp(weight[j]-total)
	}
	k = shape(mean)
	sigma = -k / mean
	k = (n*k + 10*0.5) / (n + 10)
	if math.IsNaN(k) || !(sigma > 0) {
		return math.Inf(1), math.NaN()
	}
	return k, sigma
}

// logMean is the log of the mean of exp(l).
func logMean(l []float64) float64 { return floats.LogSumExp(l) - math.Log(float64(len(l))) }
