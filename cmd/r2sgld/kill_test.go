package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/tune"
)

const onFlower = `name: %s
variables: [x, y]
potential: "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"
%s
domain: {flower: {petals: 5, offset: 3, radius: 2}}
sampler: %s
`

const noisy = "noise: {gradient: 0.05, energy: 0.5}"

// killed are the runs that are killed.
func killed() map[string]string {
	return map[string]string{
		"auto": fmt.Sprintf(onFlower, "auto", "",
			`{method: auto, iterations: 8000, ladders: 4, until: {rhat: 1.0001, ess: 1e6, iterations: 64000}}`),
		"momentum": fmt.Sprintf(onFlower, "momentum", noisy,
			`{method: r2sghmc, iterations: 40000, burn_in: 5000, thin: 20, temperature: [1, 3, 10], step_size: [5e-5, 1e-4, 3e-4], ladders: 3}`),
		"online": fmt.Sprintf(onFlower, "online", noisy,
			`{iterations: 30000, burn_in: 2000, thin: 1, temperature: [1, 3, 10], step_size: [5e-4, 1e-3, 2e-3], ladders: 3, swap: {variance: online}}`),
	}
}

// A run killed at moments that nobody chose, again and again, and resumed until
// it is done leaves the bytes of the run that was never interrupted: draws, CSV,
// summary and figures. R2SGLD_SOAK=1 kills 240 times.
//
// Mutants it kills: a checkpoint without a part of the state, the figures'
// included, a file that is not renamed into place, a first checkpoint that a
// resume cannot do without. That draws are synced before a checkpoint, for the
// machine may fail as well, is tested in package store.
func TestKilled(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	seen := map[string]int{}
	runs := 0
	for name, text := range killed() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			file := write(t, dir, name+".yaml", text)
			whole := filepath.Join(dir, "whole")
			must(t, exitDone, "sample", file, "--out", whole, "--quiet")
			k := &killer{t: t, rng: rand.New(rand.NewPCG(seed, uint64(len(name)))), file: file, out: filepath.Join(dir, "run"), seen: seen,
				kill: func(p *process, after time.Duration) { p.signal(syscall.SIGKILL, after) }}
			want := foldertest.Results(t, whole)
			for kills := pace.Soak(2, 80); k.kills < kills; runs++ {
				k.run(min(pace.Soak(2, 1+k.rng.IntN(4)), kills-k.kills))
				same(t, fmt.Sprintf("after %v", k.moments), want, foldertest.Results(t, k.out))
				if t.Failed() {
					t.Fatalf("seed %d, run %d", seed, runs+1)
				}
			}
		})
	}
	t.Logf("%d runs, killed during: %v", runs, seen)
}

// A killer kills a run and has it resumed.
type killer struct {
	t         *testing.T
	rng       *rand.Rand
	file, out string
	kill      func(p *process, after time.Duration) // unless it ends before
	kills     int
	moments   []string       // of the run
	seen      map[string]int // how often each, over all runs
}

// marks are files whose appearance tells how far a run is.
var marks = [...]string{"", "run.json", "tuned.json", "checkpoints/000001", "checkpoints/000003", "draws.zarr/.zgroup", "figures/trace.png"}

// run begins a run, kills it so many times and has it end.
func (k *killer) run(kills int) {
	k.moments = nil
	if err := os.RemoveAll(k.out); err != nil {
		k.t.Fatal(err)
	}
	for {
		interval := fmt.Sprintf("%dms", 5+k.rng.IntN(46))
		threads := fmt.Sprint(1 + k.rng.IntN(4))
		args := []string{"resume", k.out, "--quiet", "--checkpoint", interval, "--threads", threads}
		if !there(k.out, "run.json") {
			args = append([]string{"sample", k.file, "--out", k.out, "--force"}, args[2:]...)
		}
		p := start(k.t, args...)
		if len(k.moments) < kills {
			if mark := marks[k.rng.IntN(len(marks))]; mark != "" {
				p.await(filepath.Join(k.out, mark))
			}
			k.kill(p, time.Duration(k.rng.IntN(120_000))*time.Microsecond)
		}
		switch code := p.code(k.t); {
		case code == exitDone:
			return
		case code != -1:
			k.t.Fatalf("after %v: exit %d: %s", k.moments, code, &p.stderr)
		}
		moment := moment(k.t, k.out)
		if there(k.out, "run.json") {
			whole(k.t, k.out)
		}
		k.moments = append(k.moments, moment)
		k.seen[moment]++
		k.kills++
	}
}

// moment says what a run was doing when it was killed, from what it left.
func moment(t *testing.T, dir string) string {
	f, err := store.Open(dir)
	if err != nil || !there(dir, "run.json") {
		return "set-up"
	}
	c, _, _, err := f.NewestCheckpoint()
	if err != nil {
		return beforeCheckpoints(f)
	}
	var resolved struct {
		Config struct {
			Sampler struct{ Iterations, Ladders int }
		}
	}
	if err := f.ReadJSON("run.json", &resolved); err != nil {
		t.Fatal(err)
	}
	s := resolved.Config.Sampler
	switch {
	case there(dir, "summary.json"):
		return "end"
	case there(dir, "draws.zarr/.zgroup"):
		return "figures and CSV"
	case c.Iteration == s.Iterations*s.Ladders && !there(dir, "tuned.json"):
		return "end of sampling"
	case c.Iteration == 0:
		return "begin of sampling"
	}
	return "sampling"
}

func beforeCheckpoints(f *store.Folder) string {
	var found tune.Found
	data, err := f.ReadFile("tuned.json")
	switch {
	case err != nil:
		return "before the first round or checkpoint"
	case json.Unmarshal(data, &found) != nil || !found.Done:
		return "warm-up"
	}
	return "between warm-up and sampling"
}
