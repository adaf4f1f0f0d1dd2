package store

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// foreignNames are what a user may call files in a run folder, names of ours among them.
var foreignNames = []string{"notes", "simulation/simulation.json", "figures/mine.png", "figures/trace.svg",
	"figures/pairs.svg", "figures/trace.svg/a",
	"figures", "checkpoints", "checkpoints/000001", "checkpoints/000003", "checkpoints/000099", "checkpoints/000099/a", "checkpoints/README",
	"checkpoints/1",
	"draws-1.csv", "draws-9.csv", "log.jsonl", "run.json", "summary.json", "models/repeat-1/a", "draws.zarr", "draws.zarr/a",
	"draws.zarr/.zgroup",
	"draws.zarr/posterior/x/0.7", "draws.zarr/posterior/x/notes", "draws.zarr/posterior/mine/.zarray", "draws.zarr/posterior/mine/0.0",
	"draws.zarr/mine/.zgroup", ".new-1", ".new-1/thesis", ".new-2/run.json", ".new-1/figures/trace.svg", ".new-01/a", ".newest/a"}

// A thrower throws files of a user into a folder.
type thrower struct {
	*rand.Rand
	dir    string
	theirs map[string]string // what they are, by name
}

// throw throws some. Folders are not replaced, nor chunks, which the run may change in place.
func (th *thrower) throw(t *testing.T) {
	for range 1 + th.IntN(3) {
		name := foreignNames[th.IntN(len(foreignNames))]
		file := filepath.Join(th.dir, filepath.FromSlash(name))
		if info, err := os.Lstat(file); err == nil && info.IsDir() {
			continue
		}
		if os.MkdirAll(filepath.Dir(file), 0o777) != nil { // a file is there
			continue
		}
		if err := os.WriteFile(file, fmt.Appendf(nil, "of the user %d", th.Uint64()), 0o666); err != nil {
			t.Fatal(err)
		}
		th.theirs["/"+name] = held(t, th.dir)["/"+name]
	}
}

// lost are those that are no longer as they were.
func (th *thrower) lost(t *testing.T) (out []string) {
	now := held(t, th.dir)
	for name, text := range th.theirs {
		if now[name] != text {
			out = append(out, name)
		}
	}
	return out
}

// A file of the user's that is called as the record is refused and stays; one that a run
// had hardly begun is no hindrance.
func TestRecordOfTheUser(t *testing.T) {
	for text, refused := range map[string]bool{"mine": true, "{\"a\": 1}\n": true, "\n": true, "": false, "{\"na": false, "{\"na\n{\"name\":\"a\"": false} {
		for _, force := range []bool{false, true} {
			dir := t.TempDir()
			name := filepath.Join(dir, recordName)
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			f, err := Create(quick{}, dir, anyRun, force)
			if refused != (err != nil) || err != nil && !strings.Contains(err.Error(), recordName+" in it is not of a run, but yours") {
				t.Errorf("%q, force %v: %v", text, force, err)
			}
			if err == nil {
				_ = f.release()
			} else if now, err := os.ReadFile(name); err != nil || string(now) != text {
				t.Errorf("%q is now %q, %v", text, now, err)
			}
		}
	}
}

// Whatever files a user puts into the folder of a run, finished or cut short anywhere or
// not of a run at all: a run that takes its place, one that goes on in it, and one that
// fails leave them as they are, byte for byte, or are refused before they write.
//
// Mutants it kills: names that make a file the run's, a record that is not asked, or asked
// for names alone, an exchange that finds out at its end, a build removed unseen, a sweep
// of whatever is left.
func TestForeignFilesSurvive(t *testing.T) {
	pace.Slow(t)
	root := scratch(t)
	seen := map[string]int{}
	for i := range pace.Soak(400, 5000) {
		rng := rand.New(rand.NewPCG(83, uint64(i)))
		th := &thrower{rng, filepath.Join(root, fmt.Sprint(i)), map[string]string{}}
		var story []string
		tell := func(what string) { story = append(story, what); seen[what]++ }
		if err := os.Mkdir(th.dir, 0o777); err != nil {
			t.Fatal(err)
		}
		if rng.IntN(5) > 0 {
			cut := []int{1 << 30, 1 + rng.IntN(200)}[rng.IntN(2)]
			if err := attempt(&faulty{n: cut, dead: true, err: syscall.EIO}, th.dir, false); err != nil {
				tell("unfinished")
			} else {
				tell("finished")
			}
		}
		for range 1 + rng.IntN(3) {
			th.throw(t)
			before := held(t, th.dir)
			files := &faulty{n: []int{1 << 30, 1 + rng.IntN(400)}[rng.IntN(2)], dead: true, err: syscall.EIO}
			force := rng.IntN(2) == 0
			begun, err := overwrite(files, th.dir, force)
			switch kind := map[bool]string{true: "force", false: "resume"}[force]; {
			case err == nil:
				tell(kind)
			case errors.Is(err, syscall.EIO):
				tell(kind + " cut short")
			case !begun:
				tell(kind + " refused")
				if after := held(t, th.dir); !maps.Equal(before, after) {
					t.Fatalf("%d, %v: refused (%v), but changed: %v", i, story, err, changed(before, after))
				}
			default:
				t.Fatalf("%d, %v: refused once it had begun: %v", i, story, err)
			}
			if lost := th.lost(t); lost != nil {
				t.Fatalf("%d, %v: lost %v", i, story, lost)
			}
		}
		_ = os.RemoveAll(th.dir)
	}
	t.Log(seen)
	for _, what := range []string{"force", "force refused", "force cut short", "resume", "resume refused", "resume cut short",
		"finished", "unfinished"} {
		if seen[what] < 10 {
			t.Errorf("%s: seen %d times", what, seen[what])
		}
	}
}

// overwrite makes a run in a folder, in the place of the one there or on from it, and
// reports whether it began.
func overwrite(files Files, dir string, force bool) (begun bool, err error) {
	var f *Folder
	if force {
		f, err = Create(files, dir, anyRun, true)
	} else {
		f, err = Continue(files, dir, anyRun)
	}
	if err != nil {
		return false, err
	}
	defer f.release()
	if err = writeEverything(f, "new"); err == nil {
		err = f.Install()
	}
	return true, err
}

func changed(a, b map[string]string) (out []string) {
	for name := range a {
		if a[name] != b[name] {
			out = append(out, name)
		}
	}
	for name := range b {
		if _, ok := a[name]; !ok {
			out = append(out, strings.TrimPrefix(name, "/"))
		}
	}
	slices.Sort(out)
	return out
}

// A run that is being built beside another goes on only if what it is to replace is as it was:
// a file of a user's there is found before anything is written, not when all is done.
func TestHomeOfABuild(t *testing.T) {
	dir := filepath.Join(scratch(t), "run")
	if err := attempt(quick{}, dir, false); err != nil {
		t.Fatal(err)
	}
	f, err := Create(quick{}, dir, anyRun, true)
	if err == nil {
		err = errors.Join(f.WriteJSON("run.json", report{1, "new"}), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "figures", "trace.svg"), []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	before := held(t, dir)
	if f, err := Continue(quick{}, dir, anyRun); err == nil {
		t.Error("a build goes on beside a file that it would need the name of")
		_ = f.Close()
	}
	if after := held(t, dir); !maps.Equal(before, after) {
		t.Errorf("changed: %v", changed(before, after))
	}
}
