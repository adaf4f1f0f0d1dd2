package domain

import "math"

// arcDegree is the degree of the polynomials that a closed curve is cut into.
const arcDegree = 9

// An arc is one piece of a closed plane curve: γ(u) = Σ (x_k, y_k) u^k for
// −1 ≤ u ≤ 1, which is θ = theta + half·u. Its ends are shared, bit for bit,
// with its neighbours.
type arc struct {
	x, y        [arcDegree + 1]float64
	ax, ay      float64 // γ(−1)
	bx, by      float64 // γ(+1)
	m1, m2, m3  float64 // bounds of |γ'|, |γ''|, |γ'''|
	sag         float64 // bound of the distance from the arc to its chord
	theta, half float64
}

// point returns γ(u).
func (a *arc) point(u float64) (x, y float64) {
	x, y = a.x[arcDegree], a.y[arcDegree]
	for k := arcDegree - 1; k >= 0; k-- {
		x, y = x*u+a.x[k], y*u+a.y[k]
	}
	return x, y
}

// jet returns γ, γ' and γ” at u (derivatives with respect to u).
func (a *arc) jet(u float64) (x, y, dx, dy, ddx, ddy float64) {
	for k := arcDegree; k >= 0; k-- {
		ddx, ddy = ddx*u+dx, ddy*u+dy
		dx, dy = dx*u+x, dy*u+y
		x, y = x*u+a.x[k], y*u+a.y[k]
	}
	return x, y, dx, dy, 2 * ddx, 2 * ddy
}

// bound fills the derivative bounds and returns the box of the arc.
func (a *arc) bound(slack float64) planeBox {
	b := planeBox{a.x[0], a.y[0], slack, slack}
	for k := 1; k <= arcDegree; k++ {
		b.hx += math.Abs(a.x[k])
		b.hy += math.Abs(a.y[k])
		n, size := float64(k), math.Hypot(a.x[k], a.y[k])
		a.m1 += n * size
		a.m2 += n * (n - 1) * size
		a.m3 += n * (n - 1) * (n - 2) * size
	}
	a.sag = 0.5*a.m2 + slack
	return b
}

// area is ½∮(x dy − y dx) over the arc, exact for the polynomials.
func (a *arc) area() float64 {
	sum := 0.0
	for i := range a.x {
		for k := 1; k <= arcDegree; k++ {
			if (i+k)%2 == 1 { // ∫ u^(i+k−1) over [−1, 1] is 2/(i+k)
				sum += float64(k) * (a.x[i]*a.y[k] - a.y[i]*a.x[k]) / float64(i+k)
			}
		}
	}
	return sum
}

// A polynomial is Σ c_k u^k on [−1, 1]. Values below tiny are rounding.
type polynomial struct {
	c    [arcDegree + 1]float64
	bend float64 // bound of the second derivative on [−1, 1]
	tiny float64
}

// along sets p to n·(γ(u) − (x, y)) and reports whether it can be zero at all.
func (p *polynomial) along(a *arc, x, y, nx, ny float64) bool {
	p.c[0] = nx*(a.x[0]-x) + ny*(a.y[0]-y)
	reach := 0.0
	p.bend = 0
	for k := 1; k <= arcDegree; k++ {
		c := nx*a.x[k] + ny*a.y[k]
		p.c[k] = c
		c = math.Abs(c)
		reach += c
		p.bend += bending[k] * c
	}
	return !(math.Abs(p.c[0]) > reach+p.tiny)
}

// bending[k] = k(k − 1) bounds the second derivative of u^k on [−1, 1].
var bending = [arcDegree + 1]float64{0, 0, 2, 6, 12, 20, 30, 42, 56, 72}

// deflate divides p by (u − r), r a root of p up to rounding; the remainder is
// taken as exactly zero.
func (p *polynomial) deflate(r float64) {
	carry := 0.0
	for k := arcDegree; k >= 0; k-- {
		p.c[k], carry = carry, p.c[k]+r*carry
	}
	p.bend = 0
	for k := 2; k <= arcDegree; k++ {
		p.bend += bending[k] * math.Abs(p.c[k])
	}
}

// at returns the value and the derivative at u.
func (p *polynomial) at(u float64) (v, d float64) {
	v = p.c[arcDegree]
	for k := arcDegree - 1; k >= 0; k-- {
		d = d*u + v
		v = v*u + p.c[k]
	}
	return v, d
}

// A crossing direction that a root search wants.
const (
	falling = -1
	either  = 0
	rising  = 1
)

// A rootSet collects roots and whether the polynomial rises there.
type rootSet struct {
	u  [2 * arcDegree]float64
	up [2 * arcDegree]bool
	n  int
}

