package simulation

import (
	"context"
	"math"
	"slices"
)

// distances returns the Euclidean distance of two trajectories at each of n
// times; both hold dim numbers for a time. It is NaN where one of them has ended.
func distances(a, b []float64, dim int) []float64 {
	out := make([]float64, len(a)/dim)
	for k := range out {
		sum := 0.0
		for i := k * dim; i < (k+1)*dim; i++ {
			sum += (a[i] - b[i]) * (a[i] - b[i])
		}
		out[k] = math.Sqrt(sum)
	}
	return out
}

// Parting returns when two trajectories, by rows at the same times, first are
// further apart than a distance, between two times by a straight line. It is
// false if they never are. One that ends parts from the other there.
func Parting(times, a, b []float64, distance float64) (float64, bool) {
	return partingOf(times, distances(a, b, len(a)/max(len(times), 1)), distance)
}

func partingOf(times, between []float64, apart float64) (float64, bool) {
	for k, d := range between {
		switch {
		case d <= apart:
		case k == 0 || d != d || math.IsInf(d, 1):
			return times[k], true
		default:
			before := between[k-1]
			return times[k-1] + (times[k]-times[k-1])*(apart-before)/(d-before), true
		}
	}
	return math.NaN(), false
}

// A Comparison is how far the trajectories are from another one.
type Comparison struct {
	Times     []float64
	Distances [][]float64 // of each draw at each time
	Apart     float64
	Parting   []float64 // of those draws that part, when
}

// Compare measures the distances of all trajectories from one at the same times,
// given by rows.
func (r *Result) Compare(other []float64, apart float64) *Comparison {
	c := &Comparison{Times: r.Times, Apart: apart}
	for _, path := range r.Paths {
		d := distances(path, other, len(r.Model.States))
		c.Distances = append(c.Distances, d)
		if t, ok := partingOf(r.Times, d, apart); ok {
			c.Parting = append(c.Parting, t)
		}
	}
	return c
}

// When returns the time of parting with its interval over all trajectories, those
// that never part among them, as later than all others: +Inf.
func (c *Comparison) When(level float64) Interval {
	sorted := slices.Sorted(slices.Values(c.Parting))
	if n := len(c.Times); n > 0 && c.Times[n-1] < c.Times[0] {
		slices.Reverse(sorted)
	}
	at := func(p float64) float64 {
		k := max(int(math.Ceil(p*float64(len(c.Distances))))-1, 0)
		if k >= len(sorted) {
			return math.Inf(1)
		}
		return sorted[k]
	}
	low, high := Ends(level)
	return Interval{at(0.5), at(low), at(high)}
}

// Over returns the median distance with its interval at each time, of the
// trajectories that have not ended. Its error is that of ctx.
func (c *Comparison) Over(ctx context.Context, level float64) ([]Interval, error) {
	out := make([]Interval, len(c.Times))
	var v []float64
	for k := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v = v[:0]
		for _, d := range c.Distances {
			if d[k]-d[k] == 0 {
				v = append(v, d[k])
			}
		}
		out[k] = interval(v, level)
	}
	return out, nil
}
