package domain

import (
	"math"
	"sync/atomic"
)

// dot is a·b, summed in index order.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// norm is |a|, safe against overflow and underflow of the squares.
func norm(a []float64) float64 {
	if s := dot(a, a); s > 1e-280 && s < 1e280 {
		return math.Sqrt(s)
	}
	big := 0.0
	for _, v := range a {
		big = math.Max(big, math.Abs(v))
	}
	if big == 0 || big-big != 0 {
		return big
	}
	s := 0.0
	for _, v := range a {
		s += (v / big) * (v / big)
	}
	return big * math.Sqrt(s)
}

// distance is |a − b|.
func distance(a, b []float64) float64 {
	s := 0.0
	for i, v := range a {
		e := v - b[i]
		s += e * e
	}
	return math.Sqrt(s)
}

// finite reports that no element of x is NaN or ±Inf.
func finite(x []float64) bool {
	for _, v := range x {
		if v-v != 0 {
			return false
		}
	}
	return true
}

// tame reports that the squares of x do not overflow: |x_i| ≤ 1e150.
func tame(x []float64) bool {
	for _, v := range x {
		if !(v >= -1e150 && v <= 1e150) {
			return false
		}
	}
	return true
}

// mirror reflects a at the plane through the origin with normal n: the
// Householder map a − 2 (a·n)/(n·n) n.
func mirror(a, n []float64) {
	s := 2 * dot(a, n) / dot(n, n)
	for i, v := range n {
		a[i] -= s * v
	}
}

// outward sets n to (x − p)/|x − p|, the outward normal at the nearest point p
// of an outside point x. It leaves n alone and reports false when x and p are
// too close for the quotient to have a direction.
func outward(n, x, p []float64) bool {
	big, dist := 0.0, distance(x, p)
	for i, v := range p {
		big = math.Max(big, math.Max(math.Abs(v), math.Abs(x[i])))
	}
	if !(dist > 1e-9*big) {
		return false
	}
	for i := range n {
		n[i] = (x[i] - p[i]) / dist
	}
	return true
}

// scratch lends a vector to a method that several goroutines may call at once:
// the one at hand, or a new one when that is lent already.
type scratch struct{ spare atomic.Pointer[[]float64] }

// take returns a vector of length n, the same n at every call.
func (s *scratch) take(n int) *[]float64 {
	if v := s.spare.Swap(nil); v != nil {
		return v
	}
	v := make([]float64, n)
	return &v
}

func (s *scratch) give(v *[]float64) { s.spare.Store(v) }
