package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// quick is a disk that does not sync.
type quick struct{ Disk }

type quickFile struct{ File }

func (quick) SyncDir(string) error { return nil }
func (quickFile) Sync() error      { return nil }
func (q quick) OpenAt(name string) (FileAt, error) {
	f, err := q.Disk.OpenAt(name)
	return quickFileAt{f}, err
}

type quickFileAt struct{ FileAt }

func (quickFileAt) Sync() error { return nil }

func (q quick) Create(name string) (File, error) {
	f, err := q.Disk.Create(name)
	return quickFile{f}, err
}

// faulty fails at the n-th operation that could, once or ever after. A write
// that fails leaves half of its bytes behind, as a full disk does.
type faulty struct {
	quick
	n    int
	dead bool // from the n-th on
	err  error

	mu    sync.Mutex
	count int
}

func (f *faulty) fail(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.count == f.n || f.dead && f.count > f.n {
		return &fs.PathError{Op: op, Path: name, Err: f.err}
	}
	return nil
}

func (f *faulty) Create(name string) (File, error) {
	if err := f.fail("open", name); err != nil {
		return nil, err
	}
	file, err := f.Disk.Create(name)
	return &faultyFile{file, f, name}, err
}

func (f *faulty) Append(name string) (File, error) {
	if err := f.fail("open", name); err != nil {
		return nil, err
	}
	file, err := f.Disk.Append(name)
	return &faultyFile{file, f, name}, err
}

func (f *faulty) OpenAt(name string) (FileAt, error) {
	if err := f.fail("open", name); err != nil {
		return nil, err
	}
	file, err := f.Disk.OpenAt(name)
	return &faultyFileAt{file, f, name}, err
}

func (f *faulty) Lock(name string) (io.Closer, error) {
	if err := f.fail("open", name); err != nil {
		return nil, err
	}
	return f.Disk.Lock(name)
}

func (f *faulty) ReadFile(name string) ([]byte, error) {
	if err := f.fail("read", name); err != nil {
		return nil, err
	}
	return f.Disk.ReadFile(name)
}

func (f *faulty) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.fail("readdir", name); err != nil {
		return nil, err
	}
	return f.Disk.ReadDir(name)
}

func (f *faulty) Stat(name string) (fs.FileInfo, error) {
	if err := f.fail("stat", name); err != nil {
		return nil, err
	}
	return f.Disk.Stat(name)
}

func (f *faulty) MkdirAll(name string) error {
	if err := f.fail("mkdir", name); err != nil {
		return err
	}
	return f.Disk.MkdirAll(name)
}

func (f *faulty) Rename(from, to string) error {
	if err := f.fail("rename", from); err != nil {
		return err
	}
	return f.Disk.Rename(from, to)
}

func (f *faulty) Remove(name string) error {
	if err := f.fail("remove", name); err != nil {
		return err
	}
	return f.Disk.Remove(name)
}

func (f *faulty) RemoveAll(name string) error {
	if err := f.fail("removeall", name); err != nil {
		return err
	}
	return f.Disk.RemoveAll(name)
}

func (f *faulty) SyncDir(name string) error { return f.fail("syncdir", name) }

type faultyFile struct {
	File
	f    *faulty
	name string
}

func (f *faultyFile) Write(b []byte) (int, error) {
	if err := f.f.fail("write", f.name); err != nil {
		n, _ := f.File.Write(b[:len(b)/2])
		return n, err
	}
	return f.File.Write(b)
}

func (f *faultyFile) Sync() error { return f.f.fail("sync", f.name) }

func (f *faultyFile) Close() error { return errors.Join(f.f.fail("close", f.name), f.File.Close()) }

type faultyFileAt struct {
	FileAt
	f    *faulty
	name string
}

