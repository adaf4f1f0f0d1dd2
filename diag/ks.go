package diag

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// KS returns the Kolmogorov–Smirnov distance sup|F̂ - F| between a sample and
// the continuous law with distribution function cdf. NaN for an empty sample
// or a value that is not finite.
func KS(x []float64, cdf func(float64) float64) float64 {
	s := sortedCopy(x)
	if s == nil {
		return math.NaN()
	}
	n := float64(len(s))
	var d float64
	for i, v := range s {
		f := cdf(v)
		d = math.Max(d, math.Max(float64(i+1)/n-f, f-float64(i)/n))
	}
	return d
}

// KSTwo returns sup|F̂ - Ĝ| between two samples; ties are allowed.
func KSTwo(x, y []float64) float64 {
	a, b := sortedCopy(x), sortedCopy(y)
	if a == nil || b == nil {
		return math.NaN()
	}
	var i, j int
	var d float64
	for i < len(a) && j < len(b) {
		v := math.Min(a[i], b[j])
		for ; i < len(a) && a[i] == v; i++ {
		}
		for ; j < len(b) && b[j] == v; j++ {
		}
		d = math.Max(d, math.Abs(float64(i)/float64(len(a))-float64(j)/float64(len(b))))
	}
	return d
}

// KSTwoSize returns the sample size nx·ny/(nx+ny) that makes KSPValue apply to
// KSTwo; nx and ny are effective sample sizes where draws depend on each other.
func KSTwoSize(nx, ny float64) float64 { return nx / (nx + ny) * ny }

// KSPValue returns the asymptotic probability P(K > √n·d) that a sample of n
// independent draws (an effective sample size, for draws that are not) has a
// Kolmogorov–Smirnov distance above d. NaN unless d ≥ 0 and n > 0.
func KSPValue(d, n float64) float64 {
	l := math.Sqrt(n) * d
	if !(d >= 0 && n > 0) {
		return math.NaN()
	}
	if l < 1 { // the series in 1/λ
		if l < 0.04 {
			return 1
		}
		var sum float64
		for k := 1.0; k < 8; k += 2 {
			sum += math.Exp(-k * k * math.Pi * math.Pi / (8 * l * l))
		}
		return 1 - math.Sqrt(2*math.Pi)/l*sum
	}
	var sum float64
	for k, sign := 1.0, 2.0; k < 8; k, sign = k+1, -sign {
		sum += sign * math.Exp(-2*k*k*l*l)
	}
	return sum
}

// KSPValueExact returns P(D ≥ d) for n independent draws of a continuous law,
// by the matrix power of Marsaglia, Tsang and Wang (2003), to about 1e-13
// absolute. Time grows like (n·d)³·log n: meant for n up to about a thousand,
// beyond which KSPValue does. NaN unless 0 ≤ d and n ≥ 1.
func KSPValueExact(d float64, n int) float64 {
	switch {
	case !(d >= 0) || n < 1:
		return math.NaN()
	case d >= 1:
		return 0
	case float64(n)*d <= 0.5:
		return 1
	}
	k := int(float64(n)*d) + 1
	h, exponent := matrixPower(hessenberg(k, float64(k)-float64(n)*d), n)
	s := h.At(k-1, k-1)
	for i := 1; i <= n; i++ { // times n!/nⁿ, kept in range
		s *= float64(i) / float64(n)
		if s < 1e-140 {
			s *= 1e140
			exponent -= 140
		}
	}
	return math.Min(math.Max(1-s*math.Pow(10, float64(exponent)), 0), 1)
}

func hessenberg(k int, h float64) *mat.Dense {
	m := 2*k - 1
	a := mat.NewDense(m, m, nil)
	for i := range m {
		for j := 0; j < m && j <= i+1; j++ {
			a.Set(i, j, 1)
		}
	}
	for i := range m {
		a.Set(i, 0, a.At(i, 0)-math.Pow(h, float64(i+1)))
		a.Set(m-1, i, a.At(m-1, i)-math.Pow(h, float64(m-i)))
	}
	if 2*h > 1 {
		a.Set(m-1, 0, a.At(m-1, 0)+math.Pow(2*h-1, float64(m)))
	}
	for i := range m {
		factor := 1.0
		for j := i; j >= 0; j-- { // divide by (i-j+1)!
			factor *= float64(i - j + 1)
			a.Set(i, j, a.At(i, j)/factor)
		}
	}
	return a
}

// matrixPower returns aⁿ as a matrix times a power of ten.
func matrixPower(a *mat.Dense, n int) (*mat.Dense, int) {
	m, _ := a.Dims()
	result := mat.NewDense(m, m, nil)
	for i := range m {
		result.Set(i, i, 1)
	}
	base, exponent, at := mat.DenseCopyOf(a), 0, 0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			var r mat.Dense
			r.Mul(result, base)
			result, exponent = &r, exponent+at
			exponent += rescale(result)
		}
		var b mat.Dense
		b.Mul(base, base)
		base, at = &b, 2*at
		at += rescale(base)
	}
	return result, exponent
}

func rescale(a *mat.Dense) int {
	m, _ := a.Dims()
	if a.At(m/2, m/2) < 1e140 {
		return 0
	}
	a.Scale(1e-140, a)
	return 140
}
