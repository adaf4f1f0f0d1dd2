package dynamics

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

func lotka() *Model {
	return &Model{States: []string{"H", "L"}, Time: "year", Likelihood: "log-derivative",
		Equations: []Equation{{"H", "H*(alpha - beta*L)"}, {"L", "L*(-gamma + delta*H)"}}}
}

type reference struct {
	Columns []struct {
		OLS, Residuals []float64
		SD             float64 `json:"residual_sd"`
		RSS, R2        float64
		Precision      [][]float64
	}
	Mean, SD []float64
	Cov      [][]float64
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
		t.Errorf("%s: %.15g, want %.15g", what, got, want)
	}
}

// The tolerance 1e-9 kills a division of the residual sum by n or n−1 instead
// of n−2, derivatives at 20 or 21 rows, and regressors of a neighbouring year.
func TestLynxHareAgreesWithReference(t *testing.T) {
	var all struct{ Log, Level reference }
	if err := json.Unmarshal(must(os.ReadFile("testdata/lynx_hare_regression.json")), &all); err != nil {
		t.Fatal(err)
	}
	for likelihood, ref := range map[string]reference{"log-derivative": all.Log, "derivative": all.Level} {
		m := lotka()
		m.Likelihood = likelihood
		p, err := Build(m, lynxHare())
		if err != nil {
			t.Fatal(err)
		}
		if !p.Linear || !cmp.Equal(p.Parameters, []string{"alpha", "beta", "gamma", "delta"}) || len(p.Time) != 19 {
			t.Fatalf("linear %v, parameters %v, %d rows, %v", p.Linear, p.Parameters, len(p.Time), p.Warnings)
		}
		// A year is long for slopes of the pelts: by a trajectory, beta and delta are larger
		// by a quarter, 3 and 2 standard deviations.
		if coarse := len(p.Warnings) == 1 && strings.Contains(p.Warnings[0], "too coarse"); coarse != (likelihood == "derivative") {
			t.Errorf("%s: %q", likelihood, p.Warnings)
		}
		for c, col := range ref.Columns {
			near(t, "noise", p.Noise[c], col.SD, 1e-9)
			fit := p.Fit(c, p.Estimate)
			near(t, "R2", fit.R2, col.R2, 1e-9)
			near(t, "RSS", fit.RSS, col.RSS, 1e-9)
			fitted := make([]float64, 19)
			p.Likelihood.Fitted(c, nil)(fitted, p.Estimate)
			for i, e := range col.Residuals {
				if math.Abs(p.Responses[c].Observed[i]-fitted[i]-e) > 1e-9 {
					t.Errorf("%s: residual %d of %s", likelihood, i, p.Responses[c].Label)
				}
			}
		}
		for j := range p.Parameters {
			near(t, "estimate", p.Estimate[j], ref.Columns[j/2].OLS[j%2], 1e-9)
			// The walls are 9 standard deviations away: truncation changes
			// neither mean nor sd at 1e-9.
			near(t, "mean", p.Center[j], ref.Mean[j], 1e-9)
			for k := range p.Parameters {
				cov := 0.0
				for i := range p.Parameters {
					cov += p.Factor[j][i] * p.Factor[k][i]
				}
				if math.Abs(cov-ref.Cov[j][k]) > 1e-9*math.Sqrt(ref.Cov[j][j]*ref.Cov[k][k]) {
					t.Errorf("%s: covariance %d %d: %v, want %v", likelihood, j, k, cov, ref.Cov[j][k])
				}
				if k > j && p.Factor[j][k] != 0 {
					t.Error("the factor is not lower triangular")
				}
			}
		}
		energy := make([]float64, 1)
		p.Potential.Evaluator(1, nil).Eval(energy, make([]float64, 4), p.Estimate)
		near(t, "energy at the mode", energy[0], 17, 1e-9)
	}
}

