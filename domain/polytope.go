package domain

import (
	"context"
	"fmt"
	"math"
	"sync"
)

// polytope is {x : Ax ≤ b}. Membership is decided on the rows as given; distances use rows
// of unit length.
type polytope struct {
	dim  int
	a    []float64 // m×d, as given
	b    []float64
	unit []float64 // m×d, rows of unit length
	h    []float64 // b over the length of the row
	name []string

	once   sync.Once
	lo, hi []float64
	met    sync.Once
	gram   []float64 // unit·unitᵀ, m×m; nil when m is large
	lay    sync.Once
	rows   *polyRows
	Found
}

// gramRows is the number of rows up to which a polytope keeps the products of
// its rows (1024 rows: 8 MB).
const gramRows = 1024

// NewPolytope returns {x : a_i·x ≤ b_i for every i}, bounded or not. Wall i is row i. names, nil or one per row,
// are the texts by which messages call the rows. It does not look whether the
// polytope is empty: [Interior] does.
func NewPolytope(a [][]float64, b []float64, names []string) (Domain, error) {
	p, err := newPolytope(a, b, names)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func newPolytope(a [][]float64, b []float64, names []string) (*polytope, error) {
	m := len(a)
	if m == 0 || len(b) != m || names != nil && len(names) != m {
		return nil, fmt.Errorf("polytope: %d rows, %d right-hand sides, %d names: give one of each per row, at least one row", m, len(b),
			len(names))
	}
	d := len(a[0])
	p := &polytope{dim: d, b: append([]float64(nil), b...), name: append([]string(nil), names...)}
	for i, row := range a {
		l := norm(row)
		if len(row) != d || d == 0 {
			return nil, fmt.Errorf("polytope: row %d has %d coefficients and row 0 has %d: they must be equal and at least one", i, len(row), d)
		}
		if !finite(row) || b[i]-b[i] != 0 || l == 0 || l-l != 0 || l < 1e-280 {
			return nil, fmt.Errorf("polytope: row %d is %v ≤ %g: coefficients must be finite and not all zero (drop the row if it says nothing)", i,
				row, b[i])
		}
		p.a = append(p.a, row...)
		for _, v := range row {
			p.unit = append(p.unit, v/l)
		}
		p.h = append(p.h, b[i]/l)
	}
	return p, nil
}

// products returns the products of the unit rows, nil where there are too many.
func (p *polytope) products() []float64 {
	p.met.Do(func() {
		m := len(p.b)
		if m > gramRows {
			return
		}
		p.gram = make([]float64, m*m)
		for i := range m {
			for j := range i {
				v := dot(p.row(i), p.row(j))
				p.gram[i*m+j], p.gram[j*m+i] = v, v
			}
			p.gram[i*m+i] = 1
		}
	})
	return p.gram
}

// NewHalfSpace returns {x : a·x ≤ b}, a ≠ 0: a polytope of one row.
func NewHalfSpace(a []float64, b float64) (Domain, error) {
	return NewPolytope([][]float64{a}, []float64{b}, nil)
}

// row is the unit row i.
func (p *polytope) row(i int) []float64 { return p.unit[i*p.dim : (i+1)*p.dim] }
func (p *polytope) Dim() int            { return p.dim }

// Contains reports a_i·x ≤ b_i for every row, sums in index order, x finite.
func (p *polytope) Contains(x []float64) bool {
	d, i := p.dim, 0
	for ; i+4 <= len(p.b); i += 4 {
		a := p.a[i*d : (i+4)*d]
		y0, y1, y2, y3 := dots(a[:d], a[d:2*d], a[2*d:3*d], a[3*d:], x)
		if b := p.b[i : i+4]; !(y0 <= b[0] && y1 <= b[1] && y2 <= b[2] && y3 <= b[3]) {
			return false
		}
	}
	for ; i < len(p.b); i++ {
		if !(dot(p.a[i*d:(i+1)*d], x) <= p.b[i]) {
			return false
		}
	}
	return finite(x)
}

// Bounds finds the extent of every coordinate by linear programming, once, at
// the first call. An empty polytope has the bounds (+Inf, −Inf).
func (p *polytope) Bounds(lo, hi []float64) {
	p.once.Do(func() { p.lo, p.hi = extent(context.Background(), halfspacesOf(p), p.dim) })
	copy(lo, p.lo)
	copy(hi, p.hi)
}

func (p *polytope) Name() string     { return "polytope" }
func (p *polytope) Convex() bool     { return true }
func (p *polytope) ExactWalls() bool { return true }
func (p *polytope) Tracer() Tracer   { return &polyTracer{polytope: p} }

type polyTracer struct {
	*polytope
	dual *dual // made at the first Nearest of an outside point
}

func (p *polyTracer) Walls() int                 { return len(p.b) }
func (p *polyTracer) Clear(_, to []float64) bool { return p.Contains(to) }

func (p *polyTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	t, w := 1.0, None
	for i, h := range p.h {
		row := p.row(i)
		rate := dot(row, dir)
		if !(rate > 0) {
			continue
		}
		slack := 0.0
		if Wall(i) != on {
			slack = math.Max(h-dot(row, x), 0)
		}
		if slack < t*rate {
			t, w = slack/rate, Wall(i)
		}
	}
	return t, w
}

func (p *polyTracer) Normal(n, _ []float64, w Wall) { copy(n, p.row(int(w))) }

// Nearest projects a point outside exactly (a dual active-set method); from
// inside it goes to the nearest facet.
func (p *polyTracer) Nearest(q, n, x []float64) bool {
	best, wall := math.Inf(1), 0
	for i, h := range p.h {
		if s := h - dot(p.row(i), x); s < best {
			best, wall = s, i
		}
	}
	copy(n, p.row(wall))
	if best >= 0 {
		for i, u := range n {
			q[i] = x[i] + best*u
		}
		return true
	}
	if p.dual == nil {
		p.dual = newDual(len(p.h), p.dim)
	}
	if !p.dual.project(q, x, p.unit, p.h, p.products()) {
		return false
	}
	outward(n, x, q)
	return true
}
