package rows

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// oddsModels are log odds that are affine in the parameters.
var oddsModels = map[string]string{
	"a column":          "a*x1",
	"an intercept":      "a + b*x2",
	"a block":           "a + X*beta",
	"a scaled block":    "X*beta/x4 - 2*a",
	"entries":           "u[c] + X*beta",
	"entries, weighted": "a + x1*u[c] - u[c]/3 + v[c]*(x2 - x3)",
	"of data alone":     "x1*x2 - 0.5 + a*log(abs(x3) + 1)",
	"a sum of entries":  "sum(beta)*x1 + b",
	"many":              "3*a - 2*b + x5^2*(a - b) + X*beta + v[c]*x1 + 2*u[c]",
}

func oddsOf(t *testing.T, text string, names []string, eta string) *Posterior {
	t.Helper()
	var all []Parameter
	for _, name := range []string{"a", "b", "beta[X]", "u[c]", "v[c]"} {
		if bare, _, _ := strings.Cut(name, "["); strings.Contains(eta, bare+"[") || strings.Contains(eta, "beta") && bare == "beta" ||
			len(name) == 1 && strings.ContainsAny(strings.NewReplacer("beta", "", "abs", "").Replace(eta), name) {
			all = append(all, wide(name, "normal(0, 1)"))
		}
	}
	p, err := Build(Model{Parameters: all, Let: []Let{{Name: "X", Columns: names, Standardise: true}},
		Likelihood: []string{"y ~ bernoulli_logit(" + eta + ")"}}, strings.NewReader(text), "rows.csv")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A block of columns times as many entries that are counted is the same as times entries named after them.
func TestBlockTimesCounted(t *testing.T) {
	text, names := logisticRows(300, 5)
	model := func(beta, with string) *Posterior {
		p, err := Build(Model{Parameters: []Parameter{wide(beta, "normal(0, 1)")}, Let: []Let{{Name: "X", Columns: names}},
			Likelihood: []string{"y ~ bernoulli_logit(X*" + with + ")"}}, strings.NewReader(text), "rows.csv")
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	named, rng := model("beta[X]", "beta"), rand.New(rand.NewPCG(5, 6))
	d := len(named.Names)
	for _, of := range [][2]string{{"beta[5]", "beta"}, {"beta[1..5]", "beta"}, {"beta[c,5]", "beta[c]"}} {
		beta, with := of[0], of[1]
		p := model(beta, with)
		if with == "beta" && !slices.Equal(p.Names, []string{"beta[1]", "beta[2]", "beta[3]", "beta[4]", "beta[5]"}) {
			t.Errorf("%s: parameters %q", beta, p.Names)
		}
		// of a matrix every row is the same; names end in the number of the column
		x0, x := make([]float64, d), make([]float64, len(p.Names))
		for j := range x0 {
			x0[j] = rng.NormFloat64()
		}
		column := func(name string) int { return int(name[len(name)-2] - '1') }
		for j, name := range p.Names {
			x[j] = x0[column(name)]
		}
		want, got, g, all, sums := []float64{0}, []float64{0}, make([]float64, d), make([]float64, len(x)), make([]float64, d)
		named.Likelihood.Evaluator(1, nil).Eval(want, g, x0)
		p.Likelihood.Evaluator(1, nil).Eval(got, all, x)
		for j, name := range p.Names {
			sums[column(name)] += all[j]
		}
		if math.Abs(got[0]-want[0]) > 1e-12*math.Abs(want[0]) || !floats.EqualApprox(sums, g, 1e-10) {
			t.Errorf("%s: energy %v, slope %v; by names %v, %v", beta, got, sums, want, g)
		}
	}
}

// A column of one number is not standardised, though its mean rounds; one that hardly varies is.
func TestStandardisedConstant(t *testing.T) {
	for n := 90; n < 130; n++ {
		for value, fault := range map[string]bool{"0.1": true, "1": true, "5": true, "0.3": true, "": false} {
			var csv strings.Builder
			csv.WriteString("y,x,c\n")
			for i := range n {
				c := value
				if c == "" {
					c = fmt.Sprint(1 + 1e-15*float64(i%2))
				}
				fmt.Fprintf(&csv, "%d,%d,%s\n", i%7, i%5, c)
			}
			_, err := Build(Model{Parameters: []Parameter{wide("beta[X]", "normal(0, 1)")},
				Let: []Let{{Name: "X", Columns: []string{"x", "c"}, Standardise: true}}, Likelihood: []string{"y ~ normal(X*beta, 1)"}},
				strings.NewReader(csv.String()), "rows.csv")
			if told := err != nil && strings.Contains(err.Error(), `"c" is the same in every row`); told != fault || !told && err != nil {
				t.Fatalf("%d rows of %q: %v", n, value, err)
			}
		}
	}
}

// Log odds that are affine in the parameters give the energies and slopes of the formula, for any
// number of states, each with the same bits as alone.
func TestLogOdds(t *testing.T) {
	text, names := logisticRows(2*oddsStrip+133, 5)
	for name, eta := range oddsModels {
		p := oddsOf(t, text, names, eta)
		if len(p.Likelihood.parts) != 1 {
			t.Fatalf("%s: %d parts", name, len(p.Likelihood.parts))
		}
		if _, ok := p.Likelihood.parts[0].(*logodds); !ok || p.Likelihood.Summed() {
			t.Errorf("%s: the part is a %T, summed %v", name, p.Likelihood.parts[0], p.Likelihood.Summed())
		}
		d, rng := len(p.Names), rand.New(rand.NewPCG(3, 4))
		for _, r := range []int{1, 2, 3, 4, 5, 7, 8, 9} {
			x := make([]float64, d*r)
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			u, g := make([]float64, r), make([]float64, d*r)
			p.Likelihood.Evaluator(r, nil).Eval(u, g, x)
			energy, slope := make([]float64, r), make([]float64, d*r)
			p.Likelihood.rowwise.evaluator().add(energy, slope, x, r)
			for i := range r {
				if !(math.Abs(u[i]-energy[i]) <= 1e-10*(1+math.Abs(energy[i]))) {
					t.Errorf("%s: energy of state %d of %d is %v, by the formula %v", name, i, r, u[i], energy[i])
				}
				one, by := make([]float64, 1), make([]float64, d)
				alone := make([]float64, d)
				for j := range d {
					alone[j] = x[j*r+i]
				}
				p.Likelihood.Evaluator(1, nil).Eval(one, by, alone)
				for j, v := range by {
					if w := slope[j*r+i]; !(math.Abs(g[j*r+i]-w) <= 1e-9*(1+math.Abs(w))) {
						t.Errorf("%s: slope by %s of state %d of %d is %v, by the formula %v", name, p.Names[j], i, r, g[j*r+i], w)
					}
					if one[0] != u[i] || v != g[j*r+i] {
						t.Errorf("%s: state %d of %d has energy %v and slope %v by %s, alone %v and %v", name, i, r, u[i], g[j*r+i],
							p.Names[j], one[0], v)
					}
				}
			}
		}
	}
}

// Log odds that are not affine, or not finite in a row, are left to formulas; so are laws that are cut off.
func TestLogOddsOfFormulas(t *testing.T) {
	text, names := logisticRows(50, 5)
	for _, eta := range []string{"exp(a)*x1", "a*b*x1", "u[c]^2", "a/b", "a*x1*v[c]"} {
		if p := oddsOf(t, text, names, eta).Likelihood.parts[0]; fmt.Sprintf("%T", p) != "*rows.rowwise" {
			t.Errorf("%s: %T", eta, p)
		}
	}
	for y, eta := range map[string]string{"y": "a*log(-1)", "y + 0*a": "b*x1"} {
		p, err := Build(Model{Parameters: []Parameter{wide("a", "normal(0, 1)"), wide("b", "normal(0, 1)")},
			Likelihood: []string{y + " ~ bernoulli_logit(" + eta + " + b)"}}, strings.NewReader(text), "rows.csv")
		if err != nil {
			t.Fatal(err)
		}
		if p := p.Likelihood.parts[0]; fmt.Sprintf("%T", p) != "*rows.rowwise" {
			t.Errorf("%s: %T", eta, p)
		}
	}
}

// An evaluation of log odds allocates nothing.
func TestLogOddsAllocateNothing(t *testing.T) {
	text, names := logisticRows(1000, 5)
	p := oddsOf(t, text, names, oddsModels["many"])
	const r = 5
	x, u, g := make([]float64, len(p.Names)*r), make([]float64, r), make([]float64, len(p.Names)*r)
	e := p.Likelihood.Evaluator(r, nil)
	if n := testing.AllocsPerRun(20, func() { e.Eval(u, g, x) }); n > 0 {
		t.Errorf("%g allocations", n)
	}
}
