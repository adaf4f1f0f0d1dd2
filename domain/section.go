package domain

import "math"

// Section returns membership by the constraints of d that speak of coordinates
// i and j alone, for drawing the domain behind a pair of coordinates; of a ball,
// an ellipsoid and a simplex it is the shadow. A domain in the plane answers
// itself. It returns nil when no constraint speaks of i and j alone. A domain tells
// its own by a method Section(i, j int) func(x, y float64) bool; of one that
// half-spaces describe it follows from them.
func Section(d Domain, i, j int) func(x, y float64) bool {
	if i == j || i < 0 || j < 0 || max(i, j) >= d.Dim() {
		return nil
	}
	if s, ok := d.(interface {
		Section(i, j int) func(x, y float64) bool
	}); ok {
		return s.Section(i, j)
	}
	if h, ok := linearOf(d); ok {
		return h.section(i, j)
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

// section takes the rows without other coordinates than i and j.
func (h HalfSpaces) section(i, j int) func(x, y float64) bool {
	var tests []func(x, y float64) bool
	for k, a := range h.A {
		others := false
		for l, v := range a {
			others = others || v != 0 && l != i && l != j
		}
		if others {
			continue
		}
		p, q, b := a[i], a[j], h.B[k]
		if p != 0 || q != 0 {
			tests = append(tests, func(x, y float64) bool { return p*x+q*y <= b })
		}
	}
	return every(tests)
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
