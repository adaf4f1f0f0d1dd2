package domain

import "math"

type implicitTracer struct {
	set                   *Implicit
	evals                 *evals
	at, grad, foot, spare []float64
}

// Walls is the number of surfaces.
func (t *implicitTracer) Walls() int { return len(t.evals.g) }

// Clear answers where the curvature of all surfaces is known: the second-order
// bound of g over the whole step is not positive. Else it is unsure.
func (t *implicitTracer) Clear(from, to []float64) bool {
	if !t.set.bounded {
		return false
	}
	for i, g := range t.evals.g {
		v := g.Gradient(t.grad, from)
		slope, l2, size := 0.0, 0.0, math.Abs(v)
		for k, e := range t.grad {
			d := to[k] - from[k]
			slope += e * d
			size += math.Abs(e * from[k])
			l2 += d * d
		}
		if !(v+math.Max(slope, 0)+0.5*t.set.curvature[i]*l2 <= -1e-14*size) {
			return false
		}
	}
	return true
}

// A path is g along x + s·dir.
type path struct {
	t      *implicitTracer
	g      SurfaceEval
	x, dir []float64
	bend   float64 // bound of |φ''|, or NaN
	fresh  int     // depth of bisection allowed
	on     bool    // φ(0) is taken as exactly 0, by this shift:
	shift  float64
}

// A jet is φ and φ' at s.
type jet struct{ s, v, d float64 }

func (p *path) jet(s float64) jet {
	for i, e := range p.dir {
		p.t.at[i] = p.x[i] + s*e
	}
	v := p.g.Gradient(p.t.grad, p.t.at)
	d := 0.0
	for i, e := range p.dir {
		d += p.t.grad[i] * e
	}
	return jet{s, v - p.shift, d}
}

// Exit finds where the path first crosses a surface; see [Implicit] for what it
// may miss. The point it returns has g ≤ 0 whenever rounding allows.
func (t *implicitTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	l := norm(dir)
	if !(l > 0) || math.IsInf(l, 1) || !finite(x) {
		return 1, None
	}
	best, wall := 1.0, None
	for i, g := range t.evals.g {
		p := path{t: t, g: g, x: x, dir: dir, bend: t.set.curvature[i] * l * l, fresh: 6}
		if p.bend >= 0 {
			p.fresh = 50
		}
		if s, ok := p.exit(l, best, Wall(i) == on); ok && (s < best || wall == None) {
			best, wall = s, Wall(i)
		}
	}
	return best, wall
}

// maxPieces bounds the pieces that one path is cut into.
const maxPieces = 1 << 14

// exit looks for the first crossing with 0 ≤ s ≤ limit.
func (p *path) exit(l, limit float64, on bool) (float64, bool) {
	a := p.jet(0)
	if on || a.v > 0 {
		p.on, p.shift, a.v = true, a.v, 0
		if a.d > 1e-13*l*norm(p.t.grad) {
			return 0, true
		}
		a.d = math.Min(a.d, 0)
	}
	n := 8
	if h := p.t.set.substep; h < math.Inf(1) {
		n = int(math.Min(math.Ceil(l*limit/h), maxPieces))
	}
	for k := 1; k <= n; k++ {
		b := p.jet(limit * float64(k) / float64(n))
		if s, ok := p.scan(a, b, p.fresh); ok {
			return s, true
		}
		a = b
	}
	return 0, false
}

// scan looks for the first crossing in (a.s, b.s], φ(a.s) ≤ 0.
func (p *path) scan(a, b jet, depth int) (float64, bool) {
	h := b.s - a.s
	// Bernstein coefficients of the cubic through both jets.
	b1, b2 := a.v+a.d*h/3, b.v-b.d*h/3
	quad := math.Abs(a.v - 2*b1 + b2)
	cubic := math.Abs(b.v - a.v - 3*(b2-b1))
	allow := 0.5*cubic + 0.1*quad
	start := p.on && a.s == 0
	inside := b.v <= 0
	if inside {
		clear := math.Max(a.v, math.Max(math.Max(b1, b2), b.v))+allow <= 0
		if start {
			clear = b1 <= 0 && b2+allow <= 0 && b1+0.5*allow <= 0
		}
		if p.bend >= 0 {
			// Both tangents bound φ from above.
			clear = math.Max(a.v, b.v)+p.bend*h*h/8 <= 0 || a.d+p.bend*h <= 0 || (b.d-p.bend*h >= 0 && !start)
		}
		if clear || depth == 0 {
			return 0, false
		}
	} else if depth == 0 || p.once(a, b, b1, b2, cubic, start) {
		return p.solve(a, b, start), true
	}
	m := p.jet(0.5 * (a.s + b.s))
	if !(m.s > a.s && m.s < b.s) {
		return a.s, !inside
	}
	if s, ok := p.scan(a, m, depth-1); ok {
		return s, true
	}
	return p.scan(m, b, depth-1)
}

