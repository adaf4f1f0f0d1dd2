package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Orbit is a trajectory in the plane of two states.
type Orbit struct{ X, Y []float64 }

// A Portrait is what happens in the plane of two states.
type Portrait struct {
	X, Y   Axis
	Orbit  Orbit                               // in the foreground, from its start on
	Others []Orbit                             // of other draws, pale
	Known  Orbit                               // another trajectory to compare with; empty is none
	Data   Orbit                               // observed; empty is none, of many some are shown
	Field  func(x, y float64) (dx, dy float64) // the way that states go; nil is not shown
}

// PhaseText says what is in phase portraits.
type PhaseText struct {
	Name    string // of the orbit in the foreground: "mode"
	Others  string // of the pale ones: "50 draws"
	Known   string
	Caption string
}

// Phase draws phase portraits, a panel each. Where the state goes from any place
// is told by arrows of one length.
func Phase(q []Portrait, text PhaseText) (*Figure, error) {
	c := &check{what: "phase portraits"}
	c.panels(len(q))
	for _, p := range q {
		c.part("phase portrait of %s and %s", p.X.Name, p.Y.Name)
		c.must(len(p.Orbit.X) > 0, "no orbit")
		for _, o := range append([]Orbit{p.Orbit, p.Known, p.Data}, p.Others...) {
			c.columns(column{"", o.X, anyLength, 0}, column{"", o.Y, len(o.X), 0})
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	lay := grid(columnsFor(len(q), 3), []float64{8, 6.8, 4.8}, []float64{10.5})
	var panels []*panel
	for i := range q {
		panels = append(panels, q[i].panel())
	}
	return lay.compose(panels, phaseKeys(q, text), text.Caption), nil
}

func phaseKeys(q []Portrait, text PhaseText) legend {
	some := func(is func(p Portrait) bool) bool { return slices.ContainsFunc(q, is) }
	keys := legend{keyLine(text.Name, linePosterior), {"start", func(d draw.Canvas) {
		d.SetLineStyle(lineStart)
		d.Stroke(circle(d.Center(), startSize))
	}}}
	keys.add(some(func(p Portrait) bool { return len(p.Others) > 0 }), keyLine(text.Others, linePale))
	keys.add(some(func(p Portrait) bool { return len(p.Known.X) > 0 }), keyLine(text.Known, lineKnown))
	keys.add(some(func(p Portrait) bool { return len(p.Data.X) > 0 }), keyObserved("observed"))
	keys.add(some(func(p Portrait) bool { return p.Field != nil }), key{"direction of flow", func(d draw.Canvas) {
		at := d.Center()
		arrow(d, fieldInk, vg.Point{X: at.X - 5, Y: at.Y}, vg.Point{X: at.X + 5, Y: at.Y})
	}})
	return keys
}

// The looks of a phase portrait.
var (
	fieldInk  = color.NRGBA{R: 170, G: 170, B: 170, A: 255}
	linePale  = draw.LineStyle{Color: middle, Width: 0.5}
	lineKnown = draw.LineStyle{Color: truth, Width: 1.7}
	lineStart = draw.LineStyle{Color: posterior, Width: 1.1}
)

// mostDots is how many data are drawn before they would hide what is below.
const mostDots = 250

const startSize = vg.Length(2.6)

func (q *Portrait) panel() *panel {
	p := &panel{x: scale{label: q.X.label()}, y: scale{label: q.Y.label()}}
	p.x.min, p.x.max = q.view(func(o Orbit) []float64 { return o.X })
	p.y.min, p.y.max = q.view(func(o Orbit) []float64 { return o.Y })
	if q.Field != nil {
		p.add(painted(q.flow))
	}
	most := max(60, mostKnots*5/max(1, len(q.Others)))
	for _, o := range q.Others {
		p.add(o.line(linePale, most))
	}
	p.add(q.Known.line(lineKnown, mostKnots)) // wider and below: both are seen where they agree
	p.add(q.Orbit.line(linePosterior, mostKnots))
	data := joined(few(q.Data.X, mostDots), few(q.Data.Y, mostDots))
	p.add(dots{observed, 0.8 * dotSize(len(data)), data}, rings{lineStart, startSize, []point{{q.Orbit.X[0], q.Orbit.Y[0]}}})
	return p
}

// view is the range of a coordinate: that of the orbit, of what is known and of
// data, and of the others as far as they stay near.
func (q *Portrait) view(of func(Orbit) []float64) (lo, hi float64) {
	lo, hi = extent(slices.Concat(of(q.Orbit), of(q.Known), of(q.Data))...)
	room := 0.6 * math.Max(hi-lo, math.Abs(hi)/10)
	least, most := lo, hi
	for _, o := range q.Others {
		if v := of(o); len(v) > 0 {
			a, b := extent(v...)
			least, most = math.Min(least, a), math.Max(most, b)
		}
	}
	return widen(math.Max(least, lo-room), math.Min(most, hi+room), 0.05)
}

// line goes through at most so many of the points of a trajectory.
func (o Orbit) line(sty draw.LineStyle, most int) mark {
	return line{sty, joined(few(o.X, most), few(o.Y, most))}
}

// flow draws arrows of one length on a grid.
func (q *Portrait) flow(pl *plane) {
	const apart = vg.Length(17)
	size := pl.Size()
	nx, ny := int(size.X/apart), int(size.Y/apart)
	for i := range nx {
		for j := range ny {
			x := pl.x.min + (pl.x.max-pl.x.min)*(float64(i)+0.5)/float64(nx)
			y := pl.y.min + (pl.y.max-pl.y.min)*(float64(j)+0.5)/float64(ny)
			dx, dy := q.Field(x, y)
			u := dx / (pl.x.max - pl.x.min) * float64(size.X)
			v := dy / (pl.y.max - pl.y.min) * float64(size.Y)
			l := math.Hypot(u, v)
			if !(l > 0) || math.IsInf(l, 1) {
				continue
			}
			half := vg.Point{X: vg.Length(u/l) * 4, Y: vg.Length(v/l) * 4}
			at := pl.at(x, y)
			arrow(pl.Canvas, fieldInk, at.Sub(half), at.Add(half))
		}
	}
}

// arrow strokes an arrow from a to b.
func arrow(c draw.Canvas, ink color.Color, a, b vg.Point) {
	d := b.Sub(a)
	l := vg.Length(math.Hypot(float64(d.X), float64(d.Y)))
	if l == 0 {
		return
	}
	back, aside := d.Scale(2.6/l), vg.Point{X: -d.Y, Y: d.X}.Scale(1.3/l)
	var path vg.Path
	path.Move(a)
	path.Line(b)
	path.Move(b.Sub(back).Add(aside))
	path.Line(b)
	path.Line(b.Sub(back).Sub(aside))
	c.SetLineStyle(draw.LineStyle{Color: ink, Width: 0.5})
	c.Stroke(path)
}
