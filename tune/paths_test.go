package tune

import (
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/kernel"
)

// Kernels HMC and MALA with tuned steps keep the law of three modes against the wall
// of a ball: means of x, y, x², xy and U agree with sums over a fine grid within 5.2
// standard errors (false alarm 1e-6 over all five of both), and about as many moves
// are accepted as are to be. Mutants: the metropolis rule left out; steps of Langevin
// in place of those of trajectories (acceptance above 0.99); single steps that are not
// kept (trajectories of several).
func TestPathsKeepTheLaw(t *testing.T) {
	p := bumps(t)
	moments, exact := momentsOf(p)
	for _, c := range []struct {
		leapfrog, ess int
		least, most   float64 // accepted
	}{{10, 4000, 0.65, 0.95}, {1, 2000, 0.42, 0.75}} {
		s := r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: 4000, Thin: 1, HMC: &kernel.HMC{Leapfrog: c.leapfrog}}
		res, used, err := Sample(t.Context(), p, s, Until{ESS: float64(c.ess)})
		if err != nil {
			t.Fatal(err)
		}
		if n := used.HMC.Leapfrog; (n == 1) != (c.leapfrog == 1) || n == mostLeapfrog {
			t.Errorf("trajectories of %d steps", n)
		}
		if a := res.Acceptance()[0]; a < c.least || a > c.most {
			t.Errorf("the cold rung accepts %.3f of its moves, to be %g to %g", a, c.least, c.most)
		}
		for k, f := range moments {
			chains := make([][]float64, len(res.Ladders))
			for i, l := range res.Ladders {
				for m, u := range l.Energy[0] {
					chains[i] = append(chains[i], f(l.X[0][2*m], l.X[0][2*m+1], u))
				}
			}
			mean := diag.Mean(slices.Concat(chains...))
			if z := (mean - exact[k]) / diag.MCSEMean(chains); !(math.Abs(z) < 5.2) {
				t.Errorf("trajectories of %d, moment %d: %.4f, exact %.4f, %.1f standard errors", used.HMC.Leapfrog, k, mean, exact[k], z)
			}
		}
	}
}

// momentsOf are the moments of a plane law that a test looks at, and what they are by
// sums over a fine grid.
func momentsOf(p r2sgld.Problem) (moments []func(x, y, u float64) float64, exact []float64) {
	moments = []func(x, y, u float64) float64{
		func(x, _, _ float64) float64 { return x }, func(_, y, _ float64) float64 { return y },
		func(x, _, _ float64) float64 { return x * x }, func(x, y, _ float64) float64 { return x * y },
		func(_, _, u float64) float64 { return u },
	}
	exact = make([]float64, len(moments))
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
	for k := range exact {
		exact[k] /= total
	}
	return moments, exact
}

func TestGrowth(t *testing.T) {
	if g := growth(accepted, accepted); math.Abs(g-1) > 1e-12 {
		t.Errorf("steps that do change by %g", g)
	}
	for _, share := range []float64{0, 0.3, 0.79} {
		if g := growth(share, accepted); !(g < 1 && g >= 0.1) {
			t.Errorf("accepted %g: steps grow by %g", share, g)
		}
	}
	for _, share := range []float64{0.81, 0.99, 1} {
		if g := growth(share, accepted); !(g > 1 && g <= 3) {
			t.Errorf("accepted %g: steps shrink to %g", share, g)
		}
	}
}
