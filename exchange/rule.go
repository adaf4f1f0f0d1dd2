package exchange

import (
	"math"
	"math/rand/v2"
)

// metropolis trades the pair at p of the list with probability min(1, S̃), s being
// log S̃ (NaN where both energies are infinite). With C = 2 and Gaussian energy noise of the stated variance
// it is exact (Ceperley and Dewing 1999). Most swaps are decided by the bounds
// 1 + s ≤ exp(s) ≤ 1/(1 − s + s²/2), without an exponential.
func (e *Exchange) metropolis(p int, s float64, rng *rand.Rand) bool {
	if s >= 0 {
		return true
	}
	u := e.uniform(p, rng)
	switch {
	case u < 1+s:
		return true
	case u*(1-s+s*s/2) > 1:
		return false
	}
	return u < math.Exp(s)
}

// swaps reports whether a pair with energies uCold and uHot trades by another rule,
// s being its log S̃ and level 𝒞 of this sweep. Rule threshold trades if min(1, S̃) is
// at least c, without a random number, and rule indicator if Ũ_hot + 𝒞 < Ũ_cold: both
// are biased.
func (e *Exchange) swaps(uCold, uHot, s, level float64) bool {
	if e.set.Rule == "threshold" {
		return s >= math.Log(e.set.Threshold)
	}
	return uHot+level < uCold
}

// adapts reports whether 𝒞 is adapted then, before pairs trade or after.
func (e *Exchange) adapts(then string) bool {
	return e.set.Rule == "indicator" && (e.set.Adapt == "after") == (then == "after")
}

// adapt moves 𝒞 of rule indicator, 0 at first, so that a share 𝕊 of all neighbouring pairs
// would trade, whether they may in this sweep or not (Algorithm 2 of the paper).
func (e *Exchange) adapt() {
	below := 0
	for p := range e.energy[1:] {
		if e.energy[p+1]+e.level < e.energy[p] {
			below++
		}
	}
	gain := e.set.Gain
	if gain == 0 {
		gain = min(0.5, 600/(math.Pow(float64(e.sweeps+1), 0.8)+1000)) / 10
	}
	e.level += gain * (float64(below)/float64(len(e.energy)-1) - e.set.Target)
}
