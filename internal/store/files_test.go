package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

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
