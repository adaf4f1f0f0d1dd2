package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A DensityMap is one panel of [DensityMaps]. The zero value leaves its place
// empty.
type DensityMap struct {
	Title  string
	Value  func(x, y float64) float64 // the density, at least 0 and finite in the domain
	Inside func(x, y float64) bool    // the domain, whose boundary is drawn; nil is the plane
	Beyond bool                       // the density is drawn outside the domain as well
}

// DensityMaps are densities over the same rectangle, row by row.
type DensityMaps struct {
	Axes     [2]Axis
	View     [2][2]float64 // range of each axis
	Rows     [][]DensityMap
	RowNames []string // beside each row; nil is none
	Quantity string   // what the colours say; "" is "density"
	Max      float64  // the end of the colours, which what is above shares; 0 is the largest density
	Caption  string
}

// Densities draws a heat map for each density, all with the same colours, whose
// key is the bar below. Lengths of both axes are equal if their units are. The
// boundary of the domain is a line, and what is outside stays blank unless it is
// to be seen.
func Densities(q DensityMaps) (*Figure, error) {
	columns, err := q.check()
	if err != nil {
		return nil, err
	}
	lay := q.layout(columns)
	maps := make([]*heatMap, len(q.Rows)*columns)
	largest := 0.0
	for r, row := range q.Rows {
		for c := range row {
			if row[c].Value == nil {
				continue
			}
			m, err := q.measure(&row[c], lay)
			if err != nil {
				return nil, err
			}
			maps[r*columns+c], largest = m, math.Max(largest, m.largest)
		}
	}
	top := q.Max
	if top == 0 {
		top = largest
	}
	if !(top > 0) {
		return nil, errors.New("figure: densities: all are 0: there is nothing to see")
	}
	panels := make([]*panel, len(maps))
	for k, m := range maps {
		if m == nil {
			continue
		}
		p := &panel{title: m.title, x: q.view(0), y: q.view(1)}
		if below := k + columns; below < len(maps) && maps[below] != nil {
			p.x.label, p.x.silent = "", true
		}
		if slices.ContainsFunc(maps[k-k%columns:k], func(m *heatMap) bool { return m != nil }) {
			p.y.label, p.y.silent = "", true
		} else if q.RowNames != nil {
			p.side = q.RowNames[k/columns]
		}
		m.draw(p, top)
		panels[k] = p
	}
	f := lay.compose(panels, nil, q.Caption)
	f.addBar(q.bar(top, largest), lay)
	return f, nil
}

// check returns the number of columns.
func (q *DensityMaps) check() (columns int, err error) {
	some := false
	for _, r := range q.Rows {
		columns = max(columns, len(r))
		for _, m := range r {
			some = some || m.Value != nil
		}
	}
	if !some {
		return 0, errors.New("figure: densities: none is given: fill the rows")
	}
	if columns > 8 || len(q.Rows) > 8 {
		return 0, fmt.Errorf("figure: densities: %d rows of %d: choose at most 8 of 8", len(q.Rows), columns)
	}
	if q.RowNames != nil && len(q.RowNames) != len(q.Rows) {
		return 0, fmt.Errorf("figure: densities: %d names for %d rows: give one each", len(q.RowNames), len(q.Rows))
	}
	if !(q.Max >= 0 && q.Max < 1e300) {
		return 0, fmt.Errorf("figure: densities: the scale cannot end at %g: give a density, or 0 for the largest", q.Max)
	}
	return columns, checkView(q.Axes, q.View)
}

// view returns the axis of coordinate j.
func (q *DensityMaps) view(j int) scale {
	s := scale{label: q.Axes[j].label()}
	s.min, s.max = widen(q.View[j][0], q.View[j][1], mapMargin)
	return s
}

// mapMargin is the room around the view, as a share of it.
const mapMargin = 0.03

// layout makes panels fill the page's width, up to 6.2 cm each, and not more
// than its height.
func (q *DensityMaps) layout(columns int) mosaic {
	x, y := q.view(0), q.view(1)
	ratio := (y.max - y.min) / (x.max - x.min)
	if q.Axes[0].Unit != q.Axes[1].Unit {
		ratio = 1
	}
	room := textWidth - 1.9
	if q.RowNames != nil {
		room -= 0.45
	}
	w := math.Min(room/float64(columns)-0.18, 6.2)
	w = math.Min(w, (21/float64(len(q.Rows))-0.6)/ratio)
	return mosaic{columns: columns, width: cm(w), height: cm(w * ratio), joint: true}
}

// A heatMap is a density on pixels and the domain's boundary.
type heatMap struct {
	title   string
	nx, ny  int
	v       []float64 // rows from below
	largest float64   // where it is seen
	walls   [][]point
	beyond  bool
}

