package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// shut is a disk where nothing is put into a folder, or where a file cannot be removed.
type shut struct {
	quick
	in, file string
	why      error
}

func (s *shut) Rename(from, to string) error {
	if s.in != "" && filepath.Dir(to) == s.in && filepath.Dir(from) != s.in {
		return s.why
	}
	return s.quick.Rename(from, to)
}

func (s *shut) Create(name string) (File, error) {
	if s.in != "" && filepath.Dir(name) == s.in {
		return nil, s.why
	}
	return s.quick.Create(name)
}

func (s *shut) Remove(name string) error {
	if name == s.file {
		return s.why
	}
	return s.quick.Remove(name)
}

// newBeside is a run of version new that was written beside the old one in a folder.
func newBeside(t *testing.T, files Files, dir string) *Folder {
	t.Helper()
	before(t, dir)
	f, err := Create(files, dir, anyRun, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeEverything(f, "new"); err != nil {
		t.Fatal(err)
	}
	return f
}

// isNew tells whether a folder holds the new run, whole and alone.
func isNew(t *testing.T, dir string) {
	t.Helper()
	f, err := Continue(quick{}, dir, anyRun)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r report
	if err := f.ReadJSON("run.json", &r); err != nil || r.Note != "new" || f.Beside() {
		t.Errorf("%+v, %v, beside %v", r, err, f.Beside())
	}
	if err := inspect(f.dir, false); err != nil {
		t.Error(err)
	}
}

// Where a folder does not take the new files, as one that is not to be written or a mount
// point, nothing of the old run is removed; once it does, the exchange is made.
func TestNothingIsRemovedInVain(t *testing.T) {
	for _, why := range []error{syscall.EACCES, syscall.EXDEV, syscall.EROFS} {
		dir := filepath.Join(t.TempDir(), "run")
		files := &shut{why: why}
		f := newBeside(t, files, dir)
		was := held(t, dir)
		files.in = filepath.Join(dir, "figures")
		err := f.Install()
		if !errors.Is(err, why) || !strings.Contains(err.Error(), files.in+" does not take the new run") {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(was, held(t, dir)); diff != "" {
			t.Error(diff)
		}
		files.in = ""
		if err := errors.Join(f.Install(), f.Close()); err != nil {
			t.Fatal(err)
		}
		isNew(t, dir)
	}
}

// An exchange that fails on the way leaves the old record as it was, whatever is written to the
// log then, and the new run whole: opening the folder completes it, with and without force.
func TestExchangeFailsOnTheWay(t *testing.T) {
	for _, complete := range []func(dir string) error{
		func(dir string) error { _, err := Settle(quick{}, dir); return err },
		func(dir string) error {
			f, err := Create(quick{}, dir, anyRun, true)
			if err == nil {
				err = errors.Join(f.Discard(), f.Close())
			}
			return err
		},
	} {
		dir := filepath.Join(t.TempDir(), "run")
		files := &shut{why: syscall.EPERM}
		f := newBeside(t, files, dir)
		old, err := os.ReadFile(filepath.Join(dir, recordName))
		if err != nil {
			t.Fatal(err)
		}
		files.file = filepath.Join(dir, "run.json")
		err = f.Install()
		if !errors.Is(err, syscall.EPERM) || !strings.Contains(err.Error(), "r2sgld resume") || !f.Bound() {
			t.Errorf("%v, bound %v", err, f.Bound())
		}
		l, err := f.Logger()
		if err != nil {
			t.Fatal(err)
		}
		l.Info("failed")
		if err := f.Discard(); err != nil {
			t.Fatal(err)
		}
		if now, err := os.ReadFile(filepath.Join(dir, recordName)); err != nil || !bytes.Equal(now, old) {
			t.Errorf("the record of the old run was changed: %v", err)
		}
		if err := complete(dir); err != nil {
			t.Fatal(err)
		}
		isNew(t, dir)
	}
}

// A folder of the user's that both have is none in the way, files of the same name are.
func TestFoldersOfBoth(t *testing.T) {
	for name, want := range map[string]string{"figures/mine.png": "", "figures/trace.svg": "figures/trace.svg in it"} {
		dir := filepath.Join(t.TempDir(), "run")
		kind := anyRun
		kind.Needs = []string{"run.json"} // not knowing yet that it has figures
		plant(t, filepath.Join(dir, name))
		f, err := Create(quick{}, dir, kind, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeEverything(f, "new"); err != nil {
			t.Fatal(err)
		}
		err = f.Install()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		if held(t, dir)["/"+name] == "" {
			t.Errorf("%s of the user is gone", name)
		}
	}
}
