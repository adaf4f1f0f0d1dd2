package figure

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg/draw"
)

// A Step is what one rung did in one iteration, seen in a plane.
type Step struct {
	From, X    [2]float64 // the state before and after; where it goes on if nothing swaps
	Mirrorings int        // at the wall along the step
	Swapped    bool       // the rung held another replica afterwards
}

// A Trajectory is the path of one or two rungs in a plane.
type Trajectory struct {
	Axes   [2]Axis
	View   [2][2]float64              // range of each axis; zero shows the paths
	Inside func(x, y float64) bool    // the domain; nil draws none
	Dense  func(x, y float64) float64 // density of the coldest rung up to a factor, drawn behind; nil draws none
	// Section says that states have more coordinates than these two: walls that
	// steps met may not be seen, and reflections are marked where they end.
	Section     bool
	First       int        // iteration of the first step
	Cold, Hot   []Step     // of the colder and the hotter rung, step by step; no Hot draws one path
	Temperature [2]float64 // of the two; 0 is not told
}

// MostSteps is how many steps a picture of a trajectory shows: a thicket tells
// nothing.
const MostSteps = 2000

// TrajectoryPlot draws the paths of a cold and a hot rung over some hundred
// iterations, the domain, where steps were reflected, and where labels traded:
// there a rung goes on from the state of another replica. More swaps than one in
// eight steps are drawn pale and under the paths. A step that was
// reflected is drawn over the point of the wall that makes it shortest, also if
// it was mirrored more than once; without a wall to be seen, the reflection is
// marked at its end.
func TrajectoryPlot(q Trajectory) (*Figure, error) {
	if err := q.check("trajectory"); err != nil {
		return nil, err
	}
	p := &panel{x: q.view(0), y: q.view(1)}
	l := lattice{240, 240, p.x.min, p.x.max, p.y.min, p.y.max}
	keys := []key{}
	if q.Dense != nil {
		regions, err := q.regions(l)
		if err != nil {
			return nil, err
		}
		p.add(func(pl *plane) {
			pl.fill(whole, regions[0]...)
			pl.fill(middle, regions[1]...)
		})
		keys = append(keys, keyArea("50 % of the mass", middle), keyArea("90 %", whole))
	}
	var walls [][]point // that reflect
	if q.Inside != nil {
		drawn := outline(l, q.Inside)
		p.add(func(pl *plane) { pl.shadeOutside(drawn) })
		keys = append(keys, keyOutside("outside the domain"))
		if !q.Section {
			walls = drawn
		}
	}
	keys = append(q.paths(p, walls), keys...)
	lay := onePlane(p, q.Axes[0].Unit == q.Axes[1].Unit)
	return lay.compose([]*panel{p}, keys, q.caption()), nil
}

func (q *Trajectory) check(what string) error {
	if len(q.Cold) == 0 {
		return errors.New("figure: " + what + ": no steps: give some hundred")
	}
	if len(q.Cold) > MostSteps {
		return fmt.Errorf("figure: %s: %d steps: choose a window of at most %d", what, len(q.Cold), MostSteps)
	}
	if len(q.Hot) > 0 && len(q.Hot) != len(q.Cold) {
		return fmt.Errorf("figure: %s: %d steps of the hot rung beside %d: both must have the same iterations", what, len(q.Hot), len(q.Cold))
	}
	for _, steps := range [][]Step{q.Cold, q.Hot} {
		for k, s := range steps {
			if err := finite(fmt.Sprintf("%s, step %d", what, k+1), s.From[0], s.From[1], s.X[0], s.X[1]); err != nil {
				return err
			}
		}
	}
	if q.View != [2][2]float64{} {
		if err := checkView(q.Axes, q.View); err != nil {
			return err
		}
	}
	for _, t := range q.Temperature {
		if !(t >= 0) {
			return fmt.Errorf("figure: %s: temperature %g must be above 0, or 0 if it is not to be told", what, t)
		}
	}
	return nil
}

