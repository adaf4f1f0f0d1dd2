package domain

import (
	"cmp"
	"math"
)

type implicitTracer struct {
	set                   *implicit
	evals                 *evals
	at, grad, foot, spare []float64
	spent                 int // evaluations so far
	ahead                 ahead
}

func (t *implicitTracer) Walls() int { return len(t.evals.g) }

// Clear answers where the bends of all surfaces are bounded: the second-order
// bound of g over the whole step is not positive. Else it is unsure.
func (t *implicitTracer) Clear(from, to []float64) bool {
	if !t.set.bounded {
		return false
	}
	for k, e := range to {
		t.spare[k] = e - from[k]
	}
	for i, g := range t.evals.g {
		t.spent++
		v := g.Gradient(t.grad, from)
		slope, size := 0.0, math.Abs(v)
		for k, e := range t.grad {
			slope += e * t.spare[k]
			size += math.Abs(e) * (math.Abs(from[k]) + math.Abs(to[k]))
		}
		_, hi := t.evals.bend[i].Bend(from, t.spare, 0, 1)
		if !(v+math.Max(slope+0.5*math.Max(hi, 0), 0) <= -1e-14*size) {
			return false
		}
	}
	return true
}

// A path is g along x + s·dir.
type path struct {
	t      *implicitTracer
	i      int // the surface
	g      SurfaceEval
	bender Bender // or nil
	x, dir []float64
	fresh  int  // depth of bisection allowed
	last   int  // evaluations of the tracer after which the search is broken off
	on     bool // φ(0) is taken as exactly 0, by this shift:
	shift  float64
}

// A jet is φ and φ' at s. Where φ is not defined, or φ' ahead of the start, is outside: +Inf.
type jet struct{ s, v, d float64 }

func (p *path) jet(s float64) jet {
	p.t.spent++
	v, known := p.t.ahead.at(s, p.t.grad)
	if !known {
		for i, e := range p.dir {
			p.t.at[i] = p.x[i] + s*e
		}
		v = p.g.Gradient(p.t.grad, p.t.at)
	}
	d := 0.0
	for i, e := range p.dir {
		d += p.t.grad[i] * e
	}
	switch {
	case math.IsNaN(v) || d-d != 0 && s > 0:
		v = math.Inf(1)
	case d-d != 0: // the tip of a cone
		d = 0
	}
	return jet{s, v - p.shift, d}
}

// maxLabour bounds the evaluations for one step: some hundredths of a second.
const maxLabour = 1 << 17

func (t *implicitTracer) Labour() int { return t.spent }

// Exit finds where the path first crosses a surface; see [NewImplicit] for what it
// may miss. The point it returns has g ≤ 0 whenever rounding allows. The search is
// broken off, at a point where no crossing is, after as many evaluations as a step
// may take.
func (t *implicitTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	l := norm(dir)
	if !(l > 0) || math.IsInf(l, 1) || !finite(x) {
		return 1, None
	}
	best, wall, last := 1.0, None, t.spent+maxLabour
	for i, g := range t.evals.g {
		p := path{t: t, i: i, g: g, bender: t.evals.bend[i], x: x, dir: dir, fresh: 6, last: last}
		if p.bender != nil {
			p.fresh = 50
		}
		n := p.pieces(l, best)
		p.foresee(best, 0, n)
		if s, ok := p.exit(l, best, n, Wall(i) == on); ok && (s < best || wall == None) {
			best, wall = s, Wall(i)
		}
		t.ahead.forget()
	}
	return best, wall
}

// maxPieces bounds the pieces that one path is cut into.
const maxPieces = 1 << 14

// pieces is how many parts of the way up to limit, of dir of length l, are looked at each by
// itself.
func (p *path) pieces(l, limit float64) int {
	switch h := p.t.set.substep; {
	case p.bender != nil:
		return 1
	case h < math.Inf(1):
		return int(math.Min(math.Ceil(l*limit/h), maxPieces))
	}
	return 8
}

// exit looks for the first crossing with 0 ≤ s ≤ limit, in n pieces.
func (p *path) exit(l, limit float64, n int, on bool) (float64, bool) {
	a := p.jet(0)
	if on || a.v > 0 {
		if math.IsInf(a.v, 1) {
			return 0, true
		}
		if on && p.t.edge(p.i, a.v, p.x) {
			on = false // there is no zero to divide out
		}
	}
	if on || a.v > 0 {
		p.on, p.shift, a.v = true, a.v, 0
		if a.d > 1e-13*l*norm(p.t.grad) {
			return 0, true
		}
		a.d = math.Min(a.d, 0)
	}
	if p.bender != nil {
		lo, hi := p.bender.Bend(p.x, p.dir, 0, limit)
		if a.v+math.Max(a.d+0.5*math.Max(hi, 0)*limit, 0)*limit <= 0 {
			return 0, false
		}
		if lo == hi {
			return p.parabola(a, hi, limit)
		}
	}
	for k := 1; k <= n; k++ {
		p.foresee(limit, k, n)
		b := p.jet(end(limit, k, n))
		if s, ok := p.scan(a, b, p.fresh); ok {
			return s, true
		}
		a = b
	}
	return 0, false
}

