package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
)

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

func (q quota) Create(name string) (store.File, error) { return q.open(name, os.O_WRONLY|os.O_TRUNC) }

func (q quota) Append(name string) (store.File, error) { return q.open(name, os.O_WRONLY|os.O_APPEND) }

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
