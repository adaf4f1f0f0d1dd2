//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"io"
	"io/fs"
)

// noFollow is nothing where there is no such way to open a file.
const noFollow = 0

// nameCount is 1 where there is no such number.
func nameCount(fs.FileInfo) uint64 { return 1 }

type noLock struct{}

func (noLock) Close() error { return nil }

// flock does nothing: a lock that outlives a killed process would keep its run
// from being resumed.
func flock(string) (io.Closer, error) { return noLock{}, nil }
