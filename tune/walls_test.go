package tune_test

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// Slopes that grow without bound towards a wall are found, in any coordinate and towards
// either end; steep ones that have a bound, and logarithms, are not.
//
// Mutants it kills: rays to one side, one step towards the wall in place of two, any growth.
func TestSteepWall(t *testing.T) {
	box, err := domain.NewBox([]float64{0, 0, 0}, []float64{1, 2, 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		slope func(x []float64) float64 // of the second coordinate
		near  float64                   // where it is steep; -1 is nowhere
	}{
		"logarithm":        {func(x []float64) float64 { return -0.5 / x[1] }, 0},
		"upper wall":       {func(x []float64) float64 { return 1 / (2 - x[1]) }, 2},
		"reciprocal":       {func(x []float64) float64 { return -1 / (x[1] * x[1]) }, 0},
		"root":             {func(x []float64) float64 { return 0.5 / math.Sqrt(x[1]) }, 0},
		"steep":            {func(x []float64) float64 { return 40 * math.Exp(40*x[1]) }, -1},
		"linear":           {func([]float64) float64 { return 1e9 }, -1},
		"entropy":          {func(x []float64) float64 { return 1 + math.Log(x[1]) }, -1},
		"a layer of 10⁻⁵ ": {func(x []float64) float64 { return 1e3 * math.Exp(-x[1]/1e-5) }, -1},
	} {
		u := potential.Func(3, func(grad, x []float64) float64 {
			grad[0], grad[1], grad[2] = x[0], c.slope(x), x[2]
			return 0
		})
		at, err := tune.SteepWall(t.Context(), r2sgld.Problem{Names: []string{"x", "y", "z"}, Potential: u, Domain: box}, nil, 1)
		if err != nil || (at != nil) != (c.near >= 0) || at != nil && math.Abs(at[1]-c.near) > 1e-6 {
			t.Errorf("%s: %v, %v", name, at, err)
		}
	}
}
