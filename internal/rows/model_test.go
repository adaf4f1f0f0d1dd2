package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const trial = `site,dose,n,deaths,y,logdose
A,1,10,1,0.2,0
B,2,12,3,-0.3,0.69
A,3,9,4,1.1,1.09
C,4,11,8,0.4,1.38
B,5,10,9,NA,1.6
`

func infinite(p Parameter) Parameter {
	if p.Min == 0 && p.Max == 0 {
		p.Min, p.Max = math.Inf(-1), math.Inf(1)
	}
	return p
}

func model(parameters []Parameter, likelihood ...string) Model {
	m := Model{Likelihood: likelihood}
	for _, p := range parameters {
		m.Parameters = append(m.Parameters, infinite(p))
	}
	return m
}

func build(t *testing.T, m Model, table string) *Posterior {
	t.Helper()
	p, err := Build(m, strings.NewReader(table), "trial.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// energy is −log density at a point, and its gradient.
func energy(p *Posterior, x []float64) (float64, []float64) {
	u, g := make([]float64, 1), make([]float64, len(x))
	p.Potential.Evaluator(1, nil).Eval(u, g, x)
	return u[0], g
}

func normalLog(x, mu, sd float64) float64 {
	return -(x-mu)*(x-mu)/(2*sd*sd) - math.Log(sd) - math.Log(2*math.Pi)/2
}

// A regression with groups, a let and a prior of parameters is what a loop over the rows
// says.
func TestGroups(t *testing.T) {
	m := model([]Parameter{{Name: "a", Prior: "normal(0, 5)"}, {Name: "b", Prior: "flat"}, {Name: "c[site]", Prior: "normal(m, s)"},
		{Name: "m", Prior: "normal(0, 2)"}, {Name: "s", Prior: "half_normal(1)"}}, "deaths ~ binomial_logit(n, eta + 0*sum(c))")
	m.Let = []Let{{Name: "eta", Text: "a + b*log(dose) + c[site]"}}
	p := build(t, m, trial)
	if got := fmt.Sprint(p.Names); got != "[a b c[A] c[B] c[C] m s]" {
		t.Fatal(got)
	}
	want := func(x []float64) float64 {
		dose, n, deaths := []float64{1, 2, 3, 4, 5}, []float64{10, 12, 9, 11, 10}, []float64{1, 3, 4, 8, 9}
		site := []int{0, 1, 0, 2, 1}
		// priors of numbers alone are known up to a constant
		log := -x[0]*x[0]/50 - x[5]*x[5]/8 - x[6]*x[6]/2
		for _, c := range x[2:5] {
			log += normalLog(c, x[5], x[6])
		}
		for i, d := range dose {
			eta := x[0] + x[1]*math.Log(d) + x[2+site[i]]
			lg := func(v float64) float64 { g, _ := math.Lgamma(v + 1); return g }
			log += lg(n[i]) - lg(deaths[i]) - lg(n[i]-deaths[i]) + deaths[i]*eta - n[i]*math.Log1p(math.Exp(eta))
		}
		return -log
	}
	at := []float64{0.3, -0.2, 0.5, -0.4, 0.1, 0.2, 0.8}
	u0, _ := energy(p, at)
	c := u0 - want(at)
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		x := make([]float64, 7)
		for j := range x {
			x[j] = rng.NormFloat64()
		}
		x[6] = math.Abs(x[6]) + 0.1
		u, g := energy(p, x)
		if w := want(x) + c; math.Abs(u-w) > 1e-11*(1+math.Abs(w)) {
			t.Errorf("at %v: %v, want %v", x, u, w)
		}
		for j := range x {
			const h = 1e-5
			y := append([]float64(nil), x...)
			y[j] += h
			up := want(y)
			y[j] -= 2 * h
			if d := (up - want(y)) / (2 * h); math.Abs(d-g[j]) > 1e-5*(1+math.Abs(d)) {
				t.Errorf("at %v: derivative %d is %v, by differences %v", x, j, g[j], d)
			}
		}
	}
}

// Rows with gaps and rows before a lag are left out, and where chooses among the others.
func TestRows(t *testing.T) {
	m := model([]Parameter{{Name: "a"}}, "y ~ normal(a + lag(y, 2) + dose, 1)")
	m.Drop = true
	p := build(t, m, trial)
	u, _ := energy(p, []float64{0.5})
	want := -normalLog(1.1, 0.5+0.2+3, 1) - normalLog(0.4, 0.5-0.3+4, 1)
	if math.Abs(u-want) > 1e-12 || p.Left != 1 || p.Likelihood.Rows() != 2 {
		t.Errorf("%v, want %v; %d left out of %d", u, want, p.Left, p.Likelihood.Rows())
	}
	// a row that looks back at a gap has one
	m = model([]Parameter{{Name: "a"}}, "deaths ~ normal(a + lag(y, 1), 1)")
	gap := strings.Replace(trial, "B,2,12,3,-0.3", "B,2,12,3,NA", 1)
	if _, err := Build(m, strings.NewReader(gap), "trial.csv"); err == nil || !strings.Contains(err.Error(), "the value of y is missing") {
		t.Errorf("a gap that is looked back at: %v", err)
	}
	m.Drop = true
	if p := build(t, m, gap); p.Left != 1 || p.Likelihood.Rows() != 3 {
		t.Errorf("%d rows left out, %d used: row 3 alone looks back at a gap", p.Left, p.Likelihood.Rows())
	}
	m = model([]Parameter{{Name: "a"}}, "deaths ~ poisson(a)")
	m.Where = []string{"1 < dose <= 4", "dose^2 > 4"}
	if p := build(t, m, trial); p.Likelihood.Rows() != 2 {
		t.Errorf("%d rows where dose is 3 or 4", p.Likelihood.Rows())
	}
}

// A blank line in a table of one column is a gap, which a lag does not bridge.
func TestBlankLineIsAGap(t *testing.T) {
	m := model([]Parameter{{Name: "a"}}, "y ~ normal(a*lag(y, 1), 1)")
	const table = "y\n1\n2\n\n4\n8\n\"\"\n"
	if _, err := Build(m, strings.NewReader(table), "y.csv"); err == nil ||
		!strings.Contains(err.Error(), "y.csv:4: the value of y is missing") {
		t.Errorf("%v", err)
	}
	m.Drop = true
	p := build(t, m, table)
	u, _ := energy(p, []float64{0.5})
	if want := -normalLog(2, 0.5, 1) - normalLog(8, 2, 1); math.Abs(u-want) > 1e-12 || p.Left != 3 || p.Likelihood.Rows() != 2 {
		t.Errorf("%v, want %v; %d left out of %d", u, want, p.Left, p.Likelihood.Rows())
	}
}

// A block of columns times a parameter is the sum of products, and standardised columns
// have mean 0 and sd 1.
func TestBlocks(t *testing.T) {
	m := model([]Parameter{{Name: "b[X]"}, {Name: "z[S]"}}, "deaths ~ normal(X*b + S*z, 2)")
	m.Let = []Let{{Name: "X", Columns: []string{"dose", "n"}}, {Name: "S", Columns: []string{"dose"}, Standardise: true}}
	p := build(t, m, trial)
	if got := fmt.Sprint(p.Names); got != "[b[dose] b[n] z[dose]]" {
		t.Fatal(got)
	}
	u, _ := energy(p, []float64{0.5, -0.25, 2})
	// an entry of a block is that of its column, though the column holds categories elsewhere
	m.Parameters = append(m.Parameters, infinite(Parameter{Name: "c[dose]"}))
	m.Likelihood = []string{"deaths ~ normal(X*b + S*z + 0*c[dose], 2)"}
	if q, _ := energy(build(t, m, trial), []float64{0.5, -0.25, 2, 1, 1, 1, 1, 1}); q != u {
		t.Errorf("%v, without categories %v", q, u)
	}
	want := 0.0
	for i, d := range []float64{1, 2, 3, 4, 5} {
		n, y := []float64{10, 12, 9, 11, 10}[i], []float64{1, 3, 4, 8, 9}[i]
		want -= normalLog(y, 0.5*d-0.25*n+2*(d-3)/math.Sqrt(2.5), 2)
	}
	if math.Abs(u-want) > 1e-12*want {
		t.Errorf("%v, want %v", u, want)
	}
}

// Entries that are counted may be told as a number or as a range.
func TestCountedEntries(t *testing.T) {
	for _, name := range []string{"b[2]", "b[1..2]", "b[ 1 .. 2 ]"} {
		p := build(t, model([]Parameter{{Name: name, Prior: "normal(0, 3)"}}, "deaths ~ normal(b[1] + b[2]*dose, 2)"), trial)
		if fmt.Sprint(p.Names) != "[b[1] b[2]]" {
			t.Error(name, p.Names)
		}
	}
}

// Comparisons of columns are 1 where they hold and 0 elsewhere.
func TestComparisons(t *testing.T) {
	m := model([]Parameter{infinite(Parameter{Name: "a"})}, "deaths ~ normal(a*(bits + (lag(n, 1) >= max(dose, 2) + 9)), 2)")
	m.Let = []Let{{Name: "bits", Text: "10*(dose < 3) + 100*(dose <= 3) + 1e3*(dose > 3) + 1e4*(dose ≥ 3) + 1e5*(dose == 3) + 1e6*(dose*2 - " +
		"1 != 2*3 - 1)"}}
	got, _ := energy(build(t, m, trial), []float64{0.25})
	want := 0.0
	for i, bits := range []float64{1000110, 110101, 1011000, 1011000} { // of rows from the second on, whose n before is 10, 12, 9, 11
		want -= normalLog([]float64{3, 4, 8, 9}[i], 0.25*bits, 2)
	}
	if math.Abs(got-want) > 1e-12*want {
		t.Errorf("%v, want %v", got, want)
	}
}

// Shapes are walls and equations.
func TestShapes(t *testing.T) {
	p := build(t, model([]Parameter{{Name: "w", Shape: "simplex(3)", Prior: "dirichlet(2, 1, 3)"},
		{Name: "m", Shape: "positive_ordered(2)", Prior: "normal(0, 1)"}},
		"y ~ normal(w[1]*m[1] + w[2]*m[2] + w[3]*dose, 1)"), strings.Replace(trial, "NA", "0.5", 1))
	if fmt.Sprint(p.Names) != "[w[1] w[2] w[3] m[1] m[2]]" || fmt.Sprint(p.Equations) != "[[0 1 2]]" || fmt.Sprint(p.Orders) != "[[3 4]]" {
		t.Error(p.Names, p.Equations, p.Orders)
	}
	if p.Prior.Lower[0] != 0 || p.Prior.Lower[3] != 0 || p.Proper {
		t.Error(p.Prior.Lower, p.Proper)
	}
	a, _ := energy(p, []float64{0.2, 0.3, 0.5, 1, 2})
	b, _ := energy(p, []float64{0.2, 0.3, 0.5, 1, 2})
	if a != b || a-a != 0 {
		t.Error(a, b)
	}
}

// Every number of rows is summed whole: strips and their rest, and a block of states says
// of each what it says of it alone.
func TestStrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, r := rapid.IntRange(1, 3*strip).Draw(t, "rows"), rapid.IntRange(1, 5).Draw(t, "states")
		var b strings.Builder
		b.WriteString("y,g\n")
		ys := make([]float64, n)
		for i := range n {
			ys[i] = float64(rapid.IntRange(-50, 50).Draw(t, "y")) / 8
			fmt.Fprintf(&b, "%g,%d\n", ys[i], i%3)
		}
		m := model([]Parameter{{Name: "a[g]"}, {Name: "s"}})
		m.LogLik = []string{"normal_lpdf(y, a[g], exp(s))", "y^2"} // which is of data alone
		p, err := Build(m, strings.NewReader(b.String()), "y.csv")
		if err != nil {
			t.Fatal(err)
		}
		d := len(p.Names)
		x, u, g := make([]float64, d*r), make([]float64, r), make([]float64, d*r)
		for i := range x {
			x[i] = float64(rapid.IntRange(-8, 8).Draw(t, "x")) / 4
		}
		p.Potential.Evaluator(r, nil).Eval(u, g, x)
		rows := p.Likelihood.LogDensity(nil)
		log := make([]float64, n)
		for i := range r {
			one := make([]float64, d)
			for j := range one {
				one[j] = x[j*r+i]
			}
			alone, slope := energy(p, one)
			if alone != u[i] {
				t.Fatalf("state %d of %d: %v, alone %v", i, r, u[i], alone)
			}
			for j := range slope {
				if slope[j] != g[j*r+i] {
					t.Fatalf("derivative %d of state %d: %v, alone %v", j, i, g[j*r+i], slope[j])
				}
			}
			want := 0.0
			for k, y := range ys {
				want -= normalLog(y, one[k%min(n, 3)], math.Exp(one[d-1])) + y*y
			}
			if math.Abs(u[i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("%v, want %v", u[i], want)
			}
			rows(log, one)
			some := rapid.SliceOfN(rapid.IntRange(0, n-1), 1, n).Draw(t, "some")
			few := make([]float64, len(some))
			p.Likelihood.LogDensity(some)(few, one)
			for i, k := range some {
				if few[i] != log[k] {
					t.Fatalf("row %d is %v among %d, %v among all", k, few[i], len(some), log[k])
				}
			}
			if s := -sum(log); math.Abs(s-want) > 1e-10*(1+math.Abs(want)) {
				t.Fatalf("rows add to %v, want %v", s, want)
			}
		}
	})
}

