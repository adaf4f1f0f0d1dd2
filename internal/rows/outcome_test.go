package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Random whole numbers have the probabilities of their law: the sum up to each stays within
// what Kolmogorov's law gives up to 1e-7, which is more than whole numbers need.
func TestCountsHaveTheirLaw(t *testing.T) {
	const n = 20_000
	bound := 3 / math.Sqrt(n)
	for i, text := range []string{"bernoulli(0.3)", "bernoulli_logit(-0.8)", "binomial(7, 0.3)", "binomial(60, 0.3)", "binomial(60, 0.004)",
		"binomial_logit(40, 1.5)",
		"poisson(0.4)", "poisson(37)", "poisson_log(1.1)", "neg_binomial_2(3.2, 0.7)", "neg_binomial_2_log(2, 4)",
		"mix(0.3, poisson(2), 0.2, neg_binomial_2(4, 2), 0.5, poisson(9))"} {
		l, err := parse(text, none)
		if err != nil {
			t.Fatal(err)
		}
		var a []float64
		for _, s := range l.with {
			var v float64
			if _, err := fmt.Sscan(s, &v); err != nil {
				t.Fatal(err)
			}
			a = append(a, v)
		}
		rng, count := rand.New(rand.NewPCG(11, uint64(i))), map[float64]int{}
		for range n {
			y := l.draw(a, rng)
			if !l.of.holds(y) {
				t.Fatalf("%s drew %v", text, y)
			}
			count[y]++
		}
		density := logDensities(t, text)
		p, seen, worst := 0.0, 0, 0.0
		for y := 0.0; seen < n; y++ {
			if v := density(y); !math.IsNaN(v) {
				p += math.Exp(v)
			}
			seen += count[y]
			worst = max(worst, math.Abs(p-float64(seen)/n))
		}
		if !(worst < bound) {
			t.Errorf("%s: the probabilities differ by %.4f, bound %.4f", text, worst, bound)
		}
	}
}

const plots = `site,x,y,when
A,1,0.5,1
B,2,1.5,2
A,3,2.5,3
C,6,4.0,4
`

func grouped(t *testing.T) *Posterior {
	t.Helper()
	m := model([]Parameter{{Name: "c[site]", Prior: "normal(0, 1)"}, {Name: "b[X]", Prior: "normal(0, 1)"},
		{Name: "r", Prior: "normal(0, 1)"}},
		"y ~ normal(c[site] + X*b + r*lag(y, 1), 1e-9)")
	m.Let = []Let{{Name: "X", Columns: []string{"x"}, Standardise: true}}
	return build(t, m, plots)
}

// drawnAt are draws of the only outcome at a state.
func drawnAt(o *Outcomes, x []float64) []float64 {
	y := make([]float64, o.Line.Len())
	o.Of[0].Draws()(y, x, rand.New(rand.NewPCG(1, 1)))
	return y
}

// Rows of another table are predicted by the levels and the scale of the model's, whatever is
// in that table; what was observed may be missing.
func TestOtherRows(t *testing.T) {
	p := grouped(t)
	if got := fmt.Sprint(p.Names); got != "[c[A] c[B] c[C] b[x] r]" {
		t.Fatal(got)
	}
	at := []float64{10, 20, 30, 2, 0.5}
	// of the rows that are used, 2 to 4, x has mean 11/3
	mean, sd := 11.0/3, math.Sqrt(((2-11.0/3)*(2-11.0/3)+(3-11.0/3)*(3-11.0/3)+(6-11.0/3)*(6-11.0/3))/2)
	want := func(c, x, before float64) float64 { return c + 2*(x-mean)/sd + 0.5*before }
	near := func(what string, got, want []float64) {
		t.Helper()
		if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) < 1e-7 }) {
			t.Errorf("%s: drew %v, want %v", what, got, want)
		}
	}
	own := p.Outcomes
	near("own rows", drawnAt(own, at), []float64{want(20, 2, 0.5), want(10, 3, 1.5), want(30, 6, 2.5)})
	if fmt.Sprint(own.Of[0].Values(), own.Line.Numbers()) != "[1.5 2.5 4] [3 4 5]" {
		t.Errorf("own rows: observed %v in lines %v", own.Of[0].Values(), own.Line.Numbers())
	}
	o, err := p.On(strings.NewReader("x,site,y\n100,C,7\n-5,C,NA\n4,B,2\nNA,B,1\n9,A,\n"), "new.csv")
	if err != nil {
		t.Fatal(err)
	}
	near("other rows", drawnAt(o, at), []float64{want(30, -5, 7), want(10, 9, 1)}) // line 4 looks back at a gap
	if fmt.Sprint(o.Line.Numbers(), o.Missing, o.Of[0].Values()) != "[3 6] 2 [NaN NaN]" {
		t.Errorf("other rows: lines %v, %d missing, observed %v", o.Line.Numbers(), o.Missing, o.Of[0].Values())
	}
	near("own rows again", drawnAt(own, at), []float64{want(20, 2, 0.5), want(10, 3, 1.5), want(30, 6, 2.5)})
	if o, err := p.On(strings.NewReader("x,site,y\n1,A,3\n1,A,\n"), "new.csv"); err != nil || o.Line.Len() != 1 ||
		!math.IsNaN(o.Of[0].Values()[0]) {
		t.Errorf("nothing observed: %v", err)
	}
	for table, says := range map[string]string{
		"site,y\nA,1\nB,2\n":         `there is no column "x", which the model takes (columns: site, y)`,
		"x,Site,y\n1,A,1\n1,A,1\n":   `there is no column "site", which the model takes; did you mean "Site"?`,
		"x,site,y\n1,A,1\nfoo,A,1\n": "foo",
	} {
		if _, err := p.On(strings.NewReader(table), "new.csv"); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v, want %q", table, err, says)
		}
	}
}

