package report

import (
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/tune"
)

// A run that was to end with the evidence says what it leaves open. Mutants: parameters
// that were not waited for passed over; R̂ named as waited for; the volume's share not told.
func TestEnded(t *testing.T) {
	rough, fine := Parameter{Name: "x", RHat: 1.2, ESSBulk: 50, ESSTail: 50}, Parameter{Name: "x", RHat: 1, ESSBulk: 900, ESSTail: 900}
	for _, c := range []struct {
		name      string
		u         tune.Until
		met       bool
		parameter Parameter
		se, back  float64
		want      string // "" is silence
	}{
		{"met", tune.Until{Evidence: 0.05}, true, fine, 0.04, 1, ""},
		{"parameters", tune.Until{Evidence: 0.05}, true, rough, 0.04, 1, "not waited for"},
		{"parameters asked for", tune.Until{Evidence: 0.05, ESS: 40}, true, rough, 0.04, 1, ""},
		{"volume", tune.Until{Evidence: 0.05}, true, fine, 0.08, 1, "volume"},
		{"no volume", tune.Until{Evidence: 0.05}, true, rough, math.NaN(), math.NaN(), "without it log Z is not known"},
		{"limit", tune.Until{Evidence: 0.05}, false, fine, 0.08, 1, "before log Z was known to 0.05 (now 0.08)"},
		{"gap", tune.Until{Evidence: 0.05}, false, fine, 0.04, 3, "too far apart"},
	} {
		s := &Summary{Parameters: []Parameter{c.parameter}, LogEvidence: Evidence{Evidence: exchange.Evidence{Forward: 1, Backward: c.back, Estimate: (1 + c.back) / 2, Error: c.se, GapError: 0.01}}}
		s.Stopped(c.u, math.NaN(), math.NaN(), c.met)
		text := strings.Join(s.Warnings, "\n")
		if (c.want == "") != (text == "") || !strings.Contains(text, c.want) || len(s.Warnings) > 1 {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}
