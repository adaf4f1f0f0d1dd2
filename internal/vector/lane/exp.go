package lane

import "math"

// The two parts of log 2 of which the first is rounded to 53 bits: with a fused
// multiply-add the multiple that is taken off leaves no error.
const (
	Ln2     = math.Ln2
	Ln2Rest = 2.3190468138462996e-17
)

// ExpPoly are the coefficients of q in exp(r) = 1 + r + r² q(r), |r| ≤ log(2)/2, from
// gen/coefficients.py.
var ExpPoly = [11]float64{
	0.5, 0.16666666666666669, 0.041666666666666664, 0.008333333333330039, 0.0013888888888886537,
	0.00019841269863171557, 2.4801587317228724e-05, 2.7557268276905696e-06, 2.7557282838800484e-07,
	2.5100472505694996e-08, 2.09112987659402e-09,
}

// Beyond these numbers nothing changes any more.
const (
	ExpEdge   = 1000 // exp is 0 or +Inf
	Expm1Low  = -60  // expm1 is -1
	Expm1High = 710  // expm1 is +Inf
	Tiny      = 0x1p-54
)

// parts returns t, whose low bits are the integer k next to x/log 2, k, and r + c
// = x − k log 2.
func parts(x float64) (t, k, r, c float64) {
	t = math.FMA(x, 1/math.Ln2, ToInteger)
	k = t - ToInteger
	high := math.FMA(-k, Ln2, x)
	r = math.FMA(-k, Ln2Rest, high)
	return t, k, r, math.FMA(-k, Ln2Rest, high-r)
}

// expPoly returns q(r), z is r².
func expPoly(r, z float64) float64 {
	c := &ExpPoly
	zz := z * z
	p0 := math.FMA(z, math.FMA(r, c[3], c[2]), math.FMA(r, c[1], c[0]))
	p1 := math.FMA(z, math.FMA(r, c[7], c[6]), math.FMA(r, c[5], c[4]))
	p2 := math.FMA(z, c[10], math.FMA(r, c[9], c[8]))
	return math.FMA(zz, math.FMA(zz, p2, p1), p0)
}

// Exp returns e^x to less than 1 unit.
func Exp(x float64) float64 {
	t, k, r, _ := parts(within(x))
	return power(t, k, r)
}

// expOf returns e^(x + c), c being what x lacks.
func expOf(x, c float64) float64 {
	t, k, r, _ := parts(within(x))
	return power(t, k, r+c)
}

func within(x float64) float64 {
	if x > ExpEdge {
		x = ExpEdge
	}
	if x < -ExpEdge {
		x = -ExpEdge
	}
	return x
}

// power returns 2^k e^r; t is from parts.
func power(t, k, r float64) float64 {
	z := r * r
	y := 1 + math.FMA(z, expPoly(r, z), r)
	// 2^k in two factors: the first product is exact, the second rounded once.
	half := bits(math.FMA(k, 0.5, ToInteger))
	return y * number((half+bias)<<fractionBits) * number((bits(t)-half+bias)<<fractionBits)
}

// Expm1 returns e^x − 1 to less than 1.7 units.
func Expm1(x float64) float64 {
	if abs(x) < Tiny {
		return x
	}
	if x > Expm1High {
		x = Expm1High
	}
	if x < Expm1Low {
		x = Expm1Low
	}
	t, _, r, c := parts(x)
	z := r * r
	p := r + math.FMA(z, expPoly(r, z), c)
	// Half of 2^k (1 + p) − 1, as 2^1024 is none.
	s := number((bits(t) + bias - 1) << fractionBits)
	y := math.FMA(s, p, s-0.5)
	return y + y
}

// Sigmoid returns 1/(1 + e^-x) to less than 2 units.
func Sigmoid(x float64) float64 {
	return sigmoidOf(x, Exp(-abs(x)))
}

// sigmoidOf and softplusOf take e = exp(−|x|).
func sigmoidOf(x, e float64) float64 {
	if x >= 0 {
		return 1 / (1 + e)
	}
	return e / (1 + e)
}

// Softplus returns log(1 + e^x) to less than 1.7 units.
func Softplus(x float64) float64 {
	return softplusOf(x, Exp(-abs(x)))
}

func softplusOf(x, e float64) float64 {
	l := log1p(e)
	if x > 0 {
		return x + l
	}
	return l
}

// SoftplusSigmoid returns Softplus and Sigmoid of x.
func SoftplusSigmoid(x float64) (softplus, sigmoid float64) {
	e := Exp(-abs(x))
	return softplusOf(x, e), sigmoidOf(x, e)
}

// TanhEdge is from where on Tanh comes from Exp; below it is x + x³ P(x²)/Q(x²) with the
// polynomials of Cephes' tanh.c (© 1984, 1995, 2000 Stephen L. Moshier), Q's first
// coefficient 1.
const TanhEdge = 0.625

var (
	TanhP = [3]float64{-1.61468768441708447952e3, -9.92877231001918586564e1, -9.64399179425052238628e-1}
	TanhQ = [3]float64{4.84406305325125486048e3, 2.23548839060100448583e3, 1.12811678491632931402e2}
)

// Tanh returns the hyperbolic tangent to less than 1.5 units.
func Tanh(x float64) float64 {
	a := abs(x)
	if !(a < TanhEdge) {
		return math.Copysign(1-2/(Exp(2*a)+1), x)
	}
	z := float64(a * a)
	p := math.FMA(math.FMA(z, TanhP[2], TanhP[1]), z, TanhP[0])
	q := math.FMA(math.FMA(z+TanhQ[2], z, TanhQ[1]), z, TanhQ[0])
	return math.Copysign(a+float64(a*z)*p/q, x)
}
