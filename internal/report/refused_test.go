package report

import (
	"strings"
	"testing"
)

// Rungs that accept too few trajectories are told in one line, with the worst of them, and
// none where all accept enough.
func TestRefusedInOneLine(t *testing.T) {
	for _, c := range []struct {
		accepted []float64
		want     string
	}{
		{[]float64{0.8, 0.41}, ""},
		{[]float64{0.8, 0.3, 0.9}, "rung 2 accepted 0.3 of its"},
		{[]float64{0.35, 0.8, 0.1, 0.2}, "3 of 4 rungs accepted too few of their trajectories, rung 3 0.1 of its"},
	} {
		w := (&Summary{Acceptance: c.accepted}).refused()
		if len(w) != len(c.want[:min(1, len(c.want))]) || c.want != "" && !strings.HasPrefix(w[0], c.want) {
			t.Errorf("%v: %q", c.accepted, w)
		}
	}
}
