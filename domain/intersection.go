package domain

import (
	"fmt"
	"math"
)

// An Intersection is the set of points that lie in every member. Its walls are
// those of the members in order.
type Intersection struct {
	members []Domain
	cells   kept[*cover]
}

var _ Domain = (*Intersection)(nil)

// denseRows bounds the elements of the matrix into which members that are all
// linear are joined.
const denseRows = 1 << 18

// NewIntersection returns the intersection of members, all of one dimension: the
// member itself if there is one, a [Polytope] where all of them are linear (rows
// in the order of their finite walls), an [Intersection] otherwise. It does not
// look whether the intersection is empty: [Interior] does.
func NewIntersection(members ...Domain) (Domain, error) {
	if len(members) == 0 {
		return nil, fmt.Errorf("intersection: no members: give at least one")
	}
	d := members[0].Dim()
	x := &Intersection{}
	for i, m := range members {
		if m.Dim() != d {
			return nil, fmt.Errorf("intersection: member %d has %d coordinates and member 0 has %d: put members into products over all coordinates", i, m.Dim(), d)
		}
		if y, ok := m.(*Intersection); ok {
			x.members = append(x.members, y.members...)
		} else {
			x.members = append(x.members, m)
		}
	}
	if len(x.members) == 1 {
		return x.members[0], nil
	}
	if h, ok := x.halfspaces(); ok && len(h.b) > 0 && len(h.b)*d <= denseRows {
		return NewPolytope(h.a, h.b, h.name)
	}
	return x, nil
}

// Dim is the dimension of the members.
func (x *Intersection) Dim() int { return x.members[0].Dim() }

// Contains asks every member.
func (x *Intersection) Contains(p []float64) bool {
	for _, m := range x.members {
		if !m.Contains(p) {
			return false
		}
	}
	return true
}

// Bounds intersects the boxes of the members.
func (x *Intersection) Bounds(lo, hi []float64) {
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

// KnowsNearest reports whether every member knows its nearest points.
func (x *Intersection) KnowsNearest() bool {
	for _, m := range x.members {
		if !knowsNearest(m) {
			return false
		}
	}
	return true
}

func (x *Intersection) convex() bool {
	for _, m := range x.members {
		if !Convex(m) {
			return false
		}
	}
	return true
}

func (x *Intersection) halfspaces() (h halfspaces, all bool) {
	all = true
	first := Wall(0)
	for _, m := range x.members {
		g, ok := linearOf(m)
		h.join(g, nil, x.Dim(), first)
		all = all && ok
		first += Wall(m.Tracer().Walls())
	}
	return h, all
}

// Tracer joins tracers of the members.
func (x *Intersection) Tracer() Tracer {
	d, k := x.Dim(), len(x.members)
	t := &crossTracer{Intersection: x, convex: x.convex(), p: make([]float64, d), n: make([]float64, d),
		y: make([]float64, d), e: make([]float64, d*k)}
	for _, m := range x.members {
		t.tr = append(t.tr, m.Tracer())
		t.first = append(t.first, Wall(t.walls))
		t.walls += t.tr[len(t.tr)-1].Walls()
	}
	return t
}

type crossTracer struct {
	*Intersection
	convex     bool
	tr         []Tracer
	first      []Wall
	walls      int
	p, n, y, e []float64
}

func (t *crossTracer) Walls() int { return t.walls }

func (t *crossTracer) labour() int { return labourOf(t.tr...) }

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
		s, v := m.Exit(x, dir, wallOf(on, t.first[k], m))
		if v != None && (s < at || w == None) {
			at, w = s, t.first[k]+v
		}
	}
	return at, w
}

func (t *crossTracer) Normal(n, x []float64, w Wall) {
	for k, m := range t.tr {
		if v := wallOf(w, t.first[k], m); v != None {
			m.Normal(n, x, v)
			return
		}
	}
}

// Nearest gives, outside, the nearest point of the member that is violated most
// (not the nearest point of the intersection, which project finds); inside, the
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

// project finds the nearest point of the intersection by Dykstra's algorithm
// where all members are convex, else a point of it by alternating projections.
func (t *crossTracer) project(p, n, x []float64) bool {
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

// projectOnto finds the point of a member nearest to x outside of it.
func projectOnto(tr Tracer, p, n, x []float64) bool {
	if q, ok := tr.(projector); ok {
		return q.project(p, n, x)
	}
	return tr.Nearest(p, n, x)
}
