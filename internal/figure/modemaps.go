package figure

import (
	"cmp"
	"image"
	"image/color"
	"math"
	"slices"
)

// A ModeMap is one panel of [ModeMaps]. The zero value leaves its place empty.
type ModeMap struct {
	Title string
	Value []float64 // of every cell, rows from below; NaN outside the domain
	Size  float64   // where its colours end; 0 is where nearly all of the weight is
}

// ModeMaps are functions of either sign on the cells of one grid, row by row.
type ModeMaps struct {
	Axes     [2]Axis
	View     [2][2]float64 // the range of each axis, which the cells fill
	Cells    [2]int        // along each axis
	Rows     [][]ModeMap
	RowNames []string                // beside each row; nil is none
	Weight   []float64               // of every cell; nil is equal weights
	Inside   func(x, y float64) bool // the domain, whose boundary is drawn; nil is the rectangle
	Quantity string                  // what the colours say; "" is "mode over its size"
	Caption  string
}

// ModePanels draws a heat map for each function, relative to its size, in colours that
// part at zero, blue below and vermillion above, which the bar at the bottom explains,
// with a line where it is zero and the boundary of the domain. Lengths of both axes are
// equal if their units are.
func ModePanels(q ModeMaps) (*Figure, error) {
	a := newAtlas(q.Axes, q.View, q.Rows, q.RowNames, func(m ModeMap) bool { return m.Value != nil })
	a.slimmest = slimmest
	if err := q.check(a); err != nil {
		return nil, err
	}
	lay := a.layout()
	walls := a.walls(q.Inside, lay)
	if walls == nil {
		from, to := point{q.View[0][0], q.View[1][0]}, point{q.View[0][1], q.View[1][1]}
		walls = [][]point{{from, {to.x, from.y}, to, {from.x, to.y}}}
	}
	f := lay.compose(a.panels(func(p *panel, k int) {
		m := q.Rows[k/a.columns][k%a.columns]
		p.title = m.Title
		v, known := q.grown(m.Value)
		top := cmp.Or(m.Size, WeightedSize(m.Value, q.Weight), 1)
		p.fill(q.picture(v, p.x, p.y, pixels(lay.width), pixels(lay.height), top))
		p.add(segments{lineMark, q.zeros(v, known)})
		p.border(walls, false)
	}), nil, q.Caption)
	f.addBar(colourBar(cmp.Or(q.Quantity, "mode over its size"), -1, 1, ramp(partingColours())))
	return f, nil
}

func (q *ModeMaps) check(a *atlas) error {
	c := &check{what: "modes"}
	c.must(q.Cells[0] >= 1 && q.Cells[1] >= 1, "a grid of %d × %d cells: give one at least", q.Cells[0], q.Cells[1])
	n := q.Cells[0] * q.Cells[1]
	if q.Weight != nil {
		c.each(len(q.Weight), "weights", n, "cells")
	}
	for _, m := range slices.Concat(q.Rows...) {
		if c.part("modes: %s", m.Title); m.Value != nil {
			c.each(len(m.Value), "values", n, "cells")
			c.must(m.Size >= 0 && m.Size < 1e300, "colours cannot end at %g: give a size, or 0", m.Size)
			c.columns(column{"", m.Value, n, gappy})
		}
	}
	c.part("modes")
	a.check(c)
	return c.err
}

// slimmest is how many times as long as wide panels may be; lengths of the axes of
// slimmer domains differ.
const slimmest = 8

// colouredOf is the share of the weight within which the colours of a mode vary.
const colouredOf = 0.995

// WeightedSize returns the size that a function does not exceed on all but half a
// percent of the weight; weight nil is equal weights, and NaN counts nothing.
func WeightedSize(v, weight []float64) float64 { return sizeWithin(v, weight, colouredOf) }

// sizeWithin returns the size that a function does not exceed on a share of the weight.
func sizeWithin(v, weight []float64, part float64) float64 {
	var order []int
	total := 0.0
	share := func(k int) float64 {
		if weight == nil {
			return 1
		}
		return weight[k]
	}
	for k, x := range v {
		if !math.IsNaN(x) {
			order = append(order, k)
			total += share(k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(v[a]), math.Abs(v[b])) })
	sum := 0.0
	for _, k := range order {
		if sum += share(k); sum >= part*total {
			return math.Abs(v[k])
		}
	}
	return 0
}

