package main

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/tune"
)

// Across features narrower than a step method auto takes an exact kernel, says why, and is
// right, within 5 standard errors (chance: 6e-7): means by quadrature. Given sgld, it warns.
// Where steps resolve what there is it takes the kernel for its draws. A slope towards a wall
// that steps of a hot rung are too long for is such a feature.
//
// Mutants: steps that nobody finds too long; others under NotCoarse.
func TestAutoAcrossFeatures(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	for i, c := range []struct {
		potential string
		mean      float64
		kernel    string
		domain    string
	}{
		{"4*tanh(80*(x-1)) + x^2/2", -0.29333, "null", "null"},
		{"tanh(160*(x-1)) + x^2/2", -0.24338, "null", "null"},
		{"6*exp(-(250*(x-0.2))^2) + x^2/2", -0.00093, "null", "null"},
		{"4*tanh(80*(x-1)) + x^2/2", -0.29333, "sgld", "null"},
		{"sin(6*x) + x^2/2", 0, "null", "null"},
		{"log(x)", 0.14462, "null", "{box: {x: [0.001, 1]}}"},
		{"0.9*log(x)", 0.17072, "sgld", "{box: {x: [0.0005, 1]}}"},
	} {
		file := write(t, dir, "feature.yaml", fmt.Sprintf("variables: [x]\npotential: %q\ndomain: %s\n", c.potential, c.domain))
		out := filepath.Join(dir, fmt.Sprint(i))
		if p := start(t, "sample", file, "--out", out, "--set", "sampler.kernel="+c.kernel); p.code(t) != exitDone {
			t.Fatal(&p.stderr)
		}
		s := summaryOf(t, out)
		x := s.Parameters[0]
		narrow := c.mean != 0
		warned := strings.Contains(strings.ReplaceAll(strings.Join(s.Warnings, " "), " far ", " "), "features narrower than a step")
		because := ""
		if s.Kernel != nil {
			because = s.Kernel.Because
		}
		given := c.kernel == "sgld"
		if narrow && s.Exact == given || warned != given || !given && (because == tune.ForFeatures) != narrow {
			t.Errorf("%s, kernel %s: exact %v because of %q, warnings %q", c.potential, c.kernel, s.Exact, because, s.Warnings)
		}
		if z := math.Abs(x.Mean-c.mean) / x.MCSEMean; c.kernel == "null" && narrow && !(z < 5) {
			t.Errorf("%s: mean %.4f, %.1f standard errors from %.4f", c.potential, x.Mean, z, c.mean)
		}
	}
}

// In wells as narrow as a thousandth of the domain method auto is right, within so many
// standard errors that one of all runs is beyond them with a chance of 1e-6: means by
// quadrature. SGLD with the steps that the rest of the density allows is 11 and more off, or
// never leaves its steps at the bottom of the well; auto takes an exact kernel, or steps that
// the well allows where the fitted law led there.
//
// Mutant: SGLD goes on whatever its steps and draws tell.
func TestAutoInNarrowWells(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	wells := map[int]float64{40: 0.240072, 120: 0.095285, 400: 0.030629}
	first, last := pace.Soak(3, 1), pace.Soak(4, 20)
	most := math.Sqrt2 * math.Erfcinv(1e-6/float64(len(wells)*(last-first+1)))
	for width, mean := range wells {
		file := write(t, t.TempDir(), "well.yaml",
			fmt.Sprintf("variables: [x]\npotential: \"-4*exp(-(%d*(x-1))^2) + x^2/2\"\ndomain: {box: {x: [-5, 5]}}\n", width))
		for seed := first; seed <= last; seed++ {
			c, err := config.Load("sample", file, []string{fmt.Sprint("sampler.seed=", seed)})
			if err != nil {
				t.Fatal(err)
			}
			res, s, err := tune.Sample(t.Context(), c.Problem, c.Settings, *c.Until)
			if err != nil {
				t.Fatal(err)
			}
			x := report.Parameters(res, c.Problem.Reported())[0]
			if z := math.Abs(x.Mean-mean) / x.MCSEMean; !(z < most) || !s.Unbiased() && (res.Jumps(0).Certain() || res.Jumps(0).Coarse(tune.Bias)) {
				t.Errorf("a well of width 1/%d, seed %d: mean %.4f, %.1f standard errors from %.4f", width, seed, x.Mean, z, mean)
			}
		}
	}
}

// Across jumps method auto takes an exact kernel, says so, and is right, within 5 standard
// errors (chance: 6e-7): means in closed form. Given sgld, it warns, and plan plans that.
//
// Mutants: jumps that the warm-up does not hand on, a kernel that is not taken, one that is
// taken in spite of what is given.
func TestAutoAcrossJumps(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	for i, c := range []struct {
		potential string
		mean      float64
	}{
		{"-logsumexp(log(0.8)+uniform_lpdf(x,0,1), log(0.2)+uniform_lpdf(x,-1,0))", 0.3},
		{"2*x/abs(x)", -math.Tanh(2) / 2},
		{"3*tanh(x*1e5)", -math.Tanh(3) / 2},
	} {
		file := write(t, dir, "jump.yaml", fmt.Sprintf("variables: [x]\npotential: %q\ndomain: {box: {x: [-1, 1]}}\n", c.potential))
		out := filepath.Join(dir, fmt.Sprint(i))
		p := start(t, "sample", file, "--out", out)
		if code := p.code(t); code != exitDone {
			t.Fatalf("exit %d: %s", code, &p.stderr)
		}
		s := summaryOf(t, out)
		x := s.Parameters[0]
		if z := math.Abs(x.Mean-c.mean) / x.MCSEMean; !(z < 5) || !s.Exact || !s.Until.Met || len(s.Warnings) > 0 ||
			!strings.Contains(p.stderr.String(), "the potential jumps") {
			t.Errorf("%s: mean %.3f, %.1f standard errors from %.3f, exact %v, warnings %q", c.potential, x.Mean, z, c.mean, s.Exact, s.Warnings)
		}
		if i > 0 {
			continue
		}
		p = start(t, "sample", file, "--out", filepath.Join(dir, "sgld"), "--set", "sampler.kernel=sgld")
		if code := p.code(t); code != exitDone || !strings.Contains(strings.Join(summaryOf(t, filepath.Join(dir, "sgld")).Warnings, " "),
			"the potential jumps") {
			t.Errorf("given sgld: exit %d: %s", code, &p.stderr)
		}
		for _, kernel := range []string{"sgld", "null"} {
			var plan tune.Plan
			p = start(t, "plan", file, "--json", "--set", "sampler.kernel="+kernel)
			if code := p.code(t); code != exitDone || json.Unmarshal(p.stdout.Bytes(), &plan) != nil {
				t.Fatalf("plan: exit %d: %s", code, &p.stderr)
			}
			if sgld := plan.Tuned.Taken == ""; sgld != (kernel == "sgld") {
				t.Errorf("kernel %s: hmc planned for %q", kernel, plan.Tuned.Taken)
			}
		}
	}
}
