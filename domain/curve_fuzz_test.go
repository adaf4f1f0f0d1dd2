package domain

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Any step in any polygon that is accepted ends inside, and a step that stays
// inside is left alone bit for bit.
func FuzzPolygonStep(f *testing.F) {
	f.Add(0.0, 0.0, 2.0, 0.0, 1.0, 1.5, 0.5, 0.5, 0.3, -4.0)
	f.Add(0.0, 0.0, 1.0, 0.0, 0.3, 0.2, 0.0, 1.0, 1e3, 1e-9)
	f.Fuzz(func(t *testing.T, ax, ay, bx, by, cx, cy, dx, dy, sx, sy float64) {
		for _, v := range []float64{ax, ay, bx, by, cx, cy, dx, dy} {
			if !(math.Abs(v) < 1e6) || v != 0 && math.Abs(v) < 1e-6 {
				return
			}
		}
		p, err := NewPolygon([][2]float64{{ax, ay}, {bx, by}, {cx, cy}, {dx, dy}})
		if err != nil {
			return
		}
		from := []float64{(ax + bx + cx) / 3, (ay + by + cy) / 3}
		if !p.Contains(from) {
			return
		}
		r, err := NewReflector(p, Specular, 0)
		if err != nil {
			t.Fatal(err)
		}
		to := []float64{from[0] + sx, from[1] + sy}
		end := [2]float64{to[0], to[1]}
		hits, ok := r.Reflect(from, to, nil)
		if !p.Contains(to) {
			t.Fatalf("%v → %v: ends outside at %v", from, end, to)
		}
		if ok && hits == 0 && (to[0] != end[0] || to[1] != end[1]) {
			t.Fatalf("a step that met no wall was moved from %v to %v", end, to)
		}
	})
}

// Flowers of every kind: area in closed form, the equation and the winding
// number agree, and the way to the wall along a ray is R(θ).
func TestFlowersOfEveryKind(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	for range pace.Soak(8, 500) {
		petals, offset := 1+rng.IntN(9), 1.05+8*rng.Float64()*rng.Float64()
		radius := math.Exp(7 * (2*rng.Float64() - 1))
		c := must[*curve](t)(NewFlower(petals, offset, radius))
		s := radius / (offset + 0.5)
		within(t, "area of a flower", c.area, math.Pi*s*s*(offset*offset+0.5), 1e-11)
		tr := c.Tracer()
		for range 2000 {
			theta := 2 * math.Pi * rng.Float64()
			sin, cos := math.Sincos(theta)
			limit := s * (math.Sin(float64(petals)*theta) + offset)
			far := 4 * radius
			e, w := tr.Exit([]float64{0, 0}, []float64{far * cos, far * sin}, None)
			if w != 0 || math.Abs(e*far-limit) > 1e-13*radius {
				t.Fatalf("%d petals, offset %v: the ray at θ = %v meets the wall at %v, want %v", petals, offset, theta, e*far, limit)
			}
			r := limit * (1 + []float64{-1e-3, -1e-9, 1e-9, 1e-3}[rng.IntN(4)])
			if x, y := r*cos, r*sin; c.winds(x, y) != (r < limit) || c.Contains([]float64{x, y}) != (r < limit) {
				t.Fatalf("%d petals, offset %v: membership wrong at θ = %v, r = %v", petals, offset, theta, r)
			}
		}
	}
}
