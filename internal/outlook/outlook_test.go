package outlook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/mesh"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

func formula(t *testing.T, text string, names ...string) potential.Potential {
	t.Helper()
	e, err := expression.Compile(text, names)
	if err != nil {
		t.Fatal(err)
	}
	return potential.FromExpression(e)
}

func box(t *testing.T, lo, hi []float64) domain.Domain {
	t.Helper()
	d, err := domain.NewBox(lo, hi)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// wells measures a potential on [−2, 2], on two rungs with everything that can be asked for.
func wells(t *testing.T, dir string) (*Job, *bytes.Buffer, *bytes.Buffer) {
	t.Helper()
	var out, terminal bytes.Buffer
	return &Job{
		Request: job.Request{Name: "wells", Again: "r2sgld theory wells.yaml", Hash: "h", Config: map[string]int{"a": 1}, Dir: dir,
			Warnings: []string{"of the configuration"},
			Out:      &out, Terminal: &terminal},
		Problem: theory.Problem{Potential: formula(t, "3*(x^2 - 1)^2", "x"),
			Domain: box(t, []float64{-2}, []float64{2}), Names: []string{"x"}},
		Settings: theory.Settings{Temperature: []float64{1, 10}, Intensity: 5, Grid: 24, Eigenvalues: 3,
			Decay: &theory.Decay{Start: []float64{-1}, Times: []float64{0, 0.5, 1}, Of: theory.DistanceNames()}},
		Intensities: []float64{0.1, 1, 10, 100},
	}, &out, &terminal
}

// bare takes what an interval of one rung has.
func bare(j *Job) {
	j.Settings.Temperature, j.Settings.Intensity, j.Settings.Decay, j.Intensities, j.Warnings = []float64{1}, 0, nil, nil, nil
}

// Before it begins, a measurement says how much memory it may take, if that is much.
func TestPlanTellsMemory(t *testing.T) {
	j, _, _ := wells(t, "")
	for grid, want := range map[int]string{300: "", 5_000_000: ", up to 7.8 GiB of memory"} {
		bare(j)
		if j.Settings.Grid = grid; !strings.HasSuffix(j.plan(), "3 eigenvalues"+want) {
			t.Errorf("%d cells: %s", grid, j.plan())
		}
	}
}

// A run leaves its numbers, figures and configuration; what is not known is null. Equal
// jobs leave equal bytes, times aside.
//
// Mutants it kills: an acceleration of one rung that is 0, a summary of the second run
// without its warnings, run.json written without its hash, with a
// seed that there is none of, or with keys that others do not know.
func TestRun(t *testing.T) {
	pace.Slow(t)
	dir := filepath.Join(t.TempDir(), "run")
	j, out, terminal := wells(t, dir)
	sum, err := j.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first := foldertest.Results(t, dir)
	for _, name := range outputs() {
		if first[name] == "" {
			t.Errorf("no %s", name)
		}
	}
	if want := len(outputs()) + 1; len(first) != want || first["run.json"] == "" {
		t.Errorf("%d files, want %d", len(first), want)
	}
	if !strings.Contains(terminal.String(), " ! of the configuration\n") ||
		!strings.Contains(out.String(), fmt.Sprintf(" wrote %s/: run.json, summary.json, figures (modes decay intensities)\n", dir)) {
		t.Errorf("%s\n%s", terminal, out)
	}
	var m job.Manifest[json.RawMessage]
	strict := json.NewDecoder(strings.NewReader(first["run.json"]))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&m); err != nil || strings.Contains(first["run.json"], `"seed"`) || m.Schema != 1 || m.Name != "wells" ||
		m.Version != r2sgld.Version || m.Go == "" || m.Arch == "" || string(m.Config) == "" || m.Command != "theory" || m.Hash != "h" {
		t.Errorf("%+v: %v", m, err)
	}
	if !(sum.Gap > sum.Swaps.Alone && sum.Curve.Limit > sum.Gap && sum.Curve.Gap[0] >= sum.Swaps.Alone) {
		t.Errorf("gaps %g without swaps, %g, %v, %g with ever more", sum.Swaps.Alone, sum.Gap, sum.Curve.Gap, sum.Curve.Limit)
	}
	j, _, _ = wells(t, dir)
	if _, err := j.Run(t.Context()); !refused(err) {
		t.Errorf("a folder that is not empty: %v", err)
	}
	j.Force = true
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := foldertest.Results(t, dir)
	for name := range second {
		if a, b := first[name], second[name]; a != b {
			t.Errorf("%s differs: %s", name, cmp.Diff(a, b))
		}
	}
	bare(j)
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	third := foldertest.Files(t, dir)
	for _, name := range []string{"figures/decay.svg", "figures/intensities.png"} {
		if _, left := third[name]; left {
			t.Errorf("%s of the run before is left", name)
		}
	}
	unknownIsNull(t, third["summary.json"])
}

