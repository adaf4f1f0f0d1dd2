package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// none lists the entries of no parameter.
func none(string) []string { return nil }

// logDensity is that of a law with arguments at a value.
func logDensity(t *testing.T, law string, y float64) float64 {
	t.Helper()
	return logDensities(t, law)(y)
}

func logDensities(t *testing.T, law string) func(y float64) float64 {
	t.Helper()
	l, err := outcome(law, none)
	if err != nil {
		t.Fatal(err)
	}
	terms, err := l.density("y")
	if err != nil {
		t.Fatal(err)
	}
	f, err := expression.Compile(strings.Join(terms, " + "), []string{"y"})
	if err != nil {
		t.Fatal(err)
	}
	e, v, x := f.Evaluator(1), make([]float64, 1), make([]float64, 1)
	return func(y float64) float64 {
		x[0] = y
		e.Value(v, x)
		return v[0]
	}
}

// Log densities are those of package distuv.
func TestLaws(t *testing.T) {
	at := []float64{0.1, 0.5, 0.9, 2.5, 7}
	whole := []float64{0, 1, 3, 7}
	logit := func(p float64) float64 { return math.Log(p / (1 - p)) }
	for _, c := range []struct {
		law string
		p   interface{ LogProb(float64) float64 }
		at  []float64
		add float64
	}{
		{"normal(1.5, 0.7)", distuv.Normal{Mu: 1.5, Sigma: 0.7}, at, 0},
		{"student_t(3, -1, 2)", distuv.StudentsT{Nu: 3, Mu: -1, Sigma: 2}, at, 0},
		{"cauchy(0.5, 2)", distuv.StudentsT{Nu: 1, Mu: 0.5, Sigma: 2}, at, 0},
		{"laplace(1, 0.4)", distuv.Laplace{Mu: 1, Scale: 0.4}, at, 0},
		{"lognormal(0.3, 0.8)", distuv.LogNormal{Mu: 0.3, Sigma: 0.8}, at, 0},
		{"exponential(1.7)", distuv.Exponential{Rate: 1.7}, at, 0},
		{"gamma(2.5, 1.3)", distuv.Gamma{Alpha: 2.5, Beta: 1.3}, at, 0},
		{"inv_gamma(2.5, 1.3)", distuv.InverseGamma{Alpha: 2.5, Beta: 1.3}, at, 0},
		{"weibull(1.8, 2.2)", distuv.Weibull{K: 1.8, Lambda: 2.2}, at, 0},
		{"beta(2.5, 0.7)", distuv.Beta{Alpha: 2.5, Beta: 0.7}, at[:3], 0},
		{"half_normal(1.5)", distuv.Normal{Mu: 0, Sigma: 1.5}, at, math.Ln2},
		{"half_cauchy(1.5)", distuv.StudentsT{Nu: 1, Mu: 0, Sigma: 1.5}, at, math.Ln2},
		{"half_student_t(4, 1.5)", distuv.StudentsT{Nu: 4, Mu: 0, Sigma: 1.5}, at, math.Ln2},
		{"skew_normal(1, 2, 0)", distuv.Normal{Mu: 1, Sigma: 2}, at, 0},
		{"bernoulli(0.3)", distuv.Bernoulli{P: 0.3}, whole[:2], 0},
		{fmt.Sprintf("bernoulli_logit(%v)", logit(0.3)), distuv.Bernoulli{P: 0.3}, whole[:2], 0},
		{"binomial(9, 0.3)", distuv.Binomial{N: 9, P: 0.3}, whole, 0},
		{fmt.Sprintf("binomial_logit(9, %v)", logit(0.3)), distuv.Binomial{N: 9, P: 0.3}, whole, 0},
		{"poisson(2.7)", distuv.Poisson{Lambda: 2.7}, whole, 0},
		{fmt.Sprintf("poisson_log(%v)", math.Log(2.7)), distuv.Poisson{Lambda: 2.7}, whole, 0},
	} {
		for _, y := range c.at {
			if got, want := logDensity(t, c.law, y), c.p.LogProb(y)+c.add; !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				t.Errorf("%s at %g: %v, by distuv %v", c.law, y, got, want)
			}
		}
	}
}

