// Package store answers where draws lie: the run folder with its settings and
// summary, draws as a Zarr store and as Stan CSV, the log and the checkpoints.
// It knows nothing of sampling.
//
// Files are written whole or not at all: under a temporary name in the same
// folder, synced, renamed, the folder synced. What grows is the log, and
// draws.zarr, which is whole once its .zgroup is there.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Folder is the folder of one run.
type Folder struct {
	dir   string // where its files are
	home  string // where they will be; dir unless they are built beside an earlier run
	files Files
	kind  Kind
	draft bool // written at once: nobody goes on with half of it

	changed []string // files that were removed, since they were not as the run wrote them

	before int // checkpoints from this on are left out; 0 is none

	record *record
	mu     sync.Mutex
	log    *logFile // opened by the first Logger
	lock   io.Closer
	made   []string // the folders above it that were made for it
}

// Create makes the folder of a new run, and those above it. A folder that is not
// empty is an error, unless force is set: then the new run is built beside what is
// there, and [Folder.Install] puts it in the place of an earlier run of the same kind.
// A folder with something by a name that the run needs, which is not what a run of ours
// wrote, is an error in any case. Until it is closed no one else can write in it.
func Create(files Files, dir string, kind Kind, force bool) (*Folder, error) {
	return begin(files, dir, kind, force, false)
}

// Draft is [Create] for what is written at once: even in an empty folder it lies
// beside until it is installed.
func Draft(files Files, dir string, kind Kind, force bool) (*Folder, error) {
	return begin(files, dir, kind, force, true)
}

func begin(files Files, dir string, kind Kind, force, beside bool) (*Folder, error) {
	if kind.Files == nil {
		return nil, fmt.Errorf("create run folder %s: its kind names no files: set Kind.Files", dir)
	}
	f := &Folder{dir: dir, home: dir, files: files, kind: kind, draft: beside}
	if err := f.create(force, beside); err != nil {
		_ = f.release()
		return nil, fmt.Errorf("create run folder %s: %w", dir, err)
	}
	return f, nil
}

func (f *Folder) create(force, beside bool) error {
	err := f.mustBeFolder()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := f.makeDir(filepath.Clean(f.dir)); err != nil {
			return advice(err)
		}
	case err != nil:
		return err
	}
	if _, err := f.mayHold(force); err != nil { // without leaving a trace
		return cmp.Or(f.busy(), err)
	}
	if err := f.take(); err != nil {
		return err
	}
	if err := f.settle(); err != nil {
		return advice(err)
	}
	held, err := f.mayHold(force)
	if err == nil && (beside || len(held.own)+len(held.half)+len(held.foreign) > 0) {
		err = f.beside()
	}
	if err != nil {
		return err
	}
	return f.readRecord()
}

// mayHold lists what is in the folder already, where that is allowed.
func (f *Folder) mayHold(force bool) (*contents, error) {
	if halfway(f.dir) != nil && force {
		return nil, nil // once it is ours
	}
	entries, err := f.files.ReadDir(f.dir)
	if err != nil {
		return nil, advice(err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return isPrivate(e.Name()) })
	whole := func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), temporary) } // not what a kill cut short
	if slices.ContainsFunc(entries, whole) && !force {
		return nil, errors.New("it exists and is not empty: choose another folder (--out), or pass --force to replace what a run wrote in it")
	}
	if err := f.checkBuilds(); err != nil {
		return nil, err
	}
	return f.survey(f.kind, "")
}

// Open opens the folder of a run for reading and changes nothing in it.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir, home: dir, files: Disk{}}
	info, err := os.Stat(dir) // through a link: nothing is written
	switch {
	case err != nil:
		err = advice(err)
	case !info.IsDir():
		err = errors.New("it is a file, not a folder")
	default:
		if err = halfway(dir); err == nil {
			err = f.readRecord()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open run folder %s: %w", dir, err)
	}
	return f, nil
}

