package study

import (
	"strings"
	"testing"
)

// Scales are known by name; a study without scale small has that of the paper in its place.
func TestScales(t *testing.T) {
	for _, s := range []Scale{Smoke, Small, Paper} {
		if got, err := ParseScale(string(s)); err != nil || got != s {
			t.Errorf("%q is read as %q, %v", s, got, err)
		}
		want := s
		if s == Small {
			want = Paper
		}
		if got := (Options{Scale: s}).NoSmall().Scale; got != want {
			t.Errorf("scale %s is %s where there is no small one", s, got)
		}
	}
	if _, err := ParseScale("big"); err == nil || !strings.Contains(err.Error(), "smoke, small or paper") {
		t.Errorf("an unknown scale gives %v", err)
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
