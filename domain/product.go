package domain

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
)

// A Part is a domain of some of the coordinates: coordinate j of Domain is
// coordinate At[j] of the whole.
type Part struct {
	Domain Domain
	At     []int
}

// product is {x : x restricted to each part lies in that part's domain}.
type product struct {
	d       int
	parts   []Part
	scratch scratch
}

// NewProduct returns {x : x restricted to each part lies in that part's domain} in d
// coordinates, no coordinate in two parts (intersect products for that). Coordinates of no
// part are free. Its walls are those of the parts in order.
func NewProduct(d int, parts ...Part) (Domain, error) {
	seen := make([]bool, max(d, 0))
	if d < 1 || len(parts) == 0 {
		return nil, fmt.Errorf("product: %d coordinates and %d parts: give at least one of each", d, len(parts))
	}
	p := &product{d: d}
	for i, q := range parts {
		if q.Domain == nil || q.Domain.Dim() != len(q.At) {
			return nil, fmt.Errorf("product: part %d names %d coordinates: name as many as its domain has", i, len(q.At))
		}
		for _, k := range q.At {
			if k < 0 || k >= d {
				return nil, fmt.Errorf("product: part %d names coordinate %d: they run from 0 to %d", i, k, d-1)
			}
			if seen[k] {
				return nil, fmt.Errorf("product: coordinate %d is named twice: intersect two products to constrain it twice", k)
			}
			seen[k] = true
		}
		p.parts = append(p.parts, Part{q.Domain, append([]int(nil), q.At...)})
	}
	return p, nil
}

// members are the domains of the parts.
func (p *product) members() []Domain {
	out := make([]Domain, len(p.parts))
	for i, q := range p.parts {
		out[i] = q.Domain
	}
	return out
}

// gather copies the coordinates of the part from x into dst and returns it.
func (q Part) gather(dst, x []float64) []float64 {
	dst = dst[:len(q.At)]
	for j, k := range q.At {
		dst[j] = x[k]
	}
	return dst
}

// scatter copies src into the coordinates of the part of x.
func (q Part) scatter(x, src []float64) {
	for j, k := range q.At {
		x[k] = src[j]
	}
}

func (p *product) Dim() int { return p.d }

// Contains asks every part.
func (p *product) Contains(x []float64) bool {
	buf := p.scratch.take(p.d)
	in := finite(x)
	for _, q := range p.parts {
		in = in && q.Domain.Contains(q.gather(*buf, x))
	}
	p.scratch.give(buf)
	return in
}

// Bounds collects those of the parts; ±Inf where a coordinate is free.
func (p *product) Bounds(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
	}
	for _, q := range p.parts {
		l, h := BoundsOf(q.Domain, len(q.At))
		q.scatter(lo, l)
		q.scatter(hi, h)
	}
}

func (p *product) KnowsNearest() bool     { return all(p.members(), knowsNearest) }
func (p *product) Name() string           { return "product" }
func (p *product) Convex() bool           { return all(p.members(), Convex) }
func (p *product) ExactWalls() bool       { return all(p.members(), ExactWalls) }
func (p *product) WallName(w Wall) string { return wallName(p.members(), w) }

func (p *product) HalfSpaces() (h HalfSpaces, all bool) {
	return joined(p.members(), p.d, func(k int) []int { return p.parts[k].At })
}

// Tracer joins tracers of the parts.
func (p *product) Tracer() Tracer {
	return &productTracer{product: p, tracers: tracersOf(p.members()), x: make([]float64, p.d), y: make([]float64, p.d),
		n: make([]float64, p.d)}
}

type productTracer struct {
	*product
	tracers
	x, y, n []float64
}

func (t *productTracer) Clear(from, to []float64) bool {
	for k, q := range t.parts {
		if !t.tr[k].Clear(q.gather(t.x, from), q.gather(t.y, to)) {
			return false
		}
	}
	return finite(to)
}

func (t *productTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	at, w := 1.0, None
	for k, q := range t.parts {
		s, v := t.tr[k].Exit(q.gather(t.x, x), q.gather(t.y, dir), t.wallOf(on, k))
		if v != None && (s < at || w == None) {
			at, w = s, t.first[k]+v
		}
	}
	return at, w
}

func (t *productTracer) Normal(n, x []float64, w Wall) {
	for i := range n {
		n[i] = 0
	}
	for k, q := range t.parts {
		if v := t.wallOf(w, k); v != None {
			t.tr[k].Normal(t.n[:len(q.At)], q.gather(t.x, x), v)
			q.scatter(n, t.n)
		}
	}
}

// Nearest projects every part that x lies outside of; from inside it goes to the
// nearest wall of all parts.
func (t *productTracer) Nearest(p, n, x []float64) bool {
	copy(p, x)
	best, outside, at := math.Inf(1), false, -1
	for k, q := range t.parts {
		z := q.gather(t.x, x)
		in := q.Domain.Contains(z)
		if outside && in {
			continue
		}
		y := t.y[:len(q.At)]
		if !t.tr[k].Nearest(y, t.n[:len(q.At)], z) {
			if in {
				continue
			}
			return false
		}
		d := distance(y, z)
		switch {
		case !in && !outside:
			copy(p, x)
			outside, best = true, -1
			fallthrough
		case !in:
			q.scatter(p, y)
			if d <= best {
				continue
			}
		case d >= best:
			continue
		default:
			copy(p, x)
			q.scatter(p, y)
		}
		best, at = d, k
		for i := range n {
			n[i] = 0
		}
		q.scatter(n, t.n)
	}
	if outside {
		outward(n, x, p)
	}
	return at >= 0
}

