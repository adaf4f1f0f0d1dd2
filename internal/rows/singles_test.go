package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/vector"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// fullRows are n rows of numbers with all digits that float64 has, of counts n and k, 0 or 1, of categories g, and of
// times day and t, whole and not, which float32 does not tell apart; and the same, each number rounded to float32 but
// for those of day and t. A value in some rows is missing.
func fullRows(seed uint64, n int, missing bool) (text, rounded string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	var full, near strings.Builder
	put := func(v float64, narrow bool) {
		fmt.Fprintf(&full, "%v,", v)
		if narrow {
			v = float64(float32(v))
		}
		near.WriteString(strconv.FormatFloat(v, 'g', -1, 64) + ",")
	}
	for _, w := range []*strings.Builder{&full, &near} {
		w.WriteString("x1,x2,x3,y,n,day,t,k,g\n")
	}
	for i := range n {
		put(rng.NormFloat64(), true)
		put(1000+rng.NormFloat64(), true)
		put(math.Exp(9*rng.NormFloat64()), true)
		if missing && i%7 == 3 {
			full.WriteString("NA,")
			near.WriteString("NA,")
		} else {
			put(3+rng.NormFloat64()/3, true)
		}
		put(float64(rng.IntN(9)), true)
		put(float64(1_600_000_000+i), false)
		put(1_600_000_000.1+float64(i), false)
		for _, w := range []*strings.Builder{&full, &near} {
			fmt.Fprintf(w, "%d,%c\n", i%2, 'A'+i%3)
		}
	}
	return full.String(), near.String()
}

// singlesModels are likelihoods of each kind: sums that are made once, products of columns, formulas.
var singlesModels = []string{
	"y ~ normal(a + b*x1 + X*beta + c[g], exp(s))",
	"y ~ normal(a + b*(t - 1600000000)/1000, exp(s))",
	"k ~ bernoulli_logit(a + b*x1 + c[g]*x2/1000)",
	"k ~ bernoulli_logit(a + X*beta)",
	"k ~ bernoulli_logit(Z*beta2 + b*log(x3) + x1)",
	"1 ~ bernoulli_logit(a + X*beta + Z*beta2)",
	"n ~ poisson_log(a + b*x1*x2/1000 + c[g]*(day - 1600000000)/1000)",
	"y ~ student_t(4, a + X*beta + b*lag(x1, 1), exp(s))",
	"y ~ student_t(4, a + X*m[g], exp(s))",
}

func singlesModel(likelihood string) Model {
	m := Model{Let: []Let{{Name: "X", Columns: []string{"x1", "x2", "x3"}, Standardise: true}, {Name: "Z", Columns: []string{"x1", "n"}}},
		Likelihood: []string{likelihood}, Where: []string{"x1 < 2"}, Drop: true}
	for _, name := range []string{"a", "b", "s", "c[g]", "beta[X]", "beta2[Z]", "m[g, X]"} {
		if bare, _, _ := strings.Cut(name, "["); regexp.MustCompile(`\b` + bare + `\b`).MatchString(likelihood) {
			m.Parameters = append(m.Parameters, wide(name, "normal(0, 1)"))
		}
	}
	return m
}

// Columns that are kept as float32 tell what a table of rounded numbers does in float64, bit for bit: in all rows,
// in some of them, in minibatches and in another table. Those stay as they are that float32 does not tell apart.
//
// Mutants: standardised columns of other rows; coefficients and outcomes of other rows; columns that are not kept so.
func TestSinglesAreRoundedNumbers(t *testing.T) {
	for _, likelihood := range singlesModels {
		rapid.Check(t, func(t *rapid.T) {
			seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(30, 900).Draw(t, "rows")
			text, rounded := fullRows(seed, n, rapid.Bool().Draw(t, "missing"))
			m := singlesModel(likelihood)
			built := func(singles bool, table string) *Posterior {
				m.Singles = singles
				p, err := Build(m, strings.NewReader(table), "rows.csv")
				if err != nil {
					t.Fatalf("%s: %v", likelihood, err)
				}
				return p
			}
			p, q := built(true, text), built(false, rounded)
			for name, c := range p.from.data {
				if _, wide := c.(vector.Doubles); wide != (name == "day" || name == "t") {
					t.Fatalf("%s: %s is kept as %T", likelihood, name, c)
				}
			}
			if got, want := saidOf(t, p, seed, text), saidOf(t, q, seed, rounded); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s of %d rows:\n%v\nwant\n%v", likelihood, n, got, want)
			}
		})
	}
}

// saidOf is all that a posterior says of its rows, and of another table.
func saidOf(t *rapid.T, p *Posterior, seed uint64, table string) (said []any) {
	d, rng := len(p.Names), rand.New(rand.NewPCG(seed, 2))
	states := func(r int) []float64 {
		x := make([]float64, d*r)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	evaluated := func(of potential.Potential, r int) {
		u, g := make([]float64, r), make([]float64, d*r)
		of.Evaluator(r, stream.New(seed, 0)).Eval(u, g, states(r))
		said = append(said, bitsOf(u), bitsOf(g))
	}
	for _, r := range []int{1, 2, 5} {
		evaluated(p.Likelihood, r)
	}
	if m, err := p.Minibatches(1+p.Likelihood.Rows()/4, anchorsOf(d)); err == nil {
		evaluated(m, 3)
	} else {
		said = append(said, err.Error())
	}
	evaluated(p.Likelihood.few(p.Likelihood.Rows()/2), 2)
	log := make([]float64, p.Likelihood.Rows())
	p.Likelihood.LogDensity(nil)(log, states(1))
	what, hash := p.Likelihood.Observed()
	said = append(said, bitsOf(log), what, hash, p.Left)
	other, err := p.On(strings.NewReader(table), "other.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []*Outcomes{p.Outcomes, other} {
		drawn, err := o.Draw(context.Background(), [][]float64{states(1)}, rng)
		if err != nil {
			t.Fatal(err)
		}
		for i := range o.Of {
			said = append(said, bitsOf(o.Of[i].Values()), bitsOf(drawn[i][0]))
		}
		for _, c := range o.Given {
			said = append(said, c.Name, bitsOf(c.Values()))
		}
	}
	if im, err := p.Imitate(); err == nil {
		if table, err := im.Table(states(1), rng); err == nil {
			said = append(said, string(table))
		}
	}
	return said
}

func bitsOf(v []float64) (all []uint64) {
	for _, x := range v {
		all = append(all, math.Float64bits(x))
	}
	return all
}
