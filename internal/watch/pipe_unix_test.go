//go:build unix

package watch

import "syscall"

// pipe makes a pipe with a name.
func pipe(name string) error { return syscall.Mkfifo(name, 0o644) }
