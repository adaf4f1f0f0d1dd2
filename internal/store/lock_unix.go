//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"syscall"
)

// noFollow makes opening a symbolic link an error.
const noFollow = syscall.O_NOFOLLOW

// nameCount is the number of names that a file has.
func nameCount(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// A fileLock is a locked file that holds the number of the process.
type fileLock struct{ file *os.File }

func flock(name string) (io.Closer, error) {
	for {
		f, err := openAt(name)
		if err != nil {
			return nil, err
		}
		if err := isLock(f); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK):
			return nil, errors.Join(ErrLocked, f.Close())
		case errors.Is(err, errors.ErrUnsupported), errors.Is(err, syscall.ENOLCK):
			return fileLock{f}, nil // a file system that has no such thing
		case err != nil:
			return nil, errors.Join(&os.PathError{Op: "lock", Path: name, Err: err}, f.Close())
		}
		if !current(f, name) { // its owner removed it while we waited
			_ = f.Close()
			continue
		}
		if err := f.Truncate(0); err == nil {
			_, _ = f.WriteString(strconv.Itoa(os.Getpid()) + "\n") // for others to know; the lock is what counts
		}
		return fileLock{f}, nil
	}
}

// lockText is what a lock holds: the number of a process, if anything.
var lockText = regexp.MustCompile(`^([1-9][0-9]{0,6}\n)?$`)

// isLock says why a file is none that a lock may be on.
func isLock(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := make([]byte, mostLock+1)
	n, err := f.ReadAt(text, 0)
	if info.Mode().IsRegular() && nameCount(info) > 1 {
		return fmt.Errorf("%s has another name, as in a copy of the folder by links: remove it if no run writes here, or choose another folder",
			f.Name())
	}
	if !info.Mode().IsRegular() || err != io.EOF || !lockText.Match(text[:n]) {
		return fmt.Errorf("%s is no lock of ours: remove it, or choose another folder", f.Name())
	}
	return nil
}

// current says whether the name still stands for the file.
func current(f *os.File, name string) bool {
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	there, err := os.Lstat(name)
	return err == nil && os.SameFile(ours, there)
}

// taken says whether the name stands for a lock of another.
func (l fileLock) taken() bool {
	there, err := os.Lstat(l.file.Name())
	ours, failed := l.file.Stat()
	return err == nil && (failed != nil || !os.SameFile(ours, there))
}

// Close removes the file, still locked, and so ends the lock.
func (l fileLock) Close() error {
	if current(l.file, l.file.Name()) {
		_ = os.Remove(l.file.Name())
	}
	return l.file.Close()
}
