package domain

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Affine returns the domain of z where x = c + Lz lies in d, L regular. Linear
// domains become boxes (under a diagonal L) or polytopes, balls and
// ellipsoids become balls or ellipsoids, intersections those of their members;
// anything else is traced in x, and then the rules nearest and project are not
// known. Membership of z is that of c + Lz up to the rounding of one evaluation
// of each constraint: a z within some ulps of the wall may map to an x that is
// outside by as much.
func Affine(d Domain, c []float64, l mat.Matrix) (Domain, error) {
	n := d.Dim()
	if r, k := l.Dims(); r != n || k != n || len(c) != n {
		return nil, fmt.Errorf("affine map: the domain has %d coordinates, the map is %d×%d and its origin has %d: they must agree", n, r, k, len(c))
	}
	m := mat.DenseCopyOf(l)
	a := &affine{c: append([]float64(nil), c...), l: m, inv: mat.NewDense(n, n, nil)}
	if !finite(c) || !finite(m.RawMatrix().Data) || !a.invert() {
		return nil, fmt.Errorf("affine map: the matrix is singular or not finite: whiten with a positive definite covariance")
	}
	return a.of(d)
}

// invert fills in L⁻¹ and reports whether there is one. Unlike sizes on a
// diagonal are no obstacle.
func (a *affine) invert() bool {
	if s, ok := a.diagonal(); ok {
		for i, v := range s {
			a.inv.Set(i, i, 1/v)
		}
	} else if err := a.inv.Inverse(a.l); err != nil {
		if c := mat.Condition(0); !errors.As(err, &c) || math.IsInf(float64(c), 1) {
			return false
		}
	}
	return finite(a.inv.RawMatrix().Data)
}

// affine is the map x = c + Lz.
type affine struct {
	c      []float64
	l, inv *mat.Dense
}

func (a *affine) of(d Domain) (Domain, error) {
	scale, diagonal := a.diagonal()
	switch d := d.(type) {
	case *Box:
		if diagonal {
			return a.box(d, scale)
		}
	case *Ball:
		return a.ball(d, scale, diagonal)
	case *Ellipsoid:
		return a.ellipsoid(d.c, d.a)
	case *Intersection:
		members := make([]Domain, len(d.members))
		for i, m := range d.members {
			var err error
			if members[i], err = a.of(m); err != nil {
				return nil, err
			}
		}
		return NewIntersection(members...)
	}
	if h, ok := linearOf(d); ok && len(h.b) > 0 {
		for i, row := range h.a {
			h.a[i], h.b[i] = a.row(row, h.b[i])
		}
		return NewPolytope(h.a, h.b, h.name)
	}
	return &mapped{d: d, a: a}, nil
}

// diagonal returns the diagonal of L and whether L is nothing else.
func (a *affine) diagonal() ([]float64, bool) {
	n := len(a.c)
	s := make([]float64, n)
	for i := range n {
		for j := range n {
			if i != j && a.l.At(i, j) != 0 {
				return nil, false
			}
		}
		s[i] = a.l.At(i, i)
	}
	return s, true
}

// row turns a·x ≤ b into a constraint on z.
func (a *affine) row(row []float64, b float64) ([]float64, float64) {
	z := make([]float64, len(row))
	for i, v := range row {
		for j := range z {
			z[j] += v * a.l.At(i, j)
		}
	}
	return z, b - dot(row, a.c)
}

func (a *affine) box(d *Box, scale []float64) (Domain, error) {
	lo, hi := make([]float64, len(scale)), make([]float64, len(scale))
	for i, s := range scale {
		lo[i], hi[i] = (d.lo[i]-a.c[i])/s, (d.hi[i]-a.c[i])/s
		if s < 0 {
			lo[i], hi[i] = hi[i], lo[i]
		}
	}
	return NewBox(lo, hi)
}

