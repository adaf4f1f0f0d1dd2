package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// A Course is one state over time, as trajectories and data tell it.
type Course struct {
	Axis                      Axis
	Middle                    []float64 // at Courses.Time: the median, or a single trajectory
	Low, High                 []float64 // its interval; nil is none
	ObservedLow, ObservedHigh []float64 // that of an observation; nil is none
	OtherTime, Other          []float64 // another trajectory to compare with; nil is none
	DataTime, Data            []float64 // nil is none
}

// Courses are all states of a system over the same times, rising.
type Courses struct {
	TimeAxis Axis
	Time     []float64
	States   []Course
	Level    float64 // of the intervals, in percent
	End      float64 // where the data end; NaN is nowhere
	Name     string  // of Middle in the legend: "median"
	Other    string  // of Other in the legend
	Caption  string
}

// mostKnots is how many points of a line are drawn: more than there are dots on
// a page's width.
const mostKnots = 2000

// Forecast draws the course of every state, a panel each, with bands over the
// data of the same time or shortly before, and a rule where the data end. A band is
// cut off far from what is in the middle.
func Forecast(q Courses) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	panels := make([]*panel, len(q.States))
	for i := range q.States {
		panels[i] = q.panel(&q.States[i])
		panels[i].x.label = q.TimeAxis.label()
	}
	onlyLowest(panels, 1)
	lay := mosaic{columns: 1, height: cm(math.Max(2.6, math.Min(4.4, 16/float64(len(panels)))))}
	return lay.compose(panels, q.keys(), q.Caption), nil
}

func (q *Courses) check() error {
	if err := panelCount(len(q.States)); err != nil {
		return err
	}
	if len(q.Time) < 2 || !slices.IsSorted(q.Time) {
		return errors.New("figure: forecast: give two times at least, in rising order")
	}
	if err := finite("forecast, times", q.Time...); err != nil {
		return err
	}
	for i := range q.States {
		c := &q.States[i]
		what := "forecast of " + c.Axis.Name
		if (c.Low == nil) != (c.High == nil) || (c.ObservedLow == nil) != (c.ObservedHigh == nil) {
			return fmt.Errorf("figure: %s: an interval has two ends: give both or none", what)
		}
		for _, v := range [][]float64{c.Middle, c.Low, c.High, c.ObservedLow, c.ObservedHigh} {
			if v == nil {
				continue
			}
			if err := sameLength(what, len(q.Time), v); err != nil {
				return err
			}
		}
		if c.Middle == nil {
			return fmt.Errorf("figure: %s: nothing in the middle: give a trajectory or a median", what)
		}
		if err := errors.Join(sameLength(what+", data", len(c.DataTime), c.Data), sameLength(what+", other", len(c.OtherTime), c.Other)); err != nil {
			return err
		}
		for _, v := range [][]float64{c.Middle, c.Low, c.High, c.ObservedLow, c.ObservedHigh, c.OtherTime, c.Other, c.DataTime, c.Data} {
			if err := finite(what, v...); err != nil {
				return err
			}
		}
	}
	return nil
}

func (q *Courses) keys() []key {
	var data, band, wide, other bool
	for _, c := range q.States {
		data, band = data || len(c.Data) > 0, band || c.Low != nil
		wide, other = wide || c.ObservedLow != nil, other || len(c.Other) > 0
	}
	var keys []key
	if data {
		keys = append(keys, keyDot("observed", observed, 1.8))
	}
	keys = append(keys, keyLine(q.Name, linePosterior))
	if band {
		keys = append(keys, keyArea(fmt.Sprintf("%g %% of trajectories", q.Level), middle))
	}
	if wide {
		keys = append(keys, keyArea(fmt.Sprintf("%g %% of observations", q.Level), whole))
	}
	if other {
		keys = append(keys, keyLine(q.Other, lineTruth))
	}
	if q.ends() {
		keys = append(keys, keyRule("end of the data", lineExpected))
	}
	return keys
}

