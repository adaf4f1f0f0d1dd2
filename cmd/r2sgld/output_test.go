package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/store"
)

// Where standard output takes nothing, as that of a full disk, every command says so and
// fails, but leaves its folder whole. With --quiet there is nothing to lose.
//
// Mutants it kills: a command that prints past the writer that remembers, an error that
// is not looked at, the exit code of a usage that is wrong.
func TestOutputIsLost(t *testing.T) {
	pace.Slow(t)
	dir := t.TempDir()
	theory := write(t, dir, "interval.yaml", onInterval)
	sample := write(t, dir, "square.yaml",
		"variables: [x]\npotential: 0\ndomain: {box: {x: [0, 2]}}\nsampler: {method: r2sgld, iterations: 2000, burn_in: 100, step_size: 0.01, "+
			"temperature: [1, 10]}\n")
	folder := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"--version"},
		{"theory", "--help"},
		{"theory", theory, "--out", folder("theory")},
		{"theory", theory, "--out", folder("json"), "--json"},
		{"plan", sample},
		{"sample", sample, "--out", folder("sample")},
		{"diagnose", folder("sample")},
		{"diagnose", folder("sample"), "--json"},
		{"compare", folder("sample")},
		{"reproduce", "multimodal", "--truth", "--json"},
	} {
		code, said := toNowhere(t, args...)
		if code != exitFailed || !strings.Contains(said, "the output is not complete: write /dev/stdout: ") ||
			strings.Count(said, "not complete") != 1 || strings.Contains(said, "see r2sgld --help") {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
	}
	for _, name := range []string{"theory", "json", "sample"} {
		f, err := store.Open(folder(name))
		if err != nil {
			t.Fatal(err)
		}
		var sum map[string]any
		if err := f.ReadJSON("summary.json", &sum); err != nil || !there(folder(name), "run.json") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if code, said := toNowhere(t, "theory", theory, "--out", folder("quiet"), "--quiet"); code != exitDone || said != "" {
		t.Errorf("--quiet: exit %d: %s", code, said)
	}
}

// toNowhere runs the program with a standard output that cannot be written to, and
// returns its exit code and what it says of that.
func toNowhere(t *testing.T, args ...string) (code int, said string) {
	t.Helper()
	readOnly, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer readOnly.Close()
	var stderr bytes.Buffer
	p := exec.CommandContext(t.Context(), os.Args[0], args...)
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = readOnly, &stderr
	var exit *exec.ExitError
	if err := p.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), stderr.String()
}

// Paragraphs of help fill the width; blocks with an indent stay as they are.
func TestHelpFillsTheWidth(t *testing.T) {
	text := "one two three\nfour\n\nfive\n  six:  seven eight\nnine ten"
	for _, c := range []struct {
		width int
		want  string
	}{
		{0, text},
		{9, "one two\nthree\nfour\n\nfive\n  six:  seven eight\nnine ten"},
		{80, "one two three four\n\nfive\n  six:  seven eight\nnine ten"},
	} {
		if got := filled(text, c.width); got != c.want {
			t.Errorf("in %d columns:\n%s\nwant\n%s", c.width, got, c.want)
		}
	}
}

// The schema is whole, whatever the width of the terminal: an editor reads it.
func TestSchemaIsNotFolded(t *testing.T) {
	t.Setenv("COLUMNS", "40")
	p := start(t, "schema")
	if code := p.code(t); code != exitDone {
		t.Fatalf("exit %d: %s", code, p.stderr.String())
	}
	var schema map[string]any
	if err := json.Unmarshal(p.stdout.Bytes(), &schema); err != nil || schema["$defs"] == nil {
		t.Errorf("%v in %.200s", err, p.stdout.String())
	}
}

func TestRunsOfOneSecond(t *testing.T) {
	t.Chdir(t.TempDir())
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, want := range []string{"runs/a-20260102-030405", "runs/a-20260102-030405-2", "runs/a-20260102-030405-3"} {
		got := inRuns("a", now)
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if err := os.MkdirAll(got, 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCommandsSideBySide: commands of one process, as those of tests, share nothing that they write.
func TestCommandsSideBySide(t *testing.T) {
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if code := run(t.Context(), []string{"--version"}); code != exitDone {
				t.Errorf("exit code %d", code)
			}
		})
	}
	all.Wait()
}
