package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// What is begun with force is built beside the run that is there, and takes its place
// when it is installed: files of that run go, all others stay.
//
// Mutant it kills: removing the old run when the new one begins.
func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "runs", "one")
	f, err := Create(Disk{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"figures/pairs.svg", "figures/residuals.png"} {
		if err := f.WriteFile(name, []byte("old")); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeEverything(f, "old"); err != nil {
		t.Fatal(err)
	}
	theirs := []string{"notes.txt", "draws-x.csv", "draws-01.csv", "thesis.tmp", "figures/mine.png", "figures/pairs.pdf", "checkpoints/README",
		"checkpoints/1", "log.jsonl.bak", "models/a"}
	ours := []string{"figures/a.svg" + temporary, "checkpoints/000009" + temporary}
	for _, name := range append(theirs, ours...) {
		plant(t, f.Path(name))
	}
	if _, err := Create(Disk{}, dir, anyRun, false); err == nil || !strings.Contains(err.Error(), "--force") ||
		!strings.Contains(err.Error(), dir) {
		t.Fatalf("a folder that is not empty: %v", err)
	}
	before := held(t, dir)
	again, err := Create(Disk{}, dir, anyRun, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.WriteJSON("run.json", report{1, "new"}); err != nil {
		t.Fatal(err)
	}
	for name, text := range before {
		if held(t, dir)[name] != text {
			t.Errorf("%s has changed before the new run stands", name)
		}
	}
	if err := again.WriteFile("figures/trace.svg", []byte("new")); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(again.Install(), again.Close()); err != nil {
		t.Fatal(err)
	}
	after := held(t, dir)
	for _, name := range theirs {
		if after["/"+name] != before["/"+name] {
			t.Errorf("%s, which is not ours, is gone", name)
		}
	}
	if len(after) != len(theirs)+2 || after["/run.json"] == before["/run.json"] {
		t.Errorf("not the new run and what is not ours: %v", after)
	}
	if _, err := Create(Disk{}, f.Path("notes.txt"), anyRun, true); err == nil || !strings.Contains(err.Error(), "it is a file") {
		t.Errorf("a file as folder: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// Of builds that hold no run nothing is kept.
func TestFailedBuilds(t *testing.T) {
	dir := t.TempDir()
	before(t, dir)
	for range 3 {
		f, err := Create(Disk{}, dir, anyRun, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if numbers, err := builds(Disk{}, dir); err != nil || len(numbers) != 1 {
		t.Errorf("builds %v, %v", numbers, err)
	}
}

func plant(t *testing.T, path string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte("x"), 0o666)); err != nil {
		t.Fatal(err)
	}
}

// held is what [tree] finds.
func held(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// A folder that is no run of ours is never touched, whatever its files are called, nor
// is one through which a symbolic link or anything but a file would be written.
//
// Mutants it kills: a survey that follows links, one that looks at names alone, a lock
// that is opened through a link, or that takes any file for its own.
func TestForceRefuses(t *testing.T) {
	other := filepath.Join(t.TempDir(), "other")
	plant(t, filepath.Join(other, "precious"))
	precious, number := filepath.Join(other, "precious"), filepath.Join(other, "number") // what a lock holds
	if err := os.WriteFile(number, []byte("1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, prepare := range map[string]func(dir string) error{
		"summary of others":  func(dir string) error { plant(t, filepath.Join(dir, "figures/trace.svg")); return nil },
		"store of others":    func(dir string) error { plant(t, filepath.Join(dir, "draws.zarr/.zgroup")); return nil },
		"manifest of others": func(dir string) error { plant(t, filepath.Join(dir, "run.json")); return nil },
		"link for a file": func(dir string) error {
			before(t, dir)
			return os.Symlink(precious, filepath.Join(dir, "figures/pairs.svg"))
		},
		"link for a folder": func(dir string) error {
			before(t, dir)
			return errors.Join(os.RemoveAll(filepath.Join(dir, "figures")), os.Symlink(other, filepath.Join(dir, "figures")))
		},
		"link for a log": func(dir string) error {
			before(t, dir)
			return errors.Join(os.Remove(filepath.Join(dir, "log.jsonl")), os.Symlink(precious, filepath.Join(dir, "log.jsonl")))
		},
		"link for the lock": func(dir string) error { before(t, dir); return os.Symlink(number, filepath.Join(dir, lockName)) },
		"lock of others":    func(dir string) error { before(t, dir); plant(t, filepath.Join(dir, lockName)); return nil },
		"group of others": func(dir string) error {
			before(t, dir)
			plant(t, filepath.Join(dir, "draws.zarr/log_likelihood/.zgroup"))
			return nil
		},
		"array of others": func(dir string) error {
			before(t, dir)
			plant(t, filepath.Join(dir, "draws.zarr/posterior/mine/0.0"))
			return nil
		},
		"link for a build": func(dir string) error { before(t, dir); return os.Symlink(other, filepath.Join(dir, ".new-1")) },
		"file for a build": func(dir string) error { before(t, dir); plant(t, filepath.Join(dir, ".new-1")); return nil },
		"no build": func(dir string) error {
			before(t, dir)
			plant(t, filepath.Join(dir, ".new-1", "thesis.tex"))
			return nil
		},
		"link to the folder": func(dir string) error { before(t, dir+"-real"); return os.Symlink(dir+"-real", dir) },
		"link to nothing":    func(dir string) error { return os.Symlink(dir+"-none", dir) },
	} {
		dir := filepath.Join(t.TempDir(), "run")
		if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := prepare(dir); err != nil {
			t.Fatal(err)
		}
		root := filepath.Dir(dir)
		names := links(t, root)
		_, err := Create(Disk{}, dir, anyRun, true)
		if err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.HasSuffix(name, "others") {
			if _, err := Continue(Disk{}, dir, anyRun); err == nil {
				t.Errorf("%s: resumed", name)
			}
		}
		if diff := cmp.Diff(names, links(t, root)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if text, err := os.ReadFile(precious); err != nil || string(text) != "x" {
			t.Errorf("%s: what a link leads to is now %q, %v", name, text, err)
		}
		if text, err := os.ReadFile(number); err != nil || string(text) != "1\n" {
			t.Errorf("%s: what a link leads to is now %q, %v", name, text, err)
		}
	}
}

// links lists what is in a folder, links as such.
func links(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		out = append(out, path+" "+e.Type().String())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Wherever an exchange is cut short, the folder holds the old run or the new one, and
// whoever opens it next for writing completes what was begun. What is not of a run is
// there all the time.
func TestExchangeIsCutShort(t *testing.T) {
	pace.Slow(t)
	root := scratch(t)
	step := 7
	if pace.Soaking() {
		step = 1
	}
	for n, total := 1, -1; total < 0; n += step {
		dir := filepath.Join(root, fmt.Sprint(n))
		before(t, dir)
		plant(t, filepath.Join(dir, "figures/mine.png"))
		plant(t, filepath.Join(dir, "notes"))
		f, err := Create(quick{}, dir, anyRun, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := writeEverything(onRecord(t, f.dir, quick{}), "new"); err != nil {
			t.Fatal(err)
		}
		files := &faulty{n: n, dead: true, err: syscall.EIO}
		f.files = files
		if err = f.Install(); err == nil {
			total = n
		} else if !strings.Contains(err.Error(), dir) {
			t.Errorf("operation %d: %v", n, err)
		}
		_ = f.release()
		if there := held(t, dir); there["/notes"] == "" || there["/figures/mine.png"] == "" {
			t.Fatalf("operation %d: a file of the user is gone", n)
		}
		building := exists(buildPath(dir, 1))
		if f, err = Continue(quick{}, dir, anyRun); err != nil {
			t.Fatalf("after operation %d: %v", n, err)
		}
		if err := inspect(f.dir, false); err != nil {
			t.Errorf("after operation %d: %v", n, err)
		}
		var r report
		if err := f.ReadJSON("run.json", &r); err != nil || r.Note != "new" || f.Beside() != building {
			t.Errorf("after operation %d: %+v, %v, beside %v", n, r, err, f.Beside())
		}
		if there := held(t, dir); there["/notes"] == "" || there["/figures/mine.png"] == "" {
			t.Fatalf("after operation %d: a file of the user is gone", n)
		}
		_ = f.release()
		if n > 5000 {
			t.Fatal("never whole")
		}
	}
}

// No run is written in the root of the file system, whatever is forced.
//
// Mutant it kills: the root taken for any other folder.
func TestRootIsRefused(t *testing.T) {
	work, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.VolumeName(work) + string(filepath.Separator)
	up, err := filepath.Rel(work, root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{root, up, filepath.Join(root, "a") + "/.."} {
		for name, open := range map[string]func() (*Folder, error){
			"create":   func() (*Folder, error) { return Create(untouchable{}, dir, anyRun, true) },
			"draft":    func() (*Folder, error) { return Draft(untouchable{}, dir, anyRun, true) },
			"continue": func() (*Folder, error) { return Continue(untouchable{}, dir, anyRun) },
		} {
			if _, err := open(); err == nil || !strings.Contains(err.Error(), "it is the root of the file system") {
				t.Errorf("%s %s: %v", name, dir, err)
			}
		}
	}
}

// A folder in which a kill cut the first file short is as good as an empty one: nothing of it is anybody's.
//
// Mutant: what is half written counts.
func TestCreateAfterAKill(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	for _, name := range []string{"run.json" + temporary, ".r2sgld.files" + temporary} {
		plant(t, filepath.Join(dir, name))
	}
	f, err := Create(Disk{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.WriteJSON("run.json", report{1, "new"}), f.Install(), f.Close()); err != nil {
		t.Fatal(err)
	}
	for name := range held(t, dir) {
		if strings.HasSuffix(name, temporary) {
			t.Errorf("%s is left", name)
		}
	}
	if _, err := Create(Disk{}, dir, anyRun, false); err == nil {
		t.Error("a run is begun in the folder of another")
	}
}
