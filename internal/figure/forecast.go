package figure

import (
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
	lay := mosaic{columns: 1, height: stacked(len(panels), 2.6, 4.4)}
	return lay.compose(panels, q.keys(), q.Caption), nil
}

func (q *Courses) check() error {
	c := &check{what: "forecast"}
	c.panels(len(q.States))
	c.must(len(q.Time) >= 2, "give two times at least, in rising order")
	c.columns(column{"times", q.Time, anyLength, ascending})
	n := len(q.Time)
	for i := range q.States {
		s := &q.States[i]
		c.part("forecast of %s", s.Axis.Name)
		c.ends(s.Low, s.High)
		c.ends(s.ObservedLow, s.ObservedHigh)
		c.must(s.Middle != nil, "nothing in the middle: give a trajectory or a median")
		c.columns(column{"", s.Middle, n, 0}, column{"", s.Low, n, optional}, column{"", s.High, n, optional},
			column{"", s.ObservedLow, n, optional}, column{"", s.ObservedHigh, n, optional},
			column{"data", s.DataTime, anyLength, 0}, column{"data", s.Data, len(s.DataTime), 0},
			column{"other", s.OtherTime, anyLength, 0}, column{"other", s.Other, len(s.OtherTime), 0})
	}
	return c.err
}

func (q *Courses) keys() legend {
	some := func(is func(c Course) bool) bool { return slices.ContainsFunc(q.States, is) }
	var keys legend
	keys.add(some(func(c Course) bool { return len(c.Data) > 0 }), keyObserved("observed"))
	keys.add(true, keyLine(q.Name, linePosterior))
	keys.add(some(func(c Course) bool { return c.Low != nil }), keyArea(fmt.Sprintf("%g %% of trajectories", q.Level), middle))
	keys.add(some(func(c Course) bool { return c.ObservedLow != nil }), keyArea(fmt.Sprintf("%g %% of observations", q.Level), whole))
	keys.add(some(func(c Course) bool { return len(c.Other) > 0 }), keyLine(q.Other, lineTruth))
	keys.add(q.ends(), keyRule("end of the data", lineExpected))
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
	var rule []mark
	if q.ends() {
		rule = []mark{upright{lineExpected, q.End}}
	}
	thin := Course{
		Middle: few(c.Middle, mostKnots), Low: few(c.Low, mostKnots), High: few(c.High, mostKnots),
		ObservedLow: few(c.ObservedLow, mostKnots), ObservedHigh: few(c.ObservedHigh, mostKnots),
		OtherTime: few(c.OtherTime, mostKnots), Other: few(c.Other, mostKnots),
	}
	p.add(thin.marks(few(q.Time, mostKnots), data, rule...)...)
	return p
}

// marks draw the course at so many times: bands, what lies above them, data below the
// lines where there are many, and lines.
func (c *Course) marks(time []float64, data []point, above ...mark) []mark {
	cloud := dots{dotColour(len(data)), dotSize(len(data)), data}
	lines := []mark{line{linePosterior, joined(time, c.Middle)}, line{lineTruth, joined(c.OtherTime, c.Other)}}
	if len(data) > manyDots {
		lines = slices.Insert(lines, 0, mark(cloud))
	} else {
		lines = append(lines, cloud)
	}
	out := []mark{band{whole, time, c.ObservedLow, c.ObservedHigh}, band{middle, time, c.Low, c.High}}
	return append(append(out, above...), lines...)
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

// few returns every so many-th of v, and the last, so that there are most or one more.
func few(v []float64, most int) []float64 { return every(v, (len(v)+most-1)/most) }

// every returns each stride-th of v and the last.
func every(v []float64, stride int) []float64 {
	if stride <= 1 || v == nil {
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
