package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// What is no run folder is named, with what to give in its place.
func TestResumeNoRun(t *testing.T) {
	empty := t.TempDir()
	for dir, want := range map[string]string{
		"/":          "/ is no run folder: it has no run.json. Give the folder that a run wrote",
		"///":        "/ is no run folder: it has no run.json.",
		empty:        empty + " is no run folder: it has no run.json. Give the folder that a run wrote",
		empty + "//": empty + " is no run folder: it has no run.json.",
	} {
		p := start(t, "resume", dir)
		if code := p.code(t); code != exitUsage || !strings.HasPrefix(p.stderr.String(), want) {
			t.Errorf("resume %s: exit %d: %s, want %s", dir, code, &p.stderr, want)
		}
	}
}

// A run whose folder was copied without the files that begin with a dot is not offered an
// extension, and says that its record is missing whatever it is to go on to.
func TestResumeWithoutRecord(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	must(t, exitDone, "sample", write(t, dir, "flower.yaml", flower), "--out", out, "--quiet", "--set", "sampler.iterations=1000",
		"--set", "sampler.burn_in=100")
	if err := os.Remove(filepath.Join(out, ".r2sgld.files")); err != nil {
		t.Fatal(err)
	}
	was := foldertest.Results(t, out)
	for _, c := range []struct {
		code int
		args []string
	}{
		{exitDone, nil},
		{exitUsage, []string{"--iterations", "2000"}},
		{exitUsage, []string{"--iterations", "10"}}, // before anything else is said of it
	} {
		p := start(t, append([]string{"resume", out}, c.args...)...)
		code, said := p.code(t), p.stderr.String()
		if code != c.code || !strings.Contains(said, "it has no record (.r2sgld.files)") || strings.Contains(said, "r2sgld resume") {
			t.Errorf("resume %v: exit %d: %s", c.args, code, said)
		}
	}
	if err := os.Remove(filepath.Join(out, "summary.json")); err != nil {
		t.Fatal(err)
	}
	delete(was, "summary.json")
	p := start(t, "resume", out)
	if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), "copy .r2sgld.files from where the run was made") {
		t.Errorf("resume of what is not finished: exit %d: %s", code, &p.stderr)
	}
	same(t, "refused", was, foldertest.Results(t, out))
}

// A finished run that is extended by a step or two keeps the rate of its steps, about.
func TestResumeKeepsTheRate(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	must(t, exitDone, "sample", write(t, dir, "flower.yaml", flower), "--out", out, "--quiet", "--set", "sampler.iterations=20000",
		"--set", "sampler.burn_in=100")
	was := summaryOf(t, out).StepsPerSecond
	must(t, exitDone, "resume", out, "--quiet", "--iterations", "20001")
	if now := summaryOf(t, out).StepsPerSecond; !(now > was/100) || !(now < 1.01*was) {
		t.Errorf("%.0f steps/s of 20,000 iterations, %.0f of one more", was, now)
	}
}
