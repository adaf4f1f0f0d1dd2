package study

import "math"

// A Tidy is what a study has measured: in each row a case, a metric, a repetition and a
// value.
type Tidy struct {
	columns map[[2]string][]float64
}

// Add adds the next repetition of a metric of a case.
func (t *Tidy) Add(of, metric string, v float64) {
	if t.columns == nil {
		t.columns = map[[2]string][]float64{}
	}
	at := [2]string{of, metric}
	t.columns[at] = append(t.columns[at], v)
}

// Column is a metric of a case in all repetitions.
func (t *Tidy) Column(of, metric string) []float64 { return t.columns[[2]string{of, metric}] }

// Interval is the mean of a metric of a case, with its interval.
func (t *Tidy) Interval(of, metric string) Interval { return IntervalOf(t.Column(of, metric)) }

// A Pair asks whether case A is below case B.
type Pair struct{ About, A, B string }

// Compare compares a metric of pairs of cases by a test, [Paired] or [Welch], and adjusts.
func (t *Tidy) Compare(test func(about string, a, b []float64) Comparison, metric string, pairs ...Pair) Comparisons {
	var out Comparisons
	for _, p := range pairs {
		out = append(out, test(p.About, t.Column(p.A, metric), t.Column(p.B, metric)))
	}
	return out.Adjusted()
}

// Lowest is the least mean of a metric over cases; NaN if one is not known.
func (t *Tidy) Lowest(metric string, cases ...string) float64 {
	out := math.Inf(1)
	for _, c := range cases {
		out = math.Min(out, t.Interval(c, metric).Mean)
	}
	return out
}
