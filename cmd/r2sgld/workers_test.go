//go:build !nohub

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// A yard is a folder in which runs, workers and hubs are processes whose output goes to files.
type yard struct {
	t      *testing.T
	dir    string
	config string
	port   string
}

func newYard(t *testing.T) *yard {
	t.Helper()
	y := &yard{t: t, dir: t.TempDir()}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	y.port = l.Addr().String()
	_ = l.Close()
	y.config = write(t, y.dir, "wells.yaml", fmt.Sprintf(`name: wells
variables: [x, y]
potential: {command: [env, %s=%s, %s]}
domain: {box: {x: [-2, 2], y: [-2, 2]}}
sampler: {iterations: 250, burn_in: 25, thin: 3, ladders: 4, temperature: [1, 2, 4], step_size: [1e-3, 2e-3, 4e-3]}
`, asProgram, slowModel, os.Args[0]))
	t.Cleanup(func() {
		for range 500 {
			if len(y.left()) == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("left are %q", y.left())
	})
	return y
}

// left are the command lines of processes of the yard: its folder is among their arguments, or they work in it.
func (y *yard) left() (lines []string) {
	of, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range of {
		b, err := os.ReadFile(file)
		in, _ := os.Readlink(filepath.Join(filepath.Dir(file), "cwd"))
		if err == nil && (strings.Contains(string(b), y.dir) || strings.HasPrefix(in, y.dir)) {
			lines = append(lines, strings.ReplaceAll(string(b), "\x00", " "))
		}
	}
	return lines
}

// A hand is a process of a yard.
type hand struct {
	*exec.Cmd
	t     *testing.T
	log   string
	ended chan struct{} // closed once it has
}

func (y *yard) start(log string, args ...string) *hand {
	y.t.Helper()
	bin := os.Getenv("R2SGLD_BIN")
	if bin == "" {
		bin = os.Args[0]
	}
	h := &hand{exec.Command(bin, args...), y.t, filepath.Join(y.dir, log), make(chan struct{})}
	f, err := os.OpenFile(h.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		y.t.Fatal(err)
	}
	defer f.Close()
	h.Env = append(os.Environ(), asProgram+"=1")
	for _, v := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"} {
		h.Env = append(h.Env, v+"="+y.dir)
	}
	h.Stdout, h.Stderr = f, f
	if err := h.Start(); err != nil {
		y.t.Fatal(err)
	}
	go func() {
		_ = h.Wait()
		close(h.ended)
	}()
	y.t.Cleanup(func() { h.end(syscall.SIGKILL) })
	return h
}

// worker starts one for the address of the yard.
func (y *yard) worker(name string) *hand {
	return y.start(name+".log", "work", y.url(), "--allow", "command", "--slots", "2", "--dir", filepath.Join(y.dir, name))
}

// url is that of the broker, whose token is known before it starts.
func (y *yard) url() string {
	y.t.Helper()
	token, keep, err := tokenIn(filepath.Join(y.dir, "r2sgld"))
	if err == nil {
		err = keep()
	}
	if err != nil {
		y.t.Fatal(err)
	}
	return "nats://" + token + "@" + y.port
}

func (h *hand) said() string {
	b, err := os.ReadFile(h.log)
	if err != nil {
		h.t.Fatal(err)
	}
	return string(b)
}

// says waits until it has said something so often.
func (h *hand) says(what string, times int) {
	h.t.Helper()
	for end := time.Now().Add(longest / 5); strings.Count(h.said(), what) < times; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			h.t.Fatalf("%v does not say %q, but %q", h.Args[1:], what, h.said())
		}
	}
}

// end ends the process by a signal, and returns its exit code, −1 if the signal ended it.
func (h *hand) end(s syscall.Signal) int {
	_ = h.Process.Signal(s)
	<-h.ended
	return h.ProcessState.ExitCode()
}

// done waits for its end.
func (h *hand) done(want int) {
	h.t.Helper()
	select {
	case <-h.ended:
	case <-time.After(pace.Soak(longest/5, longest)): // a line that takes 200 ms makes runs of minutes
		h.t.Fatalf("%v does not end: %s", h.Args[1:], h.said())
	}
	if code := h.ProcessState.ExitCode(); code != want {
		h.t.Fatalf("%v: exit %d: %s", h.Args[1:], code, h.said())
	}
}

// saved waits until a run has checkpoints.
func (h *hand) saved(out string) {
	h.t.Helper()
	for {
		if all, _ := filepath.Glob(filepath.Join(out, "checkpoints", "*")); len(all) > 1 {
			return
		}
		select {
		case <-h.ended:
			h.t.Fatalf("%v ended before: %s", h.Args[1:], h.said())
		case <-time.After(time.Millisecond):
		}
	}
}

