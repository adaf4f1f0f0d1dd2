package expression

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sortedFunctions() []string {
	var s []string
	for _, table := range []map[string]function{functions, spellings} {
		for f := range table {
			s = append(s, f)
		}
	}
	for f := range densities {
		s = append(s, f)
	}
	slices.Sort(s)
	return s
}

// Domains: positive makes an argument of any real, inside one of (−1, 1).
func positive(a string) string { return "(0.4 + sigmoid(" + a + "))" }
func inside(a string) string   { return "(0.9*tanh(" + a + "))" }
func share(a string) string    { return "(0.1 + 0.8*sigmoid(" + a + "))" }
func above(a string) string    { return "(1.3 + sigmoid(" + a + "))" }
func below0(a string) string   { return "(-0.2 - sigmoid(" + a + "))" }
func bounded(a string) string  { return "(2*sin(" + a + "))" }

// domains says how to call a function inside its domain and off its poles.
var domains = map[string][]func(string) string{
	"log": {positive}, "log10": {positive}, "sqrt": {positive}, "lgamma": {positive}, "log1p": {inside},
	"asin": {inside}, "acos": {inside}, "tan": {inside},
	"pow":         {positive, bounded},
	"normal_lpdf": {bounded, bounded, positive}, "normal_lcdf": {bounded, bounded, positive},
	"lognormal_lpdf": {positive, bounded, positive}, "cauchy_lpdf": {bounded, bounded, positive},
	"student_t_lpdf": {bounded, positive, bounded, positive}, "exponential_lpdf": {positive, positive},
	"gamma_lpdf": {positive, positive, positive},
	"beta_lpdf":  {share, positive, positive},
	"uniform_lpdf": {inside, func(a string) string { return "(-1 - " + positive(a) + ")" },
		func(a string) string { return "(1 + " + positive(a) + ")" }},
	"log2": {positive}, "inv": {positive}, "reciprocal": {positive}, "inv_square": {positive}, "inv_sqrt": {positive}, "cbrt": {positive},
	"gammaln": {positive}, "loggamma": {positive}, "lbeta": {positive, positive}, "hypot": {positive, bounded}, "power": {positive, bounded},
	"logit": {share}, "log1m": {inside}, "log_mix": {share, bounded, bounded}, "log_diff_exp": {positive, below0}, "log1m_exp": {below0},
	"arcsin": {inside}, "arccos": {inside}, "arctan2": {positive, bounded}, "atanh": {inside}, "arctanh": {inside},
	"acosh": {above}, "arccosh": {above}, "xlogy": {bounded, positive}, "lmultiply": {bounded, positive}, "multiply_log": {bounded, positive},
	"minimum": {bounded, bounded}, "maximum": {bounded, bounded}, "fmin": {bounded, bounded}, "fmax": {bounded, bounded},
	"logaddexp": {bounded, bounded}, "log_sum_exp": {bounded, bounded, bounded},
	"normal_cdf": {bounded, bounded, positive}, "normal_lccdf": {bounded, bounded, positive},
	"laplace_lpdf": {bounded, bounded, positive}, "double_exponential_lpdf": {bounded, bounded, positive},
	"logistic_lpdf": {bounded, bounded, positive}, "skew_normal_lpdf": {bounded, bounded, positive, bounded},
	"inv_gamma_lpdf": {positive, positive, positive}, "weibull_lpdf": {positive, positive, positive},
	"von_mises_lpdf": {bounded, bounded, positive}, "bernoulli_lpmf": {share, share}, "bernoulli_logit_lpmf": {share, bounded},
	"binomial_lpmf": {share, above, share}, "binomial_logit_lpmf": {share, above, bounded}, "lchoose": {above, share},
	"poisson_lpmf": {positive, positive}, "poisson_log_lpmf": {positive, bounded}, "neg_binomial_2_lpmf": {positive, positive, positive},
	"neg_binomial_2_log_lpmf": {positive, bounded, positive}, "lognormal_lcdf": {positive, bounded, positive},
	"lognormal_lccdf": {positive, bounded, positive},
	"logistic_lcdf":   {bounded, bounded, positive}, "logistic_lccdf": {bounded, bounded, positive},
	"cauchy_lcdf": {bounded, bounded, positive}, "cauchy_lccdf": {bounded, bounded, positive}, "laplace_lcdf": {bounded, bounded, positive},
	"laplace_lccdf": {bounded, bounded, positive}, "exponential_lcdf": {positive, positive}, "exponential_lccdf": {positive, positive},
	"weibull_lcdf": {positive, positive, positive}, "weibull_lccdf": {positive, positive, positive}, "log_i0": {bounded},
	"atan2": {positive, bounded}, "min": {bounded, bounded, bounded}, "max": {bounded, bounded}, "logsumexp": {bounded, bounded, bounded},
}

