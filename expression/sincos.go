package expression

import "math"

// sincosRange is where sincos reduces its argument itself: below it the
// multiple of π/2 has at most 20 bits, so that its products with the first two
// parts of π/2, of 33 bits, are exact.
const sincosRange = 1 << 20

// sincos returns sine and cosine of x.
func sincos(x float64) (sin, cos float64) {
	v := [3]float64{2: x}
	sincosLanes(v[0:1], v[1:2], v[2:3])
	return v[0], v[1]
}

// sincosLanes writes sine and cosine of every lane, each to less than 2.5 units
// in the last place for |x| < 2^20 and as good as [math.Sincos] beyond. The
// polynomials and parts of π/2 are those of FreeBSD's k_sin.c, k_cos.c and
// e_rem_pio2.c (© 1993 Sun Microsystems; permission to use, copy, modify and
// distribute granted provided that this notice is preserved). sin may be lanes.
func sincosLanes(sin, cos, lanes []float64) {
	const (
		toNearest = 3 << 51 // its addition rounds to an integer
		part1     = 1.57079632673412561417e+00
		part2     = 6.07710050630396597660e-11
		part3     = 2.02226624879595063154e-21
	)
	sin, cos = sin[:len(lanes)], cos[:len(lanes)]
	for i, x := range lanes {
		if !(x > -sincosRange && x < sincosRange) {
			sin[i], cos[i] = math.Sincos(x)
			continue
		}
		t := float64(x*(2/math.Pi)) + toNearest
		k := t - toNearest
		// y = x − k π/2. The conversions forbid fused multiply-adds, whose
		// results would depend on the machine.
		y := ((x - float64(k*part1)) - float64(k*part2)) - float64(k*part3)
		z := float64(y * y)
		zz := float64(z * z)
		p := (8.33333333332248946124e-03 + float64(z*-1.98412698298579493134e-04)) +
			float64(zz*((2.75573137070700676789e-06+float64(z*-2.50507602534068634195e-08))+float64(zz*1.58969099521155010221e-10)))
		s := y + float64(float64(z*y)*(float64(z*p)-1.66666666666666324348e-01))
		q := (4.16666666666666019037e-02 + float64(z*-1.38888888888741095749e-03)) +
			float64(zz*((2.48015872894767294178e-05+float64(z*-2.75573143513906633035e-07))+
				float64(zz*(2.08757232129817482790e-09+float64(z*-1.13596475577881948265e-11)))))
		c := 1 - (float64(0.5*z) - float64(zz*q))

		// Quarter turns: swap for odd k, then the signs.
		n := math.Float64bits(t)
		sb, cb := math.Float64bits(s), math.Float64bits(c)
		d := (sb ^ cb) & -(n & 1)
		sb ^= d
		cb ^= d
		sb ^= (n & 2) << 62
		cb ^= ((n + 1) & 2) << 62
		sin[i], cos[i] = math.Float64frombits(sb), math.Float64frombits(cb)
	}
}
