package report

import (
	"fmt"
	"io"
	"math"
	"strings"
)

// A Round is a line of the table of rounds. Numbers that are not known are NaN.
type Round struct {
	Name       string // 1, 2, …; warm-up rounds have a name of their own
	Draws      int    // of the cold rung, over all ladders; 0 prints none
	RoundTrips int64
	Rejection  []float64 // per pair
	RHat       float64   // the worst
	ESS        float64   // the smallest
	LogZ       float64
	LogZError  float64
	Seconds    float64 // since the first round began
}

// Rounds prints the table of rounds, line by line as they come.
type Rounds struct {
	W       io.Writer
	LogZ    bool // there is a column for log Z
	started bool
}

// Line prints a round, after the header if it is the first.
func (t *Rounds) Line(r Round) {
	if !t.started {
		t.started = true
		t.print("round", "draws", "round trips", "rejection", "R̂ max", "ESS min", "log Z", "time")
	}
	draws := "–"
	if r.Draws > 0 {
		draws = Count(int64(r.Draws))
	}
	ess := Number(r.ESS, 0)
	if r.ESS >= 1000 {
		ess = Count(int64(r.ESS))
	}
	logZ := "–"
	if !math.IsNaN(r.LogZ) {
		logZ = plusMinus(r.LogZ, r.LogZError)
	}
	t.print(r.Name, draws, Count(r.RoundTrips), strings.ReplaceAll(" "+few(r.Rejection), " 0.", " ."), Number(r.RHat, 3), ess, logZ, fmt.Sprintf("%.1f s", r.Seconds))
}

func (t *Rounds) print(cells ...string) {
	width := []int{8, 9, 12, 27, 8, 9, 18, 9}
	var b strings.Builder
	for i, c := range cells {
		if i == 6 && !t.LogZ {
			continue
		}
		b.WriteString(strings.Repeat(" ", max(1, width[i]-columns(c))) + c)
	}
	fmt.Fprintln(t.W, b.String())
}
