package tune

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// Steps in the coordinates of a normal law do not depend on how wide it is: where U is that law's they are
// pilotBias at every temperature, less where gradients have noise, where a wall cuts a layer off, and where a
// domain is narrower than the law.
//
// Mutants it kills: curvatures in the coordinates of the user; noise left out; draws of one temperature;
// a domain that is not looked at.
func TestWhitenedSteps(t *testing.T) {
	for _, scale := range []float64{1e-6, 1, 1e4} {
		w := &r2sgld.Whitening{Center: []float64{3 * scale, -scale}, L: [][]float64{{scale, 0}, {0.5 * scale, 0.1 * scale}}}
		u := potential.Func(2, func(grad, x []float64) float64 { // of z, the solution of L z = x − c
			a := (x[0] - w.Center[0]) / scale
			b := (x[1] - w.Center[1] - 0.5*scale*a) / (0.1 * scale)
			grad[0], grad[1] = (a-5*b)/scale, b/(0.1*scale)
			return (a*a + b*b) / 2
		})
		steps := func(p r2sgld.Problem, temperature ...float64) []float64 {
			got, err := WhitenedSteps(t.Context(), p, w, temperature, 1)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		within := func(what string, got, lo, hi float64) {
			t.Helper()
			if !(got >= lo && got <= hi) {
				t.Errorf("scale %g, %s: step %g, want %g … %g", scale, what, got, lo, hi)
			}
		}
		// the largest mean square of 32 draws of a slope is below 1.9 but for 1e-3
		for _, got := range steps(r2sgld.Problem{Potential: u}, 1, 3, 10) {
			within("a normal law", got, pilotBias/1.9, pilotBias)
		}
		// a slope of x with variance (n/scale)² has one of n²·1.25 and n²·0.01 by z
		noisy := steps(r2sgld.Problem{Potential: potential.Noisy(u, 3/scale, 0)}, 1)
		within("noise", noisy[0], pilotBias/(1.9+2*9*1.25), pilotBias/(1+0.5*9*1.25))
		thin, err := domain.NewBox([]float64{2.99 * scale, -10 * scale}, []float64{3.01 * scale, 10 * scale})
		if err != nil {
			t.Fatal(err)
		}
		across := math.Hypot(0.02, 0.1) // from wall to wall, by z
		eta := steps(r2sgld.Problem{Potential: u, Domain: thin}, math.Inf(1))[0]
		within("a thin box", math.Sqrt(2*eta), crossings*across/1.1, crossings*across*1.1)
	}
	if _, err := WhitenedSteps(t.Context(), r2sgld.Problem{Potential: potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = math.NaN()
		return math.NaN()
	})}, &r2sgld.Whitening{Center: []float64{0}, L: [][]float64{{1}}}, []float64{1}, 1); err == nil {
		t.Error("steps of what is no number")
	}
}
