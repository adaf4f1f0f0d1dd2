package domain

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// march follows a segment by membership alone and returns the first sample
// outside, or 2.
func march(d Domain, x, dir []float64, samples int) float64 {
	y := make([]float64, len(x))
	for i := 1; i <= samples; i++ {
		s := float64(i) / float64(samples)
		for k := range y {
			y[k] = x[k] + s*dir[k]
		}
		if !d.Contains(y) {
			return s
		}
	}
	return 2
}

// Exit agrees with marching along the segment by membership: no sample before t
// is outside, the path is outside right after t, and the point at t is on the
// wall to rounding. Segments of all lengths, most with several crossings: kills
// a later crossing taken for the first, and excursions that are missed.
func TestPlaneExitAgainstMarching(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	const samples = 400
	for _, s := range planeShapes(t) {
		tr := s.d.Tracer()
		lo, hi := make([]float64, 2), make([]float64, 2)
		s.d.Bounds(lo, hi)
		x, dir, y := make([]float64, 2), make([]float64, 2), make([]float64, 2)
		p, n := make([]float64, 2), make([]float64, 2)
		for range pace.Soak(3000, 100000) {
			uniformIn(s.d, rng, x, lo, hi)
			length := s.size * math.Exp(-6*rng.Float64())
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			dir[0], dir[1] = length*cos, length*sin
			e, w := tr.Exit(x, dir, None)
			first := march(s.d, x, dir, samples)
			if w == None {
				if first <= 1 {
					t.Fatalf("%s: path %v + t %v is outside at %v; Exit sees nothing", s.name, x, dir, first)
				}
				continue
			}
			if !(e >= 0 && e <= 1) || first < e-1e-12 {
				t.Fatalf("%s: path %v + t %v is outside at %v, Exit says %v", s.name, x, dir, first, e)
			}
			for k := range y {
				y[k] = x[k] + e*dir[k]
			}
			tr.Normal(n, y, w)
			if up := n[0]*dir[0] + n[1]*dir[1]; up < 0 {
				t.Fatalf("%s: leaves against the normal: %v", s.name, up)
			} else if after := 1e-13 / math.Max(up/length, 1e-6); s.d.Contains([]float64{y[0] + after*cos, y[1] + after*sin}) && up/length > 1e-3 {
				t.Fatalf("%s: still inside after leaving %v + t %v at %v", s.name, x, dir, e)
			}
			tr.Nearest(p, n, y)
			if gap := math.Hypot(p[0]-y[0], p[1]-y[1]); gap > 1e-14 {
				t.Fatalf("%s: Exit ends %v from the wall", s.name, gap)
			}
		}
	}
}

// A path along the inward bulge between two petals that cuts through it to a
// depth of 1e-12 (1e-6 long) is found; one that stays 1e-12 clear is not.
func TestFlowerTangentialExcursion(t *testing.T) {
	c := must[*curve](t)(NewFlower(5, 3, 2))
	tr := c.Tracer()
	s := 2 / 3.5
	for _, depth := range []float64{1e-4, 1e-8, 1e-12} {
		for petal := range 5 {
			// The bulge reaches in to radius 2s at 5θ = 3π/2; the tangent is
			// across the radius.
			theta := (1.5*math.Pi + 2*math.Pi*float64(petal)) / 5
			sin, cos := math.Sincos(theta)
			for _, side := range []float64{-1, 1} {
				r := 2*s + side*depth
				x := []float64{r*cos + 0.05*sin, r*sin - 0.05*cos}
				dir := []float64{-0.1 * sin, 0.1 * cos}
				e, w := tr.Exit(x, dir, None)
				if hit := w != None; hit != (side > 0) {
					t.Fatalf("depth %v, petal %d: crossing seen: %v", side*depth, petal, hit)
				}
				if side > 0 {
					// half chord √(2Rδ), R = 0.0994
					half := (0.5 - e) * 0.1
					if want := math.Sqrt(2 * 0.09938 * depth); math.Abs(half/want-1) > 0.1 {
						t.Errorf("depth %v: half chord %v, want about %v", depth, half, want)
					}
				}
			}
		}
	}
}

