package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// What is called convex is (midpoints of points of Ω lie in Ω), and of the test
// shapes every one that is convex and of a known kind is called so.
func TestConvex(t *testing.T) {
	not := map[string]bool{"flower": true, "heart": true, "cross": true, "star": true, "saw": true}
	rng := rand.New(rand.NewPCG(41, 1))
	for _, s := range testShapes(t) {
		_, implicit := s.d.(*implicit)
		if got := Convex(s.d); got == (not[s.name] || implicit) {
			t.Errorf("%s: convex is %v", s.name, got)
		}
		if !Convex(s.d) || s.mean == nil {
			continue
		}
		law, n := must[*Law](t)(Uniform(t.Context(), s.d)), s.d.Dim()
		x, y := make([]float64, n), make([]float64, n)
		for range 300 {
			if law.Draw(t.Context(), x, rng) != nil || law.Draw(t.Context(), y, rng) != nil {
				t.Fatal(s.name)
			}
			for i := range x {
				x[i] = 0.5*x[i] + 0.5*y[i]
			}
			if !s.d.Contains(x) {
				t.Fatalf("%s: called convex, but not with %v", s.name, x)
			}
		}
	}
}

// A flower is convex from offset 1 + petals² on: the curvature of r = sin pθ + o
// is least at sin pθ = −1, where its sign is that of (o − 1)(o − 1 − p²). The
// margins kill a bound of the curvature that leaves gaps or is too coarse.
func TestConvexFlowers(t *testing.T) {
	for _, petals := range []int{1, 2, 5} {
		limit := 1 + float64(petals*petals)
		for share, want := range map[float64]bool{0.995: false, 1.005: true, 0.6: false} {
			offset := 1 + (limit-1)*share
			if got := Convex(must[*curve](t)(NewFlower(petals, offset, 2))); got != want {
				t.Errorf("%d petals, offset %g: convex is %v", petals, offset, got)
			}
		}
	}
}

// Curvature alone is not enough: two discs that overlap have inward corners where
// they meet. A clockwise ellipse is convex; one with a straight piece is not
// certain.
func TestConvexCurves(t *testing.T) {
	two := func(theta float64) (x, y float64) { // centres ±1, radius √2, corners at (0, ±1)
		side := 1.0
		if theta > math.Pi {
			side, theta = -1, theta-math.Pi
		}
		sin, cos := math.Sincos(1.5*theta - 0.75*math.Pi)
		return side * (1 + math.Sqrt2*cos), side * math.Sqrt2 * sin
	}
	stadium := func(theta float64) (x, y float64) {
		u := theta / (math.Pi / 2)
		k := math.Min(math.Floor(u), 3)
		f := u - k
		sin, cos := math.Sincos(math.Pi * (f - 0.5))
		switch int(k) {
		case 0:
			return 1 + cos, sin
		case 1:
			return 1 - 2*f, 1
		case 2:
			return -1 - cos, -sin
		}
		return -1 + 2*f, -1
	}
	for name, c := range map[string]struct {
		gamma func(float64) (float64, float64)
		want  bool
	}{
		"two discs": {two, false},
		"clockwise": {func(t float64) (float64, float64) { return 3 * math.Cos(-t), 1 + math.Sin(-t) }, true},
		"thin":      {func(t float64) (float64, float64) { return 50 * math.Cos(t), math.Sin(t) }, true},
		"stadium":   {stadium, false},
	} {
		if got := Convex(must[*curve](t)(NewCurve(name, c.gamma))); got != c.want {
			t.Errorf("%s: convex is %v", name, got)
		}
	}
}

// A polygon on an ellipse is convex, in either order and with vertices along its
// edges; a vertex drawn in by any part that floating-point numbers show is not.
func TestConvexPolygons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 30).Draw(t, "vertices")
		v := make([][2]float64, n)
		for i := range v {
			sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
			v[i] = [2]float64{3 * cos, sin}
		}
		k := rapid.IntRange(0, n-1).Draw(t, "in")
		a, b := v[(k+n-1)%n], v[(k+1)%n]
		bend := rapid.SampledFrom([]float64{-1, 0, 1e-12, 0.1}).Draw(t, "bend")
		if bend >= 0 { // bend 0 is the middle of the chord, by rounding on either side of it
			v[k] = [2]float64{(1 - bend) * (a[0] + b[0]) / 2, (1 - bend) * (a[1] + b[1]) / 2}
		}
		if bend == 0 && orient(a, v[k], b) != 0 {
			return
		}
		if rapid.Bool().Draw(t, "clockwise") {
			for i := range n / 2 {
				v[i], v[n-1-i] = v[n-1-i], v[i]
			}
		}
		p := &polygon{v: v, normal: make([][2]float64, n)}
		p.measure()
		if got := Convex(p); got != (bend <= 0) {
			t.Fatalf("%d vertices, number %d drawn in by %g: convex is %v", n, k, bend, got)
		}
	})
}

// Images, products and intersections are convex if all their members are.
func TestConvexComposites(t *testing.T) {
	ball, star := must[*ball](t)(NewBall([]float64{0, 0}, 1)), must[*polygon](t)(NewStar(1))
	octagon := must[*polygon](t)(NewOctagon(1))
	skew := mat.NewDense(2, 2, []float64{1, 0.5, 0, 2})
	for _, c := range []struct {
		d    Domain
		want bool
	}{
		{must[Domain](t)(NewIntersection(ball, octagon)), true},
		{must[Domain](t)(NewIntersection(ball, star)), false},
		{must[*product](t)(NewProduct(5, Part{ball, []int{4, 0}}, Part{octagon, []int{1, 3}})), true},
		{must[*product](t)(NewProduct(4, Part{ball, []int{3, 0}}, Part{star, []int{1, 2}})), false},
		{must[Domain](t)(Affine(octagon, []float64{1, 2}, skew)), true},
		{must[Domain](t)(Affine(star, []float64{1, 2}, skew)), false},
		{faulty{ball, 1, 0}.plain(), false},
	} {
		if got := Convex(c.d); got != c.want {
			t.Errorf("%T: convex is %v", c.d, got)
		}
	}
}
