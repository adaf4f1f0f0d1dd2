package dynamics

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Runs are the numbers that were added, whatever gaps they have, and without gaps take no room.
//
// Mutants: numbers of the stretch before; gaps that close.
func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var want []int
		var r Runs
		for v, gaps := 0, rapid.SliceOfN(rapid.IntRange(-2, 2), 0, 60).Draw(t, "gaps"); len(gaps) > 0; gaps = gaps[1:] {
			v += 1 + max(0, gaps[0])
			want = append(want, v)
			r.Add(v)
		}
		if r.Len() != len(want) || !slices.Equal(r.Numbers(), want) {
			t.Fatalf("%v, want %v", r.Numbers(), want)
		}
		for i, v := range r.All() {
			if v != want[i] || r.At(i) != v {
				t.Fatalf("number %d is %d, or %d; want %d", i, v, r.At(i), want[i])
			}
		}
		n := rapid.IntRange(0, 70).Draw(t, "n")
		head := r.head(n)
		if head.Add(999, 1000); !slices.Equal(head.Numbers(), append(slices.Clone(want[:min(n, len(want))]), 999, 1000)) {
			t.Fatalf("the first %d of %v and two more are %v", n, want, head.Numbers())
		}
		if !slices.Equal(r.Numbers(), want) {
			t.Fatal("what is added to the first is added to all")
		}
	})
	if n := testing.AllocsPerRun(1, func() {
		var r Runs
		for i := range 100_000 {
			r.Add(i + 2)
		}
	}); n > 1 {
		t.Errorf("%v allocations", n)
	}
}