func TestEvaluationAllocatesNothing(t *testing.T) {
	p := build(t, model([]Parameter{{Name: "a"}, {Name: "c[site]"}}, "deaths ~ poisson_log(a*logdose + c[site])"), trial)
	e, d := p.Potential.Evaluator(3, nil), len(p.Names)
	u, g, x := make([]float64, 3), make([]float64, 3*d), make([]float64, 3*d)
	if n := testing.AllocsPerRun(10, func() { e.Eval(u, g, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Values that a law cannot have, and arguments of data alone that it cannot take, are each
// told once, at the line of the first.
func TestFaultsOfData(t *testing.T) {
	const table = "y,n,m,sd,half,k\n1,3,3,1,0.5,0\n2,4,1,2,1.5,2\n2,2.5,2,-1,2.5,1\n1,-1,4,0,0.5,3\n"
	for likelihood, want := range map[string]string{
		"y ~ binomial(n, a)":                 `t.csv:4: 2.5 in column "n": n of binomial is a whole number from 0 on`,
		"y ~ binomial_logit(n - 3, a)":       `t.csv:4: -0.5 by n - 3: n of binomial_logit is a whole number from 0 on`,
		"y ~ binomial(m, a)":                 `t.csv:3: 2 in column "y" is more than the 1 tries`,
		"y ~ binomial_logit(m - 2, a)":       `t.csv:3: -1 by m - 2: n of binomial_logit is a whole number from 0 on`,
		"y ~ binomial(lots, a)":              "",
		"y ~ binomial(1, a)":                 `t.csv:3: 2 in column "y" is more than the 1 tries`,
		"y ~ binomial(2.5, a)":               "model.likelihood: n of binomial is a whole number from 0 on; found 2.5",
		"half ~ binomial(4, a)":              `t.csv:2: 0.5 in column "half": with binomial a value is a whole number from 0 on`,
		"half ~ poisson(a)":                  `t.csv:2: 0.5 in column "half": with poisson a value is a whole number from 0 on`,
		"sd ~ neg_binomial_2(a, 1)":          `t.csv:4: -1 in column "sd": with neg_binomial_2 a value is a whole number from 0 on`,
		"log(sd) ~ normal(a, 1)":             "t.csv:4: NaN by log(sd): with normal a value is a number",
		"log(k) ~ normal(a, 1)":              "t.csv:2: -Inf by log(k): with normal a value is a number",
		"y ~ normal(a, sd)":                  `t.csv:4: -1 in column "sd": sigma of normal is positive`,
		"y ~ lognormal(a, 2*k)":              "t.csv:2: 0 by 2*k: sigma of lognormal is positive",
		"y ~ normal(a, lag(k, 1))":           "t.csv:3: 0 by lag(k, 1): sigma of normal is positive",
		"y ~ normal(a, twice)":               "t.csv:4: -2 by twice: sigma of normal is positive",
		"y ~ normal(a, 0)":                   "model.likelihood: sigma of normal is positive; found 0",
		"y ~ student_t(k, a, 1)":             `t.csv:2: 0 in column "k": nu of student_t is positive`,
		"y ~ skew_normal(a, k, 1)":           `t.csv:2: 0 in column "k": omega of skew_normal is positive`,
		"y ~ skew_normal(a, 1, sd)":          "", // any number
		"y ~ gamma(k, a)":                    `t.csv:2: 0 in column "k": alpha of gamma is positive`,
		"y ~ gamma(a, k)":                    `t.csv:2: 0 in column "k": beta of gamma is positive`,
		"y ~ neg_binomial_2_log(a, sd)":      `t.csv:4: -1 in column "sd": phi of neg_binomial_2_log is positive`,
		"y ~ neg_binomial_2(sd, exp(a))":     `t.csv:4: -1 in column "sd": mu of neg_binomial_2 is at least 0`,
		"y ~ neg_binomial_2_log(sd, exp(a))": "",
		"y ~ normal(a, exp(a)*sd)":           "t.csv:4: exp(a)*sd is at most 0, whatever the parameters: sigma of normal is positive",
		"y ~ normal(a, exp(a) + sd)":         "",
		"y ~ normal(a, p*sd - 0.5)":          "t.csv:4: p*sd - 0.5 is at most -0.5, whatever the parameters: sigma of normal is positive",
		"y ~ normal(a, 0.5 + p*sd)":          "",
		"1 ~ bernoulli(2*half + p)":          "t.csv:3: 2*half + p is at least 3, whatever the parameters: theta of bernoulli is from 0 to 1",
		"y ~ normal(a*log(sd), 1)":           "t.csv:4: a*log(sd) is not finite, whatever the parameters: mu of normal is a number",
		"y ~ normal(a*y/k, 1)":               "t.csv:2: a*y/k is not finite, whatever the parameters: mu of normal is a number",
		"y ~ normal(a + exp(-exp(a)/k), 1)":  "",
		"y ~ normal(log(exp(a) + sd), 1)":    "",
		"y ~ normal(c[m]*sqrt(sd), 1)":       "t.csv:4: c[m]*sqrt(sd) is not finite, whatever the parameters: mu of normal is a number",
	} {
		m := model([]Parameter{{Name: "a"}, {Name: "p", Max: 1}, {Name: "c[m]"}}, likelihood)
		m.Let = []Let{{Name: "twice", Text: "2*sd"}, {Name: "lots", Text: "y + m"}}
		got := ""
		if _, err := Build(m, strings.NewReader(table), "t.csv"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", likelihood, got, want)
		}
	}
	// rows that are left out may hold anything
	m := model([]Parameter{{Name: "a"}}, "y ~ normal(a, sd)")
	m.Where = []string{"sd > 0"}
	if p := build(t, m, table); p.Likelihood.Rows() != 2 {
		t.Errorf("%d rows", p.Likelihood.Rows())
	}
}

// Levels so long that no folder bears their name are refused, with the line where they are
// written; a slash takes three bytes.
func TestLongLevels(t *testing.T) {
	m := model([]Parameter{{Name: "c[site]"}}, "dose ~ normal(c[site], 1)")
	for level, told := range map[string]bool{strings.Repeat("A", 190): false, strings.Repeat("A", 198): true, strings.Repeat("/", 70): true} {
		_, err := Build(m, strings.NewReader("site,dose\nB,1\n"+level+",2\n"), "t.csv")
		if (err != nil) != told || told && !strings.Contains(err.Error(), "Shorten it in t.csv:3") {
			t.Errorf("%d bytes: %v", len(level), err)
		}
	}
}

// A column that is named as a number is not taken for it, nor the number for the column:
// formulas cannot tell them apart. Elsewhere the column is as any other.
func TestColumnNamedPi(t *testing.T) {
	const table = "pi,π,y\n1,2,3\n4,5,6\n"
	for formula, refused := range map[string]bool{"a*pi": true, "a*π": true, "a*b": true, "a*exp(1)": false, "a*lag(pi, 1)": false} {
		m := model([]Parameter{{Name: "a"}}, "y ~ normal("+formula+", 1)")
		m.Let = []Let{{Name: "b", Text: "1 + pi"}}
		if formula != "a*b" {
			m.Let = nil
		}
		_, err := Build(m, strings.NewReader(table), "t.csv")
		if refused != (err != nil) || err != nil && !strings.Contains(err.Error(), "is a number in formulas, and a column of the data") {
			t.Errorf("%s: %v", formula, err)
		}
	}
	m := model([]Parameter{{Name: "a"}}, "y ~ normal(a, 1)")
	m.Where = []string{"y > pi"}
	if _, err := Build(m, strings.NewReader(table), "t.csv"); err == nil || !strings.Contains(err.Error(), "is a number in formulas") {
		t.Errorf("where: %v", err)
	}
	if _, err := Build(m, strings.NewReader("x,y\n1,3\n4,6\n"), "t.csv"); err != nil {
		t.Error(err)
	}
}

// Faults say what is wrong and what to do.
func TestFaults(t *testing.T) {
	a, good := Parameter{Name: "a"}, "deaths ~ poisson_log(a)"
	let := func(name, text string) func(*Model) {
		return func(m *Model) { m.Let = append(m.Let, Let{Name: name, Text: text}) }
	}
	for _, c := range []struct {
		parameters []Parameter
		likelihood string
		change     func(*Model)
		want       string
	}{
		{nil, good, nil, "there are none"},
		{[]Parameter{a}, "", nil, "there is none: add, for instance, likelihood"},
		{[]Parameter{a}, "deaths = poisson(a)", nil, "such as y ~ normal"},
		{[]Parameter{a}, "deaths ~ poison(a)", nil, "did you mean poisson?"},
		{[]Parameter{a}, "deaths ~ poisson(a, a)", nil, "has 1 arguments; found 2"},
		{[]Parameter{a}, "death ~ poisson_log(a)", nil, `did you mean "deaths"?`},
		{[]Parameter{a}, "deaths ~ poisson_log(b)", nil, `"b" is neither a parameter`},
		{[]Parameter{a}, "deaths ~ poisson_log(a +)", nil, ""},
		{[]Parameter{a}, "deaths ~ poisson_log(a*dose < 3)", nil, "in parentheses of its own: (age < 30)"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*(1 < dose < 3))", nil, "in parentheses of its own"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*(dose <))", nil, "is missing before"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + (dose < a))", nil, "columns are compared, and a is no column"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + (dose < twice))", func(m *Model) { m.Let = []Let{{Name: "twice", Text: "2*a"}} },
			"and twice is no column"},
		{[]Parameter{a}, "deaths ~ poisson_log(a[site])", nil, "a is one number"},
		{[]Parameter{{Name: "c[site]"}}, "deaths ~ poisson_log(c)", nil, "c has several entries"},
		{[]Parameter{{Name: "c[site]"}}, "deaths ~ poisson_log(c[D])", nil, "there is no entry c[D]"},
		{[]Parameter{{Name: "c[sit]"}}, "deaths ~ poisson_log(c[sit])", nil, `did you mean "site"?`},
		{[]Parameter{{Name: "c[2]"}}, "deaths ~ poisson_log(c[site])", nil, `holds "A", and the parameter c[2] has no such entry`},
		{[]Parameter{{Name: "dose"}}, "deaths ~ poisson_log(dose)", nil, "is a column of the data"},
		{[]Parameter{{Name: "exp"}}, "deaths ~ poisson_log(exp)", nil, "is a function of formulas"},
		{[]Parameter{{Name: "log[3]"}}, "deaths ~ poisson_log(sum(log))", nil, `model.parameters.log[3]: "log" is a function of formulas`},
		{[]Parameter{{Name: "pi"}}, "deaths ~ poisson_log(pi)", nil, `"pi" is a number in formulas: give the parameter another name`},
		{[]Parameter{{Name: "xlogy"}}, "deaths ~ poisson(exp(xlogy))", nil,
			`model.parameters.xlogy: "xlogy" is a function that the law poisson takes: give the parameter another name`},
		{[]Parameter{{Name: "skew_normal_lpdf"}, {Name: "b", Prior: "skew_normal(skew_normal_lpdf, 1, 2)"}}, "deaths ~ poisson_log(b)", nil,
			`"skew_normal_lpdf" is a function that the law skew_normal takes`},
		{[]Parameter{{Name: "2a"}}, good, nil, "a parameter is a name"},
		{[]Parameter{a, a}, good, nil, "comes twice"},
		{[]Parameter{a}, "y ~ normal(a, 1)", nil, "the value of y is missing"},
		{[]Parameter{a}, "y ~ poisson(a)", func(m *Model) { m.Drop = true }, "a value is a whole number from 0 on"},
		{[]Parameter{a}, "deaths ~ bernoulli(a)", nil, "a value is 0 or 1"},
		{[]Parameter{a}, "n ~ binomial(deaths, a)", nil, "is more than the 1 tries"},
		{[]Parameter{a}, "site ~ normal(a, 1)", nil, "not a number"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + site)", nil, `trial.csv:2:1: "A" in column "site": not a number, nor is one in any of 4 ` +
			`other rows: formulas take numbers. Have a parameter with an entry for each category, c[site], or write numbers into the file, such ` +
			`as 1 for "A" and 0 for others`},
		{[]Parameter{a}, "deaths ~ poisson(3)", nil, "no parameter has any influence"},
		{[]Parameter{a}, "", func(m *Model) { m.LogLik = []string{"-a^2"} }, "what is known of parameters alone is a prior"},
		{[]Parameter{{Name: "a", Prior: "normal(0, -1)"}}, good, nil, "sd"},
		{[]Parameter{{Name: "a", Prior: "poisson(3)"}}, good, nil, "law of whole numbers"},
		{[]Parameter{{Name: "a", Prior: "normal(dose, 1)"}}, good, nil, "is none with one value"},
		{[]Parameter{{Name: "a", Prior: "normal(a, 1)"}}, good, nil, "the prior normal(a, 1) of a is of a itself"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + u)", func(m *Model) { m.Let = []Let{{Name: "u", Text: "v"}, {Name: "v", Text: "u"}} },
			"v is said further down: let takes what is above"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + u)", func(m *Model) { m.Let = []Let{{Name: "u", Text: "u + 1"}} }, "u is said by itself"},
		{[]Parameter{a, {Name: "c[3]", Prior: "normal(c[2], 1)"}}, good, nil, "of c is of c[2] itself"},
		{[]Parameter{{Name: "a", Prior: "normal(u, 1)"}}, good, func(m *Model) { m.Let = []Let{{Name: "u", Text: "2*a"}} }, "is of a itself"},
		{[]Parameter{{Name: "a", Prior: "beta(1, 1)", Min: 2, Max: 3}}, good, nil, "has no mass between its walls"},
		{[]Parameter{{Name: "a", Prior: "dirichlet(1, 1)"}}, good, nil, "prior of a simplex"},
		{[]Parameter{a, {Name: "w", Shape: "simplex(1)"}}, good, nil, "a shape is simplex(k)"},
		{[]Parameter{a, {Name: "w[3]", Shape: "ordered(2)"}}, good, nil, "leave the brackets out"},
		{[]Parameter{a, {Name: "b", Prior: "half_student_t(-1, 2)"}}, good, nil, "nu of half_student_t is positive; found -1"},
		{[]Parameter{a, {Name: "c[0]"}}, good, nil, "has 1 to"},
		{[]Parameter{a, {Name: "c[2..3]"}}, good, nil, "count from 1: c[1..4]"},
		{[]Parameter{a, {Name: "c[1..]"}}, good, nil, "count from 1"},
		{[]Parameter{a}, "deaths ~ poisson_log(a + mu)", let("mu", "a*dos"), `did you mean "dose"?`},
		{[]Parameter{{Name: "c[site]"}}, "n ~ poisson_log(c[site])", func(m *Model) { m.Where = []string{"n > 0"} },
			"may be the entry of that level"},
		{[]Parameter{a}, good, let("a", "1"), "is a parameter: give the formula another name"},
		{[]Parameter{a}, good, let("dose", "1"), "is a column of the data: give the formula"},
		{[]Parameter{a}, good, let("b c", "1"), "is no name for a formula"},
		{[]Parameter{a}, "deaths ~ poisson_log(lag(a, 1))", nil, "lag takes a column"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*lag(dose, 0))", nil, "from 1 on"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*lag(dose, -1))", nil, "lag is written lag(y, 1): a column and a whole number of rows from 1 on"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*lag(dose))", nil, "lag is written lag(y, 1)"},
		{[]Parameter{a}, "deaths ~ poisson_log(a*lag(dose*2, 1))", nil, "lag is written lag(y, 1)"},
		{[]Parameter{a}, "deaths ~ poisson_log(sum(a))", nil, "has none"},
		{[]Parameter{a}, good, func(m *Model) { m.Where = []string{"dose > 9"} }, "holds in none of 5 rows"},
		{[]Parameter{a}, good, func(m *Model) { m.Where = []string{"dosis > 9"} }, `no column "dosis"`},
		{[]Parameter{a}, "deaths ~ poisson_log(X*a)", func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} },
			"is multiplied by a parameter a[X]"},
		{[]Parameter{{Name: "a[X]", Prior: "normal(0, 1)"}}, "deaths ~ poisson_log(X*a^2)",
			func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} }, "put parentheses, (X*a)"},
		{[]Parameter{{Name: "a[X]", Prior: "normal(0, 1)"}}, "deaths ~ poisson_log(1/X*a)",
			func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} }, "put parentheses, (X*a)"},
		{[]Parameter{{Name: "a[X]", Prior: "normal(0, 1)"}}, "deaths ~ poisson_log(2^-X*a)",
			func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} }, "put parentheses, (X*a)"},
		{[]Parameter{{Name: "a[2]", Prior: "normal(0, 1)"}}, "deaths ~ poisson_log(X*a)",
			func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} }, "the lengths of X and a differ, 1 and 2: it is multiplied by a parameter a[X], or a[1], an entry for each"},
		{[]Parameter{a}, "deaths ~ poisson_log(X + a)", func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"dose"}}} },
			"is a block of columns"},
		{[]Parameter{a}, good, func(m *Model) { m.Let = []Let{{Name: "X", Columns: []string{"doses"}}} }, `did you mean "dose"?`},
		{[]Parameter{a, {Name: "m", Prior: "von_mises(0, 2)"}}, good, nil, "give it walls at most 2π apart"},
		{[]Parameter{a}, good, func(m *Model) { m.Labels = []string{"a"} }, `"a" is one number: labels are those of the entries`},
		{[]Parameter{a, {Name: "mean[2]"}}, good, func(m *Model) { m.Labels = []string{"maen"} }, `did you mean "mean"?`},
		{[]Parameter{a, {Name: "w", Shape: "ordered(2)"}}, good, func(m *Model) { m.Labels = []string{"w"} }, `the order of "w" tells its entries apart`},
		{[]Parameter{a, {Name: "w", Shape: "positive_ordered(2)"}}, good, func(m *Model) { m.Labels = []string{"w"} }, `the order of "w"`},
		{[]Parameter{a, {Name: "w", Shape: "simplex(21)"}}, good, func(m *Model) { m.Labels = []string{"w"} }, "at most 20 can be labelled"},
		{[]Parameter{a, {Name: "w[2]"}}, good, func(m *Model) { m.Labels = []string{"w", "w"} }, `"w" comes twice`},
		{[]Parameter{a, {Name: "w[2]"}, {Name: "v[3]"}}, good, func(m *Model) { m.Labels = []string{"w", "v"} }, `"v" has 3 entries and "w" 2`},
	} {
		m := model(c.parameters)
		if c.likelihood != "" {
			m.Likelihood = []string{c.likelihood}
		}
		if c.change != nil {
			c.change(&m)
		}
		table := trial
		if strings.Contains(c.want, "that level") { // which is called like the column
			table = strings.Replace(trial, "\nA,", "\nsite,", 1)
		}
		_, err := Build(m, strings.NewReader(table), "trial.csv")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %q: %v, want %q", c.parameters, c.likelihood, err, c.want)
		}
	}
}
