package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/forecast"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// The command on a short run on the lynx and hare.
func TestSimulate(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	must(t, exitDone, "identify", "../../examples/lynx-hare.yaml", "--out", dir, "--quiet",
		"--set", "sampler={method: r2sgld, iterations: 3000, burn_in: 500, thin: 5}")
	t.Run("one", func(t *testing.T) { simulateOne(t, dir) })
	t.Run("draws", func(t *testing.T) { simulateDraws(t, dir) })
	t.Run("threads", func(t *testing.T) { simulateThreads(t, dir) })
	t.Run("modeless", func(t *testing.T) { simulateModeless(t, dir) })
	t.Run("refused", func(t *testing.T) { simulateRefused(t, dir) })
	t.Run("interrupted", func(t *testing.T) { simulateInterrupted(t, dir) })
}

// Where no mode is told the median stands for it, and it says so.
//
// Mutants: a note for --from mode alone, none of the other run.
func simulateModeless(t *testing.T, dir string) {
	other := filepath.Join(t.TempDir(), "other")
	if err := errors.Join(os.CopyFS(other, os.DirFS(dir)), os.Remove(filepath.Join(other, ".r2sgld.files"))); err != nil {
		t.Fatal(err)
	}
	sum := read(t, filepath.Join(dir, "summary.json"))
	i := strings.Index(sum, `"mode": `)
	write(t, other, "summary.json", sum[:i]+`"mode": null`+sum[i+strings.Index(sum[i:], ","):])
	const note = "the mode of alpha cannot be told: several peaks are about as high. The median stands for it"
	for _, args := range [][]string{{other}, {other, "--from", "mode"},
		{other, "--from", "mean", "--truth", "alpha=0.55,beta=0.03,gamma=0.8,delta=0.02"}, {dir, "--against", other},
		{other, "--from", "mode", "--set", "delta=0.02"}, {other, "--set", "alpha=0.55"}} {
		rep, rows := simulate(t, args[0], append(args[1:], "--draws", "20")...)
		if told := strings.Contains(strings.Join(rep.Warnings, " "), note); told != (args[len(args)-1] != "alpha=0.55") ||
			strings.Contains(fmt.Sprint(rows), "NaN") {
			t.Errorf("%v: warnings %q", args[1:], rep.Warnings)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// simulate runs the command into a folder and returns what it left.
func simulate(t *testing.T, dir string, args ...string) (*forecast.Report, [][]string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "simulation")
	must(t, exitDone, append([]string{"simulate", dir, "--quiet", "--out", out}, args...)...)
	var rep forecast.Report
	if err := json.Unmarshal([]byte(read(t, filepath.Join(out, "simulation.json"))), &rep); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(read(t, filepath.Join(out, "simulation.csv")))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return &rep, rows
}

// last returns a cell of the last row.
func last(t *testing.T, rows [][]string, column string) float64 {
	t.Helper()
	for c, name := range rows[0] {
		if name == column {
			v, err := strconv.ParseFloat(rows[len(rows)-1][c], 64)
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
	}
	t.Fatalf("no column %q in %s", column, rows[0])
	return 0
}

// lotkaVolterra integrates the equations from the first row of the data with
// small steps of Runge and Kutta, parameters alpha, beta, gamma, delta by name.
func lotkaVolterra(p map[string]float64, years float64) (h, l float64) {
	f := func(h, l float64) (float64, float64) {
		return h * (p["alpha"] - p["beta"]*l), l * (p["delta"]*h - p["gamma"])
	}
	h, l = 30, 4
	const n = 40000
	s := years / n
	for range n {
		a, b := f(h, l)
		c, d := f(h+s/2*a, l+s/2*b)
		e, g := f(h+s/2*c, l+s/2*d)
		i, j := f(h+s*e, l+s*g)
		h, l = h+s/6*(a+2*c+2*e+i), l+s/6*(b+2*d+2*g+j)
	}
	return h, l
}

// The trajectory from the mean is that of the means in the summary, to 1e-5: kills
// the mode in its place, a start elsewhere and parameters in another order.
func simulateOne(t *testing.T, dir string) {
	var sum struct {
		Parameters []struct {
			Name       string
			Mean, Mode float64
		}
	}
	if err := json.Unmarshal([]byte(read(t, filepath.Join(dir, "summary.json"))), &sum); err != nil {
		t.Fatal(err)
	}
	mean, mode := map[string]float64{}, map[string]float64{}
	for _, p := range sum.Parameters {
		mean[p.Name], mode[p.Name] = p.Mean, p.Mode
	}
	same := func(what string, rows [][]string, p map[string]float64, years float64) {
		t.Helper()
		h, l := lotkaVolterra(p, years)
		if x, y := last(t, rows, "H"), last(t, rows, "L"); math.Abs(x/h-1) > 1e-5 || math.Abs(y/l-1) > 1e-5 {
			t.Errorf("%s: %g, %g, want %g, %g", what, x, y, h, l)
		}
	}
	rep, rows := simulate(t, dir, "--from", "mean")
	same("mean", rows, mean, 20)
	if len(rows) != 501 || rep.Draws != 1 || rep.Until != 1920 {
		t.Errorf("%d rows, %+v", len(rows), rep)
	}
	_, rows = simulate(t, dir, "--from", "mode", "--until", "+15", "--points", "8", "--solver", "lsoda")
	same("mode", rows, mode, 35)
	mean["beta"] = 0.03
	_, rows = simulate(t, dir, "--from", "mean", "--set", "beta=0.03", "--solver", "dopri5")
	same("beta = 0.03", rows, mean, 20)

	rep, _ = simulate(t, dir, "--from", "mode", "--truth", fmt.Sprintf("alpha=%v,beta=%v", mode["alpha"], mode["beta"]),
		"--truth", fmt.Sprintf("gamma=%v, delta=%v", mode["gamma"], mode["delta"]))
	if c := rep.Comparison; c == nil || c.Parted != 0 || c.Final.Median != 0 {
		t.Errorf("the mode parts from itself: %+v", c)
	}
	rep, _ = simulate(t, dir, "--against", dir, "--draws", "40", "--points", "100", "--apart", "3", "--until", "1910")
	if c := rep.Comparison; c == nil || c.Parted < 20 || c.Of != 40 || !(c.Parting.Median > 1900 && c.Parting.Median < 1910) {
		t.Errorf("draws against the mode: %+v", c)
	}
	rep, _ = simulate(t, dir, "--from", "mode", "--against", "../../data/lynx_hare.csv", "--start-time", "1905")
	if c := rep.Comparison; c == nil || c.Parted != 1 || rep.Start != 1905 || rep.Initial != "the data at 1905, taken as exact" {
		t.Errorf("against data: %+v, %+v", c, rep)
	}
}

// Bands of draws, by their names and in order; kept trajectories; times of a file.
func simulateDraws(t *testing.T, dir string) {
	rep, rows := simulate(t, dir, "--level", "80", "--draws", "300", "--until", "1980")
	for _, s := range []string{"H", "L"} {
		if lo, mid, hi := last(t, rows, s+".q10"), last(t, rows, s+".q50"), last(t, rows, s+".q90"); !(0 < lo && lo < mid && mid < hi) {
			t.Errorf("%s: %g, %g, %g", s, lo, mid, hi)
		}
	}
	if n := last(t, rows, "trajectories"); n != 300 || rep.Draws != 300 || rep.Of != 2000 {
		t.Errorf("%g trajectories: %+v", n, rep)
	}
	if p := rep.States[0].Period; p == nil || !(p.Low < p.Median && p.Median < p.High && p.Median > 8 && p.Median < 18) {
		t.Errorf("period %+v", p)
	}
	// The period does not depend on how far apart the times are, and it is told
	// where they are too far apart to show it: to 1 % kills that of the points.
	fine, _ := simulate(t, dir, "--draws", "1", "--until", "2000")
	coarse, _ := simulate(t, dir, "--draws", "1", "--until", "4000", "--points", "101")
	if p, q := fine.States[0].Period, coarse.States[0].Period; p == nil || q == nil || math.Abs(p.Median/q.Median-1) > 0.01 {
		t.Errorf("periods %+v, %+v", p, q)
	}
	apart := "the times are 21 apart, the period of "
	if w := coarse.Warnings; strings.Contains(fmt.Sprint(fine.Warnings), "apart") || !strings.Contains(w[len(w)-1], apart) ||
		!strings.Contains(w[len(w)-1], "--points ") {
		t.Errorf("%s, %s", fine.Warnings, w)
	}
	times := write(t, t.TempDir(), "times.csv", "when\n1901.5\n1903\n1950\n")
	out := filepath.Join(t.TempDir(), "a", "b")
	must(t, exitDone, "simulate", dir, "--quiet", "--out", out, "--times", times+":when", "--draws", "7", "--keep")
	if lines := strings.Split(read(t, filepath.Join(out, "trajectories.csv")), "\n"); len(lines) != 7*3+2 || lines[0] != "draw,year,H,L" ||
		!strings.HasPrefix(lines[4], "2,1901.5,") {
		t.Errorf("%d lines: %s", len(lines), lines[:5])
	}
	// One time in the future will do, and one row to compare with.
	rep, rows = simulate(t, dir, "--times", write(t, t.TempDir(), "one.csv", "year\n1950\n"), "--draws", "7",
		"--against", write(t, t.TempDir(), "seen.csv", "year,hare,lynx\n1950,20,10\n"))
	if c := rep.Comparison; len(rows) != 2 || last(t, rows, "year") != 1950 || rep.Until != 1950 || c == nil || c.Parted != 7 ||
		len(rep.Warnings) > 1 {
		t.Errorf("%s, %+v", rows, rep)
	}
	// An earlier simulation is replaced, none of it left, if it is asked for.
	must(t, exitUsage, "simulate", dir, "--quiet", "--out", out)
	must(t, exitDone, "simulate", dir, "--quiet", "--out", out, "--force", "--draws", "3")
	if there(out, "trajectories.csv") {
		t.Error("trajectories of an earlier simulation are left")
	}
}

// The bytes do not depend on the number of threads.
func simulateThreads(t *testing.T, dir string) {
	var want map[string]string
	for _, threads := range []string{"1", "3"} {
		out := filepath.Join(t.TempDir(), "out")
		must(t, exitDone, "simulate", dir, "--quiet", "--out", out, "--threads", threads, "--draws", "100", "--keep",
			"--truth", "alpha=0.5,beta=0.02,gamma=0.7,delta=0.02", "--lyapunov", "--rtol", "1e-5")
		got := foldertest.Results(t, out)
		if want == nil {
			want = got
		}
		if !maps.Equal(want, got) {
			t.Errorf("%s threads: other bytes", threads)
		}
		for _, name := range []string{"simulation.csv", "simulation.json", "trajectories.csv", "figures/forecast.svg", "figures/phase.png",
			"figures/parting.svg"} {
			if want[name] == "" {
				t.Errorf("no %s", name)
			}
		}
	}
}

// What makes no sense ends with exit 2, is told, and leaves nothing.
func simulateRefused(t *testing.T, dir string) {
	out := filepath.Join(t.TempDir(), "out")
	one := write(t, t.TempDir(), "one.csv", "year\n1950\n")
	for _, c := range []struct{ want, args string }{
		{"--from best: must be draws, mean or mode", "--from best"},
		{"--points 1: must be from 2 to 1000000\n--level 100: must be between 0 and 100", "--points 1 --level 100"},
		{"--draws 0", "--draws 0"},
		{"--apart 0: must be a positive distance", "--apart 0"},
		{"--apart belongs to a comparison", "--apart 2"},
		{"--truth and --against exclude each other", "--truth alpha=1 --against x"},
		{`--set: no parameter "alfa"; did you mean "alpha"?`, "--set alfa=1"},
		{"--set alpha: write NAME=VALUE", "--set alpha"},
		{`--set alpha=x: "x" is not a finite number`, "--set alpha=x"},
		{"--set: alpha is given twice", "--set alpha=1 --set alpha=2"},
		{"with beta = -1, 20 of 20 draws break the constraints of the run", "--set beta=-1 --draws 20"},
		{"beta = -1 breaks the constraints of the run", "--set beta=-1 --from mode"},
		{`--start: no state "h"`, "--start h=3"},
		{"the data have no value of L at the time 1905.5: give --start L=…", "--start-time 1905.5 --start H=3"},
		{"--until soon: must be a time", "--until soon"},
		{"it begins and ends at 1920", "--start-time 1920"},
		{`no method "rk4"`, "--solver rk4"},
		{"--rtol -1: must be at least 2.3e-14 and below 0.1", "--rtol -1"},
		{"--rtol 0.1: must be", "--rtol 0.1"},
		{"--rtol 0: must be", "--rtol 0"},
		{"--rtol NaN: must be", "--rtol nan"},
		{"--atol 0: must be positive and finite", "--atol 0"},
		{"--atol +Inf: must be positive and finite", "--atol inf"},
		{"--atol 8: must be below a tenth of the largest value of each state, which is 77.4 of H", "--atol 8"},
		{"--until 1e309: must be a time", "--until 1e309"},
		{"--until +1e308: from 1900 to 1e+308 is further than can be computed", "--until +1e308"},
		{"further than can be computed, 1e+150", "--until 1.7e308 --start-time -1.7e308 --start H=1,L=1"},
		{"no column is named after the colon", "--times x.csv:"},
		{"--times: nothing to simulate", "--times ONE --start-time 1950 --start H=1,L=1"},
		{"belongs to what is in", "--force --out FIGURES"},
		{"knows the noise of the derivatives only", "--noise"},
		{"--truth lacks beta, gamma, delta", "--truth alpha=1"},
		{"--against: ", "--against nowhere"},
		{"--times says it all", "--times x.csv --until 3"},
		{"--times: ", "--times ../../data/lynx_hare.csv:month"},
		{"before the start at 1910", "--times ../../data/lynx_hare.csv --start-time 1910"},
		{"unknown flag", "--untill 3"},
		{`"0x1p1" is not a finite number`, "--set alpha=0x1p1"},
		{`"1_0" is not a finite number`, "--truth alpha=1_0"},
		{"--until 0x7.8p9: must be a time", "--until 0x7.8p9"},
		{`"0x10" is no decimal number`, "--seed 0x10"},
		{`"0x1p-20" is no decimal number`, "--rtol 0x1p-20"},
	} {
		args := strings.NewReplacer("ONE", one, "FIGURES", filepath.Join(dir, "figures")).Replace(c.args)
		p := start(t, append([]string{"simulate", dir, "--out", out}, strings.Fields(args)...)...)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), c.want) ||
			strings.Count(p.stderr.String(), "nothing was written") > 1 {
			t.Errorf("%s: exit %d, %s", c.args, code, p.stderr.String())
		}
	}
	must(t, exitUsage, "simulate", dir, "--out", dir, "--force")
	if there(out, ".") || !there(dir, "draws.zarr") {
		t.Error("something was written, or the run is gone")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, []string{"simulate", dir, "--out", out}); code != exitInterrupted || there(out, ".") {
		t.Errorf("interrupted: exit %d", code)
	}
}

// Ctrl-C ends what would take minutes with exit 3 and leaves what was there.
func simulateInterrupted(t *testing.T, dir string) {
	heard(t)
	earlier, fresh := filepath.Join(t.TempDir(), "earlier"), filepath.Join(t.TempDir(), "fresh")
	must(t, exitDone, "simulate", dir, "--quiet", "--out", earlier, "--draws", "3", "--points", "20")
	want := foldertest.Results(t, earlier)
	for _, args := range [][]string{{"--out", fresh}, {"--out", earlier, "--force", "--solver", "lsoda"}} {
		p := start(t, append([]string{"simulate", dir, "--until", "+100000"}, args...)...)
		p.await(filepath.Join(args[1], ".lock"))
		p.signal(syscall.SIGINT, 300*time.Millisecond)
		if code := p.code(t); code != exitInterrupted || p.stderr.String() != "stopped before all was simulated; nothing was written.\n" {
			t.Errorf("%s: exit %d: %s", args, code, &p.stderr)
		}
	}
	if there(fresh, ".") || !maps.Equal(want, foldertest.Results(t, earlier)) {
		t.Error("something was written, or an earlier simulation is gone")
	}
}

// Runs that cannot be simulated say why.
func TestSimulateOtherRuns(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	sampled, unfinished := filepath.Join(dir, "sampled"), filepath.Join(dir, "unfinished")
	for where, command := range map[string]string{sampled: "sample", unfinished: "identify"} {
		if err := os.Mkdir(where, 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, where, "run.json", fmt.Sprintf(`{"schema": 1, "command": %q}`, command))
	}
	half, foreign := filepath.Join(dir, "half"), filepath.Join(dir, "foreign")
	if err := os.Mkdir(foreign, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, foreign, "run.json", "{}")
	must(t, exitDone, "identify", "../../examples/lynx-hare.yaml", "--out", half, "--quiet", "--set",
		"model.equations={H: \"H*(alpha - beta*L)\"}",
		"--set", "model.constraints=[alpha > 0]", "--set", "sampler={method: r2sgld, iterations: 600, burn_in: 100}")
	for where, want := range map[string]string{
		foreign: "is no run folder: its run.json names no command",
		sampled: "is a run of sample, which has nothing to simulate", unfinished: "is not finished: r2sgld resume",
		half: `no equation for "L"`, dir: "is no run folder", filepath.Join(dir, "none"): "open run folder",
	} {
		p := start(t, "simulate", where)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("exit %d, %s, want %q", code, p.stderr.String(), want)
		}
	}
}

