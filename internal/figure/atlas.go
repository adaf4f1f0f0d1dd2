package figure

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An atlas is maps over the same rectangle, row by row.
type atlas struct {
	axes     [2]Axis
	view     [2][2]float64
	names    []string // of the rows; nil is none
	rows     int
	columns  int
	there    []bool  // which places have a map
	slimmest float64 // how many times as long as wide panels may be; 0 is any number
}

// newAtlas lays out rows of maps, less those that are not there.
func newAtlas[M any](axes [2]Axis, view [2][2]float64, rows [][]M, names []string, is func(m M) bool) *atlas {
	a := &atlas{axes: axes, view: view, names: names, rows: len(rows)}
	for _, r := range rows {
		a.columns = max(a.columns, len(r))
	}
	a.there = make([]bool, a.rows*a.columns)
	for r, row := range rows {
		for c, m := range row {
			a.there[r*a.columns+c] = is(m)
		}
	}
	return a
}

func (a *atlas) check(c *check) {
	c.must(slices.Contains(a.there, true), "none is given: fill the rows")
	c.must(a.columns <= 8 && a.rows <= 8, "%d rows of %d: choose at most 8 of 8", a.rows, a.columns)
	if a.names != nil {
		c.each(len(a.names), "names", a.rows, "rows")
	}
	for j, v := range a.view {
		c.given(a.axes[j], v, false)
	}
}

// axis returns the axis of coordinate j.
func (a *atlas) axis(j int) scale {
	s := scale{label: a.axes[j].label()}
	s.min, s.max = widen(a.view[j][0], a.view[j][1], mapMargin)
	return s
}

// mapMargin is the room around the view, as a share of it.
const mapMargin = 0.03

// layout makes panels fill the page's width, up to 6.2 cm each, and not more
// than its height.
func (a *atlas) layout() mosaic {
	x, y := a.axis(0), a.axis(1)
	ratio := (y.max - y.min) / (x.max - x.min)
	if a.axes[0].Unit != a.axes[1].Unit {
		ratio = 1
	}
	room := textWidth - 1.9
	if a.names != nil {
		room -= 0.45
	}
	w := math.Min(room/float64(a.columns)-0.18, 6.2)
	w = math.Min(w, (21/float64(a.rows)-0.6)/ratio)
	lay := mosaic{columns: a.columns, width: cm(w), height: cm(w * ratio), joint: true}
	if s := vg.Length(a.slimmest); s > 0 {
		lay.height, lay.width = max(lay.height, lay.width/s), max(lay.width, lay.height/s)
	}
	return lay
}

// pixels is how many dots a map has along a side, some 110 to the inch.
func pixels(size vg.Length) int { return max(16, min(int(1.5*size), 320)) }

// walls returns the boundary of the domain in the view, none of the plane.
func (a *atlas) walls(inside func(x, y float64) bool, lay mosaic) (out [][]point) {
	if inside == nil {
		return nil
	}
	const knots = 200
	x, y := a.axis(0), a.axis(1)
	for _, w := range outline(lattice{knots, knots, x.min, x.max, y.min, y.max}, inside) {
		out = append(out, simplify(w, 0.02/float64(lay.width)*(x.max-x.min)))
	}
	return out
}

// panels draws the maps, numbered on the outer sides alone.
func (a *atlas) panels(fill func(p *panel, k int)) []*panel {
	out := make([]*panel, len(a.there))
	for k, there := range a.there {
		if !there {
			continue
		}
		p := &panel{x: a.axis(0), y: a.axis(1)}
		if below := k + a.columns; below < len(out) && a.there[below] {
			p.x.label, p.x.silent = "", true
		}
		if slices.Contains(a.there[k-k%a.columns:k], true) {
			p.y.label, p.y.silent = "", true
		} else if a.names != nil {
			p.side = a.names[k/a.columns]
		}
		fill(p, k)
		out[k] = p
	}
	return out
}

