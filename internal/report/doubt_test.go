package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// What is to be said of many parameters is said once, with the worst of them.
//
// Mutants it kills: a sentence a parameter, the first in place of the worst, sds known to 3 %.
func TestDoubts(t *testing.T) {
	var ps []Parameter
	for i := range 20 {
		ps = append(ps, Parameter{Name: fmt.Sprintf("x%d", i+1), RHat: 1.02, ESSBulk: 300, ESSTail: 280})
	}
	ps[6].RHat, ps[2].RHat, ps[3].RHat = 1.31, 1, 1
	ps[3].ESSTail, ps[4].RHat = 90, math.NaN()
	ps[5].RHat, ps[5].Q50 = math.NaN(), math.NaN()
	want := []string{
		"x6: not all draws are finite numbers, so that nothing can be told of them. Look for NaN and Inf in the draws.",
		"x5: the draws do not vary, or are too few to judge. Take a smaller step size, or more draws.",
		"16 of 20 parameters, worst x7: R̂ 1.310 and ESS 280: the ladders have not come to agree. Run several times as long " +
			"(sampler.iterations), with larger steps, or with several rungs (method r2sgld).",
		"2 of 20 parameters, worst x4: ESS 300 (bulk), 90 (tail) is below 400: quantiles and intervals are rough. Run longer " +
			"(sampler.iterations).",
	}
	if diff := cmp.Diff(want, Doubts("parameters", ps, 1)); diff != "" {
		t.Error(diff)
	}
	for _, tail := range []float64{400, math.NaN()} {
		if got := Doubts("parameters", []Parameter{{Name: "x", RHat: 1, ESSBulk: 400, ESSTail: tail}}, 2); got != nil {
			t.Error(got)
		}
	}
	loose := []Parameter{{Name: "x", SD: 2, MCSESD: 0.08, RHat: 1, ESSBulk: 400, ESSTail: 400},
		{Name: "y", SD: 2, MCSESD: 0.06, RHat: 1, ESSBulk: 400, ESSTail: 400}, {Name: "z", SD: 1, MCSESD: 0.07, RHat: 1, ESSBulk: 400, ESSTail: 400}}
	want = []string{"2 of 3 outputs, worst z: the sd is known to 7 % only (1 ± 0.07): it rests on few draws far out, or on few " +
		"that are independent. Run longer (sampler.iterations, sampler.until.ess), or go by quantiles."}
	if diff := cmp.Diff(want, Doubts("outputs", loose, 2)); diff != "" {
		t.Error(diff)
	}
	far := []Parameter{{Name: "x", RHat: 1, ESSBulk: 400, ESSTail: 400, slope: tune.Slope{Exponent: 3.6, SE: 0.1}},
		{Name: "y", SD: 1, MCSESD: 0.07, RHat: 1, ESSBulk: 400, ESSTail: 400, slope: tune.Slope{Exponent: 3.3, SE: 0.1}},
		{Name: "z", RHat: 1, ESSBulk: 400, ESSTail: 400, slope: tune.Slope{Exponent: 3.3, SE: 0.1}, tail: diag.Tail{Shape: 0.4, SE: 0.05}},
		{Name: "w", RHat: 1, ESSBulk: 400, ESSTail: 400, slope: tune.Slope{Exponent: 3.9, SE: 0.1}}}
	want = []string{"z: a tail is heavy (Pareto shape 0.4, where the error of an sd needs one below 0.25): the sd rests on a few draws far " +
		"out, and may be off by more than its error tells, mostly too small. Go by quantiles, or sample a logarithm of it.",
		"2 of 4 parameters, worst y: far out the density falls like a power of the distance, with an exponent of about 3.3 (an sd needs " +
			"more than 3, its error more than 5): draws go there so seldom that the sd may be off by more than its error tells, mostly " +
			"too small. Go by quantiles, or bound it (domain)."}
	if diff := cmp.Diff(want, Doubts("parameters", far, 2)); diff != "" {
		t.Error(diff)
	}
	for rhat, want := range map[float64]string{1: "x: ESS 85 (bulk), – (tail) is below 400", 1.5: "x: R̂ 1.500 and ESS 85: "} {
		got := Doubts("parameters", []Parameter{{Name: "x", RHat: rhat, ESSBulk: 85.4, ESSTail: math.NaN()}}, 2)
		if len(got) != 1 || !strings.HasPrefix(got[0], want) {
			t.Errorf("%q, want %s…", got, want)
		}
	}
}

// Tables fold columns: every block has the names, no line is wider than the terminal.
func TestGridFolds(t *testing.T) {
	ps := []Parameter{{Name: "a-rather-long-name-of-a-parameter-that-goes-on", Mean: 1, SD: 0.1, ESSBulk: 1000, ESSTail: 1000,
		RHat: 1.2}, {Name: "b", SD: 1}}
	got := Table(ps, text.Style{Width: 44})
	for line := range strings.SplitSeq(got, "\n") {
		if n := text.Columns(line); n > 44 {
			t.Errorf("%d columns: %q", n, line)
		}
	}
	if whole := Table(ps, text.Style{}); strings.Count(whole, "\n") != 3 || strings.Count(got, " b ") < 2 {
		t.Errorf("%s\n%s", whole, got)
	}
}

// A summary asks the potential for a Gaussian only where a warning is to name the kernel
// that knows it, and for slopes only where ladders do not agree. Mutant: asked in every run.
func TestExactKernelIsLookedForInNeed(t *testing.T) {
	calls := 0
	p := r2sgld.Problem{Names: []string{"x"}, Potential: potential.Func(1, func(grad, x []float64) float64 {
		calls++
		grad[0] = x[0]
		return x[0] * x[0] / 2
	})}
	s := r2sgld.Settings{Seed: 1, Threads: 1, Iterations: 1000, StepSize: []float64{0.5}, Start: []float64{0}}
	res, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	calls = 0
	sum := New("x", "sgld", p, s, res, nil, 1)
	if calls > 0 {
		t.Errorf("%d calls for %q", calls, sum.Warnings)
	}
	for range 2 {
		sum.Widened(1, 0)
		if w := sum.Warnings[len(sum.Warnings)-1]; !strings.Contains(w, ByKernel+"harmonic") {
			t.Error(w)
		}
	}
}

// Energies whose differences drown in rounding are told: at 1e16 numbers are 2 apart, at
// 1e14 they are 1/64, at 1e13 1/512.
func TestRoundedEnergies(t *testing.T) {
	for u, want := range map[float64]int{1e16: 1, -1e16: 1, 1e14: 1, 1e13: 0, 0: 0, math.NaN(): 0, math.Inf(1): 0} {
		if got := (&Summary{Energy: Moments{Mean: u}}).rounded(); len(got) != want {
			t.Errorf("%g: %q", u, got)
		}
	}
}
