//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