func TestPrintedLynxHare(t *testing.T) {
	p := must(Build(lotka(), lynxHare()))
	sd := make([]float64, 4)
	for j, row := range p.Factor {
		for _, l := range row {
			sd[j] += l * l
		}
		sd[j] = math.Sqrt(sd[j])
	}
	got := p.Print(p.Estimate, sd)
	if got[0].Text != "H′ = H·(0.440 ± 0.049 − (0.0219 ± 0.0018)·L)" || got[1].Text != "L′ = L·(−0.685 ± 0.071 + (0.0206 ± 0.0017)·H)" {
		t.Errorf("%s\n%s", got[0].Text, got[1].Text)
	}
}

// observed are the slopes that a problem explains.
func (p *Problem) observed() *slopes { return p.Likelihood.(*slopes) }

// path is the trajectory that a problem explains.
func (p *Problem) path() *trajectory { return p.Likelihood.(*trajectory) }

// search goes down the energy of a trajectory.
func (p *Problem) search() *fitter { return p.fitter(p.path()) }

// nonlinear hides from the recognition of linear equations that they are.
func (p *Problem) nonlinear(t *testing.T) (*Problem, potential.Potential) {
	t.Helper()
	q := *p
	q.Noise = make([]float64, len(p.equations))
	l := *p.observed()
	own := *l.table
	own.Problem, l.table, q.Likelihood = &q, &own, &l
	likelihood, _, gram, err := l.fromCurves()
	if err != nil {
		t.Fatal(err)
	}
	return &q, must(likelihood, q.withPriors(likelihood, likelihood, gram))
}

// The tolerance 1e-10 kills a missing 1/X in the response's scale and noise
// with other degrees of freedom.
func TestNonlinearPathEqualsLinearPath(t *testing.T) {
	for _, likelihood := range []string{"derivative", "log-derivative"} {
		m := lotka()
		m.Likelihood = likelihood
		p := must(Build(m, lynxHare()))
		q, general := p.nonlinear(t)
		for j := range p.Parameters {
			near(t, "estimate", q.Estimate[j], p.Estimate[j], 1e-8)
			near(t, "factor", q.Factor[j][j], p.Factor[j][j], 1e-8)
		}
		for c := range p.Noise {
			near(t, "noise", q.Noise[c], p.Noise[c], 1e-10)
		}
		x := []float64{.4, .5, .02, .01, .6, .7, .02, .03}
		e1, e2, g1, g2 := make([]float64, 2), make([]float64, 2), make([]float64, 8), make([]float64, 8)
		p.Potential.Evaluator(2, nil).Eval(e1, g1, x)
		general.Evaluator(2, nil).Eval(e2, g2, x)
		for i := range e1 {
			near(t, "energy", e2[i], e1[i], 1e-10)
		}
		for i := range g1 {
			near(t, "gradient", g2[i], g1[i], 1e-9)
		}
	}
}

