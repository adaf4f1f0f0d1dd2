//go:build !unix

package child

import (
	"os"
	"os/exec"
)

// A group is a program alone.
type group struct{}

func newGroup(*exec.Cmd) (*group, error) { return &group{}, nil }

func (*group) kill(p *os.Process) { _ = p.Kill() }

func (*group) end() {}

// Killed tells whether a signal that cannot be caught ended a program.
func Killed(*os.ProcessState) bool { return false }
