package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// HalfSpaces are constraints A[i]·x ≤ B[i], no row of A being zero, with the wall and the
// text of each.
type HalfSpaces struct {
	A     [][]float64
	B     []float64
	Names []string // nil: the constraints themselves
	Walls []Wall   // increasing; nil: 0, 1 …
}

func (h *HalfSpaces) add(a []float64, b float64, name string, w Wall) {
	if name == "" {
		name = rowText(a, b, nil)
	}
	h.A, h.B = append(h.A, a), append(h.B, b)
	h.Names, h.Walls = append(h.Names, name), append(h.Walls, w)
}

// join adds the constraints of a member that speaks of the coordinates at (nil:
// all) among d, its walls shifted by first.
func (h *HalfSpaces) join(g HalfSpaces, at []int, d int, first Wall) {
	for i, row := range g.A {
		a, name := row, g.Names[i]
		if at != nil {
			a = make([]float64, d)
			for j, k := range at {
				a[k] = row[j]
			}
			if name == rowText(row, g.B[i], nil) {
				name = ""
			}
		}
		h.add(a, g.B[i], name, first+g.Walls[i])
	}
}

// rowText writes a constraint of coordinates of these names; nil is x0, x1 ….
func rowText(a []float64, b float64, names []string) string {
	name := func(j int) string {
		if names == nil {
			return fmt.Sprintf("x%d", j)
		}
		return names[j]
	}
	if j := alone(a); j >= 0 && a[j] < 0 {
		return fmt.Sprintf("%s >= %.6g", name(j), 0-b/-a[j])
	}
	var s strings.Builder
	for i, v := range a {
		switch {
		case v == 0:
			continue
		case v < 0 && s.Len() > 0:
			s.WriteString(" - ")
		case v < 0:
			s.WriteString("-")
		case s.Len() > 0:
			s.WriteString(" + ")
		}
		if m := math.Abs(v); m != 1 {
			fmt.Fprintf(&s, "%.6g*", m)
		}
		s.WriteString(name(i))
	}
	fmt.Fprintf(&s, " <= %.6g", b)
	return s.String()
}

// halfspacesOf returns the half-spaces among the constraints of d.
func halfspacesOf(d Domain) HalfSpaces {
	h, _ := linearOf(d)
	return h
}

// linearOf returns the half-spaces of d, false unless they are all of d. A domain tells
// them by a method HalfSpaces() (h HalfSpaces, all bool).
func linearOf(d Domain) (h HalfSpaces, all bool) {
	l, ok := d.(interface{ HalfSpaces() (HalfSpaces, bool) })
	if !ok {
		return h, false
	}
	g, all := l.HalfSpaces()
	if len(g.Names) == len(g.B) && len(g.Walls) == len(g.B) {
		return g, all
	}
	for i, a := range g.A {
		name, w := "", Wall(i)
		if g.Names != nil {
			name = g.Names[i]
		}
		if g.Walls != nil {
			w = g.Walls[i]
		}
		h.add(a, g.B[i], name, w)
	}
	return h, all
}

// HalfSpaces are its finite sides.
func (b *box) HalfSpaces() (h HalfSpaces, _ bool) {
	for i, l := range b.lo {
		if !math.IsInf(l, 0) {
			a := make([]float64, len(b.lo))
			a[i] = -1
			h.add(a, -l, "", Wall(2*i))
		}
		if u := b.hi[i]; !math.IsInf(u, 0) {
			a := make([]float64, len(b.lo))
			a[i] = 1
			h.add(a, u, "", Wall(2*i+1))
		}
	}
	return h, true
}

// HalfSpaces are its rows.
func (p *polytope) HalfSpaces() (h HalfSpaces, _ bool) {
	for i, b := range p.b {
		name := ""
		if len(p.name) > 0 {
			name = p.name[i]
		}
		h.add(p.a[i*p.dim:(i+1)*p.dim], b, name, Wall(i))
	}
	return h, true
}

// errLinear says that the simplex method broke down.
var errLinear = errors.New("the linear program of the constraints was not solved: rescale the coordinates to like sizes, or give a point " +
	"of the domain")

// program is a linear program over rows of unit length, u_i·y ≤ h_i, in the
// coordinates y_j = (x_j − mid_j)/size_j. Coordinates that no row mentions are
// left out of it.
type program struct {
	mid, size []float64
	used      []int // coordinates that some row mentions
	unit      [][]float64
	h         []float64
	scale     float64
}

func newProgram(g HalfSpaces, d int) *program {
	p := &program{scale: 1}
	p.frame(g, d)
	seen := make([]bool, d)
	for i, a := range g.A {
		u, h := make([]float64, d), g.B[i]
		for j, v := range a {
			u[j] = v * p.size[j]
			h -= v * p.mid[j]
			seen[j] = seen[j] || v != 0
		}
		l := norm(u)
		for j := range u {
			u[j] /= l
		}
		p.unit, p.h = append(p.unit, u), append(p.h, h/l)
		p.scale = math.Max(p.scale, math.Abs(h/l))
	}
	for j, s := range seen {
		if s {
			p.used = append(p.used, j)
		}
	}
	return p
}

