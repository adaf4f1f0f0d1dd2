package r2sgld_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A law is a problem with expectations that are known, per rung.
type law struct {
	p     r2sgld.Problem
	rungs [][]functional
}

// lattice is the law of p at each temperature by n points of a lattice in the
// bounds of the domain (Roberts's generalised golden ratio), which only Contains
// lets in: nothing of walls, normals and kernels is in it. The functionals are U,
// x, y, x² and y².
func lattice(p r2sgld.Problem, n int, temperature ...float64) law {
	lo, hi := domain.BoundsOf(p.Domain, 2)
	u := p.Potential.Evaluator(1, nil)
	l := law{p: p}
	x, energy, grad := make([]float64, 2), make([]float64, 1), make([]float64, 2)
	of := []functional{
		{"U", func(_ []float64, u float64) float64 { return u }, 0},
		{"x", func(x []float64, _ float64) float64 { return x[0] }, 0},
		{"y", func(x []float64, _ float64) float64 { return x[1] }, 0},
		{"x²", func(x []float64, _ float64) float64 { return x[0] * x[0] }, 0},
		{"y²", func(x []float64, _ float64) float64 { return x[1] * x[1] }, 0},
	}
	sums := make([][]float64, len(temperature))
	for r := range sums {
		sums[r] = make([]float64, len(of)+1)
	}
	for k := range n {
		_, a := math.Modf(float64(k) * 0.7548776662466927)
		_, b := math.Modf(float64(k) * 0.5698402909980532)
		x[0], x[1] = lo[0]+a*(hi[0]-lo[0]), lo[1]+b*(hi[1]-lo[1])
		if !p.Domain.Contains(x) {
			continue
		}
		u.Eval(energy, grad, x)
		for r, tau := range temperature {
			w := 1.0
			if !math.IsInf(tau, 1) {
				w = math.Exp(-energy[0] / tau)
			}
			if !(w > 0) {
				continue
			}
			sums[r][len(of)] += w
			for i, f := range of {
				sums[r][i] += w * f.of(x, energy[0])
			}
		}
	}
	for r := range sums {
		fs := append([]functional(nil), of...)
		for i := range fs {
			fs[i].want = sums[r][i] / sums[r][len(of)]
		}
		l.rungs = append(l.rungs, fs)
	}
	return l
}

// score returns the largest |t| of the functionals of all rungs, each the mean of
// independent ladders against the truth, and what it belongs to.
func (l law) score(res *r2sgld.Result) (worst float64, what string) {
	d := len(res.Names)
	for r, fs := range l.rungs {
		for _, f := range fs {
			each := make([]float64, len(res.Ladders))
			for i, ladder := range res.Ladders {
				for k, u := range ladder.Energy[r] {
					each[i] += f.of(ladder.X[r][k*d:(k+1)*d], u) / float64(len(ladder.Energy[r]))
				}
			}
			mean, se := meanOf(each)
			if z := math.Abs(mean-f.want) / se; !(z <= worst) {
				worst, what = z, f.name
			}
		}
	}
	return worst, what
}

// gaussian is the law of a reference file at one temperature, U scaled with it.
func gaussian(t *testing.T, file string, tau float64) law {
	var r reference
	readReference(t, file, &r)
	var d domain.Domain
	switch v := r.Domain; {
	case v.Radius > 0:
		d = must(domain.NewBall(v.Center, v.Radius))
	case v.A != nil:
		d = must(domain.NewHalfSpace(v.A, v.B))
	default:
		d = must(domain.NewBox(v.Lower, v.Upper))
	}
	for i := range r.Target.Q {
		for j := range r.Target.Q {
			r.Target.Q[i][j] *= tau
		}
	}
	fs := r.moments()
	fs[0].want *= tau
	return law{r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: d}, [][]functional{fs}}
}

