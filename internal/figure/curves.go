package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Line is a curve with a band, as a mean with its interval.
type Line struct {
	Name      string // in the legend; "" is Method
	Method    string // gives colour and style; "" is ink
	X, Y      []float64
	Low, High []float64 // the band; both nil is none
	Dashed    bool      // as for what does not depend on x
	Faint     bool      // thin and pale, as what stands behind; not in the legend
	solid     bool      // drawn through, whatever its method
}

// A Rule is an upright line, as where something begins.
type Rule struct {
	At   float64
	Name string // in the legend
}

// Points are measurements with intervals.
type Points struct {
	Name      string // in the legend; "" is Method
	Method    string // gives the colour; "" is ink
	X, Y      []float64
	Low, High []float64 // the intervals; both nil is none
	Trend     *Trend    // nil is none
}

// A Trend is the line fitted to points.
type Trend struct {
	X, Y []float64 // along the line, two of a power law on logarithmic axes
	Text string    // what it says, as "slope 1.97 ± 0.04"
}

// A LinePanel is one pair of axes.
type LinePanel struct {
	Title  string
	Y      Axis       // of this panel alone, with a range of its own; zero shares that of Lines
	View   [2]float64 // range of a y of its own; zero shows all of the data
	Lines  []Line
	Points []Points
}

// Lines are panels of curves that share their axes and one legend.
type Lines struct {
	X, Y       Axis
	LogX, LogY bool
	View       [2][2]float64 // range of x and of y; zero shows all of the data
	Panels     []LinePanel
	Rules      []Rule
	Columns    int // of panels; 0 is up to 3
	Caption    string

	last  []key // of the legend
	whole bool  // x counts something
}

// Curves draws lines with bands, and points with intervals and the lines fitted
// to them. Every method has its own colour and style, which are the same in all
// figures. On a logarithmic axis values must be above 0; intervals may reach below
// and leave the axes there.
func Curves(q Lines) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	columns := columnsOr(q.Columns, len(q.Panels), 3)
	lay := mosaic{columns: columns, height: cm([...]float64{6.2, 5.4, 4.3}[min(columns, 3)-1])}
	if columns == 1 {
		lay.width = cm(10.5)
	}
	var panels []*panel
	var keys []key
	x, y := q.extent(q.Panels, 0), q.extent(q.shared(), 1)
	for k := range q.Panels {
		c := &q.Panels[k]
		p := &panel{title: c.Title, x: x, y: y}
		if c.Y != (Axis{}) {
			p.y = q.extent(q.Panels[k:k+1], 1)
			if c.View != ([2]float64{}) {
				p.y.min, p.y.max = q.place(1, c.View[0]), q.place(1, c.View[1])
			}
			p.y.label = c.Y.label()
		} else if k%columns > 0 && q.Panels[k-1].Y == (Axis{}) {
			p.y.label = ""
		}
		q.layers(p, c, lay)
		panels = append(panels, p)
		keys = c.keys(keys, false)
	}
	for k := range q.Panels {
		keys = q.Panels[k].keys(keys, true)
	}
	for _, r := range q.Rules {
		keys = append(keys, keyRule(r.Name, lineExpected))
	}
	for _, k := range q.last {
		keys = addKey(keys, k)
	}
	onlyLowest(panels, columns)
	return lay.compose(panels, keys, q.Caption), nil
}

func (q *Lines) check() error {
	if len(q.Panels) == 0 {
		return errors.New("figure: curves: no panels: give at least one")
	}
	for k := range q.Panels {
		c := &q.Panels[k]
		if len(c.Lines)+len(c.Points) == 0 {
			return fmt.Errorf("figure: curves, panel %d: nothing to draw: give lines or points", k+1)
		}
		for _, l := range c.Lines {
			if err := q.checkData(l.Name, l.Method, l.X, l.Y, l.Low, l.High); err != nil {
				return err
			}
		}
		for _, l := range c.Points {
			if err := q.checkData(l.Name, l.Method, l.X, l.Y, l.Low, l.High); err != nil {
				return err
			}
			if t := l.Trend; t != nil {
				if err := q.checkData(l.named()+", trend", l.Method, t.X, t.Y, nil, nil); err != nil {
					return err
				}
			}
		}
	}
	return q.checkRange()
}

