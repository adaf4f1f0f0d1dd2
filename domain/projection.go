package domain

import (
	"fmt"
	"math"
)

// Projection returns a maker of projections onto d, each with a workspace of its
// own and for one goroutine. A projection writes the point of Ω nearest to x into
// p (both of length d.Dim(), not overlapping) and reports whether x lies outside;
// inside, p is x itself, bit for bit, at the cost of one Contains. The nearest
// point is right to rounding (it may lie outside by some ulps); its components
// are NaN where x is not finite or so far away that squares overflow. A
// projection allocates nothing after its first call.
//
// It fails with [ErrNoNearest] where the nearest point of Ω is not known for
// certain: sets given by expressions (found only locally), images of curves and
// the like under affine maps, intersections with members that are not convex. A
// domain makes its own by a method Projection of this result; other ones that know
// their nearest points (see [NewReflector]) have that of their tracer.
func Projection(d Domain) (func() func(p, x []float64) (outside bool), error) {
	if m, ok := d.(interface {
		Projection() (func() func(p, x []float64) (outside bool), error)
	}); ok {
		return m.Projection()
	}
	if !knowsNearest(d) {
		return nil, noProjection(kindOf(d))
	}
	return projectionBy(d), nil
}

// noProjection says that the nearest points of a kind of domain are not known.
func noProjection(kind string) error { return fmt.Errorf("projection onto %s: %w", kind, ErrNoNearest) }

// projectionBy is that of the tracer of d.
func projectionBy(d Domain) func() func(p, x []float64) (outside bool) {
	return func() func(p, x []float64) bool {
		tr, n := d.Tracer(), make([]float64, d.Dim())
		return func(p, x []float64) bool {
			if d.Contains(x) {
				copy(p, x)
				return false
			}
			if !tame(x) || !projectOnto(tr, p, n, x) {
				unknown(p)
			}
			return true
		}
	}
}

// unknown fills p with NaN.
func unknown(p []float64) {
	for i := range p {
		p[i] = math.NaN()
	}
}
