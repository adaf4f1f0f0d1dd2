package torch

import (
	"cmp"
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

// device is where the tests compute that are about no particular one: the CPU, or what
// R2SGLD_TORCH_DEVICE names.
var device = cmp.Or(os.Getenv("R2SGLD_TORCH_DEVICE"), "cpu")

// here is the program to test on the device.
func here(t testing.TB) Options {
	t.Helper()
	return Options{Worker: worker(t), Devices: []string{device}}
}

// worker is the path of the program to test. Without one the test is skipped.
func worker(t testing.TB) string {
	t.Helper()
	if built == "" {
		t.Skip("no worker program: make torch builds it")
	}
	return built
}
