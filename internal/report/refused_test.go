package report

import (
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/kernel"
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

// What trajectories cannot reach is told of the first rung where there is such a thing.
//
// Mutant: no word of it.
func TestUndefined(t *testing.T) {
	of := func(undefined ...int64) *r2sgld.Result {
		l := r2sgld.Ladder{}
		for _, n := range undefined {
			l.Moves = append(l.Moves, kernel.Moves{Proposed: 10_000, Undefined: n})
		}
		return &r2sgld.Result{Ladders: []r2sgld.Ladder{l, l}}
	}
	for want, res := range map[string]*r2sgld.Result{
		"14 % of the trajectories of rung 2 came to where the energy is a number": of(0, 1400, 20),
		"": of(1, 0),
	} {
		if w := strings.Join(undefined(res), ""); !strings.HasPrefix(w, want) || want == "" && w != "" {
			t.Errorf("%q, want %q", w, want)
		}
	}
	without := of(0, 0)
	without.Ladders[0].Moves, without.Ladders[1].Moves = nil, nil
	if w := undefined(without); w != nil {
		t.Error(w)
	}
}
