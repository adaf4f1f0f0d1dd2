//go:build !nohub

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// casesOf counts how often workers of a fleet have begun each case of a study.
func (f *fleetOf) casesOf(study string) (begun map[string]int, all int) {
	begun = map[string]int{}
	for _, w := range f.workers {
		for _, line := range strings.Split(w.stdout.String(), "\n") {
			if strings.HasPrefix(line, study+": ") && strings.Contains(line, ", case ") {
				begun[line]++
				all++
			}
		}
	}
	return begun, all
}

// However many workers do cases of a study, and whoever is killed meanwhile, results, claims and figures
// are those of one machine. Where nobody is killed no case is done twice. R2SGLD_SOAK=1 kills more often,
// in a study of the paper's size.
func TestReproduceWithWorkers(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	whole := filepath.Join(t.TempDir(), "whole")
	args := []string{"reproduce", "multimodal", "--scale", pace.Soak("smoke", "paper"), "--quiet", "--threads", "1"}
	done(t, append(args, "--out", whole)...)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, test := range []struct {
		name    string
		inside  bool
		workers int
		kills   func(f *fleetOf, rng *rand.Rand, again func())
	}{
		{"one worker", false, 1, nil},
		{"two workers", true, 2, nil},
		{"a worker is killed", false, 2, func(f *fleetOf, rng *rand.Rand, _ func()) {
			k := rng.IntN(2)
			f.kill(f.workers[k])
			f.workers[k] = f.startWorker()
		}},
		{"the hub is killed", false, 1, func(f *fleetOf, _ *rand.Rand, _ func()) { f.kill(f.hub); f.startHub() }},
		{"the coordinator is killed", false, 1, func(f *fleetOf, _ *rand.Rand, again func()) { f.kill(f.sweep); again() }},
		{"the coordinator is killed, and its broker", true, 1, func(f *fleetOf, _ *rand.Rand, again func()) { f.kill(f.sweep); again() }},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := newFleet(t, test.inside)
			out := filepath.Join(f.dir, "out")
			again := func() { f.startJob(append(args, "--out", out)...) }
			again()
			for range test.workers {
				f.workers = append(f.workers, f.startWorker())
			}
			if test.kills != nil {
				f.suffer(rand.New(rand.NewPCG(seed, uint64(len(test.name)))), func(f *fleetOf, rng *rand.Rand) { test.kills(f, rng, again) })
			}
			if code := f.sweep.code(t); code != exitDone {
				t.Fatalf("exit %d: %s", code, &f.sweep.stderr)
			}
			sameStudies(t, whole, out)
			if there(out, hubFolder) || there(out, "cases") {
				t.Error("cases are left, or the folder of the broker")
			}
			for _, w := range f.workers {
				f.kill(w)
			}
			begun, all := f.casesOf("multimodal")
			if test.kills == nil && (all == 0 || len(begun) != all) {
				t.Errorf("workers did %d cases, %d of them others", all, len(begun))
			}
		})
	}
}

// What is not for workers is said, and done; cases of another program are left alone.
func TestReproduceAlone(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	f := newFleet(t, true)
	out := filepath.Join(f.dir, "out")
	f.startJob("reproduce", "evidence", "--scale", "smoke", "--out", out)
	if code := f.sweep.code(t); code != exitDone || !strings.Contains(f.sweep.stderr.String(), "evidence: workers do none of it: ") ||
		there(out, hubFolder) {
		t.Errorf("exit %d: %s", code, &f.sweep.stderr)
	}
	r := replays(1, "")
	defer r.Close()
	for _, name := range []string{"evidence", "cifar", "posterior", "diameter", "none"} {
		config := fmt.Sprintf(`{"study": %q, "scale": "smoke", "seed": 1, "list": "x", "number": 0}`, name)
		err := r.Do(t.Context(), []byte(config), filepath.Clean, filepath.Join(f.dir, "made"))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("a case of %s: %v", name, err)
		}
	}
}
