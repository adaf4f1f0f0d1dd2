package domain

import (
	"errors"
	"fmt"
	"math"
)

// curve is the closed region inside a closed plane curve without double
// points. The curve is held as polynomial arcs that agree with its
// parametrisation to rounding (about 1e-15 of its size), and membership,
// crossings, nearest points and normals are all taken from these arcs with
// proven isolation of roots; no table of boundary points is involved. The arcs shrink
// towards corners and cusps.
type curve struct {
	planar
	arcs     []arc
	arc      float64 // its length
	backward bool    // the arcs run against θ
	gamma    func(theta float64) (x, y float64)
	exact    func(x, y float64) bool // membership in closed form, or nil
}

// NewFlower returns the flower with the polar curve
//
//	r(θ) = s·(sin(petals·θ) + offset),  s = radius/(offset + ½),
//
// so that offset 3 and five petals give (radius/3.5)(sin 5θ + 3), the flower of
// the r2SGLD paper (spec: radius 2). petals ≥ 1, offset > 1, radius > 0.
// Its area is π s² (offset² + ½).
func NewFlower(petals int, offset, radius float64) (Domain, error) {
	if petals < 1 || petals > 64 {
		return nil, fmt.Errorf("flower: %d petals; give a number from 1 to 64", petals)
	}
	if !(offset > 1) || math.IsInf(offset, 1) {
		return nil, fmt.Errorf("flower: offset %v; it must exceed 1, or the curve passes through the origin", offset)
	}
	if err := positiveRadius("flower", radius); err != nil {
		return nil, err
	}
	s := radius / (offset + 0.5)
	gamma := func(theta float64) (x, y float64) {
		sin, cos := math.Sincos(theta)
		r := s * (math.Sin(float64(petals)*theta) + offset)
		return r * cos, r * sin
	}
	return newCurve("flower", gamma, true, func(x, y float64) bool {
		return insideFlower(x, y, petals, offset, s)
	})
}

// insideFlower is r ≤ s(sin pθ + o) without trigonometry: with z = x + iy,
// (r − o s) r^p ≤ s Im z^p.
func insideFlower(x, y float64, petals int, offset, s float64) bool {
	r := math.Sqrt(x*x + y*y)
	if r <= (offset-1)*s {
		return true
	}
	if r > (offset+1)*s || r != r {
		return false
	}
	// Unit vector first: powers of r could leave the range of float64.
	c, d := x/r, y/r
	re, im := c, d
	for range petals - 1 {
		re, im = re*c-im*d, re*d+im*c
	}
	return r-offset*s <= s*im
}

// NewHeart returns the heart
//
//	(16 sin³θ, 13 cos θ − 5 cos 2θ − 2 cos 3θ − cos 4θ)·radius/10
//
// of the r2SGLD paper. It has two cusps: one at the top that points into the
// domain and one at the bottom. Its area is 1.8π·radius².
func NewHeart(radius float64) (Domain, error) {
	if err := positiveRadius("heart", radius); err != nil {
		return nil, err
	}
	s := radius / 10
	return newCurve("heart", func(theta float64) (x, y float64) {
		sin, c := math.Sincos(theta)
		// Multiple angles by their polynomials in cos θ.
		c2 := c * c
		y = 13*c - 5*(2*c2-1) - 2*(4*c2-3)*c - (8*c2*c2 - 8*c2 + 1)
		return s * 16 * sin * sin * sin, s * y
	}, true, nil)
}

func positiveRadius(what string, radius float64) error {
	if !(radius > 0) || math.IsInf(radius, 1) {
		return fmt.Errorf("%s: radius %v; it must be positive and finite", what, radius)
	}
	return nil
}

