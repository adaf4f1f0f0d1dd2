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
// the like under affine maps, intersections with members that are not convex.
func Projection(d Domain) (func() func(p, x []float64) (outside bool), error) {
	if err := projects(d); err != nil {
		return nil, err
	}
	if b, ok := d.(*Box); ok {
		return func() func(p, x []float64) bool { return b.clamp }, nil
	}
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
	}, nil
}

// projects says why the nearest point of d is not known, nil if it is.
func projects(d Domain) error {
	fail := func(kind string) error { return fmt.Errorf("projection onto %s: %w", kind, ErrNoNearest) }
	switch d := d.(type) {
	case *Implicit:
		return fail("a set given by expressions")
	case *mapped:
		return fail("the affine image of a domain of another kind than boxes, balls, ellipsoids and polytopes")
	case *Product:
		for i, q := range d.parts {
			if err := projects(q.Domain); err != nil {
				return fmt.Errorf("part %d of the product: %w", i, err)
			}
		}
	case *Intersection:
		for i, m := range d.members {
			if err := projects(m); err != nil {
				return fmt.Errorf("member %d of the intersection: %w", i, err)
			}
			if !Convex(m) {
				return fail(fmt.Sprintf("an intersection whose member %d is not convex", i))
			}
		}
	default:
		if !knowsNearest(d) {
			return fail(fmt.Sprintf("a domain of type %T", d))
		}
	}
	return nil
}

// unknown fills p with NaN.
func unknown(p []float64) {
	for i := range p {
		p[i] = math.NaN()
	}
}

// clamp projects onto the box.
func (b *Box) clamp(p, x []float64) (outside bool) {
	for i, v := range x {
		w := v
		if l := b.lo[i]; !(v >= l) {
			w = l
		} else if h := b.hi[i]; v > h {
			w = h
		}
		if v-v != 0 {
			unknown(p)
			return true
		}
		outside = outside || w != v
		p[i] = w
	}
	return outside
}

// project projects every part that x lies outside of onto its domain.
func (t *productTracer) project(p, n, x []float64) bool {
	copy(p, x)
	for k, q := range t.parts {
		z, y := q.gather(t.x, x), t.y[:len(q.At)]
		if q.Domain.Contains(z) {
			continue
		}
		if !projectOnto(t.tr[k], y, t.n[:len(q.At)], z) {
			return false
		}
		q.scatter(p, y)
	}
	if !outward(n, x, p) {
		return t.Nearest(p, n, x)
	}
	return true
}
