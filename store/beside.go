package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/plain"
)

// A run that is to take the place of another is built in a folder .new-N of the run
// folder. When it is whole, that is renamed to .ready: from then on the exchange
// is bound to be made, if need be by whoever opens the folder next. The files
// that replacedName lists are removed, then those in .ready take their places, each by
// a rename.
const (
	buildPrefix  = ".new-"
	readyName    = ".ready"
	replacedName = ".replaced"
)

var privateName = regexp.MustCompile(`^(\.lock|\.ready|\.new-[1-9][0-9]*)$`)

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
		held, err := f.in(filepath.Join(f.home, e.Name())).survey(f.kind)
		if err != nil {
			return fmt.Errorf("%s in it: %w", e.Name(), err)
		}
		for _, name := range held.foreign {
			if name != replacedName {
				return fmt.Errorf("%s/%s in it is of no run of ours: move it, or choose another folder", e.Name(), name)
			}
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
	if err := f.exchange(); err != nil {
		return fmt.Errorf("exchange the run in %s: %w.\nThe new one is whole: once that is mended, r2sgld resume %s", f.home, advice(err), plain.Word(f.home))
	}
	return nil
}

func (f *Folder) exchange() error {
	home := f.in(f.home)
	held, err := home.survey(f.kind)
	if err == nil {
		err = held.replaceable(f.kind)
	}
	if err != nil {
		return err
	}
	if err := f.fits(held.foreign); err != nil {
		return err
	}
	if err := f.WriteJSON(replacedName, append(held.own, held.folders...)); err != nil {
		return err
	}
	ready := filepath.Join(f.home, readyName)
	if err := f.files.Rename(f.dir, ready); err != nil {
		return err
	}
	f.dir = f.home
	if err := f.files.SyncDir(f.home); err != nil {
		return err
	}
	return f.settle()
}

// fits says which of the foreign names is in the way of what was built.
func (f *Folder) fits(foreign []string) error {
	for _, name := range foreign {
		if _, err := f.files.Stat(f.Path(name)); err == nil {
			return fmt.Errorf("%s in it is of no run of ours, and the new run has a file of that name: move it", name)
		}
	}
	return nil
}

// settle completes an exchange.
func (f *Folder) settle() error {
	ready := f.in(filepath.Join(f.home, readyName))
	if info, err := f.files.Stat(ready.dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is no folder: remove it", ready.dir)
	}
	if err := f.removeReplaced(ready); err != nil {
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

// removeReplaced removes the files of the earlier run, and the list of them.
func (f *Folder) removeReplaced(ready *Folder) error {
	data, err := readBounded(f.files, ready.Path(replacedName), mostDocument)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // done
	}
	var names []string
	if err == nil {
		err = json.Unmarshal(data, &names)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", ready.Path(replacedName), err)
	}
	home := f.in(f.home)
	for _, name := range names {
		info, err := home.within(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if err := f.files.Remove(home.Path(name)); err != nil && !info.IsDir() { // a folder with other things in it stays
			return err
		}
	}
	return f.files.Remove(ready.Path(replacedName))
}

// within describes a thing of the folder, which must be a file or a folder that no
// symbolic link leads to.
func (f *Folder) within(name string) (info fs.FileInfo, err error) {
	if !fs.ValidPath(name) || name == "." {
		return nil, fmt.Errorf("%q is no name within %s", name, f.dir)
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		at := path.Join(parts[:i+1]...)
		if info, err = f.files.Stat(f.Path(at)); err != nil {
			return nil, err
		}
		if !info.IsDir() && (i+1 < len(parts) || !info.Mode().IsRegular()) {
			return nil, fmt.Errorf("%s is neither a file nor a folder: remove it", f.Path(at))
		}
	}
	return info, nil
}

// merge moves what is in one folder, named within home, to another, and removes it.
// The file run.json goes last: a folder without it is no run.
func (f *Folder) merge(from, to string) error {
	home := f.in(f.home)
	entries, err := f.files.ReadDir(home.Path(from))
	if err != nil {
		return err
	}
	slices.SortStableFunc(entries, func(a, b fs.DirEntry) int { return last(a) - last(b) })
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

func last(e fs.DirEntry) int {
	if e.Name() == "run.json" {
		return 1
	}
	return 0
}

// Settle completes the exchange of a run folder, if there is one that was cut short.
func Settle(files Files, dir string) error {
	f := &Folder{dir: dir, home: dir, files: files}
	if _, err := files.Stat(filepath.Join(dir, readyName)); err != nil {
		return nil
	}
	err := f.take()
	if err == nil {
		err = advice(f.settle())
	}
	if err = errors.Join(err, f.release()); err != nil {
		return fmt.Errorf("exchange the run in %s: %w", dir, err)
	}
	return nil
}

// halfway says what to do about an exchange that was cut short.
func halfway(dir string) error {
	if info, err := os.Lstat(filepath.Join(dir, readyName)); err != nil || !info.IsDir() {
		return nil
	}
	return fmt.Errorf("a new run was about to take the place of the one in %s: complete that with: r2sgld resume %s", dir, plain.Word(dir))
}
