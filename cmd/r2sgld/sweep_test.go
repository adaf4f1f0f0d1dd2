package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/sweep"
)

// sweepResults are the results of the cases of a sweep, and its table without times.
func sweepResults(t *testing.T, dir string, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i := range n {
		at := fmt.Sprintf("cases/%0*d", len(fmt.Sprint(n)), i+1)
		for name, text := range foldertest.Results(t, filepath.Join(dir, at)) {
			out[at+"/"+name] = text
		}
	}
	for _, name := range []string{"summary.json", "run.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = foldertest.Untimed(t, string(text))
	}
	return out
}

// Each case of a sweep is the run that its command alone makes, whatever else goes on, and the
// table has a line for each.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	out := filepath.Join(dir, "sweep")
	must(t, exitDone, "sweep", file, "--over", "sampler.seed=4..5", "--over", "sampler.iterations=600,800", "--set", "sampler.burn_in=100",
		"--out", out, "--quiet", "--jobs", "3")
	for i, set := range [][]string{{"4", "600"}, {"4", "800"}, {"5", "600"}, {"5", "800"}} {
		alone := filepath.Join(dir, "alone"+fmt.Sprint(i))
		must(t, exitDone, "sample", file, "--set", "sampler.seed="+set[0], "--set", "sampler.iterations="+set[1], "--set", "sampler.burn_in=100",
			"--out", alone, "--quiet")
		same(t, fmt.Sprintf("case %d", i+1), foldertest.Results(t, alone), foldertest.Results(t, filepath.Join(out, "cases", fmt.Sprint(i+1))))
	}
	sum, err := job.Finished[sweep.Summary](out)
	if err != nil || len(sum.Cases) != 4 || sum.Cases[2].Values[0] != "5" || len(sum.Cases[0].Parameters) != 2 || sum.Cases[0].ESS < 1 {
		t.Errorf("%+v %v", sum, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][1] != "sampler.seed" || rows[4][2] != "800" {
		t.Errorf("%q %v", rows, err)
	}
	must(t, exitDone, "resume", out, "--quiet")
	for _, command := range []string{"diagnose", "modes", "compare"} {
		must(t, exitUsage, command, out)
	}
	must(t, exitUsage, "sweep", file, "--over", "sampler.seed=1..2", "--out", out) // it is not empty
	must(t, exitDone, "sweep", file, "--over", "sampler.seed=4,9", "--set", "sampler.iterations=600", "--set", "sampler.burn_in=100", "--out", out,
		"--quiet", "--force")
	if sum, err = job.Finished[sweep.Summary](out); err != nil || len(sum.Cases) != 2 {
		t.Fatalf("%+v %v", sum, err)
	}
	if _, m, err := commandIn(filepath.Join(out, "cases/2")); err != nil || m.Hash != sum.Cases[1].Hash {
		t.Errorf("the run of case 2 stays another: %v", err)
	}
}

// What makes no sense is refused before anything is written.
func TestSweepRefused(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	theory := write(t, dir, "theory.yaml", "variables: [x]\npotential: \"0\"\ndomain: {box: {x: [0, 2]}}\ntheory: {temperature: 1}\n")
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{file}, {file, "--over", "sampler.seed"}, {file, "--over", "sampler.seed=2..1"}, {file, "--over", "sampler.seed=1,x"},
		{file, "--over", "sampler.sed=1..2"}, {file, "--over", "sampler.seed=1,2", "--over", "sampler.seed=3"},
		{file, "--over", "sampler.thin=1,01"}, {file, "--over", "sampler.step_size=1e-3,1.0e-3"},
		{file, "--over", "sampler.seed=1..2", "--jobs", "-1"}, {file, "--over", "sampler.seed=1..2", "--listen", "nowhere"},
		{file, "--over", "sampler.seed=1..2", "--hub", "nats://127.0.0.1:1"},
		{file, "--over", "sampler.seed=1..2", "--hub", "nats://127.0.0.1:1", "--ca", filepath.Join(dir, "none.pem")},
		{file, "--over", "sampler.seed=1..2", "--listen", "127.0.0.1:0", "--tls", "a,b"},
		{theory, "--over", "theory.grid=10,20"},
		{filepath.Join(dir, "none.yaml"), "--over", "sampler.seed=1..2"},
	} {
		must(t, exitUsage, append(append([]string{"sweep"}, args...), "--out", out)...)
		if there(dir, "out") {
			t.Fatalf("%q writes", args)
		}
	}
}

// A case that fails is told in the table, the others are made, and resume tries it again.
func TestSweepWithAFailure(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "blows.yaml", `name: blows
variables: [x]
potential: "x^4"
sampler: {method: sgld, iterations: 500, burn_in: 10, step_size: 1e-3, init: {x: 3}}
`)
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{{"sweep", file, "--over", "sampler.step_size=1e-3,10,1e-4", "--out", out}, {"resume", out}} {
		must(t, exitFailed, args...)
		sum, err := job.Finished[sweep.Summary](out)
		if err != nil || sum.Failed != 1 || sum.Cases[1].Failed == "" || sum.Cases[0].Failed+sum.Cases[2].Failed != "" {
			t.Fatalf("%+v %v", sum, err)
		}
	}
	must(t, exitFailed, "resume", out, "--web", "127.0.0.1:0")
	must(t, exitUsage, "resume", out, "--listen", "127.0.0.1:0", "--any-bits")
}

// Ctrl-C ends a sweep with what to do, and it goes on to the same bytes.
func TestSweepInterrupted(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", killed()["momentum"])
	args := []string{"sweep", file, "--over", "sampler.seed=1..3", "--checkpoint", "20ms", "--jobs", "2"}
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	must(t, exitDone, append(args, "--out", whole, "--quiet")...)
	p := stopAt(t, out, "cases/2/checkpoints/000002", 0, append(args, "--out", out)...)
	if code := p.code(t); code != exitInterrupted || !strings.Contains(p.stderr.String(), "cases") ||
		!strings.Contains(p.stderr.String(), "go on with: r2sgld resume "+out) {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	must(t, exitUsage, "resume", out, "--iterations", "100000")
	if code := run(context.Background(), []string{"resume", out, "--quiet"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	same(t, "interrupted", sweepResults(t, whole, 3), sweepResults(t, out, 3))
}
