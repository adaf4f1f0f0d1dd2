package runner

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// A folder written from a result says seed, burn-in and thinning as they were, and is
// written into no folder that holds anything.
//
// Mutants it kills: the thinning of the settings where the result holds every fourth of
// those draws, and force.
func TestWrite(t *testing.T) {
	ball, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 { grad[0], grad[1] = 0, 0; return 0 })
	p := r2sgld.Problem{Potential: u, Domain: ball}
	s := r2sgld.Settings{Seed: 7, Ladders: 2, Iterations: 4020, BurnIn: 20, Thin: 2, StepSize: []float64{0.01}, MaxDraws: 700}
	res, err := r2sgld.Sample(t.Context(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "ball")
	sum, err := Write(dir, p, s, res)
	if err != nil {
		t.Fatal(err)
	}
	stride := res.Ladders[0].Stride
	if stride < 2 || sum.Thin != 2*stride || sum.Draws != 2*2000/stride || sum.Seed != 7 {
		t.Errorf("every %d-th of %d draws, thin %d, seed %d", stride, sum.Draws, sum.Thin, sum.Seed)
	}
	for name, want := range map[string]string{"draws.zarr/posterior/.zattrs": `"burn_in": 20`, "draws-2.csv": "#   seed = 7",
		"run.json": `"burn_in": 20`} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: no %s: %v", name, want, err)
		}
	}
	if _, err := Write(dir, p, s, res); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
	if _, err := Write(dir+"-none", p, s, new(r2sgld.Result)); err == nil {
		t.Error("a result without draws is written")
	}
}

// A folder written from a result has log Z, whatever the kernel: of exp(−4|x|²) on the unit
// disc it is log(π(1 − e⁻⁴)/4), and the error covers it.
//
// Mutants it kills: no volume, swaps taken for biased, and log Z not asked for.
func TestWriteEvidence(t *testing.T) {
	pace.Slow(t)
	ball, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = 8*x[0], 8*x[1]
		return 4 * (x[0]*x[0] + x[1]*x[1])
	})
	p := r2sgld.Problem{Potential: u, Domain: ball}
	want := math.Log(math.Pi * (1 - math.Exp(-4)) / 4)
	for name, k := range map[string]kernel.Kernel{"paths": kernel.HMC{Leapfrog: 5}, "steps": nil} {
		s := r2sgld.Settings{Seed: 11, Ladders: 4, Iterations: 6000, BurnIn: 1000, Kernel: k,
			StepSize: []float64{0.01, 0.01}, Temperature: []float64{1, math.Inf(1)}}
		if k != nil {
			s.StepSize = []float64{0.2, 0.2}
		}
		res, err := r2sgld.Sample(t.Context(), p, s)
		if err != nil {
			t.Fatal(err)
		}
		sum, err := Write(filepath.Join(t.TempDir(), name), p, s, res)
		if err != nil {
			t.Fatal(err)
		}
		if e := sum.LogEvidence; e.Reason != "" || !(math.Abs(e.Estimate-want) < 5*e.Error) || !(e.Error < 0.1) {
			t.Errorf("%s: log Z %.4f ± %.4f, want %.4f; %s", name, e.Estimate, e.Error, want, e.Reason)
		} else {
			t.Logf("%s: log Z %.4f ± %.4f (step %.4f), want %.4f", name, e.Estimate, e.Error, e.StepBias, want)
		}
		if k != nil {
			continue
		}
		s.Temperature, s.Iterations = []float64{1, 2}, 2000
		if res, err = r2sgld.Sample(t.Context(), p, s); err != nil {
			t.Fatal(err)
		}
		if sum, err = Write(filepath.Join(t.TempDir(), "none"), p, s, res); err != nil || !strings.Contains(sum.LogEvidence.Reason,
			"no rung has the uniform law") {
			t.Errorf("without a hottest rung: %v, %v", sum.LogEvidence, err)
		}
	}
}

// A record of the last iterations that is none is an error.
func TestForgedWindow(t *testing.T) {
	w := newWindow(r2sgld.Settings{Temperature: []float64{1, 2}}, 1, nil)
	w.now, w.last, w.seen = []int{1, 0}, 9, 9
	good, err := w.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.UnmarshalBinary(good); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{7, 15, 17, 19, 21, len(good) - 1} { // the highest bytes of last, seen, labels
		forged := append([]byte(nil), good...)
		forged[at] = 0x7f
		if err := w.UnmarshalBinary(forged); err == nil {
			t.Errorf("byte %d: taken", at)
		}
	}
}
