package domain

import (
	"fmt"
	"math"
)

// A Ball is {x : |x − c| ≤ r}. It has the one wall 0.
type Ball struct {
	c []float64
	r float64
}

var _ Domain = (*Ball)(nil)

// NewBall returns the ball of radius r > 0 around c. It is an error if numbers near c
// are more than r/1024 apart.
func NewBall(c []float64, r float64) (*Ball, error) {
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
	return &Ball{append([]float64(nil), c...), r}, nil
}

// Dim is the number of coordinates.
func (b *Ball) Dim() int { return len(b.c) }

// Contains reports Σ(x_i − c_i)² ≤ r².
func (b *Ball) Contains(x []float64) bool {
	s := 0.0
	for i, c := range b.c {
		e := x[i] - c
		s += e * e
	}
	return s <= b.r*b.r
}

// Bounds writes the cube around the ball.
func (b *Ball) Bounds(lo, hi []float64) {
	for i, c := range b.c {
		lo[i], hi[i] = c-b.r, c+b.r
	}
}

// Tracer returns b's tracer; it needs no workspace.
func (b *Ball) Tracer() Tracer { return ballTracer{b} }

type ballTracer struct{ *Ball }

func (b ballTracer) Walls() int { return 1 }

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
