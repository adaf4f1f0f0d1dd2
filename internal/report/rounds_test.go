package report

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Long names and rejections of one keep to the width of the header.
func TestRoundsKeepTheirWidth(t *testing.T) {
	for _, logZ := range []bool{false, true} {
		var b strings.Builder
		table := NewRounds(text.Fixed(&b, 80, false), logZ)
		nan := math.NaN()
		table.Line(Round{Name: "warm-up 10", RoundTrips: 512000, Rejection: []float64{1, 1, 1, 1, 1, 1, 1}, RHat: nan, ESS: nan, LogZ: nan, Seconds: 10})
		table.Line(Round{Name: "10", Draws: 1039800, RoundTrips: 512000, Rejection: []float64{1, 1}, RHat: 1.001, ESS: 30000, LogZ: -123.45, LogZError: 0.012, Seconds: 1000})
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		header := len(lines) - 3
		for _, line := range lines[header:] {
			if got, want := text.Columns(line), text.Columns(lines[header]); got != want {
				t.Errorf("%d columns, the header has %d:\n%s", got, want, b.String())
			}
		}
	}
}
