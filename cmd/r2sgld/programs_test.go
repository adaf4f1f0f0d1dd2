package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// answers is a configuration whose potential is a program of a shell: the text comes
// before its handshake, then it answers every state with the same.
func answers(before, then string) string {
	return fmt.Sprintf(`name: program
variables: [x, y]
potential: {command: [sh, -c, '%s; read a; echo "{\"r2sgld\": 1, \"dimension\": 2}"; while read a; do echo 0 0 0; %s; done'], timeout: 100}
domain: {box: {x: [0, 1], y: [0, 1]}}
sampler: {iterations: 1000, ladders: 1, temperature: [1, 2], step_size: 1e-3}
`, before, then)
}

// A configuration that runs a program says so, and with --no-commands it is refused
// before the program has begun, by every command that would run it.
func TestProgramsAreTold(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	begun, out := filepath.Join(dir, "begun"), filepath.Join(dir, "run")
	file := write(t, dir, "program.yaml", answers("touch "+begun, ":"))
	p := start(t, "sample", file, "--out", out)
	if code := p.code(t); code != exitDone || !strings.HasPrefix(p.stderr.String(), "runs: sh -c 'touch "+begun) ||
		strings.Count(p.stderr.String(), "runs: ") != 1 {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	if err := os.Remove(begun); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"sample", file, "--out", filepath.Join(dir, "new")}, {"plan", file},
		{"resume", out, "--iterations", "2000"}} {
		p := start(t, append(args, "--no-commands")...)
		if code, said := p.code(t), p.stderr.String(); code != exitUsage || !strings.Contains(said, "--no-commands refuses: sh -c 'touch") ||
			!strings.Contains(said, "nothing was written") {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
	}
	if there(dir, "begun") || there(dir, "new") {
		t.Error("the program has begun, or a folder")
	}
	for _, args := range [][]string{{"sample", write(t, dir, "flower.yaml", flower), "--out", filepath.Join(dir, "flower")},
		{"diagnose", out}, {"compare", out}} {
		p := start(t, append(args, "--no-commands")...)
		if code := p.code(t); code != exitDone || strings.Contains(p.stderr.String(), "runs: ") {
			t.Errorf("%v: exit %d: %s", args, code, &p.stderr)
		}
	}
}

// However the program ends, so do those that it has started, and what these have
// started, though they hear nothing: in the set-up, within a run and at its end. A
// run that was stopped has a checkpoint.
func TestProgramsEnd(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	pid := filepath.Join(dir, "pid")
	deaf := `trap "" HUP INT TERM; sleep 1000 & echo $! >` + pid
	count := `n=$((n+1)); [ $n -lt 60 ] || exec sleep 1000`
	for name, c := range map[string]struct {
		text   string
		signal syscall.Signal
		code   int
	}{
		"killed in the set-up":   {answers(deaf+"; sleep 1000", ":"), syscall.SIGKILL, -1},
		"stopped in the set-up":  {answers(deaf+"; sleep 1000", ":"), syscall.SIGINT, exitInterrupted},
		"killed":                 {answers(deaf, count), syscall.SIGKILL, -1},
		"stopped":                {answers(deaf, count), syscall.SIGINT, exitInterrupted},
		"its terminal is closed": {answers(deaf, count), syscall.SIGHUP, exitInterrupted},
		"done":                   {answers(deaf, ":"), 0, exitDone},
	} {
		t.Run(name, func(t *testing.T) {
			_ = os.Remove(pid)
			out := filepath.Join(t.TempDir(), "run")
			p := start(t, "sample", write(t, dir, "program.yaml", c.text), "--out", out)
			p.await(pid)
			if !strings.Contains(name, "set-up") {
				p.await(filepath.Join(out, "checkpoints/000001"))
			}
			if c.signal != 0 {
				p.signal(c.signal, 50*time.Millisecond)
			}
			code, said := p.code(t), p.stderr.String()
			if code != c.code || code == exitInterrupted && strings.Contains(said, "r2sgld resume "+out) != there(out, "run.json") {
				t.Errorf("exit %d: %s", code, said)
			}
			text, _ := os.ReadFile(pid)
			gone(t, strings.TrimSpace(string(text)))
		})
	}
}

// gone waits for the end of a process.
func gone(t *testing.T, number string) {
	t.Helper()
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	for range 1500 {
		stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if syscall.Kill(pid, 0) != nil || strings.Contains(string(stat), ") Z ") { // which nobody has waited for
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("process %d goes on", pid)
}