// Laws that distuv lacks have mass 1 and the mean that they should have.
func TestLawsHaveMassOne(t *testing.T) {
	pace.Slow(t)
	for _, c := range []struct {
		law        string
		from, step float64
		n          int
		mean       float64
	}{
		{"neg_binomial_2(3.2, 1.7)", 0, 1, 400, 3.2},
		{fmt.Sprintf("neg_binomial_2_log(%v, 1.7)", math.Log(3.2)), 0, 1, 400, 3.2},
		// sums of smooth functions that end flat are integrals to rounding
		{"logistic(1, 0.4)", -30, 0.05, 1300, 1},
		{"mix(0.3, normal(-2, 0.5), 0.7, normal(1, 2))", -20, 0.05, 800, 0.3*-2 + 0.7},
		{"mix(0.6, normal(-2, 0.5), 1.4, normal(1, 2))", -20, 0.05, 800, 0.3*-2 + 0.7},
		{"mix(0.3, poisson(2), 0.2, neg_binomial_2(4, 2), 0.5, poisson(9))", 0, 1, 400, 0.6 + 0.8 + 4.5},
		{"von_mises(1, 2.5)", 1 - math.Pi + math.Pi/200, math.Pi / 100, 200, 1},
		{"skew_normal(1, 2, 3)", -40, 0.05, 2000, 1 + 2*3/math.Sqrt(10)*math.Sqrt(2/math.Pi)},
	} {
		mass, mean := 0.0, 0.0
		for i := range c.n {
			y := c.from + float64(i)*c.step
			p := math.Exp(logDensity(t, c.law, y)) * c.step
			mass, mean = mass+p, mean+p*y
		}
		if math.Abs(mass-1) > 1e-10 || math.Abs(mean-c.mean) > 1e-9 {
			t.Errorf("%s: mass %v, mean %v (%v)", c.law, mass, mean, c.mean)
		}
	}
}

// Truncated laws have mass 1 between their ends, in the middle and far out on either side, and are
// the laws that they are cut from but for a constant.
// Mutants: the chance above an end for that below, and the other way round.
func TestTruncatedLaws(t *testing.T) {
	for _, law := range []string{"normal(1, 2)", "lognormal(0.3, 0.8)", "logistic(1, 0.4)", "cauchy(0.5, 2)", "laplace(0.85, 0.4)", "exponential(1.7)",
		"weibull(1.8, 2.2)"} {
		whole := logDensities(t, law)
		for _, e := range [][2]float64{{0.2, 1.5}, {3, 3.5}, {18, 19}, {-25, -24.5}, {95, 96}, {-95, -94.5}, {2, math.Inf(1)}, {math.Inf(-1), 0.7}} {
			lo, hi := e[0], e[1]
			l, _ := parse(law, none)
			switch {
			case hi < l.of.lo:
				continue
			case lo < l.of.lo:
				e[0] = l.of.lo
			}
			text := func(v float64) string {
				if math.IsInf(v, 0) {
					return ""
				}
				return fmt.Sprint(v)
			}
			cut := logDensities(t, fmt.Sprintf("%s T[%s, %s]", law, text(lo), text(hi)))
			// half lines by y = end ± u/(1 − u), whose integrands are smooth and end flat
			density := func(u float64) float64 {
				y, slope := u, 1.0
				if math.IsInf(hi-e[0], 0) {
					y, slope = u/(1-u), 1/((1-u)*(1-u))
					if y = lo + y; math.IsInf(lo, -1) {
						y = hi - u/(1-u)
					}
				}
				return math.Exp(cut(y)) * slope
			}
			from, to := e[0], hi
			if math.IsInf(to-from, 0) {
				from, to = 0, 1
			}
			mass := 0.0
			const parts = 400
			for i := range parts {
				step := (to - from) / parts
				mass += quad.Fixed(density, from+float64(i)*step, from+float64(i+1)*step, 20, nil, 0)
			}
			if math.Abs(mass-1) > 1e-9 {
				t.Errorf("%s between %g and %g: mass %v", law, lo, hi, mass)
			}
			a, b := max(lo, 0.3), min(hi, max(lo, 0.3)+0.3)
			if d := (cut(a) - cut(b)) - (whole(a) - whole(b)); math.Abs(d) > 1e-9*(1+math.Abs(cut(a))) {
				t.Errorf("%s between %g and %g: a ratio is off by %v", law, lo, hi, d)
			}
		}
	}
}

