package domain

import (
	"fmt"
	"math"
	"sync"
)

// A Polytope is {x : Ax ≤ b}, bounded or not. Wall i is row i. Membership is
// decided on the rows as given; distances use rows of unit length.
type Polytope struct {
	dim  int
	a    []float64 // m×d, as given
	b    []float64
	unit []float64 // m×d, rows of unit length
	h    []float64 // b over the length of the row
	gram []float64 // unit·unitᵀ, m×m; nil when m is large
	name []string

	once   sync.Once
	lo, hi []float64
}

var _ Domain = (*Polytope)(nil)

// gramRows is the number of rows up to which a polytope keeps the products of
// its rows (1024 rows: 8 MB).
const gramRows = 1024

// NewPolytope returns {x : a_i·x ≤ b_i for every i}. names, nil or one per row,
// are the texts by which messages call the rows. It does not look whether the
// polytope is empty: [Interior] does.
func NewPolytope(a [][]float64, b []float64, names []string) (*Polytope, error) {
	m := len(a)
	if m == 0 || len(b) != m || names != nil && len(names) != m {
		return nil, fmt.Errorf("polytope: %d rows, %d right-hand sides, %d names: give one of each per row, at least one row", m, len(b), len(names))
	}
	d := len(a[0])
	p := &Polytope{dim: d, b: append([]float64(nil), b...), name: append([]string(nil), names...)}
	for i, row := range a {
		l := norm(row)
		if len(row) != d || d == 0 {
			return nil, fmt.Errorf("polytope: row %d has %d coefficients and row 0 has %d: they must be equal and at least one", i, len(row), d)
		}
		if !finite(row) || b[i]-b[i] != 0 || l == 0 || l-l != 0 || l < 1e-280 {
			return nil, fmt.Errorf("polytope: row %d is %v ≤ %g: coefficients must be finite and not all zero (drop the row if it says nothing)", i, row, b[i])
		}
		p.a = append(p.a, row...)
		for _, v := range row {
			p.unit = append(p.unit, v/l)
		}
		p.h = append(p.h, b[i]/l)
	}
	if m <= gramRows {
		p.gram = make([]float64, m*m)
		for i := range m {
			for j := range m {
				p.gram[i*m+j] = dot(p.row(i), p.row(j))
			}
			p.gram[i*m+i] = 1
		}
	}
	return p, nil
}

// NewHalfSpace returns {x : a·x ≤ b}, a ≠ 0: a polytope of one row.
func NewHalfSpace(a []float64, b float64) (*Polytope, error) {
	return NewPolytope([][]float64{a}, []float64{b}, nil)
}

// row is the unit row i.
func (p *Polytope) row(i int) []float64 { return p.unit[i*p.dim : (i+1)*p.dim] }

// Dim is the number of coordinates.
func (p *Polytope) Dim() int { return p.dim }

// Contains reports a_i·x ≤ b_i for every row, sums in index order, x finite.
func (p *Polytope) Contains(x []float64) bool {
	d := p.dim
	for i, b := range p.b {
		if !(dot(p.a[i*d:(i+1)*d], x) <= b) {
			return false
		}
	}
	return finite(x)
}

// Bounds finds the extent of every coordinate by linear programming, once, at
// the first call. An empty polytope has the bounds (+Inf, −Inf).
func (p *Polytope) Bounds(lo, hi []float64) {
	p.once.Do(func() { p.lo, p.hi = extent(halfspacesOf(p), p.dim) })
	copy(lo, p.lo)
	copy(hi, p.hi)
}

// Tracer returns a tracer with room for the multipliers of a projection.
func (p *Polytope) Tracer() Tracer { return &polyTracer{Polytope: p} }

type polyTracer struct {
	*Polytope
	dual *dual // made at the first Nearest of an outside point
}

func (p *polyTracer) Walls() int { return len(p.b) }

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
	if !p.dual.project(q, x, p.unit, p.h, p.gram) {
		return false
	}
	outward(n, x, q)
	return true
}

// fold keeps A·x and A·dir along the path where the products of rows are known:
// then a mirroring costs O(rows + d).
func (p *Polytope) fold(rule Rule, limit int) (Reflector, error) {
	if rule != Specular || p.gram == nil {
		return nil, nil
	}
	m, d := len(p.b), p.dim
	return &polyFold{p: p, slack: make([]float64, m), rate: make([]float64, m),
		work: work{d: p, cap: limit, x: make([]float64, d), dir: make([]float64, d), v: make([]float64, d)}}, nil
}

type polyFold struct {
	work
	p           *Polytope
	slack, rate []float64 // h − A·x ≥ 0 and A·dir, rows of unit length
}

// refresh computes the products anew; on has slack 0.
func (r *polyFold) refresh(on int) {
	for i, h := range r.p.h {
		row := r.p.row(i)
		r.slack[i] = math.Max(h-dot(row, r.x), 0)
		r.rate[i] = dot(row, r.dir)
	}
	if on >= 0 {
		r.slack[on] = 0
	}
}

func (r *polyFold) Reflect(from, to, v []float64) (int, bool) {
	if r.p.Contains(to) {
		return 0, true
	}
	if !tame(to) {
		giveUp(from, to, v)
		return 0, false
	}
	copy(r.x, from)
	for i, f := range from {
		r.dir[i] = to[i] - f
	}
	mv := r.v[:copy(r.v, v)]
	r.refresh(-1)
	hits := 0
	for ; ; hits++ {
		t, w := 1.0, -1
		for i, s := range r.slack {
			if e := r.rate[i]; e > 0 && s < t*e {
				t, w = s/e, i
			}
		}
		if w < 0 {
			break
		}
		if hits == r.cap {
			giveUp(from, to, v)
			return hits, false
		}
		r.turn(t, w, mv)
		if hits&63 == 63 {
			r.refresh(w)
		}
	}
	for i, e := range r.dir {
		r.x[i] += e
	}
	if hits == 0 {
		giveUp(from, to, v)
		return 0, false
	}
	return r.end(from, to, v, hits)
}

// turn goes the share t of the path to wall w and mirrors the rest there.
func (r *polyFold) turn(t float64, w int, mv []float64) {
	row := r.p.row(w)
	rest := 1 - t
	c := 2 * rest * r.rate[w]
	for i, u := range row {
		e := r.dir[i]
		r.x[i] += t * e
		r.dir[i] = rest*e - c*u
	}
	m := len(r.slack)
	g := r.p.gram[w*m : (w+1)*m]
	for i, e := range r.rate {
		r.slack[i] = math.Max(r.slack[i]-t*e, 0)
		r.rate[i] = rest*e - c*g[i]
	}
	r.slack[w] = 0
	mirror(mv, row[:len(mv)])
}
