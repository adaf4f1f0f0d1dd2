package modes

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// Of wells side by side, a unit apart and equally deep, each point leads to the nearest, though
// starts, by which steps would go over barriers, are as wide as ten of them. A point whose own
// descent ends at a wall, at none of the minima, leads nowhere.
//
// Mutants: steps as wide as starts are; the last minimum for the nearest.
func TestLead(t *testing.T) {
	box, err := domain.NewBox([]float64{-0.5, -3}, []float64{5.4, 3})
	if err != nil {
		t.Fatal(err)
	}
	target := Target{Domain: box, Width: []float64{10, 10}, Flat: 1, Threads: 2,
		Energy: potential.Func(2, func(grad, x []float64) float64 {
			grad[0], grad[1] = 4*math.Pi*math.Sin(2*math.Pi*x[0]), 2*x[1]
			return 2*(1-math.Cos(2*math.Pi*x[0])) + x[1]*x[1]
		})}
	var at []Mode
	for x := range 5 {
		at = append(at, Mode{X: []float64{float64(x), 0}, L: [][]float64{{1 / (math.Pi * math.Sqrt(8)), 0}, {0, math.Sqrt(0.5)}}})
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var from []float64
	var near []int
	for range 400 {
		from = append(from, -0.49+5.88*rng.Float64(), -2+4*rng.Float64())
		near = append(near, rng.IntN(len(at)))
	}
	home, asked, err := target.Lead(t.Context(), at, from, near, 0)
	if err != nil {
		t.Fatal(err)
	}
	if asked < 2*400 || asked > 60*400 {
		t.Errorf("%d gradients for 400 descents", asked)
	}
	for i, got := range home {
		want := int(math.Round(from[2*i]))
		if want == len(at) {
			want = -1 // the well at 5 is none of the minima
		}
		if got != want {
			t.Errorf("from (%.3f, %.3f) to %d, want %d", from[2*i], from[2*i+1], got, want)
		}
	}
}