// On a circle, the next hit from the wall is a chord: t = 2R sin α for a path
// at the angle α to the tangent, down to α = 1e-7 (kills a window around the old
// hit in which the new one is lost).
func TestCurveChordFromTheWall(t *testing.T) {
	pace.Slow(t)
	circle := must[*curve](t)(NewCurve("circle", func(th float64) (float64, float64) {
		s, c := math.Sincos(th)
		return 0.4 + 1.5*c, -0.3 + 1.5*s
	}))
	tr := circle.Tracer()
	rng := rand.New(rand.NewPCG(2, 2))
	n := make([]float64, 2)
	for range 5000 {
		phi := 2 * math.Pi * rng.Float64()
		out := []float64{3 * math.Cos(phi), 3 * math.Sin(phi)}
		x := []float64{0.4, -0.3}
		e, w := tr.Exit(x, out, None)
		if w != 0 || math.Abs(e-0.5) > 1e-15 {
			t.Fatalf("exit at %v", e)
		}
		x[0] += e * out[0]
		x[1] += e * out[1]
		tr.Normal(n, x, w)
		alpha := math.Exp(-16 * rng.Float64())
		sin, cos := math.Sincos(alpha)
		if rng.IntN(2) == 0 {
			cos = -cos
		}
		dir := []float64{4 * (-sin*n[0] - cos*n[1]), 4 * (-sin*n[1] + cos*n[0])}
		e, w = tr.Exit(x, dir, w)
		if want := 3 * sin / 4; w != 0 || math.Abs(e-want) > 1e-8*want+1e-14/sin*1e-1 {
			t.Fatalf("α = %v: next hit at %v (wall %d), want %v", alpha, e, w, want)
		}
	}
}

// A path aimed exactly at a vertex does not leak, whatever the vertex.
func TestPolygonVertexDoesNotLeak(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(2, 3))
	for _, s := range planeShapes(t) {
		p, ok := s.d.(*polygon)
		if !ok {
			continue
		}
		r := must[Reflector](t)(NewReflector(p, Specular, 0))
		tr := p.Tracer()
		lo, hi, x := make([]float64, 2), make([]float64, 2), make([]float64, 2)
		p.Bounds(lo, hi)
		given, paths := 0, pace.Soak(20000, 1000000)
		for range paths {
			uniformIn(p, rng, x, lo, hi)
			v := p.v[rng.IntN(len(p.v))]
			stretch := []float64{1, 1 + 1e-12, 2, 16}[rng.IntN(4)]
			to := []float64{x[0] + stretch*(v[0]-x[0]), x[1] + stretch*(v[1]-x[1])}
			if _, w := tr.Exit(x, []float64{to[0] - x[0], to[1] - x[1]}, None); w == None && !p.Contains(to) && stretch > 1.5 {
				t.Fatalf("%s: path from %v through vertex %v leaks", s.name, x, v)
			}
			if _, ok := r.Reflect(x, to, nil); !ok && stretch > 1.5 {
				given++
			}
			if !p.Contains(to) {
				t.Fatalf("%s: %v is outside", s.name, to)
			}
		}
		// A step that ends on the wall by chance may be outside by rounding.
		if float64(given) > 2e-5*float64(paths) {
			t.Errorf("%s: %d of %d steps through vertices given up", s.name, given, paths)
		}
	}
}

// orient is exact: it agrees with rational arithmetic on points that are almost
// or exactly on a line (kills the filter alone).
func TestOrientIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		coordinate := rapid.Custom(func(t *rapid.T) float64 {
			v := float64(rapid.IntRange(-8, 8).Draw(t, "v"))
			for range rapid.IntRange(0, 2).Draw(t, "ulps") {
				v = math.Nextafter(v, 100)
			}
			return v
		})
		point := func(name string) [2]float64 {
			return [2]float64{coordinate.Draw(t, name+"x"), coordinate.Draw(t, name+"y")}
		}
		a, b, c := point("a"), point("b"), point("c")
		r := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
		sub := func(x, y float64) *big.Rat { return new(big.Rat).Sub(r(x), r(y)) }
		det := new(big.Rat).Sub(
			new(big.Rat).Mul(sub(a[0], c[0]), sub(b[1], c[1])),
			new(big.Rat).Mul(sub(a[1], c[1]), sub(b[0], c[0])))
		if got := orient(a, b, c); got != det.Sign() {
			t.Fatalf("orient(%v, %v, %v) = %d, want %d", a, b, c, got, det.Sign())
		}
	})
}

