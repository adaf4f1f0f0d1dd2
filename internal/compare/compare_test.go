package compare_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
)

// hares is a model of the growth rate of the hares, with known noise.
func hares(t testing.TB, text, noise string) *dynamics.Problem {
	t.Helper()
	s, err := dynamics.ReadSeries("../../data/lynx_hare.csv", dynamics.Columns{
		Time: "year", States: []dynamics.Named{{Name: "H", Column: "hare"}, {Name: "L", Column: "lynx"}}})
	if err != nil {
		t.Fatal(err)
	}
	m := &dynamics.Model{States: s.States, Likelihood: "log-derivative", Equations: []dynamics.Equation{{State: "H", Text: text}}}
	if m.Noise.Kind = noise; noise == "given" {
		m.Noise.SD = []dynamics.Value{{Name: "H", Value: 0.2}}
	}
	p, err := dynamics.Build(m, s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// posterior draws from the posterior of a linear problem without bounds:
// ladders × n draws of each parameter.
func posterior(p *dynamics.Problem, rng *rand.Rand, ladders, n int) [][][]float64 {
	d := len(p.Parameters)
	draws := make([][][]float64, d)
	for j := range draws {
		draws[j] = make([][]float64, ladders)
	}
	z := make([]float64, d)
	for l := range ladders {
		for range n {
			for k := range z {
				z[k] = rng.NormFloat64()
			}
			for j := range draws {
				x := p.Center[j]
				for k, f := range p.Factor[j] {
					x += f * z[k]
				}
				draws[j][l] = append(draws[j][l], x)
			}
		}
	}
	return draws
}

// refits is leave-one-out of a linear model with known noise, by a fit without
// each row: the prediction is normal about that fit, with the variance of the
// noise and of the fit.
func refits(p *dynamics.Problem) (sum float64) {
	n, d := len(p.Time), len(p.Parameters)
	design := mat.NewDense(n, d, nil)
	fitted := make([]float64, n)
	for j := range d {
		unit := make([]float64, d)
		unit[j] = 1
		p.Likelihood.Fitted(0, nil)(fitted, unit)
		design.SetCol(j, fitted)
	}
	for out := range n {
		var a mat.Dense
		a.CloneFrom(design)
		y := mat.NewVecDense(n, append([]float64(nil), p.Responses[0].Observed...))
		a.SetRow(out, make([]float64, d)) // a row of zeros says nothing
		y.SetVec(out, 0)
		var gram mat.Dense
		gram.Mul(a.T(), &a)
		var right, fit, spread mat.VecDense
		right.MulVec(a.T(), y)
		if fit.SolveVec(&gram, &right) != nil || spread.SolveVec(&gram, design.RowView(out)) != nil {
			panic("singular")
		}
		sd := p.Noise[0] * math.Sqrt(1+mat.Dot(&spread, design.RowView(out)))
		sum += distuv.Normal{Mu: mat.Dot(&fit, design.RowView(out)), Sigma: sd}.LogProb(p.Responses[0].Observed[out])
	}
	return sum
}

// LOO of a linear model against refits: 30 posteriors of 4 × 800 draws, within
// 4.9 standard errors of some 0.007. Kills a posterior of other rows, WAIC for
// LOO (off by 0.047 here), ladders mixed up, and a density without its constants.
func TestPredictAgreesWithRefits(t *testing.T) {
	p := hares(t, "H*(alpha - beta*L)", "given")
	rng, want := rand.New(rand.NewPCG(1, 1)), refits(p)
	var gaps []float64
	for range 30 {
		got, err := compare.Predict(t.Context(), compare.Of(p), posterior(p, rng, 4, 800))
		if err != nil {
			t.Fatal(err)
		}
		gaps = append(gaps, got.ELPDLOO-want)
	}
	if se := diag.SD(gaps) / math.Sqrt(30); math.Abs(diag.Mean(gaps)) > 4.9*se || se > 0.02 {
		t.Errorf("LOO is off by %g ± %g from %g", diag.Mean(gaps), se, want)
	}
}

// What Predict says of itself, for two responses; more draws than it uses are
// thinned evenly, and the bytes come back from the file.
func TestPredictive(t *testing.T) {
	p := hares(t, "H*(alpha - beta*L)", "")
	draws := posterior(p, rand.New(rand.NewPCG(2, 2)), 4, 3000)
	a, err := compare.Predict(t.Context(), compare.Of(p), draws)
	if err != nil {
		t.Fatal(err)
	}
	if a.Draws != 4000 || a.Rows != 19 || a.Likelihood != "log-derivative of H (central)" || a.Noise != "estimate" ||
		len(a.SHA256) != 64 || len(a.Pointwise.K) != 19 || a.KAbove != 0 {
		t.Errorf("%+v", a)
	}
	// Two parameters, and WAIC near LOO. 0.5 kills a sign of p.
	if math.Abs(a.PLOO-2) > 0.7 || math.Abs(a.PWAIC-2) > 0.7 || math.Abs(a.ELPDLOO-a.ELPDWAIC) > 0.5 {
		t.Errorf("p %g, %g; elpd %g, %g", a.PLOO, a.PWAIC, a.ELPDLOO, a.ELPDWAIC)
	}
	middle := make([][][]float64, len(draws)) // the middle of each three draws
	for j := range draws {
		for _, c := range draws[j] {
			var thinned []float64
			for i := 1; i < len(c); i += 3 {
				thinned = append(thinned, c[i])
			}
			middle[j] = append(middle[j], thinned)
		}
	}
	b, err := compare.Predict(t.Context(), compare.Of(p), middle)
	if err != nil || b.ELPDLOO != a.ELPDLOO {
		t.Errorf("the same draws: %v, %v, %v", a.ELPDLOO, b.ELPDLOO, err)
	}
	a.Pointwise.K[3], a.KMax = math.Inf(1), math.NaN()
	text, err := store.JSON(a)
	if err != nil {
		t.Fatal(err)
	}
	var back compare.Predictive
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	again, err := store.JSON(back)
	if err != nil || string(again) != string(text) || !math.IsNaN(back.Pointwise.K[3]) || !math.IsNaN(back.KMax) || back.Data != a.Data {
		t.Errorf("%s\nbecame\n%s (%v)", text, again, err)
	}
}

// Draws so wide that leaving a datum out moves them much are said to be so.
func TestParetoShapes(t *testing.T) {
	p := hares(t, "H*(alpha - beta*L)", "")
	draws := posterior(p, rand.New(rand.NewPCG(2, 2)), 4, 1000)
	for j := range draws {
		for _, c := range draws[j] {
			for i := range c {
				c[i] = p.Center[j] + 2.5*(c[i]-p.Center[j])
			}
		}
	}
	wide, err := compare.Predict(t.Context(), compare.Of(p), draws)
	if err != nil {
		t.Fatal(err)
	}
	above, below2 := 0, 0
	for _, k := range wide.Pointwise.K {
		if k > 0.7 {
			above++
			if k < 2 {
				below2++
			}
		}
	}
	if above == 0 || below2 == 0 || wide.KAbove != above || wide.KMax != slices.Max(wide.Pointwise.K) {
		t.Errorf("%d of %v said to be above 0.7, largest %g", wide.KAbove, wide.Pointwise.K, wide.KMax)
	}
}

func TestPredictErrors(t *testing.T) {
	p := hares(t, "H*(alpha - beta*L)", "")
	one := [][]float64{{1, 2}}
	for want, draws := range map[string][][][]float64{
		"draws of 1 parameters for a model of 2": {one},
		"parameter 2 has draws of 0 ladders":     {one, nil},
		"there are no draws":                     {one, {{}}},
	} {
		if _, err := compare.Predict(t.Context(), compare.Of(p), draws); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := compare.Predict(t.Context(), compare.Of(hares(t, "H*(alpha - beta*L)", "paper")), [][][]float64{one, one}); err == nil ||
		!strings.Contains(err.Error(), "noise: paper is no likelihood") {
		t.Error(err)
	}
}

// More data than a block are the same data: kills a block that starts at 0 again.
func TestPredictInBlocks(t *testing.T) {
	const rows = 5000
	s := &dynamics.Series{States: []string{"H"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	rng := rand.New(rand.NewPCG(4, 4))
	for i := range rows {
		s.Time, s.Line = append(s.Time, float64(i)), append(s.Line, i+2)
		s.Values["H"] = append(s.Values["H"], 1)
		s.Given["H"] = append(s.Given["H"], 3+rng.NormFloat64())
	}
	p, err := dynamics.Build(&dynamics.Model{States: s.States, Equations: []dynamics.Equation{{State: "H", Text: "a*H"}},
		Derivative: dynamics.Derivative{Kind: "column"}}, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Predict(t.Context(), compare.Of(p), posterior(p, rng, 2, 100))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0, 4095, 4096, rows - 1} {
		law := distuv.Normal{Mu: p.Center[0], Sigma: p.Noise[0]} // the posterior is narrow
		if want := law.LogProb(p.Responses[0].Observed[i]); math.Abs(got.Pointwise.ELPDLOO[i]-want) > 0.02 {
			t.Errorf("datum %d: %g, want %g", i, got.Pointwise.ELPDLOO[i], want)
		}
	}
}

// evidence of a linear model in a box that holds its whole posterior: a Gaussian
// integral.
func evidence(p *dynamics.Problem, volume float64) float64 {
	d := len(p.Parameters)
	energy, grad := make([]float64, 1), make([]float64, d)
	p.Whole.Evaluator(1, nil).Eval(energy, grad, p.Center)
	log := -energy[0] + p.Likelihood.LogConstant() - math.Log(volume) + float64(d)/2*math.Log(2*math.Pi)
	for j := range d {
		log += math.Log(p.Factor[j][j])
	}
	return log
}

// The Bayes factor of a model against one with a further term c is the posterior
// density of c at 0 over the prior one (Dickey 1971). 1e-9 kills a LogConstant
// without its 2π or with the rows of another model, and a volume left out.
func TestBayesFactorIsSavageDickey(t *testing.T) {
	small, large := hares(t, "H*(alpha - beta*L)", "given"), hares(t, "H*(alpha - beta*L - c*H)", "given")
	const box, width = 4 * 0.4, 0.6 // sides of (alpha, beta), and of c
	table, err := compare.New([]compare.Run{
		{Name: "large", LogEvidence: evidence(large, box*width), SE: 1e-3, Data: compare.Of(large).Data},
		{Name: "small", LogEvidence: evidence(small, box), SE: 1e-3, Data: compare.Of(small).Data},
	})
	if err != nil {
		t.Fatal(err)
	}
	var sd float64
	for _, f := range large.Factor[2] {
		sd = math.Hypot(sd, f)
	}
	dickey := distuv.Normal{Mu: large.Center[2], Sigma: sd}.LogProb(0) + math.Log(width)
	m := table.Models[1]
	if m.Name != "large" || math.Abs(-m.LogBayesFactor-dickey) > 1e-9 {
		t.Errorf("log Bayes factor of %s %.12g, by Dickey %.12g", m.Name, -m.LogBayesFactor, dickey)
	}
	if math.Abs(m.LogBayesFactorSE-math.Sqrt2*1e-3) > 1e-12 || table.Models[0].LogBayesFactorSE != 0 {
		t.Errorf("errors %g and %g", m.LogBayesFactorSE, table.Models[0].LogBayesFactorSE)
	}
}

func predictive(terms ...float64) *compare.Predictive {
	p := &compare.Predictive{PLOO: 2, KMax: 0.4, Draws: 4000, Noise: "given", ELPDWAIC: 1, SEWAIC: 1,
		Data:      compare.Data{SHA256: "0123456789abcdef", Rows: len(terms), Observed: len(terms), Likelihood: "derivative of x (central)"},
		Pointwise: compare.Pointwise{ELPDLOO: terms, ELPDWAIC: terms, K: make([]float64, len(terms))}}
	p.ELPDLOO, p.SELOO = diag.SumSE(terms)
	return p
}

// What counts is how many values were observed, not how many rows there are: with values
// missing there is no multiple of the rows. A file that says fewer or more than it holds, or
// that names another run, is refused; one that says neither is taken at its word.
func TestObserved(t *testing.T) {
	at := func(rows, observed int, hash string, hashes ...string) error {
		p := predictive(-1, -2, -3, -4, -5)
		p.Rows, p.Observed, p.Hash = rows, observed, hash
		_, err := compare.New([]compare.Run{{Name: "a", LogEvidence: -1, SE: 0.1, Predictive: p, Hashes: hashes}})
		return err
	}
	for _, err := range []error{at(3, 5, ""), at(3, 0, ""), at(5, 5, "f00", "f00"), at(3, 5, "f00", "old", "f00"),
		at(3, 5, "", "f00"), at(3, 5, "f00")} {
		if err != nil {
			t.Error(err)
		}
	}
	for _, err := range []error{at(5, 4, ""), at(5, 6, ""), at(5, 5, "f00", "ba2")} {
		if err == nil || !strings.Contains(err.Error(), "does not belong to this run or is damaged") {
			t.Errorf("%v", err)
		}
	}
}

// The difference of two models is judged datum by datum: with terms apart by
// 0.5 ± 0.1 each it is certain although the sums are not.
func TestDifferenceIsPaired(t *testing.T) {
	a, b := predictive(-1, -9, -4, -2.1), predictive(-1.4, -9.5, -4.6, -2.6)
	table, err := compare.New([]compare.Run{{Name: "b", LogEvidence: math.NaN(), Predictive: b},
		{Name: "a", LogEvidence: math.NaN(), Predictive: a}})
	if err != nil {
		t.Fatal(err)
	}
	m := table.Models[1]
	if table.RankedBy != "elpd_loo" || m.Name != "b" || math.Abs(m.ELPDDifference+2) > 1e-12 ||
		math.Abs(m.ELPDDifferenceSE-2*diag.SD([]float64{0.4, 0.5, 0.6, 0.5})) > 1e-12 {
		t.Errorf("%+v", m)
	}
	text, err := store.JSON(table)
	for _, want := range []string{`"ranked_by": "elpd_loo"`, `"probability": null`, `"elpd_difference": 0`, `"rows": 4`, `"warnings": [`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s (%v)", want, text, err)
		}
	}
}

func TestDifferentDataAreRefused(t *testing.T) {
	run := func(change func(p *compare.Predictive)) compare.Run {
		p := predictive(-1, -2, -3)
		change(p)
		return compare.Run{Name: "b", LogEvidence: -3, SE: 0.1, Predictive: p}
	}
	a := run(func(*compare.Predictive) {})
	a.Name = "a"
	for want, b := range map[string]compare.Run{
		"Run both on one file": run(func(p *compare.Predictive) { p.SHA256 = "fedc" }),
		"Run both on the same rows": run(func(p *compare.Predictive) {
			*p = *predictive(-1, -2)
		}),
		"Give both models the same likelihood": run(func(p *compare.Predictive) {
			p.Likelihood = "log-derivative of x (central)"
		}),
		"Compare runs of identify with each other":                     {Name: "b", LogEvidence: -2},
		"b: predictive.json does not belong to this run or is damaged": run(func(p *compare.Predictive) { p.Pointwise.K = p.Pointwise.K[1:] }),
		"b: predictive.json does not belong to this run or is damaged: ": {Name: "b", Data: compare.Data{Rows: 3},
			Predictive: predictive(-1, -2, -3)},
	} {
		for _, runs := range [][]compare.Run{{a, b}, {b, a}} {
			if _, err := compare.New(runs); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %q", err, want)
			}
		}
	}
	if _, err := compare.New(nil); err == nil {
		t.Error("no runs, no error")
	}
}

// Every reason for doubt has its warning, and sound runs have none.
func TestWarnings(t *testing.T) {
	sound := []compare.Run{{Name: "a", LogEvidence: -3, SE: 0.1, Predictive: predictive(-1, -2, -3)},
		{Name: "b", LogEvidence: -9, SE: 0.1, Predictive: predictive(-3, -4.5, -5)}}
	if table, err := compare.New(sound); err != nil || len(table.Warnings) != 0 {
		t.Errorf("%v %v", table.Warnings, err)
	}
	for want, spoil := range map[string]func(a, b *compare.Run){
		"b: no log evidence, and no part in the probabilities: bound every parameter": func(_, b *compare.Run) { b.LogEvidence = math.NaN() },
		"b: no log evidence, and no part in the probabilities: the domain has no volume": func(_, b *compare.Run) {
			b.LogEvidence, b.NoEvidence = math.NaN(), "the domain has no volume"
		},
		"b: the error of its log evidence is not known": func(_, b *compare.Run) { b.SE = math.NaN() },
		"differ by 0.20 ± 0.29: the order may be chance": func(a, b *compare.Run) {
			b.LogEvidence, b.SE = -3.2, 0.27
		},
		"differ by 0.30 ± 0.96: the data cannot tell": func(a, b *compare.Run) {
			b.Predictive = predictive(-1.6, -2.2, -2.5)
		},
		"the evidence prefers b, prediction a": func(a, b *compare.Run) { b.LogEvidence = 0 },
		"b: Pareto k above 0.7 (up to 0.91) for 2 of 3 data": func(_, b *compare.Run) {
			b.Predictive.KAbove, b.Predictive.KMax = 2, 0.91
		},
		"b: Pareto k above 0.7 for 1 of 3 data": func(_, b *compare.Run) {
			b.Predictive.KAbove, b.Predictive.KMax = 1, math.NaN()
		},
		"b: no predictive densities: those of some data": func(_, b *compare.Run) {
			b.Predictive = predictive(-1, math.NaN(), -2)
		},
		"b: no predictive densities: the run has no predictive": func(_, b *compare.Run) {
			b.Data, b.Predictive = b.Predictive.Data, nil
		},
		"noise: estimate: each model": func(a, _ *compare.Run) {
			a.Predictive.Noise = "estimate"
		},
		"the runs name no data": func(a, b *compare.Run) {
			a.Predictive, b.Predictive = nil, nil
		},
	} {
		runs := []compare.Run{sound[0], sound[1]}
		for i := range runs {
			p := *runs[i].Predictive
			runs[i].Predictive = &p
		}
		spoil(&runs[0], &runs[1])
		table, err := compare.New(runs)
		if err != nil || len(table.Warnings) != 1 || !strings.Contains(table.Warnings[0], want) {
			t.Errorf("want %q: %q %v", want, table.Warnings, err)
		}
		if lines := strings.Count(table.Text(text.Style{}), "\n"); lines < 3 {
			t.Errorf("text %q", table.Text(text.Style{}))
		}
	}
}

// Probabilities add up to 1, the order of the runs and a constant added to all
// evidences say nothing, and the odds of two models are their Bayes factor.
func TestTableProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfNDistinct(rapid.Float64Range(-1e3, 1e3), 1, 6, rapid.ID[float64]).Draw(t, "log evidence")
		perm := rapid.Permutation(values).Draw(t, "order")
		name := map[float64]string{}
		var runs, others []compare.Run
		for i, v := range values {
			name[v] = fmt.Sprint("m", i)
			runs = append(runs, compare.Run{Name: name[v], LogEvidence: v, SE: 0.01})
		}
		for _, v := range perm {
			others = append(others, compare.Run{Name: name[v], LogEvidence: v + 5000, SE: 0.01})
		}
		a, errA := compare.New(runs)
		b, errB := compare.New(others)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		var sum float64
		for i, m := range a.Models {
			sum += m.Probability
			// Evidences nearer than the rounding of + 5000 may change places.
			if o := b.Models[i]; math.Abs(o.LogBayesFactor-m.LogBayesFactor) > 1e-9 || math.Abs(o.Probability-m.Probability) > 1e-9 {
				t.Fatalf("%+v and %+v", m, o)
			}
			if math.Abs(m.Probability-a.Models[0].Probability*m.BayesFactor) > 1e-12 {
				t.Fatalf("probability %g", m.Probability)
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities add up to %g", sum)
		}
	})
}

// Of very many data some are looked at, and sums are those over all within their errors:
// the log densities of independent normal data are known, and so is what leaving one out
// costs, p/n on average. The rough sum errs by 1/4 (16 draws of ½χ² of two degrees) and what
// the part adds by less: 2.5 are more than five standard errors.
func TestManyData(t *testing.T) {
	pace.Slow(t)
	const n = 60_000
	rng := rand.New(rand.NewPCG(7, 1))
	s := &dynamics.Series{File: "many.csv", States: []string{"x"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	for i := range n {
		s.Time, s.Line = append(s.Time, float64(i)), append(s.Line, i+2)
		s.Values["x"] = append(s.Values["x"], rng.NormFloat64())
		s.Given["x"] = append(s.Given["x"], 0.5*s.Values["x"][i]+rng.NormFloat64())
	}
	p, err := dynamics.Build(&dynamics.Model{States: []string{"x"}, Equations: []dynamics.Equation{{State: "x", Text: "a*x + b"}},
		Derivative: dynamics.Derivative{Kind: "column"}, Noise: dynamics.Noise{Kind: "given", SD: []dynamics.Value{{Name: "x", Value: 1}}}}, s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compare.Predict(t.Context(), compare.Of(p), posterior(p, rng, 4, 200))
	if err != nil {
		t.Fatal(err)
	}
	terms := make([]float64, n)
	p.Likelihood.LogDensity(nil)(terms, p.Center)
	best, spread := diag.SumSE(terms)
	if m := len(got.Pointwise.ELPDLOO); got.Every != 3 || m != n/3 || got.Observed != n {
		t.Errorf("one of %d, %d of %d", got.Every, m, got.Observed)
	}
	// Two parameters: elpd is the largest log likelihood less 2·½ for its mean over the
	// posterior, and less as much again for leaving out.
	if math.Abs(got.ELPDLOO-(best-2)) > 2.5 || math.Abs(got.SELOO/spread-1) > 0.05 || math.Abs(got.PLOO-2) > 1 || got.KAbove > 0 {
		t.Errorf("elpd %g ± %g of at most %g ± %g, p %g, %d shapes too large", got.ELPDLOO, got.SELOO, best, spread, got.PLOO, got.KAbove)
	}
	table, err := compare.New([]compare.Run{{Name: "a", LogEvidence: math.NaN(), Predictive: got}})
	if err != nil || table.Models[0].ELPD != got.ELPDLOO {
		t.Errorf("%v", err)
	}
}

// Nothing is ranked against a run whose log Z is lost: no model has a probability, and its own
// cell says so. The others are compared as ever, and the warning says how to repeat it.
//
// Mutant: probabilities of the others as if it had none.
func TestLostEvidence(t *testing.T) {
	table, err := compare.New([]compare.Run{{Name: "a", LogEvidence: -3, SE: 0.1}, {Name: "b", LogEvidence: -5, SE: 0.1},
		{Name: "c", LogEvidence: math.NaN(), SE: math.NaN(), Lost: true, NoEvidence: "bottleneck between rungs 5 and 6. Run it again: r2sgld …"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table.Models {
		if !math.IsNaN(m.Probability) {
			t.Errorf("%s has the probability %g", m.Name, m.Probability)
		}
	}
	if m := table.Models[1]; m.Name != "b" || m.LogBayesFactor != -2 {
		t.Errorf("%+v", m)
	}
	if got := table.Text(text.Style{}); strings.Count(got, "not known") != 1 {
		t.Errorf("%s", got)
	}
	want := "c: log evidence not known, so that nothing is ranked against it and no model has a probability: bottleneck between rungs 5 and 6. " +
		"Run it again: r2sgld …"
	if !slices.Contains(table.Warnings, want) {
		t.Errorf("%q", table.Warnings)
	}
}
