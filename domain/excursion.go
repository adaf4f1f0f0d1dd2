package domain

import "math"

// Excursions returns what looks for a place outside of d on the path from x to x + dir,
// both inside, and tells how far along it lies, 0 < t < 1. It belongs to one goroutine.
// Walls of a set of constraints (see [NewImplicit]) are sought wherever the value of a
// constraint in the middle of a part of the path and its slope there, taken twice, leave
// room for one, down to parts of 2⁻⁴⁰: barriers are found however thin they are, unless
// the constraint bends more than that within the path. The walls of other sets are those
// that their tracers meet.
func Excursions(d Domain) func(x, dir []float64) (t float64, ok bool) {
	if members := membersOf(d); members != nil {
		var all []func(x, dir []float64) (float64, bool)
		for _, m := range members {
			all = append(all, Excursions(m))
		}
		return func(x, dir []float64) (float64, bool) {
			for _, look := range all {
				if t, ok := look(x, dir); ok {
					return t, true
				}
			}
			return 0, false
		}
	}
	y := make([]float64, d.Dim())
	if surfaces := surfacesOf(d); surfaces != nil {
		evals, grad := bindAll(surfaces), make([]float64, d.Dim())
		return func(x, dir []float64) (float64, bool) {
			for _, g := range evals {
				if t, ok := rises(g, x, dir, grad, y, 0, 1, 40); ok {
					return t, true
				}
			}
			return 0, false
		}
	}
	tr := d.Tracer()
	return func(x, dir []float64) (float64, bool) {
		t, w := tr.Exit(x, dir, None)
		for p := 48; p > 0 && w != None; p-- {
			s := t + math.Ldexp(1-t, -p)
			for i, v := range x {
				y[i] = v + s*dir[i]
			}
			if s < 1 && !d.Contains(y) {
				return s, true
			}
		}
		return 0, false
	}
}

// rises looks for a place a < t < b of the path where g ≤ 0 does not hold.
func rises(g SurfaceEval, x, dir, grad, y []float64, a, b float64, depth int) (float64, bool) {
	t := (a + b) / 2
	for i, v := range x {
		y[i] = v + t*dir[i]
	}
	v, slope := g.Gradient(grad, y), 0.0
	for i, s := range grad {
		slope += s * dir[i]
	}
	switch {
	case !(v <= 0):
		return t, true
	case depth == 0 || v+math.Abs(slope)*(b-a) <= 0:
		return 0, false
	}
	if t, ok := rises(g, x, dir, grad, y, a, t, depth-1); ok {
		return t, true
	}
	return rises(g, x, dir, grad, y, t, b, depth-1)
}