// edge reports whether surface i ceases to be defined at x on its wall, as a root does: v is
// its value there and t.grad its gradient, which then points inwards.
func (t *implicitTracer) edge(i int, v float64, x []float64) bool {
	l := norm(t.grad)
	if !(v < 0) || t.evals.bend[i] != nil || !(l > 0) || math.IsInf(l, 1) {
		return false
	}
	size := norm(x)
	if !math.IsInf(t.set.substep, 1) {
		size += t.set.substep
	}
	h := 1e-9 * cmp.Or(size, 1) / l
	for k, e := range t.grad {
		t.at[k] = x[k] - h*e
	}
	t.spent++
	return math.IsNaN(t.evals.g[i].Value(t.at))
}

// parabola is the crossing of φ of constant second derivative c.
func (p *path) parabola(a jet, c, limit float64) (float64, bool) {
	root := math.Sqrt(a.d*a.d - 2*c*a.v)
	s := -2 * a.v / (a.d + root)
	if c > 0 && a.d <= 0 {
		s = (root - a.d) / c
	}
	if !(s > 0 && s <= limit) {
		return 0, false
	}
	j := p.jet(s)
	if better := s - j.v/j.d; math.Abs(better-s) < 1e-9*s {
		s = better
	}
	return p.inner((1-1e-9)*s, s), true
}

// bend is how far φ″ between a and b goes below and above 0.
func (p *path) bend(a, b float64) (down, up float64) {
	lo, hi := p.bender.Bend(p.x, p.dir, a, b)
	return math.Max(-lo, 0), math.Max(hi, 0)
}

// scan looks for the first crossing in (a.s, b.s], φ(a.s) ≤ 0.
func (p *path) scan(a, b jet, depth int) (float64, bool) {
	if p.t.spent > p.last {
		return a.s, true
	}
	tell := p.bounded
	if p.bender == nil {
		tell = p.sampled
	}
	none, one := tell(a, b)
	inside := b.v <= 0
	switch {
	case inside && (none || depth == 0):
		return 0, false
	case !inside && (one || depth == 0):
		return p.solve(a, b, p.on && a.s == 0), true
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

// bounded tells by the bounds of φ″ that φ stays below 0 between a and b, or, if it
// ends above, that it crosses only once.
func (p *path) bounded(a, b jet) (none, one bool) {
	h := b.s - a.s
	down, up := p.bend(a.s, b.s)
	// The chord and both tangents bound φ from above.
	none = math.Max(a.v, b.v)+down*h*h/8 <= 0 || a.v+(a.d+0.5*up*h)*h <= 0 || b.v-(b.d-0.5*up*h)*h <= 0
	// It is convex, or concave, or rises.
	one = down == 0 || up == 0 && a.v < 0 || a.d-down*h >= 0 || b.d-up*h >= 0
	return none, one
}

// sampled tells the same by the cubic through both jets, with an allowance for its
// error.
func (p *path) sampled(a, b jet) (none, one bool) {
	h := b.s - a.s
	b1, b2 := a.v+a.d*h/3, b.v-b.d*h/3 // Bernstein coefficients
	quad := math.Abs(a.v - 2*b1 + b2)
	cubic := math.Abs(b.v - a.v - 3*(b2-b1))
	allow := 0.5*cubic + 0.1*quad
	start := p.on && a.s == 0
	none = math.Max(a.v, math.Max(math.Max(b1, b2), b.v))+allow <= 0
	if start {
		none = b1 <= 0 && b2+allow <= 0 && b1+0.5*allow <= 0
	}
	if start && a.d == 0 || math.IsInf(b.v, 1) {
		return none, false
	}
	// One change of sign among the coefficients: one root (Descartes).
	rises := b1 <= 0 || b2 > 0
	return none, rises && cubic <= 0.5*math.Max(math.Abs(b.v-a.v), math.Abs(a.d)*h)
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

// Normal writes ∇g/|∇g|, or its opposite where g ends to be defined.
func (t *implicitTracer) Normal(n, x []float64, w Wall) {
	v := t.evals.g[w].Gradient(t.grad, x)
	l := norm(t.grad)
	if t.edge(int(w), v, x) {
		l = -l
	}
	for i, e := range t.grad {
		n[i] = e / l
	}
}

// Nearest writes a boundary point p with x − p normal to one surface there and
// all other constraints satisfied: the nearest of those that the iterations
// started from x find, one for each surface, or for each that x is beyond. It is
// a local answer. It reports false when no surface yields such a point, as when
// the nearest point lies on an edge between surfaces.
func (t *implicitTracer) Nearest(p, n, x []float64) bool {
	if !finite(x) {
		return false
	}
	best, wall := math.Inf(1), None
	outside := !t.evals.contains(x)
	for i, g := range t.evals.g {
		if outside && g.Value(x) <= 0 || !t.project(i, x) || !t.others(i) {
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
		t.spent++
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

// Lower takes a step of Newton's method, and a little more, on every violated constraint.
func (t *implicitTracer) Lower(x []float64) bool {
	moved := false
	for _, g := range t.evals.g {
		t.spent++
		v := g.Gradient(t.grad, x)
		square := dot(t.grad, t.grad)
		if !(v > 0 && square > 0) || math.IsInf(square, 1) {
			continue
		}
		moved = true
		for i, s := range t.grad {
			x[i] -= 1.01 * v / square * s
		}
	}
	return moved
}
