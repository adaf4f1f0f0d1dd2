package figure

import (
	"errors"
	"fmt"

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
// that sticks out is lost.
func Traces(p []Ladders) (*Figure, error) {
	if err := checkLadders(p); err != nil {
		return nil, err
	}
	n := len(p[0].Draws)
	stretches := max(min(traceBudget/2/(len(p)*n), 500), 8)
	columns := 1
	if len(p) > 4 {
		columns = 2
	}
	panels := make([]*panel, len(p))
	for i, q := range p {
		panels[i] = tracePanel(q, stretches)
		if i >= len(p)-columns {
			panels[i].x.label = "kept draw"
		}
	}
	lay := mosaic{columns: columns, height: cm(2.6)}
	if len(p) == 1 {
		lay.height = cm(4.5)
	}
	return lay.compose(panels, ladderKeys(n), sampleOf(p[0]).String()), nil
}

func tracePanel(q Ladders, stretches int) *panel {
	pan := &panel{x: scale{min: 1, max: 2}, y: scale{label: q.Axis.label()}}
	first := true
	for _, v := range q.Draws {
		if len(v) == 0 {
			continue
		}
		lo, hi := extent(v...)
		if first {
			pan.y.min, pan.y.max, first = lo, hi, false
		}
		pan.y.min, pan.y.max = min(pan.y.min, lo), max(pan.y.max, hi)
		pan.x.max = max(pan.x.max, float64(len(v)))
	}
	pan.y.min, pan.y.max = widen(pan.y.min, pan.y.max, 0.05)
	width := vg.Length(0.7)
	if len(q.Draws) > 2 {
		width = 0.5
	}
	for l, v := range q.Draws {
		sty := draw.LineStyle{Color: ladderColour(l), Width: width}
		pts := envelope(v, stretches)
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
