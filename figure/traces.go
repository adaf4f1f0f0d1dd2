package figure

import (
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Ladders are the draws of one parameter, by ladder.
type Ladders struct {
	Axis  Axis
	Draws [][]float64 // Draws[l][k] is draw k of ladder l; ladders may differ in length
}

func checkLadders(p []Ladders) error {
	if err := panelCount(len(p)); err != nil {
		return err
	}
	for _, q := range p {
		if len(q.Draws) != len(p[0].Draws) {
			return fmt.Errorf("figure: %s: %d ladders beside %d: give all parameters the same ladders", q.Axis.Name, len(q.Draws), len(p[0].Draws))
		}
		n := 0
		for l, v := range q.Draws {
			n += len(v)
			if err := finite(fmt.Sprintf("%s, ladder %d", q.Axis.Name, l+1), v...); err != nil {
				return err
			}
		}
		if n == 0 {
			return errors.New("figure: no draws: keep at least one")
		}
	}
	return nil
}

// sampleOf counts the draws of a parameter.
func sampleOf(q Ladders) Sample {
	s := Sample{Ladders: len(q.Draws)}
	for _, v := range q.Draws {
		s.Draws += len(v)
	}
	return s
}

// ladderKeys is a legend of ladders.
func ladderKeys(n int) []key {
	var keys []key
	for l := range n {
		keys = append(keys, keyLine(fmt.Sprintf("ladder %d", l+1), draw.LineStyle{Color: ladderColour(l), Width: 1.5}))
	}
	return keys
}

// traceBudget is the number of points of a figure of traces, of some 12 bytes
// each in an SVG.
const traceBudget = 28000

// Traces draws each parameter along its draws, one line a ladder. Long traces
// are drawn by the least and largest value of equal stretches, so that nothing
// that sticks out is lost. If there are too many lines for that, each ladder is
// drawn by the means of its stretches, over a band that holds all draws.
func Traces(p []Ladders) (*Figure, error) {
	if err := checkLadders(p); err != nil {
		return nil, err
	}
	n := len(p[0].Draws)
	columns, finest := 1, 300
	if len(p) > 4 {
		columns, finest = 2, 160
	}
	stretches := min(traceBudget/2/(len(p)*n), finest)
	longest := 0
	for _, q := range p {
		for _, v := range q.Draws {
			longest = max(longest, len(v))
		}
	}
	crowded := stretches < 100 && longest > 2*stretches
	keys, caption := ladderKeys(n), sampleOf(p[0]).String()
	if crowded {
		stretches = max(stretches, 40)
		keys = append(keys, keyArea("all draws", whole))
		caption = sentences(caption, fmt.Sprintf("lines are means over %d stretches", stretches))
	}
	panels := make([]*panel, len(p))
	for i, q := range p {
		panels[i] = tracePanel(q, stretches, crowded)
		panels[i].x.label = "kept draw"
	}
	onlyLowest(panels, columns)
	lay := mosaic{columns: columns, height: cm(2.6)}
	if len(p) == 1 {
		lay.height = cm(4.5)
	}
	return lay.compose(panels, keys, caption), nil
}

func tracePanel(q Ladders, stretches int, crowded bool) *panel {
	pan := &panel{x: scale{min: 0, max: 1}, y: scale{label: q.Axis.label()}}
	lo, hi := extent(slices.Concat(q.Draws...)...)
	pan.y.min, pan.y.max = widen(lo, hi, 0.05)
	for _, v := range q.Draws {
		pan.x.max = max(pan.x.max, float64(len(v)))
	}
	if crowded {
		pan.add(hull(q.Draws, stretches))
	}
	width := vg.Length(0.7)
	if len(q.Draws) > 2 {
		width = 0.5
	}
	for l, v := range q.Draws {
		sty := draw.LineStyle{Color: ladderColour(l), Width: width}
		pts := envelope(v, stretches)
		if crowded {
			pts = means(v, stretches)
		}
		pan.add(func(pl *plane) {
			if len(pts) == 1 {
				pl.dots(sty.Color, 1.5, pts)
				return
			}
			pl.line(sty, pts)
		})
	}
	return pan
}

// hull is a band from the least to the largest value of all ladders, stretch
// by stretch.
func hull(draws [][]float64, stretches int) func(*plane) {
	longest := 0
	for _, v := range draws {
		longest = max(longest, len(v))
	}
	var x, lo, hi []float64
	for s := range min(stretches, longest) {
		from, to := s*longest/stretches, (s+1)*longest/stretches
		var all []float64
		for _, v := range draws {
			all = append(all, v[min(from, len(v)):min(to, len(v))]...)
		}
		if len(all) == 0 {
			continue
		}
		a, b := extent(all...)
		x = append(x, float64(from), float64(to))
		lo, hi = append(lo, a, a), append(hi, b, b)
	}
	return func(pl *plane) { pl.band(whole, x, lo, hi) }
}

// means returns the mean of each stretch of v, over its middle.
func means(v []float64, stretches int) []point {
	var out []point
	for s := range stretches {
		from, to := s*len(v)/stretches, (s+1)*len(v)/stretches
		if from == to {
			continue
		}
		sum := 0.0
		for _, y := range v[from:to] {
			sum += y / float64(to-from)
		}
		out = append(out, point{float64(from+1+to) / 2, sum})
	}
	return out
}

// envelope returns v over 1, 2, … if it is short, else the least and the
// largest value of each stretch in the order they came.
func envelope(v []float64, stretches int) []point {
	var out []point
	if len(v) <= 2*stretches {
		for k, y := range v {
			out = append(out, point{float64(k + 1), y})
		}
		return out
	}
	for s := range stretches {
		from, to := s*len(v)/stretches, (s+1)*len(v)/stretches
		lo, hi := from, from
		for k := from; k < to; k++ {
			if v[k] < v[lo] {
				lo = k
			}
			if v[k] > v[hi] {
				hi = k
			}
		}
		a, b := min(lo, hi), max(lo, hi)
		out = append(out, point{float64(a + 1), v[a]})
		if b != a {
			out = append(out, point{float64(b + 1), v[b]})
		}
	}
	return out
}
