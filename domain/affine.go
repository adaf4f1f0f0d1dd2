package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Affine returns the domain of z where x = c + Lz lies in d, L regular. Linear
// domains become boxes (under a diagonal L) or polytopes, balls and
// ellipsoids become balls or ellipsoids, intersections those of their members;
// anything else is traced in x, and then the rules nearest and project are not
// known. A domain tells its own by a method Image(c []float64, l *mat.Dense) (Domain,
// error), nil where it does not know better. Membership of z is that of c + Lz up to the
// rounding of one evaluation of each constraint: a z within some ulps of the wall may map
// to an x that is outside by as much.
func Affine(d Domain, c []float64, l mat.Matrix) (Domain, error) {
	n := d.Dim()
	if r, k := l.Dims(); r != n || k != n || len(c) != n {
		return nil, fmt.Errorf("affine map: the domain has %d coordinates, the map is %d×%d and its origin has %d: they must agree", n, r, k,
			len(c))
	}
	m := mat.DenseCopyOf(l)
	if finite(c) && finite(m.RawMatrix().Data) {
		if a := affineOf(append([]float64(nil), c...), m); a != nil {
			return a.of(d)
		}
	}
	return nil, fmt.Errorf("affine map: the matrix is singular or not finite: whiten with a positive definite covariance")
}

// affine is the map x = c + Lz.
type affine struct {
	c      []float64
	l, inv *mat.Dense
}

// affineOf inverts the map; nil if it cannot. Unlike sizes on a diagonal are no obstacle.
func affineOf(c []float64, l *mat.Dense) *affine {
	a := &affine{c: c, l: l, inv: mat.NewDense(len(c), len(c), nil)}
	if s, ok := a.diagonal(); ok {
		for i, v := range s {
			a.inv.Set(i, i, 1/v)
		}
	} else if err := a.inv.Inverse(a.l); err != nil {
		if c := mat.Condition(0); !errors.As(err, &c) || math.IsInf(float64(c), 1) {
			return nil
		}
	}
	if !finite(a.inv.RawMatrix().Data) {
		return nil
	}
	return a
}

func (a *affine) of(d Domain) (Domain, error) {
	if m, ok := d.(interface {
		Image(c []float64, l *mat.Dense) (Domain, error)
	}); ok {
		if z, err := m.Image(a.c, a.l); z != nil || err != nil {
			return z, err
		}
	}
	if h, ok := linearOf(d); ok && len(h.B) > 0 {
		rows, b := make([][]float64, len(h.B)), make([]float64, len(h.B))
		for i, row := range h.A {
			rows[i], b[i] = a.row(row, h.B[i])
		}
		return NewPolytope(rows, b, h.Names)
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

func (m *mapped) KnowsNearest() bool     { return false }
func (m *mapped) Name() string           { return "affine image" }
func (m *mapped) Convex() bool           { return Convex(m.d) }
func (m *mapped) ExactWalls() bool       { return ExactWalls(m.d) }
func (m *mapped) WallName(w Wall) string { return WallNames(m.d, []Wall{w}, nil)[0] }

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

func (m *mappedTracer) Walls() int  { return m.tr.Walls() }
func (m *mappedTracer) Labour() int { return labourOf(m.tr) }

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

// Projection fails.
func (m *mapped) Projection() (func() func(p, x []float64) (outside bool), error) {
	return nil, noProjection("the affine image of a domain of another kind than boxes, balls, ellipsoids and polytopes")
}

// Inequalities are the walls of the z with c + Lz in a domain: linear ones as (Lᵀa)·z ≤
// b − a·c, quadratic ones with LᵀQL about a z that c + Lz takes to their middle.
func (d *mapped) Inequalities() (*Inequalities, error) {
	inner, err := InequalitiesOf(d.d)
	if err != nil {
		return nil, err
	}
	s, m := &Inequalities{}, d.Dim()
	for i, row := range inner.A {
		z, b := d.a.row(row, inner.B[i])
		s.A, s.B = append(s.A, z), append(s.B, b)
	}
	for _, q := range inner.Quadratic {
		k := len(q.At)
		rows := mat.NewDense(k, m, nil)
		off, centre := mat.NewVecDense(m, nil), mat.NewVecDense(m, nil)
		for i, j := range q.At {
			rows.SetRow(i, d.a.l.RawRowView(j))
			off.SetVec(j, q.C[i]-d.a.c[j])
		}
		centre.MulVec(d.a.inv, off)
		product := mat.NewDense(m, m, nil)
		if q.Q == nil {
			product.Mul(rows.T(), rows)
			product.Scale(1/(q.R*q.R), product)
		} else {
			product.Product(rows.T(), mat.NewDense(k, k, q.Q), rows)
		}
		s.Quadratic = append(s.Quadratic, Quadratic{At: each(m), C: centre.RawVector().Data, Q: product.RawMatrix().Data})
	}
	return s, nil
}

// Uniform maps draws of x.
func (m *mapped) Uniform(ctx context.Context) (*Law, error) {
	inner, err := Uniform(ctx, m.d)
	if err != nil {
		return nil, err
	}
	x := make([]float64, m.Dim())
	return &Law{func(ctx context.Context, z []float64, rng *rand.Rand) error {
		if err := inner.Draw(ctx, x, rng); err != nil {
			return err
		}
		copy(z, m.a.back(x))
		return nil
	}, inner.Tries, inner.Note, nil, 0}, nil
}

// Volume is that of x over |det L|.
func (m *mapped) Volume(ctx context.Context, rng *rand.Rand) (log, se float64, err error) {
	log, se, err = Volume(ctx, m.d, rng)
	det, _ := mat.LogDet(m.a.l)
	return log - det, se, err
}

// back is z = L⁻¹(x − c).
func (a *affine) back(x []float64) []float64 {
	z := make([]float64, len(x))
	for i := range z {
		for j, v := range x {
			z[i] += a.inv.At(i, j) * (v - a.c[j])
		}
	}
	return z
}

// Interior maps a point of x.
func (m *mapped) Interior(ctx context.Context, rng *rand.Rand) ([]float64, error) {
	x, err := Interior(ctx, m.d, rng)
	if err != nil {
		return nil, err
	}
	return m.a.back(x), nil
}
