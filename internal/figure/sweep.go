package figure

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A SweepLine is how one method fares with each setting.
type SweepLine struct {
	Name   string       // in the legend; "" is Method
	Method string       // gives colour, style and mark
	Step   []float64    // the settings, rising, above 0
	Runs   []int        // repeats of each, at least 1
	Failed []int        // how many of them diverged; nil is none
	Values [][]Estimate // Values[m][i] is metric m at setting i over the runs that did not fail; NaN where all did
}

// Sweep is metrics of several methods against a setting, as the first step size.
type Sweep struct {
	X       Axis
	Metrics []Axis // a panel each
	Lines   []SweepLine
	Caption string
}

// SweepCurves draws metrics against a setting on a logarithmic axis, with intervals
// over repeats. Under it stands a cross wherever runs of a method diverged, a bold
// one where all did; lines are broken there.
func SweepCurves(q Sweep) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	columns := columnsFor(len(q.Metrics), 3)
	lay := grid(columns, []float64{6.2, 5.4, 4.6}, []float64{10.5})
	failed := q.failed()
	var panels []*panel
	for from := 0; from < len(q.Metrics); from += columns {
		upper, lower := make([]*panel, columns), make([]*panel, columns)
		for i := range q.Metrics[from:min(from+columns, len(q.Metrics))] {
			upper[i] = q.panel(from+i, lay)
			if x := &upper[i].x; len(failed) > 0 {
				lower[i] = q.crosses(failed, *x, i > 0)
				x.silent, x.label = true, ""
			}
		}
		panels = append(panels, upper...)
		if len(failed) > 0 {
			panels = append(panels, lower...)
		}
	}
	var keys legend
	for _, l := range q.Lines {
		keys.add(true, keySweep(&l))
	}
	if len(failed) > 0 {
		lay.rows = append(lay.rows, lay.height, cm(0.38*float64(len(failed))))
		keys.add(true, keyCross("some runs diverged", lineSomeFailed), keyCross("all did", lineAllFailed))
	}
	return lay.compose(panels, keys, q.Caption), nil
}

var (
	lineSomeFailed = draw.LineStyle{Color: ink, Width: 0.7}
	lineAllFailed  = draw.LineStyle{Color: ink, Width: 1.9}
)

func keySweep(l *SweepLine) key {
	sty, _ := methodLine(l.Method)
	mark := methodMark(l.Method)
	return key{cmp.Or(l.Name, l.Method), func(d draw.Canvas) {
		at := d.Center()
		d.StrokeLine2(sty, d.Min.X, at.Y, d.Max.X, at.Y)
		mark.draw(d, at, false)
	}}
}

func (q *Sweep) check() error {
	c := &check{what: "sweep"}
	c.must(len(q.Metrics) > 0 && len(q.Lines) > 0, "nothing to draw: give metrics and methods")
	for i := 0; i < len(q.Lines) && c.err == nil; i++ {
		q.Lines[i].check(c, q.Metrics)
	}
	for m := 0; m < len(q.Metrics) && c.err == nil; m++ {
		c.part("sweep, %s", q.Metrics[m].Name)
		some := func(l SweepLine) bool {
			return slices.ContainsFunc(l.Values[m], func(e Estimate) bool { return !math.IsNaN(e.Value) })
		}
		c.must(slices.ContainsFunc(q.Lines, some), "every run failed: there is nothing to draw")
	}
	return c.err
}

