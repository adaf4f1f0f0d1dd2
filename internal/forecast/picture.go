package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/text"
)

// of is "1,000 of 6,000 draws", or "trajectory from the mode".
func (o *Report) of() string {
	if o.From != "draws" {
		return "trajectory from the " + o.From
	}
	return fmt.Sprintf("%s of %s draws", text.Count(o.Draws), text.Count(o.Of))
}

// caption says what is in a figure.
func (o *outcome) caption() string {
	c := o.report
	said := c.of() + ", start: " + c.Initial
	for _, v := range c.Set {
		said += fmt.Sprintf(", %s = %s", v.Name, short(v.Value))
	}
	if n := c.BlownUp.Draws; n > 0 {
		said += fmt.Sprintf("; %s blow up, the first at t = %s", text.Count(n), short(c.BlownUp.First.Time))
	}
	return said
}

// forecast draws bands over the data.
func (o *outcome) forecast() (*figure.Figure, error) {
	r, c := o.result, o.report
	q := figure.Courses{TimeAxis: figure.Axis{Name: c.Time}, Time: r.Times, Level: c.Level, End: c.DataEnd, Name: "median",
		Caption: o.caption()}
	if len(r.Draws) == 1 {
		q.Name = c.From
	}
	for i := range o.bands[:min(len(o.bands), figure.MostPanels)] {
		b := &o.bands[i]
		s := figure.Course{Axis: figure.Axis{Name: b.State}, Middle: b.Median, ObservedLow: b.ObservedLow, ObservedHigh: b.ObservedHigh}
		if len(r.Draws) > 1 {
			s.Low, s.High = b.Low, b.High
		}
		s.DataTime, s.Data = o.data.state(i)
		if o.other != nil {
			q.Other = o.other.name
			s.OtherTime, s.Other = o.other.state(i, len(o.bands))
		}
		q.States = append(q.States, s)
	}
	if n := len(r.Times); r.Times[n-1] < r.Times[0] {
		q.Time = turned(r.Times)
		for i := range q.States {
			s := &q.States[i]
			s.Middle, s.Low, s.High = turned(s.Middle), turned(s.Low), turned(s.High)
			s.ObservedLow, s.ObservedHigh = turned(s.ObservedLow), turned(s.ObservedHigh)
		}
	}
	return figure.Forecast(q)
}

// turned is v from its end to its beginning; nil stays nil.
func turned(v []float64) []float64 {
	v = slices.Clone(v)
	slices.Reverse(v)
	return v
}

// state returns the rows where state i was observed.
func (d *observed) state(i int) (time, values []float64) {
	for k, t := range d.Time {
		if v := d.Values[i][k]; v == v {
			time, values = append(time, t), append(values, v)
		}
	}
	return time, values
}

// state returns component i of dim while the trajectory lasts.
func (o *other) state(i, dim int) (time, values []float64) {
	for k, t := range o.times {
		if v := o.path[k*dim+i]; v == v {
			time, values = append(time, t), append(values, v)
		}
	}
	return time, values
}

// paleDraws is how many trajectories of draws phase portraits show.
const paleDraws = 40

// phase draws the phase portrait of two states with the flow, of three the
// planes of all pairs, of more those of the first three.
func (o *outcome) phase(ctx context.Context) (*figure.Figure, error) {
	r := o.result
	d := len(r.Model.States)
	if d < 2 {
		return nil, nil
	}
	front, name := o.front(ctx)
	text := figure.PhaseText{Name: name, Caption: o.caption()}
	pairs := [][2]int{{0, 1}, {0, 2}, {1, 2}}
	if d == 2 {
		pairs = pairs[:1]
	}
	var others [][]float64
	if n := len(r.Draws); n > 1 {
		shown := min(n, paleDraws/len(pairs))
		for k := range shown {
			others = append(others, r.Paths[k*n/shown])
		}
		text.Others = fmt.Sprintf("%d draws", len(others))
	}
	if o.other != nil {
		text.Known = o.other.name
	}
	var q []figure.Portrait
	for _, pair := range pairs {
		i, j := pair[0], pair[1]
		p := figure.Portrait{X: figure.Axis{Name: r.Model.States[i]}, Y: figure.Axis{Name: r.Model.States[j]}, Orbit: orbit(front, i, j, d)}
		for _, path := range others {
			p.Others = append(p.Others, orbit(path, i, j, d))
		}
		if o.other != nil {
			p.Known = orbit(o.other.path, i, j, d)
		}
		p.Data = o.data.orbit(i, j, r.Times)
		if d == 2 {
			p.Field = o.field()
		}
		q = append(q, p)
	}
	return figure.Phase(q, text)
}