func (q *Lines) checkRange() error {
	for _, r := range q.Rules {
		if err := finite("rule "+r.Name, r.At); err != nil {
			return err
		}
		if q.LogX && r.At <= 0 {
			return fmt.Errorf("figure: rule %s is at %g: a logarithmic axis has no place for what is not above 0", r.Name, r.At)
		}
	}
	for _, c := range q.Panels {
		if err := checkRise(c.Y.Name, c.View, q.LogY); err != nil {
			return err
		}
	}
	return errors.Join(checkRise(q.X.Name, q.View[0], q.LogX), checkRise(q.Y.Name, q.View[1], q.LogY))
}

// checkRise returns an error unless v is a range or zero.
func checkRise(axis string, v [2]float64, log bool) error {
	if v == ([2]float64{}) {
		return nil
	}
	if err := finite("view of "+axis, v[:]...); err != nil {
		return err
	}
	if !(v[0] < v[1]) || log && v[0] <= 0 {
		return fmt.Errorf("figure: view of %s: from %g to %g: it must rise, on a logarithmic axis from above 0", axis, v[0], v[1])
	}
	return nil
}

func (q *Lines) checkData(name, method string, x, y, low, high []float64) error {
	what := "curves, " + named(name, method)
	if _, err := methodLine(method); err != nil {
		return err
	}
	if len(x) == 0 {
		return fmt.Errorf("figure: %s: no values: give at least one", what)
	}
	if (low == nil) != (high == nil) {
		return fmt.Errorf("figure: %s: an interval has two ends: give both or none", what)
	}
	if low == nil {
		low, high = y, y
	}
	if err := sameLength(what, len(x), y, low, high); err != nil {
		return err
	}
	for _, v := range [][]float64{x, y, low, high} {
		if err := finite(what, v...); err != nil {
			return err
		}
	}
	for i := range x {
		if q.LogX && x[i] <= 0 || q.LogY && y[i] <= 0 {
			return fmt.Errorf("figure: %s: point %d is at (%g, %g): a logarithmic axis has no place for what is not above 0", what, i+1, x[i], y[i])
		}
	}
	return nil
}

func (l *Line) named() string   { return named(l.Name, l.Method) }
func (l *Points) named() string { return named(l.Name, l.Method) }

func named(name, method string) string {
	if name == "" {
		return method
	}
	return name
}

// shared returns the panels that share the y axis.
func (q *Lines) shared() []LinePanel {
	var out []LinePanel
	for _, c := range q.Panels {
		if c.Y == (Axis{}) {
			out = append(out, c)
		}
	}
	return out
}

func (q *Lines) log(j int) bool { return j == 0 && q.LogX || j == 1 && q.LogY }

// place returns where v is on axis j: its logarithm if that is logarithmic,
// far below the axis if there is none.
func (q *Lines) place(j int, v float64) float64 {
	if !q.log(j) {
		return v
	}
	return math.Log10(math.Max(v, 1e-300))
}

