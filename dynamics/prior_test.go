package dynamics

import (
	"math"
	"testing"
)

func TestPriorsMoveTheMode(t *testing.T) {
	m := lotka()
	m.Priors = []Prior{{"alpha", "normal(1, 0.05)"}, {"delta", "lognormal(log(0.03), 0.1)"}, {"gamma", "uniform(0, 2)"}}
	p := must(Build(m, lynxHare()))
	energy, grad := make([]float64, 1), make([]float64, 4)
	e := p.Potential.Evaluator(1, nil)
	e.Eval(energy, grad, p.Center)
	for j, g := range grad {
		if math.Abs(g*p.Factor[j][j]) > 1e-6 {
			t.Errorf("gradient at the mode by %s: %v", p.Parameters[j], g)
		}
	}
	if !(p.Center[0] > p.Estimate[0]+0.1) || !(p.Center[3] > p.Estimate[3]) {
		t.Errorf("mode %v, without priors %v", p.Center, p.Estimate)
	}
	if p.Prior.Lower[3] != 0 || p.Prior.Upper[2] != 2 || !math.IsInf(p.Prior.Lower[0], -1) || !math.IsInf(p.Prior.Upper[3], 1) {
		t.Errorf("support %v to %v", p.Prior.Lower, p.Prior.Upper)
	}
	// Whitened, the second derivative at the mode is the identity.
	x, up, down := make([]float64, 4), make([]float64, 4), make([]float64, 4)
	for i := range 4 {
		const h = 1e-3 // relative error h² for the lognormal prior
		for sign, g := range map[float64][]float64{h: up, -h: down} {
			for j := range x {
				x[j] = p.Center[j] + sign*p.Factor[j][i]
			}
			e.Eval(energy, g, x)
		}
		for k := range 4 {
			second, want := 0.0, 0.0
			for j := range x {
				second += p.Factor[j][k] * (up[j] - down[j]) / (2 * h)
			}
			if i == k {
				want = 1
			}
			if math.Abs(second-want) > 1e-4 {
				t.Errorf("whitened second derivative %d %d: %v", i, k, second)
			}
		}
	}
	differences(t, p.Potential, []float64{0.5, 0.02, 0.7, 0.025})
	if n := testing.AllocsPerRun(100, func() { e.Eval(energy, grad, p.Center) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
