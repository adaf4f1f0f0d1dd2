package figure

import (
	"cmp"
	"fmt"
	"math"
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
	Max      float64  // the end of the colours, which what is above shares; 0 is the largest density
	Caption  string
}

// Densities draws a heat map for each density, all with the same colours, whose
// key is the bar below. Lengths of both axes are equal if their units are. The
// boundary of the domain is a line, and what is outside stays blank unless it is
// to be seen.
func Densities(q DensityMaps) (*Figure, error) {
	a := newAtlas(q.Axes, q.View, q.Rows, q.RowNames, func(m DensityMap) bool { return m.Value != nil })
	c := &check{what: "densities"}
	a.check(c)
	c.must(q.Max >= 0 && q.Max < 1e300, "the scale cannot end at %g: give a density, or 0 for the largest", q.Max)
	if c.err != nil {
		return nil, c.err
	}
	lay := a.layout()
	maps := make([]*heatMap, len(a.there))
	largest := 0.0
	for k, there := range a.there {
		if there {
			m := &q.Rows[k/a.columns][k%a.columns]
			maps[k] = a.measure(c, m, lay)
			largest = math.Max(largest, maps[k].largest)
		}
	}
	top := cmp.Or(q.Max, largest)
	c.must(top > 0, "all are 0: there is nothing to see")
	if c.err != nil {
		return nil, c.err
	}
	f := lay.compose(a.panels(func(p *panel, k int) {
		m := q.Rows[k/a.columns][k%a.columns]
		p.title = m.Title
		p.fill(heat(maps[k].v, maps[k].nx, maps[k].ny, top))
		if maps[k].walls != nil {
			p.border(maps[k].walls, m.Beyond)
		}
	}), nil, q.Caption)
	label := "density"
	if largest > top*(1+1e-9) {
		label += fmt.Sprintf(" (last colour: up to %.3g)", largest)
	}
	f.addBar(colourBar(label, 0, top, heatRamp()))
	return f, nil
}

// A heatMap is a density on pixels and the domain's boundary.
type heatMap struct {
	nx, ny  int
	v       []float64 // rows from below
	largest float64   // where it is seen
	walls   [][]point
}

// measure evaluates a density at the middles of pixels.
func (a *atlas) measure(c *check, m *DensityMap, lay mosaic) *heatMap {
	x, y := a.axis(0), a.axis(1)
	h := &heatMap{nx: pixels(lay.width), ny: pixels(lay.height), walls: a.walls(m.Inside, lay)}
	h.v = make([]float64, h.nx*h.ny)
	seen := make([]bool, len(h.v))
	dx, dy := (x.max-x.min)/float64(h.nx), (y.max-y.min)/float64(h.ny)
	for k := range h.v {
		at := point{x.min + dx*(float64(k%h.nx)+0.5), y.min + dy*(float64(k/h.nx)+0.5)}
		if !m.Beyond && m.Inside != nil && !m.Inside(at.x, at.y) {
			continue
		}
		v := m.Value(at.x, at.y)
		if !(v >= 0 && v < 1e300) {
			c.must(false, "%q is %g at (%g, %g): a density must be at least 0 and finite", m.Title, v, at.x, at.y)
			break
		}
		h.v[k], seen[k] = v, true
		h.largest = math.Max(h.largest, v)
	}
	for range 3 {
		grow(h.v, seen, h.nx)
	}
	return h
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
