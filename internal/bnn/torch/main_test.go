package torch

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// built is the path of the program that make torch has built, brought up to date with its
// source, or of the one to test; "" without either.
var built, _ = filepath.Abs("../../../bin/r2sgld-torch")

func TestMain(m *testing.M) {
	if mode := os.Getenv("R2SGLD_FAKE_WORKER"); mode != "" {
		os.Exit(fake(mode))
	}
	if other := os.Getenv(variable); other != "" {
		built = other
	} else if _, err := os.Stat(built); err != nil {
		built = ""
	} else if out, err := exec.Command("make", "-s", "-C", "worker").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "the worker cannot be built (run script/setup torch): %v\n%s", err, out)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// worker is the path of the program to test. Without one the test is skipped.
func worker(t testing.TB) string {
	t.Helper()
	if built == "" {
		t.Skip("no worker program: make torch builds it")
	}
	return built
}
