package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/tune"
)

// An outcome is how far a run is from the truth.
type outcome struct {
	sum      *report.Summary
	evidence map[string]*float64 // log_evidence, if all of the run was made
	reason   any                 // why it is not known; nil if it is
	gaps     []gap
}

// A gap is an estimate less the truth, with its standard error and the bias that
// the summary states.
type gap struct {
	of            string
	gap, se, bias float64
}

// beyond is the largest gap, less the stated bias, in standard errors.
func (o *outcome) beyond() (most float64, of string) {
	for _, g := range o.gaps {
		if v := max(0, math.Abs(g.gap)-g.bias) / g.se; !(v <= most) {
			most, of = v, g.of
		}
	}
	return most, of
}

// spread is the difference between the largest and the smallest rejection.
func (o *outcome) spread() float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, p := range o.sum.Swaps.Pairs {
		lo, hi = min(lo, p.MeanProbability), max(hi, p.MeanProbability)
	}
	return max(0, hi-lo)
}

// trips is how many round trips the rejections of the pairs allow for, 1/(1 + Σ r/(1 − r))
// (Syed et al. 2022), over what equal ones of the same sum would.
func (o *outcome) trips() float64 {
	n, sum, odds := float64(len(o.sum.Swaps.Pairs)), 0.0, 0.0
	for _, p := range o.sum.Swaps.Pairs {
		r := 1 - p.MeanProbability
		sum, odds = sum+r, odds+r/(1-r)
	}
	return (1 + sum/(1-sum/n)) / (1 + odds)
}

// compare takes draws[parameter][ladder].
func (o *outcome) compare(names []string, draws [][][]float64, want target) {
	bias := o.sum.Ladder.StepBias
	for j, name := range names {
		all := slices.Concat(draws[j]...)
		o.gaps = append(o.gaps, gap{"mean of " + name, diag.Mean(all) - want.Mean[j], diag.MCSEMean(draws[j]), bias * want.SD[j]})
		o.gaps = append(o.gaps, gap{"sd of " + name, diag.SD(all) - want.SD[j], diag.MCSESd(draws[j]), bias / 2 * want.SD[j]})
	}
	x := make([]float64, len(names))
	for _, m := range want.Modes {
		in := make([][]float64, len(draws[0]))
		for l, chain := range draws[0] {
			in[l] = make([]float64, len(chain))
			for k := range chain {
				for j := range x {
					x[j] = draws[j][l][k]
				}
				if m.in(x) {
					in[l][k] = 1
				}
			}
		}
		// Masses of fewer than 25 draws' worth are left out: their counts are not normal.
		if ess := diag.ESSMean(in); m.mass*ess > 25 {
			o.gaps = append(o.gaps, gap{"mass of " + m.name, diag.Mean(slices.Concat(in...)) - m.mass,
				math.Sqrt(m.mass * (1 - m.mass) / ess), bias * m.mass})
		}
	}
}

// wholeRun makes a run as a user does.
func wholeRun(t *testing.T, command, file string, seed int, want target) *outcome {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if code := run(t.Context(), []string{command, file, "--seed", fmt.Sprint(seed), "--out", dir, "--quiet"}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	o := &outcome{sum: &report.Summary{}}
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var e struct {
		Evidence map[string]any `json:"log_evidence"`
	}
	if err := json.Unmarshal(b, &e); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, o.sum); err != nil {
		t.Fatal(err)
	}
	o.evidence, o.reason = map[string]*float64{}, e.Evidence["reason"]
	delete(e.Evidence, "reason")
	for key, v := range e.Evidence {
		if number, ok := v.(float64); ok {
			o.evidence[key] = &number
		} else {
			o.evidence[key] = nil
		}
	}
	d, err := store.Read(0, dir)
	if err != nil {
		t.Fatal(err)
	}
	o.compare(d.Names, d.X, want)
	return o
}

// drawsAlone makes the draws of a run alone, without evidence, figures and files.
func drawsAlone(t *testing.T, command, file string, seed int, want target) *outcome {
	t.Helper()
	c, err := config.Load(command, file, []string{fmt.Sprint("sampler.seed=", seed)})
	if err != nil {
		t.Fatal(err)
	}
	res, s, err := tune.Sample(t.Context(), c.Problem, c.Settings, *c.Until)
	if err != nil {
		t.Fatal(err)
	}
	sum := report.New(c.Name, "auto", c.Problem, s, res, nil, 1)
	judged := c.Until.Judge(res)
	sum.Stopped(*c.Until, judged)
	if sum.Ladder.StepBias = tune.Bias; sum.Exact {
		sum.Ladder.StepBias = 0
	}
	o := &outcome{sum: sum}
	by := make([][][]float64, len(res.Names))
	for j := range by {
		by[j] = res.Chains(j)
	}
	o.compare(res.Names, by, want)
	return o
}

