//go:build unix

package command

import (
	"os"
	"os/exec"
	"syscall"
)

// apart puts the program into a process group of its own.
func apart(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// kill ends the program and the programs that it started.
func kill(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
