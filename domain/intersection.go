package domain

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// intersection is the set of points that lie in every member.
type intersection struct {
	members []Domain
	*Found
}

// denseRows bounds the elements of the matrix into which members that are all
// linear are joined.
const denseRows = 1 << 18

// NewIntersection returns the intersection of members, all of one dimension: the
// member itself if there is one, a polytope where all of them are linear (rows
// in the order of their finite walls), otherwise a domain that has the walls of the members
// in order. It does not look whether the intersection is empty: [Interior] does.
func NewIntersection(members ...Domain) (Domain, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("intersection: no members: give at least one")
	}
	d := members[0].Dim()
	x := &intersection{Found: &Found{}}
	for i, m := range members {
		if m.Dim() != d {
			return nil, fmt.Errorf("intersection: member %d has %d coordinates and member 0 has %d: put members into products over all coordinates",
				i, m.Dim(), d)
		}
		if inner := membersOf(m); inner != nil {
			x.members = append(x.members, inner...)
		} else {
			x.members = append(x.members, m)
		}
	}
	if len(x.members) == 1 {
		return x.members[0], nil
	}
	if h, ok := x.HalfSpaces(); ok && len(h.B) > 0 && len(h.B)*d <= denseRows {
		return NewPolytope(h.A, h.B, h.Names)
	}
	return x, nil
}

func (x *intersection) Members() []Domain { return x.members }

// membersOf returns the domains of which d is the intersection, where it tells them by a
// method Members() []Domain; nil for others.
func membersOf(d Domain) []Domain {
	if m, ok := d.(interface{ Members() []Domain }); ok {
		return m.Members()
	}
	return nil
}

func (x *intersection) Dim() int { return x.members[0].Dim() }

// Contains asks every member.
func (x *intersection) Contains(p []float64) bool {
	for _, m := range x.members {
		if !m.Contains(p) {
			return false
		}
	}
	return true
}

// Bounds intersects the boxes of the members.
func (x *intersection) Bounds(lo, hi []float64) {
	for i := range lo {
		lo[i], hi[i] = math.Inf(-1), math.Inf(1)
	}
	for _, m := range x.members {
		l, h := BoundsOf(m, len(lo))
		for i := range lo {
			lo[i], hi[i] = math.Max(lo[i], l[i]), math.Min(hi[i], h[i])
		}
	}
}

func (x *intersection) KnowsNearest() bool     { return all(x.members, knowsNearest) }
func (x *intersection) Name() string           { return "intersection" }
func (x *intersection) Convex() bool           { return all(x.members, Convex) }
func (x *intersection) ExactWalls() bool       { return all(x.members, ExactWalls) }
func (x *intersection) WallName(w Wall) string { return wallName(x.members, w) }

func (x *intersection) HalfSpaces() (h HalfSpaces, all bool) {
	return joined(x.members, x.Dim(), func(int) []int { return nil })
}

// joined are the half-spaces of domains of the coordinates at among d.
func joined(domains []Domain, d int, at func(k int) []int) (h HalfSpaces, all bool) {
	all = true
	first := Wall(0)
	for k, m := range domains {
		g, ok := linearOf(m)
		h.join(g, at(k), d, first)
		all = all && ok
		first += Wall(m.Tracer().Walls())
	}
	return h, all
}

// tracers are those of several domains, whose walls are counted in order.
type tracers struct {
	tr    []Tracer
	first []Wall // of the walls of each
	walls int
}

func tracersOf(domains []Domain) (t tracers) {
	for _, m := range domains {
		t.tr = append(t.tr, m.Tracer())
		t.first = append(t.first, Wall(t.walls))
		t.walls += t.tr[len(t.tr)-1].Walls()
	}
	return t
}

func (t *tracers) Walls() int  { return t.walls }
func (t *tracers) Labour() int { return labourOf(t.tr...) }

// wallOf is the wall of domain k that w names, or None if w is not one of them.
func (t *tracers) wallOf(w Wall, k int) Wall {
	if first := t.first[k]; w >= first && int(w-first) < t.tr[k].Walls() {
		return w - first
	}
	return None
}

// wallName is the text of a wall of one of some domains.
func wallName(domains []Domain, w Wall) string {
	t := tracersOf(domains)
	for k, m := range domains {
		if v := t.wallOf(w, k); v != None {
			return WallNames(m, []Wall{v}, nil)[0]
		}
	}
	return fmt.Sprintf("wall %d", w)
}

// Tracer joins tracers of the members.
func (x *intersection) Tracer() Tracer {
	d, k := x.Dim(), len(x.members)
	return &crossTracer{intersection: x, tracers: tracersOf(x.members), convex: x.Convex(), p: make([]float64, d), n: make([]float64, d),
		y: make([]float64, d), e: make([]float64, d*k)}
}

