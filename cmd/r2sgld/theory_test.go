package main

import (
	"cmp"
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

const onInterval = `name: interval
variables: [x]
potential: "0"
domain: {box: {x: [0, 2]}}
theory: {temperature: 3, grid: 100, eigenvalues: 2, decay: {start: {x: 0.1}, times: [0.1, 1], of: [chi2, tv]}}
`

// The command measures what is known of an interval, λ₁ = τπ²/4 less π²/(48·50²) of it by
// the grid, prints the contract's keys alone on stdout with --json, and leaves a folder
// that the other commands know what to say of.
//
// Mutants it kills: a table before the JSON, a resume or diagnose that reads the folder as
// that of a run, a gap of temperature 1.
func TestTheory(t *testing.T) {
	dir := t.TempDir()
	file, out := write(t, dir, "interval.yaml", onInterval), filepath.Join(dir, "run")
	p := start(t, "theory", file, "--out", out, "--json")
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	var sum struct {
		Gap         float64   `json:"gap"`
		Poincare    float64   `json:"poincare_constant"`
		Values      []float64 `json:"eigenvalues"`
		Cells       int       `json:"cells"`
		Diameter    float64   `json:"diameter"`
		Accelerated *float64  `json:"acceleration"`
		Decay       []map[string]*float64
		Bound       map[string][]float64
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &sum); err != nil {
		t.Fatalf("%v: %s", err, &p.stdout)
	}
	exact := 3 * math.Pi * math.Pi / 4
	if !(math.Abs(sum.Gap/exact-1) < 1e-4) || math.Abs(sum.Poincare*sum.Gap-1) > 1e-12 || len(sum.Values) != 2 || sum.Cells != 100 ||
		sum.Diameter != 2 || sum.Accelerated != nil {
		t.Errorf("%+v, want a gap of %g", sum, exact)
	}
	if len(sum.Decay) != 2 || sum.Decay[0]["chi2"] == nil || sum.Decay[0]["w2"] != nil || len(sum.Bound["tv"]) != 2 {
		t.Errorf("%+v", sum)
	}
	before := foldertest.Results(t, out)
	for _, c := range []struct {
		said string
		args []string
	}{
		{"a measurement of theory, which is not resumed", []string{"resume", out}},
		{"is a measurement of theory, which has no draws", []string{"diagnose", out}},
		{"neither draws nor evidence", []string{"compare", out}},
		{"has nothing to simulate", []string{"simulate", out}},
		{"nothing to plan: r2sgld theory " + file, []string{"plan", file}},
		{"is not empty", []string{"theory", file, "--out", out}},
		{file + ":5:1: this is a configuration of r2sgld theory, not of r2sgld sample; run: r2sgld theory " + file,
			[]string{"sample", file, "--out", filepath.Join(dir, "never")}},
		{file + ":5:1: this is a configuration of r2sgld theory, not of r2sgld identify",
			[]string{"identify", file, "--out", filepath.Join(dir, "never")}},
		{`did you mean "grid"?`, []string{"theory", file, "--out", filepath.Join(dir, "never"), "--set", "theory.gird=3"}},
		{"unknown flag: --seed", []string{"theory", file, "--seed", "3"}},
	} {
		p := start(t, c.args...)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), c.said) {
			t.Errorf("%v: exit %d: %s, want %q", c.args, code, &p.stderr, c.said)
		}
	}
	if there(dir, "never") {
		t.Error("a refused configuration left a folder")
	}
	for name, text := range foldertest.Results(t, out) {
		if before[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
	for _, name := range []string{"run.json", "summary.json", "figures/modes.svg", "figures/decay.png"} {
		if before[name] == "" {
			t.Errorf("no %s", name)
		}
	}
}

// The command that is named next keeps the keys that were set.
func TestTheoryNext(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "interval.yaml", onInterval)
	p := start(t, "theory", file, "--out", filepath.Join(dir, "run"), "--set", "theory.temperature=[1, 5]", "--set", "theory.intensity=10",
		"--set", "theory.grid=20")
	want := "r2sgld theory " + file +
		" --set 'theory.temperature=[1, 5]' --set theory.intensity=10 --set theory.grid=20 --set 'theory.intensities="
	if code := p.code(t); code != exitDone || !strings.Contains(p.stdout.String(), want) {
		t.Errorf("exit %d: %s%s, want %s", code, &p.stdout, &p.stderr, want)
	}
}

// A Ctrl-C ends the command at once with exit code 3, and leaves nothing.
func TestTheoryInterrupted(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file, out := write(t, dir, "interval.yaml", onInterval), filepath.Join(dir, "run")
	p := start(t, "theory", file, "--out", out, "--set", "theory.temperature=[1, 10]", "--set", "theory.grid=1000", "--set",
		"theory.eigenvalues=40")
	p.await(filepath.Join(out, ".lock"))
	p.signal(syscall.SIGINT, 300*time.Millisecond)
	if code := p.code(t); code != exitInterrupted || !strings.Contains(p.stderr.String(), "nothing is left of it") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
	if there(out, ".") {
		t.Error("the folder is left")
	}
}

// The examples load, and are of this command.
func TestTheoryExamples(t *testing.T) {
	found, err := filepath.Glob("../../examples/theory/*.yaml")
	if err != nil || len(found) < 4 {
		t.Fatal(found, err)
	}
	for _, file := range found {
		content, readErr := config.Text(file)
		if c, err := config.LoadTheory(file, nil); cmp.Or(readErr, err) != nil || config.CommandOf(content) != "theory" || c.Name == "" {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// What its cells tell is wrong is told at the potential; one that jumps is nothing to warn of:
// nothing is drawn.
func TestTheoryTells(t *testing.T) {
	dir := t.TempDir()
	for potential, says := range map[string]string{"1e200*x^2": "interval.yaml:3:12: theory: at temperature 3 all mass is in one of 100 cells",
		"floor(3*x)": ""} {
		file := write(t, dir, "interval.yaml", strings.Replace(onInterval, `"0"`, `"`+potential+`"`, 1))
		p := start(t, "theory", file, "--force", "--out", filepath.Join(dir, "run"))
		if code, said := p.code(t), p.stderr.String(); (code == exitDone) != (says == "") || !strings.Contains(said, says) ||
			strings.Contains(said, "wrong shares") {
			t.Errorf("%s: exit %d: %s", potential, code, said)
		}
	}
}
