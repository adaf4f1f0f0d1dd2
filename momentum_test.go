package r2sgld_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A watch is a recorder that is a function.
type watch func(k int, b *kernel.Block)

func (w watch) Record(k int, b *kernel.Block) error { w(k, b); return nil }

// meanOf returns the mean of independent values, one per ladder, and its
// standard error.
func meanOf(values []float64) (mean, se float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		se += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(se / (n - 1) / n)
}

// student is the |t| of the mean of n ladders that a random seed exceeds with
// probability 1e-7.
func student(n int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Quantile(1 - 0.5e-7)
}

// flat is U = 0.
func flat(d int) potential.Potential {
	return potential.Func(d, func(grad, _ []float64) float64 { clear(grad); return 0 })
}

// A momentum that is mirrored with the path keeps the uniform law times the
// isotropic normal law of the momentum exactly, at every step and from the first,
// in every domain: convex, with corners, curved, not convex. Steps are about a
// tenth of the domain and go on for ten. Means over 48 ladders are compared with
// the truth; |t| < 6.3 for 47 degrees of freedom (1e-7 each, at most 9 in each of
// four domains). It kills: a momentum that is not mirrored (it pushes on into
// the wall: E x·v and E r² off by |t| > 50), a normal that is not that of the
// path, a momentum that a swap of places in memory mixes up, and noise that does
// not belong to μ.
func TestMomentumKeepsUniformLaw(t *testing.T) {
	var r struct {
		Flower struct {
			Uniform struct {
				R2 float64 `json:"mean_r2"`
			} `json:"uniform_on_domain"`
		}
	}
	readReference(t, "multimodal.json", &r)
	half := r.Flower.Uniform.R2 / 2
	const eta, mu, ladders = 0.02, 0.9, 48
	for name, c := range map[string]struct {
		d            domain.Domain
		mean, square []float64 // of each coordinate
		cross        float64   // E x1 x2
	}{
		"flower": {must(domain.NewFlower(5, 3, 2)), []float64{0, 0}, []float64{half, half}, 0},
		"box":    {must(domain.NewBox([]float64{0, -1}, []float64{1, 2})), []float64{0.5, 0.5}, []float64{1.0 / 3, 1}, 0.25},
		"ball":   {must(domain.NewBall([]float64{1, 0, 0}, 1.5)), []float64{1, 0, 0}, []float64{1.45, 0.45, 0.45}, 0},
		"L-shape": {must(domain.NewPolygon([][2]float64{{0, 0}, {2, 0}, {2, 1}, {1, 1}, {1, 2}, {0, 2}})), []float64{5.0 / 6, 5.0 / 6},
			[]float64{1, 1}, 1.75 / 3},
	} {
		t.Run(name, func(t *testing.T) {
			d := c.d.Dim()
			names := []string{"x1 x2", "v1 v2", "x·v"}
			want := []float64{c.cross, 0, 0}
			for j := range d {
				names = append(names, "x", "x²", "v²")
				want = append(want, c.mean[j], c.square[j], 2*eta/(1+mu))
			}
			sums := make([][]float64, len(want))
			for i := range sums {
				sums[i] = make([]float64, ladders)
			}
			s := r2sgld.Settings{Seed: 4, Ladders: ladders, Iterations: longer(10_000), StepSize: []float64{eta},
				Kernel: kernel.Momentum{Mu: mu}, Thin: 1 << 30}
			s.Recorder = func(l int) r2sgld.Recorder {
				return watch(func(_ int, b *kernel.Block) {
					n := float64(s.Iterations)
					sums[0][l] += b.X[0] * b.X[b.Stride] / n
					sums[1][l] += b.V[0] * b.V[b.Stride] / n
					for j := range d {
						x, v := b.X[j*b.Stride], b.V[j*b.Stride]
						sums[2][l] += x * v / n
						sums[3+3*j][l] += x / n
						sums[4+3*j][l] += x * x / n
						sums[5+3*j][l] += v * v / n
					}
				})
			}
			res := sample(t, r2sgld.Problem{Potential: flat(d), Domain: c.d}, s)
			if n := res.Tally(0); n.Reflected < n.Steps/50 || n.Fallbacks > 0 {
				t.Errorf("%+v", n)
			}
			for i, values := range sums {
				mean, se := meanOf(values)
				if z := (mean - want[i]) / se; !(math.Abs(z) < student(ladders)) {
					t.Errorf("E %s (%d) is %.5f ± %.5f, want %.5f (t = %.1f)", names[i], i, mean, se, want[i], z)
				}
			}
		})
	}
}

// A Gaussian in a box with momentum has its exact moments as the step goes to
// zero; what the step brings at μ = 0.9 is of order 1.
func TestMomentumGaussianInBox(t *testing.T) {
	pace.Slow(t)
	var r reference
	readReference(t, "gauss_box.json", &r)
	s := settings(600_000, 4e-4)
	s.Kernel = kernel.Momentum{Mu: 0.9}
	d := must(domain.NewBox(r.Domain.Lower, r.Domain.Upper))
	atTwoSteps(t, r2sgld.Problem{Potential: quadratic(r.Target.Mu, r.Target.Q), Domain: d}, s, 1, r.moments())
}

