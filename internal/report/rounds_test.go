package report

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
)

// In 24 columns no line is wider, and what is left out is named.
func TestRoundsOfANarrowScreen(t *testing.T) {
	var b strings.Builder
	table := NewRounds(text.Fixed(&b, 24, false), true)
	table.Line(Round{Name: "warm-up 1", RoundTrips: 512, Rejection: []float64{1}, RHat: math.NaN(), ESS: math.NaN(),
		LogZ: math.NaN(), Seconds: 10})
	table.Line(Round{Name: "1", Draws: 1039800, RoundTrips: 512000, Rejection: []float64{1, 1}, RHat: 1.001, ESS: 30000, LogZ: -1.5,
		LogZError: 0.01, Seconds: 1000})
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	for _, line := range lines {
		if text.Columns(line) > 24 {
			t.Errorf("%q is wider", line)
		}
	}
	if n := len(lines); n < 4 || strings.Join(strings.Fields(strings.Join(lines[n-3:], " ")), " ") != "round R̂ max warm-up 1 – 1 1.001" ||
		!strings.Contains(strings.Join(strings.Fields(b.String()), " "),
			"but in log.jsonl: rejection, time, round trips, draws, log Z, ESS min") {
		t.Error(b.String())
	}
}

// A ladder that is slow shows how far it is before its first thousand iterations are done.
func TestProgressOfSlowIterations(t *testing.T) {
	p := NewProgress("slow", r2sgld.Settings{Iterations: 100})
	for k := 1; k <= 60; k++ {
		if err := p.Recorder(0).Record(k, kernel.NewBlock(1, 1)); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.share(); got != 0.48 {
		t.Errorf("%g of the run after 60 of 100 iterations", got)
	}
}

// Long names and rejections of one keep to the width of the header.
func TestRoundsKeepTheirWidth(t *testing.T) {
	for _, logZ := range []bool{false, true} {
		var b strings.Builder
		table := NewRounds(text.Fixed(&b, 80, false), logZ)
		nan := math.NaN()
		table.Line(Round{Name: "warm-up 10", RoundTrips: 512000, Rejection: []float64{1, 1, 1, 1, 1, 1, 1}, RHat: nan, ESS: nan,
			LogZ: nan, Seconds: 10})
		table.Line(Round{Name: "10", Draws: 1039800, RoundTrips: 512000, Rejection: []float64{1, 1}, RHat: 1.001, ESS: 30000, LogZ: -123.45,
			LogZError: 0.012, Seconds: 1000})
		lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
		header := len(lines) - 3
		for _, line := range lines[header:] {
			if got, want := text.Columns(line), text.Columns(lines[header]); got != want {
				t.Errorf("%d columns, the header has %d:\n%s", got, want, b.String())
			}
		}
	}
}
