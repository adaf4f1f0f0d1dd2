package training

import (
	"bytes"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/images"
	"github.com/r2sgld/r2sgld/internal/text"
)

// The table of epochs fits 80 columns, and scores of the average stand behind its name
// whatever is left out. Kills a name that is left out before what it names.
func TestTableFits(t *testing.T) {
	for _, width := range []int{80, 100, 120} {
		for _, set := range []*images.Set{{}, lines(3, 1)} {
			var b bytes.Buffer
			j := &Job{Settings: bnn.Settings{Method: "r2sghmc", Temperature: make([]float64, 4), Epochs: 15}}
			j.Data.Train = set
			newTable(j, text.Fixed(&b, width, false)).Begin()
			for _, line := range strings.Split(b.String(), "\n") {
				if text.Columns(line) > width {
					t.Errorf("%d columns: %q", width, line)
				}
			}
			header := b.String()[strings.Index(b.String(), " epoch"):]
			if last := strings.LastIndex(header, "average of"); last < strings.Index(header, "loss") {
				t.Errorf("%d columns: two scores of the same name: %q", width, header)
			}
		}
	}
}

// A footer counts swaps, of which a rate would hide how few they are.
func TestFooterCountsSwaps(t *testing.T) {
	s := &Summary{Swaps: &Swaps{Rule: "indicator", RoundTrips: 3, Pairs: []Pair{{Attempts: 42, Accepted: 1}, {Attempts: 1041}}}}
	if want := " swaps 1 of 42, 0 of 1,041 (rule indicator) · round trips 3\n"; !strings.Contains(s.Footer(), want) {
		t.Errorf("%q does not say %q", s.Footer(), want)
	}
	s.Swaps.Pairs = append(s.Swaps.Pairs, Pair{Attempts: 3}, Pair{Attempts: 4}, Pair{Attempts: 5}, Pair{Attempts: 6, Accepted: 6})
	if want := " swaps 1 of 42, 0 of 1,041, …, 0 of 5, 6 of 6 ("; !strings.Contains(s.Footer(), want) {
		t.Errorf("%q does not say %q", s.Footer(), want)
	}
}
