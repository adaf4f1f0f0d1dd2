package figure

import (
	"fmt"
	"math"
)

// A Distance is how far a law is from another, along the time.
type Distance struct {
	Axis  Axis // such as χ², or W2 with the unit of the coordinate
	Value []float64
	Bound []float64 // what theorems allow; nil is none
}

// Decay is how a law comes to rest.
type Decay struct {
	Time      Axis
	At        []float64 // times, rising
	Distances []Distance
	Caption   string
}

// DecayCurves draws distances on logarithmic axes along the time, a panel each, with
// what theorems allow: exponential decay is a straight line. Distances that are 0, and
// those that rounding has eaten, below 1e-14 of the first, are left out.
func DecayCurves(q Decay) (*Figure, error) {
	lines := Lines{X: q.Time, LogY: true, Caption: q.Caption}
	c := &check{}
	for _, d := range q.Distances {
		c.part("decay of %s", d.Axis.Name)
		c.must(len(d.Value) == len(q.At), beside, len(d.Value), len(q.At))
		c.must(d.Bound == nil || len(d.Bound) == len(q.At), beside, len(d.Bound), len(q.At))
		if c.err != nil {
			return nil, c.err
		}
		p := LinePanel{Y: d.Axis}
		if x, y := seen(q.At, d.Bound); len(x) > 0 {
			p.Lines = append(p.Lines, Line{Name: "bound", Method: "truth", X: x, Y: y, Dashed: true})
		}
		x, y := seen(q.At, d.Value)
		if len(x) == 0 {
			continue // at rest from the first
		}
		p.Lines = append(p.Lines, Line{Name: "measured", X: x, Y: y})
		p.Points = []Points{{Name: "measured", X: x, Y: y}}
		lines.Panels = append(lines.Panels, p)
	}
	c.part("decay")
	c.must(len(lines.Panels) > 0, "every distance is 0: there is nothing to see")
	if len(lines.Panels) == 4 {
		lines.Columns = 2
	}
	if c.err != nil {
		return nil, c.err
	}
	return Curves(lines)
}

// seen returns the values that a logarithmic axis can show, with their places.
func seen(x, y []float64) (at, v []float64) {
	top := 0.0
	for _, e := range y {
		if e < 1e300 {
			top = math.Max(top, e)
		}
	}
	for i, e := range y {
		if e > 1e-14*top && e < 1e300 {
			at, v = append(at, x[i]), append(v, e)
		}
	}
	return at, v
}

// Gaps is how fast something mixes with the intensity of swaps.
type Gaps struct {
	Intensity, Gap Axis
	At             []float64 // intensities above 0, rising
	Value          []float64
	None           float64 // the gap without swaps; 0 is not shown
	Limit          float64 // of ever more swaps; 0 is not known
	Enough         float64 // the intensity that reaches a share of the limit; 0 is not known
	Share          float64 // that share
	Caption        string
}

// GapCurve draws the gap against the intensity of swaps, on logarithmic axes, between
// that without swaps and that of ever more of them.
func GapCurve(q Gaps) (*Figure, error) {
	c := &check{what: "gaps"}
	c.must(len(q.At) > 0, "no intensity: give one at least")
	c.columns(column{"intensities", q.At, anyLength, rising})
	if c.err != nil {
		return nil, c.err
	}
	ends := []float64{q.At[0], q.At[len(q.At)-1]}
	if q.At[0] == q.At[len(q.At)-1] {
		ends = []float64{q.At[0] / 2, q.At[0] * 2}
	}
	p := LinePanel{}
	level := func(name, method string, v float64) {
		if v > 0 {
			p.Lines = append(p.Lines, Line{Name: name, Method: method, X: ends, Y: []float64{v, v}, Dashed: true})
		}
	}
	level("without swaps", "r-sgld", q.None)
	level("limit of ever more swaps", "truth", q.Limit)
	p.Lines = append(p.Lines, Line{Name: "gap", Method: "r2sgld", X: q.At, Y: q.Value})
	p.Points = []Points{{Name: "gap", Method: "r2sgld", X: q.At, Y: q.Value}}
	lines := Lines{X: q.Intensity, Y: q.Gap, LogX: true, LogY: true, Panels: []LinePanel{p}, Caption: q.Caption}
	if q.Enough > 0 {
		lines.Rules = []Rule{{q.Enough, fmt.Sprintf("%.3g %% of the limit", 100*q.Share)}}
	}
	return Curves(lines)
}
