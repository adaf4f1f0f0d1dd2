package rows

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/dynamics"
)

// Constraints that take sums or names of let are those of the entries that these stand for, on either side
// of every sign; others stay as they are.
func TestConstraintsWrittenOut(t *testing.T) {
	m := derivable()
	m.Constraints = []string{"a < s", "sum(c) <= 1", "0 < twice + a^2 < sum(beta)", "c[A]*twice == 2 - `c[B]`", "c[A] < c[B]"}
	p := build(t, m, trial)
	want := []string{"a < s", "(`c[A]` + `c[B]` + `c[C]`) <= 1", "0 < (2*a) + a^2 < (`beta[dose]` + `beta[n]`)",
		"`c[A]`*(2*a) == 2 - `c[B]`", "c[A] < c[B]"}
	for i, got := range p.Constraints {
		if plain := strings.ReplaceAll(got, "`", ""); plain != strings.ReplaceAll(want[i], "`", "") {
			t.Errorf("%s is %s, want %s", m.Constraints[i], got, want[i])
		}
	}
	if len(p.Constraints) != len(want) {
		t.Errorf("%d constraints of %d", len(p.Constraints), len(want))
	}
}

// What is of rows is no constraint, and neither is a parameter that has several entries: each is told at its place.
func TestConstraintsOfRows(t *testing.T) {
	for text, want := range map[string]string{
		"sum(a) < 1":           `sum adds the entries of a parameter that has several; "a" has none`,
		"1 < eta":              "c[site] is of a row, and a constraint of none",
		"a < n":                "n is a column of the data, and a constraint is of parameters alone",
		"a < X*beta":           "dose is a column of the data, and a constraint is of parameters alone",
		"a < level":            "c[site] is of a row, and a constraint of none: write an entry such as c[A]",
		"a + twice < c":        "c has several entries: write c[…], or sum(c)",
		"twice < c[D] + twice": "there is no entry c[D] (there are c[A], c[B], c[C])",
		"twice + zz < 1":       `"zz" is neither a parameter`,
	} {
		m := derivable()
		m.Constraints = []string{"a < 1", text}
		_, err := Build(m, strings.NewReader(trial), "trial.csv")
		var fault *dynamics.ModelError
		if !errors.As(err, &fault) || !strings.HasPrefix(fault.Err.Error(), want) ||
			!slices.Equal(fault.Path, []string{"model", "constraints", "2"}) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