// NewCurve returns the region inside the closed curve gamma(θ), 0 ≤ θ ≤ 2π,
// traversed in either direction. gamma must be continuous, piecewise analytic
// (corners are allowed), closed (gamma(2π) = gamma(0) to 1e-9 of its size),
// without double points, and nowhere stationary; it must be safe for concurrent
// use. Derivatives are not needed: they are taken from the polynomial arcs and
// agree with the true ones to about 1e-12. A feature narrower than about 1/1000 of
// the parameter's range may fall between the points that are looked at. Double points are looked for at the
// resolution of the arcs (a turn of about 1/20 rad).
func NewCurve(name string, gamma func(theta float64) (x, y float64)) (Domain, error) {
	if gamma == nil {
		return nil, fmt.Errorf("curve %q: give a function of θ", name)
	}
	return newCurve(name, gamma, false, nil)
}

func newCurve(name string, gamma func(float64) (float64, float64), cusps bool, exact func(x, y float64) bool) (Domain, error) {
	c := &curve{planar: planar{name: name}, gamma: gamma, exact: exact}
	f, err := fitArcs(gamma)
	if err != nil {
		return nil, fmt.Errorf("curve %q: %w", name, err)
	}
	c.arcs, c.eps = f.arcs, 1e-15*f.size+f.noise
	for i := range c.arcs {
		c.area += c.arcs[i].area()
	}
	if c.area < 0 {
		c.reverse()
	}
	if !(c.area > 1e-9*f.size*f.size) {
		return nil, fmt.Errorf("curve %q: it encloses no area; check that it runs around once, without crossing itself", name)
	}
	boxes := make([]planeBox, len(c.arcs))
	for i := range c.arcs {
		boxes[i] = c.arcs[i].bound(c.eps)
		c.arc += c.arcs[i].length()
	}
	c.tree = newPlaneTree(boxes)
	for i := range c.arcs {
		a := &c.arcs[i]
		c.tree.disc[i].strip(a.ax, a.ay, a.bx, a.by, a.sag*(1+1e-9)+stripSlack*c.eps)
	}
	if err := c.check(cusps); err != nil {
		return nil, fmt.Errorf("curve %q: %w", name, err)
	}
	root := c.tree.node[1]
	c.lo = [2]float64{root.cx - root.hx, root.cy - root.hy}
	c.hi = [2]float64{root.cx + root.hx, root.cy + root.hy}
	outline, off := c.outline()
	c.grid = newPlaneGrid(c.lo, c.hi, func(x, y, near float64) float64 {
		near += off
		_, d2 := outline.foot(x, y, near*near)
		return math.Sqrt(d2) - off
	}, c.winds)
	c.grid.list(&c.tree)
	return c, nil
}

// outline is a polygon along the curve and how far it may be off, a small part of a
// cell of the grid: distances of it are quick to find.
func (c *curve) outline() (p polygon, off float64) {
	off = max(c.hi[0]-c.lo[0], c.hi[1]-c.lo[1]) / (gridSide * 128)
	for i := range c.arcs {
		a := &c.arcs[i]
		n := int(math.Ceil(math.Sqrt(a.sag / off))) // a part in n of an arc is n² times as near to its chord
		for k := range n {
			x, y := a.point(2*float64(k)/float64(n) - 1)
			p.v = append(p.v, [2]float64{x, y})
		}
	}
	p.tree = edgeTree(p.v, c.eps)
	return p, off + 4*c.eps
}

// reverse turns the arcs to run counter-clockwise.
func (c *curve) reverse() {
	c.area, c.backward = -c.area, !c.backward
	n := len(c.arcs)
	for i := range n / 2 {
		c.arcs[i], c.arcs[n-1-i] = c.arcs[n-1-i], c.arcs[i]
	}
	for i := range c.arcs {
		a := &c.arcs[i]
		for k := 1; k <= arcDegree; k += 2 {
			a.x[k], a.y[k] = -a.x[k], -a.y[k]
		}
		a.ax, a.ay, a.bx, a.by = a.bx, a.by, a.ax, a.ay
		a.half = -a.half
	}
}