func (f *faultyFileAt) WriteAt(b []byte, at int64) (int, error) {
	if err := f.f.fail("write", f.name); err != nil {
		n, _ := f.FileAt.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.FileAt.WriteAt(b, at)
}

func (f *faultyFileAt) Truncate(size int64) error {
	if err := f.f.fail("truncate", f.name); err != nil {
		return err
	}
	return f.FileAt.Truncate(size)
}

func (f *faultyFileAt) Sync() error { return f.f.fail("sync", f.name) }

func (f *faultyFileAt) Close() error { return errors.Join(f.f.fail("close", f.name), f.FileAt.Close()) }

// anyRun is a kind of run.
var anyRun = Kind{Manifest: "run.json", Files: func(manifest []byte) ([]string, error) {
	var r report
	if err := json.Unmarshal(manifest, &r); manifest != nil && (err != nil || r.Mean == 0) {
		return nil, errors.New("it is of no run of ours")
	}
	return append(RunFiles(), "run.json", "figures/trace.svg", "figures/pairs.svg", "figures/residuals.png"), nil
}}

// scratch is a folder in memory, where there is one: these tests write tens of
// thousands of files.
func scratch(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "store")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

type report struct {
	Mean float64 `json:"mean"`
	Note string  `json:"note"`
}

// writeEverything writes one of each kind; version tells old from new.
func writeEverything(f *Folder, version string) error {
	l, err := f.Logger()
	if err != nil {
		return err
	}
	l.Info("start", "version", version)
	d := &ladders{Run: Run{Names: []string{"x"}, Version: version}, X: [][][]float64{{{1, 2, 3}}}, U: [][][]float64{{{4, 5, 6}}}}
	if err := f.WriteJSON("run.json", report{1, version}); err != nil {
		return err
	}
	for i := range 3 {
		c := &Checkpoint{Version: version, Iteration: i, Sections: []Section{{"a", []byte("12345")}}}
		if _, err := f.WriteCheckpoint(c); err != nil {
			return err
		}
	}
	if err := keep(f, d, 2); err != nil {
		return err
	}
	if err := f.WriteFile("figures/trace.svg", []byte("<svg>"+version+"</svg>")); err != nil {
		return err
	}
	return f.Close()
}

// inspect says what is half written in a folder. Temporary names may remain
// only where even removing failed.
func inspect(dir string, mayHaveTemporary bool) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		name := filepath.Base(path)
		switch {
		case err != nil:
			return err
		case strings.HasSuffix(path, temporary):
			if !mayHaveTemporary {
				return fmt.Errorf("%s is left", path)
			}
			return skip(e)
		case name == "draws.zarr":
			if d, err := Read(0, path); exists(filepath.Join(path, ".zgroup")) && (err != nil || d.Kept != 3) {
				return fmt.Errorf("%s: %v, %w", path, d, err)
			}
			return fs.SkipDir
		case csvNumber(e) > 0:
			_, err := Read(0, path)
			return err
		case name == "run.json":
			var r report
			return (&Folder{dir: dir, files: Disk{}}).ReadJSON(name, &r)
		case name == "trace.svg":
			data, err := os.ReadFile(path)
			if err == nil && !strings.HasSuffix(string(data), "</svg>") {
				err = fmt.Errorf("%s is half written", path)
			}
			return err
		case filepath.Base(filepath.Dir(path)) == "checkpoints":
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return new(Checkpoint).UnmarshalBinary(data)
		}
		return nil
	})
}

func skip(e fs.DirEntry) error {
	if e.IsDir() {
		return fs.SkipDir
	}
	return nil
}

