package domain

import "math"

// A curveTracer remembers where it last met the curve.
type curveTracer struct {
	curve  *curve
	piece  int // arc of the last hit, −1 for none
	u      float64
	x, y   float64 // the last hit
	nx, ny float64 // a normal that stands in for that of γ' at a corner, or 0
	pieces []int32 // that a path may meet
}

// Tracer returns a tracer with its own workspace.
func (c *curve) Tracer() Tracer {
	return &curveTracer{curve: c, piece: -1, pieces: make([]int32, 0, len(c.arcs))}
}

func (t *curveTracer) Walls() int { return 1 }

// Clear reads a lower bound of the distance to the curve from a grid.
func (t *curveTracer) Clear(from, to []float64) bool { return t.curve.grid.clear(from, to) }

// Exit finds the first crossing of the path with the curve from inside to
// outside; none is missed, however short the excursion. With on = 0 the
// crossing at x itself is divided out of the equation, so that the curve is met
// again only elsewhere.
func (t *curveTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	px, py, dx, dy := x[0], x[1], dir[0], dir[1]
	l2 := dx*dx + dy*dy
	if !(l2 > 0) || math.IsInf(l2, 1) || math.IsNaN(px+py) {
		return 1, None
	}
	c := t.curve
	skip := -1
	if on == 0 {
		t.settle(px, py)
		skip = t.piece
	}
	l := math.Sqrt(l2)
	best, early := 1.0, -8*c.eps/l
	var p polynomial
	p.tiny = 0.1 * c.eps * l
	t.pieces = c.grid.pieces(t.pieces[:0], &c.tree, px, py, dx, dy, l, c.eps)
	hit, hitU := -1, 0.0
	for _, piece := range t.pieces {
		k := int(piece)
		a := &c.arcs[k]
		fa := dx*(a.ay-py) - dy*(a.ax-px)
		fb := dx*(a.by-py) - dy*(a.bx-px)
		if far := a.sag * l; (fa > far && fb > far) || (fa < -far && fb < -far) || !p.along(a, px, py, -dy, dx) {
			continue
		}
		var s rootSet
		if k == skip {
			if t.again(&p, &s, l, fa, fb) {
				return 0, 0
			}
		} else {
			p.roots(&s, -1, fa, 1, fb, rising)
		}
		for j := range s.n {
			qx, qy := a.point(s.u[j])
			if r := ((qx-px)*dx + (qy-py)*dy) / l2; r >= early && (r < best || (r == best && hit < 0)) {
				best, hit, hitU = r, k, s.u[j]
			}
		}
	}
	if hit < 0 {
		return 1, None
	}
	t.piece, t.u, t.nx, t.ny = hit, hitU, 0, 0
	best = max(best, 0)
	t.x, t.y = px+best*dx, py+best*dy
	return best, 0
}

// again collects the outward crossings on the arc of the last hit other than
// the hit itself. It reports true when the path leaves Ω at once.
func (t *curveTracer) again(p *polynomial, s *rootSet, l, fa, fb float64) bool {
	a := &t.curve.arcs[t.piece]
	if _, d := p.at(t.u); d < -1.01*p.bend-1e-9*l*a.m1 {
		return false // it falls all along the arc, which it meets once
	}
	p.deflate(t.u)
	start, _ := p.at(t.u) // the outward speed of the path, times |γ'|
	if start > 1e-13*l*a.m1 {
		t.nx, t.ny = 0, 0
		return true
	}
	if t.u < 1 {
		p.roots(s, t.u, start, 1, fb/(1-t.u), rising)
	}
	if t.u > -1 {
		// The sign of u − u₀ is negative here: outward is falling.
		p.roots(s, -1, fa/(-1-t.u), t.u, start, falling)
	}
	return false
}

// settle makes sure that the remembered hit is (x, y).
func (t *curveTracer) settle(x, y float64) {
	near := 1e6 * t.curve.eps
	if t.piece >= 0 && math.Abs(x-t.x) <= near && math.Abs(y-t.y) <= near {
		return
	}
	k, f := t.curve.foot(x, y)
	t.piece, t.u, t.x, t.y, t.nx, t.ny = k, f.u, x, y, 0, 0
}

// foot returns the arc and the parameter of the curve's point nearest to (x, y).
func (c *curve) foot(x, y float64) (int, arcFoot) {
	piece, f := -1, arcFoot{0, math.Inf(1)}
	c.tree.nearest(x, y, f.d2, func(k int, _ float64) float64 {
		before := f.d2
		c.arcs[k].descend(&f, x, y, -1, 1)
		if f.d2 < before {
			piece = k
		}
		return f.d2
	})
	return piece, f
}

// Normal writes the exact outward unit normal (γ_y', −γ_x')/|γ'| at the last
// hit, or at the nearest point of the curve when x is another point.
func (t *curveTracer) Normal(n, x []float64, _ Wall) {
	t.settle(x[0], x[1])
	n[0], n[1] = t.nx, t.ny
	if n[0] == 0 && n[1] == 0 {
		n[0], n[1] = t.curve.arcs[t.piece].normal(t.u)
	}
}

// normal returns the outward unit normal at u. At a cusp it is that of the
// half tangent γ”.
func (a *arc) normal(u float64) (nx, ny float64) {
	_, _, dx, dy, ddx, ddy := a.jet(u)
	l := math.Sqrt(dx*dx + dy*dy)
	if !(l > 1e-14*a.m2) {
		dx, dy = ddx, ddy
		l = math.Hypot(dx, dy)
	}
	return dy / l, -dx / l
}

// Nearest writes the point of the curve nearest to x (the global one) and its
// normal. At a corner the normal is the direction from the corner to an x
// outside, or from an x inside to the corner.
func (t *curveTracer) Nearest(p, n, x []float64) bool {
	px, py := x[0], x[1]
	if math.IsNaN(px+py) || math.IsInf(px, 0) || math.IsInf(py, 0) {
		return false
	}
	c := t.curve
	k, f := c.foot(px, py)
	if k < 0 {
		return false
	}
	a := &c.arcs[k]
	qx, qy, dx, dy, _, _ := a.jet(f.u)
	vx, vy := px-qx, py-qy
	d := math.Sqrt(vx*vx + vy*vy)
	t.piece, t.u, t.x, t.y, t.nx, t.ny = k, f.u, qx, qy, 0, 0
	speed := math.Hypot(dx, dy)
	if (math.Abs(vx*dx+vy*dy) > 1e-6*d*speed || speed < 1e-7*(a.m1+a.m2)) && d > 1e4*c.eps {
		if c.Contains(x) {
			d = -d
		}
		t.nx, t.ny = vx/d, vy/d
	}
	p[0], p[1] = qx, qy
	t.Normal(n, p, 0)
	return true
}
