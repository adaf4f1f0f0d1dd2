package mesh

import (
	"cmp"
	"slices"
)

// Hull returns the corners of the convex hull of points, counter-clockwise from the
// leftmost; of three or more that lie on one edge it keeps the ends. Points that all
// lie on one line enclose nothing, and what it returns of them is no polygon. It sorts
// the points.
func Hull(points [][2]float64) [][2]float64 {
	return hull(points, func(p [2]float64) (x, y float64) { return p[0], p[1] })
}

// hull is the convex hull, counter-clockwise, of what lies at a place (Andrew 1979). It
// sorts the points.
func hull[P any](points []P, at func(P) (x, y float64)) []P {
	slices.SortStableFunc(points, func(p, q P) int {
		px, py := at(p)
		qx, qy := at(q)
		return cmp.Or(cmp.Compare(px, qx), cmp.Compare(py, qy))
	})
	var h []P
	for _, way := range []int{1, -1} {
		start := len(h)
		for i := range points {
			q := points[i]
			if way < 0 {
				q = points[len(points)-1-i]
			}
			for len(h) >= start+2 && turn(h[len(h)-2], h[len(h)-1], q, at) <= 0 {
				h = h[:len(h)-1]
			}
			h = append(h, q)
		}
		h = h[:max(len(h)-1, 0)]
	}
	return h
}

// turn is positive where a, b, c turn left.
func turn[P any](a, b, c P, at func(P) (x, y float64)) float64 {
	ax, ay := at(a)
	bx, by := at(b)
	cx, cy := at(c)
	return (bx-ax)*(cy-ay) - (by-ay)*(cx-ax)
}