// extent returns axis j for all data of some panels.
func (q *Lines) extent(panels []LinePanel, j int) scale {
	s := scale{label: [...]Axis{q.X, q.Y}[j].label()}
	if v := q.View[j]; v != ([2]float64{}) {
		s.min, s.max = q.place(j, v[0]), q.place(j, v[1])
		return s
	}
	lo, hi := math.Inf(1), math.Inf(-1)
	see := func(values ...float64) {
		for _, v := range values {
			lo, hi = math.Min(lo, q.place(j, v)), math.Max(hi, q.place(j, v))
		}
	}
	var ends []float64
	for _, c := range panels {
		for _, l := range c.Lines {
			see([...][]float64{l.X, l.Y}[j]...)
			if j == 1 {
				ends = append(append(ends, l.Low...), l.High...)
			}
		}
		for _, l := range c.Points {
			see([...][]float64{l.X, l.Y}[j]...)
			if l.Trend != nil {
				see([...][]float64{l.Trend.X, l.Trend.Y}[j]...)
			}
			if j == 1 {
				ends = append(append(ends, l.Low...), l.High...)
			}
		}
	}
	if math.IsInf(lo, 1) {
		return s
	}
	// Wide intervals on a logarithmic axis must not squeeze everything else.
	least := math.Inf(-1)
	if q.log(j) {
		least = lo - math.Max(0.3, 0.1*(hi-lo))
	}
	for _, v := range ends {
		lo, hi = math.Min(lo, math.Max(q.place(j, v), least)), math.Max(hi, q.place(j, v))
	}
	s.min, s.max = widen(lo, hi, 0.04)
	if q.log(j) && hi-lo < 1e-9 {
		s.min, s.max = lo-0.3, hi+0.3
	}
	return s
}

// points returns where data are on the axes.
func (q *Lines) points(x, y []float64) []point {
	out := make([]point, len(x))
	for i := range x {
		out[i] = point{q.place(0, x[i]), q.place(1, y[i])}
	}
	return out
}

// layers adds what panel c shows to p: bands, lines, points, and what trends
// say.
func (q *Lines) layers(p *panel, c *LinePanel, lay mosaic) {
	width := lay.width
	if width == 0 {
		width = fullPage/vg.Length(lay.columns) - 30
	}
	for j, s := range [...]*scale{&p.x, &p.y} {
		if q.log(j) {
			s.ruled, s.marks = true, logTicks(s.min, s.max, [...]vg.Length{width, lay.height}[j], j == 1)
		}
	}
	if q.whole {
		p.x.marks = wholeTicks(p.x.min, p.x.max, width)
	}
	for _, l := range c.Lines {
		if l.Low != nil {
			lo, hi, tint := q.points(l.X, l.Low), q.points(l.X, l.High), shade(l.style().Color)
			p.add(func(pl *plane) { pl.between(tint, lo, hi) })
		}
	}
	var taken []point // where texts should not be
	for _, l := range c.Lines {
		sty, line := l.style(), q.points(l.X, l.Y)
		taken = append(taken, line...)
		p.add(func(pl *plane) { pl.line(sty, line) })
		if len(line) == 1 {
			p.add(func(pl *plane) { pl.dots(sty.Color, markSize, line) })
		}
	}
	for _, r := range q.Rules {
		p.add(func(pl *plane) { pl.vline(lineExpected, q.place(0, r.At)) })
	}
	var texts []saying
	for i := range c.Points {
		l := &c.Points[i]
		sty, _ := methodLine(l.Method)
		if l.Trend != nil {
			trend := q.points(l.Trend.X, l.Trend.Y)
			fitted := draw.LineStyle{Color: sty.Color, Width: 0.9, Dashes: sty.Dashes}
			taken = append(taken, trend...)
			p.add(func(pl *plane) { pl.line(fitted, trend) })
			if l.Trend.Text != "" {
				texts = append(texts, saying{l.Trend.Text, fitted})
			}
		}
		taken = append(taken, q.points(l.X, l.Y)...)
		p.add(q.measured(l))
	}
	if len(texts) > 0 {
		p.add(func(pl *plane) { pl.say(texts, taken) })
	}
}

// measured draws points with their intervals.
func (q *Lines) measured(l *Points) func(*plane) {
	mark := methodMark(l.Method)
	pts := q.points(l.X, l.Y)
	var lo, hi []point
	if l.Low != nil {
		lo, hi = q.points(l.X, l.Low), q.points(l.X, l.High)
	}
	return func(pl *plane) {
		for i := range lo {
			pl.whisker(mark.color, lo[i], hi[i])
		}
		pl.marks(mark, false, pts...)
	}
}

