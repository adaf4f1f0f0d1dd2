package figure

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A point is a place in data coordinates.
type point struct{ x, y float64 }

// A scale is one axis of a panel.
type scale struct {
	label    string
	min, max float64
	ruled    bool   // marks have grid lines; those without a label are short
	bare     bool   // neither numbers nor grid lines
	silent   bool   // no numbers
	marks    []tick // instead of round numbers
}

// A panel is one pair of axes with layers drawn in order. Layers may draw
// beyond the axes only what plane does not clip.
type panel struct {
	title  string
	side   string // name of its row, left of everything
	x, y   scale
	layers []func(*plane)
}

func (p *panel) add(l ...func(*plane)) { p.layers = append(p.layers, l...) }

// A plane is the rectangle of a panel while it is drawn, with data coordinates.
type plane struct {
	draw.Canvas
	x, y scale
}

// draw draws the panel with its data in the rectangle of c, and numbers and
// names left of it and below.
func (p *panel) draw(c draw.Canvas) {
	pl := &plane{Canvas: c, x: p.x, y: p.y}
	size := c.Size()
	xt, yt := p.x.marks, p.y.marks
	if xt == nil && !p.x.bare {
		xt = ticks(p.x.min, p.x.max, size.X, false)
	}
	if yt == nil && !p.y.bare {
		yt = ticks(p.y.min, p.y.max, size.Y, true)
	}
	for _, t := range xt {
		if t.label != "" || !p.x.ruled {
			pl.vline(lineGrid, t.value)
		}
	}
	if p.y.marks == nil || p.y.ruled {
		for _, t := range yt {
			if t.label != "" || !p.y.ruled {
				pl.hline(lineGrid, t.value)
			}
		}
	}
	for _, l := range p.layers {
		l(pl)
	}
	c.StrokeLines(lineAxis, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
	p.drawX(pl, xt)
	p.drawY(pl, yt)
	if p.title != "" {
		sty := letters(letterSize)
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y + 3}, shorten(sty, p.title, size.X))
	}
}

func (p *panel) drawX(pl *plane, marks []tick) {
	sty := letters(numberSize)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
	c := pl.Canvas
	for _, t := range marks {
		at := pl.at(t.value, p.y.min)
		c.StrokeLine2(lineAxis, at.X, c.Min.Y, at.X, c.Min.Y-p.x.tick(t))
		if !p.x.silent {
			c.FillText(sty, vg.Point{X: at.X, Y: c.Min.Y - 4}, t.label)
		}
	}
	if p.x.label != "" {
		sty := letters(letterSize)
		sty.XAlign, sty.YAlign = draw.XCenter, draw.YTop
		y := c.Min.Y - 4
		if len(marks) > 0 && !p.x.silent {
			y -= numberSize + 4
		}
		c.FillText(sty, vg.Point{X: c.Center().X, Y: y}, shorten(sty, p.x.label, c.Size().X+8))
	}
}

func (p *panel) drawY(pl *plane, marks []tick) {
	sty := letters(numberSize)
	sty.XAlign, sty.YAlign = draw.XRight, draw.YCenter
	c := pl.Canvas
	left := c.Min.X - 4
	for _, t := range marks {
		at := pl.at(p.x.min, t.value)
		if p.y.marks == nil || p.y.ruled {
			c.StrokeLine2(lineAxis, c.Min.X, at.Y, c.Min.X-p.y.tick(t), at.Y)
		}
		if !p.y.silent {
			c.FillText(sty, vg.Point{X: c.Min.X - 4, Y: at.Y + 0.7}, t.label)
			left = min(left, c.Min.X-4-sty.Width(t.label))
		}
	}
	if p.y.label != "" {
		sty := letters(letterSize)
		sty.XAlign, sty.YAlign, sty.Rotation = draw.XCenter, draw.YBottom, math.Pi/2
		upright := letters(letterSize)
		c.FillText(sty, vg.Point{X: left - 3, Y: c.Center().Y}, shorten(upright, p.y.label, c.Size().Y+8))
		left -= letterSize + 5
	}
	if p.side != "" {
		sty := letters(letterSize)
		upright := sty
		sty.XAlign, sty.YAlign, sty.Rotation = draw.XCenter, draw.YBottom, math.Pi/2
		c.FillText(sty, vg.Point{X: left - 4, Y: c.Center().Y}, shorten(upright, p.side, c.Size().Y+4))
	}
}

// tick returns the length of the stroke at t.
func (s *scale) tick(t tick) vg.Length {
	if s.ruled && t.label == "" {
		return 1.5
	}
	return 2.5
}

// leftRoom returns the space that numbers and name of the y axis need if the
// panel is height tall.
func (p *panel) leftRoom(height vg.Length) vg.Length {
	room := vg.Length(4)
	marks := p.y.marks
	if marks == nil && !p.y.bare {
		marks = ticks(p.y.min, p.y.max, height, true)
	}
	if !p.y.silent {
		sty := letters(numberSize)
		for _, t := range marks {
			room = max(room, 5+sty.Width(t.label))
		}
	}
	if p.y.label != "" {
		room += letterSize + 5
	}
	if p.side != "" {
		room += letterSize + 5
	}
	return room
}

