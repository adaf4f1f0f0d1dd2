package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"syscall"
)

// Files is what a [Folder] asks of a file system. [Disk] is the real one; a
// test may put one in its place that fails at the n-th operation.
type Files interface {
	// What is written is never written through a symbolic link.
	Create(name string) (File, error)     // truncates
	Append(name string) (File, error)     // creates if absent
	OpenAt(name string) (FileAt, error)   // creates if absent
	ReadFile(name string) ([]byte, error) // whole
	ReadDir(name string) ([]fs.DirEntry, error)
	Stat(name string) (fs.FileInfo, error) // of a symbolic link, the link itself
	MkdirAll(name string) error
	Rename(from, to string) error
	Remove(name string) error
	RemoveAll(name string) error
	SyncDir(name string) error // makes renames and removals in it durable
	// Lock takes the lock file name for this process until the lock is closed or
	// the process ends. Where there are no such locks it does nothing.
	Lock(name string) (io.Closer, error)
}

// A File is a file open for writing.
type File interface {
	io.WriteCloser
	Sync() error
}

// A FileAt is a file open for reading and writing in place.
type FileAt interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	io.Closer
}

// Disk is the file system of the machine.
type Disk struct{}

var _ Files = Disk{}

// Create opens a file for writing, empty.
func (Disk) Create(name string) (File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC|noFollow, 0o666)
}

// Append opens a file for writing at its end.
func (Disk) Append(name string) (File, error) {
	return os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY|noFollow, 0o666)
}

// OpenAt opens a file for reading and writing in place.
func (Disk) OpenAt(name string) (FileAt, error) { return openAt(name) }

func openAt(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|os.O_CREATE|noFollow, 0o666)
}

// ReadFile reads a file whole.
func (Disk) ReadFile(name string) ([]byte, error) { return os.ReadFile(name) }

// ReadDir lists a folder, sorted by name.
func (Disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

// Stat describes a file, a folder or a symbolic link.
func (Disk) Stat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

// MkdirAll makes a folder and those above it.
func (Disk) MkdirAll(name string) error { return os.MkdirAll(name, 0o777) }

// Rename moves a file, replacing one that bears the new name.
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove deletes a file or an empty folder.
func (Disk) Remove(name string) error { return os.Remove(name) }

// RemoveAll deletes a file or a folder with all that is in it.
func (Disk) RemoveAll(name string) error { return os.RemoveAll(name) }

// SyncDir flushes a folder to the disk.
func (Disk) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		err = nil // a file system that has no such thing
	}
	return errors.Join(err, d.Close())
}

// temporary ends the names under which things are written before they are whole.
const temporary = ".r2sgld.tmp"

// advice ends an error of the file system with what to do about it.
func advice(err error) error {
	hint := ""
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "free some space or choose another folder"
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		hint = "check the permissions or choose another folder"
	default:
		return err
	}
	return fmt.Errorf("%w: %s", err, hint)
}

// What is read at once has an end, and room in memory.
const (
	mostDocument   = 1 << 28 // bytes of JSON
	mostCheckpoint = 1 << 36
)

// readBounded reads a file whole: neither a device nor a pipe, which may have no end,
// nor one of more than so many bytes.
func readBounded(files Files, name string, most int64) ([]byte, error) {
	info, err := files.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file", name)
	case info.Size() > most:
		return nil, fmt.Errorf("%s has %d bytes, where %d are the most that make sense", name, info.Size(), most)
	}
	return files.ReadFile(name)
}

func writeAll(w io.Writer, data []byte) error {
	n, err := w.Write(data)
	if err == nil && n < len(data) {
		err = io.ErrShortWrite
	}
	return err
}

// writeRenamed writes a file that is there whole or not at all: under a temporary name,
// synced, put on record, renamed, the folder synced.
func writeRenamed(files Files, name string, write func(io.Writer) error, enter func(*tally) error) error {
	tmp := name + temporary
	t := new(tally)
	err := writeFile(files, tmp, t.through(write), true)
	if err == nil {
		err = enter(t)
	}
	if err == nil {
		err = files.Rename(tmp, name)
	}
	if err != nil {
		_ = files.Remove(tmp) // what is left is swept when the folder is next opened for writing
		return fmt.Errorf("write %s: %w", name, advice(err))
	}
	if err := files.SyncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("write %s: %w", name, advice(err))
	}
	return nil
}

// apart gives a file that is to be written in place bytes of its own, where it has other
// names: what bears those stays as it is.
func apart(files Files, name string) error {
	info, err := files.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil || !info.Mode().IsRegular() || nameCount(info) < 2 {
		return err
	}
	from, err := files.OpenAt(name)
	if err != nil {
		return err
	}
	err = writeRenamed(files, name, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(from, 0, info.Size()))
		return err
	}, func(*tally) error { return nil })
	return errors.Join(err, from.Close())
}

func writeFile(files Files, name string, write func(io.Writer) error, sync bool) error {
	f, err := files.Create(name)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil && sync {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// An entry is a file below some folder: a slash-separated path and its content,
// or size and content of a file of numbers, whose end is filled with zeros.
type entry struct {
	path string
	data []byte
	size int
	fill func([]byte) []byte
}

func (e *entry) write(w io.Writer) error {
	if e.fill == nil {
		return writeAll(w, e.data)
	}
	return writeAll(w, e.fill(make([]byte, 0, e.size))[:e.size])
}

// writeTree writes entries below a folder and makes them and the folders they lie in
// durable.
func (f *Folder) writeTree(root string, entries []entry) error {
	dirs, names := []string{f.Path(root)}, make([]string, 0, len(entries))
	marks := make([]mark, 0, len(entries))
	made := map[string]bool{f.Path(root): true}
	if err := f.files.MkdirAll(f.Path(root)); err != nil {
		return err
	}
	for _, e := range entries {
		name := path.Join(root, e.path)
		if err := f.free(name); err != nil {
			return err
		}
		dir := filepath.Dir(f.Path(name))
		if !made[dir] {
			if err := f.files.MkdirAll(dir); err != nil {
				return err
			}
			for d := dir; !made[d]; d = filepath.Dir(d) {
				made[d] = true
				dirs = append(dirs, d)
			}
		}
		t := new(tally)
		names = append(names, f.Path(name)+temporary)
		if err := writeFile(f.files, names[len(names)-1], t.through(e.write), false); err != nil {
			return err
		}
		marks = append(marks, mark{Name: name, Bytes: t.bytes, CRC32C: t.sum})
	}
	err := syncAll(f.files, names, nil)
	if err == nil {
		err = f.enter(marks...)
	}
	for i, m := range marks {
		if err == nil {
			err = f.files.Rename(names[i], f.Path(m.Name))
		}
		if err == nil {
			f.record.keep(m.Name, true)
		}
	}
	return errors.Join(err, syncAll(f.files, nil, dirs))
}