// x' = a·x² runs off at 1/(a·x₀): draws that do are told, and if all do nothing is
// written.
func TestSimulateBlowUp(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	text := "t,x\n"
	for k := range 30 {
		s := 0.03 * float64(k)
		text += fmt.Sprintf("%g,%g\n", s, (1+0.01*math.Sin(40*s))/(1-s))
	}
	write(t, dir, "data.csv", text)
	file := write(t, dir, "square.yaml", `data: {file: data.csv, time: t, states: {x: x}}
model: {equations: {x: "a*x^2"}, constraints: ["a > 0.5", "a < 2"]}
sampler: {method: r2sgld, iterations: 3000, burn_in: 500, thin: 5}
`)
	out, sim := filepath.Join(dir, "run"), filepath.Join(dir, "run", "simulation")
	must(t, exitDone, "identify", file, "--quiet", "--out", out)
	for _, from := range []string{"mode", "draws"} {
		p := start(t, "simulate", out, "--from", from, "--until", "3")
		if code := p.code(t); code != exitFailed || !strings.Contains(p.stderr.String(), "blows up at t = ") ||
			!strings.Contains(p.stderr.String(), "(x = ") {
			t.Errorf("from %s: exit %d, %s", from, code, p.stderr.String())
		}
		if there(sim, ".") {
			t.Error("something was written")
		}
	}
	rep, rows := simulate(t, out, "--until", "1", "--set", "a=0.9", "--draws", "5")
	if x := last(t, rows, "x.q50"); rep.BlownUp.Draws != 0 || math.Abs(x-10) > 1e-4 {
		t.Errorf("a = 0.9: x = %g, want 10; %+v", x, rep.BlownUp)
	}
	// Until the median of 1/a a half of them is left.
	var sum struct{ Parameters []struct{ Q50 float64 } }
	text = read(t, filepath.Join(out, "summary.json"))
	if err := json.Unmarshal([]byte(text), &sum); err != nil {
		t.Fatal(err)
	}
	until := 1 / sum.Parameters[0].Q50
	rep, rows = simulate(t, out, "--until", fmt.Sprint(until))
	b := rep.BlownUp
	if b.Draws < 400 || b.Draws > 600 || b.First == nil || b.First.Time > until || len(rep.Warnings) == 0 ||
		!strings.Contains(rep.Warnings[len(rep.Warnings)-1], fmt.Sprintf("%d of 1000 trajectories blow up", b.Draws)) {
		t.Fatalf("until %g: %+v", until, rep)
	}
	if left := last(t, rows, "trajectories"); left != float64(1000-b.Draws) {
		t.Errorf("%g trajectories left of 1000 less %d", left, b.Draws)
	}
}

