package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A covariance is that of position and momentum of one coordinate.
type covariance struct{ xx, xv, vv float64 }

// stationary is the stationary law of SGHMC on U = c x²/2 whose gradient has
// noise of standard deviation s: the solution of Σ = AΣAᵀ + q 11ᵀ with
// A = ((1−ηc, μ), (−ηc, μ)) and q = 2η(1−μ−β̂)τ + η²s², by iteration.
func stationary(m Momentum, eta, tau, c, s float64) covariance {
	a, mu := eta*c, m.Mu
	q := 2*eta*(1-mu-m.NoiseEstimate)*tau + eta*eta*s*s
	var k covariance
	for range 5000 {
		k = covariance{
			(1-a)*(1-a)*k.xx + 2*(1-a)*mu*k.xv + mu*mu*k.vv + q,
			-a*(1-a)*k.xx + (1-2*a)*mu*k.xv + mu*mu*k.vv + q,
			a*a*k.xx - 2*a*mu*k.xv + mu*mu*k.vv + q,
		}
	}
	return k
}

// The stationary law in closed form: with temperature
// T = τ(1 − β̂/(1−μ)) + ηs²/(2(1−μ)) and shrinkage h = 1 − ηc/(2(1+μ)), Var x is
// T/(ch) and the mean of v² is 2ηT/((1+μ)h), so 2ητ/(1+μ) for small steps and no
// noise in the gradient; x and v covary by half of that.
func TestStationaryLawInClosedForm(t *testing.T) {
	for _, m := range []Momentum{{}, {Mu: 0.5}, {Mu: 0.9}, {Mu: 0.5, NoiseEstimate: 0.3}} {
		const eta, tau, c, s = 0.1, 2.0, 6.0, 1.5
		k := stationary(m, eta, tau, c, s)
		hot := tau*(1-m.NoiseEstimate/(1-m.Mu)) + eta*s*s/(2*(1-m.Mu))
		h := 1 - eta*c/(2*(1+m.Mu))
		v := 2 * eta * hot / ((1 + m.Mu) * h)
		for _, p := range [][2]float64{{k.xx, hot / (c * h)}, {k.vv, v}, {k.xv, v / 2}} {
			if math.Abs(p[0]/p[1]-1) > 1e-12 {
				t.Errorf("%+v: %v by iteration, %v in closed form", m, p[0], p[1])
			}
		}
	}
}

// Replicas that start at the origin at rest come to the stationary law in 150
// steps (what is left of the start is below 1e-6 at every pair of step size and
// curvature here), on two rungs of different η and τ that hold two curvatures,
// with and without noise in the gradient, and with β̂. Of n = 10,000 independent
// replicas a variance has standard error V sqrt(2/n), and a covariance
// sqrt((Σxx Σvv + Σxv²)/n); |z| < 5.9 has a false alarm of 3.6e-9 for each of 96
// of them. It kills: noise without 1−μ (z > 40), β̂ left out (z > 15), the
// momentum not kept, or changed in sign (z > 30), x moved by the momentum before
// the step, temperatures or steps of the rungs exchanged, and laws without the
// step's bias (1/h is 1.8 at μ = 0 and 1.3 at μ = 0.9: z > 15).
func TestMomentumStationaryLaw(t *testing.T) {
	pace.Slow(t)
	const n = 10_000
	c := []float64{1, 6}
	quadratic := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = c[0]*x[0], c[1]*x[1]
		return 0
	})
	for _, tc := range []struct {
		m Momentum
		s float64
	}{
		{Momentum{}, 0}, {Momentum{Mu: 0.5}, 0}, {Momentum{Mu: 0.9}, 0},
		{Momentum{}, 4}, {Momentum{Mu: 0.5}, 4}, {Momentum{Mu: 0.9}, 2},
		{Momentum{Mu: 0.5, NoiseEstimate: 0.3}, 3}, {Momentum{Mu: 0.9, NoiseEstimate: 0.05}, 0},
	} {
		s := Schedule{StepSize: []float64{0.05, 0.15}, Temperature: []float64{1, 4}, Iterations: 150, Momentum: tc.m}
		b, at, noise := NewBlock(2*n, 2), NewAt(2), sources(2*n)
		b.V = make([]float64, len(b.X))
		for i := range b.Rung {
			b.Rung[i] = 1 - i%2
		}
		eval := potential.Noisy(quadratic, tc.s, 0).Evaluator(b.R, stream.New(12, 0))
		for k := 1; k <= s.Iterations; k++ {
			eval.Eval(b.Energy, b.Grad, b.X)
			s.Set(at, k)
			stepMomentum(b, at, tc.m, noise)
		}
		for rung := range 2 {
			for j := range c {
				var got covariance
				for i := 1 - rung; i < b.R; i += 2 {
					x, v := b.X[j*b.R+i], b.V[j*b.R+i]
					got.xx += x * x / n
					got.xv += x * v / n
					got.vv += v * v / n
				}
				k := stationary(tc.m, s.StepSize[rung], s.Temperature[rung], c[j], tc.s)
				z := []float64{
					(got.xx - k.xx) / (k.xx * math.Sqrt(2.0/n)),
					(got.xv - k.xv) / math.Sqrt((k.xx*k.vv+k.xv*k.xv)/n),
					(got.vv - k.vv) / (k.vv * math.Sqrt(2.0/n)),
				}
				for _, v := range z {
					if !(math.Abs(v) < 5.9) {
						t.Errorf("%+v, gradient noise %g, rung %d, coordinate %d: %.4g, want %.4g (z = %.1f)", tc.m, tc.s, rung+1, j+1, got, k, z)
						break
					}
				}
			}
		}
	}
}

