//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run whose folder was moved, removed or replaced writes nothing where it was, be it
// nothing, a folder of the user's, a link, or the folder of another run. A lock that is
// merely gone stops nobody.
func TestFolderMovedAway(t *testing.T) {
	for name, c := range map[string]struct {
		moved bool
		away  func(dir string) error
	}{
		"untouched": {false, func(string) error { return nil }},
		"lock gone": {false, func(dir string) error { return os.Remove(filepath.Join(dir, lockName)) }},
		"moved":     {true, func(dir string) error { return os.Rename(dir, dir+"-old") }},
		"removed":   {true, os.RemoveAll},
		"replaced": {true, func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-old"), os.Mkdir(dir, 0o777))
		}},
		"linked": {true, func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"-old"), os.Mkdir(dir+"-mine", 0o777), os.Symlink(dir+"-mine", dir))
		}},
		"another run": {true, func(dir string) error {
			err := os.Rename(dir, dir+"-old")
			_, failed := Create(Disk{}, dir, anyRun, false)
			return errors.Join(err, failed)
		}},
		"another run in it": {true, func(dir string) error {
			err := os.Remove(filepath.Join(dir, lockName))
			_, failed := Disk{}.Lock(filepath.Join(dir, lockName))
			return errors.Join(err, failed)
		}},
	} {
		t.Run(name, func(t *testing.T) { testMoved(t, c.moved, c.away) })
	}
}

func testMoved(t *testing.T, moved bool, away func(dir string) error) {
	top := t.TempDir()
	dir := filepath.Join(top, "run")
	f, err := Create(Disk{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.WriteFile("run.json", []byte("{}")); err != nil {
		t.Fatal(err)
	}
	if err := away(dir); err != nil {
		t.Fatal(err)
	}
	before := names(t, top)
	_, err1 := f.WriteCheckpoint(&Checkpoint{Version: "1"})
	_, err2 := f.Append("metrics.jsonl")
	for _, err := range []error{f.WriteFile("run.json", []byte("[]")), err1, err2} {
		if errors.Is(err, ErrMoved) != moved || (err != nil) != moved {
			t.Error(err)
		}
	}
	if !moved {
		return
	}
	if err := f.Discard(); err != nil {
		t.Error(err)
	}
	if after := names(t, top); !slices.Equal(before, after) {
		t.Errorf("before %q, after %q", before, after)
	}
}

// What was put in the place of a folder within that of a run while it writes there is not
// written through, nor removed from.
//
// Mutant it kills: the folder of the run alone looked at.
func TestFolderWithinReplaced(t *testing.T) {
	for _, name := range []string{"figures", "checkpoints", "draws.zarr", "draws.zarr/posterior", "draws.zarr/posterior/x"} {
		top := t.TempDir()
		dir, other := filepath.Join(top, "run"), filepath.Join(top, "other")
		f, err := Create(quick{}, dir, anyRun, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeEverything(f, "old"); err != nil {
			t.Fatal(err)
		}
		if f, err = Continue(quick{}, dir, anyRun); err != nil {
			t.Fatal(err)
		}
		inside := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.Rename(inside, other), os.Symlink(other, inside)); err != nil {
			t.Fatal(err)
		}
		was := held(t, other)
		_, err1 := f.WriteCheckpoint(&Checkpoint{Version: "1"})
		err2 := f.WriteFile("figures/trace.svg", []byte("<svg></svg>"))
		err3 := keep(f, tiny(), 2)
		if err := errors.Join(err1, err2, err3); err == nil || !strings.Contains(err.Error(), inside+" is no folder any more") {
			t.Errorf("%s: %v", name, err)
		}
		if now := held(t, other); !maps.Equal(was, now) {
			t.Errorf("%s: changed: %v", name, changed(was, now))
		}
		_ = f.Close()
	}
}

// names lists what is in a folder, but for locks whose owner may remove them.
func names(t *testing.T, dir string) (all []string) {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Name() != lockName {
			all = append(all, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