// measure evaluates a density at the middles of pixels, some 110 to the inch.
func (q *DensityMaps) measure(m *DensityMap, lay mosaic) (*heatMap, error) {
	pixels := func(size vg.Length) int { return max(16, min(int(1.5*size), 320)) }
	x, y := q.view(0), q.view(1)
	h := &heatMap{title: m.Title, nx: pixels(lay.width), ny: pixels(lay.height), beyond: m.Beyond || m.Inside == nil}
	h.v = make([]float64, h.nx*h.ny)
	seen := make([]bool, len(h.v))
	dx, dy := (x.max-x.min)/float64(h.nx), (y.max-y.min)/float64(h.ny)
	for k := range h.v {
		at := point{x.min + dx*(float64(k%h.nx)+0.5), y.min + dy*(float64(k/h.nx)+0.5)}
		if !h.beyond && !m.Inside(at.x, at.y) {
			continue
		}
		v := m.Value(at.x, at.y)
		if !(v >= 0 && v < 1e300) {
			return nil, fmt.Errorf("figure: densities: %q is %g at (%g, %g): a density must be at least 0 and finite", m.Title, v, at.x, at.y)
		}
		h.v[k], seen[k] = v, true
		h.largest = math.Max(h.largest, v)
	}
	for range 3 {
		grow(h.v, seen, h.nx)
	}
	if m.Inside != nil {
		const knots = 200
		l := lattice{knots, knots, x.min, x.max, y.min, y.max}
		for _, w := range outline(l, m.Inside) {
			h.walls = append(h.walls, simplify(w, 0.02/float64(lay.width)*(x.max-x.min)))
		}
	}
	return h, nil
}

// grow gives pixels that are not seen the mean of their neighbours that are, so
// that pixels which the boundary cuts have a colour up to it.
func grow(v []float64, seen []bool, nx int) {
	var fresh []int
	for k := range v {
		if seen[k] {
			continue
		}
		sum, n := 0.0, 0.0
		for _, s := range [...][2]int{{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, -1}, {-1, 1}, {1, 1}} {
			i, m := k%nx+s[0], k+s[0]+s[1]*nx
			if i >= 0 && i < nx && m >= 0 && m < len(v) && seen[m] {
				sum, n = sum+v[m], n+1
			}
		}
		if n > 0 {
			v[k] = sum / n
			fresh = append(fresh, k)
		}
	}
	for _, k := range fresh {
		seen[k] = true
	}
}

// draw adds the map to a panel.
func (h *heatMap) draw(p *panel, top float64) {
	img := heat(h.v, h.nx, h.ny, top)
	p.add(func(pl *plane) {
		pl.picture(img, point{pl.x.min, pl.y.min}, point{pl.x.max, pl.y.max})
		if h.walls == nil {
			return
		}
		sty := lineWall
		sty.Width = 0.8
		if h.beyond {
			sty.Color = paper
		} else {
			pl.cover(paper, h.walls)
			// Pictures end within dots, which would shine through at the rim.
			rim := []vg.Point{{X: pl.Min.X, Y: pl.Max.Y}, pl.Max, {X: pl.Max.X, Y: pl.Min.Y}, pl.Min, {X: pl.Min.X, Y: pl.Max.Y}}
			pl.StrokeLines(draw.LineStyle{Color: paper, Width: 1.2}, rim)
		}
		for _, w := range h.walls {
			pl.line(sty, append(w[:len(w):len(w)], w[0]))
		}
	})
}

// bar is the key to colours up to top.
func (q *DensityMaps) bar(top, largest float64) *panel {
	p := &panel{x: scale{label: q.Quantity, max: top}, y: scale{max: 1, bare: true}}
	if p.x.label == "" {
		p.x.label = "density"
	}
	if largest > top*(1+1e-9) {
		p.x.label += fmt.Sprintf(" (last colour: up to %.3g)", largest)
	}
	ramp := make([]float64, shadesOfHeat)
	for i := range ramp {
		ramp[i] = float64(i)
	}
	img := heat(ramp, len(ramp), 1, shadesOfHeat-1)
	p.add(func(pl *plane) {
		pl.picture(img, point{0, 0}, point{top, 1})
		pl.StrokeLines(lineAxis, []vg.Point{{X: pl.Min.X, Y: pl.Max.Y}, pl.Max, {X: pl.Max.X, Y: pl.Min.Y}})
	})
	return p
}

// addBar puts a bar under the panels, in their middle.
func (f *Figure) addBar(bar *panel, lay mosaic) {
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
