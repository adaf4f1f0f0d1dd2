package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// A run that is to take the place of another is built in a folder .new-N of the run
// folder. When it is whole, that is renamed to .ready: from then on the exchange
// is bound to be made, if need be by whoever opens the folder next. What is on record of
// the earlier run is removed, and the record with it; then the files in .ready take their
// places, each by a rename, the record last.
const (
	buildPrefix = ".new-"
	readyName   = ".ready"
)

var privateName = regexp.MustCompile(`^(\.lock|\.ready|\.new-[1-9][0-9]*|\.r2sgld\.files)$`)

// isPrivate says whether a name at the top of a run folder is one of the store's own.
func isPrivate(name string) bool { return privateName.MatchString(name) }

// Beside reports whether what is written lies beside what the folder holds, for
// [Folder.Install].
func (f *Folder) Beside() bool { return f.dir != f.home }

// in is another folder of the run folder.
func (f *Folder) in(dir string) *Folder { return &Folder{dir: dir, home: f.home, files: f.files} }

// builds lists the numbers of the folders that are being built, ascending.
func builds(files Files, dir string) ([]int, error) {
	entries, err := files.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var out []int
	for _, e := range entries {
		text, ok := strings.CutPrefix(e.Name(), buildPrefix)
		if n, err := strconv.Atoi(text); ok && err == nil && e.IsDir() && isPrivate(e.Name()) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out, nil
}

// checkBuilds says which of the names of builds is borne by something else: what is
// built is resumed, and removed when its time is over.
func (f *Folder) checkBuilds() error {
	entries, err := f.files.ReadDir(f.home)
	if err != nil {
		return advice(err)
	}
	for _, e := range entries {
		switch {
		case !isPrivate(e.Name()) || !strings.HasPrefix(e.Name(), buildPrefix):
			continue
		case !e.IsDir():
			return fmt.Errorf("%s in it is a %s, which no run makes: remove it, or choose another folder", e.Name(), typeName(e))
		}
		held, err := f.in(filepath.Join(f.home, e.Name())).onRecord(true)
		if err != nil {
			return fmt.Errorf("%s in it: %w", e.Name(), err)
		}
		if len(held.foreign) > 0 {
			return fmt.Errorf("%s/%s in it is of no run of ours: move it, or choose another folder", e.Name(), held.foreign[0])
		}
	}
	return nil
}

func buildPath(dir string, n int) string { return filepath.Join(dir, buildPrefix+strconv.Itoa(n)) }

// beside begins to build beside what is in the folder. Of builds that were not
// finished the newest stays until this one is.
func (f *Folder) beside() error {
	numbers, err := builds(f.files, f.home)
	if err != nil {
		return advice(err)
	}
	next := 1
	if k := len(numbers); k > 0 {
		next = numbers[k-1] + 1
		if _, err := f.files.Stat(filepath.Join(buildPath(f.home, numbers[k-1]), f.kind.Manifest)); err == nil {
			numbers = numbers[:k-1]
		}
		for _, n := range numbers { // there is nothing to go on with
			if err := f.files.RemoveAll(buildPath(f.home, n)); err != nil {
				return advice(err)
			}
		}
	}
	f.dir = buildPath(f.home, next)
	return advice(f.makeDir(f.dir))
}

// Bound reports whether what was built is ready, so that its exchange is bound to be made.
func (f *Folder) Bound() bool { return f.dir == filepath.Join(f.home, readyName) }

// Newest is the folder in which a run folder holds its newest run: itself, or that
// of an unfinished run which is to take the place of the one in it.
func Newest(dir string) string {
	numbers, err := builds(Disk{}, dir)
	if err != nil || len(numbers) == 0 {
		return dir
	}
	return buildPath(dir, numbers[len(numbers)-1])
}

// Install puts what was built beside an earlier run in its place: the files of that
// run are removed, all others stay. It does nothing in a folder that was not built
// so. An exchange that is cut short is completed when the folder is next opened for
// writing.
func (f *Folder) Install() error {
	if !f.Beside() {
		return nil
	}
	err := f.exchange()
	if err == nil {
		return nil
	}
	then := fmt.Sprintf("The new one is whole: once that is mended, r2sgld resume %s", text.Word(f.home))
	switch {
	case f.Bound() || !f.Beside(): // whoever opens the folder next makes it
	case f.draft: // nobody goes on with it
		then = "What was there is as it was: once that is mended, begin again"
	case f.kind.Again:
		then = "The new one is whole, and what was there is as it was: once that is mended, give the command again"
	}
	return fmt.Errorf("exchange the run in %s: %w.\n%s", f.home, advice(err), then)
}

func (f *Folder) exchange() error {
	held, err := f.in(f.home).survey(f.kind, "")
	if err != nil {
		return err
	}
	if err := f.fits(held.foreign); err != nil {
		return err
	}
	if err := f.checkBuilds(); err != nil {
		return err
	}
	if err := f.passable(f.dir); err != nil {
		return err
	}
	ready := filepath.Join(f.home, readyName)
	if err := f.files.Rename(f.dir, ready); err != nil {
		return err
	}
	f.dir = ready
	err = f.files.SyncDir(f.home)
	if err == nil {
		err = f.complete()
	}
	if _, there := f.files.Stat(f.Path(recordName)); err == nil || errors.Is(there, fs.ErrNotExist) {
		f.dir = f.home // the record of what is written from now on
	}
	return err
}

// passable says why files cannot come from a folder to their places, or those on record
// leave theirs: a file goes that way into every folder that has either. So a folder that is
// not to be written, or is another file system, is found before anything is removed.
func (f *Folder) passable(from string) error {
	held, err := f.in(f.home).onRecord(false)
	if err != nil {
		return err
	}
	common, err := f.common(from, "")
	if err != nil {
		return err
	}
	dirs := slices.Concat([]string{"."}, held.folders, common)
	slices.Sort(dirs)
	const name = "way" + temporary
	source := filepath.Join(from, name)
	for _, dir := range slices.Compact(dirs) {
		target := f.in(f.home).Path(path.Join(dir, name))
		file, err := f.files.Create(source)
		if err == nil {
			err = file.Close()
		}
		if err == nil {
			err = f.files.Rename(source, target)
		}
		if err == nil {
			err = f.files.Remove(target)
		}
		if err != nil {
			_ = f.files.Remove(source)
			return fmt.Errorf("%s does not take the new run: %w", f.in(f.home).Path(dir), err)
		}
	}
	return nil
}

// common lists the folders within one that the run folder has too.
func (f *Folder) common(from, dir string) (names []string, err error) {
	entries, err := f.files.ReadDir(filepath.Join(from, filepath.FromSlash(dir)))
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		info, absent := f.files.Stat(f.in(f.home).Path(name))
		if !e.IsDir() || absent != nil || !info.IsDir() {
			continue
		}
		below, err := f.common(from, name)
		if err != nil {
			return nil, err
		}
		names = append(append(names, name), below...)
	}
	return names, err
}

