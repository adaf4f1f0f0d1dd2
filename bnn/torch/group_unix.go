//go:build unix

package torch

import (
	"os"
	"os/exec"
	"syscall"
)

// apart puts the program into a process group of its own: an interrupt from the
// terminal is for the Go program, which may still ask for states to save.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program and what it started.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }

// killed tells whether a signal that cannot be caught ended the program.
func killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}
