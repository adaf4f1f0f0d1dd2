package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/runner"
	"github.com/r2sgld/r2sgld/internal/store"
)

// bare makes the job of a configuration, or of the run folder if that is one,
// without figures. What it says goes to the buffer.
func bare(t *testing.T, file, dir string, said *bytes.Buffer, set ...string) *runner.Job {
	t.Helper()
	var j *runner.Job
	var err error
	if there(dir, "run.json") {
		_, m, fault := commandIn(dir)
		if fault != nil {
			t.Fatal(fault)
		}
		j, err = (&common{set: set}).resumedJob(context.Background(), dir, m)
	} else {
		var r *config.Run
		if r, err = config.Load("sample", file, set); err == nil {
			j, err = runner.Of(r)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	j.Dir, j.Bare, j.Checkpoint, j.Out, j.Terminal = dir, true, time.Hour, io.Discard, said
	return j
}

// short are small runs of the methods that differ in what they save.
func short() map[string]string {
	return map[string]string{
		"fixed": fmt.Sprintf(onFlower, "fixed", noisy, `{iterations: 24000, burn_in: 200, thin: 1, temperature: [1, 3, 10],
  step_size: [5e-4, 1e-3, 2e-3], ladders: 2, swap: {variance: online}}`), // its draws go to disk in three pieces
		"auto": fmt.Sprintf(onFlower, "auto", "",
			`{method: auto, kernel: sgld, iterations: 10000, ladders: 2, until: {rhat: 1.0001, ess: 1e6, iterations: 80000}}`),
	}
}

// damages are what may befall a file of n bytes.
func damages(rng *rand.Rand, n int) map[string]func([]byte) []byte {
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte {
			b[at] ^= 1 << rng.IntN(8)
			return b
		}
	}
	all := map[string]func([]byte) []byte{
		"magic": flip(0), "format": flip(8), "length of the header": flip(12), "highest byte of it": flip(15), "header": flip(40),
		"first section": flip(n / 4), "last section": flip(n - 33), "checksum": flip(n - 1),
		"empty": func([]byte) []byte { return nil }, "too long": func(b []byte) []byte { return append(b, 0) },
		"zeros at the end": func(b []byte) []byte { clear(b[n/2:]); return b },
	}
	for range pace.Soak(3, 200) {
		at, cut := rng.IntN(n), rng.IntN(n)
		all[fmt.Sprintf("byte %d", at)] = flip(at)
		all[fmt.Sprintf("cut to %d", cut)] = func(b []byte) []byte { return b[:cut] }
	}
	return all
}

// interrupted makes a run that was stopped with two checkpoints, and the whole
// run. It returns the content of the latter.
func interrupted(t *testing.T, file, dir string) (want map[string]string) {
	t.Helper()
	var said bytes.Buffer
	whole := dir + "-whole"
	if _, err := bare(t, file, whole, &said).Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	for wait := time.Millisecond; ; wait += wait / 8 {
		j := bare(t, file, dir, &said)
		j.Checkpoint = time.Millisecond
		ctx, cancel := context.WithTimeout(context.Background(), wait)
		_, err := j.Run(ctx)
		cancel()
		two, _ := filepath.Glob(filepath.Join(dir, "checkpoints/*"))
		var stop *job.Interrupted
		switch {
		case errors.As(err, &stop) && stop.Done > 0 && len(two) == 2:
			return foldertest.Results(t, whole)
		case err == nil:
			t.Fatal("the run is too short to be stopped")
		case !errors.As(err, &stop) && !errors.Is(err, context.DeadlineExceeded): // before it began
			t.Fatal(err)
		}
	}
}

// copied copies a run folder.
func copied(t *testing.T, from, to string) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(to), os.CopyFS(to, os.DirFS(from))); err != nil {
		t.Fatal(err)
	}
}

