package domain

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// Points of a slice of a random box satisfy the equations and lie in the box where
// their z lies in the domain, and come back. Kills an origin off the equations and
// an inverse that forgets the frame.
func TestSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		n := 2 + rng.IntN(6)
		lo, hi, mid := make([]float64, n), make([]float64, n), make([]float64, n)
		for j := range n {
			size := math.Pow(10, float64(rng.IntN(9)-4))
			lo[j] = size * rng.NormFloat64()
			hi[j] = lo[j] + size
			mid[j] = lo[j] + size*(0.3+0.4*rng.Float64())
		}
		var a [][]float64
		var b []float64
		for range 1 + rng.IntN(n-1) {
			row := make([]float64, n)
			for j := range row {
				row[j] = rng.NormFloat64() / (hi[j] - lo[j])
			}
			a, b = append(a, row), append(b, dot(row, mid))
		}
		a, b = append(a, a[0]), append(b, b[0]) // once more
		box, err := NewBox(lo, hi)
		if err != nil {
			t.Fatal(err)
		}
		s, err := NewSlice(box, a, b)
		if err != nil {
			t.Fatal(err)
		}
		if _, k := s.Span.Dims(); k != n-len(a)+1 || s.Domain.Dim() != k {
			t.Fatalf("%d free coordinates of %d under %d equations", k, n, len(a)-1)
		}
		z, x, y := make([]float64, s.Domain.Dim()), make([]float64, n), make([]float64, s.Domain.Dim())
		s.Reduced(z, mid)
		if !s.Domain.Contains(z) {
			t.Fatalf("%v, of %v, is outside", z, mid)
		}
		for j := range y {
			y[j] = 0.5 * rng.NormFloat64() / norm(mat.Row(nil, j, s.inv))
		}
		for k := range z {
			z[k] += y[k]
		}
		s.Full(x, z)
		if !s.Domain.Contains(z) == s.Whole.Contains(x) {
			t.Fatalf("%v is inside: %v; %v: %v", z, s.Domain.Contains(z), x, s.Whole.Contains(x))
		}
		sizes := 0.0
		for j := range y {
			sizes = max(sizes, math.Abs(z[j])*norm(mat.Row(nil, j, s.inv)))
		}
		off := 0.0
		for i, row := range a {
			off = max(off, math.Abs(dot(row, x)-b[i]))
		}
		for j := range x { // 1e-9 of the sides: rounding at the walls
			side := 1e-9 * (hi[j] - lo[j])
			if in := x[j] > lo[j]+side && x[j] < hi[j]-side; !in && s.Domain.Contains(z) && (x[j] < lo[j]-side || x[j] > hi[j]+side) {
				t.Fatalf("%v is inside and %v is not", z, x)
			}
		}
		s.Reduced(y, x)
		for j := range y {
			off = max(off, math.Abs(y[j]-z[j])*norm(mat.Row(nil, j, s.inv)))
		}
		if off > 1e-9*(1+sizes) {
			t.Fatalf("%v became %v, and came back as %v: off by %g", z, x, y, off)
		}
	})
}

// The simplex that Σ x = 1 cuts out of the unit cube has the uniform law of its own.
func TestSliceKeepsTheUniformLaw(t *testing.T) {
	box := must[*box](t)(NewBox([]float64{0, 0, 0}, []float64{1, 1, 1}))
	s := must[*Slice](t)(NewSlice(box, [][]float64{{2, 2, 2}}, []float64{2}))
	r := must[Reflector](t)(NewReflector(s.Domain, Specular, 0))
	rng := rand.New(rand.NewPCG(1, 1))
	from, to, x := make([]float64, 2), make([]float64, 2), make([]float64, 3)
	s.Reduced(from, []float64{0.2, 0.3, 0.5})
	const burn, n, every = 50, 20_000, 5
	sum, square := 0.0, 0.0
	for k := range burn + n*every {
		for j, z := range from {
			to[j] = z + 0.7*rng.NormFloat64()
		}
		if _, ok := r.Reflect(from, to, nil); !ok {
			t.Fatal("a step was given up")
		}
		copy(from, to)
		if k >= burn && k%every == 0 {
			s.Full(x, from)
			sum += x[0]
			square += x[0] * x[0]
		}
	}
	// Beta(1, 2): mean 1/3, second moment 1/6. Draws are 5 wide steps apart: 6
	// standard errors of independent ones leave no false alarm.
	if m := sum / n; math.Abs(m-1./3) > 6*math.Sqrt(1./18/n) {
		t.Errorf("mean %g", m)
	}
	if m := square / n; math.Abs(m-1./6) > 6*math.Sqrt((1./15-1./36)/n) {
		t.Errorf("second moment %g", m)
	}
}

