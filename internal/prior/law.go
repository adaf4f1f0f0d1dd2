package prior

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// A law is the distribution of a prior on its support: all with as many digits
// as the nearer tail has.
type law struct {
	tails   func(x float64) (below, above float64) // probabilities of less and of more
	inverse func(below, above float64) float64     // of tails, by the smaller one, which is positive
	density func(x float64) (log, slope float64)   // log density and its derivative
}

// moved is the law of at + scale·x.
func (l law) moved(at, scale float64) law {
	shift := math.Log(scale)
	return law{
		func(x float64) (float64, float64) { return l.tails((x - at) / scale) },
		func(below, above float64) float64 { return at + scale*l.inverse(below, above) },
		func(x float64) (float64, float64) {
			log, slope := l.density((x - at) / scale)
			return log - shift, slope / scale
		}}
}

// exponential is the law of scale·exp(sd·x).
func (l law) exponential(scale, sd float64) law {
	shift := math.Log(sd)
	return law{
		func(x float64) (float64, float64) { return l.tails(math.Log(x/scale) / sd) },
		func(below, above float64) float64 { return scale * math.Exp(sd*l.inverse(below, above)) },
		func(x float64) (float64, float64) {
			log, slope := l.density(math.Log(x/scale) / sd)
			return log - shift - math.Log(x), (slope/sd - 1) / x
		}}
}

// reciprocal is the law of 1/x.
func (l law) reciprocal() law {
	return law{
		func(x float64) (float64, float64) {
			below, above := l.tails(1 / x)
			return above, below
		},
		func(below, above float64) float64 { return 1 / l.inverse(above, below) },
		func(x float64) (float64, float64) {
			log, slope := l.density(1 / x)
			return log - 2*math.Log(x), -(slope/x + 2) / x
		}}
}

const logRoot2Pi = 0.91893853320467274178

func normalLaw() law {
	return law{
		func(z float64) (float64, float64) { return math.Erfc(-z/math.Sqrt2) / 2, math.Erfc(z/math.Sqrt2) / 2 },
		func(below, above float64) float64 {
			if below <= above {
				return mathext.NormalQuantile(below)
			}
			return -mathext.NormalQuantile(above)
		},
		func(z float64) (float64, float64) { return -z*z/2 - logRoot2Pi, -z }}
}

func halfNormalLaw() law {
	return law{
		func(z float64) (float64, float64) { return math.Erf(z / math.Sqrt2), math.Erfc(z / math.Sqrt2) },
		func(below, above float64) float64 {
			if below <= above {
				return math.Sqrt2 * math.Erfinv(below)
			}
			return -mathext.NormalQuantile(above / 2)
		},
		func(z float64) (float64, float64) { return math.Ln2 - z*z/2 - logRoot2Pi, -z }}
}

func exponentialLaw() law {
	return law{
		func(x float64) (float64, float64) { return -math.Expm1(-x), math.Exp(-x) },
		func(below, above float64) float64 {
			if below <= above {
				return -math.Log1p(-below)
			}
			return -math.Log(above)
		},
		func(x float64) (float64, float64) { return -x, -1 }}
}

func cauchyLaw() law {
	return law{
		func(z float64) (float64, float64) {
			return math.Atan2(1, -z) / math.Pi, math.Atan2(1, z) / math.Pi
		},
		func(below, above float64) float64 {
			if below <= above {
				return -1 / math.Tan(math.Pi*below)
			}
			return 1 / math.Tan(math.Pi*above)
		},
		func(z float64) (float64, float64) { return -math.Log(math.Pi * (1 + z*z)), -2 / (1/z + z) }}
}

func halfCauchyLaw() law {
	return law{
		func(z float64) (float64, float64) { return 2 * math.Atan(z) / math.Pi, 2 * math.Atan2(1, z) / math.Pi },
		func(below, above float64) float64 {
			if below <= above {
				return math.Tan(math.Pi / 2 * below)
			}
			return 1 / math.Tan(math.Pi/2*above)
		},
		func(z float64) (float64, float64) { return -math.Log(math.Pi / 2 * (1 + z*z)), -2 / (1/z + z) }}
}

