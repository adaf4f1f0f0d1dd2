package torch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/pace"
)

func TestMissing(t *testing.T) {
	t.Setenv("R2SGLD_TORCH", "")
	t.Setenv("PATH", t.TempDir())
	t.Chdir(t.TempDir())
	var missing *Missing
	for _, o := range []Options{{}, {Worker: "nowhere"}} {
		_, err := Open(context.Background(), mlp(1), o)
		if !errors.As(err, &missing) || !strings.Contains(err.Error(), "make torch") {
			t.Errorf("%v", err)
		}
	}
	must(t, os.Mkdir("bin", 0o755))
	must(t, os.WriteFile("bin/r2sgld-torch", []byte("no program"), 0o755))
	if _, err := Open(context.Background(), mlp(1), Options{}); err == nil || !strings.Contains(err.Error(), "make torch") {
		t.Errorf("%v", err)
	}
}

// Programs that are not the worker this package needs: what is seen, and the remedy.
func TestFake(t *testing.T) {
	garbage := filepath.Join(t.TempDir(), "garbage")
	must(t, os.WriteFile(garbage, []byte("no program"), 0o755))
	for mode, want := range map[string]string{
		"version": "version 7 of the protocol, this r2sgld version 2",
		"magic":   `it answers "PNG!" where "R2SG" is due`,
		"chatter": "what it writes is no reply",
		"dies":    "it ended (exit status 9) before it answered; the end of its standard error:\n  first\n  last words",
		"killed":  "it ended (signal: killed) before it answered",
		"short":   "cut short",
		"silent":  "it did not answer within 300ms",
		script(t, "echo no libtorch.so >&2; exit 127"): "no libtorch.so",
		"/bin/cat":  "cut short",
		"/bin/true": "it ended (exit status 0) before it answered; its standard error is empty",
		garbage:     "it cannot be started (fork/exec",
	} {
		path := mode
		if !filepath.IsAbs(mode) {
			path = os.Args[0]
			t.Setenv("R2SGLD_FAKE_WORKER", mode)
		}
		within := greeting
		if mode == "silent" {
			within = 300 * time.Millisecond
		}
		_, err := start(context.Background(), path, "cpu", within)
		var mismatch *Mismatch
		if !errors.As(err, &mismatch) || strings.Contains(err.Error(), "memory") {
			t.Errorf("%s: %v", mode, err)
			continue
		}
		for _, want := range []string{want, path, "make torch"} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", mode, err, want)
			}
		}
	}
}

