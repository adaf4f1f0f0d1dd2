package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A chooser makes random configurations.
type chooser struct{ *rand.Rand }

func (c chooser) of(all ...string) string { return all[c.IntN(len(all))] }

func (c chooser) coin() bool { return c.IntN(2) == 0 }

// A configuration is one that was chosen, and what the test must know of it.
type configuration struct {
	text       string
	iterations int
	extends    bool // whether it can be extended
}

// configuration chooses methods, schemes, rules, domains, ladders and all the
// rest.
func (c chooser) configuration() configuration {
	n, thin := 200+c.IntN(600), 1+c.IntN(5)
	if c.IntN(10) == 0 {
		n, thin = 25_000, 1 // the draws go to disk in several pieces
	}
	method := c.of("r2sgld", "r2sgld", "r2sghmc", "resgld", "p-resghmc", "r-sgld", "r-sghmc", "r-cycsgld", "cycsghmc", "auto")
	s := []string{"method: " + method, fmt.Sprintf("ladders: %d", 1+c.IntN(4)), fmt.Sprintf("seed: %d", c.IntN(1000))}
	several := strings.Contains(method, "r2") || strings.Contains(method, "re")
	switch {
	case method == "auto":
		n = 1000
		s = append(s, fmt.Sprintf("until: {ess: 1e6, iterations: %d}", 1000*(1+c.IntN(4))))
	default:
		s = append(s, fmt.Sprintf("burn_in: %d, thin: %d", c.IntN(n/4), thin))
		s = append(s, c.schedule(method), c.rungs(several), c.wall(method))
		if strings.Contains(method, "hmc") && c.coin() {
			s = append(s, "momentum: 0.7")
		}
	}
	noise := c.of("", "noise: {gradient: 0.1, energy: 0.4}")
	if several || method == "auto" {
		s = append(s, c.swap(noise != "", strings.Contains(method, "hmc")))
	}
	s = append(s, fmt.Sprintf("iterations: %d", n))
	text := fmt.Sprintf("name: chosen\nvariables: [x, y]\npotential: %q\n%s\ndomain: %s\nsampler: {%s}\n",
		c.of("(x^2+y^2)/5 - cos(4*x) - cos(5*y)", "4*(x^2+y^2-0.5)^2 + x*y", "x + y"), noise, c.domain(), strings.Join(deleteEmpty(s), ", "))
	return configuration{text, n, method != "auto" && !strings.Contains(text, "cosine") && !strings.Contains(method, "cyc")}
}

