package domain

import (
	"errors"
	"fmt"
	"math"
)

// The caps on the mirrorings of one step that a cap of 0 stands for. A wedge of
// angle α needs up to π/α.
const (
	SpecularCap = 1000
	nearestCap  = 20
)

// ErrNoNearest says that a domain cannot tell its nearest boundary point.
var ErrNoNearest = errors.New("the nearest boundary point of this domain is not known: use the boundary rule specular or refuse")

// labourOf counts the evaluations of surfaces by all tracers that say so by a method
// Labour() int: a step that takes more than maxLabour is given up.
func labourOf(tracers ...Tracer) int {
	sum := 0
	for _, t := range tracers {
		if l, ok := t.(interface{ Labour() int }); ok {
			sum += l.Labour()
		}
	}
	return sum
}

// NewReflector returns a reflector of d under a rule. cap is the largest number
// of mirrorings of one step, after which it is given up; 0 stands for
// [SpecularCap], under the rule nearest for 20, and the other rules and closed forms (the box)
// have no use for it. Steps to where squares overflow (beyond 1e150) are given
// up like those to infinity, except in a box. It fails for an unknown rule, a
// negative cap, and for the rules nearest and project with ErrNoNearest where d
// has no nearest point: where it says so by a method KnowsNearest() bool.
//
// A domain with a reflector of its own for some rules, in closed form or with products
// that it keeps, has a method Reflector(rule Rule, cap int) (Reflector, error), which
// returns nil for the others.
func NewReflector(d Domain, rule Rule, cap int) (Reflector, error) {
	if cap < 0 {
		return nil, fmt.Errorf("cap %d: the largest number of mirrorings of a step is at least 1 (0: the default)", cap)
	}
	switch rule {
	case Specular:
		if cap == 0 {
			cap = SpecularCap
		}
	case Nearest, Project:
		if !knowsNearest(d) {
			return nil, fmt.Errorf("boundary %s: %w", rule, ErrNoNearest)
		}
		if cap == 0 {
			cap = nearestCap
		}
	case Refuse, Free:
	default:
		return nil, fmt.Errorf("boundary %q is not known: use %s, %s, %s, %s or %s", string(rule), Specular, Nearest, Refuse, Project, Free)
	}
	switch rule {
	case Refuse:
		return &refuse{d}, nil
	case Free:
		return free{}, nil
	}
	if m, ok := d.(interface {
		Reflector(rule Rule, cap int) (Reflector, error)
	}); ok {
		if r, err := m.Reflector(rule, cap); r != nil || err != nil {
			return r, err
		}
	}
	n := d.Dim()
	w := work{d: d, tr: d.Tracer(), cap: cap,
		x: make([]float64, n), dir: make([]float64, n), n: make([]float64, n), v: make([]float64, n)}
	switch rule {
	case Specular:
		return &specular{w, newTrail(0)}, nil
	case Nearest:
		return &nearest{w}, nil
	}
	return &project{w}, nil
}

// knowsNearest reports whether the tracers of d know nearest points; domains
// that do not say so through KnowsNearest do.
func knowsNearest(d Domain) bool {
	k, ok := d.(interface{ KnowsNearest() bool })
	return !ok || k.KnowsNearest()
}

// giveUp ends a step where it began and reverses the momentum.
func giveUp(from, to, v []float64) {
	copy(to, from)
	for i := range v {
		v[i] = -v[i]
	}
}

// work is the workspace of the rules that need the wall.
type work struct {
	d            Domain
	tr           Tracer
	cap          int
	x, dir, n, v []float64
}

// end accepts w.x and w.v as the end of the step if w.x lies in Ω exactly.
func (w *work) end(from, to, v []float64, hits int) (int, bool) {
	if !w.d.Contains(w.x) || !finite(w.v[:len(v)]) {
		giveUp(from, to, v)
		return hits, false
	}
	copy(to, w.x)
	copy(v, w.v)
	return hits, true
}

type specular struct {
	work
	trail
}

var _ Stuck = (*specular)(nil)

