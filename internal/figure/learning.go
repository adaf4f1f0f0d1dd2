package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot/vg/draw"
)

// A Trail is a quantity along the epochs, with its interval over repeats.
type Trail struct {
	Epoch, Value []float64 // Epoch rises
	Low, High    []float64 // both nil is none
}

// Learned is how a method fared with each epoch.
type Learned struct {
	Name    string // in the legend; "" is Method
	Method  string // gives colour and style
	Single  Trail  // the model of that epoch alone; empty is none
	Average Trail  // the average of all models up to there; empty is none
}

// A LearningPanel is one metric of several methods.
type LearningPanel struct {
	Metric  Axis
	Methods []Learned
	View    [2]float64 // range of the metric; zero shows all after the first tenth of the epochs
}

// Learning is how metrics change with the epochs of a training.
type Learning struct {
	Panels  []LearningPanel
	Start   float64 // epoch from which models are averaged; NaN is nowhere
	Columns int     // of panels; 0 is up to 2
	Caption string
}

// mostSteps is how many points all lines of learning curves have together.
const mostSteps = 20000

// LearningCurves draws metrics against the epoch: faint the model of each epoch,
// strong the running average, with bands over repeats, and a rule where averaging
// starts. A method that is alone is drawn through. Long trainings are thinned; the caption then says so.
func LearningCurves(q Learning) (*Figure, error) {
	if len(q.Panels) == 0 {
		return nil, errors.New("figure: learning curves: no panels: give at least one")
	}
	lines := Lines{X: Axis{Name: "epoch"}, whole: true, Columns: columnsOr(q.Columns, len(q.Panels), 2), Caption: q.Caption}
	single, average, total, lone := false, false, 0, q.lone()
	for i := range q.Panels {
		for _, l := range q.Panels[i].Methods {
			single, average = single || len(l.Single.Epoch) > 0, average || len(l.Average.Epoch) > 0
			total += l.Single.size() + l.Average.size()
			sty, err := methodLine(l.Method)
			if err != nil {
				return nil, err
			}
			if lone {
				sty.Dashes = nil
			}
			lines.last.join(keyLine(cmp.Or(l.Name, l.Method), sty))
		}
	}
	stride := (total + mostSteps - 1) / mostSteps
	for i := range q.Panels {
		p, err := q.Panels[i].lines(stride, lone)
		if err != nil {
			return nil, err
		}
		lines.Panels = append(lines.Panels, p)
	}
	if stride > 1 {
		lines.Caption = sentences(q.Caption, fmt.Sprintf("one epoch in %d is drawn", stride))
	}
	if !math.IsNaN(q.Start) {
		lines.Rules = []Rule{{q.Start, "averaging starts"}}
	}
	lines.last.add(single, keyLine("faint: single model", draw.LineStyle{Color: pale(ink), Width: 0.7}))
	lines.last.add(average, keyLine("strong: average of models", draw.LineStyle{Color: ink, Width: 1.4}))
	return Curves(lines)
}

// lone reports whether all lines are of one method, which need not be told from others.
func (q *Learning) lone() bool {
	methods := map[string]bool{}
	for _, p := range q.Panels {
		for _, l := range p.Methods {
			methods[l.Method] = true
		}
	}
	return len(methods) == 1
}

// size is how many points a trail and its band have.
func (t *Trail) size() int { return len(t.Epoch) + len(t.Low) + len(t.High) }

func (c *LearningPanel) lines(stride int, lone bool) (LinePanel, error) {
	out := LinePanel{Y: c.Metric, View: c.View}
	if c.Metric == (Axis{}) {
		return out, errors.New("figure: learning curves: a metric without a name: name it")
	}
	for _, average := range [...]bool{false, true} { // strong lines above faint ones
		for _, l := range c.Methods {
			t := l.Single
			if average {
				t = l.Average
			}
			if t.size()+len(t.Value) == 0 {
				continue
			}
			if err := t.check(c.Metric.Name + " of " + cmp.Or(l.Name, l.Method)); err != nil {
				return out, err
			}
			out.Lines = append(out.Lines, Line{Name: l.Name, Method: l.Method, Faint: !average, solid: lone,
				X: every(t.Epoch, stride), Y: every(t.Value, stride), Low: every(t.Low, stride), High: every(t.High, stride)})
		}
	}
	if len(out.Lines) == 0 {
		return out, fmt.Errorf("figure: learning curves: %s: nothing to draw: give the epochs of a method", c.Metric.Name)
	}
	if c.View == ([2]float64{}) {
		out.View = out.settled()
	}
	return out, nil
}

func (t *Trail) check(what string) error {
	c := &check{what: what}
	c.ends(t.Low, t.High)
	n := len(t.Epoch)
	c.columns(column{"", t.Value, n, 0}, column{"", t.Low, n, optional}, column{"", t.High, n, optional}, column{"epochs", t.Epoch, n, rising})
	return c.err
}

// settled is the range of all lines with their bands, without the first tenth
// of the epochs, which would flatten the rest.
func (c *LinePanel) settled() [2]float64 {
	first, last := math.Inf(1), math.Inf(-1)
	for _, l := range c.Lines {
		first, last = math.Min(first, l.X[0]), math.Max(last, l.X[len(l.X)-1])
	}
	from := first + (last-first)/10
	var shown []float64
	for _, l := range c.Lines {
		for i, x := range l.X {
			if x < from {
				continue
			}
			shown = append(shown, l.Y[i])
			if l.Low != nil {
				shown = append(shown, l.Low[i], l.High[i])
			}
		}
	}
	var s scale
	s.show(0.04, shown)
	return [2]float64{s.min, s.max}
}