// Continue opens the folder of a run to go on writing in it: in [Newest], where a
// run that is to take the place of another goes on. What an interrupted run left half
// written is removed. Until it is closed no one else can write in it.
func Continue(files Files, dir string, kind Kind) (*Folder, error) {
	if kind.Files == nil {
		return nil, fmt.Errorf("open run folder %s: its kind names no files: set Kind.Files", dir)
	}
	f := &Folder{dir: dir, home: dir, files: files, kind: kind}
	err := f.mustBeFolder()
	if name := filepath.Base(dir); err == nil && isPrivate(name) {
		err = fmt.Errorf("%s is part of %s: name that", name, filepath.Dir(dir))
	}
	if err == nil {
		err = f.take()
	}
	if err == nil {
		err = f.resume()
	}
	if err != nil {
		_ = f.release()
		return nil, fmt.Errorf("open run folder %s: %w", dir, err)
	}
	return f, nil
}

func (f *Folder) resume() error {
	if err := f.settle(); err != nil {
		return advice(err)
	}
	if err := f.checkBuilds(); err != nil {
		return err
	}
	numbers, err := builds(f.files, f.home)
	if err != nil {
		return advice(err)
	}
	if k := len(numbers); k > 0 {
		f.dir = buildPath(f.home, numbers[k-1])
	}
	if err := f.scrap(); err != nil {
		return advice(err)
	}
	held, err := f.survey(f.kind, "checkpoints/") // their numbers go on from any that is there
	if err != nil {
		return err
	}
	if f.Beside() {
		k := f.kind
		k.Needs = held.needs
		if _, err := f.in(f.home).survey(k, ""); err != nil {
			return err
		}
	}
	for _, name := range held.half {
		if err := f.files.Remove(f.Path(name)); err != nil {
			return advice(err)
		}
	}
	return nil
}

