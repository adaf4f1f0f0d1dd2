package r2sgld_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

var (
	infinity = math.Inf(1)
	never    = exchange.Settings{Every: 1 << 30}
	shear    = &r2sgld.Whitening{Center: []float64{0.4, 0.3}, L: [][]float64{{0.5, 0.1}, {0.3, 0.7}}}
)

// chiSquared fails t if counts are not those of n draws with probabilities p, at
// 1e-7.
func chiSquared(t *testing.T, what string, counts, p []float64, n int) {
	t.Helper()
	sum := 0.0
	for i, c := range counts {
		e := p[i] * float64(n)
		sum += (c - e) * (c - e) / e
	}
	if tail := (distuv.ChiSquared{K: float64(len(p) - 1)}).Survival(sum); !(tail > 1e-7) {
		t.Errorf("%s: χ² = %.1f of %d cells, probability %.1g", what, sum, len(p), tail)
	}
}

// The draws of the rung at infinite temperature are independent and uniform where
// the domain has a cheap uniform law: with polar coordinates (θ, r) of the flower,
// whose radius is R(θ), (r/R)² is uniform and θ has density R²; in a box each
// coordinate is uniform. 20,000 draws, no swaps: χ² of 40 cells and
// Kolmogorov–Smirnov at 1e-7 each, the lag-one correlation of r² with
// |z| < 5.4, all with SGLD, with momentum, and with a whitening, whose Jacobian is
// constant. The momentum is normal with variance 2η/(1+μ), afresh. It kills: a
// walk in place of fresh draws, draws in the kernel's coordinates, draws given to
// another rung, drift at infinite temperature, and a momentum left from before.
func TestInfiniteTemperatureIsUniform(t *testing.T) {
	const n = 20_000
	flower := must(domain.NewFlower(5, 3, 2))
	for name, bend := range map[string]func(*r2sgld.Settings){
		"plain":     func(*r2sgld.Settings) {},
		"momentum":  func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.9, NoiseEstimate: 0.05} },
		"whitening": func(s *r2sgld.Settings) { s.Whitening = shear },
	} {
		t.Run("flower, "+name, func(t *testing.T) {
			s := r2sgld.Settings{Seed: 2, Iterations: n, Temperature: []float64{1, infinity}, StepSize: []float64{1e-3, 0.02}, Swap: never}
			bend(&s)
			var v2, vv float64
			s.Recorder = func(int) r2sgld.Recorder {
				last := 0.0
				return watch(func(_ int, b *kernel.Block) {
					if b.V != nil {
						v2 += b.V[1]*b.V[1] + b.V[3]*b.V[3]
						vv += b.V[1] * last
						last = b.V[1]
					}
				})
			}
			l := sample(t, r2sgld.Problem{Potential: multimodal, Domain: flower}, s).Ladders[0]
			onFlower(t, l.X[1])
			if s.Kernel != nil {
				want := 2 * 0.02 / 1.9
				if z := (v2/(2*n)/want - 1) * math.Sqrt(n); !(math.Abs(z) < 5.4) {
					t.Errorf("variance of the momentum %.5f, want %.5f (z = %.1f)", v2/(2*n), want, z)
				}
				if z := vv / want / math.Sqrt(n); !(math.Abs(z) < 5.4) {
					t.Errorf("momenta in a row are correlated (z = %.1f)", z)
				}
			}
		})
	}
	t.Run("box", func(t *testing.T) {
		lo, hi := []float64{-1, 0, 5}, []float64{1, 0.1, 25}
		s := r2sgld.Settings{Seed: 3, Iterations: n, Temperature: []float64{1, infinity}, Swap: never}
		l := sample(t, r2sgld.Problem{Potential: flat(3), Domain: must(domain.NewBox(lo, hi))}, s).Ladders[0]
		for j := range lo {
			d := diag.KS(l.Chain(1, j), func(x float64) float64 { return (x - lo[j]) / (hi[j] - lo[j]) })
			if p := diag.KSPValue(d, n); !(p > 1e-7) {
				t.Errorf("coordinate %d: D = %.4f, probability %.1g", j+1, d, p)
			}
		}
	})
}