// Whatever operation fails, of a first run or of one that replaces another,
// nothing half written bears a final name, the error says which file and why,
// a checkpoint that was once whole stays, and the folder is usable afterwards.
// Kills writing in place, removing the old before the new is whole, and
// forgetting to clean up.
func TestEveryOperationFails(t *testing.T) {
	pace.Slow(t)
	root := scratch(t)
	step := 3
	if pace.Soaking() {
		step = 1
	}
	first := 0
	for _, second := range []bool{false, true} {
		for _, dead := range []bool{false, true} {
			total := -1
			first = first%step + 1
			for n := first; total < 0 || n <= total; n += step {
				dir := filepath.Join(root, fmt.Sprintf("%v-%v-%d", second, dead, n))
				files := &faulty{err: syscall.ENOSPC}
				if second {
					before(t, dir)
				}
				files.n, files.dead = n, dead
				err := attempt(files, dir, second)
				if err == nil {
					if files.count >= n {
						t.Fatalf("operation %d failed unnoticed", n)
					}
					total = files.count
					break
				}
				if !strings.Contains(err.Error(), dir) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "free some space") {
					t.Fatalf("operation %d: the error does not say what and why: %v", n, err)
				}
				if err := inspect(dir, dead); err != nil && !errors.Is(err, fs.ErrNotExist) {
					t.Fatalf("operation %d (dead %v, second %v): %v\nafter: %v", n, dead, second, err, files.count)
				}
				recovered(t, dir, n)
				if err := os.RemoveAll(dir); err != nil {
					t.Fatal(err)
				}
			}
			if total < 50 {
				t.Errorf("only %d operations tried", total)
			}
		}
	}
}

func before(t *testing.T, dir string) {
	t.Helper()
	f, err := Create(quick{}, dir, anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := writeEverything(f, "old"); err != nil {
		t.Fatal(err)
	}
}

func attempt(files Files, dir string, second bool) error {
	open := func() (*Folder, error) { return Create(files, dir, anyRun, false) }
	if second {
		open = func() (*Folder, error) { return Continue(files, dir, anyRun) }
	}
	f, err := open()
	if err != nil {
		return err
	}
	return errors.Join(writeEverything(f, "new"), f.Close())
}

// recovered continues in a folder after a failure.
func recovered(t *testing.T, dir string, n int) {
	t.Helper()
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return
	}
	f, err := Continue(quick{}, dir, anyRun)
	if err != nil {
		t.Fatalf("after operation %d: %v", n, err)
	}
	if err := inspect(dir, false); err != nil {
		t.Fatalf("after operation %d and a new start: %v", n, err)
	}
	if n%4 != 0 { // the rest is slow
		return
	}
	if err := writeEverything(f, "newer"); err != nil {
		t.Fatalf("after operation %d: %v", n, err)
	}
	if c, _, warnings, err := f.NewestCheckpoint(); err != nil || c.Version != "newer" || len(warnings) > 0 {
		t.Fatalf("after operation %d: %v %v %v", n, c, warnings, err)
	}
}

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

// Of runs/a/b, all new, every name is made durable in the folder that holds it.
// Kills syncing the last parent only.
func TestNewFoldersAreDurable(t *testing.T) {
	root := t.TempDir()
	files := &recorder{synced: map[string]bool{}}
	if _, err := Create(files, filepath.Join(root, "runs", "a", "b"), anyRun, false); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "runs", "runs/a"} {
		if !files.synced[filepath.Join(root, name)] {
			t.Errorf("the new folder in %q is not durable: synced %v", name, files.synced)
		}
	}
	if len(files.synced) != 3 {
		t.Errorf("synced %v", files.synced)
	}
}

// recorder notes which folders are synced.
type recorder struct {
	quick
	synced map[string]bool
}

func (r *recorder) SyncDir(name string) error {
	r.synced[name] = true
	return nil
}

// A folder that may not be read or written is named with the reason and what
// to do.
func TestNoPermission(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for n := 1; n <= 2; n++ {
		_, err := Create(&faulty{n: n, err: syscall.EACCES}, dir, anyRun, true)
		if err == nil || !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), dir) ||
			!strings.Contains(err.Error(), "check the permissions") {
			t.Errorf("operation %d: %v", n, err)
		}
	}
}

func TestWriteFileStaysInFolder(t *testing.T) {
	f, err := Create(Disk{}, t.TempDir(), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"../x", "/x", "", ".", "a/../../x"} {
		if err := f.WriteFile(name, nil); err == nil {
			t.Errorf("%q was written", name)
		}
	}
}

