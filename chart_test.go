package r2sgld_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
)

// Draws may have more coordinates than the potential: those of the chart, in results,
// in what is held when draws are dropped, in those at half the step, and after a resume.
func TestChartOfMoreCoordinates(t *testing.T) {
	normal := potential.Func(1, func(grad, z []float64) float64 {
		grad[0] = z[0]
		return z[0] * z[0] / 2
	})
	p := r2sgld.Problem{Potential: normal, Names: []string{"z"}, Chart: &r2sgld.Chart{Names: []string{"a", "b", "c"},
		Point: func(x, z []float64) { x[0], x[1], x[2] = z[0], 2*z[0], 1 }}}
	var states [][]byte
	s := r2sgld.Settings{Seed: 1, Iterations: 1000, MaxDraws: 64, Start: []float64{0.5}, StepSize: []float64{0.1, 0.1},
		Temperature: []float64{1, 3},
		Certificate: true, Hooks: r2sgld.Hooks{Checkpoint: &r2sgld.Checkpoint{Save: func(_ int, b [][]byte) error { states = b; return nil }}}}
	sample := func(s r2sgld.Settings) *r2sgld.Result {
		res, err := r2sgld.Sample(context.Background(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	whole := sample(s)
	s.Resume = states
	s.Iterations = 2000
	again := sample(s)
	for _, res := range []*r2sgld.Result{whole, again} {
		if got := strings.Join(res.Names, " "); got != "a b c" {
			t.Fatalf("draws of %s", got)
		}
		a, b, c := res.Chains(0)[0], res.Chains(1)[0], res.Chains(2)[0]
		for i := range a {
			if b[i] != 2*a[i] || c[i] != 1 {
				t.Fatalf("draw %d: %g, %g, %g", i, a[i], b[i], c[i])
			}
		}
		if n, half := len(a), res.Ladders[0].Half; n < 30 || n > 64 || len(half.X[0]) != 3*n || half.Chain(0, 2)[0] != 1 {
			t.Errorf("%d draws, %d numbers at half the step", n, len(half.X[0]))
		}
	}
	if x := whole.Chains(0)[0]; !slices.ContainsFunc(x, func(v float64) bool { return v != x[0] }) {
		t.Error("draws do not move")
	}
	p.Potential = potential.Func(2, func(grad, _ []float64) float64 { clear(grad); return 0 })
	p.Names, p.Chart.Names = []string{"y", "z"}, []string{"a"}
	if _, err := r2sgld.Sample(context.Background(), p, s); err == nil || !strings.Contains(err.Error(), "the chart names 1") {
		t.Errorf("fewer coordinates of draws: %v", err)
	}
}
