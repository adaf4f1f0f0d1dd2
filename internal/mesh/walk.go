package mesh

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// Sides of a cell, counter-clockwise. A point of the perimeter is named by
// 2·side + the share of the side that lies before it, counter-clockwise, so that
// a corner has two names, one on each of its sides.
const (
	bottom = iota
	right
	top
	left
)

// A strand is a part of the wall within one cell, from where it enters to where
// it leaves. In units of the cell, (u, v) from its lower left corner:
type strand struct {
	cell    int32
	in, out float64 // names of points of the perimeter
	area    float64 // ∫ u dv
	momentU float64 // ∫ u²/2 dv
	momentV float64 // ∫ uv dv
}

// gauss integrates polynomials up to degree 19 exactly: arcs of degree 9 have
// u dv of degree 18.
const gauss = 10

// A walker follows the wall from cell to cell. A line of the grid is crossed
// when the wall has gone beyond it by more than rounding: touching it is not
// crossing. Where the wall runs along a line it belongs to the cell on the side
// of Ω.
type walker struct {
	*grid
	at           [2]int // column and row
	s            strand // since the last crossing
	done         []strand
	nodes, share []float64 // of Gauss's rule on [0, 1]
}

// walk returns the strands of a loop. ok is false where it crosses no line:
// then the one strand neither enters nor leaves.
func (g *grid) walk(l loop) (strands []strand, ok bool) {
	w := &walker{grid: g, nodes: make([]float64, gauss), share: make([]float64, gauss)}
	quad.Legendre{}.FixedLocations(w.nodes, w.share, 0, 1)
	w.at[0] = min(int(math.Max((l[0].x0-g.lo[0])/g.side[0], 0)), g.n[0]-1)
	w.at[1] = min(int(math.Max((l[0].y0-g.lo[1])/g.side[1], 0)), g.n[1]-1)
	for i := range l { // once around, to know on which side of a line it starts
		w.at[0], w.at[1] = w.target(0, &l[i]), w.target(1, &l[i])
	}
	w.s.cell = w.cell()
	for i := range l {
		w.follow(&l[i])
	}
	if len(w.done) == 0 {
		return []strand{w.s}, false
	}
	first := &w.done[0] // it began where the last one ends
	first.in = w.s.in
	first.area += w.s.area
	first.momentU += w.s.momentU
	first.momentV += w.s.momentV
	return w.done, true
}

func (w *walker) cell() int32 { return int32(w.at[1]*w.n[0] + w.at[0]) }

// target is the column (axis 0) or row (1) at the end of a stretch.
func (w *walker) target(axis int, s *stretch) int {
	c, last, tiny := w.at[axis], w.n[axis]-1, w.tiny[axis]
	if i := w.hugged(axis, s); i >= 0 {
		return i
	}
	from, to := s.x0, s.x1
	if axis == 1 {
		from, to = s.y0, s.y1
	}
	i := w.nearest(axis, to)
	switch {
	case to > from:
		if w.line(axis, i) >= to-tiny {
			i--
		}
		return min(max(c, i), last)
	case to < from:
		if w.line(axis, i) > to+tiny {
			i--
		}
		return max(min(c, i), 0)
	}
	return c
}

// hugged is the column or row on the side of Ω of the line along which a stretch
// runs, −1 if it runs along none.
func (w *walker) hugged(axis int, s *stretch) int {
	from, to, along := s.x0, s.x1, s.y1-s.y0
	if axis == 1 {
		from, to, along = s.y0, s.y1, s.x0-s.x1
	}
	i := w.nearest(axis, from)
	x := w.line(axis, i)
	switch {
	case math.Abs(from-x) > w.tiny[axis] || math.Abs(to-x) > w.tiny[axis] || math.Abs(along) <= w.tiny[1-axis]:
		return -1
	case along > 0: // Ω lies before the line
		return max(i-1, 0)
	}
	return min(i, w.n[axis]-1)
}

// follow walks along a stretch, crossing by crossing.
func (w *walker) follow(s *stretch) {
	end := [2]int{w.target(0, s), w.target(1, s)}
	t := s.a
	for w.at != end {
		axis, when := 0, math.Inf(1)
		for j := range 2 {
			if u := w.crossing(j, end[j], s, t); w.at[j] != end[j] && u < when {
				axis, when = j, u
			}
		}
		w.integrate(s, t, when)
		t = when
		x, y, _, _ := s.at(t)
		w.cross(axis, end[axis] > w.at[axis], x, y)
	}
	w.integrate(s, t, s.b)
}

// crossing is when, not before t, the stretch crosses the next line on its way
// to column or row end.
func (w *walker) crossing(axis, end int, s *stretch, t float64) float64 {
	switch {
	case w.at[axis] == end:
		return math.Inf(1)
	case w.hugged(axis, s) >= 0:
		return t
	}
	i := w.at[axis]
	if end > i {
		i++
	}
	line := w.line(axis, i)
	value := func(t float64) (v, d float64) {
		x, y, dx, dy := s.at(t)
		if axis == 1 {
			return y - line, dy
		}
		return x - line, dx
	}
	return root(value, t, s.b, end > w.at[axis])
}

// root finds where f, monotone on [a, b], changes its sign, by Newton steps kept
// inside a shrinking bracket; a where it has done so before.
func root(f func(t float64) (v, d float64), a, b float64, up bool) float64 {
	if v, _ := f(a); v == 0 || v > 0 == up {
		return a
	}
	t := 0.5 * (a + b)
	for range 100 {
		v, d := f(t)
		if v > 0 == up {
			b = t
		} else {
			a = t
		}
		next := t - v/d
		if math.Abs(next-t) <= 1e-16 && next >= a && next <= b {
			return next
		}
		if !(next > a && next < b) {
			next = 0.5 * (a + b)
			if next <= a || next >= b {
				break
			}
		}
		if next == t {
			break
		}
		t = next
	}
	return t
}

// cross ends the strand at (x, y) and begins the next beyond the side of the
// cell across axis, forward or back.
func (w *walker) cross(axis int, forward bool, x, y float64) {
	u := clamp01((x - w.line(0, w.at[0])) / w.side[0])
	v := clamp01((y - w.line(1, w.at[1])) / w.side[1])
	var out, in float64
	switch {
	case axis == 0 && forward:
		out, in = 2*right+v, 2*left+(1-v)
		w.at[0]++
	case axis == 0:
		out, in = 2*left+(1-v), 2*right+v
		w.at[0]--
	case forward:
		out, in = 2*top+(1-u), 2*bottom+u
		w.at[1]++
	default:
		out, in = 2*bottom+u, 2*top+(1-u)
		w.at[1]--
	}
	w.s.out = out
	w.done = append(w.done, w.s)
	w.s = strand{cell: w.cell(), in: in}
}

// integrate adds the part of a stretch from a to b to the strand.
func (w *walker) integrate(s *stretch, a, b float64) {
	if !(a < b) {
		return
	}
	x0, y0 := w.line(0, w.at[0]), w.line(1, w.at[1])
	for k, node := range w.nodes {
		x, y, _, dy := s.at(a + (b-a)*node)
		u, v := (x-x0)/w.side[0], (y-y0)/w.side[1]
		dv := w.share[k] * (b - a) * dy / w.side[1]
		w.s.area += u * dv
		w.s.momentU += 0.5 * u * u * dv
		w.s.momentV += u * v * dv
	}
}