// grown returns the values with those of cells near the domain filled in from their
// neighbours, so that cells which the boundary cuts have a colour up to it, and which
// cells have a value.
func (q *ModeMaps) grown(v []float64) ([]float64, []bool) {
	v = slices.Clone(v)
	known := make([]bool, len(v))
	for k, x := range v {
		if known[k] = !math.IsNaN(x); !known[k] {
			v[k] = 0
		}
	}
	for range 3 {
		grow(v, known, q.Cells[0])
	}
	return v, known
}

// centre returns the middle of cell (i, j).
func (q *ModeMaps) centre(i, j int) point {
	return point{
		q.View[0][0] + (q.View[0][1]-q.View[0][0])*(float64(i)+0.5)/float64(q.Cells[0]),
		q.View[1][0] + (q.View[1][1]-q.View[1][0])*(float64(j)+0.5)/float64(q.Cells[1]),
	}
}

// picture colours nx × ny pixels over the ranges of x and y, with straight lines between
// the middles of cells.
func (q *ModeMaps) picture(v []float64, x, y scale, nx, ny int, top float64) *image.Paletted {
	out := image.NewPaletted(image.Rect(0, 0, nx, ny), partingColours())
	cell := func(axis int, at float64) (k, next int, t float64) {
		n := q.Cells[axis]
		u := (at-q.View[axis][0])/(q.View[axis][1]-q.View[axis][0])*float64(n) - 0.5
		u = math.Max(0, math.Min(float64(n-1), u))
		k = int(u)
		return k, min(k+1, n-1), u - float64(k)
	}
	for m := range ny {
		j, above, b := cell(1, y.min+(y.max-y.min)*(float64(m)+0.5)/float64(ny))
		for l := range nx {
			i, right, a := cell(0, x.min+(x.max-x.min)*(float64(l)+0.5)/float64(nx))
			low, up := v[j*q.Cells[0]:], v[above*q.Cells[0]:]
			f := (1-b)*((1-a)*low[i]+a*low[right]) + b*((1-a)*up[i]+a*up[right])
			out.SetColorIndex(l, ny-1-m, parting(f/top))
		}
	}
	return out
}

// zeros returns pieces of the line where v changes its sign, between the middles of four
// neighbouring cells that are known. Walls are mirrors: beyond those of the rectangle
// cells have the values of the last ones.
func (q *ModeMaps) zeros(v []float64, known []bool) [][2]point {
	var out [][2]point
	nx, ny := q.Cells[0], q.Cells[1]
	cell := func(at [2]int) int { return max(0, min(at[1], ny-1))*nx + max(0, min(at[0], nx-1)) }
	for j := -1; j < ny; j++ {
		for i := -1; i < nx; i++ {
			corner := [4][2]int{{i, j}, {i + 1, j}, {i + 1, j + 1}, {i, j + 1}}
			var cut []point
			for k, a := range corner {
				b := corner[(k+1)%4]
				u, w := cell(a), cell(b)
				if !known[u] || !known[w] {
					cut = nil
					break
				}
				if (v[u] > 0) == (v[w] > 0) {
					continue
				}
				t := v[u] / (v[u] - v[w])
				p, r := q.centre(a[0], a[1]), q.centre(b[0], b[1])
				cut = append(cut, point{p.x + t*(r.x-p.x), p.y + t*(r.y-p.y)})
			}
			for k := 0; k+1 < len(cut); k += 2 {
				out = append(out, [2]point{cut[k], cut[k+1]})
			}
		}
	}
	return out
}

// partingColours are shadesOfHeat colours from blue over nearly white to vermillion, as
// light on either side; they are told apart by the colour-blind.
func partingColours() color.Palette {
	pale := color.NRGBA{R: 247, G: 247, B: 247, A: 255}
	return gradient(shadesOfHeat-1, []color.NRGBA{ // the middle one is pale
		{R: 0, G: 68, B: 120, A: 255}, blue, mix(pale, blue, 0.45), pale, mix(pale, vermillion, 0.45), vermillion, {R: 140, G: 52, B: 0, A: 255},
	})
}

// parting is the colour of a value in [−1, 1]; what is beyond has the last colours.
func parting(v float64) uint8 {
	const half = (shadesOfHeat - 2) / 2
	return uint8(half + math.Round(math.Max(-1, math.Min(1, v))*half))
}