// belowRoom returns the space that numbers and name of the x axis need.
func (p *panel) belowRoom() vg.Length {
	room := vg.Length(4)
	if !p.x.silent && !p.x.bare {
		room = below
	}
	if p.x.label != "" {
		room += nameRoom
	}
	return room
}

// at returns the place of (x, y) on the canvas; what is far off the axes is
// moved to a place still off them.
func (p *plane) at(x, y float64) vg.Point {
	clamp := func(v float64) float64 { return math.Max(-99, math.Min(100, v)) }
	return vg.Point{
		X: p.X(clamp((x - p.x.min) / (p.x.max - p.x.min))),
		Y: p.Y(clamp((y - p.y.min) / (p.y.max - p.y.min))),
	}
}

func (p *plane) place(pts []point) []vg.Point {
	out := make([]vg.Point, len(pts))
	for i, q := range pts {
		out[i] = p.at(q.x, q.y)
	}
	return out
}

// line strokes a polyline, clipped to the axes.
func (p *plane) line(sty draw.LineStyle, pts []point) {
	p.StrokeLines(sty, p.ClipLinesXY(p.place(pts))...)
}

func (p *plane) vline(sty draw.LineStyle, x float64) {
	p.line(sty, []point{{x, p.y.min}, {x, p.y.max}})
}

func (p *plane) hline(sty draw.LineStyle, y float64) {
	p.line(sty, []point{{p.x.min, y}, {p.x.max, y}})
}

// fill fills the loops as one region, clipped to the axes. A loop that runs
// against the one around it is a hole.
func (p *plane) fill(c color.Color, loops ...[]point) {
	var path vg.Path
	for _, l := range loops {
		pts := p.ClipPolygonXY(p.place(l))
		if len(pts) < 3 {
			continue
		}
		path.Move(pts[0])
		for _, q := range pts[1:] {
			path.Line(q)
		}
		path.Close()
	}
	if len(path) > 0 {
		p.SetColor(c)
		p.Fill(path)
	}
}

// band fills between lo and hi over x.
func (p *plane) band(c color.Color, x, lo, hi []float64) {
	loop := make([]point, 0, 2*len(x))
	for i := range x {
		loop = append(loop, point{x[i], lo[i]})
	}
	for i := len(x) - 1; i >= 0; i-- {
		loop = append(loop, point{x[i], hi[i]})
	}
	p.fill(c, loop)
}

// box fills the rectangle with two opposite corners a and b.
func (p *plane) box(c color.Color, a, b point) {
	p.fill(c, []point{a, {b.x, a.y}, b, {a.x, b.y}})
}

// dots draws filled discs of a radius; those off the axes are left out.
func (p *plane) dots(c color.Color, radius vg.Length, pts []point) {
	var path vg.Path
	for _, q := range pts {
		at := p.at(q.x, q.y)
		if !p.Contains(at) {
			continue
		}
		path = append(path, circle(at, radius)...)
	}
	if len(path) > 0 {
		p.SetColor(c)
		p.Fill(path)
	}
}

// specks draws small squares of a size, in a third of the bytes of dots; those
// off the axes are left out.
func (p *plane) specks(c color.Color, size vg.Length, pts []point) {
	var path vg.Path
	for _, q := range pts {
		if at := p.at(q.x, q.y); p.Contains(at) {
			path.Move(vg.Point{X: at.X - size/2, Y: at.Y})
			path.Line(vg.Point{X: at.X + size/2, Y: at.Y})
		}
	}
	if len(path) > 0 {
		p.SetLineStyle(draw.LineStyle{Color: c, Width: size})
		p.Stroke(path)
	}
}

// rings draws circles of a radius; those off the axes are left out.
func (p *plane) rings(sty draw.LineStyle, radius vg.Length, pts []point) {
	p.SetLineStyle(sty)
	for _, q := range pts {
		if at := p.at(q.x, q.y); p.Contains(at) {
			p.Stroke(circle(at, radius))
		}
	}
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	return path
}

// wall draws the end of the domain at x: a line, grey on the side beyond and
// hatched as walls are. Side is −1 for a lower bound and +1 for an upper one.
func (p *plane) wall(x float64, side int) {
	end := p.x.max
	if side < 0 {
		end = p.x.min
	}
	p.box(outside, point{x, p.y.min}, point{end, p.y.max})
	at, far := p.at(x, p.y.min), p.at(end, p.y.max)
	d := vg.Length(side) * min(4, (far.X-at.X)*vg.Length(side))
	for y := p.Min.Y; y+4 < p.Max.Y; y += 5 {
		p.StrokeLine2(lineHatch, at.X, y, at.X+d, y+4)
	}
	p.vline(lineWall, x)
}
