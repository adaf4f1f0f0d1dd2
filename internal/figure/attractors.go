package figure

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Attractor is a trajectory in space. The zero value leaves its place empty.
type Attractor struct {
	Title  string
	Method string // gives colour; "" is ink
	Path   [][3]float64
}

// AttractorPanels are trajectories seen from one place.
type AttractorPanels struct {
	Axes    [3]Axis
	Panels  []Attractor
	Turn    float64 // degrees about the third axis, which points up; at 0 the first axis runs to the right
	Tilt    float64 // degrees that the eye stands above the plane of the first two
	Columns int     // 0 is up to 3
	Caption string
}

// mostSegments is the number of line segments of a trajectory that are drawn.
const mostSegments = 4000

// Attractors draws trajectories in parallel projection, a panel each, all to one
// scale and with the three axes in a corner.
func Attractors(q AttractorPanels) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	columns := columnsOr(q.Columns, len(q.Panels), 3)
	lay := mosaic{columns: columns, width: (fullPage - 40) / vg.Length(max(columns, 2))}
	lo, hi := point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	paths := make([][]point, len(q.Panels))
	for k := range q.Panels {
		paths[k] = q.project(q.Panels[k].Path)
		for _, p := range paths[k] {
			lo = point{math.Min(lo.x, p.x), math.Min(lo.y, p.y)}
			hi = point{math.Max(hi.x, p.x), math.Max(hi.y, p.y)}
		}
	}
	lo.x, hi.x = widen(lo.x, hi.x, 0.05)
	lo.y, hi.y = widen(lo.y, hi.y, 0.05)
	ratio := math.Min(1.3, math.Max(0.6, (hi.y-lo.y)/(hi.x-lo.x)))
	lay.height = lay.width * vg.Length(ratio)
	// one scale for both directions
	if more := ratio*(hi.x-lo.x) - (hi.y - lo.y); more > 0 {
		lo.y, hi.y = lo.y-more/2, hi.y+more/2
	} else {
		more = (hi.y-lo.y)/ratio - (hi.x - lo.x)
		lo.x, hi.x = lo.x-more/2, hi.x+more/2
	}
	var panels []*panel
	for k := range q.Panels {
		if paths[k] == nil {
			panels = append(panels, nil)
			continue
		}
		p := &panel{title: q.Panels[k].Title, x: scale{min: lo.x, max: hi.x, bare: true, silent: true}, y: scale{min: lo.y, max: hi.y, bare: true, silent: true}}
		sty, _ := methodLine(q.Panels[k].Method)
		sty.Width, sty.Dashes = 0.3, nil
		p.add(func(pl *plane) { pl.line(sty, paths[k]) }, q.triad)
		panels = append(panels, p)
	}
	return lay.compose(panels, nil, q.Caption), nil
}

func (q *AttractorPanels) check() error {
	if err := finite("attractors, turn and tilt", q.Turn, q.Tilt); err != nil {
		return err
	}
	for k, a := range q.Panels {
		if _, err := methodLine(a.Method); err != nil {
			return err
		}
		if a.Path == nil {
			continue
		}
		if len(a.Path) < 2 {
			return fmt.Errorf("figure: attractors, panel %d: %d points: a trajectory has two at least", k+1, len(a.Path))
		}
		for _, p := range a.Path {
			if err := finite(fmt.Sprintf("attractors, panel %d", k+1), p[:]...); err != nil {
				return err
			}
		}
	}
	if !slices.ContainsFunc(q.Panels, func(a Attractor) bool { return a.Path != nil }) {
		return errors.New("figure: attractors: no trajectories: give at least one")
	}
	return nil
}

// project returns where points in space are on paper, not too many of them.
func (q *AttractorPanels) project(path [][3]float64) []point {
	step := max(1, (len(path)+mostSegments-1)/mostSegments)
	var out []point
	for i := 0; i < len(path); i += step {
		out = append(out, q.seen(path[i]))
	}
	return out
}

// seen is the parallel projection of a point.
func (q *AttractorPanels) seen(p [3]float64) point {
	sinTurn, cosTurn := math.Sincos(q.Turn * math.Pi / 180)
	sinTilt, cosTilt := math.Sincos(q.Tilt * math.Pi / 180)
	depth := -sinTurn*p[0] + cosTurn*p[1]
	return point{cosTurn*p[0] + sinTurn*p[1], cosTilt*p[2] + sinTilt*depth}
}

// triad draws the directions of the three axes in the lower left corner.
func (q *AttractorPanels) triad(pl *plane) {
	const arm = vg.Length(9)
	from := vg.Point{X: pl.Min.X + 9, Y: pl.Min.Y + 9}
	sty := letters(numberSize)
	sty.XAlign, sty.YAlign = draw.XCenter, draw.YCenter
	for j := range 3 {
		var unit [3]float64
		unit[j] = 1
		d := q.seen(unit)
		to := vg.Point{X: from.X + arm*vg.Length(d.x), Y: from.Y + arm*vg.Length(d.y)}
		pl.StrokeLine2(lineAxis, from.X, from.Y, to.X, to.Y)
		n := math.Hypot(d.x, d.y)
		if n < 0.05 {
			continue // it points at the eye
		}
		pl.FillText(sty, vg.Point{X: to.X + 5*vg.Length(d.x/n), Y: to.Y + 5*vg.Length(d.y/n)}, shorten(sty, q.Axes[j].Name, 30))
	}
}
