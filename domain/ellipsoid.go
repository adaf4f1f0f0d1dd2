package domain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ellipsoid is {x : (x − c)ᵀA(x − c) ≤ 1}.
type ellipsoid struct {
	c      []float64
	a      []float64 // d×d
	lambda []float64 // eigenvalues of A, increasing: the half-axes are λ^(-1/2)
	q      []float64 // d×d; column j is the axis of λ_j
}

// NewEllipsoid returns {x : (x − c)ᵀA(x − c) ≤ 1}. A must be positive definite
// with a condition number below 1e14. There is the one wall 0.
func NewEllipsoid(c []float64, a mat.Symmetric) (Domain, error) {
	e, err := newEllipsoid(c, a)
	if err != nil {
		return nil, err
	}
	return e, nil
}

func newEllipsoid(c []float64, a mat.Symmetric) (*ellipsoid, error) {
	d := len(c)
	if d == 0 || !finite(c) {
		return nil, fmt.Errorf("ellipsoid: centre %v: give at least one coordinate, all finite", c)
	}
	if a.SymmetricDim() != d {
		return nil, fmt.Errorf("ellipsoid: the matrix is %d×%d and the centre has %d coordinates: they must agree", a.SymmetricDim(),
			a.SymmetricDim(), d)
	}
	e := &ellipsoid{c: append([]float64(nil), c...), a: make([]float64, d*d)}
	for i := range d {
		for j := range d {
			e.a[i*d+j] = a.At(i, j)
		}
	}
	if !finite(e.a) {
		return nil, fmt.Errorf("ellipsoid: the matrix has elements that are not finite")
	}
	var eig mat.EigenSym
	if !eig.Factorize(mat.NewSymDense(d, append([]float64(nil), e.a...)), true) {
		return nil, fmt.Errorf("ellipsoid: the eigenvalues of the matrix were not found: rescale the coordinates")
	}
	e.lambda = eig.Values(nil)
	if l, h := e.lambda[0], e.lambda[d-1]; !(l > 1e-14*h) || math.IsInf(1/l, 0) {
		return nil, fmt.Errorf("ellipsoid: the matrix has eigenvalues from %g to %g: it must be positive definite and not nearly singular", l, h)
	}
	var q mat.Dense
	eig.VectorsTo(&q)
	e.q = q.RawMatrix().Data
	return e, nil
}

func (e *ellipsoid) Dim() int { return len(e.c) }

// form is (x − c)ᵀA(x − c).
func (e *ellipsoid) form(x []float64) float64 {
	d, s := len(e.c), 0.0
	for i, c := range e.c {
		r := 0.0
		for j, a := range e.a[i*d : (i+1)*d] {
			r += a * (x[j] - e.c[j])
		}
		s += (x[i] - c) * r
	}
	return s
}

// Contains reports (x − c)ᵀA(x − c) ≤ 1.
func (e *ellipsoid) Contains(x []float64) bool { return e.form(x) <= 1 && finite(x) }

// Bounds writes c ± (A⁻¹)_ii^½.
func (e *ellipsoid) Bounds(lo, hi []float64) {
	for i, c := range e.c {
		r := math.Sqrt(e.inverse(i, i))
		lo[i], hi[i] = c-r, c+r
	}
}

// inverse is element i, j of A⁻¹.
func (e *ellipsoid) inverse(i, j int) float64 {
	d, s := len(e.c), 0.0
	for k, l := range e.lambda {
		s += e.q[i*d+k] * e.q[j*d+k] / l
	}
	return s
}

func (e *ellipsoid) Name() string         { return "ellipsoid" }
func (e *ellipsoid) Convex() bool         { return true }
func (e *ellipsoid) ExactWalls() bool     { return true }
func (e *ellipsoid) WallName(Wall) string { return "the ellipsoid" }

// Tracer returns a tracer with room for coordinates along the axes.
func (e *ellipsoid) Tracer() Tracer {
	return &ellipsoidTracer{e, make([]float64, len(e.c)), make([]float64, len(e.c))}
}

type ellipsoidTracer struct {
	*ellipsoid
	y, z []float64
}

func (e *ellipsoidTracer) Walls() int                 { return 1 }
func (e *ellipsoidTracer) Clear(_, to []float64) bool { return e.Contains(to) }

func (e *ellipsoidTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	d, qa, qb, qc := len(e.c), 0.0, 0.0, -1.0
	for i, c := range e.c {
		e.y[i] = x[i] - c
	}
	for i, y := range e.y {
		row := e.a[i*d : (i+1)*d]
		ad := dot(row, dir)
		qa += dir[i] * ad
		qb += y * ad
		qc += y * dot(row, e.y)
	}
	return leave(qa, qb, qc, on)
}