// once reports that φ, which ends above 0, crosses only once.
func (p *path) once(a, b jet, b1, b2, cubic float64, start bool) bool {
	if p.bend >= 0 {
		h := b.s - a.s
		return a.d-p.bend*h >= 0 || b.d-p.bend*h >= 0
	}
	if start && a.d == 0 {
		return false
	}
	// One change of sign among the coefficients: one root (Descartes).
	rises := b1 <= 0 || b2 > 0
	return rises && cubic <= 0.5*math.Max(math.Abs(b.v-a.v), math.Abs(a.d)*(b.s-a.s))
}

// solve finds the crossing between a, where φ ≤ 0, and b, where φ > 0, by
// Newton steps inside a shrinking bracket, and returns its inner side. From the
// wall itself the root at 0 is divided out.
func (p *path) solve(a, b jet, start bool) float64 {
	s, lo, hi := 0.5*(a.s+b.s), a.s, b.s
	if !start && b.v > a.v {
		s = a.s - a.v*(b.s-a.s)/(b.v-a.v)
	}
	for try := range 100 {
		if !(s > lo && s < hi) || try > 60 {
			s = 0.5 * (lo + hi)
			if !(s > lo && s < hi) {
				break
			}
		}
		j := p.jet(s)
		if j.v <= 0 {
			lo = s
		} else {
			hi = s
		}
		v, d := j.v, j.d
		if start {
			v, d = j.v/s, (j.d-j.v/s)/s
		}
		next := s - v/d
		if math.Abs(next-s) <= 1e-15*s {
			return p.inner(lo, s)
		}
		s = next
	}
	return lo
}

// inner steps back from s by rounding errors until φ ≤ 0, not beyond lo.
func (p *path) inner(lo, s float64) float64 {
	for step := 0x1p-53; step < 0x1p-40; step *= 4 {
		if p.jet(s).v <= 0 {
			return s
		}
		s = math.Max(s-step, lo)
	}
	return lo
}

// Normal writes ∇g/|∇g|.
func (t *implicitTracer) Normal(n, x []float64, w Wall) {
	t.evals.g[w].Gradient(n, x)
	l := norm(n)
	for i := range n {
		n[i] /= l
	}
}

// Nearest writes a boundary point p with x − p normal to one surface there and
// all other constraints satisfied: the nearest of those that the iterations
// started from x find, one for each surface. It is a local answer. It reports
// false when no surface yields such a point, as when the nearest point lies on
// an edge between surfaces.
func (t *implicitTracer) Nearest(p, n, x []float64) bool {
	if !finite(x) {
		return false
	}
	best, wall := math.Inf(1), None
	for i := range t.evals.g {
		if !t.project(i, x) || !t.others(i) {
			continue
		}
		if d := distance(t.foot, x); d < best {
			best, wall = d, Wall(i)
			copy(p, t.foot)
		}
	}
	if wall == None {
		return false
	}
	t.Normal(n, p, wall)
	return true
}

// others reports that the foot satisfies the constraints other than i.
func (t *implicitTracer) others(i int) bool {
	for k, g := range t.evals.g {
		if k != i && !(g.Value(t.foot) <= 0) {
			return false
		}
	}
	return true
}

// project solves the Lagrange conditions g_i(foot) = 0, x − foot ∥ ∇g_i(foot):
// again and again x is projected to the tangent plane at the foot, and the
// optimality residual decides. The steps shrink when they do not contract.
func (t *implicitTracer) project(i int, x []float64) bool {
	g := t.evals.g[i]
	copy(t.foot, x)
	share, last := 1.0, math.Inf(1)
	scale := math.Max(norm(x), 1e-300)
	for range 300 {
		v := g.Gradient(t.grad, t.foot)
		g2 := dot(t.grad, t.grad)
		if !(g2 > 0) || math.IsInf(g2, 1) || math.IsNaN(v) {
			return false
		}
		for k := range x {
			v += t.grad[k] * (x[k] - t.foot[k])
		}
		move := 0.0
		for k := range x {
			t.spare[k] = x[k] - v/g2*t.grad[k]
			e := t.spare[k] - t.foot[k]
			move += e * e
		}
		move = math.Sqrt(move)
		if move <= 4e-15*scale {
			copy(t.foot, t.spare)
			return math.Abs(g.Value(t.foot)) <= 1e-12*scale*math.Sqrt(g2)
		}
		if move > 0.9*last && share > 0.02 {
			share *= 0.7
		}
		last = move
		for k := range x {
			t.foot[k] += share * (t.spare[k] - t.foot[k])
		}
	}
	// Slow contraction: accept what satisfies the conditions to 1e-9.
	return last <= 1e-9*scale && math.Abs(g.Value(t.foot)) <= 1e-9*scale*norm(t.grad)
}