// lopsided is a quadratic target in a box that hardly touches it, with three
// rungs of different temperature and step size that swap.
func lopsided(ladders, iterations int) (r2sgld.Problem, r2sgld.Settings) {
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{{1, 0.5}, {0.5, 3}}),
		Domain: must(domain.NewBox([]float64{-4, -3}, []float64{4, 3}))}
	return p, r2sgld.Settings{Seed: 8, Ladders: ladders, Iterations: iterations, Thin: 1 << 30, Kernel: kernel.Momentum{Mu: 0.9},
		Temperature: []float64{1, 2, 5}, StepSize: []float64{1e-4, 8e-4, 2e-4}, Start: []float64{0.3, 0.3}}
}

// A ratio is a mean over one ladder.
type ratio struct{ sum, count float64 }

func (r *ratio) add(v float64) { r.sum += v; r.count++ }

func (r ratio) mean() float64 { return r.sum / r.count }

// Mean v²/(ητ) of each rung just after a replica came to it by a swap equals that
// of the replicas that stayed, within 4 standard errors over 64 ladders, and both
// are 2/(1+μ) but for what the step brings: a part ηc/(2(1+μ)),
// below 0.1 % with curvatures c < 3.2 here. With momenta scaled by sqrt(τ) alone, or not at all, which
// the recorder works out from the rungs before and after, it does not: step sizes
// of neighbours differ by factors of 8 and 4.
func TestMomentumAtSwaps(t *testing.T) {
	pace.Slow(t)
	const ladders, rungs = 64, 3
	p, s := lopsided(ladders, longer(30_000))
	var stayed, came, byTau, byNothing [rungs][ladders]ratio
	s.Recorder = func(l int) r2sgld.Recorder {
		before := []int{0, 1, 2}
		return watch(func(k int, b *kernel.Block) {
			for i, r := range b.Rung {
				was := before[i]
				before[i] = r
				for j := i; j < len(b.V); j += b.Stride {
					v := b.V[j] * b.V[j] / (s.StepSize[r] * s.Temperature[r])
					if r == was {
						stayed[r][l].add(v)
						continue
					}
					came[r][l].add(v)
					byTau[r][l].add(v * s.StepSize[was] / s.StepSize[r])
					byNothing[r][l].add(v * s.StepSize[was] * s.Temperature[was] / (s.StepSize[r] * s.Temperature[r]))
				}
			}
		})
	}
	sample(t, p, s)
	compare := func(r int, a *[ladders]ratio) (difference, se float64) {
		d := make([]float64, ladders)
		for l := range d {
			d[l] = a[l].mean() - stayed[r][l].mean()
		}
		return meanOf(d)
	}
	equilibrium := 2 / (1 + s.Traits().Momentum.Mu)
	for r := range rungs {
		each := make([]float64, ladders)
		for l := range each {
			each[l] = stayed[r][l].mean()
		}
		mean, se := meanOf(each)
		if math.Abs(mean-equilibrium) > 0.001*equilibrium+4*se {
			t.Errorf("rung %d: mean v²/(ητ) between swaps is %.4f ± %.4f, want %.4f", r+1, mean, se, equilibrium)
		}
		diff, sd := compare(r, &came[r])
		t.Logf("rung %d: v²/(ητ) %.4f ± %.4f between swaps, %+.4f ± %.4f just after", r+1, mean, se, diff, sd)
		if !(math.Abs(diff) < 4*sd) {
			t.Errorf("rung %d: mean v²/(ητ) just after swaps is off by %.4f ± %.4f", r+1, diff, sd)
		}
		for name, wrong := range map[string]*[ladders]ratio{"sqrt(τ) alone": &byTau[r], "nothing": &byNothing[r]} {
			if diff, sd := compare(r, wrong); !(math.Abs(diff) > 10*sd) {
				t.Errorf("rung %d: momenta scaled by %s would not be noticed: %.4f ± %.4f", r+1, name, diff, sd)
			}
		}
	}
}