// ends reports whether the end of the data is in view, other than at its edge.
func (q *Courses) ends() bool { return q.End > q.Time[0] && q.End < q.Time[len(q.Time)-1] }

// shown is the range of time: that of the trajectories, with data before them as
// far as a quarter of it.
func (q *Courses) shown() (from, to float64) {
	first, last := q.Time[0], q.Time[len(q.Time)-1]
	from, least := first, first-(last-first)/4
	for _, c := range q.States {
		for _, t := range c.DataTime {
			if t >= least {
				from = math.Min(from, t)
			}
		}
	}
	return from, last
}

// onScale returns the points that lie on a scale.
func onScale(pts []point, x scale) []point {
	var out []point
	for _, p := range pts {
		if p.x >= x.min && p.x <= x.max {
			out = append(out, p)
		}
	}
	return out
}

func (q *Courses) panel(c *Course) *panel {
	p := &panel{y: scale{label: c.Axis.label()}}
	from, to := q.shown()
	p.x.min, p.x.max = widen(from, to, 0.02)
	data := onScale(joined(c.DataTime, c.Data), p.x)
	lo, hi := extent(slices.Concat(c.Middle, c.Other)...)
	for _, d := range data {
		lo, hi = math.Min(lo, d.y), math.Max(hi, d.y)
	}
	if bands := slices.Concat(c.Low, c.High, c.ObservedLow, c.ObservedHigh); len(bands) > 0 {
		least, most := extent(bands...)
		room := math.Max(hi-lo, math.Abs(hi)/10)
		lo, hi = math.Max(math.Min(lo, least), lo-room), math.Min(math.Max(hi, most), hi+room)
	}
	p.y.min, p.y.max = widen(lo, hi, 0.07)
	stride := (len(q.Time) + mostKnots - 1) / mostKnots
	time := every(q.Time, stride)
	dots := func(pl *plane) { pl.dots(dotColour(len(data)), dotSize(len(data)), data) }
	p.add(func(pl *plane) {
		if c.ObservedLow != nil {
			pl.band(whole, time, every(c.ObservedLow, stride), every(c.ObservedHigh, stride))
		}
		if c.Low != nil {
			pl.band(middle, time, every(c.Low, stride), every(c.High, stride))
		}
		if q.ends() {
			pl.vline(lineExpected, q.End)
		}
		if len(data) > manyDots {
			dots(pl)
		}
		pl.line(linePosterior, joined(time, every(c.Middle, stride)))
		stride := (len(c.Other) + mostKnots - 1) / mostKnots
		pl.line(lineTruth, joined(every(c.OtherTime, stride), every(c.Other, stride)))
		if len(data) <= manyDots {
			dots(pl)
		}
	})
	return p
}

// manyDots is how many data stand side by side on the width of a page; more become
// small and translucent, and lie below the line.
const manyDots = 150

// dotSize is the radius of n data on the width of a page.
func dotSize(n int) vg.Length {
	return vg.Length(math.Max(0.7, math.Min(1.7, 1.7*math.Sqrt(manyDots/float64(max(n, 1))))))
}

// dotColour is the colour of n data.
func dotColour(n int) color.NRGBA {
	c := observed
	c.A = uint8(255 * math.Max(0.4, math.Min(1, 2*manyDots/float64(max(n, 1)))))
	return c
}

// every returns each stride-th of v and the last.
func every(v []float64, stride int) []float64 {
	if stride <= 1 {
		return v
	}
	var out []float64
	for i := 0; i < len(v); i += stride {
		out = append(out, v[i])
	}
	if (len(v)-1)%stride != 0 {
		out = append(out, v[len(v)-1])
	}
	return out
}

func joined(x, y []float64) []point {
	out := make([]point, len(x))
	for i := range x {
		out[i] = point{x[i], y[i]}
	}
	return out
}
