package dynamics

import (
	"math"
	"testing"
)

func TestPrint(t *testing.T) {
	for _, c := range []struct{ text, want, latex string }{
		{"H*(alpha - beta*L)", "H·(0.440 ± 0.049 − (0.0219 ± 0.0018)·L)",
			`H \left(0.440 \pm 0.049 - \left(0.0219 \pm 0.0018\right) L\right)`},
		{"L*(-gamma + delta*H)", "L·(−0.685 ± 0.072 + (0.0206 ± 0.0017)·H)",
			`L \left(-0.685 \pm 0.072 + \left(0.0206 \pm 0.0017\right) H\right)`},
		{"-low*x", "(0.50 ± 0.10)·x", `\left(0.50 \pm 0.10\right) x`},
		{"low*x - low", "−(0.50 ± 0.10)·x + 0.50 ± 0.10", `-\left(0.50 \pm 0.10\right) x + 0.50 \pm 0.10`},
		{"x + low", "x − 0.50 ± 0.10", `x - 0.50 \pm 0.10`},
		{"x*low", "x·(−0.50 ± 0.10)", `x \left(-0.50 \pm 0.10\right)`},
		{"x*-alpha + beta", "x·(−0.440 ± 0.049) + 0.0219 ± 0.0018", `x \left(-0.440 \pm 0.049\right) + 0.0219 \pm 0.0018`},
		{"x*-low", "x·(0.50 ± 0.10)", `x \left(0.50 \pm 0.10\right)`},
		{"x*sure - -sure", "x·(−2.718) − 2.718", `x \left(-2.718\right) - 2.718`},
		{"x - (low + x)*alpha", "x − (−0.50 ± 0.10 + x)·(0.440 ± 0.049)",
			`x - \left(-0.50 \pm 0.10 + x\right) \left(0.440 \pm 0.049\right)`},
		{"x/alpha", "x/(0.440 ± 0.049)", `\frac{x}{0.440 \pm 0.049}`},
		{"alpha*(1 - x/known)", "(0.440 ± 0.049)·(1 − x/30.5)", `\left(0.440 \pm 0.049\right) \left(1 - \frac{x}{30.5}\right)`},
		{"x^alpha + low^2", "x^(0.440 ± 0.049) + (−0.50 ± 0.10)^2", `x^{0.440 \pm 0.049} + \left(-0.50 \pm 0.10\right)^{2}`},
		{"exp(-low*x) ** (1 + H_in)", "exp((0.50 ± 0.10)·x)^(1 + H_in)",
			`\left(\exp\left(\left(0.50 \pm 0.10\right) x\right)\right)^{1 + H_{\mathrm{in}}}`},
		{"tiny*x", "(1.20 ± 0.34)·10⁻⁷·x", `(1.20 \pm 0.34) \cdot 10^{-7} x`},
		{"big*x", "(1.235 ± 0.067)·10⁴·x", `(1.235 \pm 0.067) \cdot 10^{4} x`},
		{"x/big", "x/((1.235 ± 0.067)·10⁴)", `\frac{x}{(1.235 \pm 0.067) \cdot 10^{4}}`},
		{"sure*x", "−2.718·x", `-2.718 x`},
		{"2e-3*x − alpha·1e+2", "0.002·x − (0.440 ± 0.049)·100", `0.002 x - \left(0.440 \pm 0.049\right) \cdot 100`},
		{"min(alpha, low, x)", "min(0.440 ± 0.049, −0.50 ± 0.10, x)", `\min\left(0.440 \pm 0.049, -0.50 \pm 0.10, x\right)`},
	} {
		p := &Problem{Parameters: []string{"alpha", "beta", "gamma", "delta", "low", "tiny", "big", "sure"},
			model:     &Model{Fixed: []Value{{"known", 30.5}}},
			equations: []equation{{state: "x", text: c.text}}}
		got := p.Print([]float64{0.43996, 0.0218816, 0.68465, 0.0206403, -0.5, 1.2e-7, 12346, -math.E},
			[]float64{0.0486, 0.00179, 0.0716, 0.00174, 0.1, 3.4e-8, 670, math.NaN()})[0]
		if got.Text != "x′ = "+c.want {
			t.Errorf("%s:\n got %s\nwant x′ = %s", c.text, got.Text, c.want)
		}
		if got.LaTeX != `\dot{x} = `+c.latex {
			t.Errorf("%s:\n got %s\nwant \\dot{x} = %s", c.text, got.LaTeX, c.latex)
		}
	}
}

func TestUncertain(t *testing.T) {
	for _, c := range []struct {
		v, sd float64
		want  string
	}{
		{0.43996, 0.0994, "0.440 ± 0.099"}, {0.43996, 0.0996, "0.44 ± 0.10"}, {9.99, 1.234, "10.0 ± 1.2"},
		{123.4, 12.6, "123 ± 13"}, {0, 0.5, "0.00 ± 0.50"}, {1234567, 0.12, "(1.23456700 ± 0.00000012)·10⁶"},
		{28.00166, 0.00126, "28.0017 ± 0.0013"}, {0.001, 20, "0 ± 20"}, {5, 678, "(0.1 ± 6.8)·10²"},
		{1e-300, 1e-308, "(1.000000000 ± 0.000000010)·10⁻³⁰⁰"}, {3, 0, "3"}, {1e-9, math.Inf(1), "1·10⁻⁹"},
	} {
		if got := uncertain(c.v, c.sd, script{}); got != c.want {
			t.Errorf("%v, %v: %s, want %s", c.v, c.sd, got, c.want)
		}
	}
}
