package dynamics

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/expression"
)

// The oscillator x′ = −0.1x + 2y, y′ = −2x − 0.1y, with noise of 2 %.
func oscillations() *Series {
	for _, k := range knownSystems() {
		if k.name == "oscillator" {
			return k.series(k.rows, 0.02, 1)
		}
	}
	return nil
}

func TestSparseProblem(t *testing.T) {
	s := oscillations()
	m := &Model{States: s.States, Library: []string{"poly(2)"}, Sparse: &Sparse{}}
	p := must(Build(m, s))
	if want := []string{"x.x", "x.y", "y.x", "y.y"}; !cmp.Equal(p.Parameters, want) || len(p.Terms) != 12 || len(p.Center) != 4 || !p.Linear {
		t.Fatalf("parameters %v, terms %+v, centre %v", p.Parameters, p.Terms, p.Center)
	}
	for i, want := range []string{"1", "x", "y", "x^2", "x*y", "y^2"} {
		if q := p.Terms[6+i]; q.State != "y" || q.Term != want || q.Parameter != "y."+want || q.Kept != (q.Inclusion > 0.5) {
			t.Errorf("term %d: %+v, want %s", i, q, want)
		}
	}
	// The average over models with the term out is nearer to 0 and wider, but
	// hardly so if the term is sure.
	for k, q := range []Term{p.Terms[2], p.Terms[7]} {
		if want := []float64{2, -2}[k]; !(q.Inclusion > 0.999) || math.Abs(q.Mean-want) > 0.02 || !(q.SD > 0 && q.SD < 0.02) {
			t.Errorf("%+v, want a mean of %v", q, want)
		}
	}
	mean, sd := []float64{-0.1, 2, -2, -0.1}, []float64{0.01, 0.02, 0.02, 0.01}
	printed := p.Print(mean, sd)
	if want := "x′ = −(0.100 ± 0.010)·x + (2.000 ± 0.020)·y"; printed[0].Text != want {
		t.Errorf("%s, want %s", printed[0].Text, want)
	}
	if m.Sparse == nil || len(m.Fixed) > 0 {
		t.Errorf("the model was changed: %+v", m)
	}
	// What the user speaks of stays, with or without data for it.
	m.Sparse = &Sparse{Keep: []string{"y.1"}, Prior: 0.3}
	m.Priors, m.Fixed = []Prior{{"x.x*y", "normal(0, 1)"}}, []Value{{"x.y", 2}, {"y.x", 0}, {"y.y^2", 0}}
	p = must(Build(m, s))
	if kept := p.Parameters; !cmp.Equal(kept[:2], []string{"x.x", "x.x*y"}) || kept[2] != "y.1" {
		t.Errorf("kept %v", kept)
	}
	if q := p.Terms[2]; !cmp.Equal(q, Term{"x", "y", "x.y", 1, 2, 0, true}) {
		t.Errorf("fixed: %+v", q)
	}
	if q := p.Terms[7]; !cmp.Equal(q, Term{"y", "x", "y.x", 0, 0, 0, false}) {
		t.Errorf("fixed at 0: %+v", q)
	}
}

// Constraints among names of a library reach the parameters, and keep them.
func TestConstraintsNameTerms(t *testing.T) {
	s := oscillations()
	constraint := "`x.x*y` < 1 - `x.x`"
	keep := must(expression.ConstraintNames(constraint))
	p := must(Build(&Model{States: s.States, Library: []string{"poly(2)"}, Sparse: &Sparse{Keep: keep}}, s))
	c := must(expression.ParseConstraints(constraint, p.Parameters))
	if want := []float64{1, 0, 1, 0, 0}; !cmp.Equal(c[0].A, want) || c[0].B != 1 {
		t.Errorf("parameters %v: %+v", p.Parameters, c[0])
	}
}