// wiggled returns a series whose given derivatives are f plus a wiggle that
// no model explains.
func wiggled(n int, f func(x, y float64) (dx, dy float64)) *Series {
	s := &Series{File: "f.csv", States: []string{"x", "y"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	for i := range n {
		t := 0.1 * float64(i)
		x, y := 3+2*math.Sin(t), 2+math.Cos(1.7*t)
		dx, dy := f(x, y)
		s.Time = append(s.Time, t)
		s.Line.Add(i + 2)
		s.Values["x"], s.Values["y"] = append(s.Values["x"], x), append(s.Values["y"], y)
		s.Given["x"] = append(s.Given["x"], dx+0.01*math.Sin(37*t))
		s.Given["y"] = append(s.Given["y"], dy+0.02*math.Cos(91*t))
	}
	return s
}

func TestNonlinearModel(t *testing.T) {
	s := wiggled(120, func(x, y float64) (float64, float64) {
		return 0.8*x*(1-x/9) - 0.3*x*y/(1.5+x), 0.2*x*y/(1.5+x) - 0.4*y
	})
	m := &Model{States: s.States, Derivative: Derivative{Kind: "column"},
		Equations: []Equation{{"x", "r*x*(1 - x/K) - a*x*y/(h + x)"}, {"y", "c*x*y/(h + x) - d*y"}}}
	p, err := Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	if p.Linear || !cmp.Equal(p.Parameters, []string{"r", "K", "a", "h", "c", "d"}) {
		t.Fatalf("linear %v, parameters %v", p.Linear, p.Parameters)
	}
	sd := make([]float64, 6)
	for j, want := range []float64{0.8, 9, 0.3, 1.5, 0.2, 0.4} {
		for _, l := range p.Factor[j] {
			sd[j] += l * l
		}
		sd[j] = math.Sqrt(sd[j])
		if math.Abs(p.Estimate[j]-want) > 5*sd[j] || sd[j] > 0.5*want {
			t.Errorf("%s = %v ± %v, want %v", p.Parameters[j], p.Estimate[j], sd[j], want)
		}
	}
	near(t, "noise", p.Noise[0], 0.01/math.Sqrt2, 0.1)
	near(t, "noise", p.Noise[1], 0.02/math.Sqrt2, 0.1)
	energy, grad := make([]float64, 1), make([]float64, 6)
	p.Potential.Evaluator(1, nil).Eval(energy, grad, p.Estimate)
	for j, g := range grad {
		if math.Abs(g*sd[j]) > 1e-5 {
			t.Errorf("gradient at the fit by %s: %v", p.Parameters[j], g)
		}
	}
	differences(t, p.Potential, []float64{0.7, 8, 0.4, 1.2, 0.3, 0.5})
}

// differences compares a gradient with central differences. Their error is
// h²U‴/6 + 1e-16·U/h, some 1e-9 of the gradient here.
func differences(t *testing.T, p potential.Potential, x []float64) {
	t.Helper()
	d := p.Dim()
	e := p.Evaluator(1, stream.New(1, 0))
	up, down, grad, scratch := make([]float64, 1), make([]float64, 1), make([]float64, d), make([]float64, d)
	e.Eval(up, grad, x)
	for j, v := range x {
		h := 1e-5 * math.Max(0.01, math.Abs(v))
		x[j] = v + h
		e.Eval(up, scratch, x)
		x[j] = v - h
		e.Eval(down, scratch, x)
		x[j] = v
		if g := (up[0] - down[0]) / (2 * h); math.Abs(g-grad[j]) > 1e-6*(1+math.Abs(g)) {
			t.Errorf("gradient %d: %v, by differences %v", j, grad[j], g)
		}
	}
}

// An equation may have no free parameter beside nonlinear ones that have.
func TestEquationWithoutParameters(t *testing.T) {
	s := wiggled(60, func(x, y float64) (float64, float64) { return -x, y * math.Exp(-0.5*x) })
	m := &Model{States: s.States, Derivative: Derivative{Kind: "column"},
		Equations: []Equation{{"x", "-x"}, {"y", "y*exp(-a*x)"}}}
	p, err := Build(m, s)
	if err != nil || p.Linear {
		t.Fatal(err)
	}
	near(t, "estimate", p.Estimate[0], 0.5, 0.01)
	near(t, "noise", p.Noise[0], 0.01/math.Sqrt2, 0.1)
	m.Equations[1].Text = "y*a"
	if p, err = Build(m, s); err != nil || !p.Linear {
		t.Fatal(err)
	}
	near(t, "noise", p.Noise[0], 0.01/math.Sqrt2, 0.1)
}

func TestLibraryEqualsEquations(t *testing.T) {
	s := wiggled(200, func(x, y float64) (float64, float64) { return -x + 0.5*x*y + 0.1, 3*y - x*y })
	lib := &Model{States: s.States, Derivative: Derivative{Kind: "column"}, Library: []string{"1", "x", "y", "x * y"},
		Fixed: []Value{{"y.1", 0}, {"x.y", 0}, {"y.y", 3}}}
	eq := &Model{States: s.States, Derivative: Derivative{Kind: "column"},
		Equations: []Equation{{"x", "a + b*x + c*x*y"}, {"y", "d*x + f*y + g*x*y"}}, Fixed: []Value{{"f", 3}}}
	p, q := must(Build(lib, s)), must(Build(eq, s))
	if want := []string{"x.1", "x.x", "x.x*y", "y.x", "y.x*y"}; !cmp.Equal(p.Parameters, want) || !p.Linear || !q.Linear {
		t.Fatalf("parameters %v, want %v", p.Parameters, want)
	}
	for j := range p.Parameters {
		near(t, "estimate", p.Estimate[j], q.Estimate[j], 1e-12)
	}
	near(t, "R2", p.Fit(1, p.Estimate).R2, q.Fit(1, q.Estimate).R2, 1e-12)
	got := p.Print(p.Estimate, []float64{0.1, 0.1, 0.1, 0.1, 0.1})
	if got[0].Text != "x′ = 0.10 ± 0.10 − (1.00 ± 0.10)·x + (0.50 ± 0.10)·x·y" ||
		got[1].Text != "y′ = −(0.00 ± 0.10)·x + 3·y − (1.00 ± 0.10)·x·y" &&
			got[1].Text != "y′ = (0.00 ± 0.10)·x + 3·y − (1.00 ± 0.10)·x·y" {
		t.Errorf("%s\n%s", got[0].Text, got[1].Text)
	}
}

func TestPaperAndGivenNoise(t *testing.T) {
	m := lotka()
	m.Noise.Kind = "paper"
	p := must(Build(m, lynxHare()))
	x := []float64{.4, .02, .6, .02}
	energy, grad := make([]float64, 1), make([]float64, 4)
	p.Potential.Evaluator(1, nil).Eval(energy, grad, x)
	near(t, "paper energy", energy[0], (p.Fit(0, x).RSS+p.Fit(1, x).RSS)/(2*19), 1e-12)
	if p.Noise != nil {
		t.Error("noise without a meaning")
	}
	m.Noise = Noise{"given", []Value{{"L", 0.2}, {"H", 0.1}}}
	p = must(Build(m, lynxHare()))
	p.Potential.Evaluator(1, nil).Eval(energy, grad, x)
	near(t, "energy", energy[0], p.Fit(0, x).RSS/0.02+p.Fit(1, x).RSS/0.08, 1e-12)
}

// A minibatch changes neither what is estimated nor the whitening; its energies
// are scaled by N/batch. Bound: the mean of 4000 batches is within 4.9 standard
// errors (1e-6); without the factor it would be 19/5 times too small.
func TestBatch(t *testing.T) {
	m := lotka()
	full := must(Build(m, lynxHare()))
	m.Batch = 5
	p := must(Build(m, lynxHare()))
	if !cmp.Equal(full.Center, p.Center) || !cmp.Equal(full.Factor, p.Factor) {
		t.Error("a minibatch changes the whitening")
	}
	x := []float64{.4, .02, .6, .02}
	energy, grad := make([]float64, 1), make([]float64, 4)
	full.Potential.Evaluator(1, nil).Eval(energy, grad, x)
	want, sum, square := energy[0], 0.0, 0.0
	e := p.Potential.Evaluator(1, stream.New(1, 0))
	const calls = 4000
	for range calls {
		e.Eval(energy, grad, x)
		sum += energy[0] - want
		square += (energy[0] - want) * (energy[0] - want)
	}
	if z := sum / math.Sqrt(square); math.Abs(z) > 4.9 {
		t.Errorf("z = %v", z)
	}
}

func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		spoil func(*Model)
		want  string
	}{
		{func(m *Model) { m.Equations = nil }, "model: no equations: write, for instance, equations: {x: \"a*x\"} or library: [x, x^2]"},
		{func(m *Model) { m.Library = []string{"H"} }, "model: equations and library exclude each other: remove one"},
		{func(m *Model) { m.Equations[1].State = "H" }, `model.equations.H: a second equation for "H"`},
		{func(m *Model) { m.Equations[1].State = "Lynx" }, `model.equations.Lynx: the data have no state "Lynx" (states: "H", "L")`},
		{func(m *Model) { m.Fixed = []Value{{"alpa", 1}} },
			`model.fixed.alpa: no parameter "alpa"; did you mean "alpha"? (parameters: "alpha", "beta", "gamma", "delta")`},
		{func(m *Model) { m.Fixed = []Value{{"beta", math.Inf(1)}} }, "model.fixed.beta: +Inf is not a finite number"},
		{func(m *Model) { m.Equations = []Equation{{"H", "H*L"}} }, "model: the equations have no free parameter"},
		{func(m *Model) { m.Equations, m.Library = nil, []string{"H", "L*K", "H"} },
			`model.library.2: term "L*K": the data have no state "K" (states: "H", "L")` + "\n" + `model.library.3: the term "H" comes twice`},
		{func(m *Model) { m.Time, m.Equations[0].Text = "pi", "alpha*H - beta*cos(pi)" },
			`model.equations.H: "pi" is a number in formulas, and the column of the time: give the column another name`},
		{func(m *Model) { m.Time, m.Equations, m.Library = "π", nil, []string{"H", "L*π"} },
			`model.library.2: "π" is a number in formulas, and the column of the time: give the column another name`},
		{func(m *Model) { m.Likelihood, m.Derivative.Kind, m.Noise.Kind = "log", "centre", "papper" },
			`model.likelihood: unknown likelihood "log" (known: "derivative", "log-derivative", "weak", "trajectory")` + "\n" +
				`model.derivative: unknown derivative "centre"; did you mean "central"? (known: "central", "savgol", "spline", "column")` + "\n" +
				`model.noise: unknown noise "papper"; did you mean "paper"? (known: "estimate", "given", "paper")`},
		{func(m *Model) { m.Noise = Noise{"given", []Value{{"H", -1}, {"M", 1}}} },
			"model.noise.H: the standard deviation -1 is not a positive number\n" +
				`model.noise.M: no equation for "M" (states: "H", "L")` + "\n" +
				`model.noise: no standard deviation for "L": add it, or use noise: estimate`},
		{func(m *Model) { m.Priors = []Prior{{"alpha", "normal(0, 1)"}, {"alpha", "normal(0, 1)"}} },
			`model.priors.alpha: a second prior for "alpha"`},
		{func(m *Model) { m.Priors = []Prior{{"epsilon", "normal(0, 1)"}} },
			`model.priors.epsilon: no free parameter "epsilon" (parameters: "alpha", "beta", "gamma", "delta")`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "norml(0, 1)"}} }, `model.priors.beta: unknown prior "norml"; did you mean "normal"?`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "normal(0, -1)"}} },
			`model.priors.beta: "normal(0, -1)": write normal(mean, sd): sd -1 is not positive`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "uniform(3, 1)"}} },
			`model.priors.beta: "uniform(3, 1)": write uniform(lower, upper): 3 is not below 1`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "normal(0 1)"}} }, `model.priors.beta: "normal(0 1)": write normal(mean, sd)`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "normal(0, 0 1)"}} },
			`model.priors.beta: "normal(0, 0 1)": argument "0 1": column 13: an operator is missing`},
		{func(m *Model) { m.Priors = []Prior{{"beta", "normal"}} }, `model.priors.beta: "normal": write normal(mean, sd)`},
		{func(m *Model) { m.Batch = -1 }, "model.batch: a minibatch of -1 rows: take 0 for all rows"},
		{func(m *Model) { m.Equations[0].Text = "H*(alpha - " }, "model.equations.H: "},
		{func(m *Model) { m.Equations[0].Text = "alpha*H/(L - 6.1)" },
			`model.equations.H: the coefficient of "alpha" is +Inf at ../data/lynx_hare.csv:3, where H = 47.2, L = 6.1`},
	} {
		m := lotka()
		c.spoil(m)
		p, err := Build(m, lynxHare())
		if err == nil || p != nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("\n got %v\nwant %s", err, c.want)
		}
	}
}