// scrap removes what was changed of the files that a run makes anew.
func (f *Folder) scrap() error {
	if f.kind.Anew == nil {
		return nil
	}
	if err := f.readRecord(); err != nil {
		return err
	}
	anew := anyOf(f.kind.Anew)
	for _, name := range slices.Sorted(maps.Keys(f.record.marks)) {
		info, err := f.files.Stat(f.Path(name))
		if errors.Is(err, fs.ErrNotExist) || err == nil && !info.Mode().IsRegular() || !anew.MatchString(name) {
			continue
		}
		own := false
		if err == nil {
			own, err = f.owns(name)
		}
		if err == nil && !own {
			f.changed, err = append(f.changed, name), f.files.Remove(f.Path(name))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Changed are the files that [Continue] has removed, since they were not as the run wrote them.
func (f *Folder) Changed() []string { return f.changed }

// mustBeFolder says why the folder is none that a run writes in.
func (f *Folder) mustBeFolder() error {
	if at, err := filepath.Abs(f.dir); err == nil && at == filepath.Dir(at) {
		return errors.New("it is the root of the file system: name a folder in it")
	}
	info, err := f.files.Stat(filepath.Clean(f.dir))
	switch {
	case err != nil:
		return advice(err)
	case info.Mode()&fs.ModeSymlink != 0:
		return errors.New("it is a symbolic link: name the folder that it leads to")
	case !info.IsDir():
		return errors.New("it is a file: choose another folder")
	}
	return nil
}

// Path is where a thing of this name lies; name is slash-separated.
func (f *Folder) Path(name string) string { return filepath.Join(f.dir, filepath.FromSlash(name)) }

// WriteFile writes a file, whole or not at all, and makes the folder it lies
// in. Name is slash-separated and may not leave the run folder.
func (f *Folder) WriteFile(name string, data []byte) error {
	return f.writeFile(name, func(w io.Writer) error { return writeAll(w, data) })
}

func (f *Folder) writeFile(name string, write func(io.Writer) error) error {
	if !fs.ValidPath(name) || name == "." {
		return fmt.Errorf("write %q: not a name within the run folder", name)
	}
	path := f.Path(name)
	if err := f.makeDir(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write %s: %w", path, advice(err))
	}
	if err := f.free(name); err != nil {
		return fmt.Errorf("write %s: %w", path, advice(err))
	}
	err := writeRenamed(f.files, path, write, func(t *tally) error {
		return f.enter(mark{Name: name, Bytes: t.bytes, CRC32C: t.sum})
	})
	if err == nil {
		f.record.keep(name, true)
	}
	return err
}

// makeDir makes a folder, and those above it, if it is not there, and syncs
// every folder that has a new one in it.
func (f *Folder) makeDir(dir string) error {
	var holds []string // the parents of the folders that are missing
	for d := dir; ; d = filepath.Dir(d) {
		_, err := f.files.Stat(d)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d) {
			return err
		}
		holds = append(holds, filepath.Dir(d))
	}
	if len(holds) == 0 {
		return nil
	}
	if err := f.files.MkdirAll(dir); err != nil {
		return err
	}
	if dir == filepath.Clean(f.home) {
		f.made = holds[:len(holds)-1] // above it, the lowest first
	}
	for _, d := range holds {
		if err := f.files.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a file of the run folder. One that is not as the run wrote it is an error.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	data, err := readBounded(f.files, f.Path(name), mostDocument)
	if err != nil {
		return nil, advice(err)
	}
	return data, f.record.intact(f.Path(name), name, int64(len(data)), 0, sumOf(data))
}

// Remove removes those files of the run of a folder in it that are as they were written and that are
// meant, and the folder if nothing is left in it.
func (f *Folder) Remove(dir string, meant func(name string) bool) error {
	for name := range f.record.owned() {
		if path.Dir(name) != dir || !meant(name) {
			continue
		}
		if err := f.files.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove %s: %w", name, advice(err))
		}
		f.record.keep(name, false)
	}
	if entries, err := f.files.ReadDir(f.Path(dir)); err == nil && len(entries) == 0 {
		_ = f.files.Remove(f.Path(dir)) // an empty folder does no harm
	}
	return nil
}

// Close closes the log, lets others write in the folder, and returns the first
// error in writing the log.
func (f *Folder) Close() error {
	return errors.Join(f.closeLog(), f.release())
}

func (f *Folder) closeLog() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.log == nil {
		return nil
	}
	err := f.log.close()
	f.log = nil
	return err
}

// Discard closes the folder, removes what was built beside an earlier run, and the
// folder itself if nothing is left in it. One that is no longer the run's is left alone.
func (f *Folder) Discard() error {
	p, held := f.files.(*place)
	if held && errors.Is(p.ours(), ErrMoved) {
		return f.Close()
	}
	err := f.closeLog() // before the record of its folder is gone
	if f.Beside() && !f.Bound() {
		err = errors.Join(err, f.files.RemoveAll(f.dir))
		f.dir = f.home
	}
	err = errors.Join(err, f.release())
	if held {
		if p.ours() != nil {
			return err
		}
		f.files = p.Files
	}
	entries, reading := f.files.ReadDir(f.dir)
	if err != nil || reading != nil || len(entries) > 1 || len(entries) == 1 && entries[0].Name() != lockName {
		return err
	}
	if len(entries) == 1 {
		err = f.files.Remove(f.Path(lockName))
	}
	if err == nil {
		err = f.files.Remove(f.dir)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w", f.dir, advice(err))
	}
	for _, d := range f.made { // unless something else is in them by now
		if f.files.Remove(d) != nil {
			break
		}
	}
	return nil
}

// Resumable reports whether there is a whole state to go on from: a checkpoint, or a
// file of this name.
func (f *Folder) Resumable(name string) bool {
	numbers, err := f.checkpoints()
	_, missing := f.files.Stat(f.Path(name))
	return err != nil || len(numbers) > 0 || missing == nil
}
