package figure

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A mark is one thing that a panel shows. What has no data draws nothing.
type mark interface{ draw(p *plane) }

// The marks, of which every picture consists. Styles and colours come first.
type (
	line struct { // a polyline, clipped to the axes
		sty draw.LineStyle
		pts []point
	}
	lines struct { // polylines, or pieces of lines, in one style
		sty   draw.LineStyle
		lines [][]point
	}
	upright struct { // a line at x through the panel
		sty draw.LineStyle
		x   float64
	}
	level struct { // a line at y through the panel
		sty draw.LineStyle
		y   float64
	}
	region struct { // loops filled as one; one that runs against that around it is a hole
		color color.Color
		loops [][]point
	}
	band struct { // what lies between low and high over x
		color        color.Color
		x, low, high []float64
	}
	box struct { // a rectangle of which two opposite corners are given
		color color.Color
		a, b  point
	}
	dots struct { // filled discs
		color  color.Color
		radius vg.Length
		pts    []point
	}
	specks struct { // small squares, in a third of the bytes of dots
		color color.Color
		size  vg.Length
		pts   []point
	}
	rings struct {
		sty    draw.LineStyle
		radius vg.Length
		pts    []point
	}
	glyphs struct { // measurements
		glyph
		hollow bool
		pts    []point
	}
	whisker struct { // an interval with its ends
		color color.Color
		a, b  point
	}
	segments struct { // pieces of lines, which may leave the axes
		sty    draw.LineStyle
		pieces [][2]point
	}
	cross struct {
		sty draw.LineStyle
		at  point
	}
	picture struct { // an image between two opposite corners
		image image.Image
		a, b  point
	}
	wall struct { // the end of the domain: side is −1 for a lower bound and +1 for an upper one
		x    float64
		side int
	}
	beyond struct { // what is not within loops of outline
		color color.Color
		walls [][]point
	}
	painted func(p *plane) // what is told by no other mark
)

// draw draws marks in their order.
func (p *plane) draw(marks ...mark) {
	for _, m := range marks {
		m.draw(p)
	}
}

func (m painted) draw(p *plane) { m(p) }

func (m line) draw(p *plane) { p.StrokeLines(m.sty, p.ClipLinesXY(p.place(m.pts))...) }

func (m lines) draw(p *plane) {
	for _, l := range m.lines {
		p.draw(line{m.sty, l})
	}
}

func (m upright) draw(p *plane) { p.draw(line{m.sty, []point{{m.x, p.y.min}, {m.x, p.y.max}}}) }

func (m level) draw(p *plane) { p.draw(line{m.sty, []point{{p.x.min, m.y}, {p.x.max, m.y}}}) }

func (m region) draw(p *plane) {
	var path vg.Path
	for _, l := range m.loops {
		if len(l) == 0 {
			continue
		}
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
		p.SetColor(m.color)
		p.Fill(path)
	}
}

func (m band) draw(p *plane) {
	if m.low != nil {
		p.draw(between(m.color, joined(m.x, m.low), joined(m.x, m.high)))
	}
}

// between is what lies between two lines.
func between(c color.Color, low, high []point) region {
	loop := append([]point(nil), low...)
	for i := len(high) - 1; i >= 0; i-- {
		loop = append(loop, high[i])
	}
	return region{c, [][]point{loop}}
}

func (m box) draw(p *plane) {
	p.draw(region{m.color, [][]point{{m.a, {m.b.x, m.a.y}, m.b, {m.a.x, m.b.y}}}})
}

// within returns where points are on the canvas, less those off the axes.
func (p *plane) within(pts []point) []vg.Point {
	var out []vg.Point
	for _, q := range pts {
		if at := p.at(q.x, q.y); p.Contains(at) {
			out = append(out, at)
		}
	}
	return out
}

func (m dots) draw(p *plane) {
	var path vg.Path
	for _, at := range p.within(m.pts) {
		path = append(path, circle(at, m.radius)...)
	}
	if len(path) > 0 {
		p.SetColor(m.color)
		p.Fill(path)
	}
}