func (l *SweepLine) check(c *check, metrics []Axis) {
	what := "sweep of " + cmp.Or(l.Name, l.Method)
	c.part("%s", what)
	c.method(l.Method)
	n := len(l.Step)
	c.must(n > 0 && len(l.Runs) == n && (l.Failed == nil || len(l.Failed) == n) && len(l.Values) == len(metrics),
		"%d settings, %d numbers of runs, %d of failures, %d metrics: give one of each a setting, and all %d metrics",
		n, len(l.Runs), len(l.Failed), len(l.Values), len(metrics))
	c.columns(column{"settings", l.Step, n, positive | rising})
	for i := 0; i < n && c.err == nil; i++ {
		c.must(l.Runs[i] >= 1 && l.failures(i) >= 0 && l.failures(i) <= l.Runs[i],
			"at %g %d of %d runs failed: there is at least one run, and no more fail", l.Step[i], l.failures(i), l.Runs[i])
	}
	for m := 0; m < len(l.Values) && c.err == nil; m++ {
		c.part("%s, %s", what, metrics[m].Name)
		c.must(len(l.Values[m]) == n, "%d values for %d settings: give one each, NaN where all runs failed", len(l.Values[m]), n)
		for i := 0; i < n && c.err == nil; i++ {
			e := l.Values[m][i]
			c.must(!math.IsNaN(e.Value) || l.failures(i) == l.Runs[i], "NaN at %g though not all runs failed: give the mean of the others",
				l.Step[i])
			c.estimate(c.what, e)
		}
	}
}

func (l *SweepLine) failures(i int) int {
	if l.Failed == nil {
		return 0
	}
	return l.Failed[i]
}

// failed returns the methods of which a run diverged.
func (q *Sweep) failed() []int {
	var out []int
	for i, l := range q.Lines {
		if slices.ContainsFunc(l.Failed, func(n int) bool { return n > 0 }) {
			out = append(out, i)
		}
	}
	return out
}

// across is the axis of settings.
func (q *Sweep) across() scale {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, l := range q.Lines {
		lo, hi = math.Min(lo, math.Log10(l.Step[0])), math.Max(hi, math.Log10(l.Step[len(l.Step)-1]))
	}
	s := scale{label: q.X.label(), ruled: true}
	pad := math.Max(0.07*(hi-lo), 0.05)
	s.min, s.max = lo-pad, hi+pad
	return s
}

// panel draws metric m; marks of several methods at one setting stand side by side.
func (q *Sweep) panel(m int, lay mosaic) *panel {
	p := &panel{x: q.across(), y: scale{label: q.Metrics[m].label()}}
	p.x.marks = logTicks(p.x.min, p.x.max, cmp.Or(lay.width, fullPage/vg.Length(lay.columns)-34), false)
	var seen []float64
	for i, l := range q.Lines {
		sty, _ := methodLine(l.Method)
		n := float64(len(q.Lines))
		aside := (float64(i) - (n-1)/2) * math.Min(0.004, 0.03/n) * (p.x.max - p.x.min)
		var part []point // between failures
		for k, e := range l.Values[m] {
			at, failed := math.Log10(l.Step[k])+aside, math.IsNaN(e.Value)
			if !failed {
				seen = append(seen, e.Low, e.High)
				part = append(part, point{at, e.Value})
				if e.Low < e.High {
					p.add(whisker{sty.Color, point{at, e.Low}, point{at, e.High}})
				}
				p.add(glyphs{methodMark(l.Method), false, []point{{at, e.Value}}})
			}
			if failed || k == len(l.Step)-1 {
				if len(part) > 1 {
					p.add(line{sty, part})
				}
				part = nil
			}
		}
	}
	p.y.show(0.06, seen)
	return p
}

// crosses draws where runs of the methods failed, a row each.
func (q *Sweep) crosses(failed []int, x scale, silent bool) *panel {
	names := make([]string, len(failed))
	p := &panel{x: x}
	p.add(lanes(len(failed)))
	for r, i := range failed {
		l := &q.Lines[i]
		names[r] = cmp.Or(l.Name, l.Method)
		look, _ := methodLine(l.Method)
		for k, s := range l.Step {
			sty := lineSomeFailed
			switch l.failures(k) {
			case 0:
				continue
			case l.Runs[k]:
				sty = lineAllFailed
			}
			sty.Color = look.Color
			p.add(cross{sty, point{math.Log10(s), float64(r)}})
		}
	}
	p.y = rowScale(names, silent)
	return p
}
