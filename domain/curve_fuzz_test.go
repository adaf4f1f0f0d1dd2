package domain

import (
	"math"
	"testing"

	"pgregory.net/rapid"
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
	rapid.Check(t, func(t *rapid.T) {
		petals := rapid.IntRange(1, 9).Draw(t, "petals")
		offset := rapid.Float64Range(1.05, 9).Draw(t, "offset")
		radius := rapid.Float64Range(1e-3, 1e3).Draw(t, "radius")
		c, err := NewFlower(petals, offset, radius)
		if err != nil {
			t.Fatal(err)
		}
		s := radius / (offset + 0.5)
		if want := math.Pi * s * s * (offset*offset + 0.5); math.Abs(c.Area()/want-1) > 1e-11 {
			t.Fatalf("area %v, want %v", c.Area(), want)
		}
		tr := c.Tracer()
		for range 50 {
			theta := rapid.Float64Range(0, 6.28).Draw(t, "theta")
			sin, cos := math.Sincos(theta)
			limit := s * (math.Sin(float64(petals)*theta) + offset)
			far := 4 * radius
			e, w := tr.Exit([]float64{0, 0}, []float64{far * cos, far * sin}, None)
			if w != 0 || math.Abs(e*far-limit) > 1e-13*radius {
				t.Fatalf("the ray at θ = %v meets the wall at %v, want %v", theta, e*far, limit)
			}
			r := limit * (1 + rapid.SampledFrom([]float64{-1e-3, -1e-9, 1e-9, 1e-3}).Draw(t, "side"))
			if x, y := r*cos, r*sin; c.winds(x, y) != (r < limit) || c.Contains([]float64{x, y}) != (r < limit) {
				t.Fatalf("membership wrong at θ = %v, r = %v", theta, r)
			}
		}
	})
}