func TestNoiseThatCannotBeEstimated(t *testing.T) {
	s := polynomial([]float64{1, 2}, []float64{0, 1, 2, 3, 4})
	m := &Model{States: []string{"x"}, Equations: []Equation{{"x", "a"}}}
	want := `model.noise: the equation of "x" fits the data exactly (residual sd 0): its noise cannot be estimated; give it: noise: {x: …}`
	if _, err := Build(m, s); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	m.Equations[0].Text = "a + b*x + c*x^2"
	want = `model.noise: 3 rows cannot tell the noise of "x" beside 3 parameters; give it: noise: {x: …}`
	if _, err := Build(m, s); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
	m.Equations[0].Text = "a + b*t - a*1"
	m.Noise = Noise{"given", []Value{{"x", 1}}}
	p, err := Build(m, s)
	if err != nil || len(p.Warnings) != 1 || !strings.HasPrefix(p.Warnings[0], `the data determine only 1 of the 2 parameters of "x"`) {
		t.Errorf("%v %+v", err, p)
	}
}

// Noise that is judged with 5 degrees of freedom or fewer is told, with the share of 95 %
// intervals that hold the truth: with s = x/√(ν + x²) for x = 1.96, s(3 − s²)/2 = 88 % for
// ν = 4 and 89 % for 5. Six hold 90.2 %, and noise that is given has no such law.
func TestFewDegreesOfFreedom(t *testing.T) {
	c := trial{start: []float64{0.1}, noise: []float64{0.01}, right: growing, model: Model{States: []string{"x"}}}
	for _, k := range []struct {
		rows int
		m    Model
		want string
	}{
		{8, Model{}, "the noise of \"x\" is judged with 4 degrees of freedom and then taken for known: intervals of 95 % hold the truth in 88 %."},
		{9, Model{}, "with 5 degrees of freedom and then taken for known: intervals of 95 % hold the truth in 89 %."},
		{10, Model{}, ""},
		{8, Model{Noise: Noise{"given", []Value{{"x", 0.01}}}}, ""},
		{8, Model{Derivative: Derivative{Kind: "savgol", Window: 3, Order: 2}}, "with 4 degrees"},
		{8, Model{Likelihood: "weak"}, "of freedom"},
	} {
		times := evenTimes(k.rows, 0.5)
		k.m.States, k.m.Equations = c.model.States, []Equation{{"x", "a*x - b*x^2"}}
		p := must(Build(&k.m, c.series(rand.New(rand.NewPCG(2, 2)), times, c.clean(times), 0)))
		w := strings.Join(p.Warnings, " ")
		if k.want == "" && strings.Contains(w, "freedom") || !strings.Contains(w, k.want) {
			t.Errorf("%d rows, %s: %q", k.rows, p.Likelihood.Name(), w)
		}
		t.Log(w)
	}
}

// Integrals of straight lines follow a decay exactly, at another rate: what is left is
// rounding, of which no noise comes.
func TestExactIntegrals(t *testing.T) {
	c := trial{start: []float64{5}, noise: []float64{0}, right: func(d, x []float64) { d[0] = -x[0] / 2 },
		model: Model{States: []string{"x"}, Likelihood: "weak", Equations: []Equation{{"x", "-a*x"}}}}
	times := evenTimes(12, 0.5)
	_, err := Build(&c.model, c.series(rand.New(rand.NewPCG(1, 1)), times, c.clean(times), 0))
	if err == nil || !strings.Contains(err.Error(), "fit the integrals exactly") {
		t.Errorf("%v", err)
	}
}
