package domain

import (
	"math"
	"slices"
)

// Section returns membership by the constraints of d that speak of coordinates
// i and j alone, for drawing the domain behind a pair of coordinates; of a ball,
// an ellipsoid and a simplex it is the shadow. A domain in the plane answers
// itself. It returns nil when no constraint speaks of i and j alone. A domain of
// another kind may bring its own method Section(i, j int) func(x, y float64) bool.
func Section(d Domain, i, j int) func(x, y float64) bool {
	if i == j || i < 0 || j < 0 || max(i, j) >= d.Dim() {
		return nil
	}
	if s, ok := d.(interface {
		Section(i, j int) func(x, y float64) bool
	}); ok {
		return s.Section(i, j)
	}
	switch d := d.(type) {
	case *Ball:
		return func(x, y float64) bool {
			a, b := x-d.c[i], y-d.c[j]
			return a*a+b*b <= d.r*d.r
		}
	case *Ellipsoid:
		return d.shadow(i, j)
	case *Simplex:
		return func(x, y float64) bool { return x >= 0 && y >= 0 && x+y <= d.s }
	case *Intersection:
		var all []func(x, y float64) bool
		for _, m := range d.members {
			all = append(all, Section(m, i, j))
		}
		return every(all)
	case *Product:
		return d.section(i, j)
	case *Implicit:
		return d.section(i, j)
	case linear:
		if h, ok := d.halfspaces(); ok {
			return h.section(i, j)
		}
	}
	if d.Dim() != 2 {
		return nil
	}
	return func(x, y float64) bool {
		if i == 0 {
			return d.Contains([]float64{x, y})
		}
		return d.Contains([]float64{y, x})
	}
}

// every joins tests, those that are nil left out; nil if all are.
func every(tests []func(x, y float64) bool) func(x, y float64) bool {
	var some []func(x, y float64) bool
	for _, t := range tests {
		if t != nil {
			some = append(some, t)
		}
	}
	if len(some) == 0 {
		return nil
	}
	return func(x, y float64) bool {
		for _, t := range some {
			if !t(x, y) {
				return false
			}
		}
		return true
	}
}

// shadow is the ellipse of the block of A⁻¹ that belongs to i and j.
func (e *Ellipsoid) shadow(i, j int) func(x, y float64) bool {
	p, q, r := e.inverse(i, i), e.inverse(i, j), e.inverse(j, j)
	det := p*r - q*q
	return func(x, y float64) bool {
		a, b := x-e.c[i], y-e.c[j]
		return r*a*a-2*q*a*b+p*b*b <= det
	}
}

// section takes the rows without other coordinates than i and j.
func (h halfspaces) section(i, j int) func(x, y float64) bool {
	var tests []func(x, y float64) bool
	for k, a := range h.a {
		others := false
		for l, v := range a {
			others = others || v != 0 && l != i && l != j
		}
		if others {
			continue
		}
		p, q, b := a[i], a[j], h.b[k]
		if p != 0 || q != 0 {
			tests = append(tests, func(x, y float64) bool { return p*x+q*y <= b })
		}
	}
	return every(tests)
}

// section asks the parts that hold both coordinates for theirs, and those that
// hold one for its bounds.
func (p *Product) section(i, j int) func(x, y float64) bool {
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

// section takes the surfaces that tell which coordinates they depend on, by a method
// Coordinates() []int, and name no others than i and j.
func (m *Implicit) section(i, j int) func(x, y float64) bool {
	var some []int
	for k, s := range m.surfaces {
		of, ok := s.(interface{ Coordinates() []int })
		if (ok || m.Dim() == 2) && !(ok && slices.ContainsFunc(of.Coordinates(), func(at int) bool { return at != i && at != j })) {
			some = append(some, k)
		}
	}
	if some == nil {
		return nil
	}
	return func(x, y float64) bool {
		e := m.pool.Get().(*evals)
		defer m.pool.Put(e)
		at := make([]float64, m.Dim())
		at[i], at[j] = x, y
		for _, k := range some {
			if !(e.g[k].Value(at) <= 0) {
				return false
			}
		}
		return true
	}
}

// withinBounds tests the bounds of coordinate k, nil where it is free.
func withinBounds(d Domain, k int) func(float64) bool {
	lo, hi := BoundsOf(d, d.Dim())
	l, h := lo[k], hi[k]
	if math.IsInf(l, -1) && math.IsInf(h, 1) {
		return nil
	}
	return func(x float64) bool { return x >= l && x <= h }
}
