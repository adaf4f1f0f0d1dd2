package domain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// simplex is {x : x ≥ 0, Σx_i ≤ s}.
type simplex struct {
	d int
	s float64
}

// NewSimplex returns {x : x ≥ 0, Σx_i ≤ s}: the d ≥ 1 free coordinates of d + 1 shares of
// s > 0. Wall i < d is x_i = 0, wall d is Σx_i = s.
func NewSimplex(d int, s float64) (Domain, error) {
	if d < 1 || !(s > 0) || math.IsInf(s, 1) {
		return nil, fmt.Errorf("simplex: %d coordinates with total %g: give at least one coordinate and a positive, finite total", d, s)
	}
	return &simplex{d, s}, nil
}

func (s *simplex) Dim() int { return s.d }

// Contains reports x ≥ 0 and Σx_i ≤ s, summed in index order.
func (s *simplex) Contains(x []float64) bool {
	sum := 0.0
	for _, v := range x {
		if !(v >= 0) {
			return false
		}
		sum += v
	}
	return sum <= s.s
}

// Bounds writes [0, s] for every coordinate.
func (s *simplex) Bounds(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = 0, s.s
	}
}

func (s *simplex) Name() string     { return "simplex" }
func (s *simplex) Convex() bool     { return true }
func (s *simplex) ExactWalls() bool { return true }
func (s *simplex) Tracer() Tracer   { return simplexTracer{s} }

func (s *simplex) HalfSpaces() (h HalfSpaces, _ bool) {
	for i := range s.d {
		a := make([]float64, s.d)
		a[i] = -1
		h.add(a, 0, "", Wall(i))
	}
	a := make([]float64, s.d)
	for i := range a {
		a[i] = 1
	}
	h.add(a, s.s, "", Wall(s.d))
	return h, true
}

type simplexTracer struct{ *simplex }

func (s simplexTracer) Walls() int                 { return s.d + 1 }
func (s simplexTracer) Clear(_, to []float64) bool { return s.Contains(to) }

func (s simplexTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	t, w := 1.0, None
	sum, rate := 0.0, 0.0
	for i, e := range dir {
		sum += x[i]
		rate += e
		if !(e < 0) {
			continue
		}
		slack := 0.0
		if Wall(i) != on {
			slack = math.Max(x[i], 0)
		}
		if slack < -t*e {
			t, w = -slack/e, Wall(i)
		}
	}
	if rate > 0 {
		slack := 0.0
		if Wall(s.d) != on {
			slack = math.Max(s.s-sum, 0)
		}
		if slack < t*rate {
			t, w = slack/rate, Wall(s.d)
		}
	}
	return t, w
}

func (s simplexTracer) Normal(n, _ []float64, w Wall) {
	v := 0.0
	if int(w) == s.d {
		v = 1 / math.Sqrt(float64(s.d))
	}
	for i := range n {
		n[i] = v
	}
	if int(w) < s.d {
		n[w] = -1
	}
}

// Nearest projects a point outside by the method of Michelot (1986); from
// inside it goes to the nearest facet.
func (s simplexTracer) Nearest(p, n, x []float64) bool {
	if !finite(x) {
		return false
	}
	sum, low, at := 0.0, x[0], 0
	for i, v := range x {
		sum += v
		if v < low {
			low, at = v, i
		}
	}
	gap := (s.s - sum) / math.Sqrt(float64(s.d))
	wall, best := Wall(at), low
	if gap < low {
		wall, best = Wall(s.d), gap
	}
	s.Normal(n, x, wall)
	if best >= 0 {
		for i, u := range n {
			p[i] = x[i] + best*u
		}
		return true
	}
	s.clip(p, x)
	outward(n, x, p)
	return true
}

// clip writes the point of the simplex nearest to x into p: max(x − θ, 0) with
// θ = 0 where that sums to at most s, else the θ that makes the sum s.
func (s simplexTracer) clip(p, x []float64) {
	sum := 0.0
	for i, v := range x {
		p[i] = math.Max(v, 0)
		sum += p[i]
	}
	if sum <= s.s {
		return
	}
	// θ grows to its value; each round drops coordinates below it.
	theta := math.Inf(-1)
	for range s.d + 1 {
		sum, k := 0.0, 0
		for _, v := range x {
			if v > theta {
				sum += v
				k++
			}
		}
		next := (sum - s.s) / float64(k)
		if k == 0 || next <= theta {
			break
		}
		theta = next
	}
	for i, v := range x {
		p[i] = math.Max(v-theta, 0)
	}
}

// Pieces are the sides of a triangle.
func (s *simplex) Pieces() []Piece { return edges([][2]float64{{0, 0}, {s.s, 0}, {0, s.s}}) }

// Section is the shadow.
func (s *simplex) Section(_, _ int) func(x, y float64) bool {
	return func(x, y float64) bool { return x >= 0 && y >= 0 && x+y <= s.s }
}

// Uniform takes shares of exponential draws.
func (s *simplex) Uniform(context.Context) (*Law, error) { return closed(s.point), nil }

// point takes shares of exponential draws.
func (s *simplex) point(x []float64, rng *rand.Rand) {
	sum := rng.ExpFloat64()
	for i := range x {
		x[i] = rng.ExpFloat64()
		sum += x[i]
	}
	for i := range x {
		x[i] *= s.s / sum
	}
}

// Volume is exact.
func (s *simplex) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	g, _ := math.Lgamma(float64(s.d) + 1)
	return float64(s.d)*math.Log(s.s) - g, 0, nil
}
