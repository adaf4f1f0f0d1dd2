// Package studytest checks what all studies promise.
package studytest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/r2sgld/r2sgld/internal/study"
)

// Glance runs a study at scale smoke.
func Glance(t testing.TB, run func(context.Context, study.Options) (*study.Study, error), threads int) *study.Study {
	t.Helper()
	begin := time.Now()
	s, err := run(context.Background(), study.Options{Scale: study.Smoke, Seed: 1, Threads: threads})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("scale smoke: %v, %d threads", time.Since(begin).Round(time.Millisecond), threads)
	return s
}

// Whole checks tables and the reasons of claims, and returns what the report of the
// study holds.
func Whole(t testing.TB, s *study.Study) *study.Output {
	t.Helper()
	desk, err := study.Open(filepath.Join(t.TempDir(), "report"), study.Task{}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer desk.Close()
	out, err := study.Write(desk.Folder, []*study.Study{s}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range s.Sections {
		for _, table := range x.Tables {
			for _, row := range table.Rows {
				if len(row) != len(table.Columns) {
					t.Errorf("table %q: a row of %d under %d columns", table.Title, len(row), len(table.Columns))
				}
				if text := strings.Join(row, " "); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
					t.Errorf("table %q: %s", table.Title, text)
				}
			}
		}
	}
	for _, c := range s.Claims {
		if first, _ := utf8.DecodeRuneInString(c.Why); unicode.IsLower(first) && !strings.HasPrefix(c.Why, "r2SG") {
			t.Errorf("claim %s: %q", c.ID, c.Why)
		}
		if strings.Contains(c.Why, "NaN") || strings.Contains(c.Why, "%!") {
			t.Errorf("claim %s: %q", c.ID, c.Why)
		}
	}
	return out
}

// Verdict checks that a claim has this verdict, and that why says all of what.
func Verdict(t testing.TB, c study.Claim, want study.Verdict, what ...string) {
	t.Helper()
	if c.Verdict != want {
		t.Errorf("%s: %s, not %s: %s", c.ID, c.Verdict, want, c.Why)
	}
	for _, w := range what {
		if !strings.Contains(c.Why, w) {
			t.Errorf("%s: nothing of %q in %q", c.ID, w, c.Why)
		}
	}
}

// Documented checks that a document tells of every key of a study's JSON, those under
// free aside, which are names of what was studied.
func Documented(t testing.TB, s *study.Study, document string, free ...string) {
	t.Helper()
	b, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(b)
	var v any
	if err := json.Unmarshal([]byte(JSON(t, s)), &v); err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, f := range free {
		names[f] = true
	}
	var look func(v any, under string)
	look = func(v any, under string) {
		switch x := v.(type) {
		case map[string]any:
			for k, w := range x {
				if !names[under] && !strings.Contains(doc, "`"+k+"`") && !strings.Contains(doc, "`"+k+"[]`") && !strings.Contains(doc, `"`+k+`":`) {
					t.Errorf("%s says nothing of %q under %q", document, k, under)
				}
				look(w, k)
			}
		case []any:
			for _, w := range x {
				look(w, under)
			}
		}
	}
	look(v, "")
}

// JSON is v as text.
func JSON(t testing.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
