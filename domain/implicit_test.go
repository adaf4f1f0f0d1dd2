package domain

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A formula is a surface for tests: g and its gradient as Go functions.
type formula struct {
	d    int
	g    func(x []float64) float64
	grad func(g, x []float64)
}

func (f formula) Dim() int                  { return f.d }
func (f formula) Bind() SurfaceEval         { return f }
func (f formula) Value(x []float64) float64 { return f.g(x) }
func (f formula) Gradient(g, x []float64) float64 {
	f.grad(g, x)
	return f.g(x)
}

// A curvedFormula knows its curvature.
type curvedFormula struct {
	formula
	k float64
}

func (b curvedFormula) Curvature() float64 { return b.k }

// sphere is sign·(|x|² − r²).
func sphere(d int, r, sign float64) curvedFormula {
	return curvedFormula{formula{d,
		func(x []float64) float64 { return sign * (dot(x, x) - r*r) },
		func(g, x []float64) {
			for i, v := range x {
				g[i] = sign * 2 * v
			}
		}}, 2}
}

// peanut is the inside of the Cassini oval |z² − a²| = b², a < b < a√2: one
// piece, not convex.
func peanut(a, b float64) formula {
	return formula{2,
		func(x []float64) float64 {
			r2 := x[0]*x[0] + x[1]*x[1]
			return r2*r2 - 2*a*a*(x[0]*x[0]-x[1]*x[1]) + a*a*a*a - b*b*b*b
		},
		func(g, x []float64) {
			r2 := x[0]*x[0] + x[1]*x[1]
			g[0] = 4*r2*x[0] - 4*a*a*x[0]
			g[1] = 4*r2*x[1] + 4*a*a*x[1]
		}}
}

// implicitShapes returns sets with known moments.
func implicitShapes(t testing.TB) []shape {
	box := func(d int, h float64) (lo, hi []float64) {
		for range d {
			lo, hi = append(lo, -h), append(hi, h)
		}
		return lo, hi
	}
	set := func(names []string, h float64, s ...Surface) *implicit {
		lo, hi := box(s[0].Dim(), h)
		return must[*implicit](t)(NewImplicit(s, names, lo, hi))
	}
	annulus := set([]string{"x^2 + y^2 <= 4", "x^2 + y^2 >= 1"}, 2, sphere(2, 2, 1), sphere(2, 1, -1))
	blind := set([]string{"x^2 + y^2 <= 4", "x^2 + y^2 >= 1"}, 2, sphere(2, 2, 1).formula, sphere(2, 1, -1).formula)
	oval := set([]string{"|z^2 - 1| <= 1.1^2"}, 1.6, peanut(1, 1.1))
	shell := set([]string{"|x| <= 1.5", "|x| >= 0.5"}, 1.5, sphere(3, 1.5, 1), sphere(3, 0.5, -1))
	_, _, second := polygonMoments(sampled(peanutPoint, 1<<14))
	third := 3.0 / 5 * (math.Pow(1.5, 5) - math.Pow(0.5, 5)) / (math.Pow(1.5, 3) - math.Pow(0.5, 3)) / 3
	return []shape{
		{name: "annulus", d: annulus, inside: []float64{1.5, 0}, inradius: 0.5, size: 4, volume: 3 * math.Pi, mean: []float64{0, 0},
			second: []float64{1.25, 1.25}},
		{name: "annulus of unknown curvature", d: blind, inside: []float64{1.5, 0}, inradius: 0.5, size: 4, volume: 3 * math.Pi,
			mean: []float64{0, 0}, second: []float64{1.25, 1.25}},
		{name: "peanut", d: oval, inside: []float64{1, 0}, inradius: 0.45, size: 3, mean: []float64{0, 0}, second: second},
		{name: "quadrics", d: set([]string{"x^2 + y^2 <= 4", "x^2 + y^2 >= 1"}, 2, disc(t, 2, 1), disc(t, 1, -1)), inside: []float64{1.5, 0},
			inradius: 0.5, size: 4, volume: 3 * math.Pi, mean: []float64{0, 0}, second: []float64{1.25, 1.25}},
		logarithms(t), mixed(t),
		{name: "shell", d: shell, inside: []float64{1, 0, 0}, inradius: 0.5, size: 3, volume: 4.0 / 3 * math.Pi * (3.375 - 0.125),
			mean: []float64{0, 0, 0}, second: []float64{third, third, third}},
	}
}

// quadric is the surface with these derivatives at 0, in coordinates of which some
// are logarithms.
func bent(t testing.TB, value float64, gradient []float64, hessian [][]float64, logarithm ...bool) Surface {
	t.Helper()
	return must[*quadric](t)(NewQuadric(make([]float64, len(logarithm)), value, gradient,
		hessian)).InLogarithms(func(j int) bool { return logarithm[j] })
}

