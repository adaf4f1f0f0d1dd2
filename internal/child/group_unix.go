//go:build unix

package child

import (
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// A group is the process group of a program. It has the number of its guard, which is
// nobody else's before we have waited for it.
type group struct {
	guard *exec.Cmd
	pipe  *os.File // at its end the guard kills the group
	mu    sync.Mutex
	ended bool
}

// newGroup makes a group for the program of c.
func newGroup(c *exec.Cmd) (*group, error) {
	wait, pipe, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer wait.Close()
	g := &group{guard: exec.Command("/bin/sh", "-c", `trap "" HUP INT QUIT TERM; read -r _; sleep 1; kill -KILL 0`), pipe: pipe}
	g.guard.Stdin = wait
	g.guard.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := g.guard.Start(); err != nil {
		_ = pipe.Close()
		return nil, err
	}
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: g.guard.Process.Pid}
	return g, nil
}

// kill ends the program, which may have left the group, its guard and what it started.
func (g *group) kill(p *os.Process) {
	if p != nil {
		_ = p.Kill()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		_ = syscall.Kill(-g.guard.Process.Pid, syscall.SIGKILL)
	}
}

// end ends what is left of the group.
func (g *group) end() {
	g.kill(nil)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		g.ended = true
		_ = g.pipe.Close()
		_ = g.guard.Wait() // it was killed
	}
}

// Killed tells whether a signal that cannot be caught ended a program.
func Killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}
