package multimodal

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld/stream"
)

// The formula of a mixture is −log of the sum of 25 Gaussians of equal weight, with the
// curvature or the ridges of the released code's target.
func TestMixtures(t *testing.T) {
	flower := shapes()[0]
	curve := func(of func(x, y float64) float64) float64 { return (of(1e-3, 0) + of(-1e-3, 0) - 2*of(0, 0)) / 1e-6 }
	ridge := func(of func(x, y float64) float64) float64 { return of(0.5, 0) - of(0, 0) }
	for k, g := range mixtures() {
		run, err := plan{scene: &scene{shape: g.on(flower)}, method: "r-sgld", quiet: true, runs: 1,
			protocol: protocol{name: "law", iterations: 100, thin: 1, spread: true}}.load()
		if err != nil {
			t.Fatal(err)
		}
		e := run.Problem.Potential.Evaluator(1, stream.New(1, 0))
		u, grad := make([]float64, 1), make([]float64, 2)
		for _, at := range [][]float64{{0, 0}, {0.4, -1.3}, {2, 2}, {-1.7, 0.5}} {
			e.Eval(u, grad, at)
			sum := 0.0
			for i := -2.0; i <= 2; i++ {
				for j := -2.0; j <= 2; j++ {
					sum += math.Exp(-(math.Pow(at[0]-i, 2) + math.Pow(at[1]-j, 2)) / (2 * g.sd * g.sd))
				}
			}
			for _, found := range []float64{u[0], g.energy(at[0], at[1])} {
				if math.Abs(found+math.Log(sum)) > 1e-8 {
					t.Errorf("%s: U is %.12g at %v, not %.12g", g, found, at, -math.Log(sum))
				}
			}
		}
		if k == 0 && math.Abs(curve(g.energy)/curve(energy)-1) > 1e-3 {
			t.Errorf("%s: curvature %g, released %g", g, curve(g.energy), curve(energy))
		}
		if k == 1 && math.Abs(ridge(g.energy)-4) > 1e-6 {
			t.Errorf("%s: ridge %g", g, ridge(g.energy))
		}
	}
	s, err := newScene(mixtures()[1].on(flower))
	if err != nil {
		t.Fatal(err)
	}
	// These modes lie inside and hold as much as each other, but for what the wall takes of
	// their flanks; under the released code's bowl neighbours differ by exp(−1/5).
	if m := s.modes; math.Abs(m[12]/m[13]-1) > 0.05 || math.Abs(m[12]/m[11]-1) > 0.05 {
		t.Errorf("weights of modes near the origin: %v", m)
	}
}
