package vector

import (
	"math"
	"slices"
)

// Same reports whether numbers have the same bits, whatever the payload of a NaN.
func Same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y })
}

// Neg writes -a.
func Neg(dst, a []float64) { kernels.neg.run(dst, a, func(x float64) float64 { return -x }) }

// Abs writes |a|.
func Abs(dst, a []float64) { kernels.abs.run(dst, a, math.Abs) }

// Sqrt writes √a.
func Sqrt(dst, a []float64) { kernels.sqrt.run(dst, a, math.Sqrt) }

// Add writes a + b.
func Add(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.add != nil && n > 0 {
		kernels.add(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = x + b[i]
	}
}

// Sub writes a − b.
func Sub(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.sub != nil && n > 0 {
		kernels.sub(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = x - b[i]
	}
}

// Mul writes a b.
func Mul(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.mul != nil && n > 0 {
		kernels.mul(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = x * b[i]
	}
}

// Div writes a/b.
func Div(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.div != nil && n > 0 {
		kernels.div(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = x / b[i]
	}
}

// Min writes the smaller of a and b as the builtin min does.
func Min(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.minimum != nil && n > 0 {
		kernels.minimum(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = min(x, b[i])
	}
}

// Max writes the larger of a and b as the builtin max does.
func Max(dst, a, b []float64) {
	n := len(dst)
	a, b = a[:n], b[:n]
	if kernels.maximum != nil && n > 0 {
		kernels.maximum(&dst[0], &a[0], &b[0], n)
		return
	}
	for i, x := range a {
		dst[i] = max(x, b[i])
	}
}

// MulAdd writes a b + c, the product rounded first.
func MulAdd(dst, a, b, c []float64) {
	n := len(dst)
	a, b, c = a[:n], b[:n], c[:n]
	if kernels.mulAdd != nil && n > 0 {
		kernels.mulAdd(&dst[0], &a[0], &b[0], &c[0], n)
		return
	}
	for i, x := range a {
		dst[i] = float64(x*b[i]) + c[i]
	}
}

// MulSub writes a b − c, the product rounded first.
func MulSub(dst, a, b, c []float64) {
	n := len(dst)
	a, b, c = a[:n], b[:n], c[:n]
	if kernels.mulSub != nil && n > 0 {
		kernels.mulSub(&dst[0], &a[0], &b[0], &c[0], n)
		return
	}
	for i, x := range a {
		dst[i] = float64(x*b[i]) - c[i]
	}
}

// SubMul writes c − a b, the product rounded first.
func SubMul(dst, a, b, c []float64) {
	n := len(dst)
	a, b, c = a[:n], b[:n], c[:n]
	if kernels.subMul != nil && n > 0 {
		kernels.subMul(&dst[0], &a[0], &b[0], &c[0], n)
		return
	}
	for i, x := range a {
		dst[i] = c[i] - float64(x*b[i])
	}
}

// MulMulAdd writes a b + c d, both products rounded first.
func MulMulAdd(dst, a, b, c, d []float64) {
	n := len(dst)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	if kernels.mulMulAdd != nil && n > 0 {
		kernels.mulMulAdd(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
		return
	}
	for i, x := range a {
		dst[i] = float64(x*b[i]) + float64(c[i]*d[i])
	}
}

// Select writes c where a ≤ b, and d elsewhere.
func Select(dst, a, b, c, d []float64) {
	n := len(dst)
	a, b, c, d = a[:n], b[:n], c[:n], d[:n]
	if kernels.choose != nil && n > 0 {
		kernels.choose(&dst[0], &a[0], &b[0], &c[0], &d[0], n)
		return
	}
	for i, x := range a {
		if x <= b[i] {
			dst[i] = c[i]
		} else {
			dst[i] = d[i]
		}
	}
}