// check holds a run against what method auto promises.
func (o *outcome) check(t *testing.T, seed int) {
	t.Helper()
	s := o.sum
	if !s.Until.Met || !(s.Until.RHat <= 1.01 && s.Until.ESS >= 400) {
		t.Errorf("seed %d: the rule is not met: R̂ %g, ESS %g", seed, s.Until.RHat, s.Until.ESS)
	}
	if s.Domain.Outside != 0 {
		t.Errorf("seed %d: %d draws outside", seed, s.Domain.Outside)
	}
	if v := o.spread(); !s.Exact && !(v <= 0.1) {
		t.Errorf("seed %d: rejections of pairs differ by %g", seed, v)
	}
	if v := o.trips(); s.Exact && !(v >= 0.6) {
		t.Errorf("seed %d: rejections of pairs allow for %g of the round trips of equal ones", seed, v)
	}
	if v, of := o.beyond(); !(v < 4) {
		t.Errorf("seed %d: the %s is %.1f standard errors and the stated bias off", seed, of, v)
	}
	if s.Name == "modes" {
		for _, g := range o.gaps {
			if g.of == "mass of left" && !(math.Abs(g.gap) <= 0.02) {
				t.Errorf("seed %d: weight of the left mode off by %g", seed, g.gap)
			}
		}
	}
}

// checkEvidence holds log Z against the truth.
func (o *outcome) checkEvidence(t *testing.T, seed int, want float64) {
	t.Helper()
	e := o.evidence
	if e["estimate"] == nil || e["se"] == nil {
		t.Fatalf("seed %d: no log Z", seed)
	}
	off, se := *e["estimate"]-want, *e["se"]
	if !(math.Abs(off) <= 3*se && math.Abs(off) <= 0.02) {
		t.Errorf("seed %d: log Z is off by %.4f, standard error %.4f", seed, off, se)
	}
	t.Logf("seed %d: log Z off by %+.4f, standard error %.4f, that is %+.2f; bias of the step %+.4f ± %.4f", seed, off, se, off/se,
		*e["step_bias"], *e["step_bias_se"])
}

// Method auto, given nothing but a target and a domain, ends by its rule and is
// right: all means, sds and masses of modes within four standard errors and the
// stated bias, rejections of all pairs within 0.1 of each other (of exact kernels, whose
// warm-up is short, so near that round trips are three fifths as many at least), the weight of a
// mode of 0.3 within 0.02, log Z within three standard errors and 0.02.
//
// The seed is fixed. Four standard errors would be exceeded by 6e-5 of normal
// gaps, by 1.1 % of tests of these 175; of a random seed
// a limit of 5.8 would be exceeded by 1e-6 of such tests.
//
// Mutants: swaps with Δβ of the other sign, or 0.7 of it; a hot end of the ladder at
// β > 0 on a bounded domain (log Z); steps ten times as large; the whitening's map
// not put on the domain.
func TestAuto(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	auto := func(name string) string { return "testdata/auto/" + name + ".yaml" }
	cases := []struct {
		name, command, file string
		want                target
		make                func(t *testing.T, command, file string, seed int, want target) *outcome
	}{
		{"flower", "sample", auto("flower"), planeTruth(t, "flower"), wholeRun},
		{"octagon", "sample", auto("octagon"), planeTruth(t, "octagon"), wholeRun},
		{"heart", "sample", auto("heart"), heartTruth(), drawsAlone},
		{"lynx-hare", "identify", "../../examples/lynx-hare.yaml", fileTruth(t, "lynx_hare.json", "posterior"), drawsAlone},
		{"modes", "sample", auto("modes"), modesTruth(), drawsAlone},
		{"chain", "sample", auto("chain"), chainTruth(), drawsAlone},
		{"simplex", "sample", auto("simplex"), fileTruth(t, "dirichlet.json", "truth"), wholeRun},
		{"box", "sample", auto("box"), fileTruth(t, "gauss_box.json", "truth"), wholeRun},
		{"ball", "sample", auto("ball"), fileTruth(t, "gauss_ball.json", "truth"), wholeRun},
	}
	last := 1
	if pace.Soaking() {
		last = 8
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			for seed := 1; seed <= last; seed++ {
				o := c.make(t, c.command, c.file, seed, c.want)
				s := o.sum
				v, of := o.beyond()
				t.Logf("seed %d: R̂ %.4f, ESS %.0f, %d rungs, rejections within %.3f, %d iterations after %d of warm-up, %.1f s; most beyond its "+
					"bias: %s, %.2f", seed,
					s.Until.RHat, s.Until.ESS, len(s.Ladder.InverseTemperature), o.spread(), s.Iterations, s.Ladder.WarmUp, s.Seconds, of, v)
				o.check(t, seed)
				if o.evidence != nil {
					o.checkEvidence(t, seed, c.want.LogZ)
				}
			}
		})
	}
}

// An unbounded domain has no uniform law: no log Z is written, rather than a wrong
// one, and means and sds are right.
func TestAutoOnAHalfSpace(t *testing.T) {
	pace.Slow(t)
	o := wholeRun(t, "sample", "testdata/auto/half.yaml", 1, fileTruth(t, "gauss_halfspace.json", "truth"))
	o.check(t, 1)
	for key, v := range o.evidence {
		if v != nil {
			t.Errorf("log_evidence.%s is %g", key, *v)
		}
	}
	if text, _ := o.reason.(string); !strings.Contains(text, "no bounds of the domain are known") {
		t.Errorf("the reason is %v", o.reason)
	}
}
