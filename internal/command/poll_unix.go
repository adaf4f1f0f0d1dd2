//go:build unix

package command

import (
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A poll asks whether a pipe can be read at once.
type poll struct {
	conn syscall.RawConn
	ask  func(fd uintptr)
	fds  [1]unix.PollFd
}

func newPoll(f *os.File) *poll {
	p := new(poll)
	p.ask = func(fd uintptr) {
		p.fds[0] = unix.PollFd{Fd: int32(fd), Events: unix.POLLIN}
		_, _ = unix.Poll(p.fds[:], 0)
	}
	p.conn, _ = f.SyscallConn() // which an open file has
	return p
}

func (p *poll) ready() bool { return p.conn.Control(p.ask) == nil && p.fds[0].Revents&unix.POLLIN != 0 }

// watch returns when the pipe can be read at once, or when it is time.
func (p *poll) watch(until time.Time) {
	for !p.ready() && time.Now().Before(until) {
		runtime.Gosched()
	}
}
