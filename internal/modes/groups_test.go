package modes

import (
	"slices"
	"testing"
)

// Two clusters of minima, one of laws a hundred times as narrow, are joined each by itself before both
// are, which are all; pairs within them come before.
//
// Mutant: distances by the narrower law.
func TestGroups(t *testing.T) {
	var all []Mode
	for _, m := range [][2]float64{{0, 0.01}, {10, 1}, {0.02, 0.01}, {12, 1}, {0.05, 0.01}, {13, 1}} {
		all = append(all, Mode{X: []float64{m[0], 1}, L: [][]float64{{m[1], 0}, {0, m[1]}}})
	}
	got := Groups(all)
	if len(got) != 4 {
		t.Fatalf("groups %v of 6 modes", got)
	}
	for _, want := range [][]int{{3, 5}, {1, 3, 5}, {0, 2}, {0, 2, 4}} {
		if !slices.ContainsFunc(got, func(g []int) bool { return slices.Equal(g, want) }) {
			t.Errorf("groups %v lack %v", got, want)
		}
	}
	beside := []Mode{{X: []float64{0}, L: [][]float64{{1}}}, {X: []float64{0.5}, L: [][]float64{{0.01}}}, {X: []float64{3}, L: [][]float64{{1}}}}
	if got := Groups(beside); len(got) != 1 || !slices.Equal(got[0], []int{0, 1}) {
		t.Errorf("groups %v of a spike in a wide mode and another wide one", got)
	}
	for n := range 3 {
		if got := Groups(all[:n]); len(got) != 0 {
			t.Errorf("groups %v of %d modes", got, n)
		}
	}
}
