package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
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
			j, err = jobOf(r)
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

// A quota is a disk that is full after some bytes: for so many writes, or for
// ever if refuses is 0. Space that is given back does not count.
type quota struct {
	store.Disk
	left, refuses *atomic.Int64
}

type limited struct {
	*os.File
	quota
}

func (q quota) open(name string, flag int) (limited, error) {
	f, err := os.OpenFile(name, flag|os.O_CREATE, 0o666)
	if err == nil && q.left.Load() <= 0 && flag&os.O_EXCL != 0 {
		err = errors.Join(syscall.ENOSPC, f.Close())
	}
	return limited{f, q}, err
}

func (q quota) Create(name string) (store.File, error)   { return q.open(name, os.O_WRONLY|os.O_TRUNC) }
func (q quota) Append(name string) (store.File, error)   { return q.open(name, os.O_WRONLY|os.O_APPEND) }
func (q quota) OpenAt(name string) (store.FileAt, error) { return q.open(name, os.O_RDWR) }

const ample = 1 << 40

// room is how much of n bytes fits.
func (q quota) room(n int) int {
	fits := max(0, min(n, int(q.left.Add(-int64(n)))+n))
	if fits < n && q.refuses.Add(-1) == 0 {
		q.left.Store(ample)
	}
	return fits
}