// The wall of a polygon belongs to it, exactly.
func TestPolygonWallIsInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	l := must[*polygon](t)(NewPolygon([][2]float64{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 3}, {0, 3}}))
	for range 1000 {
		u := rng.Float64()
		for _, x := range [][]float64{{2 * u, 0}, {2, u}, {1 + u, 1}, {1, 1 + 2*u}, {u, 3}, {0, 3 * u}, {0, 0}, {2, 1}, {1, 1}} {
			if !l.Contains(x) {
				t.Fatalf("%v is on the wall and said to be outside", x)
			}
		}
		for _, x := range [][]float64{{2 * u, -5e-324}, {math.Nextafter(2, 3), u}, {1.5, math.Nextafter(1, 2)},
			{math.Nextafter(1, 2), 1 + 1e-9 + u}} {
			if l.Contains(x) {
				t.Fatalf("%v is outside by one ulp and said to be inside", x)
			}
		}
	}
}

// Random steps of all sizes end inside, never NaN; steps up to a tenth of the
// inradius are practically never given up (10⁸ of them, all shapes and rules
// together, under R2SGLD_SOAK=1).
func TestPlaneStepsEndInside(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 5))
	shapes := planeShapes(t)
	rules := []Rule{Specular, Nearest, Refuse, Project}
	steps := pace.Soak(300000, 100000000) / (len(shapes) * len(rules))
	small, fallbacks := 0, 0
	for _, s := range shapes {
		for _, rule := range rules {
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			x, to, v := append([]float64(nil), s.inside...), make([]float64, 2), make([]float64, 2)
			for range steps {
				tiny := rng.IntN(2) == 0
				sd := s.inradius * 0.05
				if !tiny {
					sd = s.size * math.Exp(-12*rng.Float64()+1)
				}
				for k := range to {
					v[k] = sd * rng.NormFloat64()
					to[k] = x[k] + v[k]
				}
				l := math.Hypot(v[0], v[1])
				_, ok := r.Reflect(x, to, v)
				if !s.d.Contains(to) || math.IsNaN(to[0]+to[1]+v[0]+v[1]) || math.Abs(math.Hypot(v[0], v[1])-l) > 1e-9*l {
					t.Fatalf("%s, %s: from %v to %v, v %v", s.name, rule, x, to, v)
				}
				if rule == Specular && tiny && l <= s.inradius/10 {
					small++
					if !ok {
						fallbacks++
						t.Logf("%s: given up at %v", s.name, x)
					}
				}
				copy(x, to)
			}
		}
	}
	t.Logf("specular, steps up to inradius/10: %d fallbacks in %d", fallbacks, small)
	if float64(fallbacks) > 1e-7*float64(small)+0.5 {
		t.Errorf("%d fallbacks in %d small steps", fallbacks, small)
	}
}

// The hot path allocates nothing.
func TestPlaneStepsAllocateNothing(t *testing.T) {
	for _, s := range planeShapes(t) {
		for _, rule := range []Rule{Specular, Nearest, Project} {
			r := must[Reflector](t)(NewReflector(s.d, rule, 0))
			rng := rand.New(rand.NewPCG(2, 6))
			x, to, v := append([]float64(nil), s.inside...), make([]float64, 2), make([]float64, 2)
			if n := testing.AllocsPerRun(2000, func() {
				for k := range to {
					v[k] = 0.2 * s.size * rng.NormFloat64()
					to[k] = x[k] + v[k]
				}
				r.Reflect(x, to, v)
				copy(x, to)
			}); n != 0 {
				t.Errorf("%s, %s: %v allocations a step", s.name, rule, n)
			}
		}
	}
}