// smooth draws a formula over all functions that is defined everywhere.
func smooth(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"x", "y", "z", "0.7", "(x - y)", "2*z"}).Draw(t, "leaf")
	}
	arg := func() string { return smooth(t, depth-1) }
	switch k := rapid.IntRange(0, 11).Draw(t, "kind"); k {
	case 0:
		return "(" + arg() + " + " + arg() + ")"
	case 1:
		return "(" + arg() + " - " + arg() + ")"
	case 2:
		return bounded(arg()) + "*" + arg()
	case 3:
		return arg() + "/" + positive(arg())
	case 4:
		return bounded(arg()) + rapid.SampledFrom([]string{"^2", "^3", "^1", "^0", "^5"}).Draw(t, "n")
	case 5:
		return positive(arg()) + rapid.SampledFrom([]string{"^-2", "^0.5", "^-1", "^1.7", "^-3"}).Draw(t, "n")
	case 6:
		return rapid.SampledFrom([]string{"2^", "0.3^"}).Draw(t, "base") + bounded(arg())
	case 7:
		return "(-" + arg() + ")"
	}
	f := rapid.SampledFrom(sortedFunctions()).Draw(t, "f")
	wrap, ok := domains[f]
	if !ok {
		wrap = []func(string) string{bounded}
	}
	s := f + "("
	for i, w := range wrap {
		if i > 0 {
			s += ", "
		}
		s += w(arg())
	}
	return s + ")"
}

// slope is the fourth-order difference quotient along coordinate j; smooth is
// false where quotients disagree: at a kink.
func slope(e *Evaluator, x []float64, j int) (d float64, smooth bool) {
	v := make([]float64, 1)
	at := func(d float64) float64 {
		y := slices.Clone(x)
		y[j] += d
		e.Value(v, y)
		return v[0]
	}
	quotient := func(h float64) float64 { return (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h) }
	d = quotient(2e-4)
	scale := 1 + math.Abs(at(0)) + math.Abs(d)
	// h·f'' doubles with h where f is smooth and stays the same around a kink.
	bend := func(h float64) float64 { return (at(h) - 2*at(0) + at(-h)) / h }
	bent := max(math.Abs(bend(2e-5)-2*bend(1e-5)), math.Abs(bend(6e-6)-2*bend(3e-6)))
	return d, math.Abs(quotient(1e-3)-d) < 1e-7*scale && bent < 2e-7*scale
}

// checkGradient compares the gradient of src at x with difference quotients and
// returns how many of the derivatives could be compared.
func checkGradient(t interface{ Fatalf(string, ...any) }, src string, x []float64) (done int) {
	f, err := Compile(src, letters)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	e, value, grad := f.Evaluator(1), make([]float64, 1), make([]float64, 3)
	e.Gradient(value, grad, x)
	for j, g := range grad {
		d, smooth := slope(e, x, j)
		if !smooth {
			continue
		}
		done++
		// 1e-6 kills every wrong factor, sign and mistaken argument.
		if !(math.Abs(g-d) < 1e-6*(1+math.Abs(value[0])+math.Abs(d))) {
			t.Fatalf("%s at %v: derivative %d is %v, want %v", src, x, j, g, d)
		}
	}
	return done
}

func TestGradientEqualsDifferences(t *testing.T) {
	type place struct {
		source string
		x      []float64
	}
	places := rapid.Custom(func(t *rapid.T) place {
		return place{smooth(t, 3), rapid.SliceOfN(rapid.Float64Range(-2, 2), 3, 3).Draw(t, "x")}
	})
	rapid.Check(t, func(t *rapid.T) {
		p := places.Draw(t, "place")
		checkGradient(t, p.source, p.x)
	})
	done, all := 0, 0
	for seed := range 50 { // the same ones always, so that their number is no matter of chance
		p := places.Example(seed)
		done, all = done+checkGradient(t, p.source, p.x), all+3
	}
	if done < all*6/10 {
		t.Errorf("only %d of %d derivatives could be compared", done, all)
	}
}

// Every function alone, by every argument.
func TestGradientOfEveryFunction(t *testing.T) {
	for _, f := range sortedFunctions() {
		wrap, ok := domains[f]
		if !ok {
			wrap = []func(string) string{bounded}
		}
		src := f + "("
		for i, w := range wrap {
			if i > 0 {
				src += ", "
			}
			src += w([]string{"x", "y + 0.2*x", "z - x", "x*z"}[i])
		}
		done := 0
		for k := range 20 {
			a := float64(k) + 0.5
			done += checkGradient(t, src+")", []float64{2 * math.Sin(a), math.Cos(3 * a), math.Sin(5 * a)})
		}
		if done < 50 {
			t.Errorf("%s: only %d of 60 derivatives could be compared", f, done)
		}
	}
}

