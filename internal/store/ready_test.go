package store

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// A folder .ready that is not all of a run, as it was written, takes no run's place,
// whoever opens the folder: everything stays as it is.
//
// Mutants it kills: any folder of that name completed, one that has a record, one that has
// some of the files; builds looked at when it is too late.
func TestReadyOfOthers(t *testing.T) {
	pace.Slow(t)
	ready := func(names ...string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			for _, name := range names {
				plant(t, filepath.Join(dir, name))
			}
		}
	}
	// built is a whole run that was about to take the place of the one there.
	built := func(t *testing.T, dir string) {
		before(t, dir)
		before(t, dir+"-new")
		if err := os.Rename(dir+"-new", filepath.Join(dir, readyName)); err != nil {
			t.Fatal(err)
		}
	}
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"alone":            ready(".ready/thesis.txt"),
		"beside a build":   ready(".ready/thesis.txt", ".new-1/thesis.txt"),
		"named like a run": ready(".ready/run.json"),
		"named like ours":  ready(".ready/.new-1/thesis.txt"),
		"in a run":         func(t *testing.T, dir string) { before(t, dir); ready(".ready/thesis.txt")(t, dir) },
		"a build within":   func(t *testing.T, dir string) { before(t, dir); ready(".ready/.new-1/thesis.txt")(t, dir) },
		"an empty record": func(t *testing.T, dir string) {
			before(t, dir)
			emptyFile(t, filepath.Join(dir, readyName, recordName))
		},
		"one more file":     func(t *testing.T, dir string) { built(t, dir); ready(".ready/figures/mine.png")(t, dir) },
		"a changed file":    func(t *testing.T, dir string) { built(t, dir); ready(".ready/figures/trace.svg")(t, dir) },
		"a build of others": func(t *testing.T, dir string) { built(t, dir); ready(".new-1/thesis.txt")(t, dir) },
		"a record cut short": func(t *testing.T, dir string) {
			built(t, dir)
			if err := os.Truncate(filepath.Join(dir, readyName, recordName), 400); err != nil {
				t.Fatal(err)
			}
		},
		"a file less": func(t *testing.T, dir string) {
			built(t, dir)
			if err := os.Remove(filepath.Join(dir, readyName, "draws-1.csv")); err != nil {
				t.Fatal(err)
			}
		},
		"no manifest": func(t *testing.T, dir string) {
			built(t, dir)
			if err := os.Remove(filepath.Join(dir, readyName, "run.json")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "run")
			prepare(t, dir)
			was := held(t, dir)
			_, err1 := Create(quick{}, dir, anyRun, false)
			_, err2 := Create(quick{}, dir, anyRun, true)
			_, err3 := Continue(quick{}, dir, anyRun)
			_, err4 := Settle(quick{}, dir)
			for i, err := range []error{err1, err2, err3, err4} {
				if err == nil {
					t.Errorf("way %d: not refused", i+1)
				}
			}
			if diff := cmp.Diff(was, held(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
	dir := filepath.Join(t.TempDir(), "run")
	built(t, dir)
	if done, err := Settle(quick{}, dir); !done || err != nil || exists(filepath.Join(dir, readyName)) ||
		!exists(filepath.Join(dir, "run.json")) {
		t.Errorf("a whole one: %v, %v", done, err)
	}
}

func emptyFile(t *testing.T, name string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, nil, 0o666)); err != nil {
		t.Fatal(err)
	}
}

// What a run itself removed of what it wrote is not asked for when it takes the place of an earlier one;
// a stranger of its name is no file of the run.
func TestReadyWithoutWhatPassed(t *testing.T) {
	kind := Kind{Manifest: "run.json", Files: func([]byte) ([]string, error) { return []string{"run.json", "cases/*.case"}, nil }}
	dir := filepath.Join(t.TempDir(), "run")
	for _, at := range []string{dir, dir + "-new"} {
		f, err := Create(quick{}, at, kind, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"run.json", "cases/a.one.case", "cases/b.one.case"} {
			err = errors.Join(err, f.WriteFile(name, []byte("{}")))
		}
		err = errors.Join(err, f.Remove("cases", func(name string) bool { return strings.HasPrefix(name, "cases/a.") }))
		if exists(f.Path("cases/a.one.case")) || !exists(f.Path("cases/b.one.case")) {
			t.Error("other files were removed than those that were meant")
		}
		err = errors.Join(err, f.Remove("cases", func(string) bool { return true }))
		if exists(f.Path("cases")) || f.record.has("cases/a.one.case") {
			t.Error("the folder is left, or a file of it on record")
		}
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Rename(dir+"-new", filepath.Join(dir, readyName)); err != nil {
		t.Fatal(err)
	}
	if done, err := Settle(quick{}, dir); !done || err != nil || exists(filepath.Join(dir, readyName)) {
		t.Errorf("%v, %v", done, err)
	}
}