// front is the trajectory in the foreground: that of the mode, or of the first draw
// that comes to the end.
func (o *outcome) front(ctx context.Context) (path []float64, name string) {
	r := o.result
	if len(r.Draws) == 1 {
		return r.Paths[0], o.report.From
	}
	if m, err := simulation.Run(ctx, r.Model, [][]float64{o.mode}, o.options); err == nil {
		return m.Paths[0], "mode"
	}
	for _, path := range r.Paths {
		if v := path[len(path)-1]; v == v {
			return path, "a draw"
		}
	}
	return r.Paths[0], "a draw"
}

// orbit is a path in the plane of two states, while it lasts.
func orbit(path []float64, i, j, dim int) figure.Orbit {
	var o figure.Orbit
	for k := 0; k < len(path); k += dim {
		if path[k+i] != path[k+i] || path[k+j] != path[k+j] {
			break
		}
		o.X, o.Y = append(o.X, path[k+i]), append(o.Y, path[k+j])
	}
	return o
}

// orbit is what was observed of two states at once while the trajectories go on.
func (d *observed) orbit(i, j int, times []float64) figure.Orbit {
	var o figure.Orbit
	a, b := times[0], times[len(times)-1]
	for k, t := range d.Time {
		if x, y := d.Values[i][k], d.Values[j][k]; x == x && y == y && t >= min(a, b) && t <= max(a, b) {
			o.X, o.Y = append(o.X, x), append(o.Y, y)
		}
	}
	return o
}

// field is the flow at the mode; nil if it depends on the time, as at some of the
// states that the first trajectory passes.
func (o *outcome) field() func(x, y float64) (dx, dy float64) {
	r := o.result
	sys := r.Model.System(o.mode)
	a, b := make([]float64, 2), make([]float64, 2)
	last := r.Times[len(r.Times)-1]
	for k := 0; k < len(r.Times); k += max(1, len(r.Times)/20) {
		y := r.Paths[0][2*k : 2*k+2]
		sys.F(a, r.From, y)
		for _, t := range [...]float64{last, r.From + 0.37*(last-r.From)} {
			if sys.F(b, t, y); y[0] == y[0] && (a[0] != b[0] || a[1] != b[1]) {
				return nil
			}
		}
	}
	return func(x, y float64) (dx, dy float64) {
		sys.F(a, r.From, []float64{x, y})
		return a[0], a[1]
	}
}

// parting draws the distance from another trajectory over time.
func (o *outcome) parting() (*figure.Figure, error) {
	c := o.parted
	if c == nil || len(c.Times) < 2 {
		return nil, nil
	}
	line := figure.Line{Name: "distance from " + o.other.name}
	if len(c.Distances) > 1 {
		line.Name = fmt.Sprintf("distance from %s, median and %g %% of trajectories", o.other.name, o.report.Level)
	}
	for k, v := range o.over {
		if !(v.Median > 0) {
			continue // the same state, or none left
		}
		line.X, line.Y = append(line.X, c.Times[k]), append(line.Y, v.Median)
		if len(c.Distances) > 1 {
			line.Low, line.High = append(line.Low, v.Low), append(line.High, v.High)
		}
	}
	if len(line.X) == 0 {
		return nil, nil
	}
	lo, hi := math.Min(c.Times[0], c.Times[len(c.Times)-1]), math.Max(c.Times[0], c.Times[len(c.Times)-1])
	rule := figure.Line{Name: "apart: " + short(c.Apart), X: []float64{lo, hi}, Y: []float64{c.Apart, c.Apart}, Dashed: true}
	return figure.Curves(figure.Lines{X: figure.Axis{Name: o.report.Time}, Y: figure.Axis{Name: "distance"}, LogY: true,
		Panels: []figure.LinePanel{{Lines: []figure.Line{line, rule}}}, Caption: o.caption()})
}
