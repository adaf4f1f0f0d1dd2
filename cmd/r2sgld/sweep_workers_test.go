//go:build !nohub

package main

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A fleetOf is a sweep, or another list of cases, its workers and its broker, which are killed.
type fleetOf struct {
	t       *testing.T
	dir     string
	hub     *process // nil where the sweep has the broker inside
	address string
	workers []*process
	sweep   *process
	number  int
}

func newFleet(t *testing.T, inside bool) *fleetOf {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fleetOf{t: t, dir: t.TempDir(), address: l.Addr().String()}
	_ = l.Close()
	if !inside {
		f.startHub()
	}
	t.Cleanup(func() {
		for _, p := range append(f.workers, f.hub, f.sweep) {
			if p != nil {
				f.kill(p)
			}
		}
	})
	return f
}

func (f *fleetOf) startHub() {
	f.hub = start(f.t, "hub", filepath.Join(f.dir, "hub"), "--listen", f.address)
}

// token is that of the broker, once it has one.
func (f *fleetOf) token() string {
	name := filepath.Join(f.dir, "hub", "token")
	if f.hub == nil {
		name = filepath.Join(f.dir, "out", hubFolder, "token")
		f.sweep.await(name)
	}
	for range 1000 {
		if b, err := os.ReadFile(name); err == nil && len(b) > 1 {
			return strings.TrimSpace(string(b))
		}
		time.Sleep(10 * time.Millisecond)
	}
	f.t.Fatalf("the broker has no token; it says %s", f.hub.stderr.String())
	return ""
}

func (f *fleetOf) kill(p *process) {
	_ = p.Process.Signal(syscall.SIGKILL)
	<-p.ended
}

// startWorker starts one once the broker answers.
func (f *fleetOf) startWorker() *process {
	f.number++
	url := "nats://" + f.token() + "@" + f.address
	for range 1000 {
		if c, err := net.Dial("tcp", f.address); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	p := start(f.t, "work", url, "--slots", "1", "--dir", filepath.Join(f.dir, fmt.Sprint("worker", f.number)))
	return p
}

// startSweep starts the sweep, or goes on with it.
func (f *fleetOf) startSweep(args ...string) {
	out := filepath.Join(f.dir, "out")
	if there(out, "run.json") {
		args = []string{"resume", out}
	} else {
		args = append(args, "--out", out, "--force")
	}
	f.startJob(append(args, "--jobs", "1", "--checkpoint", "100ms")...)
}

// startJob starts what has cases.
func (f *fleetOf) startJob(args ...string) {
	if f.hub == nil {
		args = append(args, "--listen", f.address)
	} else {
		args = append(args, "--hub", "nats://"+f.token()+"@"+f.address)
	}
	f.sweep = start(f.t, args...)
}

// suffer kills while the sweep goes on.
func (f *fleetOf) suffer(rng *rand.Rand, kill func(*fleetOf, *rand.Rand)) {
	n := 0
	for range pace.Soak(1, 40) {
		select {
		case <-f.sweep.ended:
		case <-time.After(time.Duration(500+rng.IntN(4000)) * time.Millisecond):
			kill(f, rng)
			n++
		}
	}
	f.t.Logf("%d kills", n)
}

// However many workers do the cases of a sweep or the replications of a calibration, and whoever is
// killed meanwhile, the folders are those of one machine. R2SGLD_SOAK=1 kills more often.
func TestCasesWithWorkers(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", strings.Replace(killed()["momentum"], "iterations: 40000",
		pace.Soak("iterations: 60000", "iterations: 600000"), 1))
	n := pace.Soak(6, 12)
	args := []string{"sweep", file, "--over", fmt.Sprintf("sampler.seed=1..%d", n)}
	whole := filepath.Join(dir, "whole")
	must(t, exitDone, append(args, "--out", whole, "--quiet")...)
	want := sweepResults(t, whole, n)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, test := range []struct {
		name    string
		inside  bool
		workers int
		kills   func(f *fleetOf, rng *rand.Rand)
	}{
		{"nobody comes", true, 0, nil},
		{"two workers", true, 2, nil},
		{"a worker is killed", false, 2, func(f *fleetOf, rng *rand.Rand) {
			k := rng.IntN(2)
			f.kill(f.workers[k])
			f.workers[k] = f.startWorker()
		}},
		{"the hub is killed", false, 1, func(f *fleetOf, _ *rand.Rand) { f.kill(f.hub); f.startHub() }},
		{"the sweep is killed", false, 1, func(f *fleetOf, _ *rand.Rand) { f.kill(f.sweep); f.startSweep(args...) }},
		{"the sweep is killed, and its broker", true, 1, func(f *fleetOf, _ *rand.Rand) { f.kill(f.sweep); f.startSweep(args...) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, test.inside)
			f.startSweep(args...)
			for range test.workers {
				f.workers = append(f.workers, f.startWorker())
			}
			if test.kills != nil {
				f.suffer(rand.New(rand.NewPCG(seed, uint64(len(test.name)))), test.kills)
			}
			if code := f.sweep.code(t); code != exitDone {
				t.Fatalf("exit %d: %s", code, &f.sweep.stderr)
			}
			same(t, test.name, want, sweepResults(t, filepath.Join(f.dir, "out"), n))
			if there(filepath.Join(f.dir, "out"), hubFolder) {
				t.Error("the broker's folder is left")
			}
		})
	}
}

// The replications of a calibration are the same elsewhere.
func TestCalibrationWithWorkers(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	rings, err := filepath.Abs("../../examples/fit/o-rings.yaml")
	if err != nil {
		t.Fatal(err)
	}
	whole := filepath.Join(t.TempDir(), "whole")
	args := []string{"calibrate", rings, "--replications", "20"}
	must(t, exitDone, append(args, "--out", whole, "--quiet")...)
	f := newFleet(t, false)
	worker := f.startWorker()
	f.workers = append(f.workers, worker)
	out := filepath.Join(f.dir, "out")
	must(t, exitDone, append(args, "--out", out, "--quiet", "--threads", "1", "--hub", "nats://"+f.token()+"@"+f.address)...)
	for _, name := range []string{"run.json", "summary.json", "replications.csv"} {
		a, _ := os.ReadFile(filepath.Join(whole, name))
		b, _ := os.ReadFile(filepath.Join(out, name))
		if string(a) != string(b) || len(a) == 0 {
			t.Errorf("%s differs", name)
		}
	}
	f.kill(worker)
	if !strings.Contains(worker.stdout.String(), "replication") {
		t.Errorf("the worker did nothing: %s", &worker.stdout)
	}
}
