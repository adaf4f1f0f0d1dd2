package torch

import (
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/r2sgld/r2sgld/internal/child"
)

// A Peer is a worker program past its start, here or on another machine. Requests are
// written to it, and replies read from it.
type Peer interface {
	io.ReadWriter
	// Give is Write of a request that other programs on the same machine may be sent as
	// well: a set of examples.
	Give(request []byte) (int, error)
	// Finish tells the program that there are no more requests.
	Finish()
	// Kill ends the program at once, and reports false if it was stopped before. Any
	// goroutine may call it at any time.
	Kill() bool
	// Stop ends the program, after so long by force. Another call does nothing.
	Stop(wait time.Duration)
	// Fate says how the program ended, once it was stopped, where that is known.
	Fate() (f Fate, known bool)
}

// A Fate is how a program ended.
type Fate struct {
	State  string // as of [os.ProcessState]
	Killed bool   // by a signal that cannot be caught
	Stderr string // the last lines
}

// environment is for libraries that read it when they are loaded: one thread a
// replica, which is what makes results repeat, and nobody spins.
func environment() []string {
	return append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "GOMP_SPINCOUNT=0")
}

// Start starts the program of a path on this machine, with more variables in its environment.
func Start(path string, variables ...string) (*Local, error) {
	c := exec.Command(path)
	c.Env = append(environment(), variables...)
	p, err := child.Start(c)
	if err != nil {
		return nil, err
	}
	return &Local{p}, nil
}

// Local is a program on this machine.
type Local struct{ *child.Process }

var _ Peer = (*Local)(nil)

func (l *Local) Read(b []byte) (int, error)  { return l.Out.Read(b) }
func (l *Local) Write(b []byte) (int, error) { return l.In.Write(b) }
func (l *Local) Give(b []byte) (int, error)  { return l.In.Write(b) }

func (l *Local) Finish() {
	if !l.Stopped() {
		_ = l.In.Close()
	}
}

func (l *Local) Kill() bool {
	if l.Stopped() {
		return false
	}
	l.Process.Kill()
	return true
}

func (l *Local) Stop(wait time.Duration) { l.Process.Stop(wait) }

func (l *Local) Fate() (f Fate, known bool) {
	state := l.State()
	if state == nil {
		return f, false
	}
	return Fate{State: state.String(), Killed: child.Killed(state), Stderr: l.Last()}, true
}
