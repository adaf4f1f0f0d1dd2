package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A stoppable is a kind of run that is stopped at random moments.
type stoppable struct {
	name string
	args []string
	most time.Duration // the latest moment
	out  string        // the folder that is resumed after a stop; "" is none
	left string        // what must not be there after a stop that says that nothing was written
}

// stoppables are kinds of all commands. Folders of finished runs lie in dir.
func stoppables(t *testing.T, dir string) []stoppable {
	t.Helper()
	in := func(name string) string { return filepath.Join(dir, name) }
	example := func(name string) string {
		path, err := filepath.Abs(filepath.Join("../../examples", name))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	pelts := example("lynx-hare.yaml")
	must(t, exitDone, "identify", pelts, "--out", in("pelts"), "--quiet")
	must(t, exitDone, "identify", pelts, "--out", in("other"), "--quiet", "--seed", "2")
	online := write(t, dir, "online.yaml", unending())
	slow := write(t, dir, "slow.yaml", answers(":", "sleep 0.01"))
	hanging := write(t, dir, "hanging.yaml", answers(`trap "" HUP INT TERM`, "n=$((n+1)); [ $n -lt 60 ] || exec sleep 1000"))
	gap := write(t, dir, "gap.yaml", onInterval)
	out := in("out")
	run := func(name string, args ...string) stoppable {
		return stoppable{name, append(args, "--out", out, "--checkpoint", "100ms"), 2 * time.Second, out, out}
	}
	all := []stoppable{
		run("sample", "sample", online),
		run("auto", "sample", example("flower.yaml")),
		run("identify", "identify", pelts, "--set", "sampler.until.ess=1000000"),
		run("trajectory", "identify", example("lynx-hare-trajectory.yaml")),
		run("evidence", "sample", example("evidence/flower.yaml")),
		run("exact", "sample", example("exact/modes-hmc.yaml")),
		run("a slow program", "sample", slow),
		run("a program that hangs", "sample", hanging),
		run("calibrate", "calibrate", example("fit/o-rings.yaml"), "--replications", "2000"),
		{"plan", []string{"plan", example("lynx-hare-trajectory.yaml")}, 2 * time.Second, "", ""},
		{"plan of a program", []string{"plan", slow}, 2 * time.Second, "", ""},
		{"simulate", []string{"simulate", in("pelts"), "--until", "+2000", "--keep", "--out", out}, 2 * time.Second, "", out},
		{"compare", []string{"compare", in("pelts"), in("other")}, 200 * time.Millisecond, "", ""},
		{"diagnose", []string{"diagnose", in("pelts")}, 200 * time.Millisecond, "", ""},
		{"reproduce", []string{"reproduce", "multimodal", "--scale", "smoke", "--out", out}, 4 * time.Second, "", out},
		{"theory", []string{"theory", gap, "--out", out, "--set", "theory.temperature=[1, 10]", "--set", "theory.grid=600"},
			3 * time.Second, "", out},
		{"resume", []string{"resume", in("pelts"), "--set", "sampler.until.ess=1000000"}, 2 * time.Second, in("pelts"), ""},
	}
	worker, _ := filepath.Abs("../../bin/r2sgld-torch")
	if _, err := os.Stat(worker); err == nil && pace.Soaking() {
		t.Setenv("R2SGLD_TORCH", worker)
		fashion := write(t, dir, "fashion.yaml", strings.Replace(onSmallFashion(t), "epochs: 3", "epochs: 300", 1))
		train := run("train", "train", fashion)
		train.most = 6 * time.Second
		all = append(all, train, stoppable{"plan of a training", []string{"plan", fashion}, 4 * time.Second, "", ""})
	}
	return all
}

// A Ctrl-C at any moment ends every command with exit code 3 and what is true: how to
// go on with what is kept, or that nothing is. R2SGLD_SOAK=1 stops 200 times, and wants
// each to be gone as soon as the program leaves by itself: after hurry, the time of its
// farewell and what the machine adds. That is what an idle program takes beyond hurry which
// is stopped at the same moment, once for each of three waits: for the signal, for the
// farewell and for the exit.
//
// Mutant it kills: a program that does not leave by itself.
func TestStoppedAnywhere(t *testing.T) {
	pace.Slow(t)
	heard(t)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(17, 1))
	kinds := stoppables(t, dir)
	var took, beyond []time.Duration
	for i := range pace.Soak(len(kinds), 200) {
		k := kinds[i%len(kinds)]
		_ = os.RemoveAll(filepath.Join(dir, "out"))
		p := start(t, k.args...)
		moment := time.Duration(rng.Int64N(int64(k.most) / int64(pace.Soak(8, 1))))
		var control *process
		if pace.Soaking() {
			control = startAs(t, idle)
		}
		p.signal(syscall.SIGINT, moment)
		begun := time.Now()
		if control != nil {
			control.signal(syscall.SIGINT, 0)
		}
		code := p.code(t)
		took = append(took, p.end.Sub(begun))
		if control != nil && control.code(t) == exitInterrupted { // else it did not listen yet
			beyond = append(beyond, control.end.Sub(begun)-hurry)
		}
		if fault := k.judge(code, p.stderr.String()); fault != nil {
			t.Errorf("%s, stopped after %v: %v", k.name, moment, fault)
		}
		if last := took[len(took)-1]; last > time.Second {
			t.Logf("%s, stopped after %v: gone after %v: %s", k.name, moment, last, &p.stderr)
		}
	}
	slices.Sort(took)
	n := len(took)
	t.Logf("%d stops: gone after %v, %v, %v (median, 90 %%, longest; 2s is what is told)", n, took[n/2], took[n*9/10], took[n-1])
	if beyond == nil {
		return
	}
	most := hurry + hurry/5 + 3*max(0, slices.Max(beyond))
	t.Logf("the machine adds at most %v to an idle program: at most %v", slices.Max(beyond), most)
	if took[n-1] > most {
		t.Errorf("a command was gone after %v, more than %v", took[n-1], most)
	}
}

// judge says what is wrong with how a command has ended.
func (k stoppable) judge(code int, said string) error {
	advice := k.out != "" && strings.Contains(said, "go on with: r2sgld resume "+k.out)
	cases := strings.Contains(said, "go on with: r2sgld reproduce ") && strings.Contains(said, " --out "+k.left+"\n")
	nothing := strings.Contains(said, "nothing was written") || strings.Contains(said, "nothing is left of it")
	switch {
	case code == exitDone: // it was quicker
		return nil
	case code == -1 && said == "": // it did not listen yet
		return nil
	case code != exitInterrupted:
		return fmt.Errorf("exit %d: %s", code, said)
	case advice:
		_, _, err := commandIn(k.out)
		return err
	case cases:
		kept, _ := filepath.Glob(filepath.Join(k.left, "cases", "*.case"))
		whole, _ := filepath.Glob(filepath.Join(k.left, "studies", "*.study"))
		if len(kept)+len(whole) == 0 {
			return errors.New("no case is kept: " + said)
		}
		return nil
	case nothing && k.left != "":
		if _, err := os.Stat(filepath.Join(k.left, "run.json")); err == nil {
			return errors.New("something was written: " + said)
		}
		return nil
	case nothing, strings.Contains(said, "again"):
		return nil
	}
	return errors.New("it does not say what is kept: " + said)
}
