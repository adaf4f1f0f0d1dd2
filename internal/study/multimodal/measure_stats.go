package multimodal

import (
	"math"

	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
)

// An Interval is a [study.Interval] that is written with six digits.
type Interval study.Interval

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
	return Interval{mean, tQuantile(n-1) * sd / math.Sqrt(n)}
}

// tQuantile is the 97.5 % quantile of Student's t.
func tQuantile(df float64) float64 {
	return significance.TQuantile(0.975, df)
}

// MarshalJSON writes {"mean": …, "half95": …}, null for what is not known.
func (i Interval) MarshalJSON() ([]byte, error) { return study.Interval(i).JSON(6), nil }

// Number returns the interval under a name.
func (i Interval) Number(name string) study.Number { return study.Interval(i).Number(name) }

// positive is number for what cannot be negative: KL, distances, times.
func (i Interval) positive(name string) study.Number { return study.Interval(i).Positive(name) }

// share is number for a share.
func (i Interval) share(name string) study.Number { return i.Number(name).Within(0, 1) }

// over is the mean and standard error of an interval over n runs.
func (i Interval) over(n int) significance.MeanSE {
	return significance.MeanSE{Mean: i.Mean, SE: i.Half / tQuantile(float64(n-1)), N: float64(n)}
}
