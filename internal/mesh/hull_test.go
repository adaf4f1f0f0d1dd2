package mesh_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/mesh"
)

// The hull of points of a small lattice, whose arithmetic is exact: its corners are
// points, turn left at each, and no point lies to the right of an edge. Corners in a
// straight row, and points that are given twice, are left out.
//
// Mutants it kills: < 0 for <= 0 in the chains, one chain alone, an order from the right, no order of y.
func TestHull(t *testing.T) {
	turn := func(a, b, c [2]float64) float64 {
		return (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	}
	rapid.Check(t, func(rt *rapid.T) {
		coordinate := rapid.Custom(func(rt *rapid.T) float64 { return float64(rapid.IntRange(-4, 4).Draw(rt, "v")) })
		points := make([][2]float64, rapid.IntRange(1, 30).Draw(rt, "points"))
		for i := range points {
			points[i] = [2]float64{coordinate.Draw(rt, "x"), coordinate.Draw(rt, "y")}
		}
		given := slices.Clone(points)
		h := mesh.Hull(points)
		area := 0.0
		for i := range h {
			area += turn(h[0], h[i], h[(i+1)%len(h)]) / 2
		}
		spread := slices.ContainsFunc(given, func(p [2]float64) bool {
			return slices.ContainsFunc(given, func(q [2]float64) bool { return turn(given[0], p, q) != 0 })
		})
		if spread != (area > 0) {
			rt.Fatalf("%v: area %g of the hull %v", given, area, h)
		}
		leftmost := slices.MinFunc(given, func(p, q [2]float64) int { return slices.Compare(p[:], q[:]) })
		if spread && h[0] != leftmost {
			rt.Fatalf("%v: the hull %v begins elsewhere than at %v", given, h, leftmost)
		}
		for i := range h {
			a, b, c := h[i], h[(i+1)%len(h)], h[(i+2)%len(h)]
			if !slices.Contains(given, a) || spread && !(turn(a, b, c) > 0) {
				rt.Fatalf("%v: corners %v, %v, %v of the hull %v", given, a, b, c, h)
			}
			for _, p := range given {
				if turn(a, b, p) < 0 {
					rt.Fatalf("%v: %v is beyond %v–%v of the hull", given, p, a, b)
				}
			}
		}
	})
}
