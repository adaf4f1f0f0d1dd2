package tune

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
)

const (
	round     = 4.0 // ratio of the variances of directions below which no whitening is needed
	manyNames = 400 // dimension above which only scales are whitened
)

// whitening is x = center + L z that makes the variances of all directions of a
// covariance alike: nil if they are, diagonal if that will do.
func whitening(c *mat.SymDense, center []float64) *r2sgld.Whitening {
	d := c.SymmetricDim()
	if condition(c, nil) <= round {
		return nil
	}
	scale := make([]float64, d)
	for i := range scale {
		scale[i] = math.Sqrt(c.At(i, i))
		if !(scale[i] > 0) || math.IsInf(scale[i], 0) {
			return nil
		}
	}
	w := &r2sgld.Whitening{Center: center, L: make([][]float64, d)}
	for i := range w.L {
		w.L[i] = make([]float64, d)
		w.L[i][i] = scale[i]
	}
	if d > manyNames || condition(c, scale) <= round {
		return w
	}
	var chol mat.Cholesky
	if !chol.Factorize(c) {
		return w
	}
	var l mat.TriDense
	chol.LTo(&l)
	for i := range w.L {
		for j := range i + 1 {
			w.L[i][j] = l.At(i, j)
		}
	}
	return w
}

// condition is the ratio of the largest to the smallest eigenvalue of c, its
// coordinates divided by scale (nil: by 1); +Inf if that cannot be told.
func condition(c *mat.SymDense, scale []float64) float64 {
	d := c.SymmetricDim()
	s := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			v := c.At(i, j)
			if scale != nil {
				v /= scale[i] * scale[j]
			}
			s.SetSym(i, j, v)
		}
	}
	if d > manyNames {
		lo, hi := math.Inf(1), 0.0
		for i := range d {
			lo, hi = min(lo, s.At(i, i)), max(hi, s.At(i, i))
		}
		return hi / lo
	}
	var e mat.EigenSym
	if !e.Factorize(s, false) {
		return math.Inf(1)
	}
	v := e.Values(nil)
	if !(v[0] > 0) {
		return math.Inf(1)
	}
	return v[d-1] / v[0]
}

// localCovariance is the inverse of the mean of β ∇U ∇Uᵀ at draws of the coldest
// rung, and of what the domain alone says: for a normal law it is the covariance,
// for several modes that of one of them, and where the density leans on a wall
// that of its layer. spread is the covariance of points that fill the domain; nil
// if it is not bounded.
func localCovariance(seen []point, beta float64, spread *mat.SymDense) *mat.SymDense {
	d := len(seen[0].slope)
	h := mat.NewSymDense(d, nil)
	for _, p := range seen {
		g := mat.NewVecDense(d, p.slope)
		h.SymRankOne(h, beta/float64(len(seen)), g)
	}
	if spread != nil {
		var own mat.SymDense
		var chol mat.Cholesky
		if !chol.Factorize(spread) || chol.InverseTo(&own) != nil {
			return nil
		}
		h.AddSym(h, &own)
	}
	var chol mat.Cholesky
	if !chol.Factorize(h) {
		return nil
	}
	var c mat.SymDense
	if chol.InverseTo(&c) != nil {
		return nil
	}
	return &c
}

// sameScale reports whether two whitenings are alike enough to keep the first: no
// direction differs by more than a factor of two in variance.
func sameScale(a, b *r2sgld.Whitening) bool {
	if a == nil || b == nil {
		return a == b
	}
	// M = A⁻¹B: the singular values of M are the ratios of standard deviations.
	var m mat.Dense
	if m.Solve(a.Matrix(), b.Matrix()) != nil {
		return false
	}
	var svd mat.SVD
	if !svd.Factorize(&m, mat.SVDNone) {
		return false
	}
	s := svd.Values(nil)
	return s[0] < math.Sqrt2 && s[len(s)-1] > 1/math.Sqrt2
}
