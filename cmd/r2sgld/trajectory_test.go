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
	"time"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
)

// stan is what Stan says of a parameter.
type stan struct {
	Mean, SD float64
	MCSE     float64 `json:"mcse_mean"`
	Bulk     float64 `json:"ess_bulk"`
	Tail     float64 `json:"ess_tail"`
	ourName  string
}

// stanLynx is Stan's posterior of lynx and hare, under our names.
func stanLynx(t *testing.T) []stan {
	var r struct {
		Order      []string
		Parameters map[string]stan
	}
	reference(t, "lynx_hare_trajectory.json", &r)
	names := []string{"alpha", "beta", "gamma", "delta", "H.initial", "L.initial", "H.noise", "L.noise"}
	if len(r.Order) != len(names) {
		t.Fatalf("parameters %v", r.Order)
	}
	var out []stan
	for j, key := range r.Order {
		s := r.Parameters[key]
		s.ourName = names[j]
		out = append(out, s)
	}
	return out
}

// sdError is the standard error of Stan's standard deviation: of n independent draws
// the variance of s² is σ⁴(κ − 1)/n, with the kurtosis κ of our draws x.
func (s stan) sdError(x []float64) float64 {
	m, fourth := diag.Mean(x), 0.0
	for _, v := range x {
		fourth += math.Pow((v-m)/s.SD, 4) / float64(len(x))
	}
	return s.SD * math.Sqrt((fourth-1)/(4*min(s.Bulk, s.Tail)))
}

// lynxRun runs the trajectory of lynx and hare from the priors and returns draws and
// summary.
func lynxRun(t *testing.T, seed, ladders int) (*store.Draws, report.Summary) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	if code := run(t.Context(), []string{"identify", "../../examples/lynx-hare-trajectory.yaml", "--seed", fmt.Sprint(seed),
		"--out", dir, "--quiet",
		"--set", fmt.Sprintf("sampler.ladders=%d", ladders)}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	b, err := os.ReadFile(filepath.Join(dir, "summary.json"))
	if err != nil {
		t.Fatal(err)
	}
	var sum report.Summary
	if err := json.Unmarshal(b, &sum); err != nil {
		t.Fatal(err)
	}
	if sum.Warnings == nil {
		t.Error("no warnings are null, not an empty list")
	}
	d, err := store.Read(0, dir)
	if err != nil {
		t.Fatal(err)
	}
	return d, sum
}

// The posterior of lynx and hare is Stan's: means and standard deviations of all
// eight parameters within 4.9 of the errors of both (1e-6 each, of a random seed), from
// starts at draws of the priors, nearly all in the reach of spurious basins; R̂ < 1.01,
// no draw outside. It kills draws told in the coordinates of the chart, a determinant
// left out, a prior that counts twice, and ladders that stay where they start.
func TestLynxHareIsStans(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	want := stanLynx(t)
	for seed := 1; seed <= pace.Soak(1, 5); seed++ {
		d, sum := lynxRun(t, seed, pace.Soak(4, 8))
		worst, of := 0.0, ""
		for _, s := range want {
			j := slices.Index(d.Names, s.ourName)
			if j < 0 {
				t.Fatalf("no %s among %v", s.ourName, d.Names)
			}
			all := slices.Concat(d.X[j]...)
			if low := slices.Min(all); !(low > 0) {
				t.Errorf("seed %d: %s falls to %g", seed, s.ourName, low)
			}
			for what, z := range map[string]float64{
				"mean": (diag.Mean(all) - s.Mean) / math.Hypot(diag.MCSEMean(d.X[j]), s.MCSE),
				"sd":   (diag.SD(all) - s.SD) / math.Hypot(diag.MCSESd(d.X[j]), s.sdError(all)),
			} {
				if !(math.Abs(z) <= worst) {
					worst, of = math.Abs(z), what+" of "+s.ourName
				}
			}
		}
		if !(worst < 4.9) {
			t.Errorf("seed %d: the %s is off by %.1f standard errors", seed, of, worst)
		}
		rhat := 0.0
		for _, p := range sum.Parameters {
			if rhat = max(rhat, p.RHat); !(p.RHat < 1.01) {
				t.Errorf("seed %d: R̂ of %s is %.4f", seed, p.Name, p.RHat)
			}
		}
		t.Logf("seed %d: %d ladders, largest |z| %.1f (%s), R̂ %.4f, %d gradients", seed, d.Chains(), worst, of, rhat, sum.Gradients)
		if sum.Domain.Outside != 0 {
			t.Errorf("seed %d: %d draws outside", seed, sum.Domain.Outside)
		}
		for _, w := range sum.Warnings {
			if strings.Contains(w, "R̂") || strings.Contains(w, "outside") {
				t.Errorf("seed %d: %s", seed, w)
			}
		}
	}
}

// A trajectory run with kernel hmc that is interrupted in its warm-up, while it
// samples and while it writes, and resumed each time, ends with the bytes of the
// whole run: chart, base law and starts come back from run.json.
func TestInterruptedTrajectory(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "run")
	args := []string{"identify", "../../examples/theophylline.yaml", "--set", "sampler.ladders=2", "--set", "sampler.until.iterations=100"}
	must(t, exitDone, append(slices.Clone(args), "--out", whole, "--quiet")...)
	args = append(args, "--out", out, "--checkpoint", "20ms")
	stops := 0
	for _, mark := range []string{"run.json", "tuned.json", "checkpoints/000001", "draws.zarr/.zgroup"} {
		p := stopAt(t, out, mark, time.Millisecond, args...)
		switch code, said := p.code(t), p.stderr.String(); {
		case code == exitInterrupted:
			stops++
		case code == -1 && said == "": // it did not listen yet
		case code != exitDone:
			t.Errorf("at %s: exit %d: %s", mark, code, said)
		}
		args = []string{"resume", out, "--checkpoint", "20ms"}
	}
	if stops == 0 {
		t.Error("no stops")
	}
	must(t, exitDone, "resume", out, "--quiet")
	same(t, "interrupted trajectory", foldertest.Results(t, whole), foldertest.Results(t, out))
}