// unknownIsNull looks at the summary of a plain job.
func unknownIsNull(t *testing.T, text string) {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"gap", "poincare_constant", "eigenvalues", "cells", "diameter"} {
		if v[key] == nil {
			t.Errorf("no %s", key)
		}
	}
	for _, key := range []string{"acceleration", "decay", "bound", "intensities", "convex_bound", "log_sobolev", "swaps"} {
		if x, there := v[key]; x != nil || !there {
			t.Errorf("%s is %v, want null", key, x)
		}
	}
	if w, ok := v["warnings"].([]any); !ok || len(w) != 0 {
		t.Errorf("warnings are %v", v["warnings"])
	}
}

func refused(err error) bool {
	var r *job.Refused
	return errors.As(err, &r)
}

// What cannot be measured is refused, and what is stopped leaves nothing: not even the
// folder, and nothing of what was in it is touched.
//
// Mutants it kills: figures cleared before the measurement, a refusal that is a failure,
// a stop that is one.
func TestNothingIsLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "run")
	j, _, _ := wells(t, dir)
	j.Problem.Potential = formula(t, "3*x^2 + 1/max(0, abs(x) - 0.5)", "x") // +∞ in the middle
	if _, err := j.Run(t.Context()); !refused(err) {
		t.Errorf("two parts: %v", err)
	}
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the folder is left")
	}
	j, _, _ = wells(t, dir)
	j.Problem.Potential, j.Settings.Decay.Start = formula(t, "30*x^4", "x"), []float64{2}
	if _, err := j.Run(t.Context()); !refused(err) {
		t.Errorf("a start without mass: %v", err)
	}
	j, _, _ = wells(t, dir)
	if _, err := j.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	before := foldertest.Files(t, dir)
	j.Force = true
	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err := j.Run(ctx)
	var stopped *Stopped
	if !errors.As(err, &stopped) || !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	if diff := cmp.Diff(before, foldertest.Files(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// A failing disk fails from some operation on that writes.
type failing struct {
	store.Files
	left int
}

var errFull = errors.New("no space left")

func (f *failing) Create(name string) (store.File, error) {
	if f.left--; f.left < 0 {
		return nil, errFull
	}
	return f.Files.Create(name)
}

func (f *failing) Rename(from, to string) error {
	if f.left--; f.left < 0 {
		return errFull
	}
	return f.Files.Rename(from, to)
}

// Wherever writing fails, the error says so and nothing is left that looks like a run.
//
// Mutant it kills: run.json written first.
func TestFullDisk(t *testing.T) {
	sum := &Summary{Schema: 1}
	pictures := job.Sheaf{{Name: "figures/modes.svg", Data: []byte("<svg/>")}, {Name: "figures/modes.png", Data: []byte("png")}}
	for n := 0; ; n++ {
		dir := filepath.Join(t.TempDir(), "run")
		j, _, _ := wells(t, dir)
		disk := &failing{store.Disk{}, n}
		j.Files, j.Command = disk, command
		err := j.Draft(job.KindOf(command, outputs()), func(f *job.Folder) error { return j.write(f, sum, pictures) })
		if err == nil {
			if n != 15 { // four files, and one that shows the way, each created and renamed; the folder and its four entries
				t.Errorf("%d operations", n)
			}
			break
		}
		left := foldertest.Files(t, dir)
		if _, there := left["run.json"]; there || !errors.Is(err, errFull) {
			t.Errorf("operation %d: %v, run.json %v", n+1, err, there)
		}
		if _, bound := left[filepath.Join(".ready", "run.json")]; len(left) > 0 && !bound { // to be completed
			t.Errorf("operation %d leaves %d files", n+1, len(left))
		}
	}
}

// A measurement that cannot take the place of an earlier one says what is left, and does
// not advise a resume that there is not; nothing but the earlier one stays.
//
// Mutant it kills: a draft taken for a run that goes on.
func TestFailedExchange(t *testing.T) {
	sum := &Summary{Schema: 1}
	for n := 2; ; n++ {
		dir := filepath.Join(t.TempDir(), "run")
		j, _, _ := wells(t, dir)
		j.Command, j.Force = command, true
		write := func(f *job.Folder) error { return j.write(f, sum, nil) }
		if err := j.Draft(job.KindOf(command, outputs()), write); err != nil {
			t.Fatal(err)
		}
		before := foldertest.Files(t, dir)
		j.Files = &failing{store.Disk{}, n}
		err := j.Draft(job.KindOf(command, outputs()), write)
		if err == nil {
			t.Fatalf("no exchange failed in %d operations", n)
		}
		said, after := err.Error(), foldertest.Files(t, dir)
		_, bound := after[filepath.Join(".ready", "run.json")]
		switch {
		case bound: // any writer completes it
			if !strings.Contains(said, "The new one is whole: once that is mended, r2sgld resume") {
				t.Errorf("operation %d: %v", n, err)
			}
			return
		case strings.Contains(said, "resume") || !maps.Equal(before, after),
			strings.Contains(said, "exchange") && !strings.Contains(said, "What was there is as it was"):
			t.Errorf("operation %d: %v", n, err)
		}
	}
}

// The text says what the numbers mean for a run.
func TestText(t *testing.T) {
	nan := math.NaN()
	j, _, _ := wells(t, "runs/wells")
	s := &Summary{Name: "wells", Result: theory.Result{
		Gap: 0.5213, GapError: 0.0021, PoincareConstant: 1 / 0.5213, LogSobolev: 4.5, Eigenvalues: []float64{0.5213, 1.75,
			3.25}, Cells: 24, States: 576, Diameter: 4, Convex: true, ConvexBound: nan,
		Acceleration: 16.2, Swaps: &theory.Swaps{Intensity: 5, Alone: 0.0313, Gain: 15.65, Chi2: 0.7, W2: 0.6},
		Rungs: []theory.RungTime{{Temperature: 1, Gap: 0.0313, Cells: 24}, {Temperature: 10, Gap: 6.25, Cells: 24}},
		Decay: []theory.Distances{{Time: 0, Chi2: 100, KL: nan, W2: nan, TV: 1}, {Time: 0.5, Chi2: 1.2345, KL: nan, W2: nan, TV: 0.25},
			{Time: 1, Chi2: 0.1, KL: nan, W2: nan, TV: 0.1}},
		Bound:  &theory.Bounds{Chi2: []float64{100, 59, 35}, TV: []float64{1, 1, 0.99}},
		Notes:  []string{"a note"},
		Memory: 1.5e6, Seconds: 0.25,
		Process: &theory.Process{Temperature: []float64{1, 10}, Rungs: make([]*theory.Rung, 2)},
	}, Curve: &theory.Saturation{Intensity: []float64{1, 10}, Gap: []float64{0.2, 0.55}, Limit: 0.6, Share: 0.95, Enough: 13.04}}
	want := `
 gap λ₁                0.5213 ± 0.0021       by the grid
 relaxation time 1/λ₁  1.918                 the Poincaré constant
 λ₂, λ₃, …             1.75  3.25
 diameter              4                     convex
 log-Sobolev constant  ≥ 4.5                 from the decay of entropy, without swaps
 process               24 cells, 576 states  1.5 MB, 0.2 s

                                gap  relaxation time
 temperature 1 alone         0.0313            31.95
 temperature 10 alone          6.25             0.16
 both, no swaps              0.0313            31.95
 both, swaps at intensity 5  0.5213            1.918
 both, ever more swaps          0.6            1.667
 acceleration E_S(f)/E(f) − 1 of the slowest mode f without swaps: 16.2
  at the times of the decay at least 0.7 (χ²) and 0.6 (W₂)
  f fades by E(f) = ∫ Σ τ|∇f|² dπ without swaps, by E_S(f) with those at rate r·min(1, S);
  r is their intensity, S = exp((1/τ₁ − 1/τ₂)(U₁ − U₂)) of the replicas' energies

 swap intensity   gap  times that without swaps
 1                0.2                      6.39
 10              0.55                      17.6

 time from x = −1    χ²  bound  total variation  bound
 0                  100    100                1      1
 0.5               1.23     59             0.25      1
 1                  0.1     35              0.1   0.99

 At step size η one relaxation takes 1.92/η iterations: 1,918 at 0.001. Draws so far apart keep a correlation of 1/e at most.
 Replicas at temperatures 1 and 10 that swap at intensity 5: λ₁ 0.521 instead of 0.0313, 16.7 times faster.
 Intensity 13 reaches 95 % of what ever more swaps would, 0.6: beyond it next to nothing is gained.
 A swap tried every k iterations of step size η is intensity 1/(kη), 1,000 for k = 1 at 0.001; scheme deo tries two rungs in every second sweep, half of that.
 note: a note
`
	if diff := cmp.Diff(want, s.Text(j)); diff != "" {
		t.Error(diff)
	}
	s.Decay[0].W2, s.W2Is, s.Bound.W2 = 0.5, "upper bound", []float64{2, 1, 0.7}
	if !strings.Contains(s.Text(j), "W₂ ≤  bound, about") {
		t.Error(s.Text(j))
	}
	if s.Swaps.Intensity = 0; !strings.Contains(s.Text(j), "that never swap are as slow as the slower") {
		t.Error(s.Text(j))
	}
	if s.Swaps.Intensity, s.Gap = 5, 0.0313; !strings.Contains(s.Text(j), "mix no faster than without") {
		t.Error(s.Text(j))
	}
}

// Errors leave as many digits as they allow.
func TestWithError(t *testing.T) {
	for _, c := range []struct {
		v, e float64
		want string
	}{
		{2.467401, 1.3e-5, "2.467401 ± 0.000013"}, {0.5213, 0.0021, "0.5213 ± 0.0021"}, {31.25, 4, "31.2 ± 4.0"}, {3125, 40, "3125 ± 40"}, {31254,
			400, "3.13e+04 ± 4e+02"},
		{2.5, math.NaN(), "2.5"}, {2.5, 0, "2.5"}, {1e-7, 1e-9, "1e−07 ± 1e−09"}, {1.23456e-9, 1e-12, "1.2346e−09 ± 1e−12"},
	} {
		if got := withError(c.v, c.e); got != c.want {
			t.Errorf("%g ± %g is %q, want %q", c.v, c.e, got, c.want)
		}
	}
}

// A cell of the grid that the wall parts shows the mean of its parts by their volume, and
// the sum of their weights; those outside show nothing.
func TestOnGrid(t *testing.T) {
	s := &Summary{}
	s.Process = &theory.Process{Mesh: &mesh.Mesh{Dim: 2, Shape: [2]int{2, 2}, Index: []int32{0, 3, 3}, Volume: []float64{1, 0.25, 0.75}}}
	got := s.onGrid([]float64{2, 4, 8}, true)
	if got[0] != 2 || got[3] != 7 || !math.IsNaN(got[1]) || !math.IsNaN(got[2]) {
		t.Errorf("means %v", got)
	}
	if got := s.onGrid([]float64{2, math.NaN(), 8}, true); got[3] != 8 {
		t.Errorf("a part without mass: %v", got)
	}
	if diff := cmp.Diff([]float64{2, 0, 0, 12}, s.onGrid([]float64{2, 4, 8}, false)); diff != "" {
		t.Error(diff)
	}
}

// The figures of the plane, on one rung and on two, and with a single mode.
func TestPlane(t *testing.T) {
	pace.Slow(t)
	disc, err := domain.NewBall([]float64{0, 0}, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		tau   []float64
		modes int
	}{{[]float64{1}, 8}, {[]float64{1, 3}, 4}, {[]float64{1}, 1}} {
		j, out, _ := wells(t, filepath.Join(t.TempDir(), "run"))
		bare(j)
		j.Problem = theory.Problem{Potential: formula(t, "x^2 + y", "x", "y"), Domain: disc, Names: []string{"x", "y"}}
		j.Settings = theory.Settings{Temperature: c.tau, Grid: 10, Eigenvalues: c.modes}
		sum, err := j.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(sum.Warnings) > 0 || !strings.Contains(out.String(), "figures (modes)") {
			t.Errorf("%v: %v\n%s", c, sum.Warnings, out)
		}
	}
}

func TestSubscript(t *testing.T) {
	if got := rate(11, 2.4674011); got != "λ₁₂ = 2.467" {
		t.Error(got)
	}
}