func (m specks) draw(p *plane) {
	var path vg.Path
	for _, at := range p.within(m.pts) {
		path.Move(vg.Point{X: at.X - m.size/2, Y: at.Y})
		path.Line(vg.Point{X: at.X + m.size/2, Y: at.Y})
	}
	p.stroke(draw.LineStyle{Color: m.color, Width: m.size}, path)
}

// stroke strokes a path unless it is empty.
func (p *plane) stroke(sty draw.LineStyle, path vg.Path) {
	if len(path) > 0 {
		p.SetLineStyle(sty)
		p.Stroke(path)
	}
}

func (m rings) draw(p *plane) {
	p.SetLineStyle(m.sty)
	for _, at := range p.within(m.pts) {
		p.Stroke(circle(at, m.radius))
	}
}

func circle(at vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	return path
}

// markSize is the radius of a measurement.
const markSize = vg.Length(1.9)

func (m whisker) draw(p *plane) {
	sty := draw.LineStyle{Color: m.color, Width: 0.9}
	ends := []point{m.a, m.b}
	p.draw(line{sty, ends})
	for _, at := range p.within(ends) {
		p.StrokeLine2(sty, at.X-markSize, at.Y, at.X+markSize, at.Y)
	}
}

func (m glyphs) draw(p *plane) {
	for _, at := range p.within(m.pts) {
		m.glyph.draw(p.Canvas, at, m.hollow)
	}
}

func (m segments) draw(p *plane) {
	var path vg.Path
	for _, s := range m.pieces {
		path.Move(p.at(s[0].x, s[0].y))
		path.Line(p.at(s[1].x, s[1].y))
	}
	p.stroke(m.sty, path)
}

func (m cross) draw(p *plane) {
	const r = vg.Length(2.6)
	c := p.at(m.at.x, m.at.y)
	p.StrokeLine2(m.sty, c.X-r, c.Y-r, c.X+r, c.Y+r)
	p.StrokeLine2(m.sty, c.X-r, c.Y+r, c.X+r, c.Y-r)
}

func (m picture) draw(p *plane) {
	p.DrawImage(vg.Rectangle{Min: p.at(m.a.x, m.a.y), Max: p.at(m.b.x, m.b.y)}, m.image)
}

// draw draws the wall as a line, grey on the side beyond and hatched as walls are.
func (m wall) draw(p *plane) {
	end := p.x.max
	if m.side < 0 {
		end = p.x.min
	}
	p.draw(box{outside, point{m.x, p.y.min}, point{end, p.y.max}})
	at, far := p.at(m.x, p.y.min), p.at(end, p.y.max)
	d := vg.Length(m.side) * min(4, (far.X-at.X)*vg.Length(m.side))
	for y := p.Min.Y; y+4 < p.Max.Y; y += 5 {
		p.StrokeLine2(lineHatch, at.X, y, at.X+d, y+4)
	}
	p.draw(upright{lineWall, m.x})
}

func (m beyond) draw(p *plane) {
	frame := []point{{p.x.min, p.y.min}, {p.x.min, p.y.max}, {p.x.max, p.y.max}, {p.x.max, p.y.min}}
	p.draw(region{m.color, append([][]point{frame}, m.walls...)})
}

// outer greys what is not in the domain and draws its wall; walls are loops of outline.
func outer(walls [][]point) []mark {
	return []mark{beyond{outside, walls}, lines{lineWall, closed(walls)}}
}

// closed joins the ends of loops.
func closed(loops [][]point) [][]point {
	out := make([][]point, len(loops))
	for i, l := range loops {
		out[i] = append(l[:len(l):len(l)], l[0])
	}
	return out
}

// joined pairs coordinates.
func joined(x, y []float64) []point {
	out := make([]point, len(y))
	for i := range out {
		out[i] = point{x[i], y[i]}
	}
	return out
}
