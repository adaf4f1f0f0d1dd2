package figure

import (
	"image/color"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A key is an entry of the legend.
type key struct {
	label string
	draw  func(c draw.Canvas) // fills its small canvas with a specimen
}

// A legend is what the marks of a figure mean.
type legend []key

// add adds keys if there is some of what they explain.
func (l *legend) add(some bool, keys ...key) {
	if some {
		*l = append(*l, keys...)
	}
}

// join adds a key unless the legend has its label.
func (l *legend) join(k key) {
	l.add(!slices.ContainsFunc(*l, func(o key) bool { return o.label == k.label }), k)
}

// swatch is the width of a specimen.
const swatch = vg.Length(18)

// places returns where each key begins: row and x.
func (f *Figure) places() (row []int, x []vg.Length) {
	sty := letters(letterSize)
	r, at := 0, edge
	for _, k := range f.keys {
		w := swatch + 4 + sty.Width(k.label)
		if at > edge && at+w > f.width-edge {
			r, at = r+1, edge
		}
		row, x = append(row, r), append(x, at)
		at += w + 14
	}
	return row, x
}

func (f *Figure) keyRows() int {
	if len(f.keys) == 0 {
		return 0
	}
	row, _ := f.places()
	return row[len(row)-1] + 1
}

func (f *Figure) drawKeys(c draw.Canvas) {
	sty := letters(letterSize)
	row, x := f.places()
	for i, k := range f.keys {
		y := f.height - edge - vg.Length(row[i])*lineSkip - letterSize
		d := c
		d.Rectangle = vg.Rectangle{Min: vg.Point{X: x[i], Y: y}, Max: vg.Point{X: x[i] + swatch, Y: y + 7}}
		k.draw(d)
		c.FillText(sty, vg.Point{X: x[i] + swatch + 4, Y: y}, k.label)
	}
}

// The specimens.

func keyArea(label string, c color.Color) key {
	return key{label, func(d draw.Canvas) {
		d.FillPolygon(c, []vg.Point{d.Min, {X: d.Max.X, Y: d.Min.Y}, d.Max, {X: d.Min.X, Y: d.Max.Y}})
	}}
}

func keyLine(label string, sty draw.LineStyle) key {
	return key{label, func(d draw.Canvas) {
		y := d.Center().Y
		d.StrokeLine2(sty, d.Min.X, y, d.Max.X, y)
	}}
}

func keyDot(label string, c color.Color, radius vg.Length) key {
	return key{label, func(d draw.Canvas) { disc(d, c, radius, d.Center()) }}
}

// disc draws a filled circle.
func disc(d draw.Canvas, c color.Color, radius vg.Length, at vg.Point) {
	d.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}, at)
}

// keyObserved is that of data.
func keyObserved(label string) key { return keyDot(label, observed, 1.8) }

func keyOutside() key {
	return key{"outside the domain", func(d draw.Canvas) {
		keyArea("", outside).draw(d)
		d.StrokeLine2(lineWall, d.Min.X, d.Min.Y, d.Min.X, d.Max.Y)
	}}
}

// keyMeasured is the mark of a measurement, with an interval if it has one.
func keyMeasured(label string, mark glyph, interval, hollow bool) key {
	return key{label, func(d draw.Canvas) {
		if interval {
			keyRule("", draw.LineStyle{Color: mark.color, Width: 0.9}).draw(d)
		}
		mark.draw(d, d.Center(), hollow)
	}}
}

// keyRule is an upright line.
func keyRule(label string, sty draw.LineStyle) key {
	return key{label, func(d draw.Canvas) {
		x := d.Center().X
		d.StrokeLine2(sty, x, d.Min.Y-1, x, d.Max.Y+1)
	}}
}

// keyInterval and keyMark are upright: a whisker and a mark on the axis.
func keyInterval() key { return keyRule("95 % interval", lineZero) }

func keyMark(label string) key {
	return key{label, func(d draw.Canvas) {
		x := d.Center().X
		d.StrokeLine2(lineMark, x, d.Min.Y, x, d.Max.Y)
	}}
}

// keySwap is a swap: two circles and what joins them, a line of a style.
func keySwap(label string, sty draw.LineStyle) key {
	return key{label, func(d draw.Canvas) {
		y := d.Center().Y
		left, right := d.Min.X+ringSize, d.Max.X-ringSize
		d.StrokeLine2(sty, left, y, right, y)
		d.SetLineStyle(lineRing)
		for _, x := range [...]vg.Length{left, right} {
			d.Stroke(circle(vg.Point{X: x, Y: y}, ringSize))
		}
	}}
}

// keyBounces is a reflection on the cold and, if both, on the hot rung.
func keyBounces(label string, both bool) key {
	return key{label, func(d draw.Canvas) {
		at := d.Center()
		if both {
			at.X += 2.5
			disc(d, hottest, bounceSize, at)
			at.X -= 5
		}
		disc(d, coldest, bounceSize, at)
	}}
}

func keyCross(label string, sty draw.LineStyle) key {
	return key{label, func(d draw.Canvas) {
		pl := &plane{Canvas: d, x: scale{max: 1}, y: scale{max: 1}}
		pl.draw(cross{sty, point{0.5, 0.5}})
	}}
}
