package mesh

import (
	"context"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
)

func must[D domain.Domain](t testing.TB) func(D, error) D {
	return func(d D, err error) D {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// areaOf is the area of a plane domain that knows it.
func areaOf(d domain.Domain) float64 {
	log, _, err := domain.Volume(context.Background(), d, nil)
	if err != nil {
		panic(err)
	}
	return math.Exp(log)
}

type shape struct {
	name string
	d    domain.Domain
	area float64
}

func shapes(t testing.TB) []shape {
	flower := must[domain.Domain](t)(domain.NewFlower(5, 3, 2))
	heart := must[domain.Domain](t)(domain.NewHeart(2))
	star := must[domain.Domain](t)(domain.NewStar(2))
	octagon := must[domain.Domain](t)(domain.NewOctagon(2))
	cross := must[domain.Domain](t)(domain.NewCross(2))
	turned := must[domain.Domain](t)(domain.NewPolygon([][2]float64{{0, 0}, {3, 4}, {-5, 10}, {-8, 6}}))
	return []shape{
		{"flower", flower, math.Pi * 4 / 12.25 * 9.5},
		{"heart", heart, 1.8 * math.Pi * 4},
		{"star", star, areaOf(star)},
		{"octagon", octagon, 8 * math.Sqrt2},
		{"cross", cross, areaOf(cross)},
		{"rectangle turned", turned, 50},
		{"ball", must[domain.Domain](t)(domain.NewBall([]float64{4, -1}, 0.5)), math.Pi / 4},
		{"box", must[domain.Domain](t)(domain.NewBox([]float64{-1, 2}, []float64{3, 2.5})), 2},
		{"simplex", must[domain.Domain](t)(domain.NewSimplex(2, 3)), 4.5},
	}
}

// The cells add up to the exact area: 1e-9 is far below one lost sliver of a
// thousandth of a cell.
func TestAreas(t *testing.T) {
	for _, s := range shapes(t) {
		for _, n := range []int{2, 3, 7, 16, 61, 100} {
			m, err := New(t.Context(), s.d, n)
			if err != nil {
				t.Errorf("%s, %d: %v", s.name, n, err)
				continue
			}
			if got := m.Total(); math.Abs(got-s.area) > 1e-9 {
				t.Errorf("%s, %d: area %v, want %v", s.name, n, got, s.area)
			}
		}
	}
}

// Of curves the diameter is that of 4,000 points, and little more: their spacing
// of 1/600 of it leaves 1e-6.
func TestDiameterOfCurves(t *testing.T) {
	for _, name := range []string{"flower", "egg", "triangle of constant width"} {
		gamma := func(theta float64) (x, y float64) {
			sin, cos := math.Sincos(theta)
			switch name {
			case "flower":
				r := 3 + math.Sin(5*theta)
				return r * cos, r * sin
			case "egg":
				return 2*cos + 0.3*sin*sin, sin + 0.2*cos
			}
			h, dh := 1+0.1*math.Cos(3*theta), -0.3*math.Sin(3*theta) // support function
			return h*cos - dh*sin, h*sin + dh*cos
		}
		c := must[domain.Domain](t)(domain.NewCurve(name, gamma))
		const n = 4000
		p := make([][2]float64, n)
		for i := range p {
			p[i][0], p[i][1] = gamma(2 * math.Pi * float64(i) / n)
		}
		want := 0.0
		for i, a := range p {
			for _, b := range p[:i] {
				want = max(want, math.Hypot(a[0]-b[0], a[1]-b[1]))
			}
		}
		got, err := Diameter(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		if got < want*(1-1e-12) || got > want*(1+2e-6) {
			t.Errorf("%s: diameter %v, of points %v", name, got, want)
		}
	}
}

func BenchmarkMembership400(b *testing.B) {
	flower := must[domain.Domain](b)(domain.NewFlower(5, 3, 2))
	for b.Loop() {
		if _, err := New(b.Context(), blind{flower}, 400); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFlower400(b *testing.B) {
	flower := must[domain.Domain](b)(domain.NewFlower(5, 3, 2))
	for b.Loop() {
		if _, err := New(b.Context(), flower, 400); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDiameters(t *testing.T) {
	for _, s := range shapes(t) {
		want := map[string]float64{"octagon": 4, "ball": 1, "box": math.Hypot(4, 0.5), "simplex": 3 * math.Sqrt2,
			"star": 4 * math.Sin(2*math.Pi/5), "cross": 4, "rectangle turned": math.Sqrt(125)}[s.name]
		got, err := Diameter(t.Context(), s.d)
		if err != nil {
			t.Fatal(err)
		}
		if want != 0 && math.Abs(got-want) > 1e-9 {
			t.Errorf("%s: diameter %v, want %v", s.name, got, want)
		}
	}
}
