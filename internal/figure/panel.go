package figure

import (
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

// A panel is one pair of axes with marks drawn in order.
type panel struct {
	title  string
	side   string // name of its row, left of everything
	x, y   scale
	layers []mark
}

func (p *panel) add(m ...mark) { p.layers = append(p.layers, m...) }

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
			pl.draw(upright{lineGrid, t.value})
		}
	}
	if p.y.marks == nil || p.y.ruled {
		for _, t := range yt {
			if t.label != "" || !p.y.ruled {
				pl.draw(level{lineGrid, t.value})
			}
		}
	}
	pl.draw(p.layers...)
	c.StrokeLines(lineAxis, []vg.Point{{X: c.Min.X, Y: c.Max.Y}, c.Min, {X: c.Max.X, Y: c.Min.Y}})
	p.drawX(pl, xt)
	p.drawY(pl, yt)
	if p.title != "" {
		sty := letters(letterSize)
		c.FillText(sty, vg.Point{X: c.Min.X, Y: c.Max.Y + 3}, shorten(sty, p.title, size.X))
	}
}

func (p *panel) drawX(pl *plane, marks []tick) {
	sty := aligned(numberSize, draw.XCenter, draw.YTop)
	c := pl.Canvas
	for _, t := range marks {
		at := pl.at(t.value, p.y.min)
		c.StrokeLine2(lineAxis, at.X, c.Min.Y, at.X, c.Min.Y-p.x.tick(t))
		if !p.x.silent {
			c.FillText(sty, vg.Point{X: at.X, Y: c.Min.Y - 4}, t.label)
		}
	}
	if p.x.label == "" {
		return
	}
	y := c.Min.Y - 4
	if len(marks) > 0 && !p.x.silent {
		y -= numberSize + 4
	}
	sty = aligned(letterSize, draw.XCenter, draw.YTop)
	c.FillText(sty, vg.Point{X: c.Center().X, Y: y}, shorten(sty, p.x.label, c.Size().X+8))
}

func (p *panel) drawY(pl *plane, marks []tick) {
	sty := aligned(numberSize, draw.XRight, draw.YCenter)
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
		pl.sideways(left-3, p.y.label, 8)
		left -= letterSize + 5
	}
	if p.side != "" {
		pl.sideways(left-4, p.side, 4)
	}
}

// sideways writes upwards at x, as long as the panel is and a little more.
func (p *plane) sideways(x vg.Length, text string, more vg.Length) {
	sty := aligned(letterSize, draw.XCenter, draw.YBottom)
	sty.Rotation = math.Pi / 2
	p.FillText(sty, vg.Point{X: x, Y: p.Center().Y}, shorten(letters(letterSize), text, p.Size().Y+more))
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
