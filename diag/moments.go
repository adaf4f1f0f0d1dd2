package diag

import (
	"math"
	"slices"
)

// Mean returns the arithmetic mean, in two passes; NaN if x is empty.
func Mean(x []float64) float64 {
	n := float64(len(x))
	var sum, rest float64
	for _, v := range x {
		sum += v
	}
	m := sum / n
	for _, v := range x {
		rest += v - m
	}
	if c := rest / n; !math.IsNaN(c) {
		m += c
	}
	return m
}

// Variance returns the unbiased (n - 1) variance; NaN for fewer than 2 values.
func Variance(x []float64) float64 {
	if len(x) < 2 {
		return math.NaN()
	}
	m := Mean(x)
	var sum float64
	for _, v := range x {
		sum += (v - m) * (v - m)
	}
	return sum / float64(len(x)-1)
}

// SD returns the square root of Variance.
func SD(x []float64) float64 { return math.Sqrt(Variance(x)) }

// Quantile returns the p quantile of x by linear interpolation of the order
// statistics (type 7 of Hyndman and Fan, the rule of R and NumPy). It is NaN if
// x is empty or holds NaN, or unless 0 ≤ p ≤ 1. x is not changed.
func Quantile(x []float64, p float64) float64 { return Quantiles(x, p)[0] }

// Quantiles returns Quantile for each of ps, sorting once.
func Quantiles(x []float64, ps ...float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	q := make([]float64, len(ps))
	for i, p := range ps {
		if len(s) == 0 || math.IsNaN(s[0]) { // NaN sorts first
			q[i] = math.NaN()
			continue
		}
		q[i] = quantile(len(s), p, func(i int) float64 { return s[i] })
	}
	return q
}

func (d *draws) quantile(p float64) float64 {
	s := d.order()
	return quantile(len(s), p, func(i int) float64 { return s[i].v })
}

// quantile interpolates the order statistics at(0) … at(n-1). The conversions
// forbid fused operations: an indicator x ≤ quantile must not depend on them.
func quantile(n int, p float64, at func(int) float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	index := 1 + float64(float64(n-1)*p) // counted from 1, as the rounding is
	below := math.Floor(index)
	q := at(int(below) - 1)
	if index > below {
		if above := at(int(below)); above != q {
			h := index - below
			q = float64((1-h)*q) + float64(h*above)
		}
	}
	return q
}
