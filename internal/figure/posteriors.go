package figure

import (
	"cmp"
	"math"
	"slices"
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
	c := &check{what: "posteriors"}
	c.must(len(q.Panels) > 0, "no panels: give at least one")
	for i := range q.Panels {
		q.Panels[i].check(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	columns := columnsOr(q.Columns, len(q.Panels), 4)
	var panels []*panel
	var keys legend
	marked, known := false, false
	for i := range q.Panels {
		c := &q.Panels[i]
		p := c.panel()
		if i%columns == 0 {
			p.y.label = "density, largest 1"
		} else {
			p.y.silent = true
		}
		panels = append(panels, p)
		for _, l := range c.Curves {
			sty, _ := methodLine(l.Method)
			keys.join(keyLine(cmp.Or(l.Name, l.Method), sty))
			marked = marked || l.Marked
		}
		known = known || len(c.Truth) > 0
	}
	keys.add(marked, keyDot("mode", ink, markSize))
	keys.add(known, keyLine("truth", lineTruth))
	onlyLowest(panels, columns)
	return grid(columns, []float64{5, 4.2, 3.4, 2.9}, []float64{7.2, 7.2}).compose(panels, keys, q.Caption), nil
}

func (p *PosteriorPanel) check(c *check) {
	c.part("posterior of %s", p.Axis.Name)
	c.must(len(p.Curves) > 0, "no densities: give at least one")
	c.finite("truth", p.Truth...)
	for i := range p.Curves {
		l := &p.Curves[i]
		c.part("posterior of %s, %s", p.Axis.Name, cmp.Or(l.Name, l.Method))
		c.method(l.Method)
		c.finite("mode", l.Mode)
		c.columns(column{"grid", l.X, anyLength, rising}, column{"density", l.Density, len(l.X), nonNegative})
		c.must(len(l.X) >= 2 && slices.Max(l.Density) > 0, "a density needs two points at least and a mass")
	}
	c.view(p.Axis, p.View, false)
}

func (c *PosteriorPanel) panel() *panel {
	shown := slices.Clone(c.Truth)
	p := &panel{title: c.Title, x: scale{label: c.Axis.label()}, y: scale{max: 1.08, marks: []tick{{0, "0"}, {1, "1"}}}}
	for _, t := range c.Truth {
		p.add(upright{lineTruth, t})
	}
	for i := range c.Curves {
		l := &c.Curves[i]
		top := slices.Max(l.Density)
		pts := joined(l.X, l.Density)
		for k := range pts {
			if pts[k].y /= top; pts[k].y > 0.004 {
				shown = append(shown, pts[k].x)
			}
		}
		sty, _ := methodLine(l.Method)
		p.add(line{sty, pts})
		if at := []point{{l.Mode, l.at(l.Mode) / top}}; l.Marked {
			p.add(dots{paper, markSize + 0.7, at}, dots{sty.Color, markSize, at})
		}
	}
	if p.x.show(0.04, shown); c.View != ([2]float64{}) {
		p.x.min, p.x.max = c.View[0], c.View[1]
	}
	return p
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