func (e *ellipsoidTracer) Normal(n, x []float64, _ Wall) {
	d := len(e.c)
	for i, c := range e.c {
		e.y[i] = x[i] - c
	}
	for i := range n {
		n[i] = dot(e.a[i*d:(i+1)*d], e.y)
	}
	l := norm(n)
	for i := range n {
		n[i] /= l
	}
}

// Nearest solves Σ λ_i (y_i/(1+μλ_i))² = 1, y along the axes, for the largest
// root μ by Newton's method within a bracket; the nearest point is
// y_i/(1+μλ_i).
func (e *ellipsoidTracer) Nearest(p, n, x []float64) bool {
	d := len(e.c)
	for j := range e.y {
		s := 0.0
		for i, c := range e.c {
			s += e.q[i*d+j] * (x[i] - c)
		}
		e.y[j] = s
	}
	e.axes()
	for i, c := range e.c {
		p[i] = c + dot(e.q[i*d:(i+1)*d], e.z)
	}
	e.Normal(n, p, 0)
	return finite(p) && finite(n)
}

// excess is Σ λ_i (y_i/(1+μλ_i))² − 1 and its derivative.
func (e *ellipsoidTracer) excess(mu float64) (f, df float64) {
	f = -1
	for i, l := range e.lambda {
		if y := e.y[i]; y != 0 {
			g := 1 + mu*l
			s := l * (y / g) * (y / g)
			f += s
			df -= 2 * s * l / g
		}
	}
	return f, df
}

// axes writes the nearest point to y into z, both along the axes.
func (e *ellipsoidTracer) axes() {
	d := len(e.y)
	top := e.lambda[d-1]
	// The root lies above −1/λ_max, where f decreases from +∞ (or from f there
	// when the last components of y vanish) to −1.
	lo, hi := -1/top, norm(e.y)/math.Sqrt(e.lambda[0])
	mu := 0.0
	for range 200 {
		f, df := e.excess(mu)
		if f > 0 {
			lo = mu
		} else {
			hi = mu
		}
		next := mu - f/df
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if next == mu || math.Abs(next-mu) <= 1e-16*(math.Abs(mu)+1/top) {
			break
		}
		mu = next
	}
	free, rest := d-1, 1.0
	for i, l := range e.lambda {
		if g := 1 + mu*l; e.y[i] == 0 || g == 0 {
			e.z[i] = 0
		} else {
			e.z[i] = e.y[i] / g
		}
		rest -= l * e.z[i] * e.z[i]
	}
	// On the medial axis two points are nearest: take the positive one.
	if rest > 1e-9 && 1+mu*top < 1e-9 {
		e.z[free] += math.Copysign(math.Sqrt(rest/top), e.y[free])
	}
}

// Section is the shadow, the ellipse of the block of A⁻¹ that belongs to i and j.
func (e *ellipsoid) Section(i, j int) func(x, y float64) bool {
	p, q, r := e.inverse(i, i), e.inverse(i, j), e.inverse(j, j)
	det := p*r - q*q
	return func(x, y float64) bool {
		a, b := x-e.c[i], y-e.c[j]
		return r*a*a-2*q*a*b+p*b*b <= det
	}
}

// Inequalities are the one of its definition.
func (e *ellipsoid) Inequalities() (*Inequalities, error) {
	return &Inequalities{Quadratic: []Quadratic{{At: each(len(e.c)), C: e.c, Q: e.a}}}, nil
}

// Uniform maps draws from the unit ball.
func (e *ellipsoid) Uniform(context.Context) (*Law, error) { return closed(e.point), nil }

// point maps a draw from the unit ball.
func (e *ellipsoid) point(x []float64, rng *rand.Rand) {
	d := len(x)
	y := make([]float64, d)
	inBall(y, rng)
	for i, c := range e.c {
		x[i] = c
		for j, l := range e.lambda {
			x[i] += e.q[i*d+j] * y[j] / math.Sqrt(l)
		}
	}
}

// Volume is exact.
func (e *ellipsoid) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	log = logBall(len(e.c))
	for _, l := range e.lambda {
		log -= math.Log(l) / 2
	}
	return log, 0, nil
}

// Interior is the centre.
func (e *ellipsoid) Interior(context.Context, *rand.Rand) ([]float64, error) {
	return slices.Clone(e.c), nil
}

// Image is an ellipsoid.
func (e *ellipsoid) Image(c []float64, l *mat.Dense) (Domain, error) {
	n := len(e.c)
	var t, q mat.Dense
	t.Mul(mat.NewDense(n, n, e.a), l)
	q.Mul(l.T(), &t)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			s.SetSym(i, j, (q.At(i, j)+q.At(j, i))/2)
		}
	}
	a := affineOf(c, l)
	if a == nil {
		return nil, nil
	}
	return NewEllipsoid(a.back(e.c), s)
}
