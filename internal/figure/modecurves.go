package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A ModeColumn is functions of either sign on an interval, and the density that weighs
// them.
type ModeColumn struct {
	Title   string
	Density []float64   // at each X, at least 0
	Modes   [][]float64 // of each name, at each X; NaN where there is none
}

// ModeCurves are functions on an interval, in columns that share axes and legend.
type ModeCurves struct {
	Axis    Axis
	X       []float64  // rises
	Bounds  [2]float64 // walls
	Names   []string   // of the functions, in the legend
	Columns []ModeColumn
	Caption string
}

// MostModes is how many functions [ModeLines] tells apart.
const MostModes = len(ladderColours)

// ModeLines draws functions on an interval above the density. Where few of the law are
// they may leave the axes, since they are not to flatten the rest.
func ModeLines(q ModeCurves) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	span := q.Bounds[1] - q.Bounds[0]
	x := scale{min: q.Bounds[0] - 0.03*span, max: q.Bounds[1] + 0.03*span}
	var above, under []*panel
	for i, c := range q.Columns {
		up, low := &panel{title: c.Title, x: x, y: scale{label: "mode"}}, &panel{x: x, y: scale{label: "density"}}
		up.y.min, up.y.max = q.view()
		_, top := extent(c.Density...)
		up.x.silent, low.x.label, low.y.max = true, q.Axis.label(), 1.08*top
		if q.Axis.Unit != "" {
			low.y.label = "density (1/" + q.Axis.Unit + ")"
		}
		if i > 0 {
			up.y.label, up.y.silent, low.y.label = "", true, ""
		}
		q.layers(up, low, c)
		above, under = append(above, up), append(under, low)
	}
	var keys legend
	for i, name := range q.Names {
		keys.add(true, keyLine(name, modeLine(i)))
	}
	keys.add(true, keyArea("density", whole), keyOutside())
	lay := grid(len(q.Columns), []float64{5.6}, []float64{11.5})
	lay.rows = []vg.Length{cm(5.6), cm(2.4)}
	return lay.compose(append(above, under...), keys, q.Caption), nil
}

// modeLine is the style of function i.
func modeLine(i int) draw.LineStyle { return draw.LineStyle{Color: ladderColour(i), Width: 1.3} }

// layers draws a column: functions above, the density under them.
func (q *ModeCurves) layers(up, low *panel, c ModeColumn) {
	up.add(level{lineZero, 0})
	for i, m := range c.Modes {
		up.add(lines{modeLine(i), parts(q.X, m)})
	}
	low.add(band{whole, q.X, make([]float64, len(q.X)), c.Density}, lines{linePosterior, parts(q.X, c.Density)})
	for _, p := range [...]*panel{up, low} {
		p.add(wall{q.Bounds[0], -1}, wall{q.Bounds[1], 1})
	}
}

func (q *ModeCurves) check() error {
	c := &check{what: "modes"}
	c.must(len(q.Columns) > 0 && len(q.Names) > 0 && len(q.X) >= 2, "nothing to draw: give a function at two points at least")
	c.must(len(q.Names) <= MostModes && len(q.Columns) <= 4, "%d functions in %d columns: choose up to %d in 4", len(q.Names),
		len(q.Columns), MostModes)
	c.columns(column{"grid", q.X, anyLength, rising}, column{"bounds", q.Bounds[:], 2, rising})
	for _, d := range q.Columns {
		c.part("modes")
		c.columns(column{"density", d.Density, len(q.X), nonNegative})
		c.must(slices.ContainsFunc(d.Density, func(v float64) bool { return v > 0 }), "a density is at least 0, and somewhere above it")
		c.each(len(d.Modes), "functions", len(q.Names), "names")
		for i := 0; i < len(d.Modes) && c.err == nil; i++ {
			c.part("mode %s", q.Names[i])
			c.columns(column{"", d.Modes[i], len(q.X), gappy})
		}
	}
	return c.err
}

// seenOf is the share of the law on which functions stay on the axes.
const seenOf = 0.98

// view returns the range of all functions, less what few of the law see.
func (q *ModeCurves) view() (lo, hi float64) {
	for _, c := range q.Columns {
		for _, m := range c.Modes {
			size := 1.1 * sizeWithin(m, q.weights(c.Density), seenOf)
			for _, v := range m {
				if !math.IsNaN(v) {
					lo, hi = math.Min(lo, math.Max(v, -size)), math.Max(hi, math.Min(v, size))
				}
			}
		}
	}
	return widen(lo, hi, 0.05)
}

// weights are the density times half the distance of the neighbours.
func (q *ModeCurves) weights(density []float64) []float64 {
	out := make([]float64, len(q.X))
	for i := range out {
		out[i] = density[i] * (q.X[min(i+1, len(out)-1)] - q.X[max(i-1, 0)])
	}
	return out
}

// parts returns the lines of a column that is NaN where there is none.
func parts(x, y []float64) (out [][]point) {
	var line []point
	for i := range x {
		if !math.IsNaN(y[i]) {
			line = append(line, point{x[i], y[i]})
		}
		if len(line) > 0 && (math.IsNaN(y[i]) || i == len(x)-1) {
			out, line = append(out, line), nil
		}
	}
	return out
}