// frame takes the middle and the size of a coordinate from the rows that speak
// of it alone, so that coordinates of unlike units do not spoil the program.
func (p *program) frame(g HalfSpaces, d int) {
	p.mid, p.size = make([]float64, d), make([]float64, d)
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range d {
		lo[j], hi[j] = math.Inf(-1), math.Inf(1)
	}
	for i, a := range g.A {
		switch j := alone(a); {
		case j < 0:
		case a[j] > 0:
			hi[j] = math.Min(hi[j], g.B[i]/a[j])
		default:
			lo[j] = math.Max(lo[j], g.B[i]/a[j])
		}
	}
	for j, l := range lo {
		p.size[j] = 1
		switch u := hi[j]; {
		case l < u && !math.IsInf(u-l, 0):
			p.mid[j], p.size[j] = l+(u-l)/2, u-l
		case !math.IsInf(l, 0) && l != 0:
			p.size[j] = math.Abs(l)
		case !math.IsInf(u, 0) && u != 0:
			p.size[j] = math.Abs(u)
		}
	}
}

// alone is the one coordinate that a row mentions, −1 if there are several.
func alone(a []float64) int {
	at := -1
	for j, v := range a {
		if v != 0 {
			if at >= 0 {
				return -1
			}
			at = j
		}
	}
	return at
}

// centre maximises the radius r of a ball inside (Chebyshev's centre). The radius
// may begin below every violation: a negative one says that no point satisfies all
// rows. It is that in the coordinates of the program over its scale.
func (p *program) centre(ctx context.Context) (x []float64, r float64, err error) {
	k, m := len(p.used), len(p.h)
	low := 0.0
	for _, h := range p.h {
		low = math.Max(low, -h)
	}
	low = low/p.scale + 1
	// Variables: y over scale, and r + low.
	rows, side := make([][]float64, m+1), make([]float64, m+1)
	for i, u := range p.unit {
		rows[i] = make([]float64, k+1)
		for q, at := range p.used {
			rows[i][q] = u[at]
		}
		rows[i][k] = 1
		side[i] = p.h[i]/p.scale + low
	}
	rows[m], side[m] = make([]float64, k+1), 1+low
	rows[m][k] = 1
	s := newDictionary(k+1, rows, side)
	z := make([]float64, k+1)
	z[k] = 1
	if r, err = s.maximise(ctx, z); err != nil {
		return nil, 0, err
	}
	s.point(z)
	x = append([]float64(nil), p.mid...)
	for q, at := range p.used {
		x[at] += z[q] * p.scale * p.size[at]
	}
	return x, r - low, nil
}

// from is the program's dictionary at a feasible point, in (x − x0)/size over scale.
func (p *program) from(x0 []float64) *dictionary {
	rows, side := make([][]float64, len(p.h)), make([]float64, len(p.h))
	for i, u := range p.unit {
		rows[i] = make([]float64, len(p.used))
		for q, at := range p.used {
			rows[i][q] = u[at]
		}
		h := p.h[i]
		for j, v := range u {
			h -= v * (x0[j] - p.mid[j]) / p.size[j]
		}
		side[i] = math.Max(h, 0) / p.scale
	}
	return newDictionary(len(p.used), rows, side)
}

// reach maximises sign·aim·x from the dictionary at a feasible point x0; +Inf where
// unbounded.
func (p *program) reach(ctx context.Context, s *dictionary, x0, aim []float64, sign float64) (float64, error) {
	unit := p.length(aim)
	if unit == 0 {
		return 0, nil
	}
	for j, v := range aim {
		if _, mentioned := slices.BinarySearch(p.used, j); v != 0 && !mentioned {
			return math.Inf(1), nil
		}
	}
	c := make([]float64, len(p.used))
	for q, at := range p.used {
		c[q] = sign * aim[at] * p.size[at] / unit
	}
	f, err := s.maximise(ctx, c)
	if err != nil {
		return math.Inf(1), err
	}
	return sign*dot(aim, x0) + f*p.scale*unit, nil
}

// extent returns the bounding box of a polytope, (+Inf, −Inf) if it is empty.
// A side whose linear program breaks down counts as open.
func extent(ctx context.Context, g HalfSpaces, d int) (lo, hi []float64) {
	aim := make([]float64, d)
	return extents(ctx, g, d, make([]float64, d), func(j int) []float64 {
		clear(aim)
		aim[j] = 1
		return aim
	})
}

// extents returns, likewise, the extents of origin_j + aim(j)·z for z in k coordinates.
func extents(ctx context.Context, g HalfSpaces, k int, origin []float64, aim func(j int) []float64) (lo, hi []float64) {
	lo, hi = make([]float64, len(origin)), make([]float64, len(origin))
	p := newProgram(g, k)
	z, r, err := p.centre(ctx)
	var s *dictionary
	if err == nil && r >= 0 {
		s = p.from(z)
	}
	for j, c := range origin {
		switch {
		case err != nil:
			lo[j], hi[j] = math.Inf(-1), math.Inf(1)
		case r < 0:
			lo[j], hi[j] = math.Inf(1), math.Inf(-1)
		default:
			up, _ := p.reach(ctx, s, z, aim(j), 1)
			down, _ := p.reach(ctx, s, z, aim(j), -1)
			lo[j], hi[j] = c-down, c+up
		}
	}
	return lo, hi
}