// disc is sign·(|x|² − r²) ≤ 0 in the plane.
func disc(t testing.TB, r, sign float64) Surface {
	return bent(t, -sign*r*r, nil, [][]float64{{2 * sign, 0}, {0, 2 * sign}}, false, false)
}

// logarithms is e^x + e^y ≤ 1, x and y at least −3.
func logarithms(t testing.TB) shape {
	least := math.Exp(-3)
	d := must[*implicit](t)(NewImplicit([]Surface{
		bent(t, -1, []float64{1, 1}, nil, true, true),
		bent(t, least, []float64{-1, 0}, nil, true, true),
		bent(t, least, []float64{0, -1}, nil, true, true),
	}, []string{"a + b <= 1", "a >= exp(-3)", "b >= exp(-3)"}, []float64{-3, -3}, []float64{0, 0}))
	s := below(-3, math.Log(1-least), -3, func(x float64) float64 { return math.Log(1 - math.Exp(x)) })
	s.name, s.d, s.inside, s.inradius, s.size = "logarithms", d, []float64{-1.5, -1.5}, 0.5, 3
	return s
}

// mixed is y e^x ≤ 1 and y ≥ 0 for −1 ≤ x ≤ 1.
func mixed(t testing.TB) shape {
	d := must[*implicit](t)(NewImplicit([]Surface{
		bent(t, -1, nil, [][]float64{{0, 1}, {1, 0}}, true, false),
		bent(t, 0, []float64{0, -1}, nil, true, false),
		bent(t, -math.E, []float64{1, 0}, nil, true, false),
		bent(t, 1/math.E, []float64{-1, 0}, nil, true, false),
	}, []string{"a*y <= 1", "y >= 0", "a <= e", "a >= 1/e"}, []float64{-1, 0}, []float64{1, math.E}))
	s := below(-1, 1, 0, func(x float64) float64 { return math.Exp(-x) })
	s.name, s.d, s.inside, s.inradius, s.size = "mixed", d, []float64{0, 0.4}, 0.3, 2
	return s
}

// below has the moments of lo ≤ x ≤ hi, floor ≤ y ≤ top(x), by the midpoint rule.
func below(lo, hi, floor float64, top func(x float64) float64) shape {
	s := shape{mean: make([]float64, 2), second: make([]float64, 2)}
	const n = 1 << 16
	for k := range n {
		x := lo + (hi-lo)*(float64(k)+0.5)/n
		y := top(x)
		w := (hi - lo) / n
		s.volume += w * (y - floor)
		s.mean[0] += w * x * (y - floor)
		s.second[0] += w * x * x * (y - floor)
		s.mean[1] += w * (y*y - floor*floor) / 2
		s.second[1] += w * (y*y*y - floor*floor*floor) / 3
	}
	for j := range 2 {
		s.mean[j] /= s.volume
		s.second[j] /= s.volume
	}
	return s
}

// peanutPoint is the Cassini oval with a = 1, b = 1.1 in polar form.
func peanutPoint(th float64) (x, y float64) {
	s, c := math.Sincos(th)
	c2 := math.Cos(2 * th)
	r := math.Sqrt(c2 + math.Sqrt(c2*c2-1+1.1*1.1*1.1*1.1))
	return r * c, r * s
}

// Specular reflection keeps the uniform law on implicit sets, convex or not:
// E[f(end) − f(start)] = 0 from uniform starts, and E r² is exact. 4·2·3 scores
// at |z| < 5.5 (false alarm 1e-6) kill a missed excursion into the hole and a
// normal of the wrong wall.
func TestImplicitSpecularKeepsTheUniformLaw(t *testing.T) {
	replicas := pace.Soak(8000, 400000)
	for _, s := range implicitShapes(t) {
		d := s.d.Dim()
		lo, hi, x, to := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		s.d.Bounds(lo, hi)
		exact := 0.0
		for _, v := range s.second {
			exact += v
		}
		for i, sd := range []float64{0.17, 0.35} {
			r := must[Reflector](t)(NewReflector(s.d, Specular, 0))
			rng := rand.New(rand.NewPCG(31, uint64(i)))
			var sum, square [3]float64
			for range replicas {
				uniformIn(s.d, rng, x, lo, hi)
				x0, r0 := x[0]*x[0], dot(x, x)
				for range 5 {
					for k := range to {
						to[k] = x[k] + sd*rng.NormFloat64()
					}
					if _, ok := r.Reflect(x, to, nil); !ok {
						t.Errorf("%s: a step from %v was given up", s.name, x)
					}
					copy(x, to)
				}
				for k, v := range [3]float64{dot(x, x) - exact, dot(x, x) - r0, x[0]*x[0] - x0} {
					sum[k] += v
					square[k] += v * v
				}
			}
			n := float64(replicas)
			for k := range sum {
				mean := sum[k] / n
				if z := mean / math.Sqrt((square[k]/n-mean*mean)/n); !(math.Abs(z) < 5.5) {
					t.Errorf("%s, step sd %v: mean %d is off by %v, z = %.1f", s.name, sd, k, mean, z)
				}
			}
		}
	}
}