// Spaces in names of columns of a block, standardised or not, and laws of one column are told
// apart.
func TestNamesOfOutcomes(t *testing.T) {
	for _, standardise := range []bool{false, true} {
		m := model([]Parameter{{Name: "b[X]", Prior: "normal(0, 1)"}}, "y ~ normal(X*b, 1e-9)", "y ~ normal(0, 1e-9)")
		m.Let = []Let{{Name: "X", Columns: []string{"my z"}, Standardise: standardise}}
		p := build(t, m, "my z,y\n1,2\n3,4\n")
		if got := p.Outcomes.Of[0].Name + p.Outcomes.Of[1].Name + p.Names[0]; got != "yy~2b[myz]" {
			t.Error(got)
		}
		o, err := p.On(strings.NewReader("my z\n5\n"), "new.csv")
		if err != nil {
			t.Fatal(err)
		}
		want := 10.0
		if standardise {
			want = 2 * 3 / math.Sqrt2
		}
		if y := drawnAt(o, []float64{2}); math.Abs(y[0]-want) > 1e-7 {
			t.Errorf("standardised: %t: drew %v, want %v", standardise, y, want)
		}
	}
}

// A table without what the laws are of is predicted all the same, and one without any law not
// at all. Arguments that give no law draw nothing.
func TestUnseenOutcomes(t *testing.T) {
	p := build(t, model([]Parameter{{Name: "a", Prior: "normal(0, 1)"}, {Name: "s", Prior: "normal(0, 1)"}}, "log(y) ~ normal(a*x, s)",
		"z ~ poisson(exp(a))"),
		"x,y,z\n1,2,3\n2,3,4\n")
	o, err := p.On(strings.NewReader("x\n5\n"), "new.csv")
	if err != nil || len(o.Of) != 2 || o.Of[0].Name != "log(y)" || !math.IsNaN(o.Of[0].Values()[0]) {
		t.Fatalf("%+v, %v", o, err)
	}
	if y := drawnAt(o, []float64{3, 1e-12}); math.Abs(y[0]-15) > 1e-6 {
		t.Errorf("drew %v, want 15", y)
	}
	if y := drawnAt(o, []float64{3, -1}); !math.IsNaN(y[0]) {
		t.Errorf("a negative scale drew %v", y)
	}
	if got := p.Outcomes.Of[0].Values(); math.Abs(got[1]-math.Log(3)) > 1e-15 {
		t.Errorf("observed %v", got)
	}
	m := model([]Parameter{{Name: "a", Prior: "normal(0, 1)"}})
	m.LogLik = []string{"normal_lpdf(y, a, 1)"}
	if _, err := build(t, m, "y\n1\n2\n").On(strings.NewReader("y\n1\n"), "new.csv"); err != ErrNoLaw {
		t.Errorf("without a law: %v", err)
	}
}

// A table that is drawn has what the laws say in the columns that they are of, rows that look
// back seeing what was drawn, and all else as it is.
func TestImitation(t *testing.T) {
	p := grouped(t)
	im, err := p.Imitate()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2 { // the second begins with the data again
		table, err := im.Table([]float64{10, 20, 30, 2, 0.5}, rng)
		if err != nil {
			t.Fatal(err)
		}
		mean, sd := 11.0/3, math.Sqrt(((2-11.0/3)*(2-11.0/3)+(3-11.0/3)*(3-11.0/3)+(6-11.0/3)*(6-11.0/3))/2)
		a := 20 + 2*(2-mean)/sd + 0.5*0.5
		b := 10 + 2*(3-mean)/sd + 0.5*a
		c := 30 + 2*(6-mean)/sd + 0.5*b
		var got [4]float64
		lines := strings.Split(strings.TrimSpace(string(table)), "\n")
		for i, site := range []string{"A", "B", "A", "C"} {
			var x float64
			if n, err := fmt.Sscanf(strings.Replace(strings.ReplaceAll(lines[i+1], ",", " "), site, "", 1), "%g %g", &x, &got[i]); n != 2 ||
				x != []float64{1, 2, 3, 6}[i] {
				t.Fatalf("%s: %v", lines[i+1], err)
			}
		}
		if lines[0] != "x,y,site" || got[0] != 0.5 || math.Abs(got[1]-a)+math.Abs(got[2]-b)+math.Abs(got[3]-c) > 1e-6 {
			t.Errorf("%s\nwant y = 0.5, %v, %v, %v", table, a, b, c)
		}
	}
	if _, err := im.Table([]float64{10, math.Inf(1), 30, 2, 0.5}, rng); err == nil || !strings.Contains(err.Error(), "in line 3") {
		t.Errorf("an infinite mean: %v", err)
	}
}