// A trajectory run: its initial values are parameters, one of a state that has no
// data, and the noise of the data makes bands of observations.
func TestSimulateTrajectory(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	text := "t,x\n"
	for k := range 15 {
		s := 0.3 * float64(k)
		text += fmt.Sprintf("%g,%g\n", s, 5*math.Exp(-s)+0.2*math.Sin(37*s))
	}
	write(t, dir, "data.csv", text)
	file := write(t, dir, "chain.yaml", `data: {file: data.csv, time: t, states: {x: x}}
model:
  equations: {x: "-a*x", y: "a*x - y"}
  constraints: ["a > 0", "x.initial < 8", "y.initial < 3"]
  likelihood: trajectory
  noise: normal
  priors: {a: "lognormal(0, 1)", x.initial: "lognormal(1, 1)", y.initial: "lognormal(0, 0.3)", x.noise: "lognormal(-1, 1)"}
sampler: {method: r2sgld, iterations: 1500, burn_in: 500, thin: 5, ladders: 2}
`)
	out := filepath.Join(dir, "run")
	must(t, exitDone, "identify", file, "--quiet", "--out", out)
	rep, rows := simulate(t, out, "--until", "+1")
	if got := strings.Join(rows[0],
		","); got != "t,x.mean,x.q5,x.q50,x.q95,x.observed.q5,x.observed.q95,y.mean,y.q5,y.q50,y.q95,trajectories" {
		t.Error(got)
	}
	if rep.Initial != "the initial parameters" || !(last(t, rows, "x.observed.q5") < last(t, rows, "x.q5")) {
		t.Errorf("%+v", rep)
	}
	rep, rows = simulate(t, out, "--noise=false", "--start", "x=7", "--from", "mean")
	if strings.Join(rows[0], ",") != "t,x,y" || rows[1][1] != "7" || rep.Initial != "as given, else the initial parameters" {
		t.Errorf("%s, %+v", rows[:2], rep)
	}
	for want, args := range map[string][]string{
		"x.initial = 9 breaks the constraints":                          {"--start", "x=9", "--from", "mean"},
		"--set x.initial=1 and --start x=5 are two values of one start": {"--set", "x.initial=1", "--start", "y=2,x=5"},
		"data.csv has no data of y":                                     {"--against", filepath.Join(dir, "data.csv")},
	} {
		p := start(t, append([]string{"simulate", out, "--out", filepath.Join(dir, "no")}, args...)...)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("exit %d, %s, want %q", code, p.stderr.String(), want)
		}
	}
}