// Where no row is left, all of R^k is free; coordinates that are fixed are bounded.
func TestSliceWithoutRows(t *testing.T) {
	for _, d := range []Domain{nil, must[*polytope](t)(NewHalfSpace([]float64{1, 0, 0}, 1))} {
		s := must[*Slice](t)(NewSlice(d, [][]float64{{1, 0, 0}, {0, 1, -2}}, []float64{0.5, 3}))
		lo, hi := BoundsOf(s.Whole, 3)
		if s.Domain != nil || math.Abs(lo[0]-0.5) > 1e-12 || math.Abs(hi[0]-0.5) > 1e-12 || !math.IsInf(lo[1], -1) || !math.IsInf(hi[2], 1) {
			t.Errorf("domain %v, bounds %v, %v", s.Domain, lo, hi)
		}
		if !s.Whole.Contains([]float64{0.5, 5, 1}) || s.Whole.Contains([]float64{0.5, 5, 1.001}) {
			t.Error("the slice among the points x is another one")
		}
	}
}

// Volumes of z are those of the slice, whatever the units of x; its bounds are those
// of x. Kills coordinates z of another measure, and bounds of the whole domain.
func TestSliceMeasures(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name   string
		hi     []float64 // of the box from 0
		a      []float64
		b      float64
		volume float64
		upper  []float64
	}{
		{"triangle", []float64{1, 1, 1}, []float64{2, 2, 2}, 2, math.Sqrt(3) / 2, []float64{1, 1, 1}},
		{"triangle of an orthant", []float64{inf, inf, inf}, []float64{1, 1, 1}, 1, math.Sqrt(3) / 2, []float64{1, 1, 1}},
		{"diagonal of unlike units", []float64{1e-6, 1e3}, []float64{1e6, -1e-3}, 0, math.Hypot(1e-6, 1e3), []float64{1e-6, 1e3}},
		{"a plane across", []float64{1, 2, 4}, []float64{0, 0, 1}, 3, 2, []float64{1, 2, 3}},
		{"a corner cut off", []float64{3, 2, 1}, []float64{1.0 / 3, 0.5, 1}, 0.5, 7. / 8, []float64{1.5, 1, 0.5}},
	} {
		s := must[*Slice](t)(NewSlice(must[*box](t)(NewBox(make([]float64, len(c.hi)), c.hi)), [][]float64{c.a}, []float64{c.b}))
		v, se, err := Volume(t.Context(), s.Domain, rand.New(rand.NewPCG(1, 1)))
		if err != nil || math.Abs(v-math.Log(c.volume)) > 1e-9+5*se {
			t.Errorf("%s: log volume %g ± %g (%v), want %g", c.name, v, se, err, math.Log(c.volume))
		}
		lo, hi := BoundsOf(s.Whole, len(c.hi))
		for j, u := range c.upper {
			if math.Abs(hi[j]-u) > 1e-9*u || math.Abs(lo[j]) > 1e-9*u && c.name != "a plane across" {
				t.Errorf("%s: bounds %v, %v", c.name, lo, hi)
			}
		}
	}
}

