package dynamics

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A whitener makes the residuals of a response independent and of equal
// variance. nil leaves them as they are.
type whitener struct {
	sd     []float64             // of independent rows; or
	factor blas64.TriangularBand // U, UᵀU their covariance
}

// apply replaces v by U⁻ᵀv.
func (w *whitener) apply(v []float64) {
	switch {
	case w == nil:
	case w.sd != nil:
		for t, sd := range w.sd {
			v[t] /= sd
		}
	default:
		blas64.Tbsv(blas.Trans, w.factor, blas64.Vector{N: len(v), Inc: 1, Data: v})
	}
}

// transpose replaces v by U⁻¹v.
func (w *whitener) transpose(v []float64) {
	if w == nil || w.sd != nil {
		w.apply(v)
		return
	}
	blas64.Tbsv(blas.NoTrans, w.factor, blas64.Vector{N: len(v), Inc: 1, Data: v})
}

// at is the factor of row t on the diagonal: the standard deviation of its
// residual given those before.
func (w *whitener) at(t int) float64 {
	switch {
	case w == nil:
		return 1
	case w.sd != nil:
		return w.sd[t]
	}
	return w.factor.Data[t*w.factor.Stride]
}

// logDet is half the log determinant of the covariance of n rows.
func (w *whitener) logDet(n int) float64 {
	sum := 0.0
	if w != nil {
		for t := range n {
			sum += math.Log(w.at(t))
		}
	}
	return sum
}

// independent reports whether rows stay apart.
func (w *whitener) independent() bool { return w == nil || w.sd != nil }

// whitened returns copies of a row-major design and of vectors, whitened.
func (w *whitener) design(design []float64, columns int) []float64 {
	if columns == 0 {
		return design
	}
	n := len(design) / columns
	out, v := make([]float64, len(design)), make([]float64, n)
	for k := range columns {
		for t := range v {
			v[t] = design[t*columns+k]
		}
		w.apply(v)
		for t, x := range v {
			out[t*columns+k] = x
		}
	}
	return out
}

// vector returns a whitened copy of v; nil stays nil.
func (w *whitener) vector(v []float64) []float64 {
	if v == nil {
		return nil
	}
	out := append([]float64(nil), v...)
	w.apply(out)
	return out
}

// newWhitener factors a symmetric band matrix, which it overwrites; ok is
// whether it is positive definite.
func newWhitener(c blas64.SymmetricBand) (w *whitener, ok bool) {
	factor, ok := lapack64.Pbtrf(c)
	return &whitener{factor: factor}, ok
}

// newBand returns a zero symmetric matrix of order n with k diagonals above the
// main one; entry (i, j) with j ≥ i lies at Data[i*Stride+j−i].
func newBand(n, k int) blas64.SymmetricBand {
	k = max(0, min(k, n-1))
	return blas64.SymmetricBand{Uplo: blas.Upper, N: n, K: k, Stride: k + 1, Data: make([]float64, n*(k+1))}
}

// covariance is W·Wᵀ for rows of W that are given as stencils of ascending
// starts.
func covariance(rows []stencil) blas64.SymmetricBand {
	k := 0
	for i, a := range rows {
		j := i + k + 1
		for j < len(rows) && rows[j].from < a.from+len(a.weight) {
			j++
		}
		k = max(k, j-1-i)
	}
	c := newBand(len(rows), k)
	for i, a := range rows {
		for j := i; j < min(len(rows), i+c.K+1); j++ {
			c.Data[i*c.Stride+j-i] = dot(a, rows[j])
		}
	}
	return c
}

// dot is the covariance of two functions of values with unit noise.
func dot(a, b stencil) float64 {
	from, to := max(a.from, b.from), min(a.from+len(a.weight), b.from+len(b.weight))
	sum := 0.0
	for t := from; t < to; t++ {
		sum += a.weight[t-a.from] * b.weight[t-b.from]
	}
	return sum
}

// relative scales standard deviations so that those of rows of equal weight are
// 1: the mean of 1/sd² becomes 1. It returns nil if all are alike.
func relative(sd []float64) []float64 {
	least, most, precision := math.Inf(1), 0.0, 0.0
	for _, s := range sd {
		least, most = math.Min(least, s), math.Max(most, s)
		precision += 1 / (s * s)
	}
	if !(most > least*(1+1e-9)) {
		return nil
	}
	unit := math.Sqrt(float64(len(sd)) / precision)
	out := make([]float64, len(sd))
	for t, s := range sd {
		out[t] = s / unit
	}
	return out
}
