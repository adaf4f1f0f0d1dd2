package scheme

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// The coefficients make Σ c_k cos kθ = cos^n θ.
func TestChebyshev(t *testing.T) {
	for _, n := range []int{1, 2, 7, 130, 1001, 100000} {
		degree := min(n, int(8.7*math.Sqrt(float64(n)))+2)
		c := chebyshev(n, degree)
		for _, theta := range []float64{0, 1e-3, 0.01, 0.1, 1, 2, 3} {
			sum := 0.0
			for k, v := range c {
				sum += v * math.Cos(float64(k)*theta)
			}
			// A degree too low by a fifth costs 1e-11.
			if want := math.Pow(math.Cos(theta), float64(n)); math.Abs(sum-want) > 1e-13*math.Sqrt(float64(n)) {
				t.Errorf("n = %d: Σ c_k cos kθ = %g at θ = %g, should be %g", n, sum, theta, want)
			}
		}
	}
}

// Many steps at once are the same as one after the other.
func TestPowerProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float64Range(-3, 3).Draw(t, "a")
		u := potential.Func(1, func(g, x []float64) float64 {
			g[0] = a + 6*math.Cos(3*x[0])
			return a*x[0] + 2*math.Sin(3*x[0])
		})
		k, err := New(Step{U: u, Lo: 0, Hi: 1, Temperature: 1, StepSize: math.Exp(rapid.Float64Range(-7, -3).Draw(t, "log η")),
			Rule: rapid.SampledFrom([]domain.Rule{domain.Specular, domain.Project, domain.Refuse}).Draw(t, "rule")})
		if err != nil {
			t.Fatal(err)
		}
		mass := make([]float64, len(k.rows))
		mass[rapid.IntRange(0, len(mass)-1).Draw(t, "start")] = 1
		n := rapid.IntRange(1, 600).Draw(t, "steps")
		slow, next := append([]float64(nil), mass...), make([]float64, len(mass))
		for range n {
			k.apply(next, slow)
			slow, next = next, slow
		}
		if !k.power(mass, n) {
			t.Fatal("the recurrence grew")
		}
		for i := range mass {
			// Each of n steps rounds sums of 128 positive terms and more, in units of 2⁻⁵³
			// some √128 at most, of which parts cancel.
			if math.Abs(mass[i]-slow[i]) > 1e-13+float64(n)*8*0x1p-53 {
				t.Fatalf("%d steps: mass %d is %g, should be %g", n, i, mass[i], slow[i])
			}
		}
	})
}

// The swap with C = 2 leaves the product of the two laws as it is, noise or no
// noise. Another C, or Δβ of the wrong sign, does not.
func TestTradeKeepsTheLaw(t *testing.T) {
	u := potential.Func(1, func(g, x []float64) float64 { g[0] = 2 * x[0]; return x[0] * x[0] })
	for _, noise := range []float64{0, 1, 4} {
		p, err := NewPair(PairStep{U: u, Lo: -2, Hi: 1, Temperature: [2]float64{0.4, 3}, StepSize: [2]float64{0.05, 0.05},
			Attempt: 0.9, EnergyNoise: noise, Correction: 2})
		if err != nil {
			t.Fatal(err)
		}
		g := p.rungs[0].grid
		cold, _, _ := gibbs(u, g, 0.4)
		hot, _, _ := gibbs(u, g, 3)
		n := len(cold)
		mass, after := make([]float64, n*n), make([]float64, n*n)
		for i := range cold {
			for j := range hot {
				mass[i*n+j] = cold[i] * hot[j]
			}
		}
		p.trade(after, mass)
		for i := range mass {
			if math.Abs(after[i]-mass[i]) > 1e-13*mass[i] {
				t.Fatalf("noise %g: mass %d goes from %g to %g", noise, i, mass[i], after[i])
			}
		}
	}
}
