// Package significance answers what independent repetitions say of a number: its mean with a
// confidence interval, whether two means differ, and what leaving one repetition out tells.
package significance

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/diag"
)

// An Interval is a mean and its confidence interval.
type Interval struct{ Mean, Lo, Hi float64 }

// TInterval returns the Student t interval mean ± t·sd/√n over n independent
// runs. Lo and Hi are NaN for fewer than 2 runs, or unless 0 < level < 1.
func TInterval(runs []float64, level float64) Interval {
	n := len(runs)
	iv := Interval{Mean: diag.Mean(runs), Lo: math.NaN(), Hi: math.NaN()}
	if n < 2 || !(level > 0 && level < 1) {
		return iv
	}
	half := TQuantile((1+level)/2, float64(n-1)) * diag.SD(runs) / math.Sqrt(float64(n))
	iv.Lo, iv.Hi = iv.Mean-half, iv.Mean+half
	return iv
}

// TQuantile is the p quantile of Student's t of so many degrees of freedom.
func TQuantile(p, df float64) float64 {
	of := [2]float64{p, df}
	if t, known := quantiles.Load(of); known {
		return t.(float64)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
	quantiles.Store(of, t)
	return t
}

// quantiles are those that were asked for: the same few again and again.
var quantiles sync.Map

// A MeanSE is a mean of N independent values and its standard error.
type MeanSE struct{ Mean, SE, N float64 }

// MeanSEOf summarises x; the error is NaN for fewer than two values.
func MeanSEOf(x []float64) MeanSE {
	mean, sd := stat.MeanStdDev(x, nil)
	n := float64(len(x))
	return MeanSE{mean, sd / math.Sqrt(n), n}
}

// TTest returns Student's t of a against 0 and its two-sided p value. Without
// spread, p is 1 at 0 and 0 elsewhere.
func TTest(a MeanSE) (t, p float64) {
	return Welch(a, MeanSE{N: math.Inf(1)})
}

// Welch returns Welch's t of the difference a − b and its two-sided p value.
// Equal means without spread have t = 0 and p = 1.
func Welch(a, b MeanSE) (t, p float64) {
	va, vb := a.SE*a.SE, b.SE*b.SE
	if va+vb == 0 {
		if a.Mean == b.Mean {
			return 0, 1
		}
		return math.Inf(1), 0
	}
	t = (a.Mean - b.Mean) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/(a.N-1) + vb*vb/(b.N-1))
	return t, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t))
}

// Holm returns p values adjusted for all of them together (Holm 1979).
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case p[a] < p[b]:
			return -1
		case p[a] > p[b]:
			return 1
		}
		return 0
	})
	out, worst := make([]float64, len(p)), 0.0
	for rank, i := range order {
		worst = max(worst, min(1, p[i]*float64(len(p)-rank)))
		out[i] = worst
	}
	return out
}

// Jackknife returns an estimate without its bias of order 1/n, and its standard
// error, from the estimates that leave out one of n runs each.
func Jackknife(all float64, without []float64) (value, se float64) {
	n := float64(len(without))
	mean := 0.0
	for _, w := range without {
		mean += w / n
	}
	for _, w := range without {
		se += (w - mean) * (w - mean)
	}
	return n*all - (n-1)*mean, math.Sqrt(se * (n - 1) / n)
}
