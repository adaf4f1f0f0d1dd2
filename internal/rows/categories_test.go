package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func sum1(v []float64) (total float64) {
	for _, x := range v {
		total += x
	}
	return total
}

// The probabilities of categories are what their definitions say, also where an interval or a
// logit is far out, to rounding of the logarithm.
func TestCategories(t *testing.T) {
	logF := func(x float64) float64 { // log of the logistic distribution function
		if x < 0 {
			return x - math.Log1p(math.Exp(x))
		}
		return -math.Log1p(math.Exp(-x))
	}
	rapid.Check(t, func(r *rapid.T) {
		k := rapid.IntRange(2, 6).Draw(r, "categories")
		eta := rapid.Float64Range(-30, 30).Draw(r, "eta")
		cuts := []float64{rapid.Float64Range(-30, 30).Draw(r, "cut")}
		for len(cuts) < k-1 {
			cuts = append(cuts, cuts[len(cuts)-1]+rapid.Float64Range(1e-3, 20).Draw(r, "more"))
		}
		args := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(cuts)), ", "), "[]")
		ordered := logDensities(t, fmt.Sprintf("ordered_logistic(%v, %s)", eta, args))
		weights := rapid.SliceOfN(rapid.Float64Range(1e-3, 1), k, k).Draw(r, "weights")
		args = strings.Trim(strings.Join(strings.Fields(fmt.Sprint(weights)), ", "), "[]")
		of, logit := logDensities(t, "categorical("+args+")"), logDensities(t, "categorical_logit("+args+")")
		total := 0.0
		for i := range weights {
			total += math.Exp(weights[i])
		}
		for y := 1; y <= k; y++ {
			var want float64
			switch {
			case y == 1:
				want = logF(cuts[0] - eta)
			case y == k:
				want = logF(eta - cuts[k-2])
			default: // of F(u) − F(l) = F(u)·F(−l)·(1 − exp(l − u))
				u, l := cuts[y-1]-eta, cuts[y-2]-eta
				want = logF(u) + logF(-l) + math.Log(-math.Expm1(l-u))
			}
			if got := ordered(float64(y)); !(math.Abs(got-want) <= 1e-11*(1+math.Abs(want))) {
				r.Fatalf("ordered_logistic at %d of %d: %v, want %v", y, k, got, want)
			}
			if got, want := of(float64(y)), math.Log(weights[y-1]/sum1(weights)); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				r.Fatalf("categorical at %d of %d: %v, want %v", y, k, got, want)
			}
			if got, want := logit(float64(y)), weights[y-1]-math.Log(total); !(math.Abs(got-want) <= 1e-12*(1+math.Abs(want))) {
				r.Fatalf("categorical_logit at %d of %d: %v, want %v", y, k, got, want)
			}
		}
	})
}

// Random categories have the probabilities of their law: of 20,000 the count of each lies within
// 5.5 standard deviations, which all 13 do but for 5e-7.
func TestCategoriesHaveTheirLaw(t *testing.T) {
	const n = 20_000
	for i, c := range []struct {
		law string
		k   int
	}{{"ordered_logistic(0.4, -1, 0.2, 2.5)", 4}, {"ordered_logistic(-0.4, 0.3)", 2}, {"categorical(0.2, 0.5, 0.3)", 3},
		{"categorical_logit(0, -1.2, 0.7, 0.1)", 4}} {
		l, err := parse(c.law, none)
		if err != nil {
			t.Fatal(err)
		}
		a := make([]float64, len(l.with))
		for j, s := range l.with {
			if _, err := fmt.Sscan(s, &a[j]); err != nil {
				t.Fatal(err)
			}
		}
		rng, count := rand.New(rand.NewPCG(12, uint64(i))), make([]float64, c.k+1)
		for range n {
			y := l.draw(a, rng)
			if !l.of.holds(y) {
				t.Fatalf("%s drew %v", c.law, y)
			}
			count[int(y)]++
		}
		density, mass := logDensities(t, c.law), 0.0
		for y := 1; y <= c.k; y++ {
			p := math.Exp(density(float64(y)))
			if mass += p; math.Abs(count[y]-n*p) > 5.5*math.Sqrt(n*p*(1-p)) {
				t.Errorf("%s drew %d %v times, want %v", c.law, y, count[y], n*p)
			}
		}
		if math.Abs(mass-1) > 1e-12 {
			t.Errorf("%s: mass %v", c.law, mass)
		}
	}
	for law, at := range map[string][]float64{"ordered_logistic(0, 1, 1)": {0, 2, 1}, "categorical(1, 1)": {0, 0}} {
		l, err := parse(law, none)
		if err != nil {
			t.Fatal(err)
		}
		if y := l.draw(at, rand.New(rand.NewPCG(1, 1))); !math.IsNaN(y) {
			t.Errorf("%s draws %v at %v, which are no law", law, y, at)
		}
	}
}

