package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/r2sgld/r2sgld/internal/cases"
	"github.com/r2sgld/r2sgld/internal/fleet"
)

// A worker does no case whose program is another one there than where the case comes from.
func TestAnotherProgram(t *testing.T) {
	dir := t.TempDir()
	model := write(t, dir, "model.sh", "exit 3\n")
	text := []byte(`{"name": "c", "potential": {"command": ["sh", "` + model + `"], "timeout": 60, "directory": "` + dir + `"}, "variables": ["x"]}`)
	f, err := fleet.Describe(model)
	if err != nil {
		t.Fatal(err)
	}
	c := cases.Case{Command: "sample", Config: text, Executed: map[string]string{model: f.SHA256}}
	place := func(path string) string { return filepath.Join(dir, "files", path) }
	var unfit *fleet.Unfit
	do := func(commands bool) error {
		return doCase(commands, nil)(t.Context(), c, place, filepath.Join(dir, "case"))
	}
	if err := do(true); err == nil || errors.As(err, &unfit) {
		t.Errorf("the same program: %v", err)
	}
	if err := os.WriteFile(model, []byte("exit 4\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, commands := range []bool{true, false} {
		if err := do(commands); !errors.As(err, &unfit) {
			t.Errorf("another program, commands allowed %v: %v", commands, err)
		}
	}
}
