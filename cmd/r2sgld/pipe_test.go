package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// A configuration that comes through a pipe is read once, by plan as well.
//
// Mutant: plan reads it twice.
func TestConfigurationFromAPipe(t *testing.T) {
	if _, err := os.Stat("/dev/stdin"); err != nil {
		t.Skip("no /dev/stdin here")
	}
	for _, arguments := range [][]string{{"plan", "/dev/stdin"}, {"sample", "/dev/stdin", "--out", t.TempDir() + "/out", "--quiet"}} {
		c := exec.Command(os.Args[0], arguments...)
		c.Env = append(os.Environ(), asProgram+"=1")
		c.Stdin = strings.NewReader("variables: [x]\npotential: x^2/2\n")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", arguments[0], err, out)
		}
	}
}
