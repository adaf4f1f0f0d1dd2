package domain

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// A step given up names the wall or the corner that it is stuck at, whatever the
// domain, and none where its end is not finite. Kills walls of members that are not
// counted on, and walls left over from the step before.
func TestStuckStepsNameTheirWalls(t *testing.T) {
	ball := must[*ball](t)(NewBall([]float64{0, 0}, 1))
	polygon := must[*polygon](t)(NewPolygon([][2]float64{{0, 0}, {4, 0}, {4, 1}, {0, 1}}))
	half := must[*polytope](t)(NewPolytope([][]float64{{0, -1}}, []float64{-0.9}, []string{"y > 0.9"}))
	free := slices.Repeat([]float64{math.Inf(1)}, 2)
	below := []float64{math.Inf(-1), math.Inf(-1)}
	disc := formula{2, func(x []float64) float64 { return x[0]*x[0] + x[1]*x[1] - 1 }, func(g, x []float64) { g[0], g[1] = 2*x[0], 2*x[1] }}
	surface := must[*implicit](t)(NewImplicit([]Surface{disc}, []string{"x^2 + y^2 < 1"}, below, free))
	lens := must[Domain](t)(NewIntersection(ball, half))
	curved := must[Domain](t)(NewIntersection(half, surface))
	product := must[*product](t)(NewProduct(4, Part{ball, []int{0, 1}}, Part{polygon, []int{2, 3}}))
	for _, c := range []struct {
		d        Domain
		from, to []float64
		cap      int
		walls    []Wall
		names    string
	}{
		{ball, []float64{0, 0.5}, []float64{40, 3}, 5, []Wall{0}, "the sphere"},
		{polygon, []float64{2, 0.5}, []float64{2.1, 70}, 9, []Wall{0, 2}, "edge 1–2, edge 3–4"},
		{lens, []float64{0, 0.95}, []float64{0.001, 20}, 9, []Wall{0, 1}, "the sphere, y > 0.9"},
		{curved, []float64{0, 0.95}, []float64{0.001, 20}, 9, []Wall{0, 1}, "y > 0.9, x^2 + y^2 < 1"},
		{product, []float64{0, 0, 2, 0.5}, []float64{0.1, 0.1, 2.1, 70}, 9, []Wall{1, 3}, "edge 1–2, edge 3–4"},
	} {
		r := must[Reflector](t)(NewReflector(c.d, Specular, c.cap))
		s := r.(Stuck)
		if len(s.LastFallback()) > 0 {
			t.Errorf("%T: before any step %v", c.d, s.LastFallback())
		}
		to := slices.Clone(c.to)
		_, ok := r.Reflect(c.from, to, nil)
		names := strings.Join(WallNames(c.d, s.LastFallback(), nil), ", ")
		if ok || !slices.Equal(s.LastFallback(), c.walls) || names != c.names {
			t.Errorf("%T: ok %v, walls %v: %s; want %v: %s", c.d, ok, s.LastFallback(), names, c.walls, c.names)
		}
		n := testing.AllocsPerRun(10, func() {
			copy(to, c.to)
			r.Reflect(c.from, to, nil)
		})
		if n > 0 {
			t.Errorf("%T: %g allocations", c.d, n)
		}
		copy(to, c.to)
		to[0] = math.NaN()
		if _, ok := r.Reflect(c.from, to, nil); ok || len(s.LastFallback()) > 0 {
			t.Errorf("%T: to NaN: ok %v, walls %v", c.d, ok, s.LastFallback())
		}
	}
}
