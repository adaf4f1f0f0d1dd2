package report

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// A density along the arms of a hyperbola, which has no finite integral, ends no run without a
// warning, and is told as improper at one of two seeds; Student's law with 3 degrees of
// freedom and Cauchy's are by none.
//
// Mutant it kills: nothing looked at.
func TestImproperPosterior(t *testing.T) {
	pace.Slow(t)
	student := func(nu float64) potential.Potential {
		return potential.Func(1, func(grad, x []float64) float64 {
			grad[0] = (nu + 1) * x[0] / (nu + x[0]*x[0])
			return (nu + 1) / 2 * math.Log1p(x[0]*x[0]/nu)
		})
	}
	for _, c := range []struct {
		name string
		u    potential.Potential
		want bool
	}{
		{"(x·y − 1)²", potential.Func(2, func(grad, x []float64) float64 {
			w := x[0]*x[1] - 1
			grad[0], grad[1] = 2*w*x[1], 2*w*x[0]
			return w * w
		}), true},
		{"Student's with 3 degrees", student(3), false},
		{"Cauchy", student(1), false},
	} {
		improper := 0
		for seed := range uint64(2) {
			p := r2sgld.Problem{Potential: c.u}
			set := r2sgld.Settings{Seed: seed + 1, Ladders: 4, Iterations: 20_000, Start: make([]float64, c.u.Dim())}
			res, used, err := tune.Sample(context.Background(), p, set, tune.Until{})
			if err != nil {
				t.Fatal(err)
			}
			warned := New("improper", "auto", p, used, res, nil, 1).Warnings
			told := slices.ContainsFunc(warned, func(w string) bool { return strings.HasPrefix(w, "the posterior may be improper: where x") })
			if told {
				improper++
			}
			told = told || c.want && slices.ContainsFunc(warned, func(w string) bool { return strings.Contains(w, "have not come to agree") })
			if told != c.want {
				t.Errorf("%s, seed %d: told %v: %q", c.name, seed+1, told, warned)
			}
		}
		if c.want && improper == 0 {
			t.Errorf("%s is told as improper at no seed", c.name)
		}
	}
}