// onFlower tests draws x (n × 2) for independent uniform ones on the flower.
func onFlower(t *testing.T, x []float64) {
	t.Helper()
	const cells, rings, scale = 10, 4, 2 / 3.5
	mass := func(a float64) float64 { // ∫ R² from 0 to a, over scale²: (sin 5θ + 3)² = 9.5 + 6 sin 5θ − ½ cos 10θ
		return 9.5*a + 1.2*(1-math.Cos(5*a)) - math.Sin(10*a)/20
	}
	whole := mass(2 * math.Pi)
	counts, p := make([]float64, cells*rings), make([]float64, cells*rings)
	for i := range p {
		a := 2 * math.Pi / cells
		p[i] = (mass(float64(i/rings+1)*a) - mass(float64(i/rings)*a)) / whole / rings
	}
	var share, angle, r2 []float64
	for k := 0; k < len(x); k += 2 {
		a := math.Mod(math.Atan2(x[k+1], x[k])+2*math.Pi, 2*math.Pi)
		r := math.Hypot(x[k], x[k+1])
		radius := scale * (math.Sin(5*a) + 3)
		u := r * r / (radius * radius)
		share, angle, r2 = append(share, u), append(angle, a), append(r2, r*r)
		counts[min(cells-1, int(a/(2*math.Pi)*cells))*rings+min(rings-1, int(u*rings))]++
	}
	n := len(share)
	chiSquared(t, "cells of the flower", counts, p, n)
	for what, d := range map[string]float64{
		"(r/R)²": diag.KS(share, func(u float64) float64 { return min(1, u) }),
		"θ":      diag.KS(angle, func(a float64) float64 { return mass(a) / whole }),
	} {
		if p := diag.KSPValue(d, float64(n)); !(p > 1e-7) {
			t.Errorf("%s: D = %.4f, probability %.1g", what, d, p)
		}
	}
	mean, se := meanOf(r2)
	lag := 0.0
	for k := range r2[1:] {
		lag += (r2[k] - mean) * (r2[k+1] - mean) / float64(n)
	}
	if z := lag / (se * se * float64(n)) * math.Sqrt(float64(n)); !(math.Abs(z) < 5.4) {
		t.Errorf("draws in a row are correlated (z = %.1f)", z)
	}
}