// Exit agrees with marching by membership, as for curves; for the sets whose
// curvature is not known, up to excursions shorter than the documented
// substep/64.
func TestImplicitExitAgainstMarching(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(3, 1))
	const samples = 400
	for _, s := range implicitShapes(t) {
		d := s.d.Dim()
		tr := s.d.Tracer()
		lo, hi, x, dir, y := make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d), make([]float64, d)
		s.d.Bounds(lo, hi)
		for range pace.Soak(3000, 100000) {
			uniformIn(s.d, rng, x, lo, hi)
			length := s.size * math.Exp(-6*rng.Float64())
			for k := range dir {
				dir[k] = rng.NormFloat64()
			}
			l := norm(dir)
			for k := range dir {
				dir[k] *= length / l
				y[k] = x[k] + dir[k]
			}
			if tr.Clear(x, y) && march(s.d, x, dir, samples) <= 1 {
				t.Fatalf("%s: %v → %v is not clear", s.name, x, y)
			}
			e, w := tr.Exit(x, dir, None)
			first := march(s.d, x, dir, samples)
			if w == None {
				if first <= 1 {
					t.Fatalf("%s: path %v + t %v is outside at %v; Exit sees nothing", s.name, x, dir, first)
				}
				continue
			}
			if first < e-1e-12 {
				t.Fatalf("%s: path %v + t %v is outside at %v, Exit says %v", s.name, x, dir, first, e)
			}
			for k := range y {
				y[k] = x[k] + e*dir[k]
			}
			// The set lets the tracer stop on its side of the wall.
			if v := s.d.(*implicit).surfaces[w].Bind().Value(y); math.Abs(v) > 1e-13 {
				t.Fatalf("%s: Exit ends where g = %v", s.name, v)
			}
		}
	}
}

// An excursion of depth δ through the hole of the annulus is found down to
// δ = 1e-12 where the curvature is known, and where it is not when it is longer
// than substep/64.
func TestImplicitTangentialExcursion(t *testing.T) {
	shapes := implicitShapes(t)
	for i, limit := range []float64{1e-12, 1e-5} {
		tr := shapes[i].d.Tracer()
		for depth := 1e-2; depth >= limit; depth /= 10 {
			for _, start := range []float64{-0.5, -0.6123, -0.0911} {
				for _, side := range []float64{1, -1} {
					_, w := tr.Exit([]float64{start, 1 - side*depth}, []float64{1.03, 0}, None)
					if hit := w == 1; hit != (side > 0) && w != 0 {
						t.Errorf("%s: depth %v from %v: crossing seen: %v", shapes[i].name, side*depth, start, hit)
					}
				}
			}
		}
	}
}

// The next hit from the wall of a circle is the chord 2R sin α.
func TestImplicitChordFromTheWall(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for _, s := range implicitShapes(t)[:2] {
		tr := s.d.Tracer()
		for range 2000 {
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			alpha := math.Exp(-9 * rng.Float64())
			if alpha > 0.5 {
				continue // it would meet the hole
			}
			a, b := math.Sincos(alpha)
			x := []float64{2 * cos, 2 * sin}
			dir := []float64{5 * (-a*cos - b*sin), 5 * (-a*sin + b*cos)}
			e, w := tr.Exit(x, dir, 0)
			if want := 4 * a / 5; w != 0 || math.Abs(e-want) > 1e-12*want+1e-15/a {
				t.Fatalf("%s: α = %v: next hit at %v (wall %d), want %v", s.name, alpha, e, w, want)
			}
		}
	}
}

