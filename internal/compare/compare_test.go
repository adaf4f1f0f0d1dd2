package compare_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/compare"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
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
	pace.Slow(t)
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
		s.Time = append(s.Time, float64(i))
		s.Line.Add(i + 2)
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
