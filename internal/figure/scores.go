package figure

import (
	"cmp"
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
	Average []Estimate // of its average of models, or whatever Filled says, filled; nil is none
	Single  []Estimate // of its single model, hollow; nil is none
}

// ScoreTable compares methods by several metrics.
type ScoreTable struct {
	Metrics   []Metric
	Rows      []ScoreRow // from above
	Filled    string     // name of the filled marks in the legend; "" is average of models
	Reference string     // name of the references in the legend
	Caption   string
}

// Scores draws a table as dots with intervals: a row for each method, a panel with
// an axis of its own for each metric, filled marks for averages of models, or for what
// Filled says, and hollow ones for single models. Methods without reflection have square marks.
func Scores(q ScoreTable) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	names := make([]string, len(q.Rows))
	for i, r := range q.Rows {
		names[i] = cmp.Or(r.Name, r.Method)
	}
	columns := columnsFor(len(q.Metrics), 4)
	lay := mosaic{columns: columns, height: rowsTall(len(names), 0.45)}
	panels := make([]*panel, len(q.Metrics))
	for k := range panels {
		panels[k] = q.panel(k)
		panels[k].y = rowScale(names, k%columns > 0)
	}
	return lay.compose(panels, q.keys(), q.Caption), nil
}

func (q *ScoreTable) check() error {
	c := &check{what: "scores"}
	c.must(len(q.Metrics) > 0 && len(q.Rows) > 0, "nothing to compare: give methods and metrics")
	for _, r := range q.Rows {
		what := "scores of " + cmp.Or(r.Name, r.Method)
		c.part("%s", what)
		c.method(r.Method)
		c.must(r.Average != nil || r.Single != nil, "no values: give those of its average or its single model")
		for _, v := range [...][]Estimate{r.Average, r.Single} {
			c.must(v == nil || len(v) == len(q.Metrics), "%d values for %d metrics: give one each, NaN where there is none", len(v), len(q.Metrics))
			for k := 0; k < len(v) && c.err == nil; k++ {
				c.estimate(what+", "+q.Metrics[k].Axis.Name, v[k])
			}
		}
	}
	for k, m := range q.Metrics {
		c.part("scores, %s", m.Axis.Name)
		c.must(m.Better >= -1 && m.Better <= 1, "better by %d: give +1, −1 or 0", m.Better)
		c.must(c.err != nil || len(q.seen(k)) > 0, "no method has a value: leave the metric out")
		if m.Reference != nil {
			c.part("reference of %s", m.Axis.Name)
			c.finite("", m.Reference.Value)
			c.estimate(c.what, *m.Reference)
		}
	}
	return c.err
}

// estimate checks that e is none or a value within its interval.
func (c *check) estimate(what string, e Estimate) {
	if c.what = what; !math.IsNaN(e.Value) {
		c.finite("", e.Value, e.Low, e.High)
		c.must(e.Low <= e.Value && e.Value <= e.High, "the interval from %g to %g does not hold %g: give both ends, or the value twice",
			e.Low, e.High, e.Value)
	}
}

// ends returns the interval, empty if there is no value.
func (e Estimate) ends() []float64 {
	if math.IsNaN(e.Value) {
		return nil
	}
	return []float64{e.Low, e.High}
}

// seen returns the ends of all intervals of metric k.
func (q *ScoreTable) seen(k int) []float64 {
	var out []float64
	for _, r := range q.Rows {
		for _, v := range [...][]Estimate{r.Average, r.Single} {
			if v != nil {
				out = append(out, v[k].ends()...)
			}
		}
	}
	return out
}

func (q *ScoreTable) panel(k int) *panel {
	m := &q.Metrics[k]
	p := &panel{title: [...]string{"less is better", "", "more is better"}[m.Better+1], x: scale{label: m.Axis.label()}}
	seen, last := q.seen(k), float64(len(q.Rows))-0.5
	if r := m.Reference; r != nil {
		seen = append(seen, r.Low, r.High)
		p.add(box{expected, point{r.Low, last}, point{r.High, -0.5}}, upright{lineTruth, r.Value})
	}
	p.x.show(0.06, seen)
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
	return p
}

// lane is how far two marks of a row are off its middle.
func lane(two bool) float64 {
	if two {
		return 0.17
	}
	return 0
}

// across draws an estimate at height y.
func (e Estimate) across(m glyph, hollow bool, y float64) mark {
	return painted(func(pl *plane) {
		if !math.IsNaN(e.Value) {
			pl.draw(line{draw.LineStyle{Color: m.color, Width: 0.9}, []point{{e.Low, y}, {e.High, y}}}, glyphs{m, hollow, []point{{e.Value, y}}})
		}
	})
}

func (q *ScoreTable) keys() legend {
	single, average, reference := false, false, false
	for _, r := range q.Rows {
		single, average = single || r.Single != nil, average || r.Average != nil
	}
	for _, m := range q.Metrics {
		reference = reference || m.Reference != nil
	}
	var keys legend
	keys.add(average, keyMeasured(cmp.Or(q.Filled, "average of models"), glyph{color: ink}, false, false))
	keys.add(single, keyMeasured("single model", glyph{color: ink}, false, true))
	keys.add(reference, keyRule(q.Reference, lineTruth))
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

// lanes are light lines, one along each row.
func lanes(n int) mark {
	return painted(func(pl *plane) {
		for i := range n {
			pl.draw(level{lineGrid, float64(i)})
		}
	})
}