func deleteEmpty(s []string) []string {
	var out []string
	for _, v := range s {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

func (c chooser) schedule(method string) string {
	if strings.Contains(method, "cyc") {
		return fmt.Sprintf("schedule: {kind: cosine, cycles: %d}", 1+c.IntN(4))
	}
	return c.of("", "", "schedule: cosine", "schedule: {kind: exponential, decay: 0.999, after: 50}",
		"schedule: {kind: polynomial, a: 0.01, b: 10, gamma: 0.5}")
}

func (c chooser) rungs(several bool) string {
	if !several {
		return c.of("", "step_size: 2e-3, temperature: 0.5", "step_size: 1e-2")
	}
	return c.of("", "temperature: [1, 2], step_size: [1e-3, 4e-3]", "temperature: [1, 1.5, 2, 3, 4, 5, 6], step_size: 2e-3",
		"temperature: [0.5, 1, 3, 9], step_size: [1e-3, 1e-3, 2e-3, 5e-3]")
}

func (c chooser) wall(method string) string {
	switch {
	case strings.HasPrefix(method, "r-"), strings.HasPrefix(method, "r2"):
		return c.of("", "boundary: nearest", "boundary: refuse", "boundary: project", "cap: 3", "init: {x: 0.1, y: 0.05}")
	case strings.HasPrefix(method, "p-"):
		return c.of("", "penalty: 5")
	}
	return c.of("", "init: {x: 0.1, y: 0.05}")
}

func (c chooser) swap(noisy, momentum bool) string {
	s := []string{c.of("scheme: deo", "scheme: adj", "scheme: ape", "scheme: seo", "scheme: windowed-deo, window: 7, gate: last",
		"scheme: windowed-deo, window: 4, gate: open", "scheme: windowed-deo, window: 5, gate: once"),
		c.of("", "rule: threshold, threshold: 0.5", "rule: indicator, target: 0.3"), c.of("", "every: 3")}
	if s[1] == "" && noisy {
		s = append(s, c.of("", "variance: 0.3", "variance: online", "variance: {every: 20, batches: 3, smoothing: 0.2}", "energies: full"))
	}
	return "swap: {" + strings.Join(deleteEmpty(s), ", ") + "}"
}

func (c chooser) domain() string {
	return c.of("{box: {x: [-1, 1], y: [-2, 1]}}", "{ball: {center: [0, 0], radius: 1.2}}", "{flower: {petals: 5, offset: 3, radius: 1}}",
		"{heart: {radius: 1}}", "{polygon: [[-1, -1], [2, -1], [0.3, 0.2], "+
			"[-1, 2]]}", `{box: {x: [-2, 2], y: [-2, 2]}, constraints: ["x^2 + 2*y^2 <= 2", "x > y - 1"]}`)
}

// whole makes the run in one go.
func (c configuration) whole(t *testing.T, file, dir string) map[string]string {
	t.Helper()
	var said bytes.Buffer
	j := bare(t, file, dir, &said)
	j.Settings.Threads = 1
	if _, err := j.Run(context.Background()); err != nil {
		t.Fatalf("%v\n%s", err, c.text)
	}
	return drawn(t, dir)
}

// drawn is the content of a run folder but for run.json, which remembers what
// an extended run was.
func drawn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := foldertest.Results(t, dir)
	delete(all, "run.json")
	return all
}

// A variant makes the same run in another way.
type variant struct {
	threads  int
	every    time.Duration // between checkpoints
	redraw   bool          // progress as on a terminal
	tables   bool
	stops    int  // and resumes
	extended bool // from half its length
}

func (c chooser) variant() variant {
	return variant{1 + c.IntN(6), time.Duration(1+c.IntN(20)) * time.Millisecond, c.coin(), c.coin(), c.IntN(4), c.coin()}
}

// alone are variants that differ in one thing.
func alone() []variant {
	return []variant{{threads: 4, every: time.Hour}, {threads: 1, every: time.Millisecond},
		{threads: 1, every: time.Hour, redraw: true, tables: true},
		{threads: 1, every: time.Hour, stops: 3}, {threads: 1, every: time.Hour, extended: true}}
}

// make makes the run by a variant and returns how often it was stopped.
func (v variant) make(t *testing.T, c configuration, rng *rand.Rand, file, dir string) (stops int) {
	t.Helper()
	var said, tables bytes.Buffer
	lengths := []int{c.iterations}
	if v.extended && c.extends {
		lengths = []int{c.iterations/2 + rng.IntN(c.iterations/4), c.iterations}
	}
	for _, n := range lengths {
		for {
			j := bare(t, file, dir, &said, fmt.Sprintf("sampler.iterations=%d", n))
			j.Settings.Threads, j.Checkpoint = v.threads, v.every
			if v.redraw {
				j.Terminal = text.Fixed(&said, 80, true)
			}
			if v.tables {
				j.Out = &tables
			}
			ctx, cancel := context.WithCancel(context.Background())
			if stops < v.stops {
				time.AfterFunc(time.Duration(rng.IntN(15_000))*time.Microsecond, cancel)
			}
			_, err := j.Run(ctx)
			cancel()
			var stop *job.Interrupted
			if err == nil {
				break
			} else if !errors.As(err, &stop) && !errors.Is(err, context.Canceled) { // before it began
				t.Fatalf("%+v\n%v\n%s", v, err, c.text)
			}
			stops++
		}
	}
	return stops
}

// Options that must not matter do not: threads, the interval of checkpoints,
// tables, progress, where a run is stopped and resumed, and whether it is made at
// once or extended. Twenty random configurations, each made twice, the second time
// with all of these at random; R2SGLD_SOAK=1: 300, and one by one as well.
//
// Mutants it kills: a part of a state that is not saved, an order that depends on
// threads, a draw that depends on the interval.
func TestMetamorphic(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	c := chooser{rand.New(rand.NewPCG(2026, 1121))}
	dir := t.TempDir()
	stops := 0
	for i := range pace.Soak(20, 300) {
		chosen := c.configuration()
		file := write(t, dir, "chosen.yaml", chosen.text)
		want := chosen.whole(t, file, filepath.Join(dir, "whole"))
		variants := []variant{c.variant()}
		if pace.Soak(0, 1) == 1 {
			variants = append(variants, alone()...)
		}
		for _, v := range variants {
			out := filepath.Join(dir, "variant")
			stops += v.make(t, chosen, c.Rand, file, out)
			same(t, fmt.Sprintf("configuration %d by %+v", i+1, v), want, drawn(t, out))
			if t.Failed() {
				t.Fatal(chosen.text)
			}
			if err := os.RemoveAll(out); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.RemoveAll(filepath.Join(dir, "whole")); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d stops", stops)
}

// Sixteen rungs on four ladders have the same bytes on one, two and four threads,
// and on as many processors.
func TestManyRungsSameBytes(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	c := configuration{iterations: 1500, text: fmt.Sprintf(onFlower, "many", noisy,
		`{iterations: 1500, burn_in: 100, ladders: 4, step_size: 1e-3, swap: {variance: online},
  temperature: [1, 1.2, 1.4, 1.7, 2, 2.4, 2.8, 3.3, 4, 4.7, 5.6, 6.7, 8, 9.5, 11, 13]}`)}
	file := write(t, dir, "many.yaml", c.text)
	want := c.whole(t, file, filepath.Join(dir, "whole"))
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, procs := range []int{1, 2, 4} {
		runtime.GOMAXPROCS(procs)
		for _, threads := range []int{1, 2, 4} {
			out := filepath.Join(dir, fmt.Sprintf("%d-%d", procs, threads))
			variant{threads: threads, every: time.Millisecond}.make(t, c, nil, file, out)
			same(t, fmt.Sprintf("%d threads on %d processors", threads, procs), want, drawn(t, out))
		}
	}
}

// What is shown changes no byte of what is written, figures included.
func TestShown(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	file := write(t, dir, "auto.yaml", short()["auto"])
	var want map[string]string
	for i, flags := range [][]string{{"--quiet"}, {"--json"}, {"--json", "--quiet", "--threads", "3", "--checkpoint", "1ms"}} {
		out := filepath.Join(dir, fmt.Sprint(i))
		p := start(t, append([]string{"sample", file, "--out", out}, flags...)...)
		if code := p.code(t); code != exitDone {
			t.Fatalf("%v: exit %d: %s", flags, code, &p.stderr)
		}
		if got := foldertest.Results(t, out); i == 0 {
			want = got
		} else {
			same(t, strings.Join(flags, " "), want, got)
		}
	}
}
