package rows

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/dynamics"
)

// Parameters, lets and columns may have the names of laws, and of functions of rows alone.
func TestNamesOfLaws(t *testing.T) {
	for _, name := range []string{"sum", "lag", "mix", "gamma", "beta", "normal", "T", "logit"} {
		p := build(t, model([]Parameter{{Name: name, Prior: "normal(0, 1)"}, {Name: "b", Prior: "normal(" + name + ", 1)"}, {Name: "c[2]"}},
			"y ~ normal("+name+"*x + b + sum(c), exp(b))"), "y,x\n1,0\n0,2\n")
		u, g := make([]float64, 1), make([]float64, 4)
		p.Potential.Evaluator(1, nil).Eval(u, g, []float64{0.5, 1, 2, 3})
		want := -normalLog(0.5, 0, 1) - normalLog(1, 0.5, 1) - normalLog(1, 6, math.E) - normalLog(0, 7, math.E)
		if !(math.Abs(u[0]-want) < 1e-12*want) {
			t.Errorf("%s: energy %v, want %v", name, u[0], want)
		}
	}
	_, err := Build(model([]Parameter{{Name: "a"}}, "y ~ poisson(exp(a*xlogy))"), strings.NewReader("y,xlogy\n1,2\n2,3\n"), "t.csv")
	if err == nil || err.Error() != `model.likelihood: "xlogy" is a function that the law poisson takes: give the column another name` {
		t.Error(err)
	}
}

// A state beyond all numbers has the density 0, and ends no run: 0·∞ is no number. One that a law does not
// take is told, as before.
// Mutants: NaN for 0; all that is NaN for 0.
func TestDensityBeyondNumbers(t *testing.T) {
	for likelihood, finite := range map[string]bool{"y ~ bernoulli_logit(exp(exp(3*a))*x)": true, "y ~ normal(exp(exp(3*a))*x, 1)": true,
		"y ~ normal(x, 2 - a)": false, "y ~ poisson_log(log(2 - a)*x)": false} {
		p := build(t, model([]Parameter{{Name: "a", Prior: "normal(0, 1)"}}, likelihood), "y,x\n1,0\n0,2\n")
		u, g := make([]float64, 3), make([]float64, 3)
		p.Potential.Evaluator(3, nil).Eval(u, g, []float64{0.1, 5, 0.2})
		if got := math.IsInf(u[1], 1); got != finite || !finite && u[1] == u[1] || u[0]-u[0] != 0 || u[2]-u[2] != 0 {
			t.Errorf("%s: energies %v", likelihood, u)
		}
	}
}

// A formula that is added to log densities is told where it is finite for no parameters.
func TestFormulasThatAreNeverFinite(t *testing.T) {
	m := model([]Parameter{{Name: "a"}})
	m.LogLik = []string{"normal_lpdf(y, a, 1)", "a*log(x)"}
	if _, err := Build(m, strings.NewReader("y,x\n1,2\n2,-1\n"), "t.csv"); err == nil ||
		err.Error() != "t.csv:3: a*log(x) is not finite, whatever the parameters: a log density is a number" {
		t.Error(err)
	}
}

// An entry that is not there is told where a formula names it: in a likelihood, a log density or what let says.
// Mutants: the place of the parameter; entries of a matrix by one index.
func TestEntriesThatAreNotThere(t *testing.T) {
	for _, c := range []struct {
		likelihood, log, let string
		path                 string
		at                   int
		want                 string
	}{
		{"deaths ~ poisson_log(c[A] + b[B,7])", "", "", "[model likelihood]", 28, "there is no entry b[B,7] (there are b[A,1], b[B,1]"},
		{"deaths ~ poisson_log(b[site, 3])", "", "", "[model likelihood]", 21, "there is no entry b[site,3]"},
		{"deaths ~ poisson_log(b[1, site])", "", "", "[model likelihood]", 21, "there is no entry b[1,site]"},
		{"deaths ~ poisson_log(k[4])", "", "", "[model likelihood]", 21, "there is no entry k[4] (there are k[1], k[2])"},
		{"deaths ~ poisson_log(level)", "", "c[A] - c[Z]", "[model let level]", 7, "there is no entry c[Z]"},
		{"deaths ~ poisson_log(c[site])", "-k[3]*dose", "", "[model log_lik]", 1, "there is no entry k[3]"},
	} {
		m := model([]Parameter{{Name: "b[site, 2]"}, {Name: "c[site]"}, {Name: "k[2]"}}, c.likelihood)
		if c.log != "" {
			m.LogLik = []string{c.log}
		}
		if c.let != "" {
			m.Let = []Let{{Name: "level", Text: c.let}}
		}
		_, err := Build(m, strings.NewReader(trial), "trial.csv")
		fault, ok := errors.AsType[*dynamics.ModelError](err)
		if !ok || fmt.Sprint(fault.Path) != c.path || fault.Offset != c.at || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q at %s, %d", c.likelihood, err, c.want, c.path, c.at)
		}
	}
}
