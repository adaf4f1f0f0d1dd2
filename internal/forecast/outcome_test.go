package forecast

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/internal/simulation"
)

// A distance over states of very different scale is that of one of them, which is
// told; tenfold is not yet.
func TestNoteScale(t *testing.T) {
	for scale, want := range map[float64]string{9: "", 500: "over time H moves by some 500, L by 1 only: "} {
		wave := func(size float64) []float64 { return []float64{size, -size, math.NaN(), size, -size, 0} }
		o := &outcome{report: &Report{}, bands: []simulation.Band{{State: "H", Median: wave(scale)}, {State: "L", Median: wave(1)}}}
		(&plan{}).noteScale(o)
		if got := strings.Join(o.report.Warnings, ""); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%v: %q", scale, got)
		}
	}
}
