package tune

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
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
		s := r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: 4000, Thin: 1, Kernel: kernel.HMC{Leapfrog: c.leapfrog}}
		res, used, err := Sample(t.Context(), p, s, Until{ESS: float64(c.ess)})
		if err != nil {
			t.Fatal(err)
		}
		if n := used.Traits().Steps; (n == 1) != (c.leapfrog == 1) || n == mostLeapfrog {
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
				t.Errorf("trajectories of %d, moment %d: %.4f, exact %.4f, %.1f standard errors", used.Traits().Steps, k, mean, exact[k], z)
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

// Steps settle where the trajectories' acceptance falls steeply: on a thin ring, between
// nearly stable and unstable steps. Mutant: steps that are corrected in full after every
// round (they swing by a factor of three until the rounds are used up).
func TestPathsSettle(t *testing.T) {
	box, err := domain.NewBox([]float64{-6, -6}, []float64{6, 6})
	if err != nil {
		t.Fatal(err)
	}
	ring := potential.Func(2, func(grad, x []float64) float64 {
		r := math.Hypot(x[0], x[1])
		for j := range grad {
			grad[j] = 100 * (r - 2) * x[j] / r
		}
		return 50 * (r - 2) * (r - 2)
	})
	for seed := range uint64(4) {
		f, err := Tune(t.Context(), r2sgld.Problem{Domain: box, Potential: ring},
			r2sgld.Settings{Seed: seed, Ladders: 4, Kernel: kernel.HMC{Leapfrog: 10}}, nil, func(*Found) error { return nil })
		if err != nil {
			t.Fatal(err)
		}
		if !f.Settled || len(f.Rounds) > 7 {
			t.Errorf("seed %d: settled %t after %d rounds", seed, f.Settled, len(f.Rounds))
		}
	}
}

// Where the potential is flat every trajectory is accepted: the domain bounds the steps, a
// trajectory is one of them, and chance does not take a cube for a slab. Mutants: five steps
// kept; steps of a quarter of the width; the chance of few points left out.
func TestPathsOnAFlatPotential(t *testing.T) {
	const d = 30
	lo, hi := make([]float64, d), make([]float64, d)
	for j := range lo {
		lo[j], hi[j] = -1, 1
	}
	box, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	flat := potential.Func(d, func(grad, _ []float64) float64 { clear(grad); return 0 })
	f, err := Tune(t.Context(), r2sgld.Problem{Domain: box, Potential: flat},
		r2sgld.Settings{Seed: 1, Ladders: 4, Kernel: kernel.HMC{Leapfrog: 10}}, nil, func(*Found) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if sds := math.Sqrt(2*f.Diffusion[0]) * math.Sqrt(3); f.Leapfrog != 1 || f.Whitening != nil || sds < 2.2 || sds > 3.4 {
		t.Errorf("%d steps of %.2f standard deviations, whitened %t", f.Leapfrog, sds, f.Whitening != nil)
	}
}

// Trajectories go half as far again along a ridge that bends, y ≈ x² ± 0.1, as where the same draws may be of two
// modes; not where a normal law is as wide in one direction, which its slopes tell.
func TestTrajectoriesAlongARidge(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	ridge := potential.Func(2, func(grad, x []float64) float64 {
		w := x[1] - x[0]*x[0]
		grad[0], grad[1] = x[0]-200*w*x[0], 100*w
		return x[0]*x[0]/2 + 50*w*w
	})
	straight := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0], 100*x[1]
		return x[0]*x[0]/2 + 50*x[1]*x[1]
	})
	for _, c := range []struct {
		name  string
		u     potential.Potential
		bend  float64
		step  float64 // η, of which 8 to 32 are a trajectory
		times float64 // as far as of two modes, to a step that is rounded up
	}{
		{"ridge", ridge, 1, 1e-4, 1.5},
		{"normal", straight, 0, 1e-2, 1},
	} {
		tn, err := newTuner(t.Context(), r2sgld.Problem{Potential: c.u}, r2sgld.Settings{Kernel: kernel.HMC{Leapfrog: 5}, Start: []float64{0, 0}})
		if err != nil {
			t.Fatal(err)
		}
		l := r2sgld.Ladder{Draws: r2sgld.Draws{X: make([][]float64, 1), Energy: make([][]float64, 1)},
			Moves: []kernel.Moves{{Proposed: 1000, Accepted: 800}}}
		for range 1000 {
			x := rng.NormFloat64()
			l.X[0] = append(l.X[0], x, c.bend*x*x+0.1*rng.NormFloat64())
			l.Energy[0] = append(l.Energy[0], rng.NormFloat64())
		}
		far := func(count int) float64 {
			next := &Found{Beta: []float64{1}, Modes: &Modes{Search: &modes.Search{Modes: make([]modes.Mode, count)}}}
			tn.paths(next, &Found{Beta: []float64{1}, Diffusion: []float64{c.step}, Leapfrog: 5, Rounds: make([]Round, 1)},
				&r2sgld.Result{Names: []string{"x", "y"}, Ladders: []r2sgld.Ladder{l, l}})
			return float64(next.Leapfrog)
		}
		if one, two := far(1), far(2); !(math.Abs(one-c.times*two) <= c.times) || two < 8 || one == mostLeapfrog {
			t.Errorf("%s: %g steps, %g where there are two modes", c.name, one, two)
		}
	}
	for ratio, want := range map[float64]float64{0.5: 1, 1: 1, 2: 1, 4: math.Pow(2, 0.25), 1e6: 1.5} {
		if got := bend(ratio); math.Abs(got-want) > 1e-12 {
			t.Errorf("%g times the variance: %g, want %g", ratio, got, want)
		}
	}
}

// Steps grow by the square root of what would bring them to where they are to be, in the first round by
// all of it, and tenfold in any where next to none is rejected.
//
// Mutant: none grow tenfold.
func TestCorrection(t *testing.T) {
	for _, c := range []struct {
		share  float64
		rounds int
		want   float64
	}{
		{1, 0, 10}, {0.9999, 3, 10}, {0.9, 0, growth(0.9, accepted)}, {0.99, 3, math.Sqrt(growth(0.99, accepted))},
		{0.3, 3, math.Sqrt(growth(0.3, accepted))},
	} {
		if got := correction(c.share, accepted, c.rounds); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%.4f accepted in round %d: steps change by %g, want %g", c.share, c.rounds+1, got, c.want)
		}
	}
}
