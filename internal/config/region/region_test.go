package region

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
)

// Commas between comparisons part constraints; those within parentheses and brackets do not.
func TestParted(t *testing.T) {
	for text, want := range map[string]int{"x > 0": 0, "x > 0, y < 1": 2, "max(x, y) < 1": 0, "0 < m[A,P] < 1": 0, "m[A, 1] > 0, x < m[A, 2]": 0,
		"0 < m[A] < 1, m[B] < 1": 2, "x > 0, y": 0} {
		if got := parted(text); len(got) != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Where the sign of an equation stands.
func TestEqualSign(t *testing.T) {
	for text, want := range map[string][2]int{"x = 1": {2, 1}, "x == 1": {2, 2}, "x <= 1": {-1, 0}, "x >= 1": {-1, 0},
		"x != 1": {-1, 0}, "x => 1": {-1, 0}, "x =< 1": {-1, 0}, "x": {-1, 0}, "": {-1, 0}, "0 <= x = 1": {7, 1}, "=": {0, 1}} {
		if at, width := equalSign(text); at != want[0] || width != want[1] {
			t.Errorf("%q: %d, %d", text, at, width)
		}
	}
}

// Surfaces in the chart have the values of their formulas at the parameters and the
// slopes of these by its coordinates: planes, quadrics, and another one, for any pair
// of a constraint. Central differences of step 1e-6 are good to 1e-8. It kills a
// gradient by the parameters.
func TestSurfacesInTheChart(t *testing.T) {
	lo, hi := make([]float64, 8), slices.Repeat([]float64{math.Inf(1)}, 8)
	law, err := prior.Parse("lognormal(0.3, 0.4)")
	if err != nil {
		t.Fatal(err)
	}
	joint, center, sd := prior.NewJoint(8), slices.Repeat([]float64{1.2}, 8), slices.Repeat([]float64{0.1}, 8)
	for j := range center {
		joint.Set(j, law)
		center[j] += 0.1 * float64(j)
	}
	sd[3] = 5 // its parameter does not move by its logarithm
	chart := joint.Chart(center, sd, lo, hi)
	names := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	plane := planeOf([]float64{2, -3, 0, 1, 0.1, 0, -1, 0.5}, 0.7)
	for _, text := range []string{"2*a - 3*b + d + 0.1*e - g + 0.5*h - 0.7", "(a - 3)^2 + a*b - 2*e*h + (g - 1)^2 + d - 4",
		"a*b*h - exp(g) + e^1.5"} {
		f, err := expression.Compile(text, names)
		if err != nil {
			t.Fatal(err)
		}
		surfaces := []domain.Surface{surfaceOf(f)}
		if strings.HasPrefix(text, "2*a") {
			surfaces = append(surfaces, plane)
		}
		for _, in := range surfaces {
			g := inChart(in, chart).Bind()
			if _, bends := g.(domain.Bender); bends == strings.Contains(text, "exp") {
				t.Errorf("%s: bounds of second derivatives are known: %v", text, bends)
			}
			y, slope, x := make([]float64, 8), make([]float64, 8), make([]float64, 8)
			chart.Coordinates(y, center)
			value := g.Gradient(slope, y)
			chart.Point(x, y)
			if want := (surface{f}).Bind().Value(x); math.Abs(value-want) > 1e-12*(1+math.Abs(want)) || g.Value(y) != value {
				t.Errorf("%s: value %g, want %g", text, value, want)
			}
			for j, v := range y {
				const h = 1e-6
				y[j] = v + h
				up := g.Value(y)
				y[j] = v - h
				down := g.Value(y)
				y[j] = v
				if d := (up - down) / (2 * h); math.Abs(d-slope[j]) > 1e-7*(1+math.Abs(d)) || (d == 0) != !strings.Contains(text, names[j]) {
					t.Errorf("%s: slope %d is %g, by differences %g", text, j, slope[j], d)
				}
			}
		}
	}
}
