package compare_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/text"
)

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
		s.Time = append(s.Time, float64(i))
		s.Line.Add(i + 2)
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
	want := "c: log evidence not known, so that nothing is ranked against it and no model has a probability: bottleneck between rungs 5 and " +
		"6. " +
		"Run it again: r2sgld …"
	if !slices.Contains(table.Warnings, want) {
		t.Errorf("%q", table.Warnings)
	}
}
