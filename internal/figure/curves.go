package figure

import (
	"cmp"
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

	last  legend // after the rest
	whole bool   // x counts something
}

// A curve is what lines, points and trends have in common.
type curve struct {
	what      string // in messages
	method    string
	x, y      []float64
	low, high []float64 // the interval; both nil is none
}

// data returns all that a panel shows: lines, then points, each with its trend.
func (c *LinePanel) data() []curve {
	var out []curve
	for _, l := range c.Lines {
		out = append(out, curve{l.named(), l.Method, l.X, l.Y, l.Low, l.High})
	}
	for _, l := range c.Points {
		out = append(out, curve{l.named(), l.Method, l.X, l.Y, l.Low, l.High})
		if t := l.Trend; t != nil {
			out = append(out, curve{l.named() + ", trend", l.Method, t.X, t.Y, nil, nil})
		}
	}
	return out
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
	lay := grid(columns, []float64{6.2, 5.4, 4.3}, []float64{10.5})
	var panels []*panel
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
	}
	onlyLowest(panels, columns)
	return lay.compose(panels, q.keys(), q.Caption), nil
}

func (q *Lines) check() error {
	c := &check{what: "curves"}
	c.must(len(q.Panels) > 0, "no panels: give at least one")
	for k := range q.Panels {
		data := q.Panels[k].data()
		c.part("curves, panel %d", k+1)
		c.must(len(data) > 0, "nothing to draw: give lines or points")
		for _, d := range data {
			c.part("curves, %s", d.what)
			c.method(d.method)
			c.must(len(d.x) > 0, "no values: give at least one")
			c.ends(d.low, d.high)
			c.columns(column{"", d.x, anyLength, onLog(q.LogX)}, column{"", d.y, len(d.x), onLog(q.LogY)},
				column{"", d.low, len(d.x), optional}, column{"", d.high, len(d.x), optional})
		}
	}
	for _, r := range q.Rules {
		c.part("rule %s", r.Name)
		c.columns(column{"", []float64{r.At}, anyLength, onLog(q.LogX)})
	}
	for _, p := range q.Panels {
		c.view(p.Y, p.View, q.LogY)
	}
	c.view(q.X, q.View[0], q.LogX)
	c.view(q.Y, q.View[1], q.LogY)
	return c.err
}

func (l *Line) named() string   { return cmp.Or(l.Name, l.Method) }
func (l *Points) named() string { return cmp.Or(l.Name, l.Method) }

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

func (q *Lines) log(j int) bool { return [...]bool{q.LogX, q.LogY}[j] }

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
	var ends []float64
	for k := range panels {
		for _, d := range panels[k].data() {
			for _, v := range [...][]float64{d.x, d.y}[j] {
				lo, hi = math.Min(lo, q.place(j, v)), math.Max(hi, q.place(j, v))
			}
			if j == 1 {
				ends = append(append(ends, d.low...), d.high...)
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

// points returns where data are on the axes; y nil is none.
func (q *Lines) points(x, y []float64) []point {
	out := joined(x, y)
	for i, p := range out {
		out[i] = point{q.place(0, p.x), q.place(1, p.y)}
	}
	return out
}

// layers adds what panel c shows to p: bands, lines, points, and what trends
// say.
func (q *Lines) layers(p *panel, c *LinePanel, lay mosaic) {
	width := cmp.Or(lay.width, fullPage/vg.Length(lay.columns)-30)
	if q.LogX {
		p.x.ruled, p.x.marks = true, logTicks(p.x.min, p.x.max, width, false)
	}
	if q.LogY {
		p.y.ruled, p.y.marks = true, logTicks(p.y.min, p.y.max, lay.height, true)
	}
	if q.whole {
		p.x.marks = wholeTicks(p.x.min, p.x.max, width)
	}
	for _, l := range c.Lines {
		p.add(between(shade(l.style().Color), q.points(l.X, l.Low), q.points(l.X, l.High)))
	}
	var taken []point // where texts should not be
	for _, l := range c.Lines {
		sty, pts := l.style(), q.points(l.X, l.Y)
		taken = append(taken, pts...)
		p.add(line{sty, pts})
		if len(pts) == 1 {
			p.add(dots{sty.Color, markSize, pts})
		}
	}
	for _, r := range q.Rules {
		p.add(upright{lineExpected, q.place(0, r.At)})
	}
	var texts []saying
	for _, l := range c.Points {
		sty, _ := methodLine(l.Method)
		if l.Trend != nil {
			trend := q.points(l.Trend.X, l.Trend.Y)
			fitted := draw.LineStyle{Color: sty.Color, Width: 0.9, Dashes: sty.Dashes}
			taken = append(taken, trend...)
			p.add(line{fitted, trend})
			if l.Trend.Text != "" {
				texts = append(texts, saying{l.Trend.Text, fitted})
			}
		}
		pts, low, high := q.points(l.X, l.Y), q.points(l.X, l.Low), q.points(l.X, l.High)
		taken = append(taken, pts...)
		for i := range low {
			p.add(whisker{sty.Color, low[i], high[i]})
		}
		p.add(glyphs{methodMark(l.Method), false, pts})
	}
	if len(texts) > 0 {
		p.add(painted(func(pl *plane) { pl.say(texts, taken) }))
	}
}

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

// keys is the legend: lines and points, what is dashed, rules, and the rest.
func (q *Lines) keys() legend {
	var keys legend
	add := func(k key) {
		if k.label != "" {
			keys.join(k)
		}
	}
	for _, dashed := range [...]bool{false, true} {
		for _, c := range q.Panels {
			for _, l := range c.Lines {
				if l.Dashed == dashed && !l.Faint {
					add(keyLine(l.named(), l.style()))
				}
			}
			for _, l := range c.Points {
				if !dashed {
					add(keyMeasured(l.named(), methodMark(l.Method), l.Low != nil, false))
				}
			}
		}
	}
	for _, r := range q.Rules {
		keys.add(true, keyRule(r.Name, lineExpected))
	}
	for _, k := range q.last {
		keys.join(k)
	}
	return keys
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
	sty.YAlign = draw.YCenter
	for i, t := range texts {
		y := best.Max.Y - skip*(vg.Length(i)+0.5)
		p.StrokeLine2(t.sty, best.Min.X, y, best.Min.X+specimen, y)
		p.FillText(sty, vg.Point{X: best.Min.X + specimen + 4, Y: y}, t.text)
	}
}
