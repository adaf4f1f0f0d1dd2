package diag

import (
	"math"
	"slices"
)

// KS returns the Kolmogorov–Smirnov distance sup|F̂ - F| between a sample and
// the continuous law with distribution function cdf. NaN for an empty sample
// or a value that is not finite.
func KS(x []float64, cdf func(float64) float64) float64 {
	s := sortedCopy(x)
	if s == nil {
		return math.NaN()
	}
	n := float64(len(s))
	var d float64
	for i, v := range s {
		f := cdf(v)
		d = math.Max(d, math.Max(float64(i+1)/n-f, f-float64(i)/n))
	}
	return d
}

// KSPValue returns the asymptotic probability P(K > √n·d) that a sample of n
// independent draws (an effective sample size, for draws that are not) has a
// Kolmogorov–Smirnov distance above d. NaN unless d ≥ 0 and n > 0.
func KSPValue(d, n float64) float64 {
	l := math.Sqrt(n) * d
	if !(d >= 0 && n > 0) {
		return math.NaN()
	}
	if l < 1 { // the series in 1/λ
		if l < 0.04 {
			return 1
		}
		var sum float64
		for k := 1.0; k < 8; k += 2 {
			sum += math.Exp(-k * k * math.Pi * math.Pi / (8 * l * l))
		}
		return 1 - math.Sqrt(2*math.Pi)/l*sum
	}
	var sum float64
	for k, sign := 1.0, 2.0; k < 8; k, sign = k+1, -sign {
		sum += sign * math.Exp(-2*k*k*l*l)
	}
	return sum
}

// sortedCopy returns x in increasing order, nil if it is empty or not finite.
func sortedCopy(x []float64) []float64 {
	if len(x) == 0 || !finite(x) {
		return nil
	}
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}