func TestKinksAndTails(t *testing.T) {
	for _, c := range []struct {
		src   string
		x     float64
		value float64
		slope float64
	}{
		{"abs(x)", 0, 0, 0}, {"sign(x)", 0, 0, 0}, {"floor(x)", 1, 1, 0},
		{"min(x, 0)", 0, 0, 1}, {"min(0, x)", 0, 0, 0}, {"max(x, 0)", 0, 0, 1}, {"max(0, x)", 0, 0, 0},
		{"sqrt(x)", 0, 0, math.Inf(1)},
		{"x^2", 0, 0, 0}, {"x^3", -2, -8, 12}, {"x^1", 5, 5, 1}, {"x^0", 0, 1, 0},
		{"x^x", 1, 1, 1}, {"0^x", 2, 0, 0}, {"0*x", 3, 0, 0},
		{"softplus(x)", 800, 800, 1}, {"softplus(x)", -800, 0, 0}, {"sigmoid(x)", 40, 1 / (1 + math.Exp(-40)), math.Exp(-40)},
		{"log(sigmoid(x))", 40, 0, math.Exp(-40)},
		{"logsumexp(x, 1000)", 1000, 1000 + math.Ln2, 0.5},
		{"normal_lcdf(x, 0, 1)", 0, -math.Ln2, math.Sqrt(2 / math.Pi)},
		{"normal_lcdf(x, 0, 1)", -40, -804.6084420137538, 40.024968847},
		{"normal_lcdf(x, 0, 1)", 9, -1.1285884059538406e-19, math.Exp(-40.5) / math.Sqrt(2*math.Pi)},
		{"normal_lcdf(x, 0, 1)", -1e9, -5e17, 1e9},
		{"uniform_lpdf(x, 0, 4)", 1, -math.Log(4), 0}, {"uniform_lpdf(x, 0, 4)", 5, math.Inf(-1), 0},
		{"normal_lpdf(x, 1, 2)", 3, -0.5 - math.Log(2) - 0.9189385332046727, -0.5},
		{"cauchy_lpdf(x, 1, 2)", 3, -math.Log(4 * math.Pi), -0.5},
		{"student_t_lpdf(x, 1, 1, 2)", 3, -math.Log(4 * math.Pi), -0.5},
		{"lognormal_lpdf(x, 0, 1)", 1, -0.9189385332046727, -1}, {"lognormal_lpdf(x, 0, 1)", -1, math.Inf(-1), 0},
		{"exponential_lpdf(x, 2)", 3, math.Log(2) - 6, -2}, {"exponential_lpdf(x, 2)", -1, math.Inf(-1), 0},
		{"gamma_lpdf(x, 3, 2)", 1, math.Log(4) - 2, 0}, {"gamma_lpdf(x, 1, 2)", 0, math.Log(2), -2},
		{"beta_lpdf(x, 2, 3)", 0.5, math.Log(1.5), -2}, {"beta_lpdf(x, 1, 1)", 0, 0, 0},
	} {
		f, err := Compile(c.src, []string{"x"})
		if err != nil {
			t.Fatal(err)
		}
		v, g := make([]float64, 1), make([]float64, 1)
		f.Evaluator(1).Gradient(v, g, []float64{c.x})
		near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-13+2e-9*math.Abs(b) }
		if math.Abs(c.value) < 1e-10 && c.value != 0 && math.Abs(v[0]/c.value-1) > 1e-7 || !near(v[0], c.value) {
			t.Errorf("%s at %v is %v, want %v", c.src, c.x, v[0], c.value)
		}
		if math.IsInf(c.value, -1) {
			continue // no derivative
		}
		if !near(g[0], c.slope) {
			t.Errorf("derivative of %s at %v is %v, want %v", c.src, c.x, g[0], c.slope)
		}
	}
}

func TestPartialGradient(t *testing.T) {
	f, err := CompileWRT("x*y^2 + sin(z)", letters, []string{"z", "y"})
	if err != nil {
		t.Fatal(err)
	}
	v, g := make([]float64, 2), make([]float64, 4)
	f.Evaluator(2).Gradient(v, g, []float64{1, 2, 3, 4, 0, 0})
	if want := []float64{1, 1, 6, 16}; !slices.Equal(g, want) || v[1] != 32 {
		t.Errorf("gradient %v, want %v", g, want)
	}
	if _, err := CompileWRT("x", letters, []string{"w"}); err == nil {
		t.Error("differentiating by no variable: no error")
	}
}

func TestEvaluatorAllocatesNothing(t *testing.T) {
	f, err := Compile("normal_lpdf(x, y, 1 + z^2) + sin(x)*cos(x) + lgamma(3 + tanh(y)) + min(x, y, z)", letters)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []int{1, 2, 200} {
		e, x, v, g := f.Evaluator(r), make([]float64, 3*r), make([]float64, r), make([]float64, 3*r)
		if n := testing.AllocsPerRun(100, func() { e.Gradient(v, g, x); e.Value(v, x) }); n != 0 {
			t.Errorf("%d lanes: %v allocations", r, n)
		}
	}
}
