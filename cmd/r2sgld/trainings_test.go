package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/training"
)

// What the other commands say to the folder of a training: each is told what to read or
// to do, and none changes it.
//
// Mutants it kills: a diagnose or compare that takes a finished training for an
// unfinished run, a comparison of kinds that have nothing in common, a resume that writes
// into a finished training.
func TestCommandsOnTrainings(t *testing.T) {
	pace.Slow(t)
	worker(t)
	dir := t.TempDir()
	file := write(t, dir, "fashion.yaml", strings.NewReplacer("resnet8", "lenet, norm: frn", "epochs: 3", "epochs: 2").Replace(onSmallFashion(t)))
	a, b, drawn := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "drawn")
	must(t, exitDone, "train", file, "--out", a, "--quiet")
	must(t, exitDone, "train", file, "--out", b, "--quiet", "--set", "sampler.step_size=[0.25, 1]")
	must(t, exitDone, "sample", write(t, dir, "flower.yaml", flower), "--out", drawn, "--quiet", "--set", "sampler.iterations=2000")
	before := foldertest.Results(t, a)
	for _, c := range []struct {
		code int
		said string
		args []string
	}{
		{exitUsage, "is a training, which keeps no draws", []string{"diagnose", a}},
		{exitUsage, "has nothing to simulate", []string{"simulate", a}},
		{exitUsage, "is a training and " + drawn + " is none", []string{"compare", a, drawn}},
		{exitDone, "is finished", []string{"resume", a}},
		{exitDone, "Δ NLL", []string{"compare", a, b}},
	} {
		p := start(t, c.args...)
		if code, said := p.code(t), p.stderr.String()+p.stdout.String(); code != c.code || !strings.Contains(said, c.said) {
			t.Errorf("%v: exit %d: %s, want %d and %q", c.args, code, said, c.code, c.said)
		}
	}
	same(t, "after all that", before, foldertest.Results(t, a))
	replacedByItsLike(t, a, b, before)
	p := start(t, "compare", a, b, "--json")
	var table training.Comparison
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	if err := json.Unmarshal(p.stdout.Bytes(), &table); err != nil || len(table.Trainings) != 2 || table.Trainings[1].Less == nil {
		t.Errorf("%s: %v", p.stdout.String(), err)
	}
}

// replacedByItsLike has a training that is whole, but for the exchange with one of the same
// configuration, take its place.
func replacedByItsLike(t *testing.T, a, b string, want map[string]string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	copied(t, b, dir)
	copied(t, a, filepath.Join(dir, ".new-1"))
	must(t, exitDone, "resume", dir, "--quiet")
	if there(dir, ".new-1") {
		t.Error("a training that was whole has not taken its place")
	}
	same(t, "in its place", want, foldertest.Results(t, dir))
}
