package theory_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/theory"
)

// On convex polygons the gap is at least τπ²/diam² (Payne and Weinberger 1960); the
// grid is right to 1 %. Mutant: conductances of half their size.
func TestConvexBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(4, 12).Draw(rt, "points")
		points := make([][2]float64, n)
		squeeze := rapid.Float64Range(0.15, 1).Draw(rt, "squeeze")
		for i := range points {
			points[i] = [2]float64{rapid.Float64Range(-1, 1).Draw(rt, "x"), squeeze * rapid.Float64Range(-1, 1).Draw(rt, "y")}
		}
		v := mesh.Hull(points)
		if len(v) < 3 {
			rt.Skip()
		}
		d, err := domain.NewPolygon(v)
		if err != nil {
			rt.Skip()
		}
		if log, _, err := domain.Volume(t.Context(), d, nil); err != nil || log < math.Log(0.05) {
			rt.Skip()
		}
		tau := rapid.Float64Range(0.1, 10).Draw(rt, "tau")
		diameter, err := mesh.Diameter(t.Context(), d)
		if err != nil {
			rt.Fatal(err)
		}
		bound := tau * math.Pi * math.Pi / (diameter * diameter)
		if g := gap(t, theory.Problem{Domain: d}, []float64{tau}, 0, 40); !domain.Convex(d) || g < 0.99*bound {
			rt.Errorf("%v: gap %g below its bound %g", v, g, bound)
		}
	})
}

// dumbBell is two unit squares joined by a corridor of length 1 and the given width.
func dumbBell(t testing.TB, width float64) domain.Domain {
	w := width / 2
	return polygon(t, [2]float64{0, 0}, [2]float64{1, 0}, [2]float64{1, 0.5 - w}, [2]float64{2, 0.5 - w}, [2]float64{2, 0},
		[2]float64{3, 0}, [2]float64{3, 1}, [2]float64{2, 1}, [2]float64{2, 0.5 + w}, [2]float64{1, 0.5 + w}, [2]float64{1, 1}, [2]float64{0, 1})
}

// A dumb-bell breaks the bound: what passes through its corridor of width w and length
// 1 between two squares of area 1 relaxes at rate about 2w.
func TestDumbBellBreaksTheBound(t *testing.T) {
	p := theory.Problem{Domain: dumbBell(t, 0.05)}
	r := measure(t, p, theory.Settings{Grid: 120, Eigenvalues: 1})
	if bound := math.Pi * math.Pi / (r.Diameter * r.Diameter); r.Convex || !math.IsNaN(r.ConvexBound) || r.Gap > 0.2*bound {
		t.Errorf("gap %g, the bound of a convex domain of that diameter %g; convex: %v", r.Gap, bound, r.Convex)
	}
	if r.Gap < 0.05 || r.Gap > 0.1 {
		t.Errorf("gap %g, about 0.1·(1 − end effects) was expected", r.Gap)
	}
}

// For U = 0 the gap falls with the square of the diameter: doubling a domain on as many
// cells takes exactly a quarter.
func TestGapAgainstDiameter(t *testing.T) {
	small := gap(t, theory.Problem{Domain: disk(t, 0, 0, 1)}, []float64{1}, 0, 40)
	large := gap(t, theory.Problem{Domain: disk(t, 0, 0, 2)}, []float64{1}, 0, 40)
	if e := 4*large/small - 1; math.Abs(e) > 1e-9 {
		t.Errorf("gaps %g and %g", small, large)
	}
}
