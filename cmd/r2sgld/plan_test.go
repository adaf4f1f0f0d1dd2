package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A plan that takes longer than it may fails with what was not reached, and prints nothing else; a time that is
// none is refused.
func TestPlanHasATime(t *testing.T) {
	file := write(t, t.TempDir(), "flower.yaml", flower)
	for arg, c := range map[string]struct {
		code int
		says string
	}{
		"1ns": {exitFailed, filepath.Base(file) + ": no plan within 1ns: the measurement had not ended."},
		"0s":  {exitUsage, "--time 0s: must be positive"},
		"1h":  {exitDone, ""},
	} {
		p := start(t, "plan", file, "--time", arg)
		if code := p.code(t); code != c.code || !strings.Contains(p.stderr.String(), c.says) || (p.stdout.Len() > 0) != (code == exitDone) {
			t.Errorf("--time %s: exit %d: %s%s, want %d: %q", arg, code, &p.stdout, &p.stderr, c.code, c.says)
		}
	}
}
