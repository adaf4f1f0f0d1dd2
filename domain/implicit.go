package domain

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// A Surface is one constraint g(x) ≤ 0. Bind returns an evaluator with its own
// workspace; Bind may be called from several goroutines at once, an evaluator
// belongs to one.
type Surface interface {
	Dim() int
	Bind() SurfaceEval
}

// A SurfaceEval evaluates g. It allocates nothing.
type SurfaceEval interface {
	// Value returns g(x); NaN where g is not defined, which counts as outside.
	Value(x []float64) float64
	// Gradient writes ∇g(x) into g and returns g(x).
	Gradient(g, x []float64) float64
}

// A Bender is a SurfaceEval that bounds the second derivative of g(x + s·dir) by s
// from below and from above for a ≤ s ≤ b: the tighter, the nearer a and b. Crossings
// with its surface are then found without exception.
type Bender interface {
	SurfaceEval
	Bend(x, dir []float64, a, b float64) (lo, hi float64)
}

// A CurvedSurface knows a bound of the operator norm of the Hessian of g over
// all of R^d (0 for a plane, 2 for |x|² − 1). Crossings with it are then found
// without exception.
type CurvedSurface interface {
	Surface
	Curvature() float64
}

// implicit is the set {x : g_i(x) ≤ 0 for all i}.
type implicit struct {
	surfaces []Surface
	names    []string
	bounded  bool // all second derivatives are
	lo, hi   []float64
	substep  float64 // 1/32 of the shortest side of the box; +Inf stands for an eighth of each step
	pool     sync.Pool
	*Found
}

// NewImplicit returns {x : g_i(x) ≤ 0 for all i}. Wall i is the surface g_i = 0. names
// holds the text of every
// constraint, for messages. lo and hi are a box known to hold the set (±Inf
// where none is known); it is not a constraint.
//
// Membership is exact. Crossings are found by sampling g and its slope along
// the path at most a substep apart, 1/32 of the shortest side of the box (an eighth of
// each step where there is no box), and closer, down to
// 1/64 of it, wherever the cubic through the samples with an allowance for its
// error comes near zero. A path may therefore cut across a corner of the outside unseen
// when it stays there over a length below substep/64, or, where g oscillates
// within a substep so that the samples do not show it, below a substep. What is
// missed is such an excursion inside a step whose end lies inside again; an end
// outside is never overlooked. Of a [CurvedSurface], and of one whose evaluators are
// a [Bender], such as that of [NewQuadric], nothing is missed.
//
// A step is given up after 131,072 evaluations of surfaces. Where a g_i is NaN is
// outside; steps that meet such a place before any g_i crosses 0 are given up.
func NewImplicit(surfaces []Surface, names []string, lo, hi []float64) (Domain, error) {
	if len(surfaces) == 0 {
		return nil, fmt.Errorf("implicit domain: no surfaces; give at least one constraint g(x) ≤ 0")
	}
	if len(names) != len(surfaces) {
		return nil, fmt.Errorf("implicit domain: %d names for %d surfaces; give one each", len(names), len(surfaces))
	}
	d := surfaces[0].Dim()
	if len(lo) != d || len(hi) != d || d < 1 {
		return nil, fmt.Errorf("implicit domain: bounds of length %d and %d for dimension %d", len(lo), len(hi), d)
	}
	m := &implicit{
		surfaces: surfaces, names: names,
		lo: append([]float64(nil), lo...), hi: append([]float64(nil), hi...), substep: math.Inf(1), Found: &Found{},
	}
	for i, s := range surfaces {
		if s.Dim() != d {
			return nil, fmt.Errorf("implicit domain: constraint %q has dimension %d, %q has %d", names[i], s.Dim(), names[0], d)
		}
	}
	m.bounded = true
	for _, b := range m.bind().bend {
		m.bounded = m.bounded && b != nil
	}
	for i := range d {
		if !(lo[i] < hi[i]) {
			return nil, fmt.Errorf("implicit domain: bounds [%v, %v] of coordinate %d are empty", lo[i], hi[i], i+1)
		}
		m.substep = math.Min(m.substep, (hi[i]-lo[i])/32)
	}
	m.pool.New = func() any { return m.bind() }
	return m, nil
}

// surfacesOf returns the constraints g(x) ≤ 0 of a domain that these describe and that
// tells them by a method Surfaces() []Surface; nil for others.
func surfacesOf(d Domain) []Surface {
	if m, ok := d.(interface{ Surfaces() []Surface }); ok {
		return m.Surfaces()
	}
	return nil
}

// quadraticOf tells of which ball or ellipsoid g ≤ 0 is the inside, or, of a hole, the
// outside. A surface that is such a one has a method Quadratic of these results.
func quadraticOf(g Surface) (q Quadratic, hole, ok bool) {
	if m, known := g.(interface {
		Quadratic() (q Quadratic, hole, ok bool)
	}); known {
		return m.Quadratic()
	}
	return q, false, false
}

// bindAll returns evaluators for one goroutine.
func bindAll(surfaces []Surface) []SurfaceEval {
	evals := make([]SurfaceEval, len(surfaces))
	for i, s := range surfaces {
		evals[i] = s.Bind()
	}
	return evals
}

