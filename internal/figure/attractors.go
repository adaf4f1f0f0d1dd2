package figure

import (
	"math"

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
	var all [2][]float64
	paths := make([][]point, len(q.Panels))
	for k := range q.Panels {
		paths[k] = q.project(q.Panels[k].Path)
		for _, p := range paths[k] {
			all[0], all[1] = append(all[0], p.x), append(all[1], p.y)
		}
	}
	x, y := scale{bare: true, silent: true}, scale{bare: true, silent: true}
	x.show(0.05, all[0])
	y.show(0.05, all[1])
	ratio := math.Min(1.3, math.Max(0.6, (y.max-y.min)/(x.max-x.min)))
	lay.height = lay.width * vg.Length(ratio)
	// one scale for both directions
	if more := ratio*(x.max-x.min) - (y.max - y.min); more > 0 {
		y.min, y.max = y.min-more/2, y.max+more/2
	} else {
		more = (y.max-y.min)/ratio - (x.max - x.min)
		x.min, x.max = x.min-more/2, x.max+more/2
	}
	panels := make([]*panel, len(q.Panels))
	for k, a := range q.Panels {
		if paths[k] == nil {
			continue
		}
		sty, _ := methodLine(a.Method)
		sty.Width, sty.Dashes = 0.3, nil
		panels[k] = &panel{title: a.Title, x: x, y: y}
		panels[k].add(line{sty, paths[k]}, painted(q.triad))
	}
	return lay.compose(panels, nil, q.Caption), nil
}

func (q *AttractorPanels) check() error {
	c := &check{what: "attractors"}
	c.finite("turn and tilt", q.Turn, q.Tilt)
	some := false
	for k, a := range q.Panels {
		c.part("attractors, panel %d", k+1)
		c.method(a.Method)
		c.must(a.Path == nil || len(a.Path) >= 2, "%d points: a trajectory has two at least", len(a.Path))
		for _, p := range a.Path {
			c.finite("", p[:]...)
		}
		some = some || a.Path != nil
	}
	c.part("attractors")
	c.must(some, "no trajectories: give at least one")
	return c.err
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
	sty := aligned(numberSize, draw.XCenter, draw.YCenter)
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
