package domain

import "math"

// A Glance looks at many straight steps from Ω at once: coordinate j of step i goes from
// from[j*stride+i] to to[j*stride+i]. It sets may[i] unless it is certain that step i stays
// in Ω, so that no [Reflector] changes anything about it; it never clears any. A nil from
// asks about the ends alone. It has a workspace: one goroutine at a time.
type Glance func(may []bool, from, to []float64, stride int)

// GlanceOf returns a glance at d, as a domain tells it by a method Glance() Glance; nil
// where steps are better looked at one by one.
func GlanceOf(d Domain) Glance {
	if g, ok := d.(interface{ Glance() Glance }); ok {
		return g.Glance()
	}
	return nil
}

// glancesOf are those of several domains, nil if one has none.
func glancesOf(domains []Domain) []Glance {
	all := make([]Glance, len(domains))
	for i, d := range domains {
		if all[i] = GlanceOf(d); all[i] == nil {
			return nil
		}
	}
	return all
}

// Glance compares every coordinate with its bounds.
func (b *box) Glance() Glance {
	lo, hi := make([]float64, len(b.lo)), make([]float64, len(b.lo))
	for j, l := range b.lo {
		lo[j], hi[j] = max(l, -math.MaxFloat64), min(b.hi[j], math.MaxFloat64)
	}
	return func(may []bool, _, to []float64, stride int) {
		for j, l := range lo {
			h := hi[j]
			for i, y := range to[j*stride:][:len(may)] {
				if !(y >= l && y <= h) {
					may[i] = true
				}
			}
		}
	}
}

// rows is room for so many numbers of n steps.
func rows(v *[]float64, numbers, n int) []float64 {
	if len(*v) < numbers*n {
		*v = make([]float64, numbers*n)
	}
	return (*v)[:numbers*n]
}

// above sets may[i] where v[i] ≤ most does not hold.
func above(may []bool, v []float64, most float64) {
	for i, s := range v[:len(may)] {
		if !(s <= most) {
			may[i] = true
		}
	}
}

// Glance sums squares as Contains does.
func (b *ball) Glance() Glance {
	var room []float64
	return func(may []bool, _, to []float64, stride int) {
		s := rows(&room, 1, len(may))
		clear(s)
		for j, c := range b.c {
			for i, x := range to[j*stride:][:len(may)] {
				e := x - c
				s[i] += e * e
			}
		}
		above(may, s, b.r*b.r)
	}
}

// Glance takes the form as Contains does.
func (e *ellipsoid) Glance() Glance {
	var room []float64
	d := len(e.c)
	return func(may []bool, _, to []float64, stride int) {
		n := len(may)
		v := rows(&room, d+2, n)
		y, r, s := v[:d*n], v[d*n:][:n], v[(d+1)*n:]
		for j, c := range e.c {
			for i, x := range to[j*stride:][:n] {
				y[j*n+i] = x - c
			}
		}
		clear(s)
		for k := range d {
			clear(r)
			for j, a := range e.a[k*d : (k+1)*d] {
				addTo(r, y[j*n:], a)
			}
			for i, x := range y[k*n:][:n] {
				s[i] += x * r[i]
			}
		}
		for i, v := range s {
			s[i] = v + (v - v) // NaN where it is infinite
		}
		above(may, s, 1)
	}
}

// addTo adds a·x to s.
func addTo(s, x []float64, a float64) {
	x = x[:len(s)]
	for i, v := range x {
		s[i] += a * v
	}
}

// Glance sums in index order, as Contains does.
func (s *simplex) Glance() Glance {
	var room []float64
	return func(may []bool, _, to []float64, stride int) {
		sum := rows(&room, 1, len(may))
		clear(sum)
		for j := range s.d {
			for i, x := range to[j*stride:][:len(may)] {
				if !(x >= 0) {
					may[i] = true
				}
				sum[i] += x
			}
		}
		above(may, sum, s.s)
	}
}

// glanceRows is the number of coefficients that are not zero up to which a polytope looks
// at steps side by side. More are taken four rows at a time, one step after the other.
const glanceRows = 256

// Glance sums the products of each row in index order, as Contains does.
func (p *polytope) Glance() Glance {
	var a pattern
	a.start = []int{0}
	for i := range p.b {
		for j, v := range p.a[i*p.dim : (i+1)*p.dim] {
			if v != 0 { // with a zero the sum is the same, as x is finite
				a.add(j, v)
			}
		}
		a.end()
	}
	if len(a.at) > glanceRows {
		return nil
	}
	var room []float64
	return func(may []bool, _, to []float64, stride int) {
		sum := rows(&room, 1, len(may))
		for j := range p.dim {
			for i, x := range to[j*stride:][:len(may)] {
				if x-x != 0 {
					may[i] = true
				}
			}
		}
		for k, b := range p.b {
			at, value := a.row(k)
			clear(sum)
			for n, j := range at {
				addTo(sum, to[int(j)*stride:], value[n])
			}
			above(may, sum, b)
		}
	}
}

// Glance looks up, in the grid, discs about the ends that lie inside.
func (p *planar) Glance() Glance { return p.grid.glance }

// Glance asks those of the parts.
func (p *product) Glance() Glance {
	all := glancesOf(p.members())
	if all == nil {
		return nil
	}
	free := make([]bool, p.d)
	for j := range free {
		free[j] = true
	}
	for _, q := range p.parts {
		for _, j := range q.At {
			free[j] = false
		}
	}
	var room []float64
	return func(may []bool, from, to []float64, stride int) {
		n := len(may)
		v := rows(&room, 2*p.d, n)
		for k, q := range p.parts {
			x, y := []float64(nil), v[:p.d*n]
			if from != nil {
				x = v[p.d*n:]
			}
			for l, j := range q.At {
				copy(y[l*n:][:n], to[j*stride:])
				if from != nil {
					copy(x[l*n:][:n], from[j*stride:])
				}
			}
			all[k](may, x, y, n)
		}
		for j, f := range free {
			if !f {
				continue
			}
			for i, x := range to[j*stride:][:n] {
				if x-x != 0 {
					may[i] = true
				}
			}
		}
	}
}

// Glance asks those of the members.
func (x *intersection) Glance() Glance {
	all := glancesOf(x.members)
	if all == nil {
		return nil
	}
	return func(may []bool, from, to []float64, stride int) {
		for _, g := range all {
			g(may, from, to, stride)
		}
	}
}

// Glance maps the steps as the tracer does.
func (m *mapped) Glance() Glance {
	inner := GlanceOf(m.d)
	if inner == nil {
		return nil
	}
	d := m.Dim()
	var room []float64
	return func(may []bool, from, to []float64, stride int) {
		n := len(may)
		v := rows(&room, 2*d, n)
		y, x := v[:d*n], []float64(nil)
		m.a.applyLanes(y, to, stride, n)
		if from != nil {
			x = v[d*n:]
			m.a.applyLanes(x, from, stride, n)
		}
		inner(may, x, y, n)
		for j := range d {
			for i, z := range to[j*stride:][:n] {
				if z-z != 0 {
					may[i] = true
				}
			}
		}
	}
}

// applyLanes writes c + Lz of n states side by side, each as apply does.
func (a *affine) applyLanes(x, z []float64, stride, n int) {
	l := a.l.RawMatrix()
	for i, c := range a.c {
		s := x[i*n:][:n]
		clear(s)
		for j, v := range l.Data[i*l.Stride:][:len(a.c)] {
			addTo(s, z[j*stride:], v)
		}
		for k := range s {
			s[k] += c
		}
	}
}
