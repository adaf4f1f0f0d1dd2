package main

import (
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/training"
)

// fashionFolder is where Debian's package dataset-fashion-mnist puts its files.
const fashionFolder = "/usr/share/datasets/fashion-mnist"

// onFashion is a small training: some seconds.
const onFashion = `name: fashion
data: {kind: idx, folder: ` + fashionFolder + `, train: 300, test: 100, augment: {crop: 2, flip: true, erase: 0.5}}
network: {kind: resnet8}
sampler: {method: r2sghmc, epochs: 3, batch: 60, temperature: [0.05, 0.5], step_size: [0.5, 1]}
average: {from: 0.4, save: true}
repeats: 2
`

// onSmallFashion is onFashion of the middle 16 × 16 points of the first pictures.
func onSmallFashion(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "fashion-mnist")
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	const full, side = 28, 16
	for part, n := range map[string]int{"train": 400, "t10k": 150} {
		head, pixels := fashion(t, part+"-images-idx3-ubyte", 16, n*full*full)
		middle := binary.BigEndian.AppendUint32(append(head[:4:4], 0, 0, byte(n>>8), byte(n), 0, 0, 0, side), side)
		for k := range n * side {
			at := k/side*full*full + (k%side+(full-side)/2)*full + (full-side)/2
			middle = append(middle, pixels[at:at+side]...)
		}
		write(t, folder, part+"-images-idx3-ubyte", string(middle))
		head, labels := fashion(t, part+"-labels-idx1-ubyte", 8, n)
		write(t, folder, part+"-labels-idx1-ubyte", string(head[:4])+"\x00\x00"+string([]byte{byte(n >> 8), byte(n)})+string(labels))
	}
	return strings.Replace(onFashion, fashionFolder, folder, 1)
}

// fashion reads the header of a file of Fashion-MNIST and so many bytes after it.
func fashion(t *testing.T, name string, header, n int) (head, body []byte) {
	t.Helper()
	f, err := os.Open(filepath.Join(fashionFolder, name+".gz"))
	if err != nil {
		t.Fatalf("%v: script/setup torch installs it", err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]byte, header+n)
	if _, err := io.ReadFull(r, all); err != nil {
		t.Fatal(err)
	}
	return all[:header], all[header:]
}

// workerProgram is where make torch puts it.
func workerProgram() string {
	bin, _ := filepath.Abs("../../bin/r2sgld-torch")
	return bin
}

// worker makes the program use the worker that make torch has built. Without one the
// test is skipped.
func worker(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(workerProgram()); err != nil {
		t.Skipf("%v: make torch builds it", err)
	}
	t.Setenv("R2SGLD_TORCH", workerProgram())
}

// A training gives the same bytes with one thread and with two, in one process and in
// two, and after it or its worker was killed at moments that nobody chose.
//
// Mutants it kills: a checkpoint without momenta, buffers, labels, averages, or the
// place in the epoch; noise or augmentation keyed by something that a new process forgets.
func TestTrainingSameBytes(t *testing.T) {
	pace.Slow(t)
	worker(t)
	dir := t.TempDir()
	file := write(t, dir, "fashion.yaml", onSmallFashion(t))
	whole := filepath.Join(dir, "whole")
	must(t, exitDone, "train", file, "--out", whole, "--quiet", "--threads", "1")
	want := foldertest.Results(t, whole)
	two := filepath.Join(dir, "two")
	must(t, exitDone, "train", file, "--out", two, "--quiet", "--set", "device=[cpu, cpu]")
	got := foldertest.Results(t, two)
	got["run.json"] = want["run.json"] // which names the devices
	same(t, "two processes", want, got)

	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	out := filepath.Join(dir, "killed")
	for kills := 0; ; kills++ {
		args := []string{"resume", out, "--quiet", "--checkpoint", "20ms"}
		if !there(out, "run.json") {
			args = append([]string{"train", file, "--out", out, "--force"}, args[2:]...)
		}
		p := start(t, args...)
		if kills < pace.Soak(3, 60) {
			time.Sleep(time.Duration(rng.IntN(1500)) * time.Millisecond)
			if kills%2 == 0 {
				_ = p.Process.Signal(syscall.SIGKILL)
			} else { // its worker
				killChildren(p.Process.Pid)
			}
		}
		switch code, said := p.code(t), p.stderr.String(); {
		case code == exitDone:
			same(t, fmt.Sprintf("after %d kills", kills), want, foldertest.Results(t, out))
			return
		case code == -1:
		case code == exitUsage && !there(out, "run.json"): // killed before there was anything
		case code == exitUsage && strings.Contains(said, "(signal: killed)") && strings.Contains(said, "nothing was written."): // the worker, while it was set up
		case kills < pace.Soak(3, 60) && kills%2 == 1 && code == exitUsage &&
			strings.Contains(said, "operation not permitted") && strings.Contains(said, "nothing was written."):
			// the guard of its group, before there was the group
		case code == exitFailed && strings.Contains(said, "r2sgld resume "+out):
		default:
			t.Fatalf("exit %d: %s", code, said)
		}
	}
}