func TestNewSliceRefuses(t *testing.T) {
	box := must[*box](t)(NewBox([]float64{0, 0}, []float64{1, 1}))
	fail := func(d Domain, a [][]float64, b ...float64) error { _, err := NewSlice(d, a, b); return err }
	for says, err := range map[string]error{
		"only linear":                   fail(must[*ball](t)(NewBall([]float64{0, 0}, 1)), [][]float64{{1, 1}}, 1),
		"one of each":                   fail(box, nil),
		"not all zero":                  fail(box, [][]float64{{0, 0}}, 0),
		"one point":                     fail(box, [][]float64{{1, 1}, {1, -1}}, 1, 0),
		"contradict":                    fail(box, [][]float64{{1, 1}, {2, 2}}, 1, 3),
		"nothing satisfies \"x0 <= 1\"": fail(must[*polytope](t)(NewHalfSpace([]float64{1, 0}, 1)), [][]float64{{1, 0}}, 1.5),
	} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}

// The multipliers of rows that exclude each other add them up to 0 ≤ less than 0.
func TestContradictionIsProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		d := 1 + rng.IntN(4)
		var a [][]float64
		var b []float64
		for range d + 2 + rng.IntN(6) {
			row, s := make([]float64, d), 0.5*rng.NormFloat64()-0.3
			for j := range row {
				row[j] = rng.NormFloat64() * math.Pow(100, float64(j))
			}
			a, b = append(a, row), append(b, s)
		}
		p, err := NewPolytope(a, b, nil)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Interior(t.Context(), p, rng)
		var e *EmptyError
		if !errors.As(err, &e) || e.Thin {
			return
		}
		if len(e.Multipliers) != len(e.Constraints) || slices.Max(e.Multipliers) != 1 {
			t.Fatalf("%v proved by %v", err, e.Multipliers)
		}
		sum, side := make([]float64, d), 0.0
		for k, i := range e.Constraints {
			y := e.Multipliers[k]
			side += y * b[i]
			for j, v := range a[i] {
				sum[j] += y * v / math.Pow(100, float64(j))
			}
		}
		if !(side < 0) || norm(sum) > 1e-9 || slices.Min(e.Multipliers) <= 0 {
			t.Fatalf("%v: multipliers %v add up to %v ≤ %g", err, e.Multipliers, sum, side)
		}
	})
}

// A polytope is bounded, or goes on along a ray.
func TestRay(t *testing.T) {
	inf := math.Inf(1)
	poly := func(a [][]float64, b ...float64) Domain { return must[*polytope](t)(NewPolytope(a, b, nil)) }
	open := []Domain{
		must[*box](t)(NewBox([]float64{0, 0}, []float64{1, inf})),
		must[*box](t)(NewBox([]float64{0, -inf, 0}, []float64{1, inf, 1})),
		poly([][]float64{{0, -1}, {-1, 8}}, 0, 0),
		poly([][]float64{{1, 1, 0}, {-1, -1, 0}, {0, 0, 1}, {0, 0, -1}}, 1, 1, 1, 1),
		poly([][]float64{{1, 1e-6}, {-1, 1e-6}}, 1, 1),
		poly([][]float64{{1, 1}}, 1),
	}
	for i, d := range open {
		r := rayOf(d)
		h := halfspacesOf(d)
		if r == nil || slices.Max(r) != 1 && slices.Min(r) != -1 {
			t.Errorf("%d: ray %v", i, r)
			continue
		}
		for k, row := range h.A {
			if g := dot(row, r); g > 1e-12 {
				t.Errorf("%d: row %d grows by %g along %v", i, k, g, r)
			}
		}
	}
	if _, err := Uniform(t.Context(), open[0]); err == nil || !strings.Contains(err.Error(), "along [0 1]") {
		t.Errorf("%v, want the ray", err)
	}
	for i, d := range []Domain{
		must[*box](t)(NewBox([]float64{0, 0}, []float64{1, 1})), manyFacets(t, 40, 4, 1),
		poly([][]float64{{-1, 0}, {0, -1}, {1, 1e-3}}, 0, 0, 1), must[*ball](t)(NewBall([]float64{0}, 1)),
	} {
		if r := rayOf(d); r != nil {
			t.Errorf("bounded %d: ray %v", i, r)
		}
	}
}