func (r *specular) Reflect(from, to, v []float64) (int, bool) {
	if r.tr.Clear(from, to) {
		return 0, true
	}
	if !tame(to) {
		r.blame(0)
		giveUp(from, to, v)
		return 0, false
	}
	copy(r.x, from)
	for i, f := range from {
		r.dir[i] = to[i] - f
	}
	mv := r.v[:copy(r.v, v)]
	hits, on, last := 0, None, labourOf(r.tr)+maxLabour
	for {
		t, w := r.tr.Exit(r.x, r.dir, on)
		if w == None {
			break
		}
		if hits == r.cap || labourOf(r.tr) > last {
			r.blame(hits)
			giveUp(from, to, v)
			return hits, false
		}
		for i, e := range r.dir {
			r.x[i] += t * e
			r.dir[i] = (1 - t) * e
		}
		r.tr.Normal(r.n, r.x, w)
		// Rounding may let a grazing path meet the wall on its way inwards.
		if dot(r.dir, r.n) > 0 {
			mirror(r.dir, r.n)
			mirror(mv, r.n[:len(mv)])
		}
		r.met(w, hits)
		hits++
		on = w
	}
	if hits == 0 {
		if r.d.Contains(to) {
			return 0, true
		}
		r.blame(0)
		giveUp(from, to, v)
		return 0, false
	}
	for i, e := range r.dir {
		r.x[i] += e
	}
	hits, ok := r.end(from, to, v, hits)
	if !ok {
		r.blame(hits)
	}
	return hits, ok
}

type nearest struct{ work }

func (r *nearest) Reflect(from, to, v []float64) (int, bool) {
	if r.d.Contains(to) {
		return 0, true
	}
	if !tame(to) {
		giveUp(from, to, v)
		return 0, false
	}
	copy(r.x, to)
	mv := r.v[:copy(r.v, v)]
	p, hits := r.dir, 0
	for ; hits < r.cap && !r.d.Contains(r.x); hits++ {
		if !r.tr.Nearest(p, r.n, r.x) {
			break
		}
		s := 0.0
		for i, n := range r.n {
			s += (r.x[i] - p[i]) * n
		}
		for i, n := range r.n {
			r.x[i] -= 2 * s * n
		}
		mirror(mv, r.n[:len(mv)])
	}
	return r.end(from, to, v, hits)
}

// refuse does not take steps that end outside.
type refuse struct{ d Domain }

func (r *refuse) Reflect(from, to, v []float64) (int, bool) {
	if r.d.Contains(to) {
		return 0, true
	}
	ok := finite(to)
	giveUp(from, to, v)
	if !ok {
		return 0, false
	}
	return 1, true
}

// free lets every step go, whatever it is.
type free struct{}

func (free) Reflect(_, _, _ []float64) (int, bool) { return 0, true }

// project moves the end of a step to the nearest point of Ω and mirrors the
// momentum at the normal there, so that |v| is kept under every rule.
type project struct{ work }

func (r *project) Reflect(from, to, v []float64) (int, bool) {
	if r.d.Contains(to) {
		return 0, true
	}
	if !tame(to) {
		giveUp(from, to, v)
		return 0, false
	}
	p := r.dir
	if !projectOnto(r.tr, p, r.n, to) {
		giveUp(from, to, v)
		return 0, false
	}
	mv := r.v[:copy(r.v, v)]
	mirror(mv, r.n[:len(mv)])
	r.settle(p, from)
	return r.end(from, to, v, 1)
}

// settle sets w.x to a point of Ω within rounding of p: p itself, else p moved
// by 1, 2, 4 … ulps inwards along −n, else towards from ∈ Ω.
func (w *work) settle(p, from []float64) {
	copy(w.x, p)
	if w.d.Contains(w.x) {
		return
	}
	big := 0.0
	for _, v := range p {
		big = math.Max(big, math.Abs(v))
	}
	for step := 0x1p-52 * big; step < 0x1p-30*big; step *= 2 {
		for i, n := range w.n {
			w.x[i] = p[i] - step*n
		}
		if w.d.Contains(w.x) {
			return
		}
	}
	for share := 0x1p-52; share < 0x1p-20; share *= 2 {
		for i, f := range from {
			w.x[i] = p[i] + share*(f-p[i])
		}
		if w.d.Contains(w.x) {
			return
		}
	}
}