// In a thin slab of a cube, which a uniform draw would have to be sought for in (a ball
// around it keeps it from being made round), the rung at infinite temperature walks: the law stays uniform from the start,
// in plain and in whitened coordinates, with momentum and without, and a step well
// inside has variance 2·StepSize along the slab. Means of 48 ladders at 1e-7 each.
// It kills steps with τ or without the 2, a drift there, and no reflection.
func TestInfiniteTemperatureWalks(t *testing.T) {
	pace.Slow(t)
	const ladders, eps, eta = 48, 0.01, 1e-3
	slab := must(domain.NewPolytope([][]float64{{1, -1, 0}, {-1, 1, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}},
		[]float64{eps, eps, 1, 1, 1, 0, 0, 0}, nil))
	p := r2sgld.Problem{Potential: quadratic([]float64{0, 0, 0}, [][]float64{{9, 0, 0}, {0, 4, 0}, {0, 0, 100}}),
		Domain: must(domain.NewIntersection(slab, must(domain.NewBall([]float64{0, 0, 0}, 10))))}
	narrow := (eps*eps*eps/3 - eps*eps*eps*eps/4) / (eps - eps*eps/2) // E (x1 − x2)²
	for name, bend := range map[string]func(*r2sgld.Settings){
		"plain":    func(*r2sgld.Settings) {},
		"momentum": func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.9, NoiseEstimate: 0.05} },
		"whitening": func(s *r2sgld.Settings) {
			s.Whitening = &r2sgld.Whitening{Center: []float64{0.5, 0.5, 0.5}, L: [][]float64{{1, 0.01, 0}, {1, -0.01, 0}, {0, 0, 1}}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := r2sgld.Settings{Seed: 6, Ladders: ladders, Iterations: longer(4000), Temperature: []float64{1, infinity},
				StepSize: []float64{1e-6, eta}, Swap: never}
			bend(&s)
			var steps [ladders]ratio
			s.Recorder = func(l int) r2sgld.Recorder {
				return watch(func(_ int, b *kernel.Block) {
					z := b.From[2*b.Stride+1] // the third coordinate of replica 1, along the slab in either coordinates
					if s.Whitening != nil {
						z += 0.5
					}
					if step := b.X[2*b.Stride+1] - b.From[2*b.Stride+1]; z > 0.35 && z < 0.65 {
						steps[l].add(step * step)
					}
				})
			}
			res := sample(t, p, s)
			means := make([][]float64, 5)
			for l, ladder := range res.Ladders {
				x := ladder.X[1]
				n := float64(len(x) / 3)
				var m [4]float64
				for k := 0; k < len(x); k += 3 {
					m[0] += x[k] / n
					m[1] += x[k+2] / n
					m[2] += x[k+2] * x[k+2] / n
					m[3] += (x[k] - x[k+1]) * (x[k] - x[k+1]) / n
				}
				for i, v := range m {
					means[i] = append(means[i], v)
				}
				if steps[l].count > 0 {
					means[4] = append(means[4], steps[l].mean())
				}
			}
			step := 2 * eta
			step /= 1 + s.Traits().Momentum.Mu
			for i, want := range []float64{0.5, 0.5, 1.0 / 3, narrow, step} {
				mean, se := meanOf(means[i])
				if z := (mean - want) / se; !(math.Abs(z) < student(len(means[i]))) {
					t.Errorf("statistic %d is %.6f ± %.6f, want %.6f (t = %.1f)", i, mean, se, want, z)
				}
			}
			if n := res.Tally(1); n.Outside > 0 || n.Steps == 0 {
				t.Errorf("%+v", n)
			}
		})
	}
}

// hole is a Gaussian at (0.8, 0.5) with energy bottom and gradient NaN where
// x1 < 0.1, seven of its standard deviations away.
func hole(bottom float64) potential.Potential {
	return potential.Func(2, func(grad, x []float64) float64 {
		if x[0] < 0.1 {
			grad[0], grad[1] = math.NaN(), infinity
			return bottom
		}
		grad[0], grad[1] = 100*(x[0]-0.8), 25*(x[1]-0.5)
		return (grad[0]*(x[0]-0.8) + grad[1]*(x[1]-0.5)) / 2
	})
}

