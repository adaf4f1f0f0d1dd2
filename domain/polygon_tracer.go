package domain

import "math"

type polygonTracer struct {
	polygon *polygon
	near    Wall // edge of the last Nearest
	nx, ny  float64
	x, y    float64
	pieces  []int32 // edges that a path may meet
}

// Tracer returns a tracer with its own workspace.
func (p *polygon) Tracer() Tracer {
	return &polygonTracer{polygon: p, near: None, pieces: make([]int32, 0, len(p.v))}
}

func (t *polygonTracer) Walls() int { return len(t.polygon.v) }

// Clear reads a lower bound of the distance to the boundary from a grid.
func (t *polygonTracer) Clear(from, to []float64) bool { return t.polygon.grid.clear(from, to) }

// fewEdges is the number of edges up to which all are tried without the tree.
const fewEdges = 16

// Exit finds the first edge that the path crosses from inside to outside. Two
// edges judge their common vertex by the same number, so that a path through a
// vertex crosses exactly one of them.
func (t *polygonTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	p := t.polygon
	px, py, dx, dy := x[0], x[1], dir[0], dir[1]
	l2 := dx*dx + dy*dy
	if !(l2 > 0) || math.IsInf(l2, 1) || math.IsNaN(px+py) {
		return 1, None
	}
	if on >= 0 {
		if w := p.atOnce(px, py, dx, dy, 1e-13*math.Sqrt(l2), int(on)); w != None {
			return 0, w
		}
	}
	best, wall := 1.0, None
	early := -8 * p.eps / math.Sqrt(l2)
	if len(p.v) <= fewEdges {
		a := p.v[len(p.v)-1]
		fa := dx*(a[1]-py) - dy*(a[0]-px)
		for k, b := range p.v {
			fb := dx*(b[1]-py) - dy*(b[0]-px)
			if fa <= 0 && fb > 0 {
				i := Wall(k - 1)
				if k == 0 {
					i = Wall(len(p.v) - 1)
				}
				if r := meet(a, b, fa, fb, px, py, dx, dy, l2); i != on && r >= early && r <= best {
					best, wall = r, i
				}
			}
			a, fa = b, fb
		}
		return max(best, 0), wall
	}
	t.pieces = p.grid.pieces(t.pieces[:0], &p.tree, px, py, dx, dy, math.Sqrt(l2), p.eps)
	for _, piece := range t.pieces {
		k := int(piece)
		a, b := p.edge(k)
		fa := dx*(a[1]-py) - dy*(a[0]-px)
		fb := dx*(b[1]-py) - dy*(b[0]-px)
		if fa <= 0 && fb > 0 && Wall(k) != on {
			if r := meet(a, b, fa, fb, px, py, dx, dy, l2); r >= early && r <= best {
				best, wall = r, Wall(k)
			}
		}
	}
	return max(best, 0), wall
}

// atOnce returns the edge through which a path from (px, py) on edge `on`
// leaves right away: that edge, or at a convex vertex its neighbour, for which
// (px, py) may lie on the wrong side by rounding.
func (p *polygon) atOnce(px, py, dx, dy, slack float64, on int) Wall {
	outward := func(i int) bool { return p.normal[i][0]*dx+p.normal[i][1]*dy > slack }
	if outward(on) {
		return Wall(on)
	}
	n := len(p.v)
	before, after := (on+n-1)%n, (on+1)%n
	for _, k := range [2][3]int{{on, before, before}, {after, on, after}} {
		v := p.v[k[0]]
		if math.Abs(v[0]-px) > 16*p.eps || math.Abs(v[1]-py) > 16*p.eps {
			continue
		}
		// The vertex k[0] joins edge k[1] to edge k[0].
		a, b := p.normal[k[1]], p.normal[k[0]]
		if a[0]*b[1]-a[1]*b[0] > 0 && outward(k[2]) {
			return Wall(k[2])
		}
	}
	return None
}

// meet is where the line (px, py) + t (dx, dy) meets the edge ab, whose ends lie
// at the signed distances fa ≤ 0 < fb from it.
func meet(a, b [2]float64, fa, fb, px, py, dx, dy, l2 float64) float64 {
	s := fa / (fa - fb)
	qx, qy := a[0]+s*(b[0]-a[0])-px, a[1]+s*(b[1]-a[1])-py
	return (qx*dx + qy*dy) / l2
}

// Normal writes the outward unit normal of edge w.
func (t *polygonTracer) Normal(n, x []float64, w Wall) {
	if w == t.near && x[0] == t.x && x[1] == t.y {
		n[0], n[1] = t.nx, t.ny
		return
	}
	copy(n, t.polygon.normal[w][:])
}

// Nearest writes the nearest point of the boundary and its normal: that of the
// edge or, at a vertex, the direction from the vertex to an x outside, or from
// an x inside to the vertex.
func (t *polygonTracer) Nearest(p, n, x []float64) bool {
	if s := x[0] + x[1]; math.IsNaN(s) || math.IsInf(s, 0) {
		return false
	}
	i, d2 := t.polygon.foot(x[0], x[1], math.Inf(1))
	if i < 0 {
		return false
	}
	qx, qy, s := t.polygon.project(i, x[0], x[1])
	n[0], n[1] = t.polygon.normal[i][0], t.polygon.normal[i][1]
	if d := math.Sqrt(d2); (s == 0 || s == 1) && d > 1e4*t.polygon.eps {
		if t.polygon.Contains(x) {
			d = -d
		}
		n[0], n[1] = (x[0]-qx)/d, (x[1]-qy)/d
	}
	p[0], p[1] = qx, qy
	t.near, t.x, t.y, t.nx, t.ny = Wall(i), qx, qy, n[0], n[1]
	return true
}