// When a schedule changes the step sizes, momenta go along: mean v²/(ητ) is
// 2/(1+μ) in every part of the schedule, at the jumps of cosine cycles and where
// an exponential decay is faster than momenta forget (0.97 a step). The step
// brings less than 0.1 %; |t| < 6.1 for 63 ladders' degrees of freedom. It kills
// momenta left as they are: at a jump by a factor above 1000 they would be
// near zero, and 18 % too large in the decay.
func TestMomentumUnderSchedules(t *testing.T) {
	const ladders = 64
	for name, c := range map[string]struct {
		decay kernel.Decay
		part  func(k int) int // 0 or 1
	}{
		"cosine":      {kernel.Decay{Kind: kernel.Cosine, Cycles: 80}, func(k int) int { return b2i((k-1)%100 < 5) }},
		"exponential": {kernel.Decay{Kind: kernel.Exponential, Rate: 0.97, After: 7700}, func(k int) int { return b2i(k > 7700) }},
	} {
		t.Run(name, func(t *testing.T) {
			p, s := lopsided(ladders, 8000)
			s.Decay = c.decay
			var parts [2][ladders]ratio
			s.Recorder = func(l int) r2sgld.Recorder {
				schedule := kernel.Schedule{StepSize: s.StepSize, Temperature: s.Temperature, Iterations: s.Iterations, Decay: s.Decay}
				at := kernel.NewAt(len(s.StepSize))
				return watch(func(k int, b *kernel.Block) {
					schedule.Set(at, k)
					for i, r := range b.Rung {
						for j := i; j < len(b.V); j += b.Stride {
							parts[c.part(k)][l].add(b.V[j] * b.V[j] / (at.StepSize[r] * at.Temperature[r]))
						}
					}
				})
			}
			sample(t, p, s)
			want := 2 / (1 + s.Traits().Momentum.Mu)
			for i, part := range parts {
				each := make([]float64, ladders)
				for l := range each {
					each[l] = part[l].mean()
				}
				mean, se := meanOf(each)
				t.Logf("part %d: %.4f ± %.4f, want %.4f", i+1, mean, se, want)
				if math.Abs(mean-want) > 0.001*want+student(ladders)*se {
					t.Errorf("part %d: mean v²/(ητ) is %.4f ± %.4f, want %.4f", i+1, mean, se, want)
				}
			}
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// A decay that ends at a step size of zero ends at rest: momenta do not become
// NaN, which every further step would have to be saved from.
func TestMomentumDecaysToRest(t *testing.T) {
	p, s := lopsided(1, 3000)
	s.Decay = kernel.Decay{Kind: kernel.Exponential, Rate: 0.5, After: 100}
	if n := sample(t, p, s).Tally(-1).Fallbacks; n > 0 {
		t.Errorf("%d fallbacks", n)
	}
}

// With momentum, too, a replica next to a wall where the potential is infinite
// leaves it, with a fresh momentum.
func TestMomentumNoTrapAtSingularWall(t *testing.T) {
	p := r2sgld.Problem{Potential: dirichlet([]float64{2, 3, 4}), Domain: must(domain.NewSimplex(2, 1))}
	s := r2sgld.Settings{Iterations: 200, StepSize: []float64{1e-4}, Start: []float64{1e-13, 0.4}, Kernel: kernel.Momentum{Mu: 0.9}}
	fastest := 0.0
	s.Recorder = func(int) r2sgld.Recorder {
		return watch(func(_ int, b *kernel.Block) { fastest = math.Max(fastest, math.Hypot(b.V[0], b.V[1])) })
	}
	res := sample(t, p, s)
	if n := res.Tally(0).Fallbacks; n < 1 || n > 20 {
		t.Errorf("%d fallbacks in 200 iterations", n)
	}
	if x := res.Ladders[0].X[0][2*199]; x < 1e-4 || fastest > 1 {
		t.Errorf("at x1 = %g after 200 iterations, momenta up to %g", x, fastest)
	}
}

// Swaps leave the law of the cold rung as it is with momentum, at steps where state
// and momentum are correlated: on a lopsided Gaussian the variance of each
// coordinate lies between τ/c, the truth, and the stationary variance
// τ/(c(1 − ηc/(2(1+μ)))) of the kernel, 1.3 % apart, up to 4.9 standard errors,
// whether the other rung has another temperature and step or the uniform law. It
// kills momenta that are scaled whole at swaps: with the uniform law the variance
// is then too small by 2 % (z = −8).
func TestMomentumSwapsKeepTheLaw(t *testing.T) {
	pace.Slow(t)
	c := []float64{1, 4}
	const mu, eta = 0.9, 0.0125
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0}, [][]float64{{c[0], 0}, {0, c[1]}}),
		Domain: must(domain.NewBox([]float64{-5, -2.5}, []float64{5, 2.5}))}
	for name, hot := range map[string][2]float64{"step": {1.5, eta / 4}, "uniform": {infinity, 1}} {
		s := r2sgld.Settings{Seed: 12, Ladders: 8, Iterations: longer(300_000), BurnIn: 1000, Thin: 4, Kernel: kernel.Momentum{Mu: mu},
			Temperature: []float64{1, hot[0]}, StepSize: []float64{eta, hot[1]}}
		res := sample(t, p, s)
		for j, v := range c {
			got, se := estimate(res, functional{of: func(x []float64, _ float64) float64 { return v * x[j] * x[j] }})
			top := 1 / (1 - eta*v/(2*(1+mu)))
			t.Logf("%-12s c = %g: variance · c %.4f ± %.4f", name, v, got, se)
			if got < 1-sigma*se || got > top+sigma*se {
				t.Errorf("%s, curvature %g: variance · c is %.4f ± %.4f, not between 1 and %.4f", name, v, got, se, top)
			}
		}
	}
}
