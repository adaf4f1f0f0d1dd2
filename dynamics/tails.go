package dynamics

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// mass is the probability of [lo, hi], from the nearer tail.
func (p *prior) mass(lo, hi float64) float64 {
	tails := func(x float64) (below, above float64) {
		switch {
		case x <= p.lower:
			return 0, 1
		case x >= p.upper:
			return 1, 0
		}
		return p.tails(x)
	}
	belowLo, aboveLo := tails(lo)
	belowHi, aboveHi := tails(hi)
	if aboveLo < 0.5 {
		return math.Max(0, aboveLo-aboveHi)
	}
	return math.Max(0, belowHi-belowLo)
}

// tailsOf returns the probabilities of less and of more than x under a prior of a
// family with arguments a, x in its support, each with all its digits.
func tailsOf(family string, a []float64) func(x float64) (below, above float64) {
	switch family {
	case "normal":
		return func(x float64) (float64, float64) { return normalTails((x - a[0]) / a[1]) }
	case "half_normal":
		return func(x float64) (float64, float64) {
			z := x / a[0] / math.Sqrt2
			return math.Erf(z), math.Erfc(z)
		}
	case "lognormal":
		return func(x float64) (float64, float64) { return normalTails((math.Log(x) - a[0]) / a[1]) }
	case "exponential":
		return func(x float64) (float64, float64) { return -math.Expm1(-a[0] * x), math.Exp(-a[0] * x) }
	case "gamma":
		return func(x float64) (float64, float64) {
			return mathext.GammaIncReg(a[0], a[1]*x), mathext.GammaIncRegComp(a[0], a[1]*x)
		}
	case "inv_gamma":
		return func(x float64) (float64, float64) {
			return mathext.GammaIncRegComp(a[0], a[1]/x), mathext.GammaIncReg(a[0], a[1]/x)
		}
	case "beta":
		return func(x float64) (float64, float64) {
			return mathext.RegIncBeta(a[0], a[1], x), mathext.RegIncBeta(a[1], a[0], 1-x)
		}
	case "cauchy":
		return func(x float64) (float64, float64) {
			z := (x - a[0]) / a[1]
			return math.Atan2(1, -z) / math.Pi, math.Atan2(1, z) / math.Pi
		}
	case "half_cauchy":
		return func(x float64) (float64, float64) {
			return 2 * math.Atan2(x, a[0]) / math.Pi, 2 * math.Atan2(a[0], x) / math.Pi
		}
	case "student_t":
		t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: a[0]}
		return func(x float64) (float64, float64) {
			z := (x - a[1]) / a[2]
			return t.CDF(z), t.CDF(-z)
		}
	}
	return func(x float64) (float64, float64) { // uniform
		return (x - a[0]) / (a[1] - a[0]), (a[1] - x) / (a[1] - a[0])
	}
}

func normalTails(z float64) (below, above float64) {
	return math.Erfc(-z/math.Sqrt2) / 2, math.Erfc(z/math.Sqrt2) / 2
}
