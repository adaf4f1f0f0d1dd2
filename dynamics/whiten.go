package dynamics

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/r2sgld/r2sgld/internal/slope"
)

// A whitener makes the residuals of a response independent and of equal
// variance. nil leaves them as they are.
type whitener struct {
	sd     []float64             // of independent rows; or
	factor blas64.TriangularBand // U, UᵀU their covariance
	added  []float64             // what was added to the covariance's diagonal
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

// lost counts the data that have no error of their own, so that they do not tell
// the noise: the trace of what was added times the inverse.
func (w *whitener) lost() float64 {
	sum := 0.0
	if w == nil || w.added == nil {
		return sum
	}
	for t, z := range w.inverseDiagonal() {
		sum += w.added[t] * z
	}
	return sum
}

// inverseDiagonal is the diagonal of (UᵀU)⁻¹, from the last row up: of the rows
// below, the inverse is only needed within the band (Erisman and Tinney 1975).
func (w *whitener) inverseDiagonal() []float64 {
	u := w.factor
	z := slope.NewBand(u.N, u.K)
	out := make([]float64, u.N)
	for i := u.N - 1; i >= 0; i-- {
		row, d := u.Data[i*u.Stride:], u.Data[i*u.Stride]
		last := min(u.N-1, i+u.K)
		for j := last; j >= i; j-- {
			sum := 0.0
			if j == i {
				sum = -1 / d
			}
			for l := i + 1; l < j; l++ {
				sum += row[l-i] * z.Data[l*z.Stride+j-l]
			}
			for l, v := range z.Data[j*z.Stride : j*z.Stride+last-j+1] {
				if j > i || l > 0 {
					sum += row[j-i+l] * v
				}
			}
			z.Data[i*z.Stride+j-i] = -sum / d
		}
		out[i] = z.Data[i*z.Stride]
	}
	return out
}

// design returns a whitened copy of a design, given by rows.
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

// correct scales a residual standard deviation of n data and p parameters to the
// data that there are.
func (w *whitener) correct(sd float64, n, p int) float64 {
	if free := float64(n-p) - w.lost(); free > 0.5 {
		return sd * math.Sqrt(float64(n-p)/free)
	}
	return math.NaN()
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
