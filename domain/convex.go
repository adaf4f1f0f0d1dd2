package domain

import "math"

// Convex reports whether d is certainly convex. It is exact for boxes, balls,
// ellipsoids, simplices, half-spaces, polytopes and polygons, and follows from
// the parts for affine images, products and intersections. A [Curve] is convex
// when its curvature is positive all along, by bounds that leave no gap, and its
// corners point outwards; where the curvature comes to nothing, as on a straight
// piece, the answer is false, as it is for domains of other kinds.
func Convex(d Domain) bool {
	switch d := d.(type) {
	case *Box, *Polytope, *Ball, *Ellipsoid, *Simplex:
		return true
	case interface{ convex() bool }:
		return d.convex()
	}
	return false
}

// convex reports that no vertex turns right, by exact orientations: the polygon
// is simple and counter-clockwise.
func (p *Polygon) convex() bool {
	n := len(p.v)
	for i := range n {
		if orient(p.v[i], p.v[(i+1)%n], p.v[(i+2)%n]) < 0 {
			return false
		}
	}
	return true
}

// convex reports that every arc turns left and so does every joint, up to the
// rounding of the tangents.
func (c *Curve) convex() bool {
	for i := range c.arcs {
		a, b := &c.arcs[i], &c.arcs[(i+1)%len(c.arcs)]
		if !a.turnsLeft(-1, 1, 1e-9*a.m1*a.m1) {
			return false
		}
		_, _, px, py, _, _ := a.jet(1)
		_, _, qx, qy, _, _ := b.jet(-1)
		if !(px*qy-py*qx > -1e-9*math.Hypot(px, py)*math.Hypot(qx, qy)) {
			return false
		}
	}
	return true
}

// turnsLeft reports that γ' × γ” exceeds floor on all of [lo, hi]. Its derivative
// γ' × γ”' is at most m1·m3.
func (a *arc) turnsLeft(lo, hi, floor float64) bool {
	m, h := 0.5*(lo+hi), 0.5*(hi-lo)
	_, _, dx, dy, ddx, ddy := a.jet(m)
	v := dx*ddy - dy*ddx
	switch {
	case !(v > floor) || h < 1e-4:
		return false
	case v-a.m1*a.m3*h > floor:
		return true
	}
	return a.turnsLeft(lo, m, floor) && a.turnsLeft(m, hi, floor)
}
