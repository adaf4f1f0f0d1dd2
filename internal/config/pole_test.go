package config

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
)

// A wall that the density grows without bound towards is told, be it the end of a support or the surface of a
// ball: of several the one that descents have run into, be it by way of others, and none where a mode lies at a
// wall or inside.
// Mutants: lower ends alone; walls of which slopes tell; a mode at a wall.
func TestPoles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "d.csv"), "y\n1\n2\n")
	run, err := Parse("fit", filepath.Join(dir, "f.yaml"), []byte(`data: d.csv
model:
  parameters: {s: half_normal(1), p: "beta(2, 2)", m: "normal(0, 1)", K: cholesky_corr(2), L: cholesky_corr(3)}
  likelihood: y ~ normal(m + p, s)
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	const s, p, m, k, l31, l32 = 0, 1, 2, 3, 5, 6 // places of s, p, m, K[2,1], L[3,1], L[3,2]
	log := func(of int, toward, rate float64) func(grad, x []float64) float64 {
		return func(grad, x []float64) float64 {
			grad[of] += rate / (x[of] - toward)
			return rate * math.Log(math.Abs(x[of]-toward))
		}
	}
	ball := func(grad, x []float64) float64 { // a ridge towards the surface, where m is as near to 1
		off, d := x[m]-1, 1-math.Hypot(x[l31], x[l32])
		r, by := 1-d, 1/d-off*off/(d*d*d)
		grad[l31] -= by * x[l31] / r
		grad[l32] -= by * x[l32] / r
		grad[m] += off / (d * d)
		return math.Log(d) + off*off/(2*d*d)
	}
	linear := func(grad, x []float64) float64 { // a mode at the wall of s
		grad[s] += 5
		return 5 * x[s]
	}
	type terms []func(grad, x []float64) float64
	for _, c := range []struct {
		name string
		u    terms
		at   map[int]float64
		want string
	}{
		{"a mode at a wall", terms{linear}, map[int]float64{s: 1e-9}, ""},
		{"a scale", terms{log(s, 0, 1)}, map[int]float64{s: 1e-9}, "s goes to 0"},
		{"an upper end", terms{log(p, 1, 1)}, map[int]float64{p: 1 - 1e-9}, "p goes to 1"},
		{"a correlation", terms{log(k, -1, 2)}, map[int]float64{k: -1 + 1e-9}, "K[2,1] goes to -1"},
		{"a ball", terms{log(s, 0, 1), ball}, map[int]float64{s: 0.5, l31: 0.6 * (1 - 1e-9), l32: 0.8 * (1 - 1e-9)},
			"L[3,1], L[3,2] go to length 1"},
		{"a ball by way of another", terms{log(s, 0, 1), ball}, map[int]float64{s: 0.5, l31: 0.6 * (1 - 1e-9), l32: 0.8 * (1 - 1e-9),
			m: 1 + 1e-9}, "L[3,1], L[3,2] go to length 1"},
		{"beside a mode at a wall", terms{linear, log(p, 0, 1)}, map[int]float64{s: 1e-9, p: 1e-6}, "p goes to 0"},
		{"of two the nearer", terms{log(s, 0, 1), log(p, 1, 1)}, map[int]float64{s: 1e-3, p: 1 - 1e-6}, "p goes to 1"},
	} {
		u := potential.Func(7, func(grad, x []float64) (energy float64) {
			clear(grad)
			for _, f := range c.u {
				energy += f(grad, x)
			}
			return energy
		})
		x := []float64{0.5, 0.5, 1, 0.1, 0.1, 0.1, 0.1}
		for j, v := range c.at {
			x[j] = v
		}
		got := ""
		if at := pole(r2sgld.Problem{Potential: u, Domain: run.Problem.Domain}, run.Rows, x); at != nil {
			if got = at.goes; strings.Contains(got, "[") != strings.Contains(at.advice, "correlations") {
				t.Errorf("%s: the advice is %q", c.name, at.advice)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
