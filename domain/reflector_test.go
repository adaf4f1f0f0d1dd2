package domain

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The box folds like a loop of mirrorings does, on a grid where both are exact.
func TestBoxFoldIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.IntRange(-40, 40).Draw(t, "lo")
		hi := lo + rapid.IntRange(1, 30).Draw(t, "width")
		y := rapid.IntRange(-2000, 2000).Draw(t, "y")
		want, folds := y, 0
		for ; want < lo || want > hi; folds++ {
			if want < lo {
				want = 2*lo - want
			} else {
				want = 2*hi - want
			}
		}
		b, err := NewBox([]float64{float64(lo) / 8}, []float64{float64(hi) / 8})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReflector(b, Specular, 0)
		if err != nil {
			t.Fatal(err)
		}
		from, to, v := []float64{float64(lo) / 8}, []float64{float64(y) / 8}, []float64{3}
		hits, ok := r.Reflect(from, to, v)
		sign := 3.0
		if folds%2 == 1 {
			sign = -3
		}
		if !ok || to[0] != float64(want)/8 || v[0] != sign || hits != folds {
			t.Fatalf("[%d, %d]: %d became %v in %d folds with v %v, want %d in %d", lo, hi, y, 8*to[0], hits, v, want, folds)
		}
	})
}

// Steps longer than the box by any factor end in [lo, hi] with |v| kept, and a
// half-line mirrors once.
func TestBoxFoldAtAnySize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e300, 1e300).Draw(t, "lo")
		w := math.Abs(lo)*rapid.Float64Range(1e-15, 1).Draw(t, "share") + rapid.Float64Range(1e-300, 1e6).Draw(t, "width")
		hi := max(lo+w, math.Nextafter(lo, math.Inf(1)))
		b, err := NewBox([]float64{lo, math.Inf(-1)}, []float64{hi, lo})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewReflector(b, Specular, 0)
		if err != nil {
			t.Fatal(err)
		}
		from, v := []float64{lo, lo}, []float64{1, 1}
		anywhere := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
		to := []float64{anywhere.Draw(t, "y"), anywhere.Draw(t, "z")}
		hits, ok := r.Reflect(from, to, v)
		if !ok || !b.Contains(to) || math.Abs(v[0]) != 1 || math.Abs(v[1]) != 1 || hits < 0 {
			t.Fatalf("%v: end %v, v %v, hits %d, ok %v", b, to, v, hits, ok)
		}
	})
}

// What the closed form of the box and the products of the polytope do, the
// generic tracer does as well: kills a wrong parity, a stale product.
func TestClosedFormsAgreeWithTracing(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for _, s := range testShapes(t) {
		if _, ok := s.d.(interface {
			Reflector(rule Rule, cap int) (Reflector, error)
		}); !ok {
			continue
		}
		closed := must[Reflector](t)(NewReflector(s.d, Specular, 0))
		traced := must[Reflector](t)(NewReflector(faulty{s.d, 1, 0}.plain(), Specular, 0))
		d := len(s.inside)
		from := append([]float64(nil), s.inside...)
		for k := range 2000 {
			scale := s.size * math.Pow(10, float64(k%3)-1)
			a, v := make([]float64, d), make([]float64, d)
			for i, x := range from {
				a[i] = x + scale*rng.NormFloat64()
				v[i] = rng.NormFloat64()
			}
			b, u := append([]float64(nil), a...), append([]float64(nil), v...)
			hits, ok := closed.Reflect(from, a, v)
			more, okay := traced.Reflect(from, b, u)
			// 1e-9 of the path: rounding grows along up to a hundred mirrorings.
			if !ok || !okay || hits != more || distance(a, b) > 1e-9*scale || distance(u, v) > 1e-9 {
				t.Fatalf("%s: step %d from %v: %v, %v in %d (%v) or %v, %v in %d (%v) mirrorings", s.name, k, from, a, v, hits, ok, b, u, more, okay)
			}
			copy(from, a)
		}
	}
}

// plain hides the closed forms and faults of b.
func (b faulty) plain() Domain { return plain{b.Domain} }

type plain struct{ Domain }

// Mirroring is an involution and an isometry.
func TestMirrorIsAnInvolutionAndAnIsometry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SliceOfN(rapid.Float64Range(-3, 3), 4, 4).Filter(func(n []float64) bool { return norm(n) >= 1e-3 }).Draw(t, "n")
		a := rapid.SliceOfN(rapid.Float64Range(-3, 3), 4, 4).Draw(t, "a")
		b := append([]float64(nil), a...)
		mirror(b, n)
		if math.Abs(norm(a)-norm(b)) > 1e-14 || math.Abs(dot(a, n)+dot(b, n)) > 1e-13 {
			t.Fatalf("%v became %v", a, b)
		}
		mirror(b, n)
		if distance(a, b) > 1e-14 { // kills a mirror without the 2
			t.Fatalf("%v came back as %v", a, b)
		}
	})
}