// spoil damages a file.
func spoil(t *testing.T, path string, damage func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, damage(b), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// A damaged checkpoint is skipped with a warning for the one before, and the run
// ends with the same bytes. Mutants it kills: checksums that leave a byte out,
// the newest file taken for the newest whole one.
func TestDamagedCheckpoint(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 2))
	for name, text := range short() {
		dir := t.TempDir()
		file, run, again := write(t, dir, "c.yaml", text), filepath.Join(dir, "run"), filepath.Join(dir, "again")
		want := interrupted(t, file, run)
		checkpoints, err := filepath.Glob(filepath.Join(run, "checkpoints/*"))
		if err != nil {
			t.Fatal(err)
		}
		newest := "checkpoints/" + filepath.Base(checkpoints[1])
		info, err := os.Stat(checkpoints[1])
		if err != nil {
			t.Fatal(err)
		}
		all := damages(rng, int(info.Size()))
		for i, what := range slices.Sorted(maps.Keys(all)) {
			if name == "auto" && i%pace.Soak(6, 1) != 0 { // files are read alike, and this run goes on for longer
				continue
			}
			copied(t, run, again)
			spoil(t, filepath.Join(again, newest), all[what])
			var said bytes.Buffer
			if _, err := bare(t, file, again, &said).Run(context.Background()); err != nil {
				t.Errorf("%s, %s: %v", name, what, err)
			}
			if text := said.String(); !strings.Contains(text, newest+" skipped: ") || strings.Contains(text, "anew") {
				t.Errorf("%s, %s: no warning, or no checkpoint before:\n%s", name, what, text)
			}
			same(t, name+", "+what, want, foldertest.Results(t, again))
		}
		for _, c := range checkpoints {
			spoil(t, c, func(b []byte) []byte { return b[:len(b)-1] })
		}
		var said bytes.Buffer
		_, err = bare(t, file, run, &said).Run(context.Background())
		if name == "auto" {
			if err != nil || !strings.Contains(said.String(), "sampling begins anew") {
				t.Errorf("all damaged: %v\n%s", err, &said)
			}
			same(t, "auto, all damaged", want, foldertest.Results(t, run))
		} else if err == nil || !strings.Contains(err.Error(), "no whole checkpoint: start the run anew") {
			t.Errorf("all damaged: %v", err)
		}
	}
}

// A run whose folder is moved away ends at its next checkpoint, and sends nobody to where the
// folder was. Mutant it kills: a checkpoint that is tried again and again.
func TestMovedRunEnds(t *testing.T) {
	dir := t.TempDir()
	run, away := filepath.Join(dir, "run"), filepath.Join(dir, "away")
	text := fmt.Sprintf(onFlower, "endless", "", `{method: auto, kernel: sgld, iterations: 1e9, ladders: 2, until: {iterations: 1e9}}`)
	var said bytes.Buffer
	j := bare(t, write(t, dir, "c.yaml", text), run, &said)
	j.Checkpoint = time.Millisecond
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	go func() {
		for ctx.Err() == nil && !there(run, "checkpoints/000002") {
			time.Sleep(time.Millisecond)
		}
		_ = os.Rename(run, away)
	}()
	_, err := j.Run(ctx)
	if !errors.Is(err, store.ErrMoved) || !strings.Contains(err.Error(), "wherever it is now") || ctx.Err() != nil {
		t.Errorf("%v\n%s", err, &said)
	}
	if there(run, "") || !there(away, "run.json") {
		t.Error("something was written where the folder was")
	}
}

// A whole checkpoint whose states are none is skipped with a warning for the one before; where
// there is none, nobody is sent round in a circle.
//
// Mutants it kills: the newest whole checkpoint or nothing.
func TestCheckpointOfNoLadder(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	for name, text := range short() {
		dir := t.TempDir()
		file, run := write(t, dir, "c.yaml", text), filepath.Join(dir, "run")
		want := interrupted(t, file, run)
		f, err := store.Open(run)
		if err != nil {
			t.Fatal(err)
		}
		c, newest, _, err := f.NewestCheckpoint()
		if err != nil {
			t.Fatal(err)
		}
		c.Sections[1].Data = c.Sections[1].Data[:100]
		spoil(t, newest, func([]byte) []byte {
			b, err := c.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			return b
		})
		alone := filepath.Join(dir, "alone")
		copied(t, run, alone)
		var said bytes.Buffer
		if _, err := bare(t, file, run, &said).Run(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if text := said.String(); !strings.Contains(text, newest+" skipped: resume: ladder 2: ") || strings.Contains(text, "anew") {
			t.Errorf("%s: no warning, or no checkpoint before:\n%s", name, text)
		}
		same(t, name, want, foldertest.Results(t, run))
		others, _ := filepath.Glob(filepath.Join(alone, "checkpoints/*"))
		if len(others) != 2 || os.Remove(others[0]) != nil {
			t.Fatal(others)
		}
		_, err = bare(t, file, alone, &said).Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), others[1]+": resume: ladder 2: ") || !strings.Contains(err.Error(), "anew with --force") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
