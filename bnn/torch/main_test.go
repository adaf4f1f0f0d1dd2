package torch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// worker is the path of the program built for the tests, or of the one to test.
var worker, _ = filepath.Abs("../../bin/r2sgld-torch")

func TestMain(m *testing.M) {
	if mode := os.Getenv("R2SGLD_FAKE_WORKER"); mode != "" {
		os.Exit(fake(mode))
	}
	if other := os.Getenv(variable); other != "" {
		worker = other
		os.Exit(m.Run())
	}
	build := exec.Command("make", "-s", "-C", "worker")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the worker cannot be built (run script/setup torch): %v\n%s", err, out)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