// evals are the evaluators of one goroutine.
type evals struct {
	g     []SurfaceEval
	bend  []Bender    // nil where no bound is known
	block []BlockEval // nil where states are taken one by one
}

func (m *implicit) bind() *evals {
	e := &evals{}
	for _, s := range m.surfaces {
		g := s.Bind()
		b, _ := g.(Bender)
		if c, ok := s.(CurvedSurface); ok && b == nil {
			if k := c.Curvature(); k >= 0 && k < math.Inf(1) {
				b = curved{g, k}
			}
		}
		many, _ := g.(BlockEval)
		e.g, e.bend, e.block = append(e.g, g), append(e.bend, b), append(e.block, many)
	}
	return e
}

// curved bounds all second derivatives by one number.
type curved struct {
	SurfaceEval
	k float64
}

func (c curved) Bend(_, dir []float64, _, _ float64) (lo, hi float64) {
	k := c.k * dot(dir, dir)
	return -k, k
}

func (m *implicit) Name() string           { return "set of constraints" }
func (m *implicit) ExactWalls() bool       { return m.bounded }
func (m *implicit) Surfaces() []Surface    { return m.surfaces }
func (m *implicit) WallName(w Wall) string { return m.names[w] }
func (m *implicit) Dim() int               { return len(m.lo) }

// Bounds writes the box given to NewImplicit.
func (m *implicit) Bounds(lo, hi []float64) {
	copy(lo, m.lo)
	copy(hi, m.hi)
}

// Contains reports g_i(x) ≤ 0 for all i; not for NaN or infinite x, nor where a
// g_i is NaN.
func (m *implicit) Contains(x []float64) bool {
	e := m.pool.Get().(*evals)
	in := finite(x) && e.contains(x)
	m.pool.Put(e)
	return in
}

func (e *evals) contains(x []float64) bool {
	for _, g := range e.g {
		if !(g.Value(x) <= 0) {
			return false
		}
	}
	return true
}

// Tracer returns a tracer with its own workspace and bound surfaces.
func (m *implicit) Tracer() Tracer {
	d := m.Dim()
	return &implicitTracer{
		set: m, evals: m.bind(),
		at: make([]float64, d), grad: make([]float64, d), foot: make([]float64, d), spare: make([]float64, d),
	}
}

// Projection fails: nearest points are found only locally.
func (m *implicit) Projection() (func() func(p, x []float64) (outside bool), error) {
	return nil, noProjection("a set given by expressions")
}

// Section takes the surfaces that tell which coordinates they depend on, by a method
// Coordinates() []int, and name no others than i and j. Those that take many states are
// interpolated on a raster.
func (m *implicit) Section(i, j int) func(x, y float64) bool {
	var some []int
	var tests []func(x, y float64) bool
	for k, s := range m.surfaces {
		of, ok := s.(interface{ Coordinates() []int })
		if (ok || m.Dim() == 2) && !(ok && slices.ContainsFunc(of.Coordinates(), func(at int) bool { return at != i && at != j })) {
			if test := m.raster(k, i, j); test != nil {
				tests = append(tests, test)
			} else {
				some = append(some, k)
			}
		}
	}
	if some == nil {
		return every(tests)
	}
	return every(append(tests, func(x, y float64) bool {
		e := m.pool.Get().(*evals)
		defer m.pool.Put(e)
		at := make([]float64, m.Dim())
		at[i], at[j] = x, y
		for _, k := range some {
			if !(e.g[k].Value(at) <= 0) {
				return false
			}
		}
		return true
	}))
}

// rasterSide is the number of cells of a raster along a side: what is interpolated between their
// corners lies too near to be told apart in a picture.
const rasterSide = 256

// raster tells where surface k is not above 0 by its values at the corners of cells in the bounds
// of coordinates i and j, the others 0; nil where it takes states one by one, or the bounds are open.
func (m *implicit) raster(k, i, j int) func(x, y float64) bool {
	const n = rasterSide + 1
	wide, high := (m.hi[i]-m.lo[i])/rasterSide, (m.hi[j]-m.lo[j])/rasterSide
	g, ok := m.surfaces[k].Bind().(BlockEval)
	if !ok || math.IsInf(wide, 0) || math.IsInf(high, 0) {
		return nil
	}
	values := sync.OnceValue(func() []float64 {
		d := m.Dim()
		v, grad, x := make([]float64, n*n), make([]float64, d*n*n), make([]float64, d*n*n)
		for at := range v {
			x[i*n*n+at], x[j*n*n+at] = m.lo[i]+float64(at%n)*wide, m.lo[j]+float64(at/n)*high
		}
		g.Block(v, grad, x)
		return v
	})
	return func(x, y float64) bool {
		v, s, t := values(), (x-m.lo[i])/wide, (y-m.lo[j])/high
		if !(s >= 0 && s <= rasterSide && t >= 0 && t <= rasterSide) {
			return false
		}
		p, q := min(int(s), rasterSide-1), min(int(t), rasterSide-1)
		s, t = s-float64(p), t-float64(q)
		at := v[q*n+p:]
		return (1-t)*((1-s)*at[0]+s*at[1])+t*((1-s)*at[n]+s*at[n+1]) <= 0
	}
}