// β̂ makes the noise of the gradient part of the temperature: with s² = 2β̂τ/η the
// law is that of exact gradients without β̂.
func TestNoiseEstimateCancelsGradientNoise(t *testing.T) {
	const eta, tau, c = 0.1, 1.5, 6.0
	a := stationary(Momentum{Mu: 0.8, NoiseEstimate: 0.15}, eta, tau, c, math.Sqrt(2*0.15*tau/eta))
	b := stationary(Momentum{Mu: 0.8}, eta, tau, c, 0)
	if math.Abs(a.xx-b.xx) > 1e-12 || math.Abs(a.vv-b.vv) > 1e-12 {
		t.Errorf("%v, want %v", a, b)
	}
}

// A step is v ← μv − ηg + sqrt(2η(1−μ−β̂)τ) ξ, x ← x + v up to rounding, with the
// same ξ as SGLD, so that μ = 0 is SGLD. At infinite temperature there is neither
// drift nor β̂, and η stands for ητ; an infinite gradient is of no concern there.
func TestMomentumStepIsItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d := rapid.IntRange(1, 5).Draw(t, "replicas"), rapid.IntRange(1, 4).Draw(t, "dimension")
		b := NewBlock(r, d)
		b.V = make([]float64, r*d)
		number := rapid.Float64Range(-1e3, 1e3)
		for i := range b.X {
			b.X[i], b.Grad[i], b.V[i] = number.Draw(t, "x"), number.Draw(t, "g"), number.Draw(t, "v")
		}
		m := Momentum{Mu: rapid.SampledFrom([]float64{0, 0.5, 0.9, 0.999}).Draw(t, "μ")}
		m.NoiseEstimate = (1 - m.Mu) * rapid.Float64Range(0, 0.99).Draw(t, "β̂")
		s := Schedule{Iterations: 10, Momentum: m}
		for range r {
			s.StepSize = append(s.StepSize, rapid.Float64Range(1e-6, 1).Draw(t, "step"))
			s.Temperature = append(s.Temperature, rapid.Float64Range(1e-3, 100).Draw(t, "temperature"))
		}
		infinite := rapid.Bool().Draw(t, "infinite")
		if infinite {
			s.Temperature[r-1] = math.Inf(1)
			for j := range d {
				b.Grad[j*r+r-1] = math.Inf(1)
			}
		}
		before := Clone(b)
		at := NewAt(r)
		s.Set(at, 1)
		stepMomentum(b, at, m, sources(r))
		xi := sources(r).Normals(d)
		for i := range r {
			drift, variance := s.StepSize[i], 2*s.StepSize[i]*(1-m.Mu-m.NoiseEstimate)*s.Temperature[i]
			spread := 2 * s.StepSize[i] * s.Temperature[i] / (1 + m.Mu)
			if infinite && i == r-1 {
				drift, variance, spread = 0, 2*s.StepSize[i]*(1-m.Mu), 2*s.StepSize[i]/(1+m.Mu)
			}
			if math.Abs(at.Spread[i]*at.Spread[i]/spread-1) > 1e-14 {
				t.Fatalf("rung %d: spread %v, want the square root of %v", i, at.Spread[i], spread)
			}
			for j := range d {
				k := j*r + i
				want := m.Mu*before.V[k] + math.Sqrt(variance)*xi[k]
				if drift != 0 {
					want -= drift * before.Grad[k]
				}
				if !(math.Abs(b.V[k]-want) < 1e-11) || b.From[k] != before.X[k] || b.X[k] != b.From[k]+b.V[k] {
					t.Fatalf("replica %d, coordinate %d: v = %v, want %v; x = %v from %v", i, j, b.V[k], want, b.X[k], before.X[k])
				}
			}
		}
		if m.Mu > 0 || m.NoiseEstimate > 0 {
			return
		}
		s.Momentum = Momentum{}
		plain, at := Clone(before), NewAt(r)
		s.Set(at, 1)
		stepLangevin(plain, at, sources(r))
		for k, x := range plain.X {
			if !(math.Abs(x-b.X[k]) < 1e-11) {
				t.Fatalf("without momentum x = %v, by SGLD %v", b.X[k], x)
			}
		}
	})
}

