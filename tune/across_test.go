package tune

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// hollow is what lies between spheres of radius inner and 1.
func hollow(t *testing.T, d int, inner float64) domain.Domain {
	t.Helper()
	sphere := func(r, sign float64) domain.Surface {
		h := make([][]float64, d)
		for j := range h {
			h[j] = make([]float64, d)
			h[j][j] = 2 * sign
		}
		q, err := domain.NewQuadric(make([]float64, d), -sign*r*r, nil, h)
		if err != nil {
			t.Fatal(err)
		}
		return q
	}
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range lo {
		lo[j], hi[j] = -1, 1
	}
	s, err := domain.NewImplicit([]domain.Surface{sphere(1, 1), sphere(inner, -1)}, []string{"outer", "inner"}, lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The thickness of a shell is the distance of its walls, whatever its size, that of a box
// its side, and steps of a shell are no longer than a few times that: so they are mirrored
// a few times each and none is given up.
func TestStepsOfThinShells(t *testing.T) {
	for _, c := range []struct {
		d     int
		inner float64
	}{{2, 0.9999}, {20, 0.995}} {
		dom := hollow(t, c.d, c.inner)
		tu, err := newTuner(t.Context(), r2sgld.Problem{Potential: flat(c.d), Domain: dom}, r2sgld.Settings{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if got := thickness(tu.across, nil); math.Abs(got-(1-c.inner)) > 0.1*(1-c.inner) {
			t.Errorf("%d dimensions: thickness %g, want %g", c.d, got, 1-c.inner)
		}
		found, err := tu.first()
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range found.Diffusion {
			if sd := math.Sqrt(2 * h); sd > 1.1*crossings*(1-c.inner) {
				t.Errorf("%d dimensions: steps of %g in a shell of %g", c.d, sd, 1-c.inner)
			}
		}
		eta, err := Steps(t.Context(), tu.p, []float64{1}, nil, 1)
		if err != nil || math.Sqrt(2*eta[0]) > 1.2*crossings*(1-c.inner) {
			t.Errorf("%d dimensions: steps for a given temperature %v, %v", c.d, eta, err)
		}
	}
	box, err := domain.NewBox([]float64{0, 0, 0}, []float64{1, 1, 1})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.1, 0.2, 0.3, 0.9, 0.4, 0.6, 0.01, 0.5, 0.5}
	if got := thickness(across(box, x, rand.New(rand.NewPCG(1, 1))), nil); math.Abs(got-1) > 1e-12 {
		t.Errorf("a unit cube: thickness %g", got)
	}
	if got := thickness(nil, nil); !math.IsInf(got, 1) {
		t.Errorf("nothing: thickness %g", got)
	}
}

// flat is a potential of slope 1 along the first coordinate.
func flat(d int) potential.Potential {
	return potential.Func(d, func(grad, x []float64) float64 {
		clear(grad)
		grad[0] = 1
		return x[0]
	})
}

// A few points show that a step size fits, so that a slow potential is not gone through
// for every point; where they do not, all are looked at, and the error is that of Steps.
func TestCurvedLooksAtFewPoints(t *testing.T) {
	calls := 0
	of := func(c float64) r2sgld.Problem {
		return r2sgld.Problem{Potential: potential.Func(2, func(grad, x []float64) float64 {
			calls++
			grad[0], grad[1] = c*x[0], c*x[1]
			return c / 2 * (x[0]*x[0] + x[1]*x[1])
		})}
	}
	start := []float64{1, 1}
	if err := Curved(t.Context(), of(3), start, 1); err != nil || calls > curvedPoints*(1+2*probePower) {
		t.Errorf("%d calls: %v", calls, err)
	}
	_, want := Steps(t.Context(), of(0), []float64{1}, start, 1)
	if err := Curved(t.Context(), of(0), start, 1); err == nil || want == nil || err.Error() != want.Error() {
		t.Errorf("without curvature: %v, want %v", err, want)
	}
}

// Where no step size is a number it is said why: of what is not finite the share that was
// measured, of a run without priors nothing of these.
//
// Mutants it kills: priors in a run without, no look at the points.
func TestStepless(t *testing.T) {
	box, err := domain.NewBox([]float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for want, end := range map[string]float64{"narrower than numbers can follow. Measure in other units": 1,
		"points of the domain. Bound": 0.5} {
		u := potential.Func(1, func(grad, x []float64) float64 {
			if grad[0] = 0; x[0] > end {
				return math.Inf(1)
			}
			return 0
		})
		tu, err := newTuner(t.Context(), r2sgld.Problem{Potential: u, Domain: box}, r2sgld.Settings{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		err = tu.stepless(&Found{Beta: []float64{1, 0.5}, Diffusion: []float64{1, 0}})
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "prior") ||
			!strings.Contains(err.Error(), "no step size fits rung 2 (inverse temperature 0.5)") {
			t.Errorf("%v, want …%s…", err, want)
		}
		if err := tu.stepless(&Found{Beta: []float64{1, 0.5}, Diffusion: []float64{1, 2}}); err != nil {
			t.Error(err)
		}
	}
}