// A half-space mirrors the end of the step in its wall, whatever the start.
func TestHalfSpaceMirrors(t *testing.T) {
	s := must[*polytope](t)(NewHalfSpace([]float64{3, 4}, 5))
	r := must[Reflector](t)(NewReflector(s, Specular, 0))
	to, v := []float64{1.6, 1.8}, []float64{3, 4}
	hits, ok := r.Reflect([]float64{0, 0}, to, v)
	// (1.6, 1.8) lies 1.4 beyond the wall: 2.8·(0.6, 0.8) back.
	if want := []float64{-0.08, -0.44}; !ok || hits != 1 || distance(to, want) > 1e-15 || distance(v, []float64{-3, -4}) > 1e-15 {
		t.Errorf("end %v after %d, v %v", to, hits, v)
	}
}

// A path into a wedge of angle α unfolds to a straight line through images of
// the wedge: it crosses ⌊π/α⌋ or ⌈π/α⌉ of them, and its end keeps the distance
// of the straight end to the apex. A cap below that gives the step up.
func TestWedgeNeedsPiOverAlphaMirrorings(t *testing.T) {
	for _, alpha := range []float64{1, 0.3, 0.05, 0.0101, 0.0035} {
		s, c := math.Sincos(alpha)
		w := must[*polytope](t)(NewPolytope([][]float64{{0, -1}, {-s, c}}, []float64{0, 0}, nil))
		from := []float64{10 * math.Cos(alpha/3), 10 * math.Sin(alpha/3)}
		end := []float64{-30, 0.1}
		for _, d := range []Domain{w, plain{w}} {
			r := must[Reflector](t)(NewReflector(d, Specular, 0))
			to := append([]float64(nil), end...)
			hits, ok := r.Reflect(from, to, nil)
			if k := math.Pi / alpha; !ok || float64(hits) < math.Floor(k)-1 || float64(hits) > math.Ceil(k) {
				t.Errorf("α = %g: %d mirrorings (ok %v), want about %.2f", alpha, hits, ok, k)
			}
			if math.Abs(norm(to)-norm(end)) > 1e-10 {
				t.Errorf("α = %g: the end is %.15g from the apex, want %.15g", alpha, norm(to), norm(end))
			}
			r = must[Reflector](t)(NewReflector(d, Specular, hits-1))
			copy(to, end)
			v := []float64{1, 2}
			if h, ok := r.Reflect(from, to, v); ok || h != hits-1 || !same(to, from) || v[0] != -1 || v[1] != -2 {
				t.Errorf("α = %g, cap %d: %d mirrorings, ok %v, end %v, v %v", alpha, hits-1, h, ok, to, v)
			}
		}
	}
}

// The normals are at right angles to the boundary: the chord between the exits
// of two neighbouring rays. The tolerance kills a normal turned by 2e-6.
func TestNormalsAgreeWithFiniteDifferences(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, s := range testShapes(t) {
		d, tr := len(s.inside), s.d.Tracer()
		if d == 1 {
			continue
		}
		n, dir, side, x := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		exit := func(h float64, q []float64) Wall {
			for i := range dir {
				x[i] = dir[i] + h*side[i]
			}
			at, w := tr.Exit(s.inside, x, None)
			for i, v := range s.inside {
				q[i] = v + at*x[i]
			}
			return w
		}
		checked := 0
		for range 500 {
			for i := range dir {
				dir[i], side[i] = 3*s.size*rng.NormFloat64(), s.size*rng.NormFloat64()
			}
			p, q, r := make([]float64, d), make([]float64, d), make([]float64, d)
			const h = 1e-5
			for i, l := 0, norm(dir)/norm(side); i < d; i++ {
				side[i] *= l
			}
			w := exit(0, p)
			if w == None {
				continue
			}
			tr.Normal(n, p, w)
			if math.Abs(norm(n)-1) > 1e-14 || dot(n, dir) < 0 {
				t.Fatalf("%s: normal %v at %v is not a unit vector outwards", s.name, n, p)
			}
			if exit(h, q) != w || exit(-h, r) != w || dot(n, dir) < 0.3*norm(dir) {
				continue
			}
			checked++
			for i := range q {
				q[i] -= r[i]
			}
			if slope := math.Abs(dot(q, n)) / norm(q); slope > 2e-6 {
				t.Errorf("%s: normal %v at %v is off by %.1e", s.name, n, p, slope)
				break
			}
		}
		if checked < 20 {
			t.Errorf("%s: only %d normals checked", s.name, checked)
		}
	}
}