// At infinite temperature an energy of +Inf, and whatever gradient, is a state
// like others, which no swap takes to a colder rung; NaN and −Inf end the run. The
// law of the cold rung stays. It kills: such energies ending the run, swaps that
// take 0·∞ for a reason, a NaN gradient that reaches a state, and NaN that passes.
func TestInfiniteEnergyAtInfiniteTemperature(t *testing.T) {
	p := r2sgld.Problem{Potential: hole(infinity), Domain: must(domain.NewBox([]float64{0, 0}, []float64{1, 1}))}
	for name, momentum := range map[string]kernel.Kernel{"SGLD": nil, "SGHMC": kernel.Momentum{Mu: 0.8}} {
		s := r2sgld.Settings{Seed: 7, Ladders: 8, Iterations: 20_000, BurnIn: 100, Temperature: []float64{1, 1.3, infinity},
			StepSize: []float64{2e-4, 2e-4, 2e-4}, Kernel: momentum, Start: []float64{0.8, 0.5}} // far from the hole
		res := sample(t, p, s)
		for i, l := range res.Ladders {
			var infinite [3]int
			for r, energy := range l.Energy {
				for _, u := range energy {
					if u != u || math.IsInf(u, -1) {
						t.Fatalf("%s, ladder %d: energy %g", name, i+1, u)
					}
					if math.IsInf(u, 1) {
						infinite[r]++
					}
				}
			}
			if infinite[0]+infinite[1] > 0 || infinite[2] < 1000 {
				t.Errorf("%s, ladder %d: infinite energies per rung %v of 19,900", name, i+1, infinite)
			}
		}
		// The box cuts the Gaussian of x1 at 2 standard deviations: the truth by
		// quadrature. The step's bias, ηc/4 < 1 %, is below 0.0003 here.
		var mean, mass float64
		for k := range 10_000 {
			x := 0.1 + 0.9*(float64(k)+0.5)/10_000
			w := math.Exp(-50 * (x - 0.8) * (x - 0.8))
			mean += w * x
			mass += w
		}
		got, se := estimate(res, functional{of: func(x []float64, _ float64) float64 { return x[0] }})
		if math.Abs(got-mean/mass) > sigma*se+0.0003 {
			t.Errorf("%s: E x1 is %.5f ± %.5f, want %.5f", name, got, se, mean/mass)
		}
	}
	for _, bottom := range []float64{math.NaN(), math.Inf(-1)} {
		p.Potential = hole(bottom)
		_, err := r2sgld.Sample(context.Background(), p, r2sgld.Settings{Temperature: []float64{1, infinity}, StepSize: []float64{1e-4},
			Start: []float64{0.8, 0.5}})
		var b *r2sgld.BlowUp
		if !errors.As(err, &b) || b.Rung != 2 || b.State[0] >= 0.1 {
			t.Errorf("energy %g: %v", bottom, err)
		}
	}
}

// Two rungs, τ 1 and ∞, on the 25-mode target in the flower, with and without
// momentum and with a whitening: the cold rung has its law, at small steps, the
// biases of two of them extrapolated. It kills: Δβ without 1/∞ = 0, swaps that
// take the energies of the draw before, and fresh draws whose energy or gradient
// is not that of where they are.
func TestInfiniteTemperatureKeepsTheColdLaw(t *testing.T) {
	pace.Slow(t)
	var r struct {
		Flower struct {
			Tau1 struct {
				U  float64 `json:"mean_U"`
				Y  float64 `json:"mean_y"`
				R2 float64 `json:"mean_r2"`
			}
			Uniform struct {
				R2 float64 `json:"mean_r2"`
				U  float64 `json:"mean_U"`
			} `json:"uniform_on_domain"`
		}
	}
	readReference(t, "multimodal.json", &r)
	p := r2sgld.Problem{Potential: multimodal, Domain: must(domain.NewFlower(5, 3, 2))}
	for name, bend := range map[string]func(*r2sgld.Settings){
		"SGLD":      func(*r2sgld.Settings) {},
		"SGHMC":     func(s *r2sgld.Settings) { s.Kernel = kernel.Momentum{Mu: 0.9} },
		"whitening": func(s *r2sgld.Settings) { s.Whitening = shear },
	} {
		t.Run(name, func(t *testing.T) {
			s := settings(100_000, 3e-4)
			s.Temperature, s.StepSize = []float64{1, infinity}, []float64{3e-4, 1e-3}
			bend(&s)
			atTwoSteps(t, p, s, 1, []functional{
				{"U", func(_ []float64, u float64) float64 { return u }, r.Flower.Tau1.U},
				{"x", func(x []float64, _ float64) float64 { return x[0] }, 0},
				{"y", func(x []float64, _ float64) float64 { return x[1] }, r.Flower.Tau1.Y},
				{"r²", func(x []float64, _ float64) float64 { return x[0]*x[0] + x[1]*x[1] }, r.Flower.Tau1.R2},
			})
		})
	}
}