// A worker that does not answer ends with the context, long before any grace.
func TestStoppedBeforeItBegan(t *testing.T) {
	pace.Slow(t)
	for _, mode := range []string{"silent", "deaf"} {
		t.Setenv("R2SGLD_FAKE_WORKER", mode)
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		_, err := Open(ctx, mlp(1), Options{Worker: os.Args[0]})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "stopped before it began") {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// A worker that answers no more is killed after a while once the run is to stop, not
// before; one that answers goes on. Kills patience that ends with a call that was answered,
// and none.
func TestStopped(t *testing.T) {
	pace.Slow(t)
	t.Setenv("R2SGLD_FAKE_WORKER", "stops")
	ctx, cancel := context.WithCancel(context.Background())
	opened := get[bnn.Engine](t)(Open(ctx, mlp(1), Options{Worker: os.Args[0]}))
	e := opened.(*engine)
	e.patience, e.longest = 400*time.Millisecond, 0
	must(t, e.Recompute(0, nil))
	time.AfterFunc(200*time.Millisecond, cancel)
	began := time.Now()
	_, err := e.State(0)
	var died *Died
	if took := time.Since(began); took < 500*time.Millisecond || !errors.As(err, &died) ||
		!errors.Is(err, context.Canceled) || strings.Contains(err.Error(), "memory") || !strings.Contains(err.Error(), "did not answer within") {
		t.Errorf("after %v: %v", took, err)
	}
	must(t, e.Close())

	t.Setenv("R2SGLD_FAKE_WORKER", "")
	ctx, cancel = context.WithCancel(context.Background())
	defer cancel()
	opened = get[bnn.Engine](t)(Open(ctx, mlp(1), Options{Worker: worker(t)}))
	cancel()
	opened.(*engine).patience = time.Minute
	states(t, opened)
	states(t, opened)
	must(t, opened.Close())
}

// A worker in a long call ends as soon as nobody can read its reply, as when its program
// is killed, though somebody holds its input open.
func TestOrphan(t *testing.T) {
	pace.Slow(t)
	c := exec.Command(worker(t))
	c.Env = environment()
	in, err := c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	must(t, c.Start())
	hello := append(begin(nil, callHello), append([]byte(magic), version, 0, 0, 0)...)
	must(t, finish(hello))
	_, err = in.Write(hello)
	must(t, err)
	_, _, err = readFrame(out, nil, 1<<16)
	must(t, err)
	must(t, out.Close())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	select {
	case err := <-ended:
		must(t, err)
	case <-time.After(time.Minute):
		t.Error("it goes on for nobody")
		must(t, c.Process.Kill())
	}
}

func TestNoDevice(t *testing.T) {
	pace.Slow(t)
	for _, device := range []string{"cuda:9", "tpu"} {
		_, err := Open(context.Background(), mlp(1), Options{Worker: worker(t), Devices: []string{device}})
		var failed *Failed
		if !errors.As(err, &failed) || failed.Reason != NoDevice || !strings.Contains(err.Error(), "has cpu") {
			t.Errorf("%s: %v", device, err)
		}
	}
}

// Requests that make no sense are refused with a reason, and the worker goes on.
func TestRefusals(t *testing.T) {
	pace.Slow(t)
	e := open(t, mlp(2), Options{})
	set := func(change func(s *images.Set)) func() error {
		return func() error {
			s := pictures(4, mlp(1).Network)
			change(s)
			return e.Load(1, s, []float64{0, 0, 0}, []float64{1, 1, 1})
		}
	}
	start := func(b bnn.Batch) func() error {
		return func() error { _, err := e.Start(b); return err }
	}
	move := func(m bnn.Move) func() error {
		return func() error { _, err := e.Advance(moves(2, m), batch); return err }
	}
	for want, call := range map[string]func() error{
		"label 5":                    set(func(s *images.Set) { s.Labels[2] = 5 }),
		"label -1":                   set(func(s *images.Set) { s.Labels[0] = -1 }),
		"3 labels for 4 examples":    set(func(s *images.Set) { s.Labels = s.Labels[:3] }),
		"191 numbers are no":         set(func(s *images.Set) { s.Pixels = s.Pixels[:191] }),
		"of shape 3×4×5":             set(func(s *images.Set) { s.Width = 5 }),
		"deviation":                  func() error { return e.Load(1, pictures(4, mlp(1).Network), []float64{0, 0, 0}, []float64{1, 0, 1}) },
		"one of each channel":        func() error { return e.Load(1, pictures(4, mlp(1).Network), nil, nil) },
		"example 20 of a set of 20":  start(bnn.Batch{Indices: []int32{0, 20}}),
		"example -1 of":              start(bnn.Batch{Indices: []int32{-1}}),
		"of no examples":             start(bnn.Batch{}),
		"no set 7":                   start(bnn.Batch{Set: 7, Indices: []int32{0}}),
		"wider than the image":       start(bnn.Batch{Indices: []int32{0}, Augment: bnn.Augmentation{Crop: 5}}),
		"probability of erasing":     start(bnn.Batch{Indices: []int32{0}, Augment: bnn.Augmentation{Erase: math.NaN()}}),
		"bound of a move":            move(bnn.Move{Scale: 1}),
		"not finite":                 move(bnn.Move{Scale: math.NaN(), Bound: 1}),
		"momentum < 1":               move(bnn.Move{Momentum: 1, Bound: 1}),
		"1 moves for 2":              func() error { _, err := e.Advance(moves(1, plain), batch); return err },
		"replica 2":                  func() error { _, err := e.State(2); return err },
		"2 parameters: the network ": func() error { return e.SetState(0, &bnn.State{Parameters: []float64{1, 2}}) },
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	get[[]bnn.Outcome](t)(e.Start(batch))

	s := mlp(1)
	s.Network.Kind = "transformer"
	if _, err := Open(context.Background(), s, Options{Worker: worker(t)}); err == nil || !strings.Contains(err.Error(), "transformer") {
		t.Errorf("%v", err)
	}
}

// A worker that is killed says so, in a process group that is not ours; the engine
// can be closed, twice.
func TestKilled(t *testing.T) {
	pace.Slow(t)
	e := open(t, mlp(1), Options{})
	pid := e.(*engine).processes[0].peer.(*Local).Pid()
	if group, err := syscall.Getpgid(pid); err != nil || group == syscall.Getpgrp() {
		t.Errorf("process %d is in group %d: an interrupt at the terminal would end it", pid, group)
	}
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	_, err := e.Start(batch)
	var died *Died
	if !errors.As(err, &died) || !died.Killed || !strings.Contains(err.Error(), "memory") {
		t.Errorf("%v", err)
	}
	if _, err := e.Usage(); err == nil {
		t.Error("a dead worker answers")
	}
	must(t, e.Close())
	if _, err := e.State(0); err == nil {
		t.Error("a closed engine answers")
	}
}

// script is a program that runs these lines.
func script(t *testing.T, lines string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "script")
	must(t, os.WriteFile(path, []byte("#!/bin/sh\n"+lines+"\n"), 0o755))
	return path
}

// held is what a worker's process holds of memory now, in kB: its data, all that is
// mapped, and the most that was.
func held(t *testing.T, e bnn.Engine) (data, size, peak int) {
	t.Helper()
	status := get[[]byte](t)(os.ReadFile(fmt.Sprintf("/proc/%d/status", e.(*engine).processes[0].peer.(*Local).Pid())))
	for _, line := range strings.Split(string(status), "\n") {
		for key, to := range map[string]*int{"VmData:": &data, "VmSize:": &size, "VmPeak:": &peak} {
			if rest, ok := strings.CutPrefix(line, key); ok {
				*to = get[int](t)(strconv.Atoi(strings.Fields(rest)[0]))
			}
		}
	}
	if data == 0 || size == 0 || peak == 0 {
		t.Fatalf("no memory in:\n%s", status)
	}
	return data, size, peak
}

// limited is the worker with so many kB of one kind, as ulimit names kinds.
func limited(t *testing.T, kind string, kb int) Options {
	return Options{
		Worker:  script(t, fmt.Sprintf("ulimit -%s %d; exec %s", kind, kb, worker(t))),
		Devices: []string{"cpu"},
	}
}

// outOfMemory reports whether an error says that memory ran out, and what to do.
func outOfMemory(err error) bool {
	var failed *Failed
	return errors.As(err, &failed) && failed.Reason == OutOfMemory && strings.Contains(err.Error(), "smaller batches")
}

// Memory that is not there is an answer, not a crash: for activations and for the
// network. What is too little is told by what the same worker took without a limit.
func TestOutOfMemory(t *testing.T) {
	pace.Slow(t)
	if runtime.GOOS != "linux" {
		t.Skip("limits of memory are those of Linux")
	}
	e := open(t, resnet8(1), Options{Devices: []string{"cpu"}})
	get[[]bnn.Outcome](t)(e.Start(batch))
	data, size, _ := held(t, e)
	e = open(t, resnet8(1), limited(t, "d", data+600<<10))      // 320 MB for buffers first
	_, err := e.Start(bnn.Batch{Indices: make([]int32, 1<<18)}) // a GB an activation
	if !outOfMemory(err) {
		t.Error(err)
	}
	get[bnn.Usage](t)(e.Usage())

	s := mlp(1)
	s.Network.Hidden = []int{16000, 16000} // a GB
	if e, err := Open(context.Background(), s, limited(t, "v", size+512<<10)); !outOfMemory(err) {
		t.Error(err)
		if err == nil {
			must(t, e.Close())
		}
	}
}

// Wherever between a network and its first step memory ends, be it for the buffers of
// products of matrices, which OpenBLAS without them waits for: a step, or the same answer.
func TestMemoryEndsAnywhere(t *testing.T) {
	pace.Slow(t)
	if runtime.GOOS != "linux" {
		t.Skip("limits of memory are those of Linux")
	}
	small := open(t, mlp(1), Options{Devices: []string{"cpu"}})
	_, least, _ := held(t, small)
	s := mlp(1)
	s.Network.Hidden = []int{2000, 2000}
	step := func(o Options) (bnn.Engine, error) {
		e, err := Open(context.Background(), s, o)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { must(t, e.Close()) })
		must(t, e.Load(0, pictures(100, s.Network), []float64{0, 0, 0}, []float64{1, 1, 1}))
		_, err = e.Start(bnn.Batch{Indices: make([]int32, 100)})
		return e, err
	}
	e, err := step(Options{Worker: worker(t)})
	must(t, err)
	_, _, most := held(t, e)
	const parts = 4
	short := 0
	for i := range parts {
		kb := least + (most-least)*i/parts
		switch _, err := step(limited(t, "v", kb)); {
		case outOfMemory(err):
			short++
		case err != nil:
			t.Errorf("%d kB of %d: %v", kb, most, err)
		}
	}
	if t.Logf("%d of %d were too little", short, parts); short == 0 {
		t.Error("no limit was too little")
	}
}

// serve gives the worker a whole input and returns its exit status, output and
// errors.
func serve(t *testing.T, input []byte) (status int, stdout, stderr []byte) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, worker(t))
	var out, errs bytes.Buffer
	c.Env, c.Stdin, c.Stdout, c.Stderr = environment(), bytes.NewReader(input), &out, &errs
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, syscall.EPIPE) {
		t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), out.Bytes(), errs.Bytes()
}