func checkView(axes [2]Axis, view [2][2]float64) error {
	for j, v := range view {
		if err := finite("view of "+axes[j].Name, v[:]...); err != nil {
			return err
		}
		if !(v[0] < v[1]) {
			return fmt.Errorf("figure: view of %s: %g is not below %g", axes[j].Name, v[0], v[1])
		}
	}
	return nil
}

// view returns the axis of coordinate j.
func (q *Trajectory) view(j int) scale {
	s := scale{label: q.Axes[j].label()}
	if q.View != [2][2]float64{} {
		s.min, s.max = widen(q.View[j][0], q.View[j][1], 0.04)
		return s
	}
	var v []float64
	for _, t := range slices.Concat(q.Cold, q.Hot) {
		v = append(v, t.From[j], t.X[j])
	}
	min, max := extent(v...)
	s.min, s.max = widen(min, max, 0.1)
	return s
}

// regions returns the walls of the regions of highest density that hold 90
// and 50 % of what lies in the domain and the view.
func (q *Trajectory) regions(l lattice) (out [len(shares)][][]point, err error) {
	s := surface{lattice: l, v: make([]float64, l.nx*l.ny)}
	for k := range s.v {
		at := l.knot(k%l.nx, k/l.nx)
		in := q.Inside == nil || q.Inside(at.x, at.y)
		v := q.Dense(at.x, at.y)
		if !(v >= 0 && v < 1e300) {
			if in {
				return out, fmt.Errorf("figure: trajectory: density %g at (%g, %g): it must be at least 0 and finite in the domain", v, at.x, at.y)
			}
			v = 0
		}
		s.v[k] = v
		if in && v > 0 {
			s.sure = append(s.sure, v)
		}
	}
	slices.SortFunc(s.sure, func(a, b float64) int { return cmp.Compare(b, a) })
	for k, share := range shares {
		out[k] = contour(l, s.v, s.level(share))
	}
	return out, nil
}

// paths adds paths, swaps and reflections to p and returns their legend.
func (q *Trajectory) paths(p *panel, walls [][]point) []key {
	rungs := [...]struct {
		name  string
		steps []Step
		sty   draw.LineStyle
	}{{"cold rung", q.Cold, lineColdest}, {"hot rung", q.Hot, lineHottest}}
	var keys []key
	var marks []func(*plane)
	below := len(p.layers)
	for i, r := range rungs {
		if len(r.steps) == 0 {
			continue
		}
		lines, hits := follow(r.steps, within(walls, p))
		line := func(pl *plane) {
			for _, l := range lines {
				pl.line(r.sty, l)
			}
		}
		p.layers = slices.Insert(p.layers, len(p.layers)-i, line) // the cold path lies over the hot one
		if len(hits) > 0 {
			marks = append(marks, func(pl *plane) {
				pl.dots(paper, bounceSize+0.6, hits)
				pl.dots(r.sty.Color, bounceSize, hits)
			})
		}
		if t := q.Temperature[i]; t > 0 {
			r.name += ", τ = " + rounded(t, 3)
		}
		specimen := r.sty
		specimen.Width = 1.4
		keys = append(keys, keyLine(r.name, specimen))
	}
	if swaps := q.swaps(); len(swaps) > 0 {
		line, ring, size, layer := lineSwap, lineRing, ringSize, len(p.layers)
		if len(swaps)*8 > len(q.Cold) { // so many that they would hide the paths
			line, ring, size, layer = lineManySwaps, lineManyRings, ringSize/2, below
		}
		p.layers = slices.Insert(p.layers, layer, func(pl *plane) {
			for _, s := range swaps {
				pl.line(line, s[:])
				pl.rings(ring, size, s[:])
			}
		})
		keys = append(keys, keySwap("swap", line))
	}
	p.add(marks...)
	if len(marks) > 0 {
		keys = append(keys, keyBounces("reflection", len(q.Hot) > 0))
	}
	return keys
}