// TestWorkersOfARun: a run with workers, of which one is killed, one whose own process is killed
// and that is resumed, and one whose hub is killed leave the bytes of the run by itself.
func TestWorkersOfARun(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	alone := newYard(t)
	whole := filepath.Join(alone.dir, "run")
	alone.start("whole.log", "sample", alone.config, "--out", whole).done(exitDone)
	want := foldertest.Results(t, whole)
	for name, killed := range map[string]func(y *yard, out string){
		"worker": func(y *yard, out string) {
			one, two := y.worker("one"), y.worker("two") // which wait
			two.says("waiting for it", 1)
			run := y.start("run.log", "sample", y.config, "--out", out, "--listen", y.port)
			run.says("2 workers, 4 at once", 1)
			one.end(syscall.SIGKILL)
			run.done(exitDone)
			run.says(" workers evaluated ", 1)
			y.t.Log(run.said()[strings.Index(run.said(), "workers evaluated "):])
			if code := two.end(syscall.SIGTERM); code != exitDone {
				y.t.Errorf("a worker that is stopped: exit %d: %s", code, two.said())
			}
		},
		"run": func(y *yard, out string) {
			y.worker("one")
			run := y.start("killed.log", "sample", y.config, "--out", out, "--listen", y.port, "--checkpoint", "20ms")
			run.says(" joins", 1)
			run.saved(out)
			if code := run.end(syscall.SIGKILL); code != -1 {
				y.t.Errorf("the run had ended: exit %d", code)
			}
			y.start("resumed.log", "resume", out, "--listen", y.port).done(exitDone)
		},
		"hub": func(y *yard, out string) {
			y.worker("one")
			hub := y.start("hub.log", "hub", filepath.Join(y.dir, "r2sgld"), "--listen", y.port)
			hub.says("runs:", 1)
			run := y.start("run.log", "sample", y.config, "--out", out, "--hub", y.url())
			run.says(" joins", 1)
			hub.end(syscall.SIGKILL)
			time.Sleep(100 * time.Millisecond)
			hub = y.start("hub.log", "hub", filepath.Join(y.dir, "r2sgld"), "--listen", y.port)
			run.done(exitDone)
			if code := hub.end(syscall.SIGTERM); code != exitDone {
				y.t.Errorf("a hub that is stopped: exit %d: %s", code, hub.said())
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			y.config = alone.config // the name of which is in what runs write
			out := filepath.Join(y.dir, "run")
			killed(y, out)
			same(t, name, want, foldertest.Results(t, out))
		})
	}
}

// TestWorkRefuses: a worker runs no program that it was not allowed to, and says why it cannot
// help, as does the run; flags that are none write nothing.
func TestWorkRefuses(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	y := newYard(t)
	worker := y.start("worker.log", "work", y.url(), "--dir", filepath.Join(y.dir, "files"))
	out := filepath.Join(y.dir, "alone")
	run := y.start("run.log", "sample", y.config, "--out", out, "--listen", y.port)
	worker.says("a worker that is started with --allow command does so", 1)
	run.says("a worker that is started with --allow command does so", 1)
	run.done(exitDone)
	worker.end(syscall.SIGTERM)
	y.start("token.log", "hub", filepath.Join(y.dir, "other"), "--listen", y.port).says("runs:", 1)
	stranger := y.start("stranger.log", "work", y.url())
	stranger.done(exitUsage)
	stranger.says("the broker refuses the token", 1)
	nowhere := filepath.Join(y.dir, "nowhere")
	for _, args := range [][]string{
		{"work", y.url(), "--slots", "-1"}, {"work", y.url(), "--allow", "all"}, {"work", y.url(), "--idle", "-1s"}, {"work", "here"},
		{"work", "@" + nowhere},
		{"work", y.url(), "--ca", nowhere}, {"work", y.url(), "--creds", nowhere},
		{"hub", nowhere, "--listen", "4222"}, {"hub", nowhere, "--tls", nowhere}, {"hub", nowhere, "--tls", nowhere + "," + nowhere},
		{"sample", y.config, "--out", nowhere, "--hub", "nats://x@127.0.0.1:1"}, {"sample", y.config, "--out", nowhere, "--listen", "x"},
		{"sample", y.config, "--out", nowhere, "--listen", ":0", "--hub", y.url()}, {"sample", y.config, "--out", nowhere, "--any-bits"},
		{"sample", y.config, "--out", nowhere, "--tls", "a,b"},
	} {
		y.start("refused.log", args...).done(exitUsage)
	}
	if _, err := os.Stat(nowhere); err == nil {
		t.Error("something was written")
	}
}

// TestIdleWorkers: a worker without a run leaves after a while, with or without a broker.
func TestIdleWorkers(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	y := newYard(t)
	y.start("lonely.log", "work", y.url(), "--idle", "1ms").done(exitFailed)
	hub := y.start("hub.log", "hub", filepath.Join(y.dir, "r2sgld"), "--listen", y.port)
	hub.says("runs:", 1)
	idle := y.start("idle.log", "work", "@"+write(t, y.dir, "url", y.url()+"\n"), "--idle", "1ms")
	idle.done(exitDone)
	idle.says("leaves: there has been no work for 1ms", 1)
}
