package store

import (
	"errors"
	"io"
	"io/fs"
	"sync"
)

// quick is a disk that does not sync.
type quick struct{ Disk }

type quickFile struct{ File }

func (quick) SyncDir(string) error { return nil }

func (quickFile) Sync() error { return nil }

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

// recorder notes which folders are synced.
type recorder struct {
	quick
	synced map[string]bool
}

func (r *recorder) SyncDir(name string) error {
	r.synced[name] = true
	return nil
}

// untouchable is a disk on which nothing may be made.
type untouchable struct{ Disk }

func (untouchable) Lock(string) (io.Closer, error) { return nil, fs.ErrPermission }

func (untouchable) MkdirAll(string) error { return fs.ErrPermission }
