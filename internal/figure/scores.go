package figure

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Estimate is a value and its interval; a value without one has both ends at it,
// and NaN is none.
type Estimate struct{ Value, Low, High float64 }

// A Metric is what methods are compared by.
type Metric struct {
	Axis      Axis
	Better    int       // +1 if more is better, −1 if less is, 0 if neither is said
	Reference *Estimate // drawn as a rule with a band; nil is none
}

// A ScoreRow is one method with an entry for each metric.
type ScoreRow struct {
	Name    string     // at the left; "" is Method
	Method  string     // gives colour and mark
	Average []Estimate // of its average of models, filled; nil is none
	Single  []Estimate // of its single model, hollow; nil is none
}

// ScoreTable compares methods by several metrics.
type ScoreTable struct {
	Metrics   []Metric
	Rows      []ScoreRow // from above
	Reference string     // name of the references in the legend
	Caption   string
}

// Scores draws a table as dots with intervals: a row for each method, a panel with
// an axis of its own for each metric, filled marks for averages of models and hollow
// ones for single models. Methods without reflection have square marks.
func Scores(q ScoreTable) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	names := make([]string, len(q.Rows))
	for i, r := range q.Rows {
		names[i] = named(r.Name, r.Method)
	}
	columns := columnsFor(len(q.Metrics), 4)
	lay := mosaic{columns: columns, height: rowsTall(len(names), 0.45)}
	panels := make([]*panel, len(q.Metrics))
	for k := range panels {
		p, err := q.panel(k)
		if err != nil {
			return nil, err
		}
		p.y = rowScale(names, k%columns > 0)
		panels[k] = p
	}
	return lay.compose(panels, q.keys(), q.Caption), nil
}

func (q *ScoreTable) check() error {
	if len(q.Metrics) == 0 || len(q.Rows) == 0 {
		return errors.New("figure: scores: nothing to compare: give methods and metrics")
	}
	for _, r := range q.Rows {
		what := "scores of " + named(r.Name, r.Method)
		if _, err := methodLine(r.Method); err != nil {
			return err
		}
		if r.Average == nil && r.Single == nil {
			return fmt.Errorf("figure: %s: no values: give those of its average or its single model", what)
		}
		for _, v := range [...][]Estimate{r.Average, r.Single} {
			if v != nil && len(v) != len(q.Metrics) {
				return fmt.Errorf("figure: %s: %d values for %d metrics: give one each, NaN where there is none", what, len(v), len(q.Metrics))
			}
			for k := range v {
				if err := v[k].check(what + ", " + q.Metrics[k].Axis.Name); err != nil {
					return err
				}
			}
		}
	}
	for _, m := range q.Metrics {
		if m.Better < -1 || m.Better > 1 {
			return fmt.Errorf("figure: scores: %s is better by %d: give +1, −1 or 0", m.Axis.Name, m.Better)
		}
		if m.Reference != nil {
			what := "reference of " + m.Axis.Name
			if err := finite(what, m.Reference.Value); err != nil {
				return err
			}
			if err := m.Reference.check(what); err != nil {
				return err
			}
		}
	}
	return nil
}

// check returns an error if e is neither none nor a value within its interval.
func (e Estimate) check(what string) error {
	if math.IsNaN(e.Value) {
		return nil
	}
	if err := finite(what, e.Value, e.Low, e.High); err != nil {
		return err
	}
	if !(e.Low <= e.Value && e.Value <= e.High) {
		return fmt.Errorf("figure: %s: the interval from %g to %g does not hold %g: give both ends, or the value twice", what, e.Low, e.High, e.Value)
	}
	return nil
}

func (q *ScoreTable) panel(k int) (*panel, error) {
	m := &q.Metrics[k]
	p := &panel{title: [...]string{"less is better", "", "more is better"}[m.Better+1], x: scale{label: m.Axis.label()}}
	var seen []float64
	see := func(v []Estimate) {
		if v != nil && !math.IsNaN(v[k].Value) {
			seen = append(seen, v[k].Low, v[k].High)
		}
	}
	for _, r := range q.Rows {
		see(r.Average)
		see(r.Single)
	}
	if len(seen) == 0 {
		return nil, fmt.Errorf("figure: scores: %s: no method has a value: leave the metric out", m.Axis.Name)
	}
	if m.Reference != nil {
		seen = append(seen, m.Reference.Low, m.Reference.High)
		p.add(func(pl *plane) {
			pl.box(expected, point{m.Reference.Low, pl.y.min}, point{m.Reference.High, pl.y.max})
			pl.vline(lineTruth, m.Reference.Value)
		})
	}
	lo, hi := extent(seen...)
	p.x.min, p.x.max = widen(lo, hi, 0.06)
	p.add(lanes(len(q.Rows)))
	for i, r := range q.Rows {
		mark := methodMark(r.Method)
		both := r.Average != nil && r.Single != nil
		if r.Single != nil {
			p.add(r.Single[k].across(mark, true, float64(i)+lane(both)))
		}
		if r.Average != nil {
			p.add(r.Average[k].across(mark, false, float64(i)-lane(both)))
		}
	}
	return p, nil
}

// lane is how far two marks of a row are off its middle.
func lane(two bool) float64 {
	if two {
		return 0.17
	}
	return 0
}

// across draws an estimate at height y.
func (e Estimate) across(mark glyph, hollow bool, y float64) func(*plane) {
	return func(pl *plane) {
		if math.IsNaN(e.Value) {
			return
		}
		pl.line(draw.LineStyle{Color: mark.color, Width: 0.9}, []point{{e.Low, y}, {e.High, y}})
		pl.marks(mark, hollow, point{e.Value, y})
	}
}

func (q *ScoreTable) keys() []key {
	single, average, reference := false, false, false
	for _, r := range q.Rows {
		single, average = single || r.Single != nil, average || r.Average != nil
	}
	for _, m := range q.Metrics {
		reference = reference || m.Reference != nil
	}
	var keys []key
	if average {
		keys = append(keys, keyMeasured("average of models", glyph{color: ink}, false, false))
	}
	if single {
		keys = append(keys, keyMeasured("single model", glyph{color: ink}, false, true))
	}
	if reference {
		keys = append(keys, keyRule(q.Reference, lineTruth))
	}
	return keys
}

// rowsTall is the height of a panel of n rows.
func rowsTall(n int, each float64) vg.Length { return cm(math.Max(1.2, each*float64(n))) }

// rowScale is an axis of named rows, the first at the top.
func rowScale(names []string, silent bool) scale {
	s := scale{min: float64(len(names)) - 0.5, max: -0.5, silent: silent, marks: []tick{}}
	sty := letters(numberSize)
	for i, n := range names {
		s.marks = append(s.marks, tick{float64(i), shorten(sty, n, cm(4.2))})
	}
	return s
}

// lanes draws a light line along each row.
func lanes(n int) func(*plane) {
	return func(pl *plane) {
		for i := range n {
			pl.hline(lineGrid, float64(i))
		}
	}
}
