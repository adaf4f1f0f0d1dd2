package expression

import (
	"math"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// The negative binomial law of mean μ and φ tends to Poisson's as φ grows. Differences of log Γ, and of
// logarithms of φ and φ + μ, have no digits there: what is left of them is summed up instead.

// manyPhi is from where on series in 1/φ have all digits.
const manyPhi = 10

// A shape is φ, with functions of it.
type shape struct{ phi, log, lgamma, digamma, lgammaRest, digammaRest float64 }

func shapeOf(phi float64) shape {
	s := shape{phi: phi, log: lane.Log(phi)}
	if !(phi > 0) {
		s.phi = math.NaN()
	}
	s.lgamma, _ = math.Lgamma(phi)
	s.digamma, s.lgammaRest, s.digammaRest = digamma(phi), lgammaRest(phi), digammaRest(phi)
	return s
}

// negBinomial is log Γ(y + φ) − log Γ(φ) + φ·log(φ/(μ + φ)) + y·log(μ/(μ + φ)), of η = log μ.
func (s shape) negBinomial(y, mu, eta float64) float64 {
	odds, v := eta-s.log, s.rising(y)
	if y != 0 {
		v += y * eta
	}
	if odds > -1 {
		return v - (s.phi+y)*lane.Softplus(odds)
	}
	return v - mu - s.beyond(mu) - y*lane.Log1p(mu/s.phi)
}

// slope is the derivative of negBinomial by φ.
func (s shape) slope(y, eta float64) float64 {
	odds, u := eta-s.log, y/s.phi
	less, p := lane.SoftplusSigmoid(odds)
	var v float64
	if s.phi > manyPhi && u < 0.5 {
		v = lessLinear(u) + u/(2*(y+s.phi)) + s.digammaRest - digammaRest(y+s.phi) + u*p
	} else {
		v = digamma(y+s.phi) - s.digamma - u*lane.Sigmoid(-odds)
	}
	if odds > -1 {
		return v - less + p
	}
	q := lane.Exp(odds)
	return v - lessLinear(q) - q*p
}

// rising is log(Γ(y + φ)/(Γ(φ)·φ^y)), which tends to 0.
func (s shape) rising(y float64) float64 {
	switch {
	case y == 0:
		return 0
	case s.phi > manyPhi:
		return s.beyond(y) + (y-0.5)*lane.Log1p(y/s.phi) + lgammaRest(y+s.phi) - s.lgammaRest
	}
	above, _ := math.Lgamma(y + s.phi)
	return above - s.lgamma - y*s.log
}

// beyond is φ·log(1 + x/φ) − x.
func (s shape) beyond(x float64) float64 {
	if u := x / s.phi; u != 0 {
		return s.phi * lessLinear(u)
	}
	return 0
}

// shapes does what an operation does to each lane. Lanes have one φ, mostly.
func shapes(do func(s shape, y, mu float64) float64) func(dst, y, mu, phi, _ []float64, _ *workspace) {
	return func(dst, y, mu, phi, _ []float64, _ *workspace) {
		s := shape{phi: math.NaN()}
		for i, v := range phi {
			if v != s.phi {
				s = shapeOf(v)
			}
			dst[i] = do(s, y[i], mu[i])
		}
	}
}

func negBinomialOf(s shape, y, mu float64) float64     { return s.negBinomial(y, mu, lane.Log(mu)) }
func negBinomialOfLog(s shape, y, eta float64) float64 { return s.negBinomial(y, lane.Exp(eta), eta) }

// lessLinear is log(1 + u) − u, by twice the area tangent of u/(2 + u) where u is small.
func lessLinear(u float64) float64 {
	if !(math.Abs(u) < 0.5) {
		return lane.Log1p(u) - u
	}
	r := u / (2 + u)
	q := r * r
	sum, power := 1.0/3, q
	for k := 5.0; power > 1e-17; k += 2 {
		sum, power = sum+power/k, power*q
	}
	return r * (2*q*sum - u)
}

// lgammaRest and digammaRest are what log Γ(x) and −ψ(x) have beside (x − ½)·log x − x + ½·log 2π and
// 1/(2x) − log x (Abramowitz & Stegun 6.1.41 and 6.3.18).
func lgammaRest(x float64) float64 {
	q := 1 / (x * x)
	return (1./12 - q*(1./360-q*(1./1260-q*(1./1680-q*(1./1188-q*(691./360360-q/156)))))) / x
}

func digammaRest(x float64) float64 {
	q := 1 / (x * x)
	return q * (1./12 - q*(1./120-q*(1./252-q*(1./240-q*(1./132-q*(691./32760-q/12))))))
}

// digamma is ψ(x) of positive x, by its recurrence up to where series have all digits.
func digamma(x float64) (v float64) {
	if !(x > 0) {
		return math.NaN()
	}
	for ; x < manyPhi; x++ {
		v -= 1 / x
	}
	return v + lane.Log(x) - 1/(2*x) - digammaRest(x)
}

// negBinomialPart is w times the derivative of the log probability of μ, or of its logarithm.
func (s *sweep) negBinomialPart(k int, v vertex, w int32) int32 {
	y, eta, phi := v.arg[0], v.arg[1], v.arg[2]
	byLog := v.op == opNegBinomialLog
	if !byLog {
		eta = s.op(opLog, eta)
	}
	odds := s.op(opSub, eta, s.op(opLog, phi))
	switch {
	case k == 0:
		return s.op(opMul, w, s.op(opSub, s.op(opDigamma, s.op(opAdd, y, phi)), s.op(opSoftplus, s.op(opNeg, odds))))
	case k == 2:
		return s.op(opMul, w, s.op(opNegBinomialPhi, y, eta, phi))
	case byLog:
		less := s.op(opMul, phi, s.op(opSigmoid, odds))
		return s.op(opMul, w, s.op(opSub, s.op(opMul, y, s.op(opSigmoid, s.op(opNeg, odds))), less))
	}
	mu := v.arg[1]
	rest := s.op(opDiv, phi, s.op(opAdd, phi, mu))
	return s.op(opMul, w, s.op(opMul, s.op(opSub, s.over(y, mu), s.constant(1)), rest))
}

// over is a/b, and 0 where a is 0.
func (s *sweep) over(a, b int32) int32 {
	d := s.op(opDiv, a, b)
	if _, ok := s.isConst(a); ok {
		return d
	}
	return s.op(opSelect, s.op(opAbs, a), s.constant(0), s.constant(0), d)
}
