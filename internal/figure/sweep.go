package figure

import (
	"errors"
	"fmt"
	"math"

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

// A SweepMetric is one panel of a sweep.
type SweepMetric struct {
	Axis Axis
	View [2]float64 // zero shows all
}

// Sweep is metrics of several methods against a setting, as the first step size.
type Sweep struct {
	X       Axis
	Metrics []SweepMetric
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
	lay := mosaic{columns: columns, height: cm([...]float64{6.2, 5.4, 4.6}[columns-1])}
	if columns == 1 {
		lay.width = cm(10.5)
	}
	failed := q.failed()
	var panels []*panel
	for from := 0; from < len(q.Metrics); from += columns {
		upper, lower := make([]*panel, columns), make([]*panel, columns)
		for i := range q.Metrics[from:min(from+columns, len(q.Metrics))] {
			p, err := q.panel(from+i, lay)
			if err != nil {
				return nil, err
			}
			upper[i] = p
			if len(failed) > 0 {
				lower[i] = q.crosses(failed, p.x, i > 0)
				p.x.silent, p.x.label = true, ""
			}
		}
		panels = append(panels, upper...)
		if len(failed) > 0 {
			panels = append(panels, lower...)
		}
	}
	keys := []key{}
	for _, l := range q.Lines {
		keys = append(keys, keySweep(&l))
	}
	if len(failed) > 0 {
		lay.rows = append(lay.rows, lay.height, cm(0.38*float64(len(failed))))
		keys = append(keys, keyCross("some runs diverged", lineSomeFailed), keyCross("all did", lineAllFailed))
	}
	return lay.compose(panels, keys, q.Caption), nil
}

var (
	lineSomeFailed = draw.LineStyle{Color: ink, Width: 0.7}
	lineAllFailed  = draw.LineStyle{Color: ink, Width: 1.9}
)

func keyCross(label string, sty draw.LineStyle) key {
	return key{label, func(d draw.Canvas) {
		pl := plane{Canvas: d, x: scale{max: 1}, y: scale{max: 1}}
		pl.cross(sty, point{0.5, 0.5})
	}}
}

func keySweep(l *SweepLine) key {
	sty, _ := methodLine(l.Method)
	mark := methodMark(l.Method)
	return key{named(l.Name, l.Method), func(d draw.Canvas) {
		at := d.Center()
		d.StrokeLine2(sty, d.Min.X, at.Y, d.Max.X, at.Y)
		mark.draw(d, at, false)
	}}
}

func (q *Sweep) check() error {
	if len(q.Metrics) == 0 || len(q.Lines) == 0 {
		return errors.New("figure: sweep: nothing to draw: give metrics and methods")
	}
	for _, m := range q.Metrics {
		if err := checkRise(m.Axis.Name, m.View, false); err != nil {
			return err
		}
	}
	for i := range q.Lines {
		if err := q.Lines[i].check(q.Metrics); err != nil {
			return err
		}
	}
	return nil
}

func (l *SweepLine) check(metrics []SweepMetric) error {
	what := "sweep of " + named(l.Name, l.Method)
	if _, err := methodLine(l.Method); err != nil {
		return err
	}
	n := len(l.Step)
	if n == 0 || len(l.Runs) != n || l.Failed != nil && len(l.Failed) != n || len(l.Values) != len(metrics) {
		return fmt.Errorf("figure: %s: %d settings, %d numbers of runs, %d of failures, %d metrics: give one of each a setting, and all %d metrics",
			what, n, len(l.Runs), len(l.Failed), len(l.Values), len(metrics))
	}
	if err := finite(what, l.Step...); err != nil {
		return err
	}
	for i, s := range l.Step {
		if s <= 0 || i > 0 && s <= l.Step[i-1] {
			return fmt.Errorf("figure: %s: setting %d is %g: settings must be above 0 and rise", what, i+1, s)
		}
		if l.Runs[i] < 1 || l.failures(i) < 0 || l.failures(i) > l.Runs[i] {
			return fmt.Errorf("figure: %s: at %g %d of %d runs failed: there is at least one run, and no more fail", what, s, l.failures(i), l.Runs[i])
		}
	}
	for m, v := range l.Values {
		if len(v) != n {
			return fmt.Errorf("figure: %s: %s: %d values for %d settings: give one each, NaN where all runs failed", what, metrics[m].Axis.Name, len(v), n)
		}
		for i, e := range v {
			if math.IsNaN(e.Value) && l.failures(i) < l.Runs[i] {
				return fmt.Errorf("figure: %s: %s at %g is NaN though not all runs failed: give the mean of the others", what, metrics[m].Axis.Name, l.Step[i])
			}
			if err := e.check(what + ", " + metrics[m].Axis.Name); err != nil {
				return err
			}
		}
	}
	return nil
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
	for i := range q.Lines {
		for k := range q.Lines[i].Step {
			if q.Lines[i].failures(k) > 0 {
				out = append(out, i)
				break
			}
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
func (q *Sweep) panel(m int, lay mosaic) (*panel, error) {
	p := &panel{x: q.across(), y: scale{label: q.Metrics[m].Axis.label()}}
	room := lay.width
	if room == 0 {
		room = fullPage/vg.Length(lay.columns) - 34
	}
	p.x.marks = logTicks(p.x.min, p.x.max, room, false)
	var seen []float64
	for i := range q.Lines {
		l := &q.Lines[i]
		sty, _ := methodLine(l.Method)
		mark := methodMark(l.Method)
		aside := (float64(i) - float64(len(q.Lines)-1)/2) * math.Min(0.004, 0.03/float64(len(q.Lines))) * (p.x.max - p.x.min)
		var part []point
		flush := func() {
			if pts := part; len(pts) > 1 {
				p.add(func(pl *plane) { pl.line(sty, pts) })
			}
			part = nil
		}
		for k, e := range l.Values[m] {
			if math.IsNaN(e.Value) {
				flush()
				continue
			}
			at := math.Log10(l.Step[k]) + aside
			seen = append(seen, e.Low, e.High)
			part = append(part, point{at, e.Value})
			p.add(func(pl *plane) {
				if e.Low < e.High {
					pl.whisker(mark.color, point{at, e.Low}, point{at, e.High})
				}
				pl.marks(mark, false, point{at, e.Value})
			})
		}
		flush()
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("figure: sweep: %s: every run failed: there is nothing to draw", q.Metrics[m].Axis.Name)
	}
	lo, hi := extent(seen...)
	p.y.min, p.y.max = widen(lo, hi, 0.06)
	if v := q.Metrics[m].View; v != ([2]float64{}) {
		p.y.min, p.y.max = v[0], v[1]
	}
	return p, nil
}

// crosses draws where runs of the methods failed, a row each.
func (q *Sweep) crosses(failed []int, x scale, silent bool) *panel {
	names := make([]string, len(failed))
	for r, i := range failed {
		names[r] = named(q.Lines[i].Name, q.Lines[i].Method)
	}
	p := &panel{x: x, y: rowScale(names, silent)}
	p.add(lanes(len(failed)), func(pl *plane) {
		for r, i := range failed {
			l := &q.Lines[i]
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
				pl.cross(sty, point{math.Log10(s), float64(r)})
			}
		}
	})
	return p
}

// cross draws a cross.
func (p *plane) cross(sty draw.LineStyle, at point) {
	const r = vg.Length(2.6)
	c := p.at(at.x, at.y)
	p.StrokeLine2(sty, c.X-r, c.Y-r, c.X+r, c.Y+r)
	p.StrokeLine2(sty, c.X-r, c.Y+r, c.X+r, c.Y-r)
}