// passing are the folders of files that a run itself removes: old checkpoints, and cases of studies
// that have ended.
var passing = []string{"checkpoints", "cases"}

// whole says why what is ready is not all of a run, as it was written. Where it has no
// record, that has come to its place already, and maybe some of the files.
func (f *Folder) whole() error {
	ready, home := f.in(filepath.Join(f.home, readyName)), f.in(f.home)
	if err := errors.Join(ready.readRecord(), home.readRecord()); err != nil {
		return err
	}
	places := []*Folder{ready}
	if !ready.record.found {
		ready.record, places = home.record, append(places, home)
	}
	held, err := ready.ours(true)
	if err != nil {
		return err
	}
	if len(held.foreign) > 0 {
		return fmt.Errorf("%s/%s in it is not what a run of ours wrote: move it, or choose another folder", readyName, held.foreign[0])
	}
	documents := 0
	for _, name := range slices.Sorted(maps.Keys(ready.record.marks)) {
		if slices.Contains(passing, path.Dir(name)) {
			continue
		}
		if !slices.ContainsFunc(places, func(p *Folder) bool { _, err := f.files.Stat(p.Path(name)); return err == nil }) {
			return fmt.Errorf("%s in it, which is to take its place, lacks %s: put that back, or move %[1]s", readyName, name)
		}
		if path.Dir(name) == "." && path.Ext(name) == ".json" {
			documents++
		}
	}
	if documents == 0 {
		return fmt.Errorf("%s in it holds no run of ours: move it, or choose another folder", readyName)
	}
	return nil
}