// modes is the 25-mode target on the flower or the octagon at temperature 1 and at
// those of hotter rungs, 10 or infinite.
func modes(t *testing.T, d domain.Domain, name string, hot ...float64) law {
	type at struct {
		U  float64 `json:"mean_U"`
		Y  float64 `json:"mean_y"`
		R2 float64 `json:"mean_r2"`
	}
	var values struct {
		Flower, Octagon struct {
			Tau1, Tau10 at
			Uniform     at `json:"uniform_on_domain"`
		}
	}
	readReference(t, "multimodal.json", &values)
	v := values.Flower
	if name == "octagon" {
		v = values.Octagon
	}
	l := law{p: r2sgld.Problem{Potential: multimodal, Domain: d}}
	for _, tau := range append([]float64{1}, hot...) {
		a := v.Tau1
		if tau == 10 {
			a = v.Tau10
		}
		if tau > 10 {
			a = v.Uniform
		}
		l.rungs = append(l.rungs, []functional{
			{"U", func(_ []float64, u float64) float64 { return u }, a.U},
			{"x", func(x []float64, _ float64) float64 { return x[0] }, 0},
			{"y", func(x []float64, _ float64) float64 { return x[1] }, a.Y},
			{"r²", func(x []float64, _ float64) float64 { return x[0]*x[0] + x[1]*x[1] }, a.R2},
		})
	}
	return l
}

// Kernel HMC keeps the law at steps where SGLD is far off: means over 48
// independent ladders agree with numbers that are independent of the kernel
// (|t| < 6.3, 1e-7 for each of at most 12), and with the same step and as many
// iterations SGLD fails the same check. One rung and several, τ other than 1, an
// infinite hottest one, whitened, under specular reflection and refusal, with one
// leapfrog step (Metropolis-adjusted Langevin) and several; convex, not convex,
// with corners, with a singular wall, unbounded. It kills: always accepted, H
// without its kinetic part, momenta not mirrored, half-kicks missing, momenta
// without τ, energies or gradients of rejected ends.
func TestHMCIsExact(t *testing.T) {
	pace.Slow(t)
	flowered := modes(t, flower, "flower")
	octagon := must(domain.NewOctagon(2))
	star, cross, heart := must(domain.NewStar(2)), must(domain.NewCross(2)), must(domain.NewHeart(2))
	tilted := potential.Func(2, func(grad, x []float64) float64 {
		u := 0.0
		for j, slope := range []float64{0.3, -0.5} { // lopsided
			s, c := math.Sincos(2 * math.Pi * x[j])
			grad[j] = 0.4*x[j] + 4*math.Pi*s + slope
			u += 0.2*x[j]*x[j] - 2*c + slope*x[j]
		}
		return u
	})
	on := func(d domain.Domain, tau ...float64) law {
		return lattice(r2sgld.Problem{Potential: tilted, Domain: d}, 400_000, tau...)
	}
	var simplex reference
	readReference(t, "dirichlet.json", &simplex)
	singular := law{r2sgld.Problem{Potential: dirichlet(simplex.Target.Alpha), Domain: must(domain.NewSimplex(2, 1))},
		[][]functional{simplex.moments()}}
	for name, c := range map[string]struct {
		l        law
		s        r2sgld.Settings
		leapfrog int
		step     []float64
		n        int
	}{
		"flower": {flowered, r2sgld.Settings{}, 7, []float64{0.015}, 1500},
		"flower, whitened": {flowered,
			r2sgld.Settings{Whitening: &r2sgld.Whitening{Center: []float64{0.1, 0.2}, L: [][]float64{{1, 0.1}, {0.3, 0.8}}},
				Boundary: domain.Specular}, 7, []float64{0.015}, 1500},
		"flower, two rungs": {modes(t, flower, "flower", 10), r2sgld.Settings{Temperature: []float64{1, 10}}, 3, []float64{0.012, 0.02}, 1500},
		"flower, infinite": {modes(t, flower, "flower", 10, infinity),
			r2sgld.Settings{Temperature: []float64{1, 10, infinity}, Swap: exchange.Settings{Every: 2}}, 3, []float64{0.012, 0.012, 0.1}, 1000},
		"octagon, refused": {modes(t, octagon, "octagon", 10), r2sgld.Settings{Temperature: []float64{1, 10}, Boundary: domain.Refuse}, 1,
			[]float64{0.01, 0.02}, 3000},
		"star, two rungs": {on(star, 2, 8), r2sgld.Settings{Temperature: []float64{2, 8}}, 4, []float64{0.01, 0.015}, 1500},
		"cross":           {on(cross, 3), r2sgld.Settings{Temperature: []float64{3}}, 5, []float64{0.015}, 1500},
		"heart, refused": {on(heart, 2, 8), r2sgld.Settings{Temperature: []float64{2, 8}, Boundary: domain.Refuse}, 4,
			[]float64{0.01, 0.015}, 1500},
		"box, one step": {gaussian(t, "gauss_box.json", 2), r2sgld.Settings{Temperature: []float64{2}}, 1, []float64{0.06}, 2000},
		"ball":          {gaussian(t, "gauss_ball.json", 1), r2sgld.Settings{}, 7, []float64{0.06}, 600},
		"half-space, mapped": {gaussian(t, "gauss_halfspace.json", 1), r2sgld.Settings{Start: []float64{0.5, 0.5, 1},
			Whitening: shear3}, 4, []float64{0.2}, 1000},
		"simplex": {singular, r2sgld.Settings{}, 5, []float64{0.004}, 1000},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.s
			s.Seed, s.Ladders, s.BurnIn, s.StepSize = 31, 48, 300, c.step
			s.Iterations = s.BurnIn + longer(c.n)
			biased, _ := c.l.score(sample(t, c.l.p, s))
			s.Kernel = kernel.HMC{Leapfrog: c.leapfrog}
			res := sample(t, c.l.p, s)
			z, what := c.l.score(res)
			t.Logf("largest |t| %.1f (%s), without acceptance %.1f; accepted %.2f", z, what, biased, res.Acceptance())
			if !(z < student(s.Ladders)) {
				t.Errorf("E %s is off by |t| = %.1f", what, z)
			}
			if !(biased > student(s.Ladders)) {
				t.Errorf("SGLD with this step passes too, |t| = %.1f", biased)
			}
			for _, a := range res.Acceptance()[:max(1, len(s.Temperature)-1)] {
				if a < 0.2 || a > 0.98 {
					t.Errorf("%.3f of the trajectories are accepted: too few, or too many to tell", a)
				}
			}
			if n := res.Tally(-1); n.Outside > 0 || n.Reflected == 0 || n.Fallbacks > n.Steps/1000 {
				t.Errorf("%+v", n)
			}
		})
	}
}

