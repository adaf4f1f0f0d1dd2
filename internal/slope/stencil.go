package slope

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// A Stencil is a linear function of consecutive existing values of a state, and
// the value that it is at, which is one of them or next to them.
type Stencil struct {
	From   int
	Weight []float64
	At     int
}

// Of is the weight of a value.
func (s Stencil) Of(value int) float64 {
	if k := value - s.From; k >= 0 && k < len(s.Weight) {
		return s.Weight[k]
	}
	return 0
}

// SD is the standard deviation of the function for unit noise of the values.
func (s Stencil) SD() float64 {
	sum := 0.0
	for _, w := range s.Weight {
		sum += w * w
	}
	return math.Sqrt(sum)
}

// Times is v·s.
func (s Stencil) Times(v float64) Stencil {
	out := Stencil{s.From, slices.Clone(s.Weight), s.At}
	for k := range out.Weight {
		out.Weight[k] *= v
	}
	return out
}

// Add is the sum of two functions.
func (s Stencil) Add(o Stencil) Stencil {
	if len(s.Weight) == 0 {
		return o
	}
	from, to := min(s.From, o.From), max(s.From+len(s.Weight), o.From+len(o.Weight))
	out := Stencil{from, make([]float64, to-from), s.At}
	for _, part := range []Stencil{s, o} {
		for k, v := range part.Weight {
			out.Weight[part.From-from+k] += v
		}
	}
	return out
}

// NewBand returns a zero symmetric matrix of order n with k diagonals above the
// main one; entry (i, j) with j ≥ i lies at Data[i*Stride+j−i].
func NewBand(n, k int) blas64.SymmetricBand {
	k = max(0, min(k, n-1))
	return blas64.SymmetricBand{Uplo: blas.Upper, N: n, K: k, Stride: k + 1, Data: make([]float64, n*(k+1))}
}

// Covariance is W·Wᵀ for rows of W that are given as stencils of ascending
// starts.
func Covariance(rows []Stencil) blas64.SymmetricBand {
	k := 0
	for i, a := range rows {
		j := i + k + 1
		for j < len(rows) && rows[j].From < a.From+len(a.Weight) {
			j++
		}
		k = max(k, j-1-i)
	}
	c := NewBand(len(rows), k)
	for i, a := range rows {
		for j := i; j < min(len(rows), i+c.K+1); j++ {
			c.Data[i*c.Stride+j-i] = Dot(a, rows[j])
		}
	}
	return c
}

// Dot is the covariance of two functions of values with unit noise.
func Dot(a, b Stencil) float64 {
	from, to := max(a.From, b.From), min(a.From+len(a.Weight), b.From+len(b.Weight))
	sum := 0.0
	for t := from; t < to; t++ {
		sum += a.Weight[t-a.From] * b.Weight[t-b.From]
	}
	return sum
}