// Nearest points are on the wall, with x − p along the normal, outwards outside, and as near
// as the best of many points of the wall when x is close to it.
func TestImplicitNearest(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(3, 3))
	for _, s := range implicitShapes(t) {
		d := s.d.Dim()
		tr := s.d.Tracer()
		p, n, x := make([]float64, d), make([]float64, d), make([]float64, d)
		wall := sampled(peanutPoint, 20000)
		found := 0
		for range 2000 {
			for k := range x {
				x[k] = 0.6 * s.size * (2*rng.Float64() - 1)
			}
			if !tr.Nearest(p, n, x) {
				continue
			}
			found++
			gap, slack := distance(p, x), 1e-7
			var want float64
			switch r := norm(x); s.name {
			case "logarithms", "mixed":
				want = gap // of planes among curved walls no formula is at hand
			case "peanut":
				want, _ = denseWinding(wall, x[0], x[1])
				slack = 2e-4 // half the spacing of the points
				if want > 0.1 {
					continue // local answers only
				}
			case "shell":
				want = math.Min(math.Abs(r-1.5), math.Abs(r-0.5))
			default:
				want = math.Min(math.Abs(r-2), math.Abs(r-1))
			}
			if math.Abs(gap-want) > slack {
				t.Fatalf("%s: nearest to %v at distance %v, want %v", s.name, x, gap, want)
			}
			side := 0.0
			for k := range x {
				side += (x[k] - p[k]) * n[k]
			}
			if s.d.Contains(x) {
				side = -side
			}
			if math.Abs(side-gap) > 1e-8*gap+1e-12 {
				t.Fatalf("%s: %v is %.3g from its wall along the normal, and %.3g in all", s.name, x, side, gap)
			}
		}
		if found < 1800 {
			t.Errorf("%s: nearest point found for %d of 2000 points", s.name, found)
		}
	}
}

// Steps of all sizes end inside under every rule.
func TestImplicitStepsEndInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, s := range implicitShapes(t) {
		d := s.d.Dim()
		for _, rule := range []Rule{Specular, Nearest, Refuse, Project} {
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			x, to := append([]float64(nil), s.inside...), make([]float64, d)
			small, given := 0, 0
			for range pace.Soak(4000, 1000000) {
				tiny := rng.IntN(2) == 0
				sd := s.inradius * 0.05
				if !tiny {
					sd = s.size * math.Exp(-12*rng.Float64()+1)
				}
				for k := range to {
					to[k] = x[k] + sd*rng.NormFloat64()
				}
				_, ok := r.Reflect(x, to, nil)
				if !s.d.Contains(to) {
					t.Fatalf("%s, %s: from %v to %v", s.name, rule, x, to)
				}
				if rule == Specular && tiny {
					small++
					if !ok {
						given++
					}
				}
				copy(x, to)
			}
			if given > 0 {
				t.Errorf("%s: %d of %d small steps given up", s.name, given, small)
			}
		}
	}
}

// NaN is outside; bad arguments are refused.
func TestImplicitRefuses(t *testing.T) {
	inf := math.Inf(1)
	log := formula{1, func(x []float64) float64 { return math.Log(x[0]) }, func(g, x []float64) { g[0] = 1 / x[0] }}
	m := must[*implicit](t)(NewImplicit([]Surface{log}, []string{"log(x) <= 0"}, []float64{-inf}, []float64{inf}))
	for _, x := range []float64{-1, 2, math.NaN(), inf, -inf} {
		if m.Contains([]float64{x}) {
			t.Errorf("contains %v", x)
		}
	}
	if !m.Contains([]float64{0.5}) || !m.Contains([]float64{1}) {
		t.Error("0.5 or 1 is not inside")
	}
	if e, w := m.Tracer().Exit([]float64{0.5}, []float64{-2}, None); w != 0 || math.Abs(e-0.25) > 1e-9 {
		t.Errorf("leaves where log is not defined at %v (wall %d), want 0.25", e, w)
	}
	for _, c := range []struct {
		err  func() error
		want string
	}{
		{func() error { _, e := NewImplicit(nil, nil, nil, nil); return e }, "no surfaces"},
		{func() error { _, e := NewImplicit([]Surface{log}, nil, nil, nil); return e }, "names"},
		{func() error { _, e := NewImplicit([]Surface{log}, []string{"a"}, nil, nil); return e }, "bounds of length"},
		{func() error {
			_, e := NewImplicit([]Surface{log}, []string{"a"}, []float64{1}, []float64{0})
			return e
		}, "empty"},
		{func() error {
			_, e := NewImplicit([]Surface{log, peanut(1, 1.1)}, []string{"a", "b"}, []float64{0}, []float64{1})
			return e
		}, "dimension"},
	} {
		if err := c.err(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want a message with %q", err, c.want)
		}
	}
}

// Reflection in an implicit set allocates nothing.
func TestImplicitAllocatesNothing(t *testing.T) {
	for _, s := range implicitShapes(t) {
		d := s.d.Dim()
		tr := s.d.Tracer()
		rng := rand.New(rand.NewPCG(3, 6))
		dir, n, p := make([]float64, d), make([]float64, d), make([]float64, d)
		if a := testing.AllocsPerRun(500, func() {
			for k := range dir {
				dir[k] = rng.NormFloat64()
			}
			if _, w := tr.Exit(s.inside, dir, None); w != None {
				tr.Normal(n, s.inside, w)
			}
			tr.Nearest(p, n, s.inside)
		}); a != 0 {
			t.Errorf("%s: %v allocations", s.name, a)
		}
	}
}
