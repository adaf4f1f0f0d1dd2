package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A parameter that may be negative is refused where a law takes it for a scale or a probability; walls, constraints and
// priors of numbers from 0 on keep it from that.
func TestScalesThatMayBeNegative(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte("g,y\nA,1\nB,0\nA,1\nB,0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ parameters, likelihood, constraint, want string }{
		{`s: "normal(0, 1)"`, "y ~ normal(0, s)", "", `f.yaml:4:5: s may be negative, and sigma of normal is positive: give it min: 0`},
		{`s: {prior: "normal(0, 1)", min: 0}`, "y ~ normal(0, s)", "", ""},
		{`s: half_normal(1)`, "y ~ normal(0, s)", "", ""},
		{`s: "normal(0, 1)"`, "y ~ normal(0, s)", "s >= 0.1", ""},
		{`{s: "normal(0, 1)", t: half_normal(1)}`, "y ~ normal(0, s)", "s >= t", ""},
		{`{s: "normal(0, 1)", t: half_normal(1)}`, "y ~ normal(0, s)", "s <= t", "s may be negative"},
		{`s: "normal(0, 1)"`, "y ~ normal(0, s)", "s^3 >= 0.001", ""},
		{`s: "normal(0, 1)"`, "y ~ normal(0, exp(s))", "", ""},
		{`"s[g]": "normal(0, 1)"`, "y ~ normal(0, s[g])", "", "s may be negative"},
		{`{"c[g]": "normal(0, s)", s: "normal(0, 1)"}`, "y ~ normal(c[g], 1)", "", "s may be negative, and sigma of normal"},
		{`p: "normal(0, 1)"`, "y ~ bernoulli(p)", "", "give it min: 0 and max: 1, or a prior such as beta(1, 1)"},
	} {
		text := "data: d.csv\nmodel:\n  parameters:\n    " + c.parameters + "\n  likelihood: " + c.likelihood + "\n"
		if strings.HasPrefix(c.parameters, "{") {
			text = strings.Replace(text, "parameters:\n    ", "parameters: ", 1)
		}
		if c.constraint != "" {
			text += "  constraints: [\"" + c.constraint + "\"]\n"
		}
		_, err := Parse("fit", filepath.Join(dir, "f.yaml"), []byte(text), nil)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s, %s, %s: %q, want %q", c.parameters, c.likelihood, c.constraint, got, c.want)
		}
	}
}
