package config

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
)

const planeSample = `variables: [x, y, z]
potential: "(x^2 + y^2 + z^2)/2"
domain:
  constraints: ["x + y + z = 3"]
sampler: {method: r-sgld, kernel: harmonic, iterations: 5000, burn_in: 100, ladders: 4, thin: 1, temperature: [1]}
`

func parsed(t *testing.T, text string, set ...string) *Run {
	t.Helper()
	run, err := Parse("sample", "f.yaml", []byte(text), set)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// A normal law on the plane x + y + z = 3 has means 1 and variances 2/3, and draws
// told in x, y and z that lie on it. Kills columns of Span of unlike lengths: another
// law, and a chart without its origin.
func TestEquationConditions(t *testing.T) {
	run := parsed(t, planeSample)
	res, err := r2sgld.Sample(context.Background(), run.Problem, run.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(res.Names, " "); got != "x y z" {
		t.Fatalf("draws of %s", got)
	}
	if n := res.Tally(0).Outside; n > 0 {
		t.Errorf("%d draws outside", n)
	}
	chains := [3][][]float64{res.Chains(0), res.Chains(1), res.Chains(2)}
	for l := range chains[0] {
		for i := range chains[0][l] {
			if sum := chains[0][l][i] + chains[1][l][i] + chains[2][l][i]; math.Abs(sum-3) > 1e-12 {
				t.Fatalf("x + y + z = %g", sum)
			}
		}
	}
	for j, c := range chains {
		s := diag.Summarize(res.Names[j], c, math.Inf(-1), math.Inf(1))
		if math.Abs(s.Mean-1) > 4.9*s.MCSEMean || s.ESSBulk < 1000 {
			t.Errorf("mean of %s: %g ± %g, %g effective draws", res.Names[j], s.Mean, s.MCSEMean, s.ESSBulk)
		}
		// The standard error of the variance of n normal draws is √(2/n) of it.
		if v := s.SD * s.SD; math.Abs(v*1.5-1) > 4.9*math.Sqrt(2/s.ESSBulk) {
			t.Errorf("variance of %s: %g", res.Names[j], v)
		}
	}
}

// Shares that add up to 1, of an orthant that is not bounded: the slice is, and the
// volume is its area, √3/2. A start is told in x and taken on the slice.
func TestEquationBounds(t *testing.T) {
	text := strings.Replace(planeSample, `["x + y + z = 3"]`, `["x >= 0", "y >= 0", "z >= 0", "2*x + 2*y == 2 - 2*z"]`, 1)
	run := parsed(t, text)
	p := run.Problem
	v, se, err := p.Mass(t.Context(), rand.New(rand.NewPCG(1, 1)))
	if err != nil || math.Abs(v-math.Log(math.Sqrt(3)/2)) > 1e-9+4.9*se {
		t.Errorf("log volume %g (%v)", v, err)
	}
	lo, hi := domain.BoundsOf(p.Reported(), 3)
	for j := range lo {
		if math.Abs(lo[j]) > 1e-9 || math.Abs(hi[j]-1) > 1e-9 {
			t.Errorf("bounds %v, %v", lo, hi)
		}
	}
	if run.Settings.Start != nil {
		t.Errorf("start %v on a bounded slice", run.Settings.Start)
	}
	run = parsed(t, text, "sampler.init={x: 0.2, y: 0.3, z: 0.5}")
	x := make([]float64, 3)
	run.Problem.Chart.Point(x, run.Settings.Start)
	if math.Abs(x[0]-0.2)+math.Abs(x[1]-0.3)+math.Abs(x[2]-0.5) > 1e-12 || len(run.Settings.Start) != 2 {
		t.Errorf("start %v: %v", run.Settings.Start, x)
	}
	if _, err := Parse("sample", "f.yaml", []byte(text), []string{"sampler.init={x: 0.2, y: 0.3, z: 0.6}"}); err == nil ||
		!strings.Contains(err.Error(), "outside") {
		t.Errorf("a start off the equation: %v", err)
	}
}

// A turned box a billion times as long as wide is sampled in round coordinates, and told
// in the variables: log Z of the flat potential is its volume, the widths are right.
func TestNeedle(t *testing.T) {
	run := parsed(t, `variables: [x, y]
potential: "0"
domain:
  constraints: ["0.6*x + 0.8*y <= 1", "0.6*x + 0.8*y >= -1", "0.8*x - 0.6*y <= 1e-9", "0.8*x - 0.6*y >= -1e-9"]
sampler: {method: r-sgld, step_size: 1e-9, iterations: 4000, thin: 1, burn_in: 1}
`)
	res, err := r2sgld.Sample(context.Background(), run.Problem, run.Settings)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(res.Names, " "); got != "x y" || res.Tally(0).Outside+res.Tally(0).Fallbacks > 0 {
		t.Fatalf("%s, %+v", got, res.Tally(0))
	}
	log, _, err := run.Problem.Mass(t.Context(), rand.New(rand.NewPCG(1, 2)))
	if err != nil || math.Abs(log-math.Log(4e-9)) > 1e-6 {
		t.Errorf("log volume %g, %v", log, err)
	}
	x, y := res.Chains(0), res.Chains(1)
	for l := range x {
		for i := range x[l] {
			if v := 0.8*x[l][i] - 0.6*y[l][i]; math.Abs(v) > 1.001e-9 {
				t.Fatalf("%g from the middle", v)
			}
		}
	}
}

// A variable that an equation ties to others has a density though the potential and the
// inequalities do not see it; one that no equation holds has none.
func TestTiedVariables(t *testing.T) {
	const text = `name: tied
variables: [x, y, z]
potential: "(x^2 + y^2)/2"
domain: {constraints: "x + y + z = 1"}
`
	parsed(t, text)
	_, err := Parse("sample", "f.yaml", []byte(text), []string{`domain.constraints="x + y = 1"`})
	if err == nil || !strings.Contains(err.Error(), `"z" is not in the potential`) {
		t.Errorf("%v", err)
	}
}

// A variable that walls hold for every value of the others has a density though the
// potential does not see it and no numbers bound it; one that they let go one way has none.
func TestVariablesBetweenSlantedWalls(t *testing.T) {
	const text = `name: cone
variables: [x, y]
potential: "x"
domain: {constraints: ["-x <= y", "%s"]}
`
	for _, wall := range []string{"y <= x", "y^2 <= x^2 + 1", "y^3 <= x"} {
		parsed(t, fmt.Sprintf(text, wall))
	}
	for _, wall := range []string{"y >= 0", "x <= 7", "y^3 >= x"} {
		_, err := Parse("sample", "f.yaml", []byte(fmt.Sprintf(text, wall)), nil)
		if err == nil || !strings.Contains(err.Error(), `"y" is not in the potential`) {
			t.Errorf("%s: %v", wall, err)
		}
	}
}