// fits says which of the foreign names is in the way of what was built. Of a folder that both
// have only the same names in it are.
func (f *Folder) fits(foreign []string) error {
	for _, name := range foreign {
		built, err := f.files.Stat(f.Path(name))
		if err != nil {
			continue
		}
		there, err := f.files.Stat(f.in(f.home).Path(name))
		if err != nil || !built.IsDir() || !there.IsDir() {
			return fmt.Errorf("%s in it is of no run of ours, and the new run has a file of that name: move it", name)
		}
		entries, err := f.files.ReadDir(f.in(f.home).Path(name))
		if err != nil {
			return err
		}
		var within []string
		for _, e := range entries {
			within = append(within, path.Join(name, e.Name()))
		}
		if err := f.fits(within); err != nil {
			return err
		}
	}
	return nil
}

// settle completes an exchange that was cut short, if what is to come is whole.
func (f *Folder) settle() error {
	ready := filepath.Join(f.home, readyName)
	if info, err := f.files.Stat(ready); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is no folder: remove it", ready)
	}
	for _, check := range []func() error{f.checkBuilds, f.whole, func() error { return f.passable(ready) }} { // before anything is moved
		if err := check(); err != nil {
			return err
		}
	}
	return f.complete()
}

// complete has what is ready take its place.
func (f *Folder) complete() error {
	ready := f.in(filepath.Join(f.home, readyName))
	if _, err := f.files.Stat(ready.Path(recordName)); err == nil { // else all has its place
		if err := f.in(f.home).removeRun(); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := f.merge(readyName, ""); err != nil {
		return err
	}
	numbers, err := builds(f.files, f.home)
	if err != nil {
		return err
	}
	for _, n := range numbers { // what was to come here before
		if err := f.files.RemoveAll(buildPath(f.home, n)); err != nil {
			return err
		}
	}
	return f.files.SyncDir(f.home)
}

// removeRun removes what is on record, and the record. A folder with other things in it
// stays.
func (f *Folder) removeRun() error {
	held, err := f.onRecord(false)
	if err != nil {
		return err
	}
	for _, name := range slices.Concat(held.own, held.half) {
		if err := f.files.Remove(f.Path(name)); err != nil {
			return err
		}
	}
	for _, name := range held.folders {
		_ = f.files.Remove(f.Path(name))
	}
	if !f.record.found {
		return nil
	}
	return f.files.Remove(f.Path(recordName))
}

// merge moves what is in one folder, named within home, to another, and removes it.
// The record goes first: as long as it is to come, what is on record in home is of the
// earlier run. The file run.json goes last: a folder without it is no run.
func (f *Folder) merge(from, to string) error {
	home := f.in(f.home)
	entries, err := f.files.ReadDir(home.Path(from))
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return turn(a) - turn(b) })
	for _, e := range entries {
		source, target := path.Join(from, e.Name()), path.Join(to, e.Name())
		info, err := f.files.Stat(home.Path(target))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = f.files.Rename(home.Path(source), home.Path(target))
		case err != nil:
		case e.IsDir() && info.IsDir():
			err = f.merge(source, target)
		default:
			err = fmt.Errorf("%s is in the way: move it", home.Path(target))
		}
		if err != nil {
			return err
		}
	}
	if err := f.files.SyncDir(home.Path(to)); err != nil {
		return err
	}
	return f.files.Remove(home.Path(from))
}

func turn(e fs.DirEntry) int {
	switch e.Name() {
	case recordName:
		return 0
	case "run.json":
		return 2
	}
	return 1
}

// Settle completes the exchange of a run folder, if there is one that was cut short, and
// reports whether there was.
func Settle(files Files, dir string) (bool, error) {
	f := &Folder{dir: dir, home: dir, files: files}
	if _, err := files.Stat(filepath.Join(dir, readyName)); err != nil {
		return false, nil
	}
	err := f.take()
	if err == nil {
		err = advice(f.settle())
	}
	if err = errors.Join(err, f.release()); err != nil {
		return false, fmt.Errorf("exchange the run in %s: %w", dir, err)
	}
	return true, nil
}

// halfway says what to do about an exchange that was cut short.
func halfway(dir string) error {
	if info, err := os.Lstat(filepath.Join(dir, readyName)); err != nil || !info.IsDir() {
		return nil
	}
	return fmt.Errorf("a new run was about to take the place of the one in %s: complete that with: r2sgld resume %s", dir, text.Word(dir))
}
