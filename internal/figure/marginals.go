package figure

import (
	"cmp"
	"fmt"
	"image/color"
	"math"
	"slices"
)

// A Marginal is the density of one parameter.
type Marginal struct {
	Axis       Axis
	X, Density []float64  // a rising grid and the density there; fewer than two points are drawn as a spike at Mode
	Mode       float64    // drawn as a line; NaN is not known
	Interval   [2]float64 // drawn as a band; equal ends draw none
	Bounds     [2]float64 // walls of the domain, infinite where there is none; {0, 0} is none at all
	Truth      []float64  // known true values; nil is none
}

// MostPanels is how many parameters a figure of panels shows before it stops
// being legible.
const MostPanels = 24

// Marginals draws the marginal densities, a panel each, with intervals of a
// level in percent (90, say). It draws up to [MostPanels] parameters; choose among more.
func Marginals(m []Marginal, level float64, s Sample) (*Figure, error) {
	c := &check{what: "marginals"}
	c.panels(len(m))
	for i := range m {
		m[i].check(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	panels := make([]*panel, len(m))
	walls, known := false, false
	columns := columnsFor(len(m), 4)
	for i := range m {
		panels[i] = m[i].panel(i%columns == 0)
		lower, upper := m[i].walls(panels[i].x)
		walls = walls || lower || upper
		known = known || len(m[i].Truth) > 0
	}
	keys := legend{keyArea("posterior density", whole), keyArea(fmt.Sprintf("%g %% interval", level), middle), keyLine("mode", lineMode)}
	keys.add(known, keyLine("truth", lineTruth))
	keys.add(walls, keyOutside())
	return grid(columns, []float64{4.2, 4.2, 3.2}, []float64{7, 7}).compose(panels, keys, s.String()), nil
}

func (m *Marginal) check(c *check) {
	c.part("marginal of %s", m.Axis.Name)
	c.columns(column{"grid", m.X, anyLength, ascending}, column{"density", m.Density, len(m.X), 0},
		column{"interval", m.Interval[:], 2, 0}, column{"truth", m.Truth, anyLength, 0})
	c.must(!math.IsInf(m.Mode, 0), "the mode is infinite: use NaN for none")
	c.must(!math.IsNaN(m.Bounds[0]) && !math.IsNaN(m.Bounds[1]), "a bound is NaN: use ±Inf for none")
}

// spike reports whether there is no density to draw: one draw, or all equal.
func (m *Marginal) spike() bool {
	return len(m.X) < 2 || m.X[len(m.X)-1]-m.X[0] <= 1e-9*math.Abs(m.X[0])
}

// view returns what of the x axis is shown: the grid less its empty tails,
// the truth, and a margin.
func (m *Marginal) view() (min, max float64) {
	shown := slices.Clone(m.Truth)
	if !math.IsNaN(m.Mode) {
		shown = append(shown, m.Mode)
	}
	if m.Interval[0] != m.Interval[1] || len(shown) == 0 {
		shown = append(shown, m.Interval[:]...)
	}
	min, max = extent(shown...)
	if !m.spike() {
		_, top := extent(m.Density...)
		for i, d := range m.Density {
			if d > 0.002*top {
				min, max = math.Min(min, m.X[i]), math.Max(max, m.X[i])
			}
		}
	}
	lower, upper := m.bounds()
	span := max - min
	if near := min - lower; near >= 0 && near < 0.15*span {
		min = lower
	}
	if near := upper - max; near >= 0 && near < 0.15*span {
		max = upper
	}
	return widen(min, max, 0.06)
}

// bounds returns the walls, infinite where there is none.
func (m *Marginal) bounds() (lower, upper float64) {
	if m.Bounds == [2]float64{} {
		return math.Inf(-1), math.Inf(1)
	}
	return m.Bounds[0], m.Bounds[1]
}

// walls reports which walls stand within the axis x.
func (m *Marginal) walls(x scale) (lower, upper bool) {
	l, u := m.bounds()
	return l > x.min && l < x.max, u > x.min && u < x.max
}

// at returns the density at x between the points of the grid.
func (m *Marginal) at(x float64) float64 {
	for i := 1; i < len(m.X); i++ {
		if x >= m.X[i-1] && x <= m.X[i] {
			if m.X[i] == m.X[i-1] {
				return m.Density[i]
			}
			t := (x - m.X[i-1]) / (m.X[i] - m.X[i-1])
			return m.Density[i-1] + t*(m.Density[i]-m.Density[i-1])
		}
	}
	return 0
}

// panel draws the density; first says whether the panel begins a row.
func (m *Marginal) panel(first bool) *panel {
	p := &panel{x: scale{label: m.Axis.label()}, y: scale{max: 1, bare: true}}
	if first {
		p.y.label = "density"
	}
	p.x.min, p.x.max = m.view()
	m.layers(p, m.interval()...)
	return p
}

// layers adds a shaded density, walls, mode and truth to p, whose x axis is set,
// and sets its y axis.
func (m *Marginal) layers(p *panel, shade ...mark) {
	height := 1.0 // of the line at the mode
	p.y.max = 1.08
	if !m.spike() {
		_, top := extent(m.Density...)
		if top <= 0 {
			top = 1
		}
		p.y.max, height = 1.08*top, m.at(m.Mode)
		p.add(shade...)
		p.add(line{linePosterior, joined(m.X, m.Density)})
	}
	lower, upper := m.walls(p.x)
	l, u := m.bounds()
	if lower {
		p.add(wall{l, -1})
	}
	if upper {
		p.add(wall{u, +1})
	}
	if !math.IsNaN(m.Mode) {
		p.add(line{lineMode, []point{{m.Mode, 0}, {m.Mode, height}}})
	}
	for _, t := range m.Truth {
		p.add(upright{lineTruth, t})
	}
}

// interval is the area under the density, darker within the interval.
func (m *Marginal) interval() []mark {
	lo, hi := m.Interval[0], m.Interval[1]
	ix, iy := []float64{lo}, []float64{m.at(lo)}
	for i, v := range m.X {
		if v > lo && v < hi {
			ix, iy = append(ix, v), append(iy, m.Density[i])
		}
	}
	ix, iy = append(ix, hi), append(iy, m.at(hi))
	out := []mark{band{whole, m.X, make([]float64, len(m.X)), m.Density}}
	if hi > lo {
		out = append(out, band{middle, ix, make([]float64, len(ix)), iy})
	}
	return out
}

// regions are the areas under the density over the regions of highest density
// that hold 90 and 50 % of the mass.
func (m *Marginal) regions() []mark {
	var out []mark
	for k, tint := range [...]color.NRGBA{whole, middle} {
		for _, r := range m.above(m.level(shares[k])) {
			out = append(out, region{tint, [][]point{r}})
		}
	}
	return out
}

// level returns the height above which the density holds a share of its mass:
// pieces of the grid by trapezoids, from the highest downwards.
func (m *Marginal) level(share float64) float64 {
	type piece struct{ height, mass float64 }
	pieces := make([]piece, 0, len(m.X))
	total := 0.0
	for i := 1; i < len(m.X); i++ {
		h := (m.Density[i-1] + m.Density[i]) / 2
		p := piece{h, h * (m.X[i] - m.X[i-1])}
		pieces = append(pieces, p)
		total += p.mass
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(b.height, a.height) })
	sum := 0.0
	for _, p := range pieces {
		if sum += p.mass; sum >= share*total {
			return p.height
		}
	}
	return 0
}

// above returns, as loops down to zero, the pieces of the density over which it
// is at least level.
func (m *Marginal) above(level float64) (loops [][]point) {
	var loop []point
	end := func() {
		if len(loop) > 2 {
			loops = append(loops, append(loop, point{loop[len(loop)-1].x, 0}))
		}
		loop = nil
	}
	for i, x := range m.X {
		f := m.Density[i]
		if i > 0 && (f >= level) != (m.Density[i-1] >= level) {
			t := (level - m.Density[i-1]) / (f - m.Density[i-1])
			at := m.X[i-1] + t*(x-m.X[i-1])
			if f >= level {
				loop = []point{{at, 0}, {at, level}}
			} else {
				loop = append(loop, point{at, level})
				end()
			}
		}
		if f >= level {
			if loop == nil {
				loop = []point{{x, 0}}
			}
			loop = append(loop, point{x, f})
		}
	}
	end()
	return loops
}
