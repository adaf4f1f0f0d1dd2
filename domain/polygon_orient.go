package domain

import "math"

// orient is the sign of the area of the triangle a, b, c: +1 when c lies to the
// left of a → b, 0 when the three are exactly on one line. It is exact for
// coordinates whose products neither overflow nor underflow: a filter on
// rounding first, then expansions (Shewchuk 1997).
func orient(a, b, c [2]float64) int {
	l := (a[0] - c[0]) * (b[1] - c[1])
	r := (a[1] - c[1]) * (b[0] - c[0])
	det := l - r
	if math.Abs(det) > 4e-16*(math.Abs(l)+math.Abs(r)) {
		return sign(det)
	}
	// The determinant as six products, each split exactly into two numbers.
	var e [12]float64
	n := 0
	for _, f := range [6][2]float64{
		{a[0], b[1]}, {-a[0], c[1]}, {-c[0], b[1]},
		{-a[1], b[0]}, {a[1], c[0]}, {c[1], b[0]},
	} {
		hi := f[0] * f[1]
		n = grow(&e, n, math.FMA(f[0], f[1], -hi))
		n = grow(&e, n, hi)
	}
	for k := n - 1; k >= 0; k-- {
		if e[k] != 0 {
			return sign(e[k])
		}
	}
	return 0
}

// grow adds v exactly to the expansion e[:n] (increasing magnitude, not
// overlapping) and returns the new length.
func grow(e *[12]float64, n int, v float64) int {
	for i := range n {
		s := v + e[i]
		part := s - v
		e[i] = (v - (s - part)) + (e[i] - part)
		v = s
	}
	e[n] = v
	return n + 1
}

func sign(v float64) int {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// between reports whether c, known to lie on the line through a and b, lies on
// the segment.
func between(a, b, c [2]float64) bool {
	return min(a[0], b[0]) <= c[0] && c[0] <= max(a[0], b[0]) &&
		min(a[1], b[1]) <= c[1] && c[1] <= max(a[1], b[1])
}

// segmentsMeet reports whether the closed segments ab and cd have a point in
// common.
func segmentsMeet(a, b, c, d [2]float64) bool {
	o1, o2, o3, o4 := orient(a, b, c), orient(a, b, d), orient(c, d, a), orient(c, d, b)
	return o1*o2 < 0 && o3*o4 < 0 ||
		o1 == 0 && between(a, b, c) || o2 == 0 && between(a, b, d) ||
		o3 == 0 && between(c, d, a) || o4 == 0 && between(c, d, b)
}

// edgeBox is the box of the segment ab.
func edgeBox(a, b [2]float64, slack float64) planeBox {
	return planeBox{
		0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1]),
		0.5*math.Abs(b[0]-a[0]) + slack, 0.5*math.Abs(b[1]-a[1]) + slack,
	}
}

// edgeTree is the tree of the edges v[i] → v[i+1] of a closed polygon.
func edgeTree(v [][2]float64, slack float64) planeTree {
	boxes := make([]planeBox, len(v))
	for i := range v {
		boxes[i] = edgeBox(v[i], v[(i+1)%len(v)], slack)
	}
	return newPlaneTree(boxes)
}

// firstCrossing finds two edges i < j of the closed polygon v that meet other
// than at the vertex between neighbours.
func firstCrossing(v [][2]float64) (i, j int, crosses bool) {
	n := len(v)
	size := 0.0
	for _, p := range v {
		size = max(size, math.Abs(p[0]), math.Abs(p[1]))
	}
	tree := edgeTree(v, 4e-16*size)
	for i := range n {
		a, b := v[i], v[(i+1)%n]
		box := edgeBox(a, b, 4e-16*size)
		probe := planeProbe{cx: box.cx, cy: box.cy, hx: box.hx, hy: box.hy}
		for k := tree.seek(1, &probe); k != 0; k = tree.seek(afterNode(k), &probe) {
			j := k - tree.leaves
			if j <= i {
				continue
			}
			c, d := v[j], v[(j+1)%n]
			switch {
			case j == i+1 && orient(a, b, d) == 0 && folds(a, b, d),
				i == 0 && j == n-1 && orient(a, b, c) == 0 && folds(b, a, c):
				return i, j, true
			case j == i+1 || i == 0 && j == n-1:
			case segmentsMeet(a, b, c, d):
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// folds reports whether b → d runs back over a → b, the three on one line.
func folds(a, b, d [2]float64) bool {
	return (b[0]-a[0])*(d[0]-b[0])+(b[1]-a[1])*(d[1]-b[1]) < 0
}
