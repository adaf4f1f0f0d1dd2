package figure

import (
	"errors"
	"fmt"
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
	var keys []key
	for i, name := range q.Names {
		keys = append(keys, keyLine(name, modeLine(i)))
	}
	keys = append(keys, keyArea("density", whole), keyOutside("outside the domain"))
	lay := mosaic{columns: len(q.Columns), width: cm(11.5), height: cm(5.6), rows: []vg.Length{cm(5.6), cm(2.4)}}
	if len(q.Columns) > 1 {
		lay.width = 0
	}
	return lay.compose(append(above, under...), keys, q.Caption), nil
}

// modeLine is the style of function i.
func modeLine(i int) draw.LineStyle { return draw.LineStyle{Color: ladderColour(i), Width: 1.3} }

// layers draws a column: functions above, the density under them.
func (q *ModeCurves) layers(up, low *panel, c ModeColumn) {
	up.add(func(pl *plane) { pl.hline(lineZero, 0) })
	for i, m := range c.Modes {
		for _, part := range parts(q.X, m) {
			up.add(func(pl *plane) { pl.line(modeLine(i), part) })
		}
	}
	low.add(func(pl *plane) {
		pl.band(whole, q.X, make([]float64, len(q.X)), c.Density)
		for _, part := range parts(q.X, c.Density) {
			pl.line(linePosterior, part)
		}
	})
	for _, p := range [...]*panel{up, low} {
		p.add(func(pl *plane) {
			pl.wall(q.Bounds[0], -1)
			pl.wall(q.Bounds[1], 1)
		})
	}
}

func (q *ModeCurves) check() error {
	if len(q.Columns) == 0 || len(q.Names) == 0 || len(q.X) < 2 {
		return errors.New("figure: modes: nothing to draw: give a function at two points at least")
	}
	if len(q.Names) > MostModes || len(q.Columns) > 4 {
		return fmt.Errorf("figure: modes: %d functions in %d columns: choose up to %d in 4", len(q.Names), len(q.Columns), MostModes)
	}
	if err := errors.Join(finite("modes, grid", q.X...), finite("modes, bounds", q.Bounds[:]...)); err != nil {
		return err
	}
	for i := 1; i < len(q.X); i++ {
		if !(q.X[i] > q.X[i-1]) {
			return fmt.Errorf("figure: modes: the grid is %g after %g at value %d: it must rise", q.X[i], q.X[i-1], i+1)
		}
	}
	if !(q.Bounds[0] < q.Bounds[1]) {
		return fmt.Errorf("figure: modes: bounds from %g to %g: they must rise", q.Bounds[0], q.Bounds[1])
	}
	for _, c := range q.Columns {
		if err := q.checkColumn(c); err != nil {
			return err
		}
	}
	return nil
}

func (q *ModeCurves) checkColumn(c ModeColumn) error {
	if err := errors.Join(sameLength("modes, density", len(q.X), c.Density), finite("modes, density", c.Density...)); err != nil {
		return err
	}
	if lo, top := extent(c.Density...); lo < 0 || top <= 0 {
		return errors.New("figure: modes: a density is at least 0, and somewhere above it")
	}
	if len(c.Modes) != len(q.Names) {
		return fmt.Errorf("figure: modes: %d functions for %d names: give one each", len(c.Modes), len(q.Names))
	}
	for i, m := range c.Modes {
		known := slices.DeleteFunc(slices.Clone(m), math.IsNaN)
		if err := errors.Join(sameLength("mode "+q.Names[i], len(q.X), m), finite("mode "+q.Names[i], known...)); err != nil {
			return err
		}
	}
	return nil
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
