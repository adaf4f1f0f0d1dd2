package config

import (
	"runtime/debug"
	"testing"
)

// Garbage is kept low beside many rows alone, where GOGC says nothing, and until they are done with.
//
// Mutants: a percentage that stays; GOGC that does not count.
func TestThrift(t *testing.T) {
	percent := func() int {
		was := debug.SetGCPercent(100)
		debug.SetGCPercent(was)
		return was
	}
	t.Cleanup(func(was int) func() { return func() { debug.SetGCPercent(was) } }(debug.SetGCPercent(77)))
	for _, c := range []struct {
		gogc       string
		size       int64
		least, top int
	}{{"", 1 << 20, 77, 77}, {"", 1 << 26, 15, 40}, {"", 1 << 34, 5, 15}, {"200", 1 << 34, 77, 77}} {
		t.Setenv("GOGC", c.gogc)
		lavish := thrift(c.size)
		if p := percent(); p < c.least || p > c.top {
			t.Errorf("GOGC %q, %d bytes: %d %%", c.gogc, c.size, p)
		}
		if lavish(); percent() != 77 {
			t.Errorf("GOGC %q, %d bytes: %d %% are left", c.gogc, c.size, percent())
		}
	}
	t.Setenv("GOGC", "")
	first, second := thrift(1<<34), thrift(1<<26)
	few := percent()
	if first(); percent() != few || few > 15 {
		t.Errorf("%d %% beside two tables, %d beside one", few, percent())
	}
	if second(); percent() != 77 {
		t.Errorf("%d %% are left by two tables", percent())
	}
}
