package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/watch"
)

// invented is a study that counts how often it is run; one that halts waits until it is
// stopped.
func invented(name string, runs map[string]int, halts bool) paperStudy {
	return paperStudy{name: name, title: "Study " + name, run: func(ctx context.Context, o study.Options) (*study.Study, error) {
		runs[name]++
		if halts {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s := o.Begin(name, "Study "+name)
		s.Seconds, s.Results = 1.5, map[string]any{"numbers": []float64{1.0 / 3}, "mean": study.IntervalOf([]float64{1, 2})}
		s.Sections = []study.Section{{Title: "S", Tables: []study.Table{{Title: "T", Columns: []string{"a"}, Rows: [][]string{{"1"}}}},
			Pictures: []study.Picture{{Name: "of-" + name, Caption: "It is a disc.",
				SVG: []byte(`<svg width="9pt" height="9pt"><text>` + name + `</text></svg>`), PNG: []byte(name)}}}}
		s.Claims = []study.Claim{{ID: name, Section: "5.1", Text: "T", Test: "By eye.", Why: "It is.", Verdict: study.Untestable},
			{ID: "shared", Section: "5.2", Text: "U", Test: "By eye.", Why: "It is " + name + ".", Verdict: study.Holds,
				Numbers: []study.Number{{Name: "n", Value: 0.1}}}}
		return s, nil
	}}
}

func silent(out string) *common {
	return &common{out: out, seed: 1, quiet: true, stdout: func() io.Writer { return io.Discard },
		stderr: func() io.Writer { return io.Discard }}
}

// With --force no command replaces what another has left, whatever the manifests are called:
// neither studies a run, nor a run studies that have ended.
func TestForceReplacesTheSameCommand(t *testing.T) {
	dir := t.TempDir()
	of := func(out string) []string {
		return []string{"theory", "../../examples/theory/interval.yaml", "--set", "theory.grid=50", "--quiet", "--force", "--out", out}
	}
	forced := silent(filepath.Join(dir, "theory"))
	forced.force = true
	studies := func(c *common) error {
		return c.reproduceThem(t.Context(), selection{name: "a"}, []paperStudy{invented("a", map[string]int{}, false)}, study.Smoke)
	}
	must(t, exitDone, of(forced.out)...)
	was := foldertest.Results(t, forced.out)
	var refused *job.Refused
	if err := studies(forced); !errors.As(err, &refused) || !strings.Contains(err.Error(), "of another command") {
		t.Errorf("studies over a run: %v", err)
	}
	unchanged := func() {
		t.Helper()
		if !maps.Equal(was, foldertest.Results(t, forced.out)) {
			t.Errorf("%s changed", forced.out)
		}
	}
	unchanged()
	forced.out = filepath.Join(dir, "studies")
	for range 2 {
		if err := studies(forced); err != nil {
			t.Fatal(err)
		}
	}
	was = foldertest.Results(t, forced.out)
	must(t, exitUsage, of(forced.out)...)
	unchanged()
}

// Studies that ended before others were stopped are kept: the same command does nothing
// twice, leaves their files alone and ends where one that is not stopped does. Those
// that lack something are listed, and are no failure. Mutants: a Keep that is left out,
// a Write that writes every file.
func TestReproduceGoesOn(t *testing.T) {
	runs := map[string]int{}
	lacking := invented("d", runs, false)
	lacking.ready = func(study.Options) error { return &job.Refused{Err: errors.New("no data: fetch them")} }
	entries := func(halts bool) []paperStudy {
		return []paperStudy{invented("a", runs, false), lacking, invented("b", runs, halts), invented("c", runs, false)}
	}
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts[1]")
	if err := silent(whole).reproduceThem(t.Context(), selection{name: "all"}, entries(false), study.Smoke); err != nil {
		t.Fatal(err)
	}
	clear(runs)
	ctx, stop := context.WithCancel(t.Context())
	go func() {
		for !there(parts, "report.html") {
			time.Sleep(time.Millisecond)
		}
		stop()
	}()
	var halted *stopped
	if err := silent(parts).reproduceThem(ctx, selection{name: "all"}, entries(true), study.Smoke); !errors.As(err, &halted) || halted.desk.Count() != 1 ||
		halted.of != 4 ||
		!strings.Contains(err.Error(), "go on with: r2sgld reproduce all --scale smoke --seed 1 --out "+text.Word(parts)) {
		t.Fatalf("%v", err)
	}
	if report := foldertest.Files(t, parts)["report.html"]; !strings.Contains(report, "It was not reached") ||
		!strings.Contains(report, "r2sgld reproduce b --scale smoke --seed 1") {
		t.Error("the report of a part does not say what is left")
	}
	before := map[string]os.FileInfo{}
	for _, name := range []string{"studies/a.study", "figures/of-a.svg", "figures/of-a.png"} {
		info, err := os.Stat(filepath.Join(parts, name))
		if err != nil {
			t.Fatal(err)
		}
		before[name] = info
	}
	for range 2 { // the second time nothing is left to do
		if err := silent(parts).reproduceThem(t.Context(), selection{name: "all"}, entries(false), study.Smoke); err != nil {
			t.Fatal(err)
		}
	}
	if want := (map[string]int{"a": 1, "b": 2, "c": 1}); !maps.Equal(runs, want) {
		t.Errorf("runs %v, want %v", runs, want)
	}
	for name, old := range before {
		if now, err := os.Stat(filepath.Join(parts, name)); err != nil || !os.SameFile(old, now) || !now.ModTime().Equal(old.ModTime()) {
			t.Errorf("%s was written again (%v)", name, err)
		}
	}
	got, want := foldertest.Files(t, parts), foldertest.Files(t, whole)
	if !maps.Equal(got, want) || len(want) != 3+6+3+1 {
		t.Errorf("%d files, %d of the whole run", len(got), len(want))
	}
	for _, name := range []string{"report.html", "claims.json", "results.json"} {
		if !strings.Contains(want[name], "no data: fetch them") || !strings.Contains(want[name], "r2sgld reproduce d --scale smoke --seed 1") {
			t.Errorf("%s does not say what was not run", name)
		}
	}
}

// What fails is told at the end, when the others have run; a folder of another task, or
// a kept study that is damaged, is not gone on with.
func TestReproduceRefuses(t *testing.T) {
	runs := map[string]int{}
	failing := invented("f", runs, false)
	failing.run = func(context.Context, study.Options) (*study.Study, error) { return nil, errors.New("it broke") }
	dir := filepath.Join(t.TempDir(), "all")
	err := silent(dir).reproduceThem(t.Context(), selection{name: "all"}, []paperStudy{failing, invented("a", runs, false)}, study.Smoke)
	var refused *job.Refused
	if err == nil || !strings.Contains(err.Error(), "study f: it broke") || errors.As(err, &refused) || runs["a"] != 1 ||
		!there(dir, "report.html") {
		t.Errorf("%v", err)
	}
	other := silent(dir)
	other.seed = 2
	if err := other.reproduceThem(t.Context(), selection{name: "all"}, []paperStudy{invented("a", runs, false)}, study.Smoke); !errors.As(err, &refused) ||
		!strings.Contains(err.Error(), "reproduce all --scale smoke --seed 1") {
		t.Errorf("another seed: %v", err)
	}
	path := filepath.Join(dir, "studies", "a.study")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.ToUpper(text), 0o666); err != nil {
		t.Fatal(err)
	}
	again := func() error {
		return silent(dir).reproduceThem(t.Context(), selection{name: "all"}, []paperStudy{invented("a", runs, false)}, study.Smoke)
	}
	if err := again(); !errors.As(err, &refused) || !strings.Contains(err.Error(), "studies/a.study") {
		t.Errorf("%v with a changed file", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := again(); err != nil || runs["a"] != 2 {
		t.Errorf("%v, %d runs without the file", err, runs["a"])
	}
	lacking := invented("d", runs, false)
	lacking.ready = func(study.Options) error { return &job.Refused{Err: errors.New("no data")} }
	empty := filepath.Join(t.TempDir(), "none")
	if err := silent(empty).reproduceThem(t.Context(), selection{name: "all"}, []paperStudy{lacking, lacking}, study.Smoke); !errors.As(err, &refused) ||
		there(empty, ".") {
		t.Errorf("nothing could run: %v", err)
	}
}

// Studies are not resumed: the command that goes on with them is told, of those that were
// about to take the place of others too. A folder figures of the user's is none in their way.
func TestResumeOfStudies(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	mine := write(t, dir, "mine.svg", "mine")
	out := filepath.Join(dir, "u")
	if err := errors.Join(os.MkdirAll(filepath.Join(out, "figures"), 0o777),
		os.Rename(mine, filepath.Join(out, "figures", "mine.svg"))); err != nil {
		t.Fatal(err)
	}
	if code := run(t.Context(), []string{"reproduce", "diameter", "--scale", "smoke", "--quiet", "--force", "--out", out}); code != exitDone {
		t.Fatalf("exit code %d", code)
	}
	if text, err := os.ReadFile(filepath.Join(out, "figures", "mine.svg")); err != nil || string(text) != "mine" {
		t.Errorf("%q, %v", text, err)
	}
	tell := func(want string) {
		t.Helper()
		p := start(t, "resume", out)
		if code := p.code(t); code != exitUsage || !strings.Contains(p.stderr.String(), want) {
			t.Errorf("exit code %d, %s, want %s", code, p.stderr.String(), want)
		}
	}
	tell("r2sgld reproduce diameter --scale smoke --seed 1 --out " + out + "\n")
	if err := os.Mkdir(filepath.Join(out, ".new-1"), 0o777); err != nil {
		t.Fatal(err)
	}
	tell("r2sgld reproduce … --out " + out + " --force")
	if text, err := os.ReadFile(filepath.Join(out, "reproduce.json")); err != nil {
		t.Fatal(err)
	} else if err := os.WriteFile(filepath.Join(out, ".new-1", "reproduce.json"),
		bytes.Replace(text, []byte(`"seed": 1`), []byte(`"seed": 4`), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	tell("r2sgld reproduce diameter --scale smoke --seed 4 --out " + out + " --force")
}

// A study that is killed among its cases goes on after those that had ended, and comes to the same,
// times aside. R2SGLD_SOAK=1 kills two studies of the paper's size more often, at any moment.
func TestReproduceKilled(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	whole, parts := filepath.Join(dir, "whole"), filepath.Join(dir, "parts")
	studies := pace.Soak("multimodal --scale smoke", "all --studies multimodal,theory --scale small")
	of := func(out string) []string {
		return append(append([]string{"reproduce"}, strings.Fields(studies)...), "--quiet", "--out", out)
	}
	done(t, of(whole)...)
	cases := func() int {
		names, _ := filepath.Glob(filepath.Join(parts, "cases", "*.case"))
		return len(names)
	}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 1))
	kept, kills := 0, 0
	for range pace.Soak(3, 20) {
		p := start(t, of(parts)...)
		for more := cases() + 10; !pace.Soaking() && cases() < more && p.alive(); {
			time.Sleep(time.Millisecond)
		}
		p.signal(syscall.SIGKILL, time.Duration(pace.Soak(0, rng.IntN(30_000)))*time.Millisecond)
		if code := p.code(t); code == exitDone { // it was quicker than we are
			break
		}
		kept, kills = max(kept, cases()), kills+1
	}
	if t.Logf("seed %d: %d kills", seed, kills); kept == 0 {
		t.Fatal("no case was kept")
	}
	done(t, of(parts)...)
	sameStudies(t, whole, parts)
	if cases() > 0 {
		t.Errorf("%d cases are left", cases())
	}
}

// sameStudies wants the same results, claims and figures in two folders, times aside.
func sameStudies(t *testing.T, whole, parts string) {
	t.Helper()
	numbers := func(out, name string) any {
		b, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(b, &v); err != nil {
			t.Fatal(err)
		}
		return timeless(v)
	}
	for _, name := range []string{"results.json", "claims.json"} {
		if !reflect.DeepEqual(numbers(whole, name), numbers(parts, name)) {
			t.Errorf("%s differs", name)
		}
	}
	pictures := func(out string) map[string]string {
		all := foldertest.Files(t, out)
		maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasPrefix(name, "figures/") })
		return all
	}
	if !maps.Equal(pictures(whole), pictures(parts)) {
		t.Error("figures differ")
	}
}

