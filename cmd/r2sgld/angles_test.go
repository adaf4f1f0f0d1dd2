package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Draws of an angle at both its walls, which are one place, are warned of; those between them are not.
func TestAngleAcrossItsWalls(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var csv strings.Builder
	csv.WriteString("y\n")
	for k := range 12 {
		fmt.Fprintf(&csv, "%.3f\n", 3.14+0.1*float64(k%5-2))
	}
	for walls, want := range map[string]bool{"min: -3.141593, max: 3.141593": true, "min: 0, max: 6.283185": false} {
		config := "name: angle\ndata: angle.csv\nmodel:\n  parameters: {a: {prior: \"von_mises(0, 0.1)\", " + walls + "}}\n  likelihood: y ~ von_mises(a, 4)\n"
		for name, text := range map[string]string{"angle.yaml": config, "angle.csv": csv.String()} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		f := fitted(t, filepath.Join(dir, "angle.yaml"))
		if told := strings.Contains(strings.Join(f.Warnings, "\n"), "a is an angle, and its draws lie at both its walls"); told != want {
			t.Errorf("%s: %q", walls, f.Warnings)
		}
	}
}
