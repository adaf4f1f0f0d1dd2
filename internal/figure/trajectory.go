package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld/internal/text"
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
	c := &check{what: "trajectory"}
	p := &panel{}
	walls, keys := q.backdrop(c, p)
	if c.err != nil {
		return nil, c.err
	}
	keys = append(q.paths(p, walls), keys...)
	lay := onePlane(p, q.Axes[0].Unit == q.Axes[1].Unit)
	return lay.compose([]*panel{p}, keys, q.caption()), nil
}

// backdrop checks the trajectory, sets the axes and adds what does not move: the density
// and the domain. It returns the walls that reflect, and the legend.
func (q *Trajectory) backdrop(c *check, p *panel) (walls [][2]point, keys legend) {
	if q.check(c); c.err != nil {
		return nil, nil
	}
	p.x, p.y = q.view(0), q.view(1)
	l := lattice{240, 240, p.x.min, p.x.max, p.y.min, p.y.max}
	if q.Dense != nil {
		p.add(q.surface(c, l).regions()...)
		keys.add(true, keyArea("50 % of the mass", middle), keyArea("90 %", whole))
	}
	if q.Inside != nil {
		loops := outline(l, q.Inside)
		p.add(outer(loops)...)
		keys.add(true, keyOutside())
		if !q.Section {
			walls = within(loops, p)
		}
	}
	return walls, keys
}

func (q *Trajectory) check(c *check) {
	c.must(len(q.Cold) > 0, "no steps: give some hundred")
	c.must(len(q.Cold) <= MostSteps, "%d steps: choose a window of at most %d", len(q.Cold), MostSteps)
	c.must(len(q.Hot) == 0 || len(q.Hot) == len(q.Cold), "%d steps of the hot rung beside %d: both must have the same iterations",
		len(q.Hot), len(q.Cold))
	for _, t := range q.Temperature {
		c.must(t >= 0, "temperature %g must be above 0, or 0 if it is not to be told", t)
	}
	for _, steps := range [][]Step{q.Cold, q.Hot} {
		for k, s := range steps {
			c.finite("step "+strconv.Itoa(k+1), s.From[0], s.From[1], s.X[0], s.X[1])
		}
	}
	for j, v := range q.View {
		if q.View != [2][2]float64{} {
			c.given(q.Axes[j], v, false)
		}
	}
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
	s.show(0.1, v)
	return s
}

// surface is the density in the domain and the view.
func (q *Trajectory) surface(c *check, l lattice) surface {
	s := surface{lattice: l, v: make([]float64, l.nx*l.ny)}
	for k := range s.v {
		at := l.knot(k%l.nx, k/l.nx)
		in := q.Inside == nil || q.Inside(at.x, at.y)
		v := q.Dense(at.x, at.y)
		if !(v >= 0 && v < 1e300) {
			c.must(!in, "density %g at (%g, %g): it must be at least 0 and finite in the domain", v, at.x, at.y)
			v = 0
		}
		s.v[k] = v
		if in && v > 0 {
			s.sure = append(s.sure, v)
		}
	}
	s.rank()
	return s
}

// paths adds paths, swaps and reflections to p and returns their legend.
func (q *Trajectory) paths(p *panel, walls [][2]point) legend {
	rungs := [...]struct {
		name  string
		steps []Step
		sty   draw.LineStyle
	}{{"cold rung", q.Cold, lineColdest}, {"hot rung", q.Hot, lineHottest}}
	var keys legend
	var paths, bounces []mark
	for i, r := range rungs {
		if len(r.steps) == 0 {
			continue
		}
		path, hits := follow(r.steps, walls)
		paths = append([]mark{lines{r.sty, path}}, paths...) // the cold path lies over the hot one
		if len(hits) > 0 {
			bounces = append(bounces, dots{paper, bounceSize + 0.6, hits}, dots{r.sty.Color, bounceSize, hits})
		}
		if t := q.Temperature[i]; t > 0 {
			r.name += ", τ = " + rounded(t, 3)
		}
		specimen := r.sty
		specimen.Width = 1.4
		keys.add(true, keyLine(r.name, specimen))
	}
	if swaps := q.swaps(); len(swaps) > 0 {
		many := len(swaps)*8 > len(q.Cold) // so many that they would hide the paths
		sty, ring, size := lineSwap, lineRing, ringSize
		if many {
			sty, ring, size = lineManySwaps, lineManyRings, ringSize/2
		}
		var trades []mark
		for _, s := range swaps {
			trades = append(trades, line{sty, s[:]}, rings{ring, size, s[:]})
		}
		if many {
			paths = append(trades, paths...)
		} else {
			paths = append(paths, trades...)
		}
		keys.add(true, keySwap("swap", sty))
	}
	p.add(paths...)
	p.add(bounces...)
	keys.add(len(bounces) > 0, keyBounces("reflection", len(q.Hot) > 0))
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
		fmt.Sprintf("iterations %s to %s", text.Count(q.First), text.Count(q.First+len(q.Cold)-1)),
		text.Counted(len(q.swaps()), "swap"),
		text.Counted(mirrored(q.Cold), "reflected step")+" of the cold rung")
	if len(q.Hot) > 0 {
		out += fmt.Sprintf(", %s of the hot one", text.Count(mirrored(q.Hot)))
	}
	if (q.Section || q.Inside == nil) && mirrored(q.Cold)+mirrored(q.Hot) > 0 {
		out += ", marked at their ends"
	}
	return out
}