// shear3 maps three coordinates, none of them alone.
var shear3 = &r2sgld.Whitening{Center: []float64{0.5, 0, 1}, L: [][]float64{{0.8, 0.1, 0}, {0.2, 0.4, 0}, {-0.3, 0.2, 1.1}}}

// A trajectory that would need more mirrorings than the cap allows turns back, and
// keeps the law so: in a narrow wedge with a cap of 1, with and without a slope.
// It kills: a fallback that keeps its momentum, and one that is moved on by noise
// as those of SGLD are.
func TestTrajectoriesThatTurnBack(t *testing.T) {
	wedge := must(domain.NewPolygon([][2]float64{{0, 0}, {4, 0}, {4, 0.7}}))
	slope := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = -0.8, 1.5
		return 1.5*x[1] - 0.8*x[0]
	})
	for name, u := range map[string]potential.Potential{"flat": flat(2), "slope": slope} {
		l := lattice(r2sgld.Problem{Potential: u, Domain: wedge}, 400_000, 1)
		if name == "flat" {
			l.rungs[0] = l.rungs[0][1:] // U = 0
		}
		s := r2sgld.Settings{Seed: 3, Ladders: 48, Iterations: longer(4000), BurnIn: 200, StepSize: []float64{0.05}, Cap: 1,
			Kernel: kernel.HMC{Leapfrog: 4}}
		res := sample(t, l.p, s)
		if n := res.Tally(0); n.Fallbacks < n.Steps/50 {
			t.Errorf("%s: %d fallbacks in %d steps show nothing", name, n.Fallbacks, n.Steps)
		}
		if z, what := l.score(res); !(z < student(s.Ladders)) {
			t.Errorf("%s: E %s is off by |t| = %.1f", name, what, z)
		}
	}
}

