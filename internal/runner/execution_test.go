package runner

import (
	"testing"

	"github.com/r2sgld/r2sgld/tune"
)

// A resumed run of method auto shows the length of the round that it is in, not that of
// the first.
func TestRoundAt(t *testing.T) {
	u := tune.Until{Iterations: 300_000}
	for reached, want := range map[int]int{0: 100_000, 400_000: 100_000, 400_001: 200_000, 705_536: 200_000,
		800_001: 300_000, 1_400_001: 350_001} {
		if got := roundAt(u, 100_000, 4, reached); got != want {
			t.Errorf("%d iterations of 4 ladders: rounds of %d, want %d", reached, got, want)
		}
	}
}