// frames parts a stream of replies, which must be whole.
func frames(t *testing.T, b []byte) (kinds []byte) {
	t.Helper()
	for r := bytes.NewReader(b); r.Len() > 0; {
		kind, _, err := readFrame(r, nil, math.MaxUint32)
		must(t, err)
		kinds = append(kinds, kind)
	}
	return kinds
}

// The worker answers every whole frame, whatever is in it, and leaves with exit
// status 0 at the end of its input, 1 within a frame; nothing kills it.
func TestHostile(t *testing.T) {
	pace.Slow(t)
	rng := rand.New(rand.NewPCG(3, 4))
	frame := func(call byte, payload []byte) []byte {
		b := append(begin(nil, call), payload...)
		must(t, finish(b))
		return b
	}
	hello := frame(callHello, append([]byte(magic), version, 0, 0, 0))
	create := frame(callCreate, createPayload())
	input := append(append([]byte{}, hello...), create...)
	n := 2
	for range 1000 {
		payload := make([]byte, rng.IntN(60))
		for i := range payload {
			payload[i] = byte(rng.Uint32() >> (rng.UintN(2) * 24) & 0xff)
			if rng.IntN(3) > 0 {
				payload[i] = 0
			}
		}
		if rng.IntN(4) == 0 { // lengths that overflow
			payload = append(payload, 255, 255, 255, 255, 255, 255, 255, 127)
		}
		call := byte(rng.IntN(16))
		input = append(input, frame(call, payload)...)
		n++
	}
	status, out, errs := serve(t, input)
	if kinds := frames(t, out); status != 0 || len(kinds) != n || kinds[0] != 0 || kinds[1] != 0 || len(errs) > 0 {
		t.Errorf("exit status %d after %d of %d replies, errors %q", status, len(kinds), n, errs)
	}
	for _, rest := range [][]byte{{1}, {9, 0, 0, 0, callUsage, 1}, {0, 0, 0, 0}, {255, 255, 255, 255, callLoad, 1, 2, 3}} {
		status, out, errs := serve(t, append(append([]byte{}, hello...), rest...))
		if len(frames(t, out)) != 1 || status != 1 || len(errs) == 0 {
			t.Errorf("%v: exit status %d, errors %q", rest, status, errs)
		}
	}
}