func (f limited) Write(b []byte) (int, error) {
	k := f.room(len(b))
	n, err := f.File.Write(b[:k])
	if err == nil && k < len(b) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

func (f limited) WriteAt(b []byte, at int64) (int, error) {
	k := f.room(len(b))
	n, err := f.File.WriteAt(b[:k], at)
	if err == nil && k < len(b) {
		err = &os.PathError{Op: "write", Path: f.Name(), Err: syscall.ENOSPC}
	}
	return n, err
}

// A run that finds the disk full at any write says so and what to do, and ends
// with the same bytes once there is space. Nothing is lost but the time since the
// checkpoint before. Mutants it kills: a write whose error is dropped, the old
// checkpoint removed before the new one is whole.
func TestQuota(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for name, text := range short() {
		dir := t.TempDir()
		file, whole, run := write(t, dir, "c.yaml", text), filepath.Join(dir, "whole"), filepath.Join(dir, "run")
		var all, none atomic.Int64
		var said bytes.Buffer
		all.Store(ample)
		j := bare(t, file, whole, &said)
		j.Files, j.Checkpoint = quota{left: &all, refuses: &none}, 2*time.Millisecond
		if _, err := j.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		want, bytes := foldertest.Results(t, whole), ample-all.Load()
		full := 0
		for i := range pace.Soak(6, 500) {
			every, most := 2*time.Millisecond, bytes
			if i%2 == 0 { // it is draws that find it full, not checkpoints
				every, most = time.Hour, bytes/4
			}
			if fullOnce(t, file, run, every, rng.Int64N(most), rng.Int64N(4)) {
				full++
			}
			same(t, name, want, foldertest.Results(t, run))
			if t.Failed() {
				t.FailNow()
			}
			if err := os.RemoveAll(run); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d bytes written, full in %d runs", name, bytes, full)
	}
}

// fullOnce runs into a disk that is full for so many writes, and then without one
// to the end.
func fullOnce(t *testing.T, file, run string, every time.Duration, space, writes int64) (full bool) {
	t.Helper()
	var left, refuses atomic.Int64
	var said bytes.Buffer
	left.Store(space)
	refuses.Store(writes)
	j := bare(t, file, run, &said)
	j.Files, j.Checkpoint = quota{left: &left, refuses: &refuses}, every
	_, err := j.Run(context.Background())
	if err != nil {
		full = true
		isClear(t, run, err.Error())
	} else if left.Load() < 0 {
		t.Errorf("%d bytes: the disk was full, and nobody said so", space)
	}
	reached := whole(t, run)
	if _, err := bare(t, file, run, &said).Run(context.Background()); err != nil {
		t.Fatalf("%d bytes, resumed: %v", space, err)
	}
	if reached > 0 && strings.Contains(said.String(), "anew") {
		t.Errorf("%d bytes: a checkpoint was there, but sampling began anew", space)
	}
	return full
}

// isClear wants a message of a full disk that says what to do.
func isClear(t *testing.T, run, message string) {
	t.Helper()
	for _, part := range []string{"no space left on device", "free some space"} {
		if !strings.Contains(message, part) {
			t.Errorf("%q is not in the message:\n%s", part, message)
		}
	}
	kept, _ := filepath.Glob(filepath.Join(run, "checkpoints", "[0-9][0-9][0-9][0-9][0-9][0-9]"))
	anew := len(kept) == 0 && strings.Contains(message, "to begin anew in "+run+", pass --force")
	if there(run, "run.json") && !anew && !strings.Contains(message, "resume "+run) && !strings.Contains(message, "log.jsonl") {
		t.Errorf("the message does not say how to go on:\n%s", message)
	}
}

// whole wants every checkpoint to be so, and the newest to be the one that the log
// tells of last or a newer one. It returns how far that is.
func whole(t *testing.T, run string) int {
	t.Helper()
	f, err := store.Open(run)
	if err != nil {
		t.Fatal(err)
	}
	c, _, warnings, err := f.NewestCheckpoint()
	if len(warnings) > 0 {
		t.Errorf("half a checkpoint was left behind: %v", warnings)
	}
	if err != nil {
		c = &store.Checkpoint{Iteration: -1}
	}
	if told := told(run); c.Iteration < told {
		t.Errorf("the checkpoint of iteration %d is lost, there is that of %d", told, c.Iteration)
	}
	return c.Iteration
}

// told is the iteration of the last checkpoint that the log tells of; −1 if it
// tells of none.
func told(run string) int {
	data, _ := os.ReadFile(filepath.Join(run, "log.jsonl"))
	last := -1
	for line := range bytes.Lines(data) {
		var record struct {
			Message, Path string
			Iteration     int
		}
		if json.Unmarshal(line, &record) == nil && record.Message == "checkpoint" && record.Path != "" {
			last = record.Iteration
		}
	}
	return last
}

// A disk is a small file system in memory, and a ballast that takes its space.
type disk struct{ dir, ballast string }

const diskBytes = 64 << 20

// newDisk mounts one, or returns false where that is not allowed.
func newDisk(t *testing.T) (disk, bool) {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", diskBytes), "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("mount: %v: %s", err, out)
		return disk{}, false
	}
	t.Cleanup(func() { _ = exec.Command("umount", "-l", dir).Run() })
	return disk{dir, filepath.Join(dir, "ballast")}, true
}

// leave takes all but so much of the free space.
func (d disk) leave(t *testing.T, free int) {
	t.Helper()
	f, err := os.Create(d.ballast)
	if err != nil {
		t.Fatal(err)
	}
	var s syscall.Statfs_t
	if err = syscall.Statfs(d.dir, &s); err == nil {
		err = syscall.Fallocate(int(f.Fd()), 0, 0, max(1, int64(s.Bavail)*int64(s.Bsize)-int64(free)))
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

const unshared = "R2SGLD_UNSHARED"

// The program exits with 1 and a clear message when a real disk is full at any
// moment, and goes on once there is space. Where no disk may be mounted, not even
// in a name space of its own, TestQuota has to do.
func TestDiskFull(t *testing.T) {
	pace.Slow(t)
	d, ok := newDisk(t)
	if !ok && os.Getenv(unshared) == "" {
		c := exec.Command("unshare", "-rm", os.Args[0], "-test.run=^TestDiskFull$", "-test.v")
		c.Env = append(os.Environ(), unshared+"=1")
		out, err := c.CombinedOutput()
		t.Logf("in a name space of its own: %v\n%s", err, out)
		if bytes.Contains(out, []byte("--- FAIL")) {
			t.Fail()
		}
		return
	}
	if !ok {
		t.Log("no disk can be mounted here")
		return
	}
	rng := rand.New(rand.NewPCG(5, 6))
	run := filepath.Join(d.dir, "run")
	codes := map[int]int{}
	for name, text := range short() {
		file := write(t, t.TempDir(), "c.yaml", text)
		must(t, exitDone, "sample", file, "--out", run, "--quiet")
		want := foldertest.Results(t, run)
		used := diskBytes - d.free(t)
		for range pace.Soak(2, 60) {
			if err := os.RemoveAll(run); err != nil {
				t.Fatal(err)
			}
			d.leave(t, rng.IntN(used*5/4))
			p := start(t, "sample", file, "--out", run, "--quiet", "--checkpoint", "5ms", "--max-disk", "1TB") // else it would not begin
			code := p.code(t)
			codes[code]++
			if code == exitFailed {
				isClear(t, run, p.stderr.String())
			} else if code != exitDone {
				t.Errorf("%s: exit %d: %s", name, code, &p.stderr)
			}
			if err := os.Remove(d.ballast); err != nil {
				t.Fatal(err)
			}
			args := []string{"resume", run, "--quiet"}
			if !there(run, "run.json") {
				args = []string{"sample", file, "--out", run, "--quiet"}
			}
			must(t, exitDone, args...)
			same(t, name, want, foldertest.Results(t, run))
		}
		if err := os.RemoveAll(run); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("exit codes: %v", codes)
}

func (d disk) free(t *testing.T) int {
	t.Helper()
	var s syscall.Statfs_t
	if err := syscall.Statfs(d.dir, &s); err != nil {
		t.Fatal(err)
	}
	return int(s.Bavail) * int(s.Bsize)
}
