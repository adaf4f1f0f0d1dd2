package tune

import (
	"math"

	"github.com/r2sgld/r2sgld/exchange"
)

// mills is the ratio (1 − Φ(z))/φ(z) for z ≥ 8, by its continued fraction.
func mills(z float64) float64 {
	f := z
	for k := 30; k >= 1; k-- {
		f = z + float64(k)/f
	}
	return 1 / f
}

// logPhi is log Φ(x), also where Φ(x) is too small for a number.
func logPhi(x float64) float64 {
	switch {
	case x > 0:
		return math.Log1p(-0.5 * math.Erfc(x/math.Sqrt2))
	case x > -8:
		return math.Log(0.5 * math.Erfc(-x/math.Sqrt2))
	}
	return -x*x/2 - 0.5*math.Log(2*math.Pi) + math.Log(mills(-x))
}

// logCapped is log E min(1, e^D) for D ~ N(m, s²),
//
//	E min(1, e^D) = Φ(m/s) + exp(m + s²/2) Φ(−(m + s²)/s),
//
// the chance that rule metropolis swaps. s may be 0.
func logCapped(m, s float64) float64 {
	if s == 0 || math.IsInf(m, 0) {
		return min(0, m)
	}
	a, b := logPhi(m/s), m+s*s/2+logPhi(-(m/s+s))
	if b > a {
		a, b = b, a
	}
	return min(0, a+math.Log1p(math.Exp(b-a)))
}

// logReached is log P(D ≥ least) for D ~ N(m, s²), for rule threshold.
func logReached(m, s, least float64) float64 {
	if s == 0 || math.IsInf(m, 0) {
		if m >= least {
			return 0
		}
		return math.Inf(-1)
	}
	return logPhi((m - least) / s)
}

// trusted is the mean over pairs of draws below which a normal law is asked
// instead: a few hundred draws of each rung cannot tell less.
const trusted = 1e-2

// A pair is two neighbours and how their energies are seen.
type pair struct {
	cold, hot *Energies
	delta     float64 // Δβ
	noise     float64 // variance of Ũ_cold − Ũ_hot given the states
}

// log is the logarithm of the mean of exp(law(m, s)) over energies of the two
// rungs, for log S̃ ~ N(m, s²) given these: m = Δβ (U_cold − U_hot) − penalty and
// s = Δβ √variance.
func (p pair) log(penalty, variance float64, law func(m, s float64) float64) float64 {
	if len(p.cold.U) > 0 && len(p.hot.U) > 0 {
		s, sum := p.delta*math.Sqrt(variance), 0.0
		for _, u := range p.cold.U {
			for _, v := range p.hot.U {
				sum += math.Exp(law(p.delta*(u-v)-penalty, s))
			}
		}
		mean := min(1, sum/float64(len(p.cold.U)*len(p.hot.U)))
		if mean >= trusted || !(p.cold.SD+p.hot.SD < math.Inf(1)) {
			return math.Log(mean)
		}
	}
	c, h := p.cold.SD, p.hot.SD
	return law(p.delta*(p.cold.Mean-p.hot.Mean)-penalty, p.delta*math.Sqrt(c*c+h*h+variance))
}

// exact is the log acceptance of rule metropolis with exact energies.
func (p pair) exact() float64 { return p.log(0, 0, logCapped) }

// under is the log acceptance of the rule of s with σ̃² as s has it, defaults filled
// in; indicator aside, which is a matter of all pairs.
func (p pair) under(s exchange.Settings) float64 {
	penalty := s.Variance
	if s.Estimate.Every > 0 {
		penalty = p.noise
	}
	penalty *= p.delta * p.delta / s.Correction
	if s.Rule != "threshold" {
		return p.log(penalty, p.noise, logCapped)
	}
	least := math.Log(s.Threshold)
	return p.log(penalty, p.noise, func(m, s float64) float64 { return logReached(m, s, least) })
}

// indicator is the log acceptance of every pair under rule indicator, whose
// level has come to where a share target of all pairs trades, for normal energies.
func indicator(pairs []pair, target float64) []float64 {
	logs := make([]float64, len(pairs))
	at := func(level float64) (share float64) {
		for i, p := range pairs {
			c, h := p.cold.SD, p.hot.SD
			logs[i] = logReached(p.cold.Mean-p.hot.Mean, math.Sqrt(c*c+h*h+p.noise), level)
			share += math.Exp(logs[i]) / float64(len(pairs))
		}
		return share
	}
	width := 1.0
	for at(-width) < target || at(width) > target {
		width *= 2
		if width > 1e300 {
			return logs
		}
	}
	lo, hi := -width, width
	for range 100 {
		if mid := (lo + hi) / 2; at(mid) > target {
			lo = mid
		} else {
			hi = mid
		}
	}
	return logs
}
