// Package store answers where draws lie: the run folder with its settings and
// summary, draws as a Zarr store and as Stan CSV, the log and the checkpoints.
// It knows nothing of sampling.
//
// Files are written whole or not at all: under a temporary name in the same
// folder, synced, renamed, the folder synced. What grows is the log, and
// draws.zarr, which is whole once its .zgroup is there.
package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A Folder is the folder of one run.
type Folder struct {
	dir   string
	files Files

	mu      sync.Mutex
	log     *logFile // opened by the first Logger
	lock    io.Closer
	damaged []int // checkpoints that were found so
}

// Create makes the folder of a new run, and those above it. A folder that
// exists and is not empty is an error, unless force is set: then what an earlier
// run left is removed as [Folder.Clear] does, names being patterns of [path.Match]. Until it is closed no one else can
// write in it.
func Create(files Files, dir string, force bool, names ...string) (*Folder, error) {
	f, err := Take(files, dir, force)
	if err != nil {
		return nil, err
	}
	if err := f.Clear(names...); err != nil {
		_ = f.release()
		return nil, err
	}
	return f, nil
}

// Take is [Create] that removes nothing: [Folder.Clear] does, once there is
// something to put in its place.
func Take(files Files, dir string, force bool) (*Folder, error) {
	f := &Folder{dir: dir, files: files}
	if err := f.create(force); err != nil {
		_ = f.release()
		return nil, fmt.Errorf("create run folder %s: %w", dir, err)
	}
	return f, nil
}

func (f *Folder) create(force bool) error {
	info, err := f.files.Stat(f.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := f.makeDir(filepath.Clean(f.dir)); err != nil {
			return advice(err)
		}
	case err != nil:
		return advice(err)
	case !info.IsDir():
		return errors.New("it is a file: choose another folder")
	}
	if _, err := f.mayHold(force); err != nil { // without leaving a trace
		return err
	}
	if err := f.take(); err != nil {
		return err
	}
	_, err = f.mayHold(force)
	return err
}

// Clear removes what an earlier run left in the folder that this one might write
// or continue: first the files of the caller with these slash-separated names, in
// this order, then those of the store (draws.zarr, draws-N.csv, log.jsonl,
// checkpoints). Everything else stays as it is.
func (f *Folder) Clear(names ...string) error {
	entries, err := f.mayHold(true)
	if err == nil && len(entries) > 0 {
		err = f.clear(names, entries)
	}
	if err != nil {
		return fmt.Errorf("clear run folder %s: %w", f.dir, err)
	}
	return nil
}

// mayHold lists what is in the folder already, where that is allowed.
func (f *Folder) mayHold(force bool) ([]fs.DirEntry, error) {
	entries, err := f.files.ReadDir(f.dir)
	if err != nil {
		return nil, advice(err)
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == lockName })
	if len(entries) > 0 && !force {
		return nil, errors.New("it exists and is not empty: choose another folder, or pass --force to replace the run in it")
	}
	return entries, nil
}

// clear removes the files of an earlier run, by name.
func (f *Folder) clear(names []string, entries []fs.DirEntry) error {
	if err := f.sweepAll(); err != nil {
		return err
	}
	for _, pattern := range names {
		found, err := f.match(pattern)
		if err != nil {
			return advice(err)
		}
		for _, name := range found {
			if err := f.files.Remove(f.Path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return advice(err)
			}
		}
	}
	for _, e := range entries {
		if !isOurs(e) {
			continue
		}
		if err := f.files.RemoveAll(f.Path(e.Name())); err != nil {
			return advice(err)
		}
	}
	numbers, err := f.checkpoints()
	if err != nil {
		return err
	}
	for _, n := range numbers {
		if err := f.files.Remove(f.checkpointPath(n)); err != nil {
			return advice(err)
		}
	}
	return nil
}

// match lists the names in the folder that a pattern of [path.Match] is for, level by
// level; a name without * stands for itself.
func (f *Folder) match(pattern string) ([]string, error) {
	names := []string{""}
	for _, part := range strings.Split(pattern, "/") {
		var next []string
		for _, above := range names {
			if !strings.Contains(part, "*") {
				next = append(next, path.Join(above, part))
				continue
			}
			entries, err := f.files.ReadDir(f.Path(above))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			for _, e := range entries {
				if ok, err := path.Match(part, e.Name()); err != nil {
					return nil, err
				} else if ok {
					next = append(next, path.Join(above, e.Name()))
				}
			}
		}
		names = next
	}
	return names, nil
}

func (f *Folder) sweepAll() error {
	for _, d := range []string{f.dir, f.Path("figures"), f.Path("checkpoints")} {
		if err := sweep(f.files, d); err != nil {
			return err
		}
	}
	return nil
}

func isOurs(e fs.DirEntry) bool {
	switch e.Name() {
	case "log.jsonl":
		return !e.IsDir()
	case "draws.zarr":
		return e.IsDir()
	}
	return csvNumber(e) > 0
}

// Open opens the folder of a run for reading and changes nothing in it.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir, files: Disk{}}
	if err := f.mustExist(); err != nil {
		return nil, fmt.Errorf("open run folder %s: %w", dir, err)
	}
	return f, nil
}

// Continue opens the folder of a run to go on writing in it: what an
// interrupted run left half written is removed. Until it is closed no one else
// can write in it.
func Continue(files Files, dir string) (*Folder, error) {
	f := &Folder{dir: dir, files: files}
	err := f.mustExist()
	if err == nil {
		err = f.take()
	}
	if err == nil {
		err = f.sweepAll()
	}
	if err != nil {
		_ = f.release()
		return nil, fmt.Errorf("open run folder %s: %w", dir, err)
	}
	return f, nil
}

func (f *Folder) mustExist() error {
	info, err := f.files.Stat(f.dir)
	if err != nil {
		return advice(err)
	}
	if !info.IsDir() {
		return errors.New("it is a file, not a folder")
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
	return writeRenamed(f.files, path, write)
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
	for _, d := range holds {
		if err := f.files.SyncDir(d); err != nil {
			return err
		}
	}
	return nil
}

// ReadFile reads a file of the run folder.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	data, err := f.files.ReadFile(f.Path(name))
	return data, advice(err)
}

// Close closes the log, lets others write in the folder, and returns the first
// error in writing the log.
func (f *Folder) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	var err error
	if f.log != nil {
		err = f.log.close()
		f.log = nil
	}
	return errors.Join(err, f.release())
}

// Discard closes the folder and removes it if nothing was written to it.
func (f *Folder) Discard() error {
	err := f.Close()
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
	return nil
}

// Append opens a file of the run folder for writing at its end, whole lines at a time;
// what [Folder.WriteFile] wrote comes before. The caller closes it.
func (f *Folder) Append(name string) (File, error) {
	file, err := f.files.Append(f.Path(name))
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", f.Path(name), advice(err))
	}
	return file, nil
}
