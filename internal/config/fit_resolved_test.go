package config

import (
	"path/filepath"
	"slices"
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