// killChildren kills the processes that a process has started.
func killChildren(pid int) {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				_ = syscall.Kill(child, syscall.SIGKILL)
			}
		}
	}
}

// Ctrl-C ends a training with exit code 3, a checkpoint and how to go on.
func TestTrainingInterrupted(t *testing.T) {
	pace.Slow(t)
	worker(t)
	heard(t)
	dir := t.TempDir()
	file := write(t, dir, "fashion.yaml", onSmallFashion(t))
	out := filepath.Join(dir, "run")
	p := stopAt(t, out, "metrics.jsonl", time.Second, "train", file, "--out", out, "--set", "repeats=1", "--set", "sampler.epochs=50")
	if code, said := p.code(t), p.stderr.String(); code != exitInterrupted || !strings.Contains(said, "go on with: r2sgld resume "+out) {
		t.Fatalf("exit %d: %s", code, said)
	}
	if there(out, "summary.json") {
		t.Error("a stopped training has a summary")
	}
	must(t, exitUsage, "resume", out, "--iterations", "100")
	must(t, exitUsage, "resume", out, "--set", "sampler.epochs=60")
}

// Without a worker, or with one that speaks another protocol, nothing is written and the
// message says how to make it.
func TestTrainingWithoutWorker(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file := write(t, dir, "fashion.yaml", onFashion)
	for name, text := range map[string]string{"missing": "", "foreign": "#!/bin/sh\nexec cat /dev/zero\n"} {
		bin := filepath.Join(dir, name)
		if text != "" {
			if err := os.WriteFile(bin, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("R2SGLD_TORCH", bin)
		out := filepath.Join(dir, "out-"+name)
		p := start(t, "train", file, "--out", out)
		if code, said := p.code(t), p.stderr.String(); code != exitUsage || !strings.Contains(said, "make torch") || there(out, "") {
			t.Errorf("%s worker: exit %d: %s", name, code, said)
		}
	}
}

// What a plan advises is a swap section that does what it says.
func TestPlanAdvisesExactSwaps(t *testing.T) {
	pace.Slow(t)
	p := &bnn.Plan{Temperature: []float64{1, 4}, Expected: []float64{9, 36}, Noise: []float64{5, 5}, LogAcceptance: []float64{-999},
		Exact: []float64{-99}, Ratio: 1.01, FullEvery: 7}
	advice := regexp.MustCompile(`swap: (\{[^}]*\})`).FindStringSubmatch(training.PlanText(p, bnn.Settings{Batch: 60, Epochs: 3}))
	if advice == nil {
		t.Fatal("the plan advises nothing")
	}
	run, err := config.ParseTraining("fashion.yaml", []byte(onFashion), []string{"sampler.swap=" + advice[1]})
	if err != nil {
		t.Fatal(err)
	}
	s := run.Settings
	if s.Swap.Rule != "metropolis" || s.Swap.Every != 7 || !s.FullEnergies || len(s.Swap.Bias(2, !s.FullEnergies)) > 0 {
		t.Errorf("%s is %+v, full energies %v", advice[1], s.Swap, s.FullEnergies)
	}
}
