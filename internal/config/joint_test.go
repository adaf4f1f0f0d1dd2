package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Faults of joint laws and correlations stand where they are written; constraints on entries of matrices are
// read, and refused on those that are fixed.
// Mutants: constraints on what is fixed.
func TestJointConfigurations(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "d.csv"), []byte("g,u,v\nA,1,2\nB,0.5,1\nA,0.1,1.5\nB,3,2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const text = `data: d.csv
model:
  parameters:
    mu[g, 2]: normal(0, 1)
    s[2]: half_normal(1)
    L: {shape: cholesky_corr(3), prior: "lkj_corr_cholesky(2)"}
    K: cholesky_corr(2)
    w: simplex(2)
  likelihood: "[u, v] ~ multi_normal_cholesky(mu[g], diag_pre_multiply(s, K))"
  constraints: ["mu[A, 1] <= mu[B,1]", "K[2,1] >= 0"]
`
	for _, c := range []struct{ old, new, want string }{
		{"    w: simplex(2)\n", "", ""}, // good
		{"[u, v]", "[u, u]", `f.yaml:9:20: u stands there twice`},
		{"mu[g], diag", "[mu[g,1], mu[C,2]], diag", `f.yaml:9:57: there is no entry mu[C,2] (there are mu[A,1], mu[B,1], mu[A,2], mu[B,2])`},
		{"mu[g], diag", "mu, diag", `f.yaml:9:47: mu of multi_normal_cholesky is a list`},
		{"(s, K)", "(s, [[1, 0], [K[3,1], 1]])", "f.yaml:9:93: K[3,1] is no entry of K, which has 2 rows and columns: write K[2,1]"},
		{"(s, K)", "(s, L)", "f.yaml:9:54: diag_pre_multiply multiplies each row of a matrix: s has 2 entries, and L 3 rows"},
		{"K[2,1] >= 0", "K[1,2] >= 0", "f.yaml:10:41: K[1,2] is fixed: it is 0 in every cholesky_corr(2)"},
		{"K[2,1] >= 0", "1 <= K[1,1]", "f.yaml:10:46: K[1,1] is fixed: it is 1 in every cholesky_corr(2)"},
		{"K[2,1] >= 0", "K[2,2] >= 0.5", "f.yaml:10:41: K[2,2] is fixed by its row, which has length 1: write sqrt(1 - (K[2,1]^2))"},
		{"K[2,1] >= 0", "mu[C,1] >= 0", "f.yaml:10:41: \"mu[C,1]\" is not defined"},
		{"cholesky_corr(3)", "cholesky_corr(x)", "f.yaml:6:"},
		{"lkj_corr_cholesky(2)", "lkj_corr_cholesky(-2)", "f.yaml:6:"},
		{"half_normal(1)", "multi_normal([0, 0], [[1, 2], [2, 1]])", "f.yaml:5:11: Sigma of multi_normal is not positive definite"},
		{"  constraints", "  labels: L\n  constraints", "f.yaml:10:11: \"L\" is a matrix"},
		{"  constraints", "\nsampler: {init: {\"mu[A,1]\": 0}}\n#", "f.yaml:11:"},
		{"(1)\n", "(1)\n", "f.yaml:10:3: a simplex does not go with a cholesky_corr(k) of more than two rows"},
	} {
		file := filepath.Join(dir, "f.yaml")
		_, err := Parse("fit", file, []byte(strings.Replace(text, c.old, c.new, 1)), nil)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.new, got, c.want)
		}
	}
}