// swaps returns from where to where each rung went on when labels traded, once
// if the two rungs traded with each other.
func (q *Trajectory) swaps() [][2]point {
	var out [][2]point
	for k := range len(q.Cold) - 1 {
		if q.Cold[k].Swapped {
			out = append(out, [2]point{at(q.Cold[k].X), at(q.Cold[k+1].From)})
		}
		if len(q.Hot) > 0 && q.Hot[k].Swapped && !(q.Cold[k].Swapped && q.Cold[k+1].From == q.Hot[k].X) {
			out = append(out, [2]point{at(q.Hot[k].X), at(q.Hot[k+1].From)})
		}
	}
	return out
}

func at(x [2]float64) point { return point{x[0], x[1]} }

// follow returns the lines along steps, broken where one does not begin at the
// end of the last, and the reflections: on the wall or, without walls, where
// their steps end.
func follow(steps []Step, walls [][2]point) (lines [][]point, hits []point) {
	for k, s := range steps {
		if k == 0 || s.From != steps[k-1].X {
			lines = append(lines, []point{at(s.From)})
		}
		l := &lines[len(lines)-1]
		if s.Mirrorings > 0 {
			hit, ok := bounce(at(s.From), at(s.X), walls)
			if ok {
				*l = append(*l, hit)
			}
			hits = append(hits, hit)
		}
		*l = append(*l, at(s.X))
	}
	return lines, hits
}

// within returns the pieces of walls that lie in the view: outline closes its
// loops beyond it, where there is no wall.
func within(walls [][]point, p *panel) [][2]point {
	in := func(q point) bool {
		return q.x >= p.x.min && q.x <= p.x.max && q.y >= p.y.min && q.y <= p.y.max
	}
	var out [][2]point
	for _, w := range walls {
		for i, a := range w {
			if b := w[(i+1)%len(w)]; in(a) && in(b) {
				out = append(out, [2]point{a, b})
			}
		}
	}
	return out
}

// bounce returns the point of the walls that makes the way from a over it to b
// shortest, by Fermat that of a specular reflection. Without walls, or if the
// step did not move, it is b, and ok is false.
func bounce(a, b point, walls [][2]point) (best point, ok bool) {
	best = b
	if a == b {
		return best, false
	}
	least := math.Inf(1)
	for _, w := range walls {
		p := shortest(a, b, w)
		if d := math.Hypot(a.x-p.x, a.y-p.y) + math.Hypot(b.x-p.x, b.y-p.y); d < least {
			best, least, ok = p, d, true
		}
	}
	return best, ok
}

// shortest returns the point of a piece of wall nearest to a and b together:
// where the line from a to b, mirrored to the other side, crosses it.
func shortest(a, b point, w [2]point) point {
	tx, ty := w[1].x-w[0].x, w[1].y-w[0].y
	length := math.Hypot(tx, ty)
	if length == 0 {
		return w[0]
	}
	along := func(p point) float64 { return ((p.x-w[0].x)*tx + (p.y-w[0].y)*ty) / length }
	off := func(p point) float64 { return math.Abs((p.y-w[0].y)*tx-(p.x-w[0].x)*ty) / length }
	u, du, v, dv := along(a), off(a), along(b), off(b)
	t := (u + v) / 2
	if du+dv > 0 {
		t = (u*dv + v*du) / (du + dv)
	}
	t = math.Max(0, math.Min(1, t/length))
	return point{w[0].x + t*tx, w[0].y + t*ty}
}

// caption returns "iterations 1,001 to 1,400; 31 swaps; 12 reflections of the
// cold rung and 40 of the hot one".
func (q *Trajectory) caption() string {
	mirrored := func(steps []Step) (n int) {
		for _, s := range steps {
			if s.Mirrorings > 0 {
				n++
			}
		}
		return n
	}
	out := sentences(
		fmt.Sprintf("iterations %s to %s", thousands(q.First), thousands(q.First+len(q.Cold)-1)),
		count(len(q.swaps()), "swap"),
		count(mirrored(q.Cold), "reflected step")+" of the cold rung")
	if len(q.Hot) > 0 {
		out += fmt.Sprintf(", %s of the hot one", thousands(mirrored(q.Hot)))
	}
	if (q.Section || q.Inside == nil) && mirrored(q.Cold)+mirrored(q.Hot) > 0 {
		out += ", marked at their ends"
	}
	return out
}
