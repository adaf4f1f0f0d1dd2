package forecast

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// A Report is what a simulation says, the content of simulation.json. Numbers that
// are not known are NaN here and null in the file.
type Report struct {
	Schema     int            `json:"schema"`
	Name       string         `json:"name"` // of the run
	From       string         `json:"from"` // mode, mean or draws
	Draws      int            `json:"draws"`
	Of         int            `json:"of"` // draws of the run
	Seed       uint64         `json:"seed"`
	Set        []Value        `json:"set"`     // parameters that were changed
	Time       string         `json:"time"`    // what the data call it
	Initial    string         `json:"initial"` // where the state at the start is from
	Start      float64        `json:"start"`
	Until      float64        `json:"until"`
	DataEnd    float64        `json:"data_end"`
	Points     int            `json:"points"`
	Level      float64        `json:"level"`
	Solver     SolverReport   `json:"solver"`
	States     []StateReport  `json:"states"`
	BlownUp    BlowUps        `json:"blown_up"`
	Comparison *Parted        `json:"comparison"`
	Lyapunov   *ExponentFound `json:"lyapunov"`
	Warnings   []string       `json:"warnings"`
}

// A Value is a number with a name.
type Value struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// SolverReport is how trajectories were integrated, and the work of all.
type SolverReport struct {
	Method      ode.Method `json:"method"`
	RTol        float64    `json:"rtol"`
	ATol        []float64  `json:"atol"` // per state
	Evaluations int        `json:"evaluations"`
	Steps       int        `json:"steps"`
	Rejected    int        `json:"rejected"`
}

// A StateReport is what becomes of one state.
type StateReport struct {
	Name     string    `json:"name"`
	Final    Spread    `json:"final"`    // at the last time, over the trajectories that came there
	Observed *Spread   `json:"observed"` // of an observation then; null where the noise is not known
	Period   *Periodic `json:"period"`   // null unless half of the trajectories repeat themselves
}

// A Spread is a number over trajectories. Low and High hold a level between them.
type Spread struct {
	Mean   float64 `json:"mean"`
	Median float64 `json:"median"`
	Low    float64 `json:"low"`
	High   float64 `json:"high"`
}

// Periodic is the period of those trajectories that repeat themselves.
type Periodic struct {
	simulation.Interval
	Share float64 `json:"share"` // of the trajectories that came to the end
}

// BlowUps are the trajectories that could not go on.
type BlowUps struct {
	Draws int      `json:"draws"`
	First *Failure `json:"first"` // the one that came least far
}

// A Failure is where a trajectory ended.
type Failure struct {
	Draw   int     `json:"draw"` // of those simulated, from 1
	Time   float64 `json:"time"`
	State  []Value `json:"state"`
	Reason string  `json:"reason"`
}

// Parted is how long trajectories stay with another one.
type Parted struct {
	With    string              `json:"with"`
	Mode    []Value             `json:"mode"` // what it takes from the mode of the run
	Apart   float64             `json:"apart"`
	Parting simulation.Interval `json:"parting"` // time of it; null is never
	Parted  int                 `json:"parted"`  // trajectories
	Of      int                 `json:"of"`
	Final   simulation.Interval `json:"final_distance"`
}

// ExponentFound is the largest Lyapunov exponent at the mode.
type ExponentFound struct {
	Exponent float64 `json:"exponent"`
	SE       float64 `json:"se"`
	Time     float64 `json:"time"` // null unless the exponent is above zero
	Span     float64 `json:"span"`
}

// describe fills in what the result says: states and blow-ups.
func (o *Report) describe(r *simulation.Result, bands []simulation.Band) {
	d, last := len(r.Model.States), len(r.Times)-1
	o.Draws, o.Points, o.Start, o.Until = len(r.Draws), len(r.Times), r.From, r.Times[last]
	o.Solver.Evaluations, o.Solver.Steps, o.Solver.Rejected = r.Stats.Evaluations, r.Stats.Steps, r.Stats.Rejected
	for i, b := range bands {
		s := StateReport{Name: b.State, Final: Spread{b.Mean[last], b.Median[last], b.Low[last], b.High[last]}}
		if b.ObservedLow != nil {
			s.Observed = &Spread{math.NaN(), math.NaN(), b.ObservedLow[last], b.ObservedHigh[last]}
		}
		if b.Below != nil {
			o.Warnings = append(o.Warnings, fmt.Sprintf("trajectories of %s fall below 0, the first at t = %.6g, and the noise of this run is "+
				"that of logarithms: the interval of an observation of %s is left out.", b.State, *b.Below, b.State))
		}
		if p, n := r.Periods(i, o.Level); 2*n >= len(r.Draws)-len(r.Blown) {
			s.Period = &Periodic{p, float64(n) / float64(len(r.Draws)-len(r.Blown))}
		}
		o.States = append(o.States, s)
	}
	o.BlownUp.Draws = len(r.Blown)
	var first *simulation.Blown
	for i, b := range r.Blown {
		if first == nil || math.Abs(b.Time-r.From) < math.Abs(first.Time-r.From) {
			first = &r.Blown[i]
		}
	}
	if first == nil {
		return
	}
	f := &Failure{Draw: first.Draw + 1, Time: first.Time, Reason: first.Reason}
	for i := range d {
		f.State = append(f.State, Value{r.Model.States[i], first.State[i]})
	}
	o.BlownUp.First = f
	o.Warnings = append(o.Warnings, fmt.Sprintf("%d of %d trajectories blow up, the first (draw %d) at %s %.6g with %s: %s. "+
		"Bands are of those that are left.", len(r.Blown), len(r.Draws), f.Draw, o.Time, f.Time, first.Where(r.Model.States), f.Reason))
}