// roots adds the sign changes of p in [a, b] to s; the sign of a value is that
// of v > 0, and fa, fb are the values at the ends. Every sign change is found:
// an interval is given up only when bounds of the derivatives show p to have no
// zero in it, or when p is zero to rounding all over it.
func (p *polynomial) roots(s *rootSet, a, fa, b, fb float64, want int) {
	m, h := 0.5*(a+b), 0.5*(b-a)
	v, d := p.c[0], p.c[1]
	if m != 0 {
		v, d = p.at(m)
	}
	slope := math.Abs(d)
	if slope > p.bend*h || slope*h+p.bend*h*h <= p.tiny || !(h > 1e-15) {
		up := fa <= 0
		if up == (fb <= 0) || (want == rising && !up) || (want == falling && up) || s.n == len(s.u) {
			return
		}
		s.u[s.n], s.up[s.n] = p.solve(a, b, fa, fb, up), up
		s.n++
		return
	}
	if math.Abs(v) > (slope+0.5*p.bend*h)*h && (fa <= 0) == (v <= 0) && (fb <= 0) == (v <= 0) {
		return
	}
	p.roots(s, a, fa, m, v, want)
	p.roots(s, m, v, b, fb, want)
}

// solve finds the root of p in [a, b], where it changes its sign, by Newton
// steps kept inside a shrinking bracket.
func (p *polynomial) solve(a, b, fa, fb float64, up bool) float64 {
	u := a - fa*(b-a)/(fb-fa)
	if !(u >= a && u <= b) {
		u = 0.5 * (a + b)
	}
	for range 80 {
		v, d := p.at(u)
		if (v > 0) == up {
			b = u
		} else {
			a = u
		}
		next := u - v/d
		// The next error is at most bend/(2|p'|) times the square of this step.
		if p.bend*(next-u)*(next-u) <= 1e-17*math.Abs(d) {
			return min(max(next, a), b)
		}
		if !(next > a && next < b) {
			next = 0.5 * (a + b)
			if next <= a || next >= b {
				return next
			}
		}
		u = next
	}
	return u
}

// An arcFoot is the nearest point found so far: parameter and squared distance.
type arcFoot struct{ u, d2 float64 }

// descend looks for a point of γ([lo, hi]) nearer to (x, y) than f, by branch
// and bound: intervals go when too far away, or when the derivative bounds show
// the distance to be monotone, concave or convex on them, or as good as constant: a
// circle about (x, y) has no nearest point.
func (a *arc) descend(f *arcFoot, x, y, lo, hi float64) {
	m, h := 0.5*(lo+hi), 0.5*(hi-lo)
	px, py, dx, dy, ddx, ddy := a.jet(m)
	px, py = px-x, py-y
	d2 := px*px + py*py
	far := math.Sqrt(d2)
	if near := far - a.m1*h; near > 0 && near*near > f.d2 {
		return
	}
	g := px*dx + py*dy
	gd := dx*dx + dy*dy + px*ddx + py*ddy
	vary := h * (3*a.m1*a.m2 + a.m3*(far+a.m1*h))
	switch {
	case math.Abs(g) > h*(math.Abs(gd)+vary) || gd < -vary || h < 1e-9:
		a.keep(f, x, y, lo)
		a.keep(f, x, y, hi)
	case gd > vary:
		a.keep(f, x, y, a.foot(x, y, lo, hi, m))
	default:
		if d2 < f.d2 {
			f.u, f.d2 = m, d2
		}
		if least := d2 - 2*h*math.Abs(g) - h*h*max(vary-gd, 0); least > f.d2*(1-1e-14) {
			return
		}
		a.descend(f, x, y, lo, m)
		a.descend(f, x, y, m, hi)
	}
}

func (a *arc) keep(f *arcFoot, x, y, u float64) {
	px, py := a.point(u)
	px, py = px-x, py-y
	if d2 := px*px + py*py; d2 < f.d2 {
		f.u, f.d2 = u, d2
	}
}

// foot minimises the distance to (x, y) on [lo, hi], where it has one minimum,
// by Newton steps from u kept inside a shrinking bracket.
func (a *arc) foot(x, y, lo, hi, u float64) float64 {
	for try := range 70 {
		px, py, dx, dy, ddx, ddy := a.jet(u)
		px, py = px-x, py-y
		g := px*dx + py*dy
		if g > 0 {
			hi = u
		} else {
			lo = u
		}
		next := u - g/(dx*dx+dy*dy+px*ddx+py*ddy)
		if math.Abs(next-u) <= 4e-16 {
			return min(max(next, lo), hi)
		}
		if !(next > lo && next < hi) {
			// The minimum may be an end of the interval: go there at once, and
			// bisect if that does not settle it.
			switch {
			case try > 6 || math.IsNaN(next):
				next = 0.5 * (lo + hi)
			case next <= lo:
				next = lo
			default:
				next = hi
			}
			if next == u {
				return u
			}
		}
		u = next
	}
	return u
}

// Convex reports that every arc turns left and so does every joint, up to the
// rounding of the tangents.
func (c *curve) Convex() bool {
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
