package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/foldertest"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A selection is read as it is written, and is of the studies that there are.
func TestSelection(t *testing.T) {
	for _, test := range []struct {
		of   selection
		text string
		want string // names, or what the error holds
	}{
		{selection{name: "theory"}, "theory", "theory"},
		{selection{name: "all"}, "all", "lorenz lotka-volterra multimodal diameter theory swaps evidence monotone cifar posterior"},
		{selection{"all", []string{"theory", "multimodal"}}, "all --studies theory,multimodal", "multimodal theory"},
		{selection{"all", []string{"theorie"}}, "all --studies theorie", `"theorie"; did you mean "theory"?`},
		{selection{"all", []string{"all"}}, "all --studies all", `no study "all"`},
		{selection{"all", []string{}}, "all --studies ", "--studies names none"},
		{selection{"theory", []string{"theory"}}, "theory --studies theory", "--studies names some of all"},
		{selection{name: "theorie"}, "theorie", "did you mean"},
	} {
		found, err := test.of.studies()
		var names []string
		for _, e := range found {
			names = append(names, e.name)
		}
		if got := strings.Join(names, " "); test.of.String() != test.text || err == nil && got != test.want ||
			err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %q, %v", test.of, got, err)
		}
		if again := selected(test.text); again.String() != test.text {
			t.Errorf("%q is read as %q", test.text, again)
		}
	}
	// the same studies are one selection
	for _, test := range [][2]string{{"all --studies theory,multimodal,theory", "all --studies multimodal,theory"}, {"theory", "theory"},
		{"all --studies posterior,cifar,monotone,evidence,swaps,theory,diameter,multimodal,lotka-volterra,lorenz", "all"}} {
		of := selected(test[0])
		found, err := of.studies()
		if got := of.settled(found).String(); err != nil || got != test[1] {
			t.Errorf("%q is settled as %q, %v", test[0], got, err)
		}
	}
}

// Before studies run it is said which, about how long that takes, and what is missing.
func TestReproducePlan(t *testing.T) {
	runs := map[string]int{}
	lacking, long, quick := invented("d", runs, false), invented("a", runs, false), invented("b", runs, false)
	lacking.ready = func(study.Options) error { return &job.Refused{Err: errors.New("no data: fetch them")} }
	long.takes, quick.takes = extent{small: 90 * 60e9}, extent{small: 5e9}
	c := silent(filepath.Join(t.TempDir(), "out"))
	for _, want := range []string{
		"2 studies to run at scale small: about 90 min on two processor cores\n" +
			"  a              about 90 min\n  d              not run: no data: fetch them\n  b              about 5 s\n",
		"0 studies to run at scale small: nothing is left to do\n" +
			"  a              finished before, kept\n  d              not run: no data: fetch them\n  b              finished before, kept\n",
	} {
		var said bytes.Buffer
		c.quiet, c.stderr = false, func() io.Writer { return &said }
		if err := c.reproduceThem(t.Context(), selection{name: "all"}, []paperStudy{long, lacking, quick}, study.Small); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(said.String(), want) {
			t.Errorf("said %q, want %q", &said, want)
		}
	}
}

// The report is made anew from what is kept, with the same bytes, and printed as tables; a folder of
// nothing of the kind is refused.
func TestReproduceReport(t *testing.T) {
	pace.Slow(t)
	t.Parallel()
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	must(t, exitDone, "reproduce", "all", "--studies", "diameter", "--scale", "smoke", "--quiet", "--out", out)
	was := foldertest.Files(t, out)
	if err := os.Remove(filepath.Join(out, "report.html")); err != nil {
		t.Fatal(err)
	}
	must(t, exitDone, "reproduce", "report", out, "--quiet")
	same(t, "a report that is made anew", was, foldertest.Files(t, out))
	p := start(t, "reproduce", "report", out, "--markdown")
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, &p.stderr)
	}
	text := p.stdout.String()
	if claims := strings.Count(was["claims.json"], `"verdict":`); !strings.Contains(text, "`r2sgld reproduce diameter --scale smoke --seed 1`: ") ||
		strings.Count(text, "\n| ") != claims-4+1 { // claims.json tells what four verdicts mean; a head
		t.Errorf("%d claims: %s", claims, text)
	}
	same(t, "a report that is printed", was, foldertest.Files(t, out))
	must(t, exitUsage, "reproduce", "report", out, "--markdown", "--json")
	must(t, exitUsage, "reproduce", "report", dir)
	must(t, exitUsage, "reproduce", "report", filepath.Join(dir, "none"))
}
