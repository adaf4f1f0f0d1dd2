package rows

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/dynamics"
)

// derivable is a model of which much follows: groups, a matrix, a block and a Cholesky factor.
func derivable(outputs ...Formula) Model {
	m := model([]Parameter{{Name: "a"}, {Name: "s"}, {Name: "c[site]"}, {Name: "b[site, 2]"}, {Name: "beta[X]"},
		{Name: "L", Shape: "cholesky_corr(3)"}}, "deaths ~ poisson_log(eta + X*beta + b[site, 2]*y + L[2,1])")
	m.Let = []Let{{Name: "X", Columns: []string{"dose", "n"}}, {Name: "level", Text: "a + s*c[site]"}, {Name: "eta", Text: "level*logdose"},
		{Name: "twice", Text: "2*a"}}
	m.Outputs, m.Drop = outputs, true
	return m
}

// Outputs are what their formulas say of a state: of entries, of what let says, one for each level or
// column, of comparisons and of outputs above; and so are correlations.
// Mutants: entries of the first level for all; a correlation without its last product; jumps that are refused.
func TestOutputs(t *testing.T) {
	p := build(t, derivable(Formula{"ratio", "exp(a)"}, Formula{"gap", "c[A] - c[B]"}, Formula{"better", "c[A] > c[B]"},
		Formula{"tie", "2*(a >= s) + twice"}, Formula{"all", "sum(c)"}, Formula{"ranked[site]", "level"}, Formula{"top", "ranked[C]/ratio"},
		Formula{"slope[site, 2]", "b[site, 2]^2"}, Formula{"effect[X]", "exp(beta[X])"}, Formula{"cov", "s*L_corr[1,3] + L_corr[2,2]"},
		Formula{"twin[ site ]", "2*ranked[site]"}), trial)
	names := p.Outputs.OutputNames()
	if want := "ratio gap better tie all ranked[A] ranked[B] ranked[C] top slope[A,2] slope[B,2] slope[C,2] effect[dose] effect[n] cov " +
		"twin[A] twin[B] twin[C] L_corr[2,1] L_corr[3,1] L_corr[3,2]"; strings.Join(names, " ") != want {
		t.Fatalf("%v, want %v", names, want)
	}
	rapid.Check(t, func(r *rapid.T) {
		x := make([]float64, len(p.Names))
		for j, name := range p.Names {
			if x[j] = rapid.Float64Range(-2, 2).Draw(r, name); strings.HasPrefix(name, "L[") {
				x[j] /= 3
			}
		}
		of := func(name string) float64 { return x[slices.Index(p.Names, name)] }
		one := func(is bool) float64 { return map[bool]float64{true: 1}[is] }
		a, s := of("a"), of("s")
		want := []float64{math.Exp(a), of("c[A]") - of("c[B]"), one(of("c[A]") > of("c[B]")), 2*one(a >= s) + 2*a,
			of("c[A]") + of("c[B]") + of("c[C]")}
		for _, l := range []string{"A", "B", "C"} {
			want = append(want, a+s*of("c["+l+"]"))
		}
		want = append(want, want[7]/want[0])
		for _, l := range []string{"A", "B", "C"} {
			want = append(want, of("b["+l+",2]")*of("b["+l+",2]"))
		}
		l := mat.NewDense(3, 3, []float64{1, 0, 0, of("L[2,1]"), 0, 0, of("L[3,1]"), of("L[3,2]"), 0})
		l.Set(1, 1, math.Sqrt(1-of("L[2,1]")*of("L[2,1]")))
		l.Set(2, 2, math.Sqrt(1-of("L[3,1]")*of("L[3,1]")-of("L[3,2]")*of("L[3,2]")))
		var omega mat.Dense
		omega.Mul(l, l.T())
		want = append(want, math.Exp(of("beta[dose]")), math.Exp(of("beta[n]")), s*omega.At(0, 2)+1, 2*want[5], 2*want[6], 2*want[7],
			omega.At(1, 0), omega.At(2, 0), omega.At(2, 1))
		got, err := p.Outputs.Outputs([][]float64{x}, 0)
		if err != nil {
			r.Fatal(err)
		}
		for i, w := range want {
			if !(math.Abs(got[0][i]-w) <= 1e-12*(1+math.Abs(w))) {
				r.Fatalf("%s is %v at %v, want %v", names[i], got[0][i], x, w)
			}
		}
	})
}

// What bears the name of a correlation matrix otherwise keeps it.
func TestCorrelationsOfAnotherName(t *testing.T) {
	for _, m := range []Model{derivable(Formula{"L_corr[2,1]", "2*a"}), derivable(Formula{"L_corr", "2*a"})} {
		p := build(t, m, trial)
		if got := p.Outputs.OutputNames(); len(got) != 1 {
			t.Errorf("outputs %v", got)
		}
	}
	m := derivable()
	m.Parameters = append(m.Parameters, infinite(Parameter{Name: "L_corr", Prior: "normal(0, 1)"}))
	if p := build(t, m, trial); p.Outputs != nil {
		t.Errorf("outputs %v", p.Outputs.OutputNames())
	}
}

