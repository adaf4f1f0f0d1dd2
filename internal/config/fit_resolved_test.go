package config

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A parameter that a model of rows has no use for is told; one that a constraint alone names is used.
func TestIdleParameters(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d.csv"), "y\n1\n2\n")
	s, err := Parse("fit", filepath.Join(dir, "f.yaml"), []byte(`data: d.csv
model:
  parameters: {a: "normal(0, 1)", b: "normal(0, 1)", c: "normal(0, 1)"}
  likelihood: y ~ normal(a, 1)
  constraints: b <= a
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"parameter c stands in no formula: the rows tell nothing of it, and its law stays that of its prior."}
	if !slices.Equal(s.Warnings, want) {
		t.Errorf("%q", s.Warnings)
	}
}

// Constraints may take sums over entries and names of let; they are kept as they are said. What is wrong
// with one is told at its entry.
func TestConstraintsOfSums(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d.csv"), "y\n1\n2\n")
	load := func(constraints string) (*Run, error) {
		return Parse("fit", filepath.Join(dir, "f.yaml"), []byte(`data: d.csv
model:
  parameters: {a: "normal(0, 1)", "c[2]": "normal(0, 1)"}
  let: {k: "2*a - c[1]", mu: a + y}
  likelihood: y ~ normal(a + c[1] + c[2], 1)
  constraints: `+constraints+"\n"), nil)
	}
	s, err := load(`[k < 1, "sum(c)^2 + k <= 4"]`)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range [][]float64{{0, 0, 0}, {0.6, 0, 0}, {0.6, 0.5, 0}, {-3, 2.5, 0}, {-0.5, 2, 0.5}, {0, -0.9, 3}} {
		k, sum := 2*x[0]-x[1], x[1]+x[2]
		if want := k < 1 && sum*sum+k <= 4; s.Problem.Domain.Contains(x) != want {
			t.Errorf("%v is inside: %v", x, !want)
		}
	}
	if got := s.Resolved.Model.(*RowModel).Constraints; !slices.Equal(got, []string{"k < 1", "sum(c)^2 + k <= 4"}) {
		t.Errorf("kept as %q", got)
	}
	for constraints, want := range map[string]string{
		`[a < 1, "mu < 2"]`:    "f.yaml:6:25: y is a column of the data, and a constraint is of parameters alone",
		`[a < 1, "a + c < 2"]`: "f.yaml:6:29: c has several entries: write c[…], or sum(c)",
		`[a < 1, "k"]`:         "f.yaml:6:24: a constraint needs one of",
	} {
		if _, err := load(constraints); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", constraints, err, want)
		}
	}
}

// Where 0 is a corner of the domain descents begin inside it, whatever order priors have parameters in: the
// mode that a run begins at is one.
func TestModeBesideACorner(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d.csv"), "dose,animals,deaths\n1,5,1\n2,5,0\n3,5,0\n4,5,0\n")
	s, err := Parse("fit", filepath.Join(dir, "f.yaml"), []byte(`data: d.csv
model:
  parameters: {"p[dose]": {prior: "beta(1, 1)"}}
  likelihood: deaths ~ binomial(animals, p[dose])
  constraints: "p[1] <= p[2] <= p[3] <= p[4]"
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	mode := slices.Clone(s.Settings.Whitening.Center)
	if s.Problem.Chart != nil {
		s.Problem.Chart.Point(mode, s.Settings.Whitening.Center)
	}
	for j, v := range mode {
		if math.Abs(v-0.05) > 1e-3 { // one death of twenty animals
			t.Errorf("%s is %g at the mode, want 0.05", s.Rows.Names[j], v)
		}
	}
}