// The point that Nearest finds outside a convex domain satisfies the variational
// inequality (x − p)·(u − p) ≤ 0 for all u ∈ Ω, which holds for the nearest
// point alone; p lies on the wall; inside, no wall is nearer.
func TestNearestIsNearest(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, s := range solidShapes(t) {
		if s.far || s.mean == nil {
			continue
		}
		d, tr := len(s.inside), s.d.Tracer()
		law := must[*Law](t)(Uniform(t.Context(), s.d))
		x, p, n, u, q := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		for range 300 {
			for i, v := range s.inside {
				x[i] = v + s.size*rng.NormFloat64()
			}
			inside := s.d.Contains(x)
			find := tr.Nearest
			if pr, ok := tr.(interface{ Project(p, n, x []float64) bool }); ok && !inside {
				find = pr.Project
			}
			if !find(p, n, x) || math.Abs(norm(n)-1) > 1e-12 {
				t.Fatalf("%s: no nearest point or no unit normal of %v: %v", s.name, x, n)
			}
			for i, v := range s.inside { // pull p in a little: it must lie inside then
				q[i] = p[i] + 1e-9*(v-p[i])
				u[i] = p[i] + 1e-9*(p[i]-v)
			}
			if !s.d.Contains(q) || s.d.Contains(u) {
				t.Fatalf("%s: %v, the nearest point to %v, is not on the wall", s.name, p, x)
			}
			gap := distance(x, p)
			for range 60 {
				if err := law.Draw(t.Context(), u, rng); err != nil {
					t.Fatal(err)
				}
				if !inside {
					c := 0.0
					for i := range u {
						c += (x[i] - p[i]) * (u[i] - p[i])
					}
					if c > 1e-9*gap*s.size {
						t.Fatalf("%s: %v is not nearest to %v: %v is nearer", s.name, p, x, u)
					}
					continue
				}
				for i := range u {
					u[i] = (u[i] - x[i]) * 10 * s.size
				}
				if at, w := tr.Exit(x, u, None); w != None && at*norm(u) < gap*(1-1e-9) {
					t.Fatalf("%s: a wall is %g from %v, nearer than %g", s.name, at*norm(u), x, gap)
				}
			}
		}
	}
}

// The axes and the centre of an ellipsoid, where the nearest point is not
// unique, still have one.
func TestEllipsoidNearestOnTheMedialAxis(t *testing.T) {
	e := must[*ellipsoid](t)(NewEllipsoid([]float64{0, 0, 0}, diagonal(0.25, 1, 4)))
	tr := e.Tracer()
	p, n := make([]float64, 3), make([]float64, 3)
	for _, c := range []struct {
		x    []float64
		dist float64
	}{
		{[]float64{0, 0, 0}, 0.5}, {[]float64{0, 0, 0.2}, 0.3}, {[]float64{0, 0.1, 0}, math.Sqrt(0.25 - 0.01/3)},
		{[]float64{3, 0, 0}, 1}, {[]float64{0, 0, 100}, 99.5}, {[]float64{1e-300, 0, 0}, 0.5},
	} {
		if !tr.Nearest(p, n, c.x) || math.Abs(distance(p, c.x)-c.dist) > 1e-9 || math.Abs(e.form(p)-1) > 1e-9 {
			t.Errorf("%v: nearest %v at %.12g, want %.12g", c.x, p, distance(p, c.x), c.dist)
		}
	}
}

func TestNewReflectorRefuses(t *testing.T) {
	b := must[*box](t)(NewBox([]float64{0}, []float64{1}))
	m := mappedShape(t).d
	for _, c := range []struct {
		d    Domain
		rule Rule
		cap  int
		says string
	}{
		{b, "mirror", 0, "not known"}, {b, Specular, -1, "at least 1"},
		{m, Nearest, 0, "use the boundary rule specular"}, {m, Project, 0, "use the boundary rule specular"},
	} {
		if _, err := NewReflector(c.d, c.rule, c.cap); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s, cap %d: %v, want %q", c.rule, c.cap, err, c.says)
		}
	}
	if _, err := NewReflector(m, Nearest, 0); !errors.Is(err, ErrNoNearest) {
		t.Errorf("%v does not wrap ErrNoNearest", err)
	}
	r := must[Reflector](t)(NewReflector(b, Free, 0))
	to := []float64{7}
	if hits, ok := r.Reflect([]float64{0.5}, to, nil); hits != 0 || !ok || to[0] != 7 {
		t.Errorf("free: %d, %v, %v", hits, ok, to)
	}
}
