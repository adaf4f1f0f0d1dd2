package diag

import "math"

// Running follows the mean and variance of one chain as it grows, by Welford's
// update. The zero value is ready for use. Add allocates nothing.
type Running struct {
	n        int
	mean, m2 float64
}

// Add takes in the next draw.
func (r *Running) Add(x float64) {
	r.n++
	step := x - r.mean
	r.mean += step / float64(r.n)
	r.m2 += step * (x - r.mean)
}

// Mean returns their mean; NaN if there are none.
func (r *Running) Mean() float64 {
	if r.n == 0 {
		return math.NaN()
	}
	return r.mean
}

// Variance returns their unbiased variance; NaN for fewer than 2.
func (r *Running) Variance() float64 {
	if r.n < 2 {
		return math.NaN()
	}
	return r.m2 / float64(r.n-1)
}

// RHatOf returns the plain R̂ of Gelman and Rubin, neither split nor ranked: a
// quick look for a progress line; RHat is the one to report. Chains may be of
// unequal length, the shortest counts. NaN for fewer than 2 chains, fewer than
// 2 draws in one, or draws that do not vary at all.
func RHatOf(chains []Running) float64 {
	if len(chains) < 2 {
		return math.NaN()
	}
	means := make([]float64, len(chains))
	var within float64
	shortest := chains[0].n
	for i := range chains {
		means[i] = chains[i].Mean()
		within += chains[i].Variance() / float64(len(chains))
		shortest = min(shortest, chains[i].n)
	}
	return rhatFrom(Variance(means), within, float64(shortest))
}