// Where a law itself ends nothing is cut off: densities, slopes and draws are those of the whole law, for any law, and
// in the rows whose lower end is 0; other rows have those of the law that is cut there.
// Mutants: slopes of 0·∞; rows without an upper end.
func TestTruncationWhereLawsEnd(t *testing.T) {
	for _, law := range []string{"gamma(2, 1)", "lognormal(0, 1)", "exponential(2)", "weibull(0.5, 1)", "poisson(3)", "half_normal(1)",
		"inv_gamma(2, 1)", "half_cauchy(2)", "beta(2, 3)", "bernoulli(0.4)", "neg_binomial_2(3, 2)"} {
		whole, _ := outcome(law, none)
		cut, err := outcome(law+" T[0, ]", none)
		if err != nil || len(cut.args) != len(whole.args) || !slices.Equal(cut.terms, whole.terms) {
			t.Errorf("%s: %v", law, err)
		}
	}
	table := "y,lo,hi\n1,0,3\n1,0.5,3\n0.3,0,0.4\n2.2,2,9\n"
	for _, law := range []string{"lognormal(a, s)", "exponential(s)", "weibull(s, exp(a))"} {
		for _, upper := range []string{"", "hi"} {
			parameters := []Parameter{{Name: "a"}, {Name: "s"}}
			p := build(t, model(parameters, "y ~ "+law+" T[lo, "+upper+"]"), table)
			for row, lo := range []string{"", "0.5", "", "2"} {
				law := fmt.Sprintf("y ~ %s T[%s, %s]", law, lo, upper)
				if lo+upper == "" {
					law, _, _ = strings.Cut(law, " T")
				}
				one := build(t, model(parameters, law), "y,hi\n"+[]string{"1,3", "1,3", "0.3,0.4", "2.2,9"}[row]+"\n")
				some := p.Likelihood.taken([]int{row})
				x, u, g, v, h := []float64{0.2, 0.4}, []float64{0}, []float64{0, 0}, []float64{0}, []float64{0, 0}
				one.Likelihood.Evaluator(1, nil).Eval(u, g, x)
				u[0] += one.Likelihood.total
				some.evaluator().add(v, h, x, 1)
				for k, w := range append(u, g...) {
					if got := append(v, h...)[k]; !(math.Abs(got-w) <= 1e-12*(1+math.Abs(w))) {
						t.Errorf("%s, row %d: energy and slopes %v %v, want %v %v", law, row, v, h, u, g)
						break
					}
				}
			}
		}
	}
}

func TestFaultyTruncations(t *testing.T) {
	for text, want := range map[string]string{
		"gamma(2, 1) T[1, 2]": "gamma cannot be truncated: its distribution function is not known; those of cauchy, exponential,",
		"normal(0, 1) T[1]":   "one of which may be left out: T[0, ]; found T[1]",
		"normal(0, 1) T[ , ]": "found T[ , ]",
		"nromal(0, 1) T[1, ]": "did you mean normal?",
	} {
		_, err := outcome(text, none)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
	for likelihood, want := range map[string]string{
		"y ~ normal(a, 1) T[2, ]":      `t.csv:2: 1 in column "y" is below 2, where its law is cut off`,
		"y ~ normal(a, 1) T[, half]":   `t.csv:2: 1 in column "y" is above 0.5, where its law is cut off`,
		"y ~ normal(a, 1) T[a, ]":      "a law is cut off at formulas of columns",
		"y - a ~ normal(a, 1) T[-9, ]": "a law is cut off at formulas of columns",
		"y ~ lognormal(a, 1) T[-1, ]":  "lo of lognormal is positive; found -1",
	} {
		_, err := Build(model([]Parameter{{Name: "a"}}, likelihood), strings.NewReader("y,half\n1,0.5\n2,3\n"), "t.csv")
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", likelihood, err, want)
		}
	}
}

