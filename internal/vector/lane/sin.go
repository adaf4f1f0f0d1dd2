package lane

import "math"

// SinRange is the magnitude up to which sines reduce their argument by parts of π/2.
const SinRange = 1 << 20

// The parts of π/2: 53 bits each.
const (
	HalfPi1 = 1.5707963267948966
	HalfPi2 = 6.123233995736766e-17
	HalfPi3 = -1.4973849048591698e-33
)

// SinPoly and CosPoly are the coefficients of k_sin.c and k_cos.c.
var (
	SinPoly = [6]float64{
		-1.66666666666666324348e-01, 8.33333333332248946124e-03, -1.98412698298579493134e-04,
		2.75573137070700676789e-06, -2.50507602534068634195e-08, 1.58969099521155010221e-10,
	}
	CosPoly = [6]float64{
		4.16666666666666019037e-02, -1.38888888888741095749e-03, 2.48015872894767294178e-05,
		-2.75573143513906633035e-07, 2.08757232129817482790e-09, -1.13596475577881948265e-11,
	}
)

// inQuarter returns sine and cosine of r + c, |r| ≤ π/4.
func inQuarter(r, c float64) (sin, cos float64) {
	z := r * r
	w := z * z
	s := &SinPoly
	v := z * r
	p := math.FMA(w, math.FMA(z, s[5], s[4]), math.FMA(z, s[3], s[2]))
	p = math.FMA(z, p, s[1])
	sin = r - math.FMA(-v, s[0], math.FMA(z, math.FMA(-v, p, float64(0.5*c)), -c))

	d := &CosPoly
	q := math.FMA(w, math.FMA(z, d[5], d[4]), math.FMA(z, d[3], d[2]))
	q = math.FMA(w, q, math.FMA(z, d[1], d[0]))
	half := float64(0.5 * z)
	one := 1 - half
	cos = one + (((1 - one) - half) + math.FMA(z, float64(z*q), -float64(r*c)))
	return sin, cos
}

// quarters returns the integer k next to x/(π/2), in the low bits of n, and r + c
// = x − k π/2, for |x| < SinRange.
func quarters(x float64) (n uint64, r, c float64) {
	t := math.FMA(x, 2/math.Pi, ToInteger)
	k := t - ToInteger
	high := math.FMA(-k, HalfPi1, x)
	p := float64(k * HalfPi2)
	r = high - p
	back := r - high
	c = (high - (r - back)) - (p + back) // what r lacks of high − p
	c = math.FMA(-k, HalfPi3, c-math.FMA(k, HalfPi2, -p))
	return bits(t), r, c
}

// turn returns sine and cosine of an angle n quarter turns beyond that with s and c.
func turn(n uint64, s, c float64) (sin, cos float64) {
	sb, cb := bits(s), bits(c)
	d := (sb ^ cb) & -(n & 1)
	return number(sb ^ d ^ (n&2)<<62), number(cb ^ d ^ ((n+1)&2)<<62)
}

// SinCos returns sine and cosine of x, each to less than 0.9 units for |x| < SinRange
// and as [math.Sincos] beyond.
func SinCos(x float64) (sin, cos float64) {
	if !(abs(x) < SinRange) {
		return math.Sincos(x)
	}
	n, r, c := quarters(x)
	s, d := inQuarter(r, c)
	return turn(n, s, d)
}

// Sin returns the sine of SinCos.
func Sin(x float64) float64 {
	s, _ := SinCos(x)
	return s
}

// Cos returns the cosine of SinCos.
func Cos(x float64) float64 {
	_, c := SinCos(x)
	return c
}

// Tan returns the tangent to less than 2 units for |x| < SinRange and as [math.Tan]
// beyond.
func Tan(x float64) float64 {
	if !(abs(x) < SinRange) {
		return math.Tan(x)
	}
	s, c := SinCos(x)
	return s / c
}
