package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// lockName is the file that says who writes in a run folder. The system forgets
// the lock on it with the process, however that ends.
const lockName = ".lock"

// mostLock is the size of a lock file: the number of a process.
const mostLock = 32

// ErrLocked says that somebody else has a lock.
var ErrLocked = errors.New("is locked")

// Lock takes a lock file: on Linux, macOS and the BSDs by flock. Elsewhere, and
// on file systems without such locks, it does nothing.
func (Disk) Lock(name string) (io.Closer, error) { return flock(name) }

// take makes sure that no one else writes in the folder.
func (f *Folder) take() error {
	lock, err := f.files.Lock(filepath.Join(f.home, lockName))
	if err == nil {
		f.lock = lock
		info, err := f.files.Stat(f.home)
		f.files = &place{Files: f.files, home: f.home, folder: info, lock: lock}
		return advice(err)
	}
	if !errors.Is(err, ErrLocked) {
		return advice(err)
	}
	who := "another r2sgld"
	if pid, _ := holder(f.files, f.home); pid == os.Getpid() {
		who = "this very process"
	} else if pid > 0 {
		who = fmt.Sprintf("%s (process %d)", who, pid)
	}
	return fmt.Errorf("%s is being written by %s: wait for it, stop it, or choose another folder", f.home, who)
}

// holder is the process that the lock in a folder tells of, 0 where it tells of none. Its error
// is that of a lock that is not there.
func holder(files Files, dir string) (int, error) {
	data, err := readBounded(files, filepath.Join(dir, lockName), mostLock)
	if err != nil {
		return 0, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(data)))
	if err != nil {
		return 0, nil
	}
	return pid, nil
}

// Writing reports whether somebody writes in a run folder, as far as can be told without
// touching its lock: there is one, and the process that it names lives.
func Writing(dir string) bool {
	pid, err := holder(Disk{}, dir)
	if err != nil || pid <= 0 {
		return err == nil
	}
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	return !errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// busy says who writes in the folder, if anybody does, and leaves no lock where there is none.
func (f *Folder) busy() error {
	name := filepath.Join(f.home, lockName)
	if _, err := f.files.Stat(name); err != nil {
		return nil
	}
	lock, err := f.files.Lock(name)
	switch {
	case errors.Is(err, ErrLocked):
		return f.take()
	case err == nil:
		_ = lock.Close()
	}
	return nil
}

// release lets others write in the folder.
func (f *Folder) release() error {
	if f.lock == nil {
		return nil
	}
	err := f.lock.Close()
	f.lock = nil
	return err
}
