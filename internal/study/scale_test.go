package study

import (
	"strings"
	"testing"
)

// Scales are known by name, and a study says which of them it has.
func TestScales(t *testing.T) {
	for _, s := range []Scale{Smoke, Small, Paper} {
		if got, err := ParseScale(string(s)); err != nil || got != s {
			t.Errorf("%q is read as %q, %v", s, got, err)
		}
		if err := s.Among(Smoke, s, Paper); err != nil {
			t.Error(err)
		}
	}
	if _, err := ParseScale("big"); err == nil || !strings.Contains(err.Error(), "smoke, small or paper") {
		t.Errorf("an unknown scale gives %v", err)
	}
	if err := Small.Among(Smoke, Paper); err == nil || !strings.Contains(err.Error(), "no scale small: use smoke or paper") {
		t.Errorf("a study without scale small gives %v", err)
	}
}

// A claim of several studies rests on the least of their scales.
func TestJoinedScale(t *testing.T) {
	for _, x := range [][3]Scale{{Paper, Small, Small}, {Small, Paper, Small}, {Small, Smoke, Smoke}, {Smoke, Small, Smoke},
		{Paper, Paper, Paper}} {
		if got := join(Claim{Scale: x[0]}, Claim{Scale: x[1]}).Scale; got != x[2] {
			t.Errorf("%s and %s rest on %s, want %s", x[0], x[1], got, x[2])
		}
	}
}
