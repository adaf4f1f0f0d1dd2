package multimodal

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/significance"
	"github.com/r2sgld/r2sgld/internal/study"
)

// inTheMiddle runs a method on the uniform law of [0,1]² and returns the share of
// the draws with coordinate x between 0.2 and 0.8, and that inside [0,1], by run.
func inTheMiddle(t *testing.T, method string, runs, iterations int) (middle, inside []float64) {
	t.Helper()
	text := fmt.Sprintf("variables: [x, y]\npotential: \"0*x*y\"\ndomain: {box: {x: [0, 1], y: [0, 1]}}\n"+
		"sampler: {%s, iterations: %d, burn_in: %d, thin: 10, ladders: %d, seed: 11, init: {x: 0.5, y: 0.5}}\n", method, iterations,
		iterations/10, runs)
	run, err := config.Parse("sample", "bias", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := r2sgld.Sample(context.Background(), run.Problem, run.Settings)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range r.Ladders {
		x := l.Chain(0, 0)
		var m, in float64
		for _, v := range x {
			if v > 0.2 && v < 0.8 {
				m++
			}
			if v >= 0 && v <= 1 {
				in++
			}
		}
		middle, inside = append(middle, m/float64(len(x))), append(inside, in/float64(len(x)))
	}
	return middle, inside
}

// far reports by how many standard errors runs are off a value.
func far(v []float64, want float64) float64 {
	s := significance.MeanSEOf(v)
	return math.Abs(s.Mean-want) / s.SE
}

// Projection has the bias of theory: its walk of steps σ is that of a domain
// wider by 0.5826 σ at each wall (−ζ(½)/√2π; Siegmund 1979), the excess lying at
// the walls, so that 0.6/(1 + 2·0.5826 σ) of the draws lie in the middle. Reflection
// has none. Twenty runs: t with 19 degrees of freedom, two-sided 1e-6 at 7.2. It
// kills: projection that reflects, atoms of another size (5 % here).
func TestProjectionHasItsBias(t *testing.T) {
	const step = 1e-3
	sigma := math.Sqrt(2 * step)
	projected, _ := inTheMiddle(t, fmt.Sprintf("method: projected-sgld, step_size: %g", step), 20, 80_000)
	reflected, _ := inTheMiddle(t, fmt.Sprintf("method: r-sgld, step_size: %g", step), 20, 80_000)
	biased := 0.6 / (1 + 2*0.5826*sigma)
	if z := far(projected, biased); z > 7.2 {
		t.Errorf("projection: %s in the middle, theory says %.4f (%.1f standard errors)", short(interval(projected)), biased, z)
	}
	if z := far(projected, 0.6); z < 7.2 {
		t.Errorf("projection shows no bias: %s in the middle, %.1f standard errors from 0.6", short(interval(projected)), z)
	}
	if z := far(reflected, 0.6); z > 7.2 {
		t.Errorf("reflection: %s in the middle, want 0.6 (%.1f standard errors)", short(interval(reflected)), z)
	}
}

// MYULA has the bias of theory: its law is exp(−dist²/2λ), of which
// 1/(1 + 2 sqrt(πλ/2)) lies inside per coordinate; the step's own bias is η/4λ of
// what is outside, 0.1 % here. It kills: λ in place of 1/λ or of λ/2.
func TestMYULAHasItsBias(t *testing.T) {
	const lambda = 0.02
	_, inside := inTheMiddle(t, fmt.Sprintf("method: myula, smoothing: %g, step_size: 4e-4", lambda), 20, 100_000)
	want := 1 / (1 + 2*math.Sqrt(math.Pi*lambda/2))
	if z := far(inside, want); z > 7.2 {
		t.Errorf("%s inside, theory says %.4f (%.1f standard errors)", short(interval(inside)), want, z)
	}
	if got := interval(inside).Mean; got > 0.9 {
		t.Errorf("%.3f inside: no bias to be seen", got)
	}
}

// r2SGLD with kernel hmc is exact: E U, E r² by quadrature on all five domains.
// Twenty runs: ten comparisons by t with 19 degrees of freedom, two-sided 1e-6 in
// all at 8.3. It kills: no Metropolis step (variances within a mode larger by a
// quarter), specular reflection without the momentum, swaps that keep momenta.
func TestHamiltonianIsExact(t *testing.T) {
	pace.Slow(t)
	five, err := scenes(shapes(), 2)
	if err != nil {
		t.Fatal(err)
	}
	m := planner{study.Options{Scale: study.Paper, Seed: 5}}
	p := protocol{name: "paper", iterations: 40_000, thin: 1}
	var plans []plan
	for _, s := range five {
		q := m.hamiltonian(s, p)[1]
		q.runs = 20
		plans = append(plans, q)
	}
	all, err := runAll(context.Background(), study.Options{Threads: 2}.Batch("cases"), plans)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range all {
		if o.Outside != 0 {
			t.Errorf("%s: %d draws outside", o.name(), o.Outside)
		}
		exact := o.scene.region.Moments(1)
		for which, want := range []float64{exact.MeanU, exact.MeanR2} {
			v := o.moment(which)
			z := math.Abs(v.Mean-want) / v.over(o.runs).SE
			if z > 8.3 {
				t.Errorf("%s: moment %d is %s, want %.4f (%.1f standard errors)", o.name(), which, short(v), want, z)
			}
			t.Logf("%s: moment %d is %s, exact %.4f (%.1f standard errors)", o.scene.name, which, short(v), want, z)
		}
	}
}