func (a *affine) ball(d *Ball, scale []float64, diagonal bool) (Domain, error) {
	n := len(d.c)
	same := diagonal
	for _, s := range scale {
		same = same && math.Abs(s) == math.Abs(scale[0])
	}
	if same {
		c := make([]float64, n)
		for i, s := range scale {
			c[i] = (d.c[i] - a.c[i]) / s
		}
		return NewBall(c, d.r/math.Abs(scale[0]))
	}
	m := make([]float64, n*n)
	for i := range n {
		m[i*n+i] = 1 / (d.r * d.r)
	}
	return a.ellipsoid(d.c, m)
}

func (a *affine) ellipsoid(c, m []float64) (Domain, error) {
	n := len(c)
	var t, q mat.Dense
	t.Mul(mat.NewDense(n, n, m), a.l)
	q.Mul(a.l.T(), &t)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (q.At(i, j)+q.At(j, i))/2)
		}
	}
	z := make([]float64, n)
	for i := range z {
		for j := range z {
			z[i] += a.inv.At(i, j) * (c[j] - a.c[j])
		}
	}
	return NewEllipsoid(z, s)
}

// apply writes Lz, plus c if origin, into x.
func (a *affine) apply(x, z []float64, origin bool) {
	n := len(z)
	l := a.l.RawMatrix()
	for i := range x {
		s := dot(l.Data[i*l.Stride:i*l.Stride+n], z)
		if origin {
			s += a.c[i]
		}
		x[i] = s
	}
}

// mapped is a domain of z traced in x.
type mapped struct {
	d       Domain
	a       *affine
	scratch scratch
}

var _ Domain = (*mapped)(nil)

func (m *mapped) Dim() int { return m.d.Dim() }

func (m *mapped) Contains(z []float64) bool {
	x := m.scratch.take(len(z))
	m.a.apply(*x, z, true)
	in := finite(z) && m.d.Contains(*x)
	m.scratch.give(x)
	return in
}

// Bounds encloses the image of the box of x.
func (m *mapped) Bounds(lo, hi []float64) {
	n := len(lo)
	l, h := BoundsOf(m.d, n)
	for i := range n {
		lo[i], hi[i] = 0, 0
		for j := range n {
			if v := m.a.inv.At(i, j); v != 0 {
				p, q := v*(l[j]-m.a.c[j]), v*(h[j]-m.a.c[j])
				lo[i] += math.Min(p, q)
				hi[i] += math.Max(p, q)
			}
		}
	}
}

// KnowsNearest is false: the nearest point in x is not the one in z.
func (m *mapped) KnowsNearest() bool { return false }

func (m *mapped) convex() bool { return Convex(m.d) }

func (m *mapped) Tracer() Tracer {
	n := m.Dim()
	return &mappedTracer{m, m.d.Tracer(), make([]float64, n), make([]float64, n), make([]float64, n)}
}

type mappedTracer struct {
	*mapped
	tr   Tracer
	x, y []float64
	n    []float64
}

func (m *mappedTracer) Walls() int { return m.tr.Walls() }

func (m *mappedTracer) labour() int { return labourOf(m.tr) }

func (m *mappedTracer) Clear(from, to []float64) bool {
	m.a.apply(m.x, from, true)
	m.a.apply(m.y, to, true)
	return finite(to) && m.tr.Clear(m.x, m.y)
}

func (m *mappedTracer) Exit(z, dir []float64, on Wall) (float64, Wall) {
	m.a.apply(m.x, z, true)
	m.a.apply(m.y, dir, false)
	return m.tr.Exit(m.x, m.y, on)
}

// Normal is Lᵀn at unit length.
func (m *mappedTracer) Normal(n, z []float64, w Wall) {
	m.a.apply(m.x, z, true)
	m.tr.Normal(m.n, m.x, w)
	for j := range n {
		n[j] = 0
	}
	for i, v := range m.n {
		for j := range n {
			n[j] += v * m.a.l.At(i, j)
		}
	}
	l := norm(n)
	for j := range n {
		n[j] /= l
	}
}

func (m *mappedTracer) Nearest(_, _, _ []float64) bool { return false }