// check refuses stationary points (unless cusps are expected) and double
// points.
func (c *curve) check(cusps bool) error {
	speed := c.arc / (2 * math.Pi)
	corner := make([][2]float64, 0, 4*len(c.arcs))
	for i := range c.arcs {
		a := &c.arcs[i]
		if u, stops := a.stops(-1, 1, 1e-9*speed*math.Abs(a.half)); stops && !cusps {
			return fmt.Errorf("the speed |dγ/dθ| is zero near θ = %.6g; choose a parametrisation that does not stop", a.theta+a.half*u)
		}
		for k := range 4 {
			x, y := a.point(-1 + 0.5*float64(k))
			if k == 0 {
				x, y = a.ax, a.ay
			}
			corner = append(corner, [2]float64{x, y})
		}
	}
	if i, j, crosses := firstCrossing(corner); crosses {
		at := func(k int) float64 {
			a := &c.arcs[k/4]
			return a.theta + a.half*(-1+0.5*float64(k%4))
		}
		return fmt.Errorf("it crosses or touches itself: near θ = %.6g and θ = %.6g", at(i), at(j))
	}
	return nil
}

// stops reports whether the speed |γ'(u)| may fall to floor in [lo, hi].
func (a *arc) stops(lo, hi, floor float64) (u float64, stops bool) {
	m, h := 0.5*(lo+hi), 0.5*(hi-lo)
	_, _, dx, dy, _, _ := a.jet(m)
	speed := math.Hypot(dx, dy)
	switch {
	case speed-a.m2*h > floor:
		return 0, false
	case speed <= floor || h < 1e-12:
		return m, true
	}
	if u, stops = a.stops(lo, m, floor); stops {
		return u, true
	}
	return a.stops(m, hi, floor)
}

// errNotSmooth is returned where a parametrisation jumps.
var errNotSmooth = errors.New("the parametrisation jumps")

func (c *curve) WallName(Wall) string { return "the curve" }

// Contains reports whether x lies inside or on the curve. Cells of a grid that
// the curve does not touch answer at once; elsewhere the winding number of the
// exact curve decides (for the flower its equation).
func (c *curve) Contains(x []float64) bool {
	px, py := x[0], x[1]
	if free := c.grid.at(px, py); free != 0 {
		return free > 0
	}
	if c.exact != nil {
		return c.exact(px, py)
	}
	return c.winds(px, py)
}

// winds reports whether the winding number of the curve about (x, y) is not
// zero: the crossings of the ray to the right, upward less downward.
func (c *curve) winds(x, y float64) bool {
	right := c.tree.node[1].cx + c.tree.node[1].hx
	if !(x <= right) {
		return false
	}
	probe := planeProbe{cx: 0.5 * (x + right), cy: y, hx: 0.5*(right-x) + c.eps}
	turns := 0
	var p polynomial
	p.tiny = c.eps
	for i := c.tree.seek(1, &probe); i != 0; i = c.tree.seek(afterNode(i), &probe) {
		a := &c.arcs[i-c.tree.leaves]
		fa, fb := a.ay-y, a.by-y
		if box := &c.tree.node[i]; box.cx-box.hx > x {
			turns += climbs(fa, fb)
			continue
		}
		if !p.along(a, x, y, 0, 1) {
			continue
		}
		var s rootSet
		p.roots(&s, -1, fa, 1, fb, either)
		for k := range s.n {
			if px, _ := a.point(s.u[k]); px < x {
				continue
			}
			if s.up[k] {
				turns++
			} else {
				turns--
			}
		}
	}
	return turns != 0
}

// climbs is +1 when a function that goes from fa to fb passes from ≤ 0 to > 0,
// −1 the other way round, else 0.
func climbs(fa, fb float64) int {
	switch {
	case fa <= 0 && fb > 0:
		return 1
	case fa > 0 && fb <= 0:
		return -1
	}
	return 0
}