func TestLog(t *testing.T) {
	f, err := Create(Disk{}, t.TempDir(), anyRun, false)
	if err != nil {
		t.Fatal(err)
	}
	torn, err := f.Append("log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := torn.Write([]byte("{\"torn")); err != nil {
		t.Fatal(err)
	}
	l, err := f.Logger()
	if err != nil {
		t.Fatal(err)
	}
	l.Warn("swap", slog.Int("pair", 1), slog.Group("g", slog.String("msg", "m")))
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := f.ReadFile("log.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	if len(lines) != 3 || lines[2] != "" || !strings.HasPrefix(lines[1], `{"time":"`) ||
		!strings.HasSuffix(lines[1], `"level":"WARN","message":"swap","pair":1,"g":{"msg":"m"}}`) {
		t.Errorf("log: %q", lines)
	}
}

func TestJSON(t *testing.T) {
	type inner struct {
		Rate float64 `json:"rate"`
		skip int
	}
	v := struct {
		inner
		A    float64            `json:"a"`
		B    []float64          `json:"b"`
		C    map[string]float64 `json:"c"`
		D    *float64           `json:"d"`
		E    string             `json:"e,omitempty"`
		F    any                `json:"f"`
		G    string             `json:"-"`
		H    float32
		I    []int  `json:"i,omitempty"`
		J    []byte `json:"j"`
		None map[string]int
	}{A: math.NaN(), B: []float64{1, math.Inf(1), -0.5}, C: map[string]float64{"z": 1, "a": math.Inf(-1)},
		F: []any{"x < 1 & y", 1e-7, nil, math.NaN()}, J: []byte("hi")}
	v.inner = inner{0.25, 1}
	want := `{
  "rate": 0.25,
  "a": null,
  "b": [
    1,
    null,
    -0.5
  ],
  "c": {
    "a": null,
    "z": 1
  },
  "d": null,
  "f": [
    "x < 1 & y",
    1e-7,
    null,
    null
  ],
  "H": 0,
  "j": "aGk=",
  "None": null
}
`
	got, err := JSON(v)
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	if _, err := JSON(map[string]any{"f": func() {}}); err == nil || !strings.Contains(err.Error(), "f: ") {
		t.Errorf("a function as JSON: %v", err)
	}
}

// A kind without files is an error, which leaves no folder.
func TestKindWithoutFiles(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "one")
	for name, open := range map[string]func() (*Folder, error){
		"create":   func() (*Folder, error) { return Create(Disk{}, dir, Kind{Manifest: "run.json"}, false) },
		"draft":    func() (*Folder, error) { return Draft(Disk{}, dir, Kind{Manifest: "run.json"}, true) },
		"continue": func() (*Folder, error) { return Continue(Disk{}, dir, Kind{Manifest: "run.json"}) },
	} {
		if _, err := open(); err == nil || !strings.Contains(err.Error(), "Kind.Files") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("a folder was left")
	}
}

// Folders that were made for a run of which nothing is left are not left either; one
// that was there, or that holds something, stays.
func TestDiscardLeavesNoFolder(t *testing.T) {
	top := t.TempDir()
	kind := Kind{Manifest: "run.json", Files: func([]byte) ([]string, error) { return []string{"run.json"}, nil }}
	for _, busy := range []bool{false, true} {
		f, err := Create(Disk{}, filepath.Join(top, "runs", "deep", "one"), kind, false)
		if err != nil {
			t.Fatal(err)
		}
		if busy {
			if err := os.WriteFile(filepath.Join(top, "runs", "mine"), nil, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Discard(); err != nil {
			t.Fatal(err)
		}
		_, deep := os.Stat(filepath.Join(top, "runs", "deep"))
		_, runs := os.Stat(filepath.Join(top, "runs"))
		if deep == nil || (runs == nil) != busy {
			t.Errorf("busy %t: %v, %v", busy, deep, runs)
		}
	}
}

// untouchable is a disk on which nothing may be made.
type untouchable struct{ Disk }

func (untouchable) Lock(string) (io.Closer, error) { return nil, fs.ErrPermission }
func (untouchable) MkdirAll(string) error          { return fs.ErrPermission }

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
