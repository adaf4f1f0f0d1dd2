package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The farewell of a run tells what is kept, whatever the folder is called.
func TestFarewellOfAnyFolder(t *testing.T) {
	before := farewell.Load()
	t.Cleanup(func() { farewell.Store(before) })
	dir := filepath.Join(t.TempDir(), "a[1]")
	leavingRun(dir, false)
	if err := os.MkdirAll(filepath.Join(dir, "checkpoints", "000001"), 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "run.json", "{}")
	if got := (*farewell.Load())(); !strings.Contains(got, "the newest checkpoint is kept") {
		t.Error(got)
	}
}
