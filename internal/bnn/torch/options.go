package torch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Options say where and how replicas are computed. No number depends on them, devices
// of other kinds and rounding apart.
type Options struct {
	// Worker is the path of the program r2sgld-torch. "" takes what R2SGLD_TORCH
	// names, else the first there is beside the running program, in the folder bin of
	// the working folder, on the PATH.
	Worker string
	// Devices are cpu, cuda:0 and so on: one process for each entry. Replicas are
	// dealt to them in turn. nil is one process on the CPU.
	Devices []string
	// Threads is how many replicas of a process move at once; 0 is all processors. A
	// replica on the CPU has one thread.
	Threads int
}

const (
	program  = "r2sgld-torch"
	variable = "R2SGLD_TORCH"
	// remedy is the last half of every message about the program itself.
	remedy = "build it with `make torch` (script/setup torch installs libtorch; `make torch LIBTORCH=DIR` takes another one)"
)

// Missing is the error of Open if there is no worker program.
type Missing struct {
	Tried []string // paths
}

func (e *Missing) Error() string {
	return fmt.Sprintf("no worker program %s (looked for %s): %s", program, strings.Join(e.Tried, ", "), remedy)
}

// Mismatch is the error of Open if the program is not the worker that this package
// speaks with.
type Mismatch struct {
	Path         string
	Saw          string // what it does instead of greeting; "" is another version of the protocol:
	Found, Needs uint32
}

func (e *Mismatch) Error() string {
	if e.Saw != "" {
		return fmt.Sprintf("%s is no worker program that works here: %s: %s", e.Path, e.Saw, remedy)
	}
	return fmt.Sprintf("the worker program %s speaks version %d of the protocol, this r2sgld version %d: %s",
		e.Path, e.Found, e.Needs, remedy)
}

// Find returns the path of the worker program, the one named unless that is empty. Its
// error is a [*Missing].
func Find(worker string) (string, error) {
	if worker == "" {
		worker = os.Getenv(variable)
	}
	if worker != "" {
		if !isFile(worker) {
			return "", &Missing{Tried: []string{worker}}
		}
		return worker, nil
	}
	var tried []string
	if self, err := os.Executable(); err == nil {
		tried = append(tried, filepath.Join(filepath.Dir(self), program))
	}
	tried = append(tried, filepath.Join("bin", program))
	for _, path := range tried {
		if isFile(path) {
			return filepath.Abs(path)
		}
	}
	if path, err := exec.LookPath(program); err == nil {
		return path, nil
	}
	return "", &Missing{Tried: append(tried, "the PATH")}
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
