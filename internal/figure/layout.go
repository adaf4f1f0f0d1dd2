package figure

import (
	"math"
	"slices"
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

const (
	edge     = vg.Length(6)       // around the figure
	lineSkip = letterSize * 1.35  // between lines of text
	below    = vg.Length(13)      // numbers under a panel
	nameRoom = lineSkip           // name under the numbers, title above
	gap      = vg.Length(9)       // between panels
	fullPage = textWidth * 28.346 // points
)

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

// compose lays the panels out; nil leaves a place empty.
func (m mosaic) compose(panels []*panel, keys legend, caption string) *Figure {
	f := &Figure{keys: keys}
	rows := (len(panels) + m.columns - 1) / m.columns
	lefts := make([]vg.Length, m.columns)                             // space left of each column
	under, titled := make([]vg.Length, rows), make([]vg.Length, rows) // space under each row, and over it
	for i, p := range panels {
		if p == nil {
			continue
		}
		r := i / m.columns
		lefts[i%m.columns] = max(lefts[i%m.columns], p.leftRoom(m.tall(r)))
		if under[r] = max(under[r], p.belowRoom()); p.title != "" {
			titled[r] = nameRoom
		}
	}
	top, gapX := slices.Max(titled), gap
	if m.joint {
		gapX = 5
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
	for r := range rows - 1 {
		room := slices.Max(under[:rows-1]) + top + 6
		switch {
		case m.rows != nil:
			room = under[r] + titled[r+1] + 6
		case m.joint:
			room = 5 + top
		}
		tops = append(tops, tops[r]+m.tall(r)+room)
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
	f.height = tops[rows-1] + m.tall(rows-1) + slices.Max(under) + 3 +
		vg.Length(len(f.caption))*lineSkip + edge
	return f
}

// draw draws the whole figure on a page of its colour: legend on top, panels, caption.
func (f *Figure) draw(c draw.Canvas) {
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

// grid is a mosaic of so many columns, with heights and widths in cm by their number: the
// last height is that of more columns, and what has no width fills the page.
func grid(columns int, heights, widths []float64) mosaic {
	m := mosaic{columns: columns, height: cm(heights[min(columns, len(heights))-1])}
	if columns <= len(widths) {
		m.width = cm(widths[columns-1])
	}
	return m
}

// stacked is the height in cm of n panels under one another, from least to most.
func stacked(n int, least, most float64) vg.Length {
	return cm(math.Max(least, math.Min(most, 16/float64(n))))
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
