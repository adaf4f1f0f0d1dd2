package rows

import (
	"slices"
	"testing"
)

// A parameter is idle where no formula has it, not even a prior of another or a constraint.
//
// Mutants it kills: a parameter's own prior that counts, an index that makes another name.
func TestIdle(t *testing.T) {
	m := Model{
		Parameters: []Parameter{{Name: "a"}, {Name: "b[site]", Prior: "normal(m, s)"}, {Name: "m"}, {Name: "s"}, {Name: "c[2]"}, {Name: "beta[X]"},
			{Name: "g"}, {Name: "L", Shape: "cholesky_corr(2)"}, {Name: "h"}, {Name: "q", Prior: "normal(q, 1)"}},
		Let:        []Let{{Name: "X", Columns: []string{"u", "v"}}, {Name: "mu", Text: "a + b[site] + X*beta"}},
		Likelihood: []string{"y ~ normal(mu, exp(c[1]))"},
		Outputs:    []Formula{{Name: "o", Text: "2*g + L_corr[2,1]"}},
	}
	if got := m.Idle(nil); !slices.Equal(got, []string{"h", "q"}) {
		t.Error(got)
	}
	if got := m.Idle([]string{"a <= h"}); !slices.Equal(got, []string{"q"}) {
		t.Error(got)
	}
	m.Likelihood, m.Let = nil, nil
	if got := m.Idle(nil); !slices.Equal(got, []string{"a", "b[site]", "c[2]", "beta[X]", "h", "q"}) {
		t.Error(got)
	}
}
