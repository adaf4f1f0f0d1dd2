package figure

import (
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A cell is a panel and the rectangle of its data in the figure, measured
// from the left and from the top.
type cell struct {
	panel         *panel
	left, top     vg.Length
	width, height vg.Length
}

// A key is an entry of the legend.
type key struct {
	label string
	draw  func(c draw.Canvas) // fills its small canvas with a specimen
}

const (
	edge     = vg.Length(6)       // around the figure
	swatch   = vg.Length(18)      // width of a specimen in the legend
	lineSkip = letterSize * 1.35  // between lines of text
	below    = vg.Length(13)      // numbers under a panel
	nameRoom = lineSkip           // name under the numbers, title above
	gap      = vg.Length(9)       // between panels
	fullPage = textWidth * 28.346 // points
)

// keyArea, keyLine and keyDot are the specimens of legends.
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
	return key{label, func(d draw.Canvas) {
		d.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: radius, Shape: draw.CircleGlyph{}}, d.Center())
	}}
}

func keyOutside(label string) key {
	return key{label, func(d draw.Canvas) {
		keyArea("", outside).draw(d)
		d.StrokeLine2(lineWall, d.Min.X, d.Min.Y, d.Min.X, d.Max.Y)
	}}
}

// keyMeasured is the mark of a measurement, with an interval if it has one.
func keyMeasured(label string, mark glyph, interval, hollow bool) key {
	return key{label, func(d draw.Canvas) {
		at := d.Center()
		if interval {
			d.StrokeLine2(draw.LineStyle{Color: mark.color, Width: 0.9}, at.X, d.Min.Y-1, at.X, d.Max.Y+1)
		}
		mark.draw(d, at, hollow)
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
func keyInterval(label string) key { return keyRule(label, lineZero) }

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
			d.DrawGlyphNoClip(draw.GlyphStyle{Color: hottest, Radius: bounceSize, Shape: draw.CircleGlyph{}}, at)
			at.X -= 5
		}
		d.DrawGlyphNoClip(draw.GlyphStyle{Color: coldest, Radius: bounceSize, Shape: draw.CircleGlyph{}}, at)
	}}
}

// A mosaic arranges panels row by row in equal rectangles.
type mosaic struct {
	columns       int
	width, height vg.Length   // of the data of one panel; width 0 fills the page
	joint         bool        // panels touch but for a small gap; only the outer ones are numbered
	rows          []vg.Length // heights of the rows, again and again; nil is height for all
}

// tall returns the height of the data in row r.
func (m mosaic) tall(r int) vg.Length {
	if m.rows == nil {
		return m.height
	}
	return m.rows[r%len(m.rows)]
}

// gaps returns the gap under each row but the last: one for all, or where rows
// differ what each needs for its numbers and the titles under it.
func (m mosaic) gaps(panels []*panel, rows int, all vg.Length) []vg.Length {
	out := make([]vg.Length, rows-1)
	for r := range out {
		if out[r] = all; m.rows == nil {
			continue
		}
		var need, title vg.Length
		for i, p := range panels {
			if p != nil && i/m.columns == r {
				need = max(need, p.belowRoom())
			}
			if p != nil && i/m.columns == r+1 && p.title != "" {
				title = nameRoom
			}
		}
		out[r] = need + title + 6
	}
	return out
}

// compose lays the panels out; nil leaves a place empty.
func (m mosaic) compose(panels []*panel, keys []key, caption string) *Figure {
	f := &Figure{keys: keys}
	rows := (len(panels) + m.columns - 1) / m.columns
	lefts := make([]vg.Length, m.columns) // space left of each column
	var inner, bottom, top vg.Length      // space under a row, under the last one, over each
	for i, p := range panels {
		if p == nil {
			continue
		}
		lefts[i%m.columns] = max(lefts[i%m.columns], p.leftRoom(m.tall(i/m.columns)))
		if i/m.columns < rows-1 {
			inner = max(inner, p.belowRoom())
		}
		bottom = max(bottom, p.belowRoom())
		if p.title != "" {
			top = nameRoom
		}
	}
	gapX, gapY := gap, inner+top+6
	if m.joint {
		gapX, gapY = 5, 5+top
	}
	total := edge + edge + 6 + gapX*vg.Length(m.columns-1)
	for _, l := range lefts {
		total += l
	}
	if m.width == 0 {
		m.width = (fullPage - total) / vg.Length(m.columns)
	}
	f.width = max(total+m.width*vg.Length(m.columns), 8*vg.Centimeter)
	f.caption = wrap(letters(letterSize-0.5), caption, f.width-2*edge)
	header := edge + vg.Length(f.keyRows())*lineSkip + 6 + top
	tops := []vg.Length{header}
	for r, g := range m.gaps(panels, rows, gapY) {
		tops = append(tops, tops[r]+m.tall(r)+g)
	}
	for i, p := range panels {
		if p == nil {
			continue
		}
		r, col := i/m.columns, i%m.columns
		x := edge + (m.width+gapX)*vg.Length(col)
		for _, l := range lefts[:col+1] {
			x += l
		}
		f.cells = append(f.cells, cell{p, x, tops[r], m.width, m.tall(r)})
	}
	f.height = tops[rows-1] + m.tall(rows-1) + bottom + 3 +
		vg.Length(len(f.caption))*lineSkip + edge
	return f
}

// draw draws the whole figure: legend on top, panels, caption.
func (f *Figure) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	f.drawKeys(c)
	for _, cell := range f.cells {
		top := f.height - cell.top
		d := c
		d.Rectangle = vg.Rectangle{
			Min: vg.Point{X: cell.left, Y: top - cell.height},
			Max: vg.Point{X: cell.left + cell.width, Y: top},
		}
		cell.panel.draw(d)
	}
	sty := letters(letterSize - 0.5)
	for i, line := range f.caption {
		y := edge + vg.Length(len(f.caption)-1-i)*lineSkip
		c.FillText(sty, vg.Point{X: edge, Y: y}, line)
	}
}

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

// wrap breaks text into lines at most room wide.
func wrap(sty draw.TextStyle, s string, room vg.Length) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(s) {
		switch {
		case line == "":
			line = w
		case sty.Width(line+" "+w) <= room:
			line += " " + w
		default:
			lines = append(lines, line)
			line = w
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// onlyLowest leaves the numbers and the name of the x axis to the lowest of the
// panels of a column that share it.
func onlyLowest(panels []*panel, columns int) {
	for i := range panels {
		if i+columns >= len(panels) {
			break
		}
		if a, b := &panels[i].x, panels[i+columns].x; a.min == b.min && a.max == b.max {
			a.silent, a.label = true, ""
		}
	}
}

// columnsFor returns how many columns show n panels well, most at most.
func columnsFor(n, most int) int {
	if n <= most {
		return max(n, 1)
	}
	rows := int(math.Ceil(float64(n) / float64(most)))
	return (n + rows - 1) / rows
}

// columnsOr returns how many columns show n panels, given of which 0 leaves the
// choice, most at most.
func columnsOr(given, n, most int) int {
	if given <= 0 {
		return columnsFor(n, most)
	}
	return min(given, n)
}

// sentences joins what is not empty: "a; b".
func sentences(parts ...string) string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return strings.Join(out, "; ")
}
