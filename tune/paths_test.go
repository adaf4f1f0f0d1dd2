package tune

import (
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/kernel"
)

// Kernel HMC with tuned steps keeps the law of three modes against the wall of a
// ball: means of x, y, x², xy and U agree with sums over a fine grid within 4.9
// standard errors (false alarm 5·1e-6 over all five), and most trajectories are
// accepted. Mutants: the metropolis rule left out; steps of Langevin in place of those
// of trajectories (acceptance above 0.99).
func TestPathsKeepTheLaw(t *testing.T) {
	p := bumps(t)
	s := r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: 4000, Thin: 1, HMC: &kernel.HMC{Leapfrog: 1}}
	res, used, err := Sample(t.Context(), p, s, Until{ESS: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if used.HMC.Leapfrog < 2 || used.HMC.Leapfrog == mostLeapfrog {
		t.Errorf("trajectories of %d steps", used.HMC.Leapfrog)
	}
	if a := res.Acceptance()[0]; a < 0.65 || a > 0.95 {
		t.Errorf("the cold rung accepts %.3f of its trajectories, to be %.2f", a, accepted)
	}
	moments := []func(x, y, u float64) float64{
		func(x, _, _ float64) float64 { return x }, func(_, y, _ float64) float64 { return y },
		func(x, _, _ float64) float64 { return x * x }, func(x, y, _ float64) float64 { return x * y },
		func(_, _, u float64) float64 { return u },
	}
	exact := make([]float64, len(moments))
	total := 0.0
	const n = 1200
	eval := p.Potential.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, 2)
	for i := range n {
		for j := range n {
			x := []float64{-3.5 + 8*(float64(i)+0.5)/n, -4 + 8*(float64(j)+0.5)/n}
			if !p.Domain.Contains(x) {
				continue
			}
			eval.Eval(energy, grad, x)
			w := math.Exp(-energy[0])
			total += w
			for k, f := range moments {
				exact[k] += w * f(x[0], x[1], energy[0])
			}
		}
	}
	for k, f := range moments {
		chains := make([][]float64, len(res.Ladders))
		for i, l := range res.Ladders {
			for m, u := range l.Energy[0] {
				chains[i] = append(chains[i], f(l.X[0][2*m], l.X[0][2*m+1], u))
			}
		}
		var all []float64
		for _, c := range chains {
			all = append(all, c...)
		}
		z := (diag.Mean(all) - exact[k]/total) / diag.MCSEMean(chains)
		if !(math.Abs(z) < 4.9) {
			t.Errorf("moment %d: %.4f, exact %.4f, %.1f standard errors", k, diag.Mean(all), exact[k]/total, z)
		}
	}
}

func TestGrowth(t *testing.T) {
	if g := growth(accepted); math.Abs(g-1) > 1e-12 {
		t.Errorf("steps that do change by %g", g)
	}
	for _, share := range []float64{0, 0.3, 0.79} {
		if g := growth(share); !(g < 1 && g >= 0.1) {
			t.Errorf("accepted %g: steps grow by %g", share, g)
		}
	}
	for _, share := range []float64{0.81, 0.99, 1} {
		if g := growth(share); !(g > 1 && g <= 3) {
			t.Errorf("accepted %g: steps shrink to %g", share, g)
		}
	}
}
