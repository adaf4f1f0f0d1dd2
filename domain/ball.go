package domain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ball is {x : |x − c| ≤ r}.
type ball struct {
	c []float64
	r float64
}

// NewBall returns the ball {x : |x − c| ≤ r}, r > 0, with the one wall 0. It is an error if numbers near c
// are more than r/1024 apart.
func NewBall(c []float64, r float64) (Domain, error) {
	if len(c) == 0 || !finite(c) {
		return nil, fmt.Errorf("ball: centre %v: give at least one coordinate, all finite", c)
	}
	if !(r > 0) || math.IsInf(r, 1) {
		return nil, fmt.Errorf("ball: radius %g: it must be positive and finite", r)
	}
	for _, v := range c {
		if v+r/1024 == v {
			return nil, fmt.Errorf("ball: around a centre at %g numbers are too coarse for a radius of %g: measure from another origin", v, r)
		}
	}
	return &ball{append([]float64(nil), c...), r}, nil
}

func (b *ball) Dim() int { return len(b.c) }

// Contains reports Σ(x_i − c_i)² ≤ r².
func (b *ball) Contains(x []float64) bool {
	s := 0.0
	for i, c := range b.c {
		e := x[i] - c
		s += e * e
	}
	return s <= b.r*b.r
}

// Bounds writes the cube around the ball.
func (b *ball) Bounds(lo, hi []float64) {
	for i, c := range b.c {
		lo[i], hi[i] = c-b.r, c+b.r
	}
}

func (b *ball) Name() string         { return "ball" }
func (b *ball) Convex() bool         { return true }
func (b *ball) ExactWalls() bool     { return true }
func (b *ball) WallName(Wall) string { return "the sphere" }
func (b *ball) Tracer() Tracer       { return ballTracer{b} }

type ballTracer struct{ *ball }

func (b ballTracer) Walls() int                 { return 1 }
func (b ballTracer) Clear(_, to []float64) bool { return b.Contains(to) }

func (b ballTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	qa, qb, qc := 0.0, 0.0, -b.r*b.r
	for i, c := range b.c {
		e := x[i] - c
		qa += dir[i] * dir[i]
		qb += e * dir[i]
		qc += e * e
	}
	return leave(qa, qb, qc, on)
}

// leave finds where qa t² + 2 qb t + qc, at most 0 at t = 0, becomes positive
// for good; on says that it is exactly 0 there.
func leave(qa, qb, qc float64, on Wall) (float64, Wall) {
	if on != None || qc > 0 {
		qc = 0
	}
	t := 0.0
	if root := math.Sqrt(qb*qb - qa*qc); qb > 0 {
		t = -qc / (qb + root)
	} else {
		t = (root - qb) / qa
	}
	if !(t < 1) {
		return 1, None
	}
	return t, 0
}

func (b ballTracer) Normal(n, x []float64, _ Wall) {
	s := 0.0
	for i, c := range b.c {
		n[i] = x[i] - c
		s += n[i] * n[i]
	}
	s = math.Sqrt(s)
	for i := range n {
		n[i] /= s
	}
}

// Nearest goes along the radius; from the centre itself along the first axis.
func (b ballTracer) Nearest(p, n, x []float64) bool {
	b.Normal(n, x, 0)
	if !finite(n) {
		for i := range n {
			n[i] = 0
		}
		n[0] = 1
	}
	for i, c := range b.c {
		p[i] = c + b.r*n[i]
	}
	return true
}

// Pieces is the circle from its rightmost point.
func (b *ball) Pieces() []Piece {
	p := Piece{Knots: make([]float64, 9)}
	for i := range p.Knots {
		p.Knots[i] = float64(i) / 8
	}
	p.At = func(t float64) (x, y, dx, dy float64) {
		if t == 1 {
			t = 0
		}
		sin, cos := math.Sincos(2 * math.Pi * t)
		return b.c[0] + b.r*cos, b.c[1] + b.r*sin, -2 * math.Pi * b.r * sin, 2 * math.Pi * b.r * cos
	}
	return []Piece{p}
}

// Section is the shadow.
func (b *ball) Section(i, j int) func(x, y float64) bool {
	return func(x, y float64) bool {
		u, v := x-b.c[i], y-b.c[j]
		return u*u+v*v <= b.r*b.r
	}
}

// Inequalities are that of the sphere.
func (b *ball) Inequalities() (*Inequalities, error) {
	return &Inequalities{Quadratic: []Quadratic{{At: each(len(b.c)), C: b.c, R: b.r}}}, nil
}

// Uniform takes directions of normal draws.
func (b *ball) Uniform(context.Context) (*Law, error) {
	return closed(func(x []float64, rng *rand.Rand) {
		inBall(x, rng)
		for i, c := range b.c {
			x[i] = c + b.r*x[i]
		}
	}), nil
}

// Volume is exact.
func (b *ball) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	return logBall(len(b.c)) + float64(len(b.c))*math.Log(b.r), 0, nil
}

// Interior is the centre.
func (b *ball) Interior(context.Context, *rand.Rand) ([]float64, error) {
	return slices.Clone(b.c), nil
}

// Image is a ball where l is diagonal with elements of one size, an ellipsoid elsewhere.
func (b *ball) Image(c []float64, l *mat.Dense) (Domain, error) {
	n := len(b.c)
	scale, same := (&affine{c: c, l: l}).diagonal()
	for _, s := range scale {
		same = same && math.Abs(s) == math.Abs(scale[0])
	}
	if same {
		z := make([]float64, n)
		for i, s := range scale {
			z[i] = (b.c[i] - c[i]) / s
		}
		return NewBall(z, b.r/math.Abs(scale[0]))
	}
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = 1 / (b.r * b.r)
	}
	return (&ellipsoid{c: b.c, a: m}).Image(c, l)
}
