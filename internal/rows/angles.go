package rows

import (
	"math"
	"slices"
)

// turned is a value less so many periods that it lies around 0: of angles in (−π, π].
func (s support) turned(v float64) float64 {
	if v = math.Remainder(v, s.period); v == -s.period/2 {
		return -v
	}
	return v
}

// between is a value and so many periods that it is not below lo, and less than one above: itself
// if it is within lo and hi.
func (s support) between(v, lo, hi float64) float64 {
	if s.period == 0 || v >= lo && v <= hi {
		return v
	}
	return lo + (v - lo) - s.period*math.Floor((v-lo)/s.period)
}

// direction is the mean of angles on the circle: NaN of none. Those that are NaN do not count.
func (s support) direction(of []float64) float64 {
	x, y, n := 0.0, 0.0, 0
	for _, v := range of {
		if v == v {
			sin, cos := math.Sincos(v * 2 * math.Pi / s.period)
			x, y, n = x+cos, y+sin, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Atan2(y, x) * s.period / (2 * math.Pi)
}

// Straight returns the mean of the draws of every row, what was observed, and the draws: numbers on
// a line. Angles are unrolled about their means on the circle, and these about the mean of all, from
// which they differ by half a turn at most. Draws that are NaN do not count.
func (o *Outcome) Straight(drawn [][]float64) (mean, observed []float64, straight [][]float64) {
	s, of, values := o.law.of, make([]float64, 0, len(drawn)), o.Values()
	for k := range values {
		of = of[:0]
		sum := 0.0
		for _, d := range drawn {
			if v := d[k]; v == v {
				of, sum = append(of, v), sum+v
			}
		}
		if mean = append(mean, sum/float64(len(of))); s.period > 0 {
			mean[k] = s.direction(of)
		}
	}
	if s.period == 0 {
		return mean, values, drawn
	}
	all := s.direction(mean)
	for k, m := range mean {
		mean[k] = all + s.turned(m-all)
	}
	unrolled := func(v []float64) []float64 {
		v = slices.Clone(v)
		for k, m := range mean {
			if m == m {
				v[k] = m + s.turned(v[k]-m)
			}
		}
		return v
	}
	for _, d := range drawn {
		straight = append(straight, unrolled(d))
	}
	return mean, unrolled(values), straight
}
