//go:build !unix

package torch

import (
	"os"
	"os/exec"
)

func apart(*exec.Cmd) {}

func kill(p *os.Process) { _ = p.Kill() }

func killed(*os.ProcessState) bool { return false }
