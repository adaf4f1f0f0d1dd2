package exchange

import "math"

// The rates of round trips below hold for swaps that are independent of each
// other, as they are when a replica forgets its energy between sweeps (Syed et
// al. 2022). They count the trips of all replicas.

// RateDEO is the number of round trips per sweep of scheme deo with the given
// rejections of neighbours: 1/(2 + 2 Σ r/(1−r)).
func RateDEO(rejection []float64) float64 { return 1 / (2 + 2*inefficiency(rejection)) }

// RateSEO is the number of round trips per sweep of scheme seo:
// 1/(2N + 2 Σ r/(1−r)) with N pairs.
func RateSEO(rejection []float64) float64 {
	return 1 / (2*float64(len(rejection)) + 2*inefficiency(rejection))
}

// RateWindowed is the number of round trips per sweep of scheme windowed-deo with
// gate once and windows of w sweeps, with the given rejections of neighbours: that
// of deo per window, in which a pair is rejected with probability r^w. For P rungs
// of equal r it is P/T with T = 2wP + 2wP(P−1) r^w/(1−r^w) sweeps per trip and
// replica.
func RateWindowed(rejection []float64, w int) float64 {
	sum := 0.0
	for _, r := range rejection {
		all := math.Pow(r, float64(w))
		sum += all / (1 - all)
	}
	return 1 / (2 + 2*sum) / float64(w)
}

// inefficiency is Σ r/(1−r).
func inefficiency(rejection []float64) float64 {
	sum := 0.0
	for _, r := range rejection {
		sum += r / (1 - r)
	}
	return sum
}
