package diag

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The n-th largest number is where sorting puts it, ties and −Inf among them.
func TestLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SliceOfN(rapid.Map(rapid.IntRange(-20, 20), func(i int) float64 { return math.Log(float64(i + 20)) }), 1, 200).Draw(t, "w")
		n := rapid.IntRange(1, len(w)).Draw(t, "n")
		sorted := slices.Sorted(slices.Values(w))
		if got, want := largest(w, n), sorted[len(w)-n]; got != want {
			t.Fatalf("the %d-th largest is %v, want %v", n, got, want)
		}
	})
}
