package domain

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// quadric is the surface of [NewQuadric], where x_j may be e^{x_j} for the coordinates that
// are logarithms.
type quadric struct {
	dim   int
	value float64
	at    []slope
	terms []term
	bent  bool // some coordinate is a logarithm
}

// A slope is the linear part of a quadric by a coordinate that it speaks of.
type slope struct {
	j             int
	centre, slope float64
	logarithm     bool
}

// A term is q·u_k·u_l of the offsets of two coordinates, given by their slopes.
type term struct {
	k, l int
	q    float64
}

// NewQuadric returns the surface g(x) = 0 of
//
//	g(x) = value + gradient·(x − at) + ½ (x − at)ᵀ H (x − at),
//
// with this value, gradient and symmetric matrix H of
// second derivatives at the point at (length d ≥ 1); nil derivatives are 0: a plane
// for hessian. All numbers must be finite. It knows the second derivative along a path
// within bounds, so that its crossings are found without exception. Its method
// InLogarithms(logarithm func(j int) bool) Surface returns the same surface in other
// coordinates, those for which logarithm is true being the logarithms of what they were,
// and Bounds(lo, hi []float64) narrows a box to what of it g ≤ 0 can hold.
func NewQuadric(at []float64, value float64, gradient []float64, hessian [][]float64) (Surface, error) {
	d := len(at)
	if d == 0 || gradient != nil && len(gradient) != d || hessian != nil && len(hessian) != d {
		return nil, fmt.Errorf("quadric: a point of %d coordinates, %d slopes and %d rows of second derivatives: they must agree", d,
			len(gradient), len(hessian))
	}
	q := &quadric{dim: d, value: value}
	place := make([]int, d)
	ok := finite(at) && finite(gradient) && value-value == 0
	for j := range d {
		s := slope{j: j, centre: at[j]}
		if gradient != nil {
			s.slope = gradient[j]
		}
		mentioned := s.slope != 0
		if hessian != nil {
			if len(hessian[j]) != d {
				return nil, fmt.Errorf("quadric: row %d of the second derivatives has %d elements; there must be %d", j, len(hessian[j]), d)
			}
			ok = ok && finite(hessian[j])
			mentioned = mentioned || slices.ContainsFunc(hessian[j], func(h float64) bool { return h != 0 })
		}
		if place[j] = len(q.at); mentioned {
			q.at = append(q.at, s)
		}
	}
	for j, row := range hessian {
		for i, h := range row[:j+1] {
			if h != hessian[i][j] {
				return nil, fmt.Errorf("quadric: the second derivatives by coordinates %d and %d are %v and %v; the matrix must be symmetric", i, j, h,
					hessian[i][j])
			}
			if i == j {
				h *= 0.5
			}
			if h != 0 {
				q.terms = append(q.terms, term{place[i], place[j], h})
			}
		}
	}
	if !ok {
		return nil, fmt.Errorf("quadric: numbers that are not finite")
	}
	return q, nil
}

// InLogarithms returns the same surface in other coordinates: those for which
// logarithm is true are the logarithms of what they were.
func (q *quadric) InLogarithms(logarithm func(j int) bool) Surface {
	c := *q
	c.at = append([]slope(nil), q.at...)
	for i := range c.at {
		c.at[i].logarithm = logarithm(c.at[i].j)
		c.bent = c.bent || c.at[i].logarithm
	}
	return &c
}

// Coordinates are those that g depends on.
func (q *quadric) Coordinates() []int {
	out := make([]int, len(q.at))
	for i, s := range q.at {
		out[i] = s.j
	}
	return out
}

func (q *quadric) Dim() int { return q.dim }

// Bounds narrows the box lo, hi (length d) to what of it g ≤ 0 can hold, where g is
// an ellipsoid in the coordinates that it speaks of, none of them a logarithm.
func (q *quadric) Bounds(lo, hi []float64) {
	_, inverse, middle, deep, ok := q.ellipsoid()
	if !ok {
		return
	}
	for k, s := range q.at {
		c := s.centre - middle.AtVec(k)
		r := math.Sqrt(deep*inverse.At(k, k)) + 1e-9*math.Abs(middle.AtVec(k)) // and rounding
		r += 1e-9*r + 1e-15*math.Abs(c)
		lo[s.j], hi[s.j] = math.Max(lo[s.j], c-r), math.Min(hi[s.j], c+r)
	}
}

// ellipsoid returns the second derivatives of g, their inverse, what is to be taken from
// the coordinates' centres for that of g, and −2g there, where g ≤ 0 is an ellipsoid in
// the coordinates that it speaks of, none of them a logarithm.
func (q *quadric) ellipsoid() (h, inverse *mat.SymDense, middle *mat.VecDense, deep float64, ok bool) {
	n := len(q.at)
	if q.bent || n == 0 {
		return nil, nil, nil, 0, false
	}
	h, inverse, middle = mat.NewSymDense(n, nil), &mat.SymDense{}, &mat.VecDense{}
	slope := mat.NewVecDense(n, nil)
	for k, s := range q.at {
		slope.SetVec(k, s.slope)
	}
	for _, t := range q.terms {
		c := t.q
		if t.k == t.l {
			c *= 2
		}
		h.SetSym(t.k, t.l, c)
	}
	var f mat.Cholesky
	if !f.Factorize(h) || f.Cond() > 1e12 || f.InverseTo(inverse) != nil || f.SolveVecTo(middle, slope) != nil {
		return nil, nil, nil, 0, false
	}
	deep = mat.Dot(slope, middle) - 2*q.value
	return h, inverse, middle, deep, deep > 0
}