// Where an energy is not finite no trajectory ends, and the run goes on: the law
// is that on the rest, NaN or infinite, one rung and two, and found by a uniform
// start too. SGLD ends there. A start that is given there is refused. It kills an
// end that is not finite and taken, and one that ends the run.
func TestHMCGoesOnWhereEnergiesAreNotFinite(t *testing.T) {
	box := must(domain.NewBox([]float64{-1, -1}, []float64{2, 1}))
	for name, bad := range map[string]float64{"NaN": math.NaN(), "infinite": math.Inf(1)} {
		u := potential.Func(2, func(grad, x []float64) float64 {
			if 0.5*x[0]*x[0]+2*x[1]*x[1] > 1 { // walls cut this ellipse twice
				grad[0], grad[1] = bad, 0
				return bad
			}
			grad[0], grad[1] = 2*x[0]-x[1], 4*x[1]-x[0]
			return x[0]*x[0] - x[0]*x[1] + 2*x[1]*x[1]
		})
		l := lattice(r2sgld.Problem{Potential: u, Domain: box}, 400_000, 1, 3)
		s := r2sgld.Settings{Seed: 6, Ladders: 48, Iterations: longer(1500), BurnIn: 50, StepSize: []float64{0.05, 0.03},
			Temperature: []float64{1, 3}, Kernel: kernel.HMC{Leapfrog: 3}}
		if z, what := l.score(sample(t, l.p, s)); !(z < student(s.Ladders)) {
			t.Errorf("%s: E %s is off by |t| = %.1f", name, what, z)
		}
		s.Kernel = nil
		var blowUp *r2sgld.BlowUp
		if _, err := r2sgld.Sample(context.Background(), l.p, s); !errors.As(err, &blowUp) {
			t.Errorf("%s: SGLD went on: %v", name, err)
		}
		s.Kernel, s.Start = kernel.HMC{Leapfrog: 3}, []float64{1.9, 0.9}
		if _, err := r2sgld.Sample(context.Background(), l.p, s); err == nil || !strings.Contains(err.Error(), "not finite at the start") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// After every iteration energies and gradients are those of the states, bit for
// bit, in the kernel's coordinates, and Moves counts those that moved: every
// trajectory of the rung that is drawn afresh. It kills energies or gradients that
// a rejection leaves as they were at the end, counts of another rung, and
// trajectories of another length.
func TestHMCBlocksAreEvaluated(t *testing.T) {
	s := r2sgld.Settings{Seed: 4, Ladders: 2, Threads: 2, Iterations: 400, Temperature: []float64{1, 5, infinity}, StepSize: []float64{0.02, 0.03, 0.1},
		Kernel: kernel.HMC{Leapfrog: 4}, Start: []float64{0, 0}} // a ladder for each thread: none share a block
	for _, swap := range []exchange.Settings{never, {}} {
		s.Swap = swap
		var moved [2][3]int64
		s.Recorder = func(l int) r2sgld.Recorder {
			u := multimodal.Evaluator(3, nil)
			energy, grad, last := make([]float64, 3), make([]float64, 6), make([]float64, 6)
			return watch(func(k int, b *kernel.Block) {
				if u.Eval(energy, grad, b.X); !slices.Equal(energy, b.Energy) || !slices.Equal(grad, b.Grad) {
					t.Fatalf("ladder %d, iteration %d: energies %v and gradients %v, not %v and %v", l+1, k, b.Energy, b.Grad, energy, grad)
				}
				for i, r := range b.Rung {
					if b.X[i] != last[i] {
						moved[l][r]++
					}
				}
				copy(last, b.X)
			})
		}
		res := sample(t, r2sgld.Problem{Potential: multimodal, Domain: flower}, s)
		for l, ladder := range res.Ladders {
			for r, m := range ladder.Moves {
				if steps := ladder.Tally[r].Steps; r < 2 && steps != 4*400 {
					t.Errorf("%d leapfrog steps in 400 trajectories of 4", steps)
				}
				if m.Proposed != 400 || swap.Every > 0 && m.Accepted != moved[l][r] || r < 2 == (m.Accepted == 400) {
					t.Errorf("ladder %d, rung %d: %+v, %d moved", l+1, r+1, m, moved[l][r])
				}
			}
		}
		total := float64(res.Ladders[0].Moves[0].Accepted+res.Ladders[1].Moves[0].Accepted) / 800
		if a := res.Acceptance(); len(a) != 3 || a[0] != total || a[2] != 1 {
			t.Errorf("acceptance %v, want %g of rung 1", a, total)
		}
	}
	s.Kernel, s.Recorder = nil, nil
	if a := sample(t, r2sgld.Problem{Potential: multimodal, Domain: flower}, s).Acceptance(); a != nil {
		t.Errorf("acceptance %v without trajectories", a)
	}
}