// markSize is the radius of a measurement.
const markSize = vg.Length(1.9)

func (l *Line) style() draw.LineStyle {
	sty, _ := methodLine(l.Method)
	if l.Faint {
		sty.Color, sty.Width = pale(sty.Color.(color.NRGBA)), 0.7
	}
	if l.solid {
		sty.Dashes = nil
	}
	if l.Dashed {
		sty.Dashes = []vg.Length{2, 2}
		sty.Width = min(sty.Width, 1)
	}
	return sty
}

// shade returns the tint of a band, through which others can be seen.
func shade(c color.Color) color.NRGBA {
	out := c.(color.NRGBA)
	out.A = 46
	return out
}

// between fills between two lines.
func (p *plane) between(c color.Color, lo, hi []point) {
	loop := append([]point(nil), lo...)
	for i := len(hi) - 1; i >= 0; i-- {
		loop = append(loop, hi[i])
	}
	p.fill(c, loop)
}

// whisker draws an interval with its ends, less those that are off the axes.
func (p *plane) whisker(c color.Color, a, b point) {
	sty := draw.LineStyle{Color: c, Width: 0.9}
	p.line(sty, []point{a, b})
	for _, e := range [...]point{a, b} {
		if at := p.at(e.x, e.y); p.Contains(at) {
			p.StrokeLine2(sty, at.X-markSize, at.Y, at.X+markSize, at.Y)
		}
	}
}

// A saying is what the line beside it says.
type saying struct {
	text string
	sty  draw.LineStyle
}

// say writes texts one under the other in the corner with the fewest points.
func (p *plane) say(texts []saying, taken []point) {
	const skip, specimen = numberSize * 1.4, vg.Length(14)
	sty := letters(numberSize)
	width := vg.Length(0)
	for _, t := range texts {
		width = max(width, sty.Width(t.text))
	}
	width += specimen + 4
	height := skip * vg.Length(len(texts))
	var best vg.Rectangle
	fewest := len(taken) + 1
	for _, right := range [...]bool{false, true} {
		for _, top := range [...]bool{true, false} {
			r := vg.Rectangle{Min: vg.Point{X: p.Min.X + 5, Y: p.Min.Y + 5}}
			if right {
				r.Min.X = p.Max.X - 5 - width
			}
			if top {
				r.Min.Y = p.Max.Y - 4 - height
			}
			r.Max = vg.Point{X: r.Min.X + width, Y: r.Min.Y + height}
			n := 0
			for _, q := range taken {
				if at := p.at(q.x, q.y); at.X > r.Min.X-6 && at.X < r.Max.X+6 && at.Y > r.Min.Y-6 && at.Y < r.Max.Y+6 {
					n++
				}
			}
			if n < fewest {
				best, fewest = r, n
			}
		}
	}
	for i, t := range texts {
		y := best.Max.Y - skip*(vg.Length(i)+0.5)
		p.StrokeLine2(t.sty, best.Min.X, y, best.Min.X+specimen, y)
		sty.YAlign = draw.YCenter
		p.FillText(sty, vg.Point{X: best.Min.X + specimen + 4, Y: y}, t.text)
	}
}

// keys adds to keys what is new in panel c: what is dashed, or the rest.
func (c *LinePanel) keys(keys []key, dashed bool) []key {
	add := func(k key) {
		for _, o := range keys {
			if o.label == k.label {
				return
			}
		}
		if k.label != "" {
			keys = append(keys, k)
		}
	}
	for i := range c.Lines {
		if c.Lines[i].Dashed == dashed && !c.Lines[i].Faint {
			add(keyLine(c.Lines[i].named(), c.Lines[i].style()))
		}
	}
	for i := range c.Points {
		if dashed {
			break
		}
		l := &c.Points[i]
		add(keyMeasured(l.named(), methodMark(l.Method), l.Low != nil, false))
	}
	return keys
}