// Outputs of a mixture are those of its components by the labels that draws agree on, whatever label an
// entry bears in a draw.
// Mutants: outputs of draws as they are.
func TestOutputsOfLabels(t *testing.T) {
	m := Model{Parameters: []Parameter{free("mu[2]", "normal(0, 5)"), free("sigma[2]", "half_normal(2)")}, Labels: []string{"mu"},
		LogLik:  []string{"log_mix(0.5, normal_lpdf(y, mu[1], sigma[1]), normal_lpdf(y, mu[2], sigma[2]))"},
		Outputs: []Formula{{"apart", "mu[2] - mu[1]"}, {"wider", "sigma[1] > sigma[2]"}}}
	p := build(t, m, "y\n-1\n0.2\n3\n")
	const names = "mu_labelled[1] mu_labelled[2] sigma_labelled[1] sigma_labelled[2] apart wider"
	if got := strings.Join(p.Outputs.OutputNames(), " "); got != names {
		t.Fatal(got)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	var states [][]float64
	var want []float64
	for range 200 {
		x := []float64{-3 + rng.NormFloat64()/4, 3 + rng.NormFloat64()/4, 1 + rng.Float64()/8, 0.5 + rng.Float64()/8}
		want = append(want, x[1]-x[0])
		p.Labels.Shuffle(x, rng)
		states = append(states, x)
	}
	got, err := p.Outputs.Outputs(states, 0)
	if err != nil {
		t.Fatal(err)
	}
	for s, v := range got {
		if v[4] != want[s] || v[5] != 1 {
			t.Errorf("draw %d: apart %v and wider %v, want %v and 1", s, v[4], v[5], want[s])
		}
	}
}

// Outputs that say nothing, or too much, are refused at their place in the formula.
func TestFaultyOutputs(t *testing.T) {
	for _, c := range []struct {
		name, text string
		at         int
		want       string
	}{
		{"a", "2*s", -1, `"a" is a parameter: give the output another name`},
		{"y", "2*s", -1, `"y" is a column of the data: give the output another name`},
		{"level[site]", "2*s", -1, `"level" is said by let`},
		{"pi", "2*s", -1, `"pi" is a number in formulas`},
		{"2q", "2*s", -1, "an output is a name such as odds"},
		{"q[site", "2*s", -1, "an output is a name such as odds"},
		{"q[]", "2*s", -1, "an output is a name such as odds"},
		{"q[site,X,2]", "2*s", -1, "an output is a name such as odds"},
		{"q[sit]", "c[A]", -1, `the index "sit" of an output is a whole number from 1 on, a block of let, or a column that stands in brackets ` +
			`elsewhere in the model; did you mean "site"?`},
		{"q[dose]", "c[A]", -1, `the index "dose" of an output`},
		{"q[1..3]", "c[A]", -1, `the index "1..3" of an output`},
		{"q[0]", "c[A]", -1, `the index "0" of an output`},
		{"q[site, site]", "c[site]", -1, "has site in both indices"},
		{"q", "a + dose", 4, "dose is a column of the data, and an output is of parameters alone"},
		{"q", "a + eta", 4, "c[site] is of a row, and an output of none: write an entry such as c[A], or one output for each, name[site]"},
		{"q[X]", "a*c[site]", 2, "c[site] is of a row"},
		{"q[site]", "a*eta", 2, "logdose is a column of the data"},
		{"q", "X*beta", -1, "dose is a column of the data"},
		{"q", "lag(y, 1)*a", -1, "y[-1] is a column of the data"},
		{"q", "a + zz", 4, `"zz" is neither a parameter, nor a column of the data, nor said by let`},
		{"q", "a + c[Z]", 4, "there is no entry c[Z] (there are c[A], c[B], c[C])"},
		{"q", "a + L_corr[4,1]", 4, `there is no parameter "L_corr" with an index`},
		{"q", "a + c", 4, "c has several entries"},
		{"q", "a +", 3, "is missing at the end"},
		{"q", "a > c", 4, "c has several entries"},
		{"q", "2*3", -1, "2*3 names no parameter: it is the same in every draw"},
		{"q", "L[1,2]", -1, "names no parameter"},
		{"q", "r + a", 0, `"r" is neither a parameter`},
		{"r[site]", "c[site]", -1, "another output is called r[A] too"},
	} {
		m := derivable(Formula{c.name, c.text}, Formula{"r[site]", "c[site]"})
		_, err := Build(m, strings.NewReader(trial), "trial.csv")
		fault, ok := errors.AsType[*dynamics.ModelError](err)
		if !ok || !strings.Contains(err.Error(), c.want) || fault.Offset != c.at || fault.Path[1] != "outputs" {
			t.Errorf("%s: %s: %v, want %q at %d", c.name, c.text, err, c.want, c.at)
		}
	}
	m := model([]Parameter{{Name: "w", Shape: "simplex(2)"}, {Name: "m[2]"}}, "y ~ mix(w[1], normal(m[1], 1), w[2], normal(m[2], 1))")
	m.Labels, m.Outputs, m.Drop = []string{"w"}, []Formula{{"m_labelled", "m[1]"}}, true
	_, err := Build(m, strings.NewReader(trial), "trial.csv")
	if err == nil || !strings.Contains(err.Error(), "what labelled entries are called") {
		t.Errorf("a labelled name: %v", err)
	}
}