// Reflector reflects every part on its own: their paths do not feel each other.
func (p *product) Reflector(rule Rule, limit int) (Reflector, error) {
	r := &productFold{p: p, tracers: tracersOf(p.members())}
	for _, b := range []*[]float64{&r.from, &r.to, &r.v, &r.end, &r.endV} {
		*b = make([]float64, p.d)
	}
	for _, q := range p.parts {
		part, err := NewReflector(q.Domain, rule, limit)
		if err != nil {
			return nil, err
		}
		r.parts = append(r.parts, part)
	}
	r.trail = newTrail(r.walls)
	return r, nil
}

type productFold struct {
	p                      *product
	parts                  []Reflector
	from, to, v, end, endV []float64
	tracers
	trail
}

var _ Stuck = (*productFold)(nil)

func (r *productFold) Reflect(from, to, v []float64) (int, bool) {
	if !finite(to) {
		r.blame(0)
		giveUp(from, to, v)
		return 0, false
	}
	copy(r.end, to)
	copy(r.endV, v)
	hits := 0
	for k, q := range r.p.parts {
		var pv []float64
		if v != nil {
			pv = q.gather(r.v, v)
		}
		x := q.gather(r.to, to)
		h, ok := r.parts[k].Reflect(q.gather(r.from, from), x, pv)
		hits += h
		if !ok {
			r.blameOf(k)
			giveUp(from, to, v)
			return hits, false
		}
		q.scatter(r.end, x)
		if v != nil {
			q.scatter(r.endV, pv)
		}
	}
	copy(to, r.end)
	copy(v, r.endV)
	return hits, true
}

// blameOf makes the walls at which a part gave up those of the product.
func (r *productFold) blameOf(part int) {
	r.blame(0)
	if s, ok := r.parts[part].(Stuck); ok {
		for _, w := range s.LastFallback() {
			r.accuse(r.first[part] + w)
		}
	}
}

// Section asks the parts that hold both coordinates for theirs, and those that
// hold one for its bounds.
func (p *product) Section(i, j int) func(x, y float64) bool {
	var tests []func(x, y float64) bool
	for _, q := range p.parts {
		a, b := -1, -1
		for k, at := range q.At {
			switch at {
			case i:
				a = k
			case j:
				b = k
			}
		}
		switch {
		case a >= 0 && b >= 0:
			tests = append(tests, Section(q.Domain, a, b))
		case a >= 0:
			if f := withinBounds(q.Domain, a); f != nil {
				tests = append(tests, func(x, _ float64) bool { return f(x) })
			}
		case b >= 0:
			if f := withinBounds(q.Domain, b); f != nil {
				tests = append(tests, func(_, y float64) bool { return f(y) })
			}
		}
	}
	return every(tests)
}

// Projection fails where that of a part does.
func (p *product) Projection() (func() func(p, x []float64) (outside bool), error) {
	for i, q := range p.parts {
		if _, err := Projection(q.Domain); err != nil {
			return nil, fmt.Errorf("part %d of the product: %w", i, err)
		}
	}
	return projectionBy(p), nil
}

// Project projects every part that x lies outside of onto its domain.
func (t *productTracer) Project(p, n, x []float64) bool {
	copy(p, x)
	for k, q := range t.parts {
		z, y := q.gather(t.x, x), t.y[:len(q.At)]
		if q.Domain.Contains(z) {
			continue
		}
		if !projectOnto(t.tr[k], y, t.n[:len(q.At)], z) {
			return false
		}
		q.scatter(p, y)
	}
	if !outward(n, x, p) {
		return t.Nearest(p, n, x)
	}
	return true
}

// Inequalities are those of the parts.
func (p *product) Inequalities() (*Inequalities, error) {
	s := &Inequalities{}
	for _, q := range p.parts {
		if err := s.add(q.Domain, q.At, p.d); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Uniform draws from every part.
func (p *product) Uniform(ctx context.Context) (*Law, error) {
	covered := 0
	all, laws := &Law{Tries: 1}, make([]*Law, len(p.parts))
	for i, q := range p.parts {
		var err error
		if laws[i], err = Uniform(ctx, q.Domain); err != nil {
			return nil, err
		}
		all.Tries, all.Note = max(all.Tries, laws[i].Tries), cmp.Or(all.Note, laws[i].Note)
		covered += len(q.At)
	}
	if covered < p.d {
		return nil, errUnbounded("uniform draws", p)
	}
	buf := make([]float64, p.d)
	all.Draw = func(ctx context.Context, x []float64, rng *rand.Rand) error {
		for i, q := range p.parts {
			y := buf[:len(q.At)]
			if err := laws[i].Draw(ctx, y, rng); err != nil {
				return err
			}
			q.scatter(x, y)
		}
		return nil
	}
	return all, nil
}

// Volume multiplies those of the parts.
func (p *product) Volume(ctx context.Context, rng *rand.Rand) (log, se float64, err error) {
	covered := 0
	for _, q := range p.parts {
		l, s, err := Volume(ctx, q.Domain, rng)
		if err != nil {
			return 0, 0, err
		}
		log, se = log+l, math.Hypot(se, s)
		covered += len(q.At)
	}
	if covered < p.d {
		return 0, 0, errUnbounded("volume", p)
	}
	return log, se, nil
}

// Interior joins points of the parts.
func (p *product) Interior(ctx context.Context, rng *rand.Rand) ([]float64, error) {
	x := make([]float64, p.d)
	for _, q := range p.parts {
		y, err := Interior(ctx, q.Domain, rng)
		if err != nil {
			return nil, err
		}
		q.scatter(x, y)
	}
	return x, nil
}