// A parameter that is counted stands for its entries, and what no category can be is told.
func TestCategoriesOfRows(t *testing.T) {
	const table = "y,x,z\n1,0.5,1\n3,-1,2\n2,0.2,2\n"
	parameters := []Parameter{{Name: "b"}, {Name: "c", Shape: "ordered(2)"}, {Name: "w", Shape: "simplex(3)"}, {Name: "e[3]"}, {Name: "g[x]"},
		{Name: "d", Shape: "ordered(3)"}}
	for likelihood, want := range map[string]string{
		"y ~ ordered_logistic(b*x, c)":          "",
		"y ~ ordered_logistic(b*x, c[1], c[2])": "",
		"y ~ categorical(w)":                    "",
		"y ~ categorical_logit(e)":              "",
		"y ~ categorical_logit(0, b*x, e[2])":   "",
		"z ~ ordered_logistic(b*x, d[1])":       "",
		"y ~ ordered_logistic(b*x, c[1])":       `t.csv:3: 3 in column "y": with ordered_logistic a value is a whole number from 1 to 2`,
		"y - 1 ~ categorical(w)":                "t.csv:2: 0 by y - 1: with categorical a value is a whole number from 1 to 3",
		"x ~ categorical(w)":                    `t.csv:2: 0.5 in column "x": with categorical a value is a whole number from 1 to 3`,
		"y ~ ordered_logistic(b*x)":             "model.likelihood: ordered_logistic has two arguments or more: write ordered_logistic(eta, c[1], c[2]), the cuts between the categories 1, 2, 3",
		"y ~ categorical(g)":                    "model.likelihood: categorical has two arguments or more: write categorical(theta[1], theta[2], theta[3]), a probability of each category",
		"y ~ categorical(g, w)":                 "model.likelihood: g has several entries: write g[…], or sum(g)",
		"y ~ ordered_logit(b, c)":               `model.likelihood: there is no law "ordered_logit": did you mean ordered_logistic?`,
		"y ~ categorical(0.5, 0.5, -1)":         "model.likelihood: theta_3 of categorical is from 0 to 1; found -1",
	} {
		got := ""
		if _, err := Build(model(parameters, likelihood), strings.NewReader(table), "t.csv"); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s:\n%q, want\n%q", likelihood, got, want)
		}
	}
	whole, each := build(t, model(parameters, "y ~ ordered_logistic(b*x, c)"), table), build(t, model(parameters, "y ~ ordered_logistic(b*x, c[1], c[2])"), table)
	x := make([]float64, len(whole.Names))
	for i := range x {
		x[i] = 0.3 * float64(i)
	}
	var u, v [1]float64
	g := make([]float64, len(x))
	whole.Likelihood.Evaluator(1, nil).Eval(u[:], g, x)
	each.Likelihood.Evaluator(1, nil).Eval(v[:], g, x)
	if u != v || math.IsNaN(u[0]) {
		t.Errorf("the energy is %v by the parameter, %v by its entries", u, v)
	}
}
