package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/pace"
)

const flower = `name: flower
variables: [x, y]
potential: "((x^2 + y^2)/10 - (cos(2*pi*x) + cos(2*pi*y)))/0.5"
noise: {gradient: 0.05, energy: 0.05}
domain: {flower: {petals: 5, offset: 3, radius: 2}}
sampler: {iterations: 60000, burn_in: 1000, thin: 20, step_size: [5e-4, 1.5e-3], temperature: [1, 10], ladders: 3}
`

func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func same(t *testing.T, what string, a, b map[string]string) {
	t.Helper()
	for name := range a {
		if a[name] != b[name] {
			t.Errorf("%s: %s differs", what, name)
		}
	}
	if len(a) != len(b) || len(a) < 10 {
		t.Errorf("%s: %d and %d files", what, len(a), len(b))
	}
}

// The bytes of a run do not depend on threads, on the checkpoint interval, or on
// being stopped at moments that nobody chose and resumed.
func TestSameBytes(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	whole := filepath.Join(dir, "whole")
	if code := run(context.Background(), []string{"sample", file, "--out", whole, "--quiet", "--threads", "1"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	want := foldertest.Results(t, whole)

	threads := filepath.Join(dir, "threads")
	if code := run(context.Background(), []string{"sample", file, "--out", threads, "--quiet", "--threads", "4", "--checkpoint",
		"5ms"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	same(t, "four threads", want, foldertest.Results(t, threads))

	stopped := filepath.Join(dir, "stopped")
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	args := []string{"sample", file, "--out", stopped, "--quiet", "--checkpoint", "3ms"}
	stops := 0
	for wait := 1; ; {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(time.Duration(wait*(5+rng.IntN(20)))*time.Millisecond, cancel)
		code := run(ctx, args)
		cancel()
		if code == exitDone {
			break
		}
		if _, err := os.Stat(filepath.Join(stopped, "run.json")); err != nil && (code == exitUsage || code == exitInterrupted) {
			wait++ // stopped before it began, as the machine is slow
			continue
		}
		if code != exitInterrupted {
			t.Fatalf("stop %d: exit %d", stops, code)
		}
		args = []string{"resume", stopped, "--quiet", "--threads", fmt.Sprint(1 + stops%3)}
		if stops++; stops > 5 {
			args = append(args, "--checkpoint", "1h")
			if code := run(context.Background(), args); code != exitDone {
				t.Fatalf("last resume: exit %d", code)
			}
			break
		}
	}
	t.Logf("%d stops", stops)
	same(t, "stopped and resumed", want, foldertest.Results(t, stopped))
}

// A longer run that goes on from a finished one is the run of that length.
func TestExtended(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	long, short := filepath.Join(dir, "long"), filepath.Join(dir, "short")
	for _, args := range [][]string{
		{"sample", file, "--out", long, "--quiet", "--set", "sampler.iterations=9000"},
		{"sample", file, "--out", short, "--quiet", "--set", "sampler.iterations=4000"},
		{"resume", short, "--quiet", "--iterations", "9000"},
	} {
		if code := run(context.Background(), args); code != exitDone {
			t.Fatalf("%v: exit %d", args, code)
		}
	}
	want, got := foldertest.Results(t, long), foldertest.Results(t, short)
	delete(want, "run.json") // the extended run remembers what it was
	delete(got, "run.json")
	same(t, "extended", want, got)
}

const batches = `name: batches
data: {file: %s, time: year, states: {H: hare, L: lynx}}
model:
  equations: {H: "H*(alpha - beta*L)", L: "L*(-gamma + delta*H)"}
  constraints: ["alpha > 0", "beta > 0", "gamma > 0", "delta > 0"]
  priors: {alpha: "normal(1, 1)"}
  likelihood: log-derivative
  start: {alpha: 1}
  batch: 7
sampler: {iterations: 6000, burn_in: 500, thin: 10, ladders: 2, swap: {variance: 3}}
`

// The bytes of a run over minibatches do not depend on threads or on having been
// extended.
func TestBatches(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	data, err := filepath.Abs("../../data/lynx_hare.csv")
	if err != nil {
		t.Fatal(err)
	}
	file := write(t, dir, "batches.yaml", fmt.Sprintf(batches, data))
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"identify", file, "--out", in("long"), "--threads", "1"},
		{"identify", file, "--out", in("short"), "--threads", "2", "--set", "sampler.iterations=3000"},
		{"resume", in("short"), "--iterations", "6000"},
	} {
		if code := run(context.Background(), append(args, "--quiet")); code != exitDone {
			t.Fatalf("%v: exit %d", args, code)
		}
	}
	want, got := foldertest.Results(t, in("long")), foldertest.Results(t, in("short"))
	delete(want, "run.json")
	delete(got, "run.json")
	same(t, "extended", want, got)
}

// A run that fails before there is anything to go on from says how to begin anew.
func TestFailedBeginning(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "run")
	file := write(t, dir, "half.yaml", "variables: [x]\npotential: \"sqrt(x - 1)\"\ndomain: {box: {x: [-2, 2]}}\nsampler: {seed: 4}\n")
	p := start(t, "sample", file, "--out", out)
	if code := p.code(t); code != exitFailed ||
		!strings.Contains(p.stderr.String(), "nothing to go on from: to begin anew in "+out+", pass --force") {
		t.Errorf("exit %d: %s", code, &p.stderr)
	}
}

// A resume that cannot be leaves the run as it was: the next one goes on.
func TestFailedResume(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	out := filepath.Join(dir, "run")
	if code := run(context.Background(),
		[]string{"sample", file, "--out", out, "--quiet", "--set", "sampler.iterations=3000"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	want := foldertest.Results(t, out)
	for _, set := range []string{"sampler.ladders=7", "sampler.thin=7", "sampler.seed=9", "sampler.temperature=[1, 3]", "potential=x^2",
		"domain.flower.radius=1"} {
		if code := run(context.Background(), []string{"resume", out, "--quiet", "--set", set}); code != exitUsage {
			t.Errorf("resume --set %s: exit %d", set, code)
		}
	}
	same(t, "after a resume that failed", want, foldertest.Results(t, out))
	if code := run(context.Background(), []string{"resume", out, "--quiet"}); code != exitDone {
		t.Errorf("exit %d of the next resume", code)
	}
	// Extended, and killed before its first checkpoint: run.json is new, the
	// checkpoint old.
	checkpoints, err := filepath.Glob(filepath.Join(out, "checkpoints", "*"))
	if err != nil || len(checkpoints) == 0 {
		t.Fatal("no checkpoint")
	}
	old, err := os.ReadFile(checkpoints[len(checkpoints)-1])
	if err != nil {
		t.Fatal(err)
	}
	if code := run(context.Background(), []string{"resume", out, "--quiet", "--iterations", "4000"}); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	want = foldertest.Results(t, out)
	checkpoints, _ = filepath.Glob(filepath.Join(out, "checkpoints", "*"))
	for _, c := range checkpoints {
		if err := os.WriteFile(c, old, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if code := run(context.Background(), []string{"resume", out, "--quiet"}); code != exitDone {
		t.Errorf("exit %d from the checkpoint before the extension", code)
	}
	same(t, "from the checkpoint before the extension", want, foldertest.Results(t, out))
}

// Refused runs exit with 2 and write nothing.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	full := filepath.Join(dir, "full")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, full, "thesis.tex", "years of work")
	before := len(foldertest.Results(t, dir))
	for _, args := range [][]string{
		{},
		{"sample"},
		{"sample", file, file},
		{"sample", "--nonsense", file},
		{"dance", file},
		{"sample", filepath.Join(dir, "missing.yaml")},
		{"identify", file},
		{"sample", file, "--set", "sampler.step_size=-1"},
		{"sample", file, "--set", "nonsense"},
		{"sample", file, "--threads", "-3"},
		{"sample", file, "--checkpoint", "0s"},
		{"sample", file, "--out", full},
		{"sample", file, "--out", filepath.Join(file, "under-a-file")},
		{"sample", file, "--out", "/proc/no-such-place/run"},
		{"resume", dir},
		{"resume", filepath.Join(dir, "missing")},
		{"diagnose", filepath.Join(dir, "missing")},
		{"diagnose", file},
	} {
		if len(args) == 0 {
			continue // prints the help
		}
		if args[0] == "sample" && !strings.Contains(strings.Join(args, " "), "--out") {
			args = append(args, "--out", filepath.Join(dir, "never"))
		}
		if code := run(context.Background(), args); code != exitUsage {
			t.Errorf("%v: exit %d, want %d", args, code, exitUsage)
		}
	}
	if after := len(foldertest.Results(t, dir)); after != before {
		t.Errorf("refused runs left %d files, there were %d", after, before)
	}
}

// With --force only files of a run are replaced.
func TestForce(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	out := filepath.Join(dir, "run")
	args := []string{"sample", file, "--out", out, "--quiet", "--force", "--set", "sampler.iterations=2000"}
	if code := run(context.Background(), args); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	want := foldertest.Results(t, out)
	mine := []string{"notes.txt", "draws-99.csv", "predictive.json", "equations.tex", "figures/fit.svg"} // no such run writes these
	for _, name := range mine {
		write(t, out, name, "mine")
	}
	if code := run(context.Background(), args); code != exitDone {
		t.Fatalf("exit %d", code)
	}
	got := foldertest.Results(t, out)
	for _, name := range mine {
		if got[name] != "mine" {
			t.Errorf("%s, which is none of the run's, is gone", name)
		}
		delete(got, name)
	}
	same(t, "forced", want, got)
	refused := func(name string, args ...string) {
		t.Helper()
		was := foldertest.Results(t, out)
		must(t, exitUsage, args...)
		now := foldertest.Results(t, out)
		same(t, "refused", was, now)
		if now[name] != was[name] {
			t.Errorf("%s, which is none of the run's, is gone", name)
		}
	}
	pelts, err := filepath.Abs("../../examples/lynx-hare.yaml")
	if err != nil {
		t.Fatal(err)
	}
	refused("predictive.json", "identify", pelts, "--out", out, "--quiet", "--force") // which needs the name
	for _, name := range []string{"figures/trace.svg", "draws.zarr/posterior/mine/0.0", "checkpoints/000099/a"} {
		whole := filepath.Join(dir, "whole")
		copied(t, out, whole)
		if err := os.MkdirAll(filepath.Dir(filepath.Join(out, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		write(t, out, name, "mine")
		refused(name, args...)
		if err := errors.Join(os.RemoveAll(out), os.Rename(whole, out)); err != nil {
			t.Fatal(err)
		}
	}
}

// A run that is to replace another leaves that one as it is until it is finished: if it
// fails, and if it is interrupted, and resume then goes on with the new one.
//
// Mutants it kills: the old run removed when the new one begins, and an exchange at the
// first checkpoint.
func TestForceKeepsWhatWas(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "flower.yaml", flower)
	out, fresh := filepath.Join(dir, "run"), filepath.Join(dir, "fresh")
	args := []string{"sample", file, "--quiet", "--set", "sampler.iterations=2000", "--out"}
	must(t, exitDone, append(args, out)...)
	write(t, out, "notes.txt", "mine")
	was := foldertest.Results(t, out)
	broken := write(t, dir, "broken.yaml", strings.Replace(flower, "potential: \"", "potential: \"0*log(x)+", 1))
	must(t, exitFailed, "sample", broken, "--out", out, "--force", "--quiet")
	unchanged := func(when string) {
		t.Helper()
		now := foldertest.Results(t, out)
		for name, text := range was {
			if now[name] != text {
				t.Errorf("%s: %s is not what it was", when, name)
			}
		}
	}
	unchanged("failed")
	long := append(args[:3:3], "--set", "sampler.iterations=400000", "--set", "sampler.seed=5", "--out")
	interrupt := func(build string) {
		t.Helper()
		p := stopAt(t, out, filepath.Join(build, "checkpoints/000001"), 0, append(long, out, "--force", "--checkpoint", "5ms")...)
		if code := p.code(t); code != exitInterrupted {
			t.Fatalf("exit %d", code)
		}
	}
	interrupt(".new-2")
	unchanged("interrupted")
	must(t, exitDone, "resume", out, "--quiet")
	must(t, exitDone, append(long, fresh)...)
	got := foldertest.Results(t, out)
	if got["notes.txt"] != "mine" {
		t.Error("a file of the user is gone")
	}
	delete(got, "notes.txt")
	same(t, "resumed", foldertest.Results(t, fresh), got)
	interrupt(".new-1") // of the same configuration
	must(t, exitDone, "resume", out, "--quiet")
	again := foldertest.Results(t, out)
	delete(again, "notes.txt")
	same(t, "resumed in place of the same", got, again)
}

func TestHelp(t *testing.T) {
	var b bytes.Buffer
	for _, cmd := range []string{"sample", "identify", "resume", "diagnose", "theory"} {
		if code := run(context.Background(), []string{cmd, "--help"}); code != exitDone {
			t.Errorf("%s --help: exit %d\n%s", cmd, code, b.String())
		}
	}
	for _, c := range []interface{ HasExample() bool }{sampleCommand(), identifyCommand(), resumeCommand(),
		diagnoseCommand(), theoryCommand()} {
		if !c.HasExample() {
			t.Errorf("%v has no example", c)
		}
	}
}