// noteCoarse warns of evenly spaced times that are too far apart to show a wave.
func (o *Report) noteCoarse(times []float64) {
	var fastest *StateReport
	for i, s := range o.States {
		if s.Period != nil && (fastest == nil || s.Period.Median < fastest.Period.Median) {
			fastest = &o.States[i]
		}
	}
	step := math.Abs(times[1] - times[0])
	if fastest == nil || step <= fastest.Period.Median/4 {
		return
	}
	text := "end earlier"
	if n := math.Ceil(math.Abs(o.Until-o.Start)/fastest.Period.Median*20) + 1; n <= mostPoints {
		text += fmt.Sprintf(", or give --points %.0f", n)
	}
	o.Warnings = append(o.Warnings, fmt.Sprintf("the times are %s apart, the period of %s is %s: tables and figures do not show its waves. "+
		"To see them %s.",
		short(step), fastest.Name, short(fastest.Period.Median), text))
}

// Text is the report for a terminal, without its warnings.
func (o *Report) Text(style text.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s %s … %s", o.Name, o.of(), o.Time, short(o.Start), short(o.Until))
	if o.Until > o.DataEnd {
		fmt.Fprintf(&b, ", the data end at %s", short(o.DataEnd))
	}
	for _, v := range o.Set {
		fmt.Fprintf(&b, ", %s = %s", v.Name, short(v.Value))
	}
	fmt.Fprintf(&b, "\nstart: %s\n\n%s", o.Initial, text.Grid(o.rows(), 1, style))
	if c := o.Comparison; c != nil {
		fmt.Fprintf(&b, "\n %s\n", c.text(o))
	}
	if l := o.Lyapunov; l != nil {
		fmt.Fprintf(&b, "\n %s\n", l.text(o.Time))
	}
	return b.String()
}

// rows are the lines of the table: a state each.
func (o *Report) rows() [][]string {
	low, high := simulation.Ends(o.Level)
	ends := [2]string{short(100*low) + " %", short(100*high) + " %"}
	head := []string{fmt.Sprintf("at %s %s", o.Time, short(o.Until))}
	many := o.Draws > 1
	if many {
		head = append(head, "median", ends[0], ends[1])
	} else {
		head = append(head, o.From)
	}
	observed, periodic := false, false
	for _, s := range o.States {
		observed, periodic = observed || s.Observed != nil, periodic || s.Period != nil
	}
	if observed {
		head = append(head, "observed "+ends[0], ends[1])
	}
	if periodic {
		head = append(head, "period")
	}
	rows := [][]string{head}
	for _, s := range o.States {
		row := []string{s.Name, short(s.Final.Median)}
		if many {
			row = append(row, short(s.Final.Low), short(s.Final.High))
		}
		if observed && s.Observed != nil {
			row = append(row, short(s.Observed.Low), short(s.Observed.High))
		} else if observed {
			row = append(row, "–", "–")
		}
		if periodic {
			row = append(row, s.Period.text(many))
		}
		rows = append(rows, row)
	}
	return rows
}

func (p *Periodic) text(many bool) string {
	switch {
	case p == nil:
		return "–"
	case !many:
		return short(p.Median)
	}
	text := fmt.Sprintf("%s (%s … %s)", short(p.Median), short(p.Low), short(p.High))
	if p.Share < 0.95 {
		text += fmt.Sprintf(" of %.0f %%", 100*p.Share)
	}
	return text
}

func (c *Parted) text(o *Report) string {
	said := fmt.Sprintf("never further than %s from %s", short(c.Apart), c.With)
	if c.Parted > 0 {
		said = fmt.Sprintf("further than %s from %s since %s %s", short(c.Apart), c.With, o.Time, since(c.Parting.Median))
	}
	if c.Parted > 0 && o.From == "draws" {
		said += fmt.Sprintf(" (%g %%: %s … %s)", o.Level, since(c.Parting.Low), since(c.Parting.High))
		if left := c.Of - c.Parted; left > 0 {
			said += fmt.Sprintf("; %s of %s trajectories never are", text.Count(left), text.Count(c.Of))
		}
	}
	if n := len(o.States); n > 1 {
		said += fmt.Sprintf("\n (distance: root of the sum of squares over %s, each in its own unit; --apart says how far is apart)", o.listed())
	}
	for k, v := range c.Mode {
		between := ", "
		if k == 0 {
			between = "\n " + c.With + " takes from the mode of the run: "
		}
		said += fmt.Sprintf("%s%s = %s", between, v.Name, short(v.Value))
	}
	return said
}

// listed are the names of the states, or their number if they are many.
func (o *Report) listed() string {
	if len(o.States) > 6 {
		return fmt.Sprintf("%d states", len(o.States))
	}
	var names []string
	for _, s := range o.States {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

func since(t float64) string {
	if math.IsInf(t, 0) {
		return "never"
	}
	return short(t)
}

func (l *ExponentFound) text(unit string) string {
	digits := 4
	if l.SE > 0 {
		digits = max(0, 1-int(math.Floor(math.Log10(l.SE))))
	}
	said := fmt.Sprintf("largest Lyapunov exponent at the mode %s ± %s per %s", text.Number(l.Exponent, digits), text.Number(l.SE, digits),
		unit)
	if l.Time == l.Time {
		return said + fmt.Sprintf(": neighbours part by e in %s", short(l.Time))
	}
	return said + ": neighbours do not part exponentially"
}

// short writes a number with five digits.
func short(v float64) string { return text.Short(v, 5) }

// Warned are the warnings.
func (o *Report) Warned() []string { return o.Warnings }