// fill adds an image that fills the axes.
func (p *panel) fill(img image.Image) {
	p.add(picture{img, point{p.x.min, p.y.min}, point{p.x.max, p.y.max}})
}

// border adds the boundary of the domain to a map; what is beyond is seen or covered.
func (p *panel) border(walls [][]point, seen bool) {
	sty := lineWall
	if sty.Width = 0.8; seen {
		sty.Color = paper
	} else {
		// Pictures end within dots, which would shine through at the rim.
		p.add(beyond{paper, walls}, painted(func(pl *plane) {
			pl.StrokeLines(draw.LineStyle{Color: paper, Width: 1.2}, append(pl.roof(), pl.Min, vg.Point{X: pl.Min.X, Y: pl.Max.Y}))
		}))
	}
	p.add(lines{sty, closed(walls)})
}

// roof is the line along the upper edge and down the right one.
func (p *plane) roof() []vg.Point {
	return []vg.Point{{X: p.Min.X, Y: p.Max.Y}, p.Max, {X: p.Max.X, Y: p.Min.Y}}
}

// colourBar is the key to colours, of which ramp holds each once.
func colourBar(label string, low, high float64, ramp *image.Paletted) *panel {
	p := &panel{x: scale{label: label, min: low, max: high}, y: scale{max: 1, bare: true}}
	p.fill(ramp)
	p.add(painted(func(pl *plane) { pl.StrokeLines(lineAxis, pl.roof()) }))
	return p
}

// ramp is a line of all colours.
func ramp(colours color.Palette) *image.Paletted {
	img := image.NewPaletted(image.Rect(0, 0, len(colours), 1), colours)
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	return img
}

func heatRamp() *image.Paletted { return ramp(heatColours()) }

// addBar puts a bar under the panels, in their middle.
func (f *Figure) addBar(bar *panel) {
	const height = vg.Length(7)
	first, last := f.cells[0], f.cells[0]
	for _, c := range f.cells {
		if c.left < first.left {
			first = c
		}
		if c.left > last.left {
			last = c
		}
	}
	width := min(last.left+last.width-first.left, cm(8))
	caption := edge + 3 + vg.Length(len(f.caption))*lineSkip
	f.cells = append(f.cells, cell{bar, (first.left + last.left + last.width - width) / 2, f.height - caption + 5, width, height})
	f.height += 5 + height + bar.belowRoom() + 2
}

// simplify leaves out points of a loop that are not farther than tolerance from
// the line between those that stay. Douglas and Peucker (1973).
func simplify(loop []point, tolerance float64) []point {
	if len(loop) < 8 {
		return loop
	}
	keep := make([]bool, len(loop))
	half := len(loop) / 2
	keep[0], keep[half] = true, true
	closed := append(loop[:len(loop):len(loop)], loop[0])
	spans := [][2]int{{0, half}, {half, len(loop)}}
	for len(spans) > 0 {
		s := spans[len(spans)-1]
		spans = spans[:len(spans)-1]
		worst, at := tolerance, -1
		for k := s[0] + 1; k < s[1]; k++ {
			if d := distance(closed[k], closed[s[0]], closed[s[1]]); d > worst {
				worst, at = d, k
			}
		}
		if at >= 0 {
			keep[at] = true
			spans = append(spans, [2]int{s[0], at}, [2]int{at, s[1]})
		}
	}
	var out []point
	for k, p := range loop {
		if keep[k] {
			out = append(out, p)
		}
	}
	return out
}

// distance returns how far p is from the piece from a to b.
func distance(p, a, b point) float64 {
	dx, dy := b.x-a.x, b.y-a.y
	t := 0.0
	if length := dx*dx + dy*dy; length > 0 {
		t = math.Max(0, math.Min(1, ((p.x-a.x)*dx+(p.y-a.y)*dy)/length))
	}
	return math.Hypot(p.x-a.x-t*dx, p.y-a.y-t*dy)
}
