package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// A Column is one of a table whose lines come one by one.
type Column struct {
	Title string
	Width int // with the space before it
	Spare int // the higher, the sooner it is left out where the terminal is narrow; 0 is never
}

// Lines is a table whose lines come one by one. Columns that the width of W does not hold
// are left out, those to spare first, and a line says which and where they are.
type Lines struct {
	W       io.Writer
	Columns []Column
	Where   string // the file that has the columns left out
	shown   []bool // nil before the header
}

// Begin prints the header, once.
func (t *Lines) Begin() {
	if t.shown != nil {
		return
	}
	if out := t.choose(text.Width(t.W)); out != nil {
		fmt.Fprintf(t.W, " not shown in so few columns, but in %s: %s\n", t.Where, strings.Join(out, ", "))
	}
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	t.Line(titles...)
}

// choose settles which columns a width holds, 0 all, and returns the titles of the others.
func (t *Lines) choose(width int) (out []string) {
	t.shown = make([]bool, len(t.Columns))
	total := 0
	for i, c := range t.Columns {
		t.shown[i] = true
		total += c.Width
	}
	for width > 0 && total > width {
		most := -1
		for i, c := range t.Columns {
			if t.shown[i] && c.Spare > 0 && (most < 0 || c.Spare > t.Columns[most].Spare) {
				most = i
			}
		}
		if most < 0 {
			break
		}
		t.shown[most] = false
		total -= t.Columns[most].Width
		out = append(out, t.Columns[most].Title)
	}
	return out
}

// Line prints a cell of every column, below the header. A cell wider than its column
// takes room of the ones that follow.
func (t *Lines) Line(cells ...string) {
	t.Begin()
	var b strings.Builder
	room := 0
	for i, c := range cells {
		if t.shown[i] {
			room += t.Columns[i].Width
			blank := max(1, room-text.Columns(c))
			room -= blank + text.Columns(c)
			b.WriteString(strings.Repeat(" ", blank) + c)
		}
	}
	fmt.Fprintln(t.W, b.String())
}

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
	lines Lines
	logZ  bool
}

// NewRounds is a table on w, with a column for log Z if that may be known.
func NewRounds(w io.Writer, logZ bool) *Rounds {
	c := []Column{{"round", 10, 0}, {"draws", 9, 4}, {"round trips", 12, 5}, {"rejection", 24, 7}, {"R̂ max", 7, 1}, {"ESS min", 9, 2}}
	if logZ {
		c = append(c, Column{"log Z", 18, 3})
	}
	return &Rounds{Lines{W: w, Columns: append(c, Column{"time", 9, 6}), Where: "log.jsonl"}, logZ}
}

// Line prints a round, after the header if it is the first.
func (t *Rounds) Line(r Round) {
	draws := "–"
	if r.Draws > 0 {
		draws = text.Count(int64(r.Draws))
	}
	ess := text.Number(r.ESS, 0)
	if r.ESS >= 1000 {
		ess = text.Count(int64(r.ESS))
	}
	cells := []string{r.Name, draws, text.Count(r.RoundTrips), strings.ReplaceAll(" "+text.Few(r.Rejection), " 0.", " .")[1:],
		text.Number(r.RHat, 3), ess}
	if t.logZ {
		logZ := "–"
		if !math.IsNaN(r.LogZ) {
			logZ = text.PlusMinus(r.LogZ, r.LogZError)
		}
		cells = append(cells, logZ)
	}
	t.lines.Line(append(cells, fmt.Sprintf("%.1f s", r.Seconds))...)
}
