package figure

import (
	"errors"
	"fmt"
	"math"
)

// A PosteriorCurve is the density of one parameter that a method found.
type PosteriorCurve struct {
	Name       string    // in the legend; "" is Method
	Method     string    // gives colour and style; "iid" for an exact law
	X, Density []float64 // a rising grid of at least two points, and the density there
	Mode       float64   // marked by a dot if Marked
	Marked     bool
}

// A PosteriorPanel is one parameter with the densities that several methods found.
type PosteriorPanel struct {
	Title  string
	Axis   Axis      // of the parameter
	Truth  []float64 // drawn as lines; nil is none
	Curves []PosteriorCurve
	View   [2]float64 // range of the parameter; zero shows all that is not empty
}

// PosteriorPanels are panels that share one legend.
type PosteriorPanels struct {
	Panels  []PosteriorPanel // row by row
	Columns int              // 0 is up to 4
	Caption string
}

// Posteriors draws the densities of each panel, each with its largest value as 1,
// so that narrow and wide ones can be seen together, with dots at the modes and
// lines at true values.
func Posteriors(q PosteriorPanels) (*Figure, error) {
	if len(q.Panels) == 0 {
		return nil, errors.New("figure: posteriors: no panels: give at least one")
	}
	columns := columnsOr(q.Columns, len(q.Panels), 4)
	lay := mosaic{columns: columns, height: cm([...]float64{5, 4.2, 3.4, 2.9}[min(columns, 4)-1])}
	if columns < 3 {
		lay.width = cm(7.2)
	}
	var panels []*panel
	var keys []key
	marked, known := false, false
	for i := range q.Panels {
		c := &q.Panels[i]
		p, err := c.panel()
		if err != nil {
			return nil, err
		}
		if i%columns == 0 {
			p.y.label = "density, largest 1"
		} else {
			p.y.silent = true
		}
		panels = append(panels, p)
		for _, l := range c.Curves {
			sty, _ := methodLine(l.Method)
			keys = addKey(keys, keyLine(named(l.Name, l.Method), sty))
			marked = marked || l.Marked
		}
		known = known || len(c.Truth) > 0
	}
	if marked {
		keys = append(keys, keyDot("mode", ink, markSize))
	}
	if known {
		keys = append(keys, keyLine("truth", lineTruth))
	}
	onlyLowest(panels, columns)
	return lay.compose(panels, keys, q.Caption), nil
}

// addKey adds what the legend does not yet have.
func addKey(keys []key, k key) []key {
	for _, o := range keys {
		if o.label == k.label {
			return keys
		}
	}
	return append(keys, k)
}

func (c *PosteriorPanel) panel() (*panel, error) {
	what := "posterior of " + c.Axis.Name
	if len(c.Curves) == 0 {
		return nil, fmt.Errorf("figure: %s: no densities: give at least one", what)
	}
	if err := finite(what+", truth", c.Truth...); err != nil {
		return nil, err
	}
	lo, hi := extent(c.Truth...)
	if len(c.Truth) == 0 {
		lo, hi = math.Inf(1), math.Inf(-1)
	}
	p := &panel{title: c.Title, x: scale{label: c.Axis.label()}, y: scale{min: 0, max: 1.08, marks: []tick{{value: 0, label: "0"}, {value: 1, label: "1"}}}}
	for _, t := range c.Truth {
		p.add(func(pl *plane) { pl.vline(lineTruth, t) })
	}
	for i := range c.Curves {
		l := &c.Curves[i]
		top, err := l.check(what)
		if err != nil {
			return nil, err
		}
		pts := make([]point, len(l.X))
		for k, x := range l.X {
			pts[k] = point{x, l.Density[k] / top}
			if pts[k].y > 0.004 {
				lo, hi = math.Min(lo, x), math.Max(hi, x)
			}
		}
		sty, _ := methodLine(l.Method)
		p.add(func(pl *plane) { pl.line(sty, pts) })
		if l.Marked {
			at := point{l.Mode, l.at(l.Mode) / top}
			p.add(func(pl *plane) {
				pl.dots(paper, markSize+0.7, []point{at})
				pl.dots(sty.Color, markSize, []point{at})
			})
		}
	}
	p.x.min, p.x.max = widen(lo, hi, 0.04)
	if c.View != ([2]float64{}) {
		if err := finite(what+", view", c.View[:]...); err != nil {
			return nil, err
		}
		if !(c.View[0] < c.View[1]) {
			return nil, fmt.Errorf("figure: %s: the view from %g to %g must rise", what, c.View[0], c.View[1])
		}
		p.x.min, p.x.max = c.View[0], c.View[1]
	}
	return p, nil
}

// check returns the largest density.
func (l *PosteriorCurve) check(what string) (top float64, err error) {
	what += ", " + named(l.Name, l.Method)
	if _, err := methodLine(l.Method); err != nil {
		return 0, err
	}
	if err := sameLength(what, len(l.X), l.Density); err != nil {
		return 0, err
	}
	if err := finite(what, append(append([]float64{l.Mode}, l.X...), l.Density...)...); err != nil {
		return 0, err
	}
	for i, x := range l.X {
		if i > 0 && !(x > l.X[i-1]) {
			return 0, fmt.Errorf("figure: %s: the grid does not rise at value %d", what, i+1)
		}
		if l.Density[i] < 0 {
			return 0, fmt.Errorf("figure: %s: density %d is below 0", what, i+1)
		}
		top = math.Max(top, l.Density[i])
	}
	if len(l.X) < 2 || !(top > 0) {
		return 0, fmt.Errorf("figure: %s: a density needs two points at least and a mass", what)
	}
	return top, nil
}

// at is the density at x, between the points of the grid.
func (l *PosteriorCurve) at(x float64) float64 {
	for i := 1; i < len(l.X); i++ {
		if x <= l.X[i] {
			t := math.Max(0, (x-l.X[i-1])/(l.X[i]-l.X[i-1]))
			return l.Density[i-1] + t*(l.Density[i]-l.Density[i-1])
		}
	}
	return l.Density[len(l.X)-1]
}
