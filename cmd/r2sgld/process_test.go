package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// asProgram is the variable that makes the test binary the program, or, if it is idle, a
// program that does nothing but leave once it is stopped.
const asProgram, idle = "R2SGLD_AS_PROGRAM", "idle"

// TestMain lets tests start the program as a process of its own.
func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
	case idle:
		_, late := interrupts()
		<-late
		leave()
	case formulas:
		os.Exit(ofFormulas(os.Args[1:]))
	case compiledModel:
		os.Exit(stanModel(os.Args[1:]))
	case slowModel:
		os.Exit(slowly())
	default:
		main()
	}
	os.Exit(m.Run())
}

// A process is the program at work. R2SGLD_BIN names another binary of it.
type process struct {
	*exec.Cmd
	stdout bytes.Buffer
	stderr bytes.Buffer
	ended  chan struct{} // closed once it has
	end    time.Time
	err    error
}

// longest is the time after which a process hangs.
const longest = 10 * time.Minute

func start(t *testing.T, args ...string) *process {
	t.Helper()
	return startAs(t, "1", args...)
}

// startAs starts it with another value of asProgram.
func startAs(t *testing.T, as string, args ...string) *process {
	t.Helper()
	bin := os.Getenv("R2SGLD_BIN")
	if bin == "" || as == idle {
		bin = os.Args[0]
	}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	p := &process{Cmd: exec.CommandContext(ctx, bin, args...), ended: make(chan struct{})}
	p.Env = append(os.Environ(), asProgram+"="+as)
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	p.WaitDelay = 10 * time.Second
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.Wait()
		p.end = time.Now()
		cancel()
		close(p.ended)
	}()
	return p
}

// done starts the program and waits for its end, which must be that of a run that is done.
func done(t *testing.T, args ...string) {
	t.Helper()
	if p := start(t, args...); p.code(t) != exitDone {
		t.Fatalf("%v: %s%s", args, &p.stdout, &p.stderr)
	}
}

// code waits for the end and returns the exit code, −1 if a signal ended it.
func (p *process) code(t *testing.T) int {
	t.Helper()
	<-p.ended
	var exit *exec.ExitError
	if p.err != nil && !errors.As(p.err, &exit) {
		t.Fatal(p.err)
	}
	return p.ProcessState.ExitCode()
}

// alive reports whether the process has not ended.
func (p *process) alive() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// signal sends a signal after a while, unless the process ends before.
func (p *process) signal(s syscall.Signal, after time.Duration) {
	select {
	case <-p.ended:
	case <-time.After(after):
		_ = p.Process.Signal(s)
	}
}

// await waits until a file is there, or the process at its end.
func (p *process) await(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			return
		}
		select {
		case <-p.ended:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// stopAt starts the program, has it hear a Ctrl-C a while after a file is in its folder out,
// and waits for its end. Where a busy machine is late and the run is done before, the folder
// is put back as it was, and it is tried again.
func stopAt(t *testing.T, out, mark string, after time.Duration, args ...string) *process {
	t.Helper()
	before, had := filepath.Join(t.TempDir(), "before"), there(out, ".")
	restore := func(to, from string) {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if had {
		restore(before, out)
	}
	for attempt := 1; ; attempt++ {
		p := start(t, args...)
		if mark != "" {
			p.await(filepath.Join(out, mark))
		}
		p.signal(syscall.SIGINT, after)
		if p.code(t) != exitDone || attempt == 20 {
			return p
		}
		if err := os.RemoveAll(out); err != nil {
			t.Fatal(err)
		}
		if had {
			restore(out, before)
		}
	}
}

// must runs the program in this process and wants an exit code.
func must(t *testing.T, want int, args ...string) {
	t.Helper()
	if code := run(context.Background(), args); code != want {
		t.Fatalf("%s: exit %d, want %d", strings.Join(args, " "), code, want)
	}
}

func there(dir, name string) bool {
	_, err := os.Stat(filepath.Join(dir, name))
	return err == nil
}
