package tune

import (
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// Of x⁴/12 the curvature is x²: steps of 1/2 are not stable beyond 2, where a half of the
// draws are; of kernel SGLD, or where ladders begin at independent draws, there is no such share.
//
// Mutants: steps that are stable twice as far; laws at which ladders begin that nobody asks for.
func TestUnstable(t *testing.T) {
	p := formula(t, "x^4/12 + y^2/1000", nil)
	s := r2sgld.Settings{Seed: 1, Kernel: kernel.HMC{Leapfrog: 3}, StepSize: []float64{0.5}, Start: []float64{0, 0}}
	s.Iterations = 50_000 // which pay for as many looks as there are
	res, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	l := &res.Ladders[0]
	l.X, l.Energy = make([][]float64, 1), make([][]float64, 1)
	const n = 4000
	for i := range n {
		l.X[0] = append(l.X[0], 4*(float64(i)+0.5)/n, 1)
		l.Energy[0] = append(l.Energy[0], 0)
	}
	if got := Unstable(p, s, nil, res); got < 0.499 || got > 0.501 {
		t.Errorf("%g of the draws, want a half", got)
	}
	if got := Unstable(p, s, &Modes{Guided: true}, res); got != 0 {
		t.Errorf("guided: %g", got)
	}
	bounded := p
	bounded.Domain = plane(t)
	if got := Unstable(bounded, s, nil, res); got != 0 {
		t.Errorf("bounded: %g", got)
	}
	s.Kernel = nil
	if got := Unstable(p, s, nil, res); got != 0 {
		t.Errorf("kernel SGLD: %g", got)
	}
}

// Along the bent ridge y = x² trajectories do not come to the ends in time, whatever R̂ and ESS
// say: steps are not stable at more draws than a summary is silent about, or y is within five
// standard errors of its mean, 1. Of exp(−x⁴ − y⁶) they are at fewer.
func TestUnstableOnARidge(t *testing.T) {
	pace.Slow(t)
	const silent = 0.085 // as in internal/report
	for potentialOf, ridge := range map[string]bool{"x^2/2 + 200*(y - x^2)^2": true, "x^4 + y^6": false} {
		for seed := range uint64(3) {
			p, s := formula(t, potentialOf, nil), r2sgld.Settings{Seed: 1 + seed, Ladders: 4, Start: []float64{0, 0}}
			out, err := Run(t.Context(), p, s, Until{}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			share := Unstable(p, out.Settings, nil, out.Result)
			y := out.Chains(1)
			off := (diag.Mean(slices.Concat(y...)) - 1) / diag.MCSEMean(y)
			if ridge && share < silent && off < -5 || !ridge && share > silent {
				t.Errorf("%s, seed %d: %g unstable, y %.1f standard errors off", potentialOf, s.Seed, share, off)
			}
		}
	}
}
