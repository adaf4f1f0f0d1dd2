package lane

import "math"

// The parts of log 2 in logarithms: the multiple of the first by an exponent is exact.
const (
	Ln2High = 6.93147180369123816490e-01
	Ln2Low  = 1.90821492927058770002e-10
)

// LogPoly are the coefficients of R in log(1+f) = 2s + s R, s = f/(2+f), from e_log.c.
var LogPoly = [7]float64{
	6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
	1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
}

// Bits of the numbers between which Log reduces: √½ and from there to 1.
const (
	RootHalfBits = 0x3fe6a09e667f3bcd
	LogShift     = 0x3ff0000000000000 - RootHalfBits
	FractionMask = 1<<fractionBits - 1
	// TwoTo52 is the bits of 2^52; an integer below it in its low bits adds that.
	TwoTo52    = 0x4330000000000000
	LogExcess  = 1<<52 + bias
	MaxFloat64 = math.MaxFloat64
)

// logOf returns log u + c for normal u.
func logOf(u, c float64) float64 {
	b := bits(u) + LogShift
	k := number(b>>fractionBits|TwoTo52) - LogExcess
	f := number(b&FractionMask+RootHalfBits) - 1
	s := f / (2 + f)
	z := s * s
	w := z * z
	l := &LogPoly
	odd := math.FMA(w, math.FMA(w, math.FMA(w, l[6], l[4]), l[2]), l[0])
	even := math.FMA(w, math.FMA(w, l[5], l[3]), l[1])
	half := float64(float64(0.5*f) * f)
	r := math.FMA(z, odd, float64(w*even))
	return math.FMA(k, Ln2High, f-(half-math.FMA(s, half+r, math.FMA(k, Ln2Low, c))))
}

// Log returns the natural logarithm to less than 0.9 units.
func Log(x float64) float64 {
	switch {
	case x >= smallestNormal && x <= MaxFloat64:
		return logOf(x, 0)
	case x > MaxFloat64:
		return x
	case x > 0:
		return logOf(x*0x1p54, 0) - 54*math.Ln2
	case x == 0:
		return math.Inf(-1)
	}
	return math.NaN() // negative, or not a number
}

// Log1p returns log(1 + x) to less than 0.9 units.
func Log1p(x float64) float64 {
	switch {
	case x > -1 && x <= MaxFloat64:
		return log1p(x)
	case x > MaxFloat64:
		return x
	case x == -1:
		return math.Inf(-1)
	}
	return math.NaN() // less than -1, or not a number
}

// log1p is Log1p between its limits.
func log1p(x float64) float64 {
	u := 1 + x
	from := u - 1
	rest := (1 - (u - from)) + (x - from)
	if x == 0 {
		return x
	}
	return logOf(u, rest/u)
}