// timeless leaves out of a document how long things took.
func timeless(v any) any {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "seconds")
		delete(v, "timings")
		for key, of := range v {
			v[key] = timeless(of)
		}
	case []any:
		for i, of := range v {
			v[i] = timeless(of)
		}
	}
	return v
}

// A page shows studies at work: which list of cases, how many are done and left, by whom; and their end.
func TestPageOfStudies(t *testing.T) {
	var said bytes.Buffer
	var facts struct {
		Name, Command, State, Why string
		Cases                     struct {
			List     string
			Of, Done int
			By       []struct {
				Who  string
				Done int
			}
		}
	}
	counted := invented("a", map[string]int{}, false)
	write := counted.run
	counted.run = func(ctx context.Context, o study.Options) (*study.Study, error) {
		_, err := study.Gather(ctx, o, "a: cases", 3, func(_ context.Context, i int) (int, error) {
			if i != 1 {
				return i, nil
			}
			url := regexp.MustCompile(` page: (http://\S+/)\n`).FindStringSubmatch(said.String())
			if url == nil {
				return 0, fmt.Errorf("no page: %s", said.String())
			}
			r, err := http.Get(url[1] + "facts.json")
			if err != nil {
				return 0, err
			}
			defer r.Body.Close()
			return i, json.NewDecoder(r.Body).Decode(&facts)
		})
		if err != nil {
			return nil, err
		}
		return write(ctx, o)
	}
	c := silent(filepath.Join(t.TempDir(), "out"))
	c.web, c.threads, c.quiet, c.stderr = "127.0.0.1:0", 1, false, func() io.Writer { return &said }
	if err := c.reproduceThem(t.Context(), selection{name: "a"}, []paperStudy{counted}, study.Smoke); err != nil {
		t.Fatal(err)
	}
	if q := facts.Cases; facts.Name != "a" || facts.Command != "reproduce" || facts.State != "at work" || q.List != "a: cases" || q.Of != 3 ||
		q.Done != 1 || len(q.By) != 1 || q.By[0].Who != "" || q.By[0].Done != 1 {
		t.Errorf("%+v", facts)
	}
	s := &studio{Tally: new(cases.Tally), facts: watch.Facts{State: watch.Working}}
	for _, end := range []struct {
		err  error
		want watch.State
	}{{nil, watch.Done}, {errors.New("it broke"), watch.Stopped}} {
		var f watch.Facts
		s.end(end.err)
		if s.show(&f); f.State != end.want || end.err != nil && f.Why != "it broke" || f.Ended.IsZero() {
			t.Errorf("%+v", f)
		}
	}
}