type crossTracer struct {
	*intersection
	tracers
	convex     bool
	p, n, y, e []float64
}

func (t *crossTracer) Clear(from, to []float64) bool {
	for _, m := range t.tr {
		if !m.Clear(from, to) {
			return false
		}
	}
	return true
}

func (t *crossTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	at, w := 1.0, None
	for k, m := range t.tr {
		s, v := m.Exit(x, dir, t.wallOf(on, k))
		if v != None && (s < at || w == None) {
			at, w = s, t.first[k]+v
		}
	}
	return at, w
}

func (t *crossTracer) Normal(n, x []float64, w Wall) {
	for k, m := range t.tr {
		if v := t.wallOf(w, k); v != None {
			m.Normal(n, x, v)
			return
		}
	}
}

// Nearest gives, outside, the nearest point of the member that is violated most
// (not the nearest point of the intersection, which Project finds); inside, the
// nearest wall of all members.
func (t *crossTracer) Nearest(p, n, x []float64) bool {
	worst, outside, found := math.Inf(1), false, false
	for k, m := range t.members {
		in := m.Contains(x)
		if outside && in {
			continue
		}
		if !t.tr[k].Nearest(t.p, t.n, x) {
			if in {
				continue
			}
			return false
		}
		d := distance(t.p, x)
		if !in && !outside {
			outside, worst = true, -1
		}
		if outside && d > worst || !outside && d < worst {
			worst, found = d, true
			copy(p, t.p)
			copy(n, t.n)
		}
	}
	return found
}

// Project finds the nearest point of the intersection by Dykstra's algorithm
// where all members are convex, else a point of it by alternating projections.
func (t *crossTracer) Project(p, n, x []float64) bool {
	d := len(x)
	for i := range t.e {
		t.e[i] = 0
	}
	copy(p, x)
	scale := norm(x)
	for range 20000 {
		moved := 0.0
		for k, m := range t.members {
			e := t.e[k*d : (k+1)*d]
			for i, v := range e {
				t.y[i] = p[i] + v
			}
			copy(t.p, t.y)
			if !m.Contains(t.y) && !projectOnto(t.tr[k], t.p, n, t.y) {
				return false
			}
			for i, v := range t.p {
				moved = math.Max(moved, math.Abs(v-p[i]))
				if t.convex {
					e[i] = t.y[i] - v
				}
			}
			copy(p, t.p)
		}
		if moved <= 1e-14*(scale+norm(p)) {
			outward(n, x, p)
			return true
		}
	}
	return false
}

// projectOnto finds the point of a set nearest to x outside of it, p, and the direction
// x − p at unit length, n. A tracer of which that is not what Nearest finds has a method
// Project(p, n, x []float64) bool.
func projectOnto(tr Tracer, p, n, x []float64) bool {
	if q, ok := tr.(interface{ Project(p, n, x []float64) bool }); ok {
		return q.Project(p, n, x)
	}
	return tr.Nearest(p, n, x)
}

// Section joins those of the members.
func (x *intersection) Section(i, j int) func(x, y float64) bool {
	var all []func(x, y float64) bool
	for _, m := range x.members {
		all = append(all, Section(m, i, j))
	}
	return every(all)
}

// Projection fails where that of a member does, and where one is not convex.
func (x *intersection) Projection() (func() func(p, x []float64) (outside bool), error) {
	for i, m := range x.members {
		if _, err := Projection(m); err != nil {
			return nil, fmt.Errorf("member %d of the intersection: %w", i, err)
		}
		if !Convex(m) {
			return nil, noProjection(fmt.Sprintf("an intersection whose member %d is not convex", i))
		}
	}
	return projectionBy(x), nil
}

// Inequalities are those of the members.
func (x *intersection) Inequalities() (*Inequalities, error) {
	s := &Inequalities{}
	for _, m := range x.members {
		if err := s.add(m, each(x.Dim()), x.Dim()); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Lower lowers x towards the members that it is outside of.
func (t *crossTracer) Lower(x []float64) bool {
	moved := false
	for k, m := range t.members {
		if m.Contains(x) {
			continue
		}
		if l, ok := t.tr[k].(lowerer); ok {
			moved = l.Lower(x) || moved
		} else if t.tr[k].Nearest(t.p, t.n, x) {
			moved = true
			copy(x, t.p)
		}
	}
	return moved
}

// Image is the intersection of the images of the members.
func (x *intersection) Image(c []float64, l *mat.Dense) (Domain, error) {
	members := make([]Domain, len(x.members))
	for i, m := range x.members {
		var err error
		if members[i], err = Affine(m, c, l); err != nil {
			return nil, err
		}
	}
	return NewIntersection(members...)
}
