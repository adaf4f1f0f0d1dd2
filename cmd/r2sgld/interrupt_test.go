package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// heard sees to it that processes hear a Ctrl-C and the end of their terminal: one that
// runs in the background of a shell, or under nohup, is deaf to them, and so are those that
// it starts, unless it listens.
func heard(t *testing.T) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGINT, syscall.SIGHUP)
	t.Cleanup(func() { signal.Stop(c) })
}

// Ctrl-C in every phase ends a run with exit code 3 and a message that says how to
// go on, and so it does, to the same bytes. Before the program listens, the
// signal ends it.
func TestInterrupt(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file := write(t, dir, "auto.yaml", killed()["auto"])
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "run")
	must(t, exitDone, "sample", file, "--out", whole, "--quiet")
	args := []string{"sample", file, "--out", out, "--checkpoint", "20ms"}
	stops := 0
	for _, mark := range marks {
		p := stopAt(t, out, mark, time.Duration(pace.Soak(1, 5))*time.Millisecond, args...)
		code, said := p.code(t), p.stderr.String()
		switch {
		case code == exitInterrupted && strings.Contains(said, "go on with: r2sgld resume "+out):
			stops++
		case code == -1 && said == "": // it did not listen yet
		case code == exitInterrupted && said == (job.Early{}).Error()+"\n" && !there(out, "run.json"):
		case code == exitDone && mark == marks[len(marks)-1]:
		default:
			t.Errorf("at %q: exit %d: %s", mark, code, said)
		}
		if there(out, "run.json") {
			args = []string{"resume", out, "--checkpoint", "20ms"}
		}
	}
	if stops < 3 {
		t.Errorf("%d stops at %d moments", stops, len(marks))
	}
	must(t, exitDone, "resume", out, "--quiet")
	same(t, "interrupted in every phase", foldertest.Results(t, whole), foldertest.Results(t, out))
}

// A potential that answers at first and then hangs.
const hangs = `name: hangs
variables: [x, y]
potential: {command: [sh, -c, 'read a; echo "{\"r2sgld\": 1, \"dimension\": 2}"; n=0; while read a; do n=$((n+1)); [ $n -gt 60 ] && exec sleep 10; echo 0 0 0; done'], timeout: 100}
domain: {box: {x: [0, 1], y: [0, 1]}}
sampler: {iterations: 1000, ladders: 1, temperature: [1, 2], step_size: 1e-3}
`

// A second Ctrl-C ends the program at once, even where the first has to wait, and
// the run can go on.
func TestSecondInterrupt(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file, out := write(t, dir, "hangs.yaml", hangs), filepath.Join(dir, "run")
	p := start(t, "sample", file, "--out", out)
	p.await(filepath.Join(out, "checkpoints/000001"))
	p.signal(syscall.SIGINT, 100*time.Millisecond)
	p.signal(syscall.SIGINT, 300*time.Millisecond)
	if code := p.code(t); code != -1 {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
	if whole(t, out) != 0 {
		t.Error("iterations were made")
	}
}

// unending is a run that nobody waits for, of few draws.
func unending() string {
	return strings.NewReplacer("30000", "300000000", "thin: 1,", "thin: 10000,").Replace(killed()["online"])
}

// newest is the newest checkpoint of a run.
func newest(t *testing.T, out string) string {
	all, err := filepath.Glob(filepath.Join(out, "checkpoints/[0-9]*"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no checkpoints: %v", err)
	}
	return slices.Max(all)
}

// While a process writes in a run folder, another is refused with a message that
// names it.
func TestTwoProcesses(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file, out := write(t, dir, "long.yaml", unending()), filepath.Join(dir, "run")
	first := start(t, "sample", file, "--out", out, "--quiet")
	first.await(filepath.Join(out, "checkpoints/000001"))
	for _, args := range [][]string{{"resume", out}, {"sample", file, "--out", out, "--force"}} {
		second := start(t, args...)
		name := fmt.Sprintf("process %d", first.Process.Pid)
		if code := second.code(t); code != exitUsage || !strings.Contains(second.stderr.String(), name) {
			t.Errorf("%v: exit %d, no %q: %s", args, code, name, &second.stderr)
		}
	}
	first.signal(syscall.SIGKILL, 0)
	if code := first.code(t); code != -1 {
		t.Errorf("exit %d: %s", code, &first.stderr)
	}
	next := start(t, "resume", out, "--quiet", "--checkpoint", "20ms")
	for was := newest(t, out); newest(t, out) == was && next.alive(); {
		time.Sleep(time.Millisecond)
	}
	next.signal(syscall.SIGINT, 0)
	if code := next.code(t); code != exitInterrupted {
		t.Errorf("after it was killed: exit %d: %s", code, &next.stderr)
	}
}

// Memory does not depend on the number of iterations: what is held of the draws, for the
// summary and figures, is bounded. Both runs come to the bound (131,072 draws a ladder, of
// which every second is left out then), so that what the collector finds alive is within
// 1.5, where a memory that grows with the draws would take three times as much, and fifty
// times in the long run. What is alive does not depend on how busy the machine is, as
// garbage does.
func TestMemory(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	t.Setenv("GODEBUG", strings.TrimPrefix(os.Getenv("GODEBUG")+",gctrace=1", ","))
	file := write(t, dir, "long.yaml",
		fmt.Sprintf(onFlower, "long", "", `{thin: 1, burn_in: 1000, step_size: [5e-4, 1.5e-3], temperature: [1, 10], ladders: 4}`))
	alive := regexp.MustCompile(`(?m)^gc \d+ .* \d+->\d+->(\d+) MB,`)
	var peak [2]int
	for i, n := range []int{200_000, pace.Soak(1_000_000, 10_000_000)} {
		p := start(t, "sample", file, "--out", filepath.Join(dir, fmt.Sprint(n)), "--quiet", "--checkpoint", "200ms", "--set",
			fmt.Sprintf("sampler.iterations=%d", n))
		if code := p.code(t); code != exitDone {
			t.Fatalf("exit %d: %s", code, &p.stderr)
		}
		seen := alive.FindAllStringSubmatch(p.stderr.String(), -1)
		for _, m := range seen {
			mb, err := strconv.Atoi(m[1])
			if err != nil {
				t.Fatal(err)
			}
			peak[i] = max(peak[i], mb)
		}
		t.Logf("%d iterations of 4 ladders: at most %d MB alive in %d collections", n, peak[i], len(seen))
	}
	if peak[0] == 0 || float64(peak[1]) > 1.5*float64(peak[0]) {
		t.Errorf("memory grows from %d MB to %d MB", peak[0], peak[1])
	}
}