func uniformLaw(lo, hi float64) law {
	width := hi - lo
	return law{
		func(x float64) (float64, float64) { return (x - lo) / width, (hi - x) / width },
		func(below, above float64) float64 {
			if below <= above {
				return lo + below*width
			}
			return hi - above*width
		},
		func(float64) (float64, float64) { return -math.Log(width), 0 }}
}

func gammaLaw(shape float64) law {
	constant := lgamma(shape)
	l := law{
		tails: func(x float64) (float64, float64) {
			return mathext.GammaIncReg(shape, x), mathext.GammaIncRegComp(shape, x)
		},
		density: func(x float64) (float64, float64) {
			return (shape-1)*math.Log(x) - x - constant, (shape-1)/x - 1
		}}
	return l.inverted(math.Log(shape), math.Exp, math.Exp)
}

func betaLaw(a, b float64) law {
	constant := lgamma(a) + lgamma(b) - lgamma(a+b)
	l := law{
		tails: func(x float64) (float64, float64) {
			return mathext.RegIncBeta(a, b, x), mathext.RegIncBeta(b, a, 1-x)
		},
		density: func(x float64) (float64, float64) {
			return (a-1)*math.Log(x) + (b-1)*math.Log1p(-x) - constant, (a-1)/x - (b-1)/(1-x)
		}}
	logistic := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	return l.inverted(math.Log(a/b), logistic, func(t float64) float64 { return logistic(t) * logistic(-t) })
}

func studentLaw(nu float64) law {
	constant := lgamma((nu+1)/2) - lgamma(nu/2) - math.Log(nu*math.Pi)/2
	l := law{
		tails: func(z float64) (float64, float64) {
			near, far := 0.5, 0.5 // the tail that z lies in, and the other
			if w := z * z / (nu + z*z); w < 0.5 {
				half := mathext.RegIncBeta(0.5, nu/2, w) / 2
				near, far = 0.5-half, 0.5+half
			} else {
				near = mathext.RegIncBeta(nu/2, 0.5, 1/(1+z/nu*z)) / 2
				far = 1 - near
			}
			if z < 0 {
				return near, far
			}
			return far, near
		},
		density: func(z float64) (float64, float64) {
			return constant - (nu+1)/2*math.Log1p(z/nu*z), -(nu + 1) / (nu/z + z)
		}}
	root := math.Sqrt(nu)
	return l.inverted(0, func(t float64) float64 { return root * math.Sinh(t) },
		func(t float64) float64 { return root * math.Cosh(t) })
}

// inverted adds the inverse to a law, by Newton's method for the logarithm of the
// nearer tail in a coordinate t in which the density is log-concave, x = x(t),
// dx its derivative, with its mode at start. The logarithm is then concave, and
// the method can overshoot only once.
func (l law) inverted(start float64, x, dx func(t float64) float64) law {
	l.inverse = func(below, above float64) float64 {
		lower := below <= above
		target, sign := math.Log(below), 1.0
		if !lower {
			target, sign = math.Log(above), -1
		}
		t, lo, hi := start, math.Inf(-1), math.Inf(1)
		for range 200 {
			at := x(t)
			tail, other := l.tails(at)
			if !lower {
				tail, other = other, tail
			}
			excess := math.Log(tail) - target
			if (excess > 0) == lower {
				hi = t
			} else {
				lo = t
			}
			log, _ := l.density(at)
			step := -sign * excess * tail / (math.Exp(log) * dx(t))
			next := t + step
			if !(next > lo && next < hi) && excess != 0 { // also NaN, where the tail is 0
				next = between(lo, hi, t)
			}
			if excess == 0 || math.Abs(next-t) <= 2e-16*math.Abs(t) || math.Abs(next-t) < 1e-300 {
				return at
			}
			t = next
		}
		return x(t)
	}
	return l
}

// between bisects a bracket, or goes on from t where it is open.
func between(lo, hi, t float64) float64 {
	switch {
	case math.IsInf(lo, -1):
		return t - 1 - math.Abs(t)
	case math.IsInf(hi, 1):
		return t + 1 + math.Abs(t)
	}
	return lo + (hi-lo)/2
}