// Parameters shift the left side of a law, and do not stretch it: that would take a derivative.
//
// Mutants it kills: coefficients that hold the data, sides that are not linear in parameters.
func TestStretchedSides(t *testing.T) {
	for left, refused := range map[string]bool{"y - a": false, "log(y) - a*half": false, "y - a*half + b": false, "log(y)": false,
		"y*exp(a)": true, "a*y": true, "y - a*y": true, "y/a": true, "y^a": true, "(y - a)/b": true} {
		m := model([]Parameter{{Name: "a"}, {Name: "b"}}, left+" ~ normal(b, 1)")
		_, err := Build(m, strings.NewReader("y,half\n1,0.5\n2,3\n"), "t.csv")
		if told := err != nil && strings.Contains(err.Error(), "parameters stretch"); told != refused || err != nil && !refused {
			t.Errorf("%s: %v", left, err)
		}
	}
}

func TestFaultyLaws(t *testing.T) {
	for text, want := range map[string]string{
		"nromal(0, 1)":           "did you mean normal?",
		"normal(0)":              "has 2 arguments; found 1",
		"normal":                 "write normal(mu, sigma)",
		"normal(0, 1":            "write normal(mu, sigma)",
		"zipf(3)":                "there is no law",
		"mix(0.5, normal(0, 1))": "has two laws or more",
		"mix(0.5, normal(0, 1), 0.5, poisson(2))":                                "those of normal are a number, those of poisson a whole number",
		"mix(0.5, normal(0, 1), 0.5, mix(0.5, normal(0, 1), 0.5, normal(1, 1)))": "write all its laws in one mix",
		"mix(0.5, normal(0, 1), 0.5, nromal(0, 1))":                              "did you mean normal?",
	} {
		_, err := parse(text, none)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// Random numbers have the density of their law: their distribution function, integrated
// from number to number, stays within what Kolmogorov's law gives up to 1e-7, for each law.
func TestDrawsHaveTheirLaw(t *testing.T) {
	pace.Slow(t)
	const n = 20_000
	bound := 3/math.Sqrt(n) + 4.0/n // 2·exp(−2·3²) = 3e-8; what lies beyond the ends is not known
	for i, text := range []string{"normal(1.5, 0.7)", "student_t(3, -1, 2)", "cauchy(0.5, 2)", "laplace(1, 0.4)", "logistic(1, 0.4)",
		"skew_normal(1, 2, 3)", "von_mises(1, 2.5)", "von_mises(0, 1e-6)", "lognormal(0.3, 0.8)", "exponential(1.7)", "gamma(2.5, 1.3)", "inv_gamma(2.5, 1.3)", "weibull(1.8, 2.2)",
		"beta(2.5, 0.7)", "half_normal(1.5)", "half_cauchy(1.5)", "half_student_t(4, 1.5)",
		"mix(0.3, normal(-2, 0.5), 0.7, laplace(1, 2))", "normal(1, 2) T[0, 3]", "weibull(1.8, 2.2) T[, 2]", "cauchy(0, 1) T[1, ]", "normal(0, 1) T[6, ]",
		"normal(0, 1) T[-9, -8.9]", "laplace(0, 1) T[, -30]", "normal(0, 1) T[60, ]", "laplace(0, 1) T[1000, ]", "weibull(2, 1) T[9, ]"} {
		l, err := outcome(text, none)
		if err != nil {
			t.Fatal(err)
		}
		var a []float64
		for _, s := range l.with {
			v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
			if err != nil {
				t.Fatal(err)
			}
			a = append(a, v)
		}
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		y := make([]float64, n)
		for k := range y {
			if y[k] = l.draw(a, rng); !l.of.holds(y[k]) {
				t.Fatalf("%s drew %v", text, y[k])
			}
		}
		slices.Sort(y)
		density := logDensities(t, text)
		worst, p := 0.0, 0.0
		for k := range y {
			if k > 0 {
				p += quad.Fixed(func(v float64) float64 { return math.Exp(density(v)) }, y[k-1], y[k], 8, nil, 0)
			}
			worst = max(worst, math.Abs(p-float64(k)/n))
		}
		if worst = max(worst, math.Abs(p-1)); !(worst < bound) {
			t.Errorf("%s: the distribution functions differ by %.4f, bound %.4f", text, worst, bound)
		}
	}
}