func TestSparseFaults(t *testing.T) {
	s := oscillations()
	for _, c := range []struct {
		change func(*Model)
		want   string
	}{
		{func(m *Model) { m.Sparse.Keep = []string{"x.xy"} }, `model.sparse.keep.1: no free parameter "x.xy"; did you mean "x.x"?`},
		{func(m *Model) { m.Sparse.Prior, m.Sparse.Threshold = 1, -1 },
			"model.sparse.prior: the probability 1 is not between 0 and 1\nmodel.sparse.threshold: the probability -1 is not between 0 and 1"},
		{func(m *Model) { m.Library, m.Equations = nil, []Equation{{"x", "a*x"}} },
			"model.sparse: only the terms of a library can be chosen from: write library: [poly(2)], for instance"},
		{func(m *Model) { m.Library, m.Equations, m.Sparse = nil, []Equation{{"x", "a.b*x"}}, nil },
			"model.equations.x: \"a.b\" cannot name a parameter of an equation: use letters, digits and underscores"},
		{func(m *Model) { m.Library = []string{"poly(40)"} },
			"model.library.1: poly(40) of 2 states has more than 256 terms: take a lower degree"},
		{func(m *Model) { m.Library = []string{"poly(2)", "1/(x - x)"} },
			"model.library.2: the term \"1/(x-x)\" is +Inf at data.csv:3, where"},
		{func(m *Model) { m.Library = []string{"x^2*y^2"} },
			"model.sparse: none of the 2 terms belongs to the model: use another library, or more or better data"},
	} {
		m := &Model{States: s.States, Library: []string{"poly(2)"}, Sparse: &Sparse{}}
		c.change(m)
		if _, err := Build(m, s); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("got  %v\nwant %s", err, c.want)
		}
	}
}

func TestPolynomialLibrary(t *testing.T) {
	m := &Model{States: []string{"x", "y", "z"}, Library: []string{" poly( 2 )", "x * y", "sin(x)", "poly(1)"}}
	var got []string
	for _, name := range must(m.Parameters())[:11] {
		got = append(got, strings.TrimPrefix(name, "x."))
	}
	if want := "1 x y z x^2 x*z y^2 y*z z^2 x*y sin(x)"; strings.Join(got, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, " "), want)
	}
	for n := 1; n <= 4; n++ {
		for degree := range 5 {
			if got := len(monomials([]string{"a", "b", "c", "d"}[:n], degree)); got != monomialCount(n, degree) {
				t.Errorf("%d monomials of %d variables up to degree %d, counted %d", got, n, degree, monomialCount(n, degree))
			}
		}
	}
	if got := strings.Join(monomials([]string{"a", "b"}, 3)[6:], " "); got != "a^3 a^2*b a*b^2 b^3" {
		t.Error(got)
	}
}

// Doubtful terms and rivals are named.
func TestSparseWarnings(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	s := &Series{File: "data.csv", States: []string{"x", "y"}, Values: map[string][]float64{}, Given: map[string][]float64{}}
	for i := range 200 {
		x := math.Sin(float64(i)) + 0.1*rng.NormFloat64()
		s.Time = append(s.Time, float64(i))
		s.Line.Add(i + 2)
		s.Values["x"], s.Values["y"] = append(s.Values["x"], x), append(s.Values["y"], x+1e-3*rng.NormFloat64())
		s.Given["x"], s.Given["y"] = append(s.Given["x"], x+0.1*rng.NormFloat64()), append(s.Given["y"], rng.NormFloat64())
	}
	m := &Model{States: s.States, Library: []string{"x", "y"}, Derivative: Derivative{Kind: "column"}, Sparse: &Sparse{Threshold: 0.2}}
	_, c, err := m.chosen(s)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Join(c.warnings, "\n")
	for _, want := range []string{`it is not sure whether the equation of "x" has these terms (inclusion probability): x (0.`,
		`two sets of terms explain "x" nearly as well: {`, `no term of the library belongs to the equation of "y": it reads y′ = 0`} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	p := must(Build(m, s))
	if got := p.Print(make([]float64, len(p.Parameters)), make([]float64, len(p.Parameters)))[1].Text; got != "y′ = 0" {
		t.Error(got)
	}
}

func ExampleSparse() {
	k := knownSystems()[1] // x′ = x·(1 − 0.1y), y′ = y·(0.075x − 1.5)
	s := k.series(401, 0.01, 1)
	p, err := Build(&Model{States: s.States, Library: []string{"poly(2)"}, Sparse: &Sparse{}}, s)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Parameters)
	// Output: [x.x x.x*y y.y y.x*y]
}
