package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/tune"
)

// A gap between forward and backward log Z that the line below the table shows, and that
// matters, is warned of, unless log Z is not known for it.
//
// Mutants it kills: no mild warning, and one of every gap.
func TestOneSided(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		forward, back, se, gap, trimmed float64
		want                            string // "" is silence
	}{
		{0.8, 0.9, 0.01, 0.02, nan, ""},
		{0.8, 0.4, 0.01, 0.3, nan, ""},
		{0.796, -2.435, 0.038, 0.966, nan, "apart by 3.23 ± 0.97: the colder rungs do not confirm it"},
		{0.8, 0.4, 0.01, 0.1, nan, "do not confirm it"},
		{0.8, 0.4, 0.01, 0.1, 0.27, ""},
		{0.8, 0.4, 0.01, 0.1, 0.29, "do not confirm it"},
		{0.8, -4.9, 0.01, 0.966, nan, "do not confirm it"},
		{nan, nan, nan, nan, nan, ""},
	} {
		s := &Summary{Ladders: 4,
			LogEvidence: Evidence{Evidence: exchange.Evidence{Forward: c.forward, Backward: c.back, Estimate: c.forward,
				Error: c.se, GapError: c.gap, Trimmed: c.trimmed, TrimmedError: 0.01}}}
		s.OneSided()
		text := strings.Join(s.Warnings, "\n")
		if (c.want == "") != (text == "") || !strings.Contains(text, c.want) {
			t.Errorf("%+v: %q", c, text)
		}
		s.Warnings, s.LogEvidence.Bottleneck = nil, &exchange.Bottleneck{}
		if s.OneSided(); len(s.Warnings) > 0 {
			t.Errorf("%+v, which is not known: %q", c, s.Warnings)
		}
	}
}

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
		{"bottleneck", tune.Until{Evidence: 0.05}, false, fine, 0.04, 3, "not known at all"},
	} {
		s := &Summary{Parameters: []Parameter{c.parameter},
			LogEvidence: Evidence{Evidence: exchange.Evidence{Forward: 1, Backward: c.back, Estimate: (1 + c.back) / 2,
				Error: c.se, GapError: 0.01}}}
		if c.name == "bottleneck" {
			s.LogEvidence.Bottleneck = &exchange.Bottleneck{}
		}
		s.Stopped(c.u, tune.Judgement{RHat: math.NaN(), ESS: math.NaN(), Met: c.met})
		text := strings.Join(s.Warnings, "\n")
		if (c.want == "") != (text == "") || !strings.Contains(text, c.want) || len(s.Warnings) > 1 {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// Evidence with a bottleneck is null in a file, what draws would put it at beside it; the line
// below the table and a warning say where it is lost. Mutants: the number told all the same;
// without a warning.
func TestLost(t *testing.T) {
	e := NewEvidence()
	e.Forward, e.Backward, e.Estimate, e.Error, e.GapError = 10.4, 1.2, 4.9, 3.6, 2
	s := &Summary{Ladders: 4, LogEvidence: e}
	if s.LogEvidence.Doubt(); s.LogEvidence.Estimate != 4.9 {
		t.Errorf("no bottleneck: %+v", s.LogEvidence)
	}
	if s.Lost(true); len(s.Warnings) > 0 {
		t.Errorf("no bottleneck: %q", s.Warnings)
	}
	s.LogEvidence.Bottleneck = &exchange.Bottleneck{Rungs: [2]int{5, 6}, Why: "a wall"}
	s.LogEvidence.Doubt()
	s.Lost(false)
	data, err := store.JSON(s.LogEvidence)
	if err != nil {
		t.Fatal(err)
	}
	var read struct {
		Estimate, SE *float64
		Forward      float64
		Reason       string
		Bottleneck   exchange.Bottleneck
		Untrusted    Estimate
	}
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatal(err)
	}
	if read.Estimate != nil || read.SE != nil || read.Forward != 10.4 || read.Untrusted != (Estimate{4.9, 3.6}) ||
		read.Bottleneck.Rungs != [2]int{5, 6} || read.Reason != "bottleneck between rungs 5 and 6: a wall" {
		t.Errorf("%s", data)
	}
	if got := strings.Split(s.Footer(), "\n")[1]; got != " log Z not known (bottleneck between rungs 5 and 6)" {
		t.Errorf("%q", got)
	}
	if w := strings.Join(s.Warnings, "\n"); !strings.HasPrefix(w,
		"log Z is not known: bottleneck between rungs 5 and 6: a wall. Draws would put it at 4.9 ± 3.6, "+
			"from 10.40 by") || !strings.Contains(w, "Take method auto") {
		t.Errorf("%q", w)
	}
}
