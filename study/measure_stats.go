package study

import (
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// An Interval is a mean over runs and half the width of its 95 % t interval; NaN
// where runs are too few. Its JSON is [mean, half].
type Interval struct{ Mean, Half float64 }

// interval returns the mean of v and its 95 % t interval.
func interval(v []float64) Interval {
	if len(v) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	if len(v) == 1 {
		return Interval{v[0], math.NaN()}
	}
	mean, sd := stat.MeanStdDev(v, nil)
	n := float64(len(v))
	return Interval{mean, tQuantile(0.975, n-1) * sd / math.Sqrt(n)}
}

// tQuantile is the quantile of Student's t.
func tQuantile(p, df float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile(p)
}

// MarshalJSON writes [mean, half] with six digits, null for what is not known.
func (i Interval) MarshalJSON() ([]byte, error) {
	b := []byte{'['}
	for k, v := range []float64{i.Mean, i.Half} {
		if k > 0 {
			b = append(b, ',')
		}
		if v-v != 0 {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', 6, 64)
		}
	}
	return append(b, ']'), nil
}

// number returns the interval under a name.
func (i Interval) number(name string) Number {
	return Number{Name: name, Value: i.Mean, Low: i.Mean - i.Half, High: i.Mean + i.Half}
}

// sample is a mean, its standard error, and the runs it is of.
type sample struct {
	mean, se float64
	n        float64
}

// sampleOf summarises v, which holds two values at least.
func sampleOf(v []float64) sample {
	mean, sd := stat.MeanStdDev(v, nil)
	n := float64(len(v))
	return sample{mean, sd / math.Sqrt(n), n}
}

// sample recovers the sample of an interval over n runs.
func (i Interval) sample(n int) sample {
	return sample{i.Mean, i.Half / tQuantile(0.975, float64(n-1)), float64(n)}
}

// welch returns Welch's t of the difference a − b and its two-sided p value.
// Equal samples without spread have t = 0 and p = 1.
func welch(a, b sample) (t, p float64) {
	va, vb := a.se*a.se, b.se*b.se
	if va+vb == 0 {
		if a.mean == b.mean {
			return 0, 1
		}
		return math.Inf(1), 0
	}
	t = (a.mean - b.mean) / math.Sqrt(va+vb)
	df := (va + vb) * (va + vb) / (va*va/(a.n-1) + vb*vb/(b.n-1))
	return t, 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Survival(math.Abs(t))
}

// holm returns p values adjusted for all of them together (Holm 1979).
func holm(p []float64) []float64 {
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
