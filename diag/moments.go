package diag

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
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

// An Interval is a confidence interval for a mean, and the number of runs it
// rests on.
type Interval struct {
	Mean, Lo, Hi float64
	Level        float64 // as 0.95
	N            int     // runs
}

// TInterval returns the Student t interval mean ± t·sd/√n over n independent
// runs. Lo and Hi are NaN for fewer than 2 runs, or unless 0 < level < 1.
func TInterval(runs []float64, level float64) Interval {
	n := len(runs)
	iv := Interval{Mean: Mean(runs), Lo: math.NaN(), Hi: math.NaN(), Level: level, N: n}
	if n < 2 || !(level > 0 && level < 1) {
		return iv
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile((1 + level) / 2)
	half := t * SD(runs) / math.Sqrt(float64(n))
	iv.Lo, iv.Hi = iv.Mean-half, iv.Mean+half
	return iv
}

// String returns, say, "1.2 [0.9, 1.5] (95 % t interval, n = 10 runs)".
func (iv Interval) String() string {
	return fmt.Sprintf("%.4g [%.4g, %.4g] (%g %% t interval, n = %d runs)", iv.Mean, iv.Lo, iv.Hi, 100*iv.Level, iv.N)
}
