package exchange

import "math"

// The rates of round trips below hold for swaps that are independent of each
// other, as they are when a replica forgets its energy between sweeps (Syed et
// al. 2022). They count the trips of all replicas.

// RateDEO is the number of round trips per sweep of scheme deo with the given
// rejections of neighbours: 1/(2 + 2 Σ r/(1−r)).
func RateDEO(rejection []float64) float64 { return 1 / (2 + 2*inefficiency(rejection)) }

// rateSEO is the number of round trips per sweep of scheme seo:
// 1/(2N + 2 Σ r/(1−r)) with N pairs.
func rateSEO(rejection []float64) float64 {
	return 1 / (2*float64(len(rejection)) + 2*inefficiency(rejection))
}

// rateWindowed is the number of round trips per sweep of scheme windowed-deo with
// gate once and windows of w sweeps, with the given rejections of neighbours: that
// of deo per window, in which a pair is rejected with probability r^w. For P rungs
// of equal r it is P/T with T = 2wP + 2wP(P−1) r^w/(1−r^w) sweeps per trip and
// replica.
func rateWindowed(rejection []float64, w int) float64 {
	sum := 0.0
	for _, r := range rejection {
		all := math.Pow(r, float64(w))
		sum += all / (1 - all)
	}
	return 1 / (2 + 2*sum) / float64(w)
}

// RoundTrips is the number of round trips per sweep of these settings with the given
// rejections of neighbours. It is NaN where there is no formula: of schemes adj and ape,
// parity off, and gate open with windows of more than one sweep.
func (s Settings) RoundTrips(rejection []float64) float64 {
	s = s.WithDefaults(len(rejection) + 1)
	switch {
	case s.Scheme == "deo":
		return RateDEO(rejection)
	case s.Scheme == "seo":
		return rateSEO(rejection)
	case s.Scheme != "windowed-deo" || s.Parity == "off" || s.Gate == "open" && s.Window > 1:
		return math.NaN()
	case s.Gate == "once":
		return rateWindowed(rejection, s.Window)
	}
	return RateDEO(rejection) / float64(s.Window)
}

// Looks is the share of the sweeps of so many rungs that depend on energies, as far as
// that is known beforehand; see [Exchange.Looks].
func (s Settings) Looks(rungs int) float64 {
	s = s.WithDefaults(rungs)
	switch {
	case rungs < 2:
		return 0
	case s.Rule == "indicator" || s.Scheme == "seo":
		return 1
	}
	never, looks, period := make([]int64, rungs-1), 0, 2*s.Window
	for p := range never {
		never[p] = -1
	}
	for n := range period {
		if len(s.pairs(nil, n, never, nil)) > 0 {
			looks++
		}
	}
	return float64(looks) / float64(period)
}

// inefficiency is Σ r/(1−r).
func inefficiency(rejection []float64) float64 {
	sum := 0.0
	for _, r := range rejection {
		sum += r / (1 - r)
	}
	return sum
}