// Quadratic tells of which ellipsoid in all coordinates g ≤ 0 is the inside, or, of a
// hole, the outside.
func (q *quadric) Quadratic() (s Quadratic, hole, ok bool) {
	if s, ok = q.inside(); !ok {
		s, hole = q.opposite().inside()
		ok = hole
	}
	return s, hole, ok
}

// inside is the ellipsoid in all coordinates that g ≤ 0 is.
func (q *quadric) inside() (s Quadratic, ok bool) {
	h, _, middle, deep, ok := q.ellipsoid()
	if !ok || len(q.at) < q.dim {
		return s, false
	}
	s = Quadratic{At: each(q.dim), C: make([]float64, q.dim)}
	for k, a := range q.at {
		s.C[k] = a.centre - middle.AtVec(k)
	}
	if q.spherical() {
		s.R = math.Sqrt(deep / h.At(0, 0))
		_, err := NewBall(s.C, s.R)
		return s, err == nil
	}
	h.ScaleSym(1/deep, h)
	s.Q = mat.DenseCopyOf(h).RawMatrix().Data
	_, err := NewEllipsoid(s.C, h)
	return s, err == nil
}

// spherical reports whether the second derivatives are those of |x|², up to a factor.
func (q *quadric) spherical() bool {
	return !slices.ContainsFunc(q.terms, func(t term) bool { return t.k != t.l || t.q != q.terms[0].q })
}

// opposite is the surface of −g.
func (q *quadric) opposite() *quadric {
	c := *q
	c.value = -q.value
	c.at, c.terms = slices.Clone(q.at), slices.Clone(q.terms)
	for k := range c.at {
		c.at[k].slope = -c.at[k].slope
	}
	for k := range c.terms {
		c.terms[k].q = -c.terms[k].q
	}
	return &c
}

// Bind returns an evaluator, which is a [Bender].
func (q *quadric) Bind() SurfaceEval {
	n := len(q.at)
	return &quadricEval{quadric: q, u: make([]float64, n), z: make([]float64, n), along: make([]motion, n)}
}

type quadricEval struct {
	*quadric
	u, z  []float64 // z − at, and z of logarithms
	along []motion
}

func (e *quadricEval) offsets(x []float64) {
	for k := range e.at {
		s := &e.at[k]
		v := x[s.j]
		if s.logarithm {
			v = math.Exp(v)
			e.z[k] = v
		}
		e.u[k] = v - s.centre
	}
}

func (e *quadricEval) Value(x []float64) float64 {
	e.offsets(x)
	return e.sum()
}

func (e *quadricEval) sum() float64 {
	v := e.value
	for k, u := range e.u {
		v += e.at[k].slope * u
	}
	for _, t := range e.terms {
		v += t.q * e.u[t.k] * e.u[t.l]
	}
	return v
}

func (e *quadricEval) Gradient(g, x []float64) float64 {
	e.offsets(x)
	clear(g)
	for _, s := range e.at {
		g[s.j] = s.slope
	}
	for _, t := range e.terms {
		g[e.at[t.k].j] += t.q * e.u[t.l]
		g[e.at[t.l].j] += t.q * e.u[t.k]
	}
	if e.bent {
		for k, s := range e.at {
			if s.logarithm {
				g[s.j] *= e.z[k]
			}
		}
	}
	return e.sum()
}

// A span is the numbers from lo to hi.
type span struct{ lo, hi float64 }

func (a span) plus(b span) span { return span{a.lo + b.lo, a.hi + b.hi} }

func (a span) times(c float64) span {
	if c < 0 {
		return span{a.hi * c, a.lo * c}
	}
	return span{a.lo * c, a.hi * c}
}

func (a span) by(b span) span {
	p, q := a.times(b.lo), a.times(b.hi)
	return span{math.Min(p.lo, q.lo), math.Max(p.hi, q.hi)}
}

// A motion is where an offset and its derivatives lie along a piece of a path.
type motion struct{ u, first, second span }

// Bend bounds the second derivative along x + s·dir for a ≤ s ≤ b: it is constant
// where no coordinate is a logarithm.
func (e *quadricEval) Bend(x, dir []float64, a, b float64) (lo, hi float64) {
	if !e.bent {
		v := 0.0
		for _, t := range e.terms {
			v += t.q * dir[e.at[t.k].j] * dir[e.at[t.l].j]
		}
		return 2 * v, 2 * v
	}
	var sum span
	for k, s := range e.at {
		d := dir[s.j]
		p, q := x[s.j]+a*d, x[s.j]+b*d
		z := span{math.Min(p, q), math.Max(p, q)}
		m := motion{first: span{d, d}}
		if s.logarithm {
			z = span{math.Exp(z.lo), math.Exp(z.hi)}
			m.first = z.times(d)
			m.second = z.times(d * d)
		}
		m.u = span{z.lo - s.centre, z.hi - s.centre}
		e.along[k] = m
		sum = sum.plus(m.second.times(s.slope))
	}
	for _, t := range e.terms {
		p, q := &e.along[t.k], &e.along[t.l]
		v := p.second.by(q.u).plus(p.first.by(q.first).times(2)).plus(p.u.by(q.second))
		sum = sum.plus(v.times(t.q))
	}
	return sum.lo, sum.hi
}
