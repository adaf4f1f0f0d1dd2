package forecast

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// decay is x' = −a·x, y' = −b·y with parameters a, b from (8, 0.5), and noise of
// sd 0.3 on x alone.
func decay() *simulation.Model {
	return &simulation.Model{
		States: []string{"x", "y"},
		System: func(p []float64) ode.System {
			return ode.System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = -p[0]*y[0], -p[1]*y[1] }}
		},
		Initial: func(dst, _ []float64) { dst[0], dst[1] = 8, 0.5 },
		Noise:   func(dst, _ []float64) { dst[0], dst[1] = 0.3, math.NaN() },
	}
}

// told is the outcome of a few draws of a model, with data and a comparison.
func told(t *testing.T, m *simulation.Model, draws [][]float64, o simulation.Options) *outcome {
	t.Helper()
	ctx := context.Background()
	r, err := simulation.Run(ctx, m, draws, o)
	if err != nil {
		t.Fatal(err)
	}
	bands, err := r.Bands(ctx, 90, true)
	if err != nil {
		t.Fatal(err)
	}
	rep := &Report{Schema: 1, Name: "decay", From: "draws", Of: 4000, Time: "hour",
		Initial: "the first row of the data", DataEnd: 2, Level: 90,
		Set: []Value{{"a", -0.5}}, Solver: SolverReport{Method: ode.DOP853}}
	out := &outcome{report: rep, result: r, options: o, bands: bands, mode: draws[0], noise: true, seed: 3, keep: true,
		data: observed{Time: []float64{0, 1, 2}}}
	for i := range m.States {
		out.data.Values = append(out.data.Values, []float64{m.Start(draws[0], nil)[i], math.NaN(), 0.2})
	}
	rep.describe(r, bands)
	truth := &rival{name: "the truth", model: m, x: draws[0]}
	p := &plan{asked: &Options{Level: 90, Apart: new(0.1)}, options: o, other: truth}
	if err := p.compare(ctx, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// written writes an outcome and returns the folder and the figures.
func written(t *testing.T, o *outcome) (*store.Folder, []string) {
	t.Helper()
	files, err := o.render(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	q := job.Request{Dir: filepath.Join(t.TempDir(), "out")}
	if err := q.Draft(kind(), func(f *job.Folder) error { return write(f, files, o.report) }); err != nil {
		t.Fatal(err)
	}
	f, err := store.Open(q.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return f, o.figures
}

// tableOf reads a file of comma-separated values.
func tableOf(t *testing.T, f *store.Folder, name string) [][]string {
	t.Helper()
	b, err := f.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// The files have what they promise, and equal outcomes give equal bytes.
func TestWrite(t *testing.T) {
	draws := [][]float64{{1, 0.3}, {1.2, 0.25}, {0.9, 0.35}}
	o := simulation.Options{Times: simulation.Grid(0, 4, 9)}
	f, figures := written(t, told(t, decay(), draws, o))
	if !slices.Equal(figures, []string{"forecast", "phase", "parting"}) {
		t.Errorf("figures %s", figures)
	}
	rows := tableOf(t, f, "simulation.csv")
	want := "hour,x.mean,x.q5,x.q50,x.q95,x.observed.q5,x.observed.q95,y.mean,y.q5,y.q50,y.q95,trajectories"
	if got := strings.Join(rows[0], ","); got != want || len(rows) != 10 {
		t.Errorf("%d rows of %s", len(rows), got)
	}
	kept := tableOf(t, f, "trajectories.csv")
	if got := strings.Join(kept[0], ","); got != "draw,hour,x,y,x.observed,y.observed" || len(kept) != 28 || kept[10][0] != "2" {
		t.Errorf("%d trajectories of %s", len(kept), got)
	}
	sum := 0.0
	for _, row := range kept[1:] {
		x, err1 := strconv.ParseFloat(row[2], 64)
		seen, err2 := strconv.ParseFloat(row[4], 64)
		if err1 != nil || err2 != nil || x == seen || row[5] != "" {
			t.Fatalf("%s: %v, %v", row, err1, err2)
		}
		sum += (seen - x) * (seen - x)
	}
	// 27 normals of sd 0.3: χ² below 80 and above 4 but for 1e-6; kills 0.03 and 3.
	if chi := sum / 0.09; chi > 80 || chi < 4 {
		t.Errorf("observations: χ² %g of 27", chi)
	}
	again, _ := written(t, told(t, decay(), draws, o))
	for _, name := range append([]string{"simulation.csv", "simulation.json", "trajectories.csv"}, "figures/forecast.svg", "figures/phase.png",
		"figures/parting.svg") {
		a, err1 := f.ReadFile(name)
		b, err2 := again.ReadFile(name)
		if err1 != nil || err2 != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err1, err2)
		}
	}
	if b, _ := f.ReadFile("simulation.json"); bytes.Contains(b, []byte("NaN")) || !bytes.Contains(b, []byte(`"period": null`)) {
		t.Errorf("%s", b)
	}
}

// Files are made only while the context goes on.
func TestRenderStops(t *testing.T) {
	o := told(t, decay(), [][]float64{{1, 0.3}, {1.2, 0.25}}, simulation.Options{Times: simulation.Grid(0, 4, 9)})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if files, err := o.render(ctx); !errors.Is(err, context.Canceled) || files != nil {
		t.Errorf("%d files, %v", len(files), err)
	}
	if all, err := o.trajectories(ctx); !errors.Is(err, context.Canceled) || all != nil {
		t.Errorf("%d bytes, %v", len(all), err)
	}
}

// A folder that holds a run is never taken, one of other things only by force.
func TestTake(t *testing.T) {
	dir := t.TempDir()
	f, err := store.Create(store.Disk{}, filepath.Join(dir, "run"), kind(), false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("run.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := free(filepath.Join(dir, "run")); err == nil || !strings.Contains(err.Error(), "holds a run") {
		t.Error(err)
	}
	q := job.Request{Dir: dir}
	if err := q.Draft(kind(), func(*job.Folder) error { return nil }); err == nil {
		t.Error("a folder with something in it is taken")
	}
}

// A simulation is no part of a run or of another simulation, whatever is forced.
func TestTakeInsideRun(t *testing.T) {
	dir := t.TempDir()
	for name, told := range map[string]string{"run": "run.json", "plain": "notes"} {
		if err := os.MkdirAll(filepath.Join(dir, name, "figures"), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, told), []byte(`{"schema": 1, "name": "run", "from": "mode"}`), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	q := job.Request{Dir: filepath.Join(dir, "run", "simulation")}
	files := job.Sheaf{{Name: "figures/phase.svg"}}
	if err := q.Draft(kind(), func(f *job.Folder) error {
		return write(f, files, &Report{Schema: 1, Name: "run", From: "mode"})
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "run", "figures"), filepath.Join(dir, "elsewhere")); err != nil {
		t.Fatal(err)
	}
	for name, may := range map[string]bool{
		"run/figures": false, "run/figures/new": false, "run/checkpoints": false, "run/draws.zarr/x": false, "run/simulation/figures": false,
		"elsewhere":      false,
		"run/simulation": true, "run/other": true, "run/other/figures": true, "plain/figures": true, "new": true,
	} {
		err := free(filepath.Join(dir, filepath.FromSlash(name)))
		if (err == nil) != may || err != nil && !strings.Contains(err.Error(), " belongs to what is in ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// fullDisk has room for so many files.
type fullDisk struct {
	store.Disk
	left *int
}

func (d fullDisk) Create(name string) (store.File, error) {
	if *d.left--; *d.left < 0 {
		return nil, syscall.ENOSPC
	}
	return d.Disk.Create(name)
}

// Wherever the disk is full, nothing is left of a simulation, and its folder only
// if something else is in it.
func TestDiscard(t *testing.T) {
	files := job.Sheaf{{Name: "simulation.csv", Data: []byte("t\n")}, {Name: "trajectories.csv"}, {Name: "figures/forecast.svg"},
		{Name: "figures/forecast.png"}}
	for left := 0; left <= len(files); left++ {
		for _, other := range []string{"", "notes", "figures/mine"} {
			dir, room := filepath.Join(t.TempDir(), "out"), left
			if other != "" {
				if err := errors.Join(os.MkdirAll(filepath.Join(dir, "figures"), 0o755),
					os.WriteFile(filepath.Join(dir, other), nil, 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			q := job.Request{Dir: dir, Force: true, Files: fullDisk{left: &room}}
			err := q.Draft(kind(), func(f *job.Folder) error { return write(f, files, &Report{}) })
			if !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("room for %d: %v", left, err)
			}
			var found []string
			for _, pattern := range []string{"*", "*/*", ".*"} {
				names, err := filepath.Glob(filepath.Join(dir, pattern))
				if err != nil {
					t.Fatal(err)
				}
				for _, n := range names {
					if info, err := os.Stat(n); err == nil && !info.IsDir() && filepath.Base(n) != ".lock" {
						found = append(found, n)
					}
				}
			}
			_, err = os.Stat(dir)
			if (err == nil) != (other != "") || other != "" && (len(found) != 1 || found[0] != filepath.Join(dir, other)) {
				t.Errorf("room for %d beside %q: %v, %s", left, other, err, found)
			}
		}
	}
}

// Backwards in time, of one state, of three and of a flow that depends on the
// time: what there is to show is shown, and numbers that no picture shows are told.
func TestFigures(t *testing.T) {
	pace.Slow(t)
	chain := func(d int, late bool) *simulation.Model {
		return &simulation.Model{States: []string{"u", "v", "w"}[:d],
			System: func(p []float64) ode.System {
				return ode.System{Dim: d, F: func(dy []float64, t float64, y []float64) {
					for i := range dy {
						dy[i] = p[0]*y[(i+1)%d] - 0.2*y[i]
						if late {
							dy[i] += math.Sin(t)
						}
					}
				}}
			},
			Initial: func(dst, _ []float64) {
				for i := range dst {
					dst[i] = float64(i) - 1
				}
			}}
	}
	draws := [][]float64{{-1}, {-1.1}}
	for name, c := range map[string]struct {
		m     *simulation.Model
		to    float64
		want  string
		field bool
	}{
		"one":      {chain(1, false), 3, "forecast parting", false},
		"two":      {chain(2, false), 3, "forecast phase parting", true},
		"back":     {chain(2, false), -3, "forecast phase parting", true},
		"late":     {chain(2, true), 3, "forecast phase parting", false},
		"three":    {chain(3, false), 3, "forecast phase parting", false},
		"far away": {chain(2, false), 2, "phase parting", true},
	} {
		o := told(t, c.m, draws, simulation.Options{Times: simulation.Grid(0, c.to, 50), Solver: ode.Options{RTol: 1e-4}})
		if name == "far away" {
			o.bands[0].High[3] = 1e305
		}
		_, figures := written(t, o)
		if got := strings.Join(figures, " "); got != c.want {
			t.Errorf("%s: %s, want %s: %s", name, got, c.want, o.report.Warnings)
		}
		if len(c.m.States) == 2 && (o.field() != nil) != c.field {
			t.Errorf("%s: a flow that depends on time is drawn, or one that does not is not", name)
		}
	}
}

// What the terminal shows.
func TestText(t *testing.T) {
	r := &Report{Name: "lynx-hare", From: "draws", Draws: 1000, Of: 39800, Time: "year", Start: 1900, Until: 1940, DataEnd: 1920, Level: 90,
		Initial: "the initial parameters", Set: []Value{{"beta", 0.03}},
		States: []StateReport{
			{"H", Spread{40, 40.35912, 10.491, 81.177}, &Spread{math.NaN(), math.NaN(), 8.25, 100.4},
				&Periodic{simulation.Interval{Median: 12.79, Low: 11.34, High: 14.42}, 0.5}},
			{"L", Spread{15, -6.6, -12.5, 55.7}, nil, nil}},
		Comparison: &Parted{"the truth", []Value{{"H.initial", 34}}, 1, simulation.Interval{Median: 1901.25, Low: 1900.5, High: math.Inf(1)}, 940,
			1000, simulation.Interval{}},
		Lyapunov: &ExponentFound{0.9034, 0.00153, 1.10693, 1e4}}
	want := `lynx-hare: 1,000 of 39,800 draws, year 1900 … 1940, the data end at 1920, beta = 0.03
start: the initial parameters

 at year 1940   median     5 %     95 %   observed 5 %    95 %                          period
 H              40.359  10.491   81.177           8.25   100.4   12.79 (11.34 … 14.42) of 50 %
 L                −6.6   −12.5     55.7              –       –                               –

 further than 1 from the truth since year 1901.2 (90 %: 1900.5 … never); 60 of 1,000 trajectories never are
 (distance: root of the sum of squares over H, L, each in its own unit; --apart says how far is apart)
 the truth takes from the mode of the run: H.initial = 34

 largest Lyapunov exponent at the mode 0.9034 ± 0.0015 per year: neighbours part by e in 1.1069
`
	clean := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	if got := r.Text(text.Style{}); clean(got) != clean(want) {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	r.From, r.Draws, r.Comparison.Parted, r.Lyapunov.Time = "mode", 1, 0, math.NaN()
	for _, part := range []string{"lynx-hare: trajectory from the mode", "at year 1940 mode", "never further than 1 from the truth",
		"do not part exponentially"} {
		if !strings.Contains(clean(r.Text(text.Style{})), part) {
			t.Errorf("no %q in\n%s", part, r.Text(text.Style{}))
		}
	}
}

// A run whose ladders disagree is warned of, by its worst parameter.
func TestDisagreement(t *testing.T) {
	ps := []report.Parameter{{Name: "a", RHat: 1.004}, {Name: "b", RHat: 1.01}, {Name: "c", RHat: math.NaN()}}
	if text := disagreement(ps); text != "" {
		t.Error(text)
	}
	ps[1].RHat = 1.32
	if text := disagreement(ps); !strings.HasPrefix(text, "b: R̂ 1.320: ") {
		t.Error(text)
	}
}