// Momenta are taken from equilibrium to equilibrium, those of one replica only:
// the mean Σxv/Σxx x = s²/(2τ) c x to that of the new rung, what is above it by
// the ratio of the spreads. A gradient at infinite temperature does not count, no
// change changes no bit, and zero stays zero, not NaN, once a step size has
// decayed to nothing. It kills momenta scaled whole.
func TestRescale(t *testing.T) {
	const c = 6.0
	m := Momentum{Mu: 0.5}
	s := Schedule{StepSize: []float64{0.01, 0.04, 0.02}, Temperature: []float64{1, 3, math.Inf(1)}, Momentum: m}
	at := NewAt(3)
	s.Set(at, 1)
	mean := func(r int) float64 {
		if r == 2 {
			return 0
		}
		k := stationary(m, s.StepSize[r], s.Temperature[r], c, 0)
		return k.xv / k.xx
	}
	for _, p := range [][2]int{{0, 1}, {1, 0}, {1, 2}, {2, 0}, {1, 1}, {2, 2}} {
		was, now := p[0], p[1]
		b := NewBlock(2, 2)
		x := []float64{9, 0.7, 9, -2}
		b.V = []float64{1, 2, 3, 4}
		for k := range x {
			b.X[k], b.Grad[k] = x[k], c*x[k]
			if was == 2 && now == 2 {
				b.Grad[k] = math.Inf(1)
			}
		}
		b.Rescale(1, at.Spread[was], at.Temperature[was], at.Spread[now], at.Temperature[now])
		for _, k := range []int{1, 3} {
			v := []float64{1, 2, 3, 4}[k]
			want := (v-mean(was)*x[k])*at.Spread[now]/at.Spread[was] + mean(now)*x[k]
			if was == now {
				want = v
			}
			if !(math.Abs(b.V[k]-want) < 1e-12) || was == now && b.V[k] != v || b.V[k-1] != float64(k) {
				t.Errorf("from rung %d to %d: momenta %v, want %v at %d", was+1, now+1, b.V, want, k)
			}
		}
	}
	b := NewBlock(1, 1)
	b.V, b.Grad[0] = []float64{1}, 1
	b.Rescale(0, 2, 1, 0, 1)
	b.V[0] = 0
	b.Rescale(0, 0, 1, 0, 1)
	if b.V[0] != 0 {
		t.Errorf("%v at rest", b.V)
	}
}

func TestMomentumFaults(t *testing.T) {
	for _, m := range []Momentum{{Mu: -0.1}, {Mu: 1}, {Mu: math.NaN()}, {NoiseEstimate: -1}, {Mu: 0.5, NoiseEstimate: 0.5},
		{NoiseEstimate: math.NaN()}} {
		if m.Validate() == nil {
			t.Errorf("%+v was taken", m)
		}
	}
}

func TestMomentumAllocatesNothing(t *testing.T) {
	b, at, noise := NewBlock(4, 3), NewAt(4), sources(4)
	b.V = make([]float64, 12)
	s := Schedule{StepSize: []float64{1, 2, 3, 4}, Temperature: []float64{1, 2, 3, math.Inf(1)}, Iterations: 1e6,
		Decay: Decay{Kind: Cosine, Cycles: 3}, Momentum: Momentum{Mu: 0.9}}
	k := 0
	if n := testing.AllocsPerRun(100, func() { k++; s.Set(at, k); stepMomentum(b, at, s.Momentum, noise); b.Rescale(1, 2, 1, 1, 2) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}
