package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/sweep"
)

// sweepResults are the results of the cases of a sweep, and its table without times.
func sweepResults(t *testing.T, dir string, n int) map[string]string {
	t.Helper()
	out := map[string]string{}
	for i := range n {
		at := fmt.Sprintf("cases/%0*d", len(fmt.Sprint(n)), i+1)
		for name, text := range foldertest.Results(t, filepath.Join(dir, at)) {
			out[at+"/"+name] = text
		}
	}
	for _, name := range []string{"summary.json", "run.json"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		out[name] = foldertest.Untimed(t, string(text))
	}
	return out
}

// Each case of a sweep is the run that its command alone makes, whatever else goes on, and the
// table has a line for each.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	out := filepath.Join(dir, "sweep")
	must(t, exitDone, "sweep", file, "--over", "sampler.seed=4..5", "--over", "sampler.iterations=600,800", "--set", "sampler.burn_in=100",
		"--out", out, "--quiet", "--jobs", "3")
	for i, set := range [][]string{{"4", "600"}, {"4", "800"}, {"5", "600"}, {"5", "800"}} {
		alone := filepath.Join(dir, "alone"+fmt.Sprint(i))
		must(t, exitDone, "sample", file, "--set", "sampler.seed="+set[0], "--set", "sampler.iterations="+set[1], "--set", "sampler.burn_in=100",
			"--out", alone, "--quiet")
		same(t, fmt.Sprintf("case %d", i+1), foldertest.Results(t, alone), foldertest.Results(t, filepath.Join(out, "cases", fmt.Sprint(i+1))))
	}
	sum, err := finished[sweep.Summary](out)
	if err != nil || len(sum.Cases) != 4 || sum.Cases[2].Values[0] != "5" || len(sum.Cases[0].Parameters) != 2 || sum.Cases[0].ESS < 1 {
		t.Errorf("%+v %v", sum, err)
	}
	text, err := os.ReadFile(filepath.Join(out, "cases.csv"))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) != 5 || rows[0][1] != "sampler.seed" || rows[4][2] != "800" {
		t.Errorf("%q %v", rows, err)
	}
	must(t, exitDone, "resume", out, "--quiet")
	for _, command := range []string{"diagnose", "modes", "compare"} {
		must(t, exitUsage, command, out)
	}
	must(t, exitUsage, "sweep", file, "--over", "sampler.seed=1..2", "--out", out) // it is not empty
	must(t, exitDone, "sweep", file, "--over", "sampler.seed=4,9", "--set", "sampler.iterations=600", "--set", "sampler.burn_in=100", "--out", out,
		"--quiet", "--force")
	if sum, err = finished[sweep.Summary](out); err != nil || len(sum.Cases) != 2 {
		t.Fatalf("%+v %v", sum, err)
	}
	if _, m, err := commandIn(filepath.Join(out, "cases/2")); err != nil || m.Hash != sum.Cases[1].Hash {
		t.Errorf("the run of case 2 stays another: %v", err)
	}
}

// What makes no sense is refused before anything is written.
func TestSweepRefused(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	theory := write(t, dir, "theory.yaml", "variables: [x]\npotential: \"0\"\ndomain: {box: {x: [0, 2]}}\ntheory: {temperature: 1}\n")
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{
		{file}, {file, "--over", "sampler.seed"}, {file, "--over", "sampler.seed=2..1"}, {file, "--over", "sampler.seed=1,x"},
		{file, "--over", "sampler.sed=1..2"}, {file, "--over", "sampler.seed=1,2", "--over", "sampler.seed=3"},
		{file, "--over", "sampler.thin=1,01"}, {file, "--over", "sampler.step_size=1e-3,1.0e-3"},
		{file, "--over", "sampler.seed=1..2", "--jobs", "-1"}, {file, "--over", "sampler.seed=1..2", "--listen", "nowhere"},
		{file, "--over", "sampler.seed=1..2", "--hub", "nats://127.0.0.1:1"}, {theory, "--over", "theory.grid=10,20"},
		{filepath.Join(dir, "none.yaml"), "--over", "sampler.seed=1..2"},
	} {
		must(t, exitUsage, append(append([]string{"sweep"}, args...), "--out", out)...)
		if there(dir, "out") {
			t.Fatalf("%q writes", args)
		}
	}
}

// A case that fails is told in the table, the others are made, and resume tries it again.
func TestSweepWithAFailure(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "blows.yaml", `name: blows
variables: [x]
potential: "x^4"
sampler: {method: sgld, iterations: 500, burn_in: 10, step_size: 1e-3, init: {x: 3}}
`)
	out := filepath.Join(dir, "out")
	for _, args := range [][]string{{"sweep", file, "--over", "sampler.step_size=1e-3,10,1e-4", "--out", out}, {"resume", out}} {
		must(t, exitFailed, args...)
		sum, err := finished[sweep.Summary](out)
		if err != nil || sum.Failed != 1 || sum.Cases[1].Failed == "" || sum.Cases[0].Failed+sum.Cases[2].Failed != "" {
			t.Fatalf("%+v %v", sum, err)
		}
	}
}

// A fleetOf is a sweep, its workers and its broker, which are killed.
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
	f.t.Fatal("the broker has no token")
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
	args = append(args, "--jobs", "1", "--checkpoint", "100ms")
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

// Ctrl-C ends a sweep with what to do, and it goes on to the same bytes.
func TestSweepInterrupted(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", killed()["momentum"])
	args := []string{"sweep", file, "--over", "sampler.seed=1..3", "--checkpoint", "20ms", "--jobs", "2"}
	whole, out := filepath.Join(dir, "whole"), filepath.Join(dir, "out")
	must(t, exitDone, append(args, "--out", whole, "--quiet")...)
	p := start(t, append(args, "--out", out)...)
	p.await(filepath.Join(out, "cases/2/checkpoints/000002"))
	p.signal(syscall.SIGINT, 0)
	if code := p.code(t); code != exitInterrupted || !strings.Contains(p.stderr.String(), "cases") ||
		!strings.Contains(p.stderr.String(), "go on with: r2sgld resume "+out) {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	must(t, exitUsage, "resume", out, "--iterations", "100000")
	if code := run(context.Background(), []string{"resume", out, "--quiet"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	same(t, "interrupted", sweepResults(t, whole, 3), sweepResults(t, out, 3))
}