// createPayload asks for a small network.
func createPayload() []byte {
	b := putString(nil, "mlp")
	b = putString(putString(b, "none"), "tanh")
	b = little.AppendUint64(b, 0)
	for _, n := range []uint32{1, 2, 2, 3} {
		b = little.AppendUint32(b, n)
	}
	b = putString(b, "cross-entropy")
	b = little.AppendUint64(little.AppendUint64(b, 1), 0) // one replica, number 0
	b = little.AppendUint64(b, 1)                         // seed
	b = little.AppendUint32(putBool(b, true), 0)
	b = putString(putString(b, "float32"), "cpu")
	return little.AppendUint32(b, 1)
}

// Replies of any bytes are read or refused.
func FuzzReply(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 255, 0, 1, 2})
	f.Add([]byte{9, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, b []byte) {
		_, rest, err := readFrame(bytes.NewReader(b), nil, math.MaxUint32)
		if err != nil {
			return
		}
		for _, read := range []func(p *payload){
			func(p *payload) { p.tensors() }, func(p *payload) { p.floats() },
			func(p *payload) { p.floats32() }, func(p *payload) { _ = p.string() },
		} {
			p := &payload{b: rest}
			read(p)
			if err := p.done(); err != nil && !errors.Is(err, errShort) {
				t.Error(err)
			}
		}
	})
}

// A worker may be killed at the moment at which it is found to have ended: what it died of
// is told when that is settled, without a data race.
func TestKilledAsItEnds(t *testing.T) {
	p := newProcess(get[*Local](t)(Start("true")), "true", "cpu")
	p.mu.Lock() // as kill does before it looks whether the worker was stopped
	told := make(chan error, 1)
	go func() { told <- p.died(io.EOF) }()
	select {
	case err := <-told:
		t.Fatalf("told too soon: %v", err)
	case <-time.After(300 * time.Millisecond):
	}
	p.waited, p.cause = time.Second, context.Canceled
	p.mu.Unlock()
	var died *Died
	if err := <-told; !errors.As(err, &died) || died.Waited != time.Second || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
