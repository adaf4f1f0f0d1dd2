package figure

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/vg/draw"
)

// Ladders are the draws of one parameter, by ladder.
type Ladders struct {
	Axis  Axis
	Draws [][]float64 // Draws[l][k] is draw k of ladder l; ladders may differ in length
}

// checkLadders begins the check of a figure of ladders.
func checkLadders(p []Ladders) *check {
	c := &check{what: "ladders"}
	c.panels(len(p))
	for _, q := range p {
		c.part("%s", q.Axis.Name)
		c.must(len(q.Draws) == len(p[0].Draws), "%d ladders beside %d: give all parameters the same ladders", len(q.Draws), len(p[0].Draws))
		for l, v := range q.Draws {
			c.finite(fmt.Sprintf("ladder %d", l+1), v...)
		}
		c.must(sampleOf(q).Draws > 0, "no draws: keep at least one")
	}
	return c
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
func ladderKeys(n int) legend {
	var keys legend
	for l := range n {
		keys = append(keys, keyLine(fmt.Sprintf("ladder %d", l+1), draw.LineStyle{Color: ladderColour(l), Width: 1.5}))
	}
	return keys
}

// traceDots is the number of dots of a figure of traces, of some 27 bytes each in
// an SVG; fewLadders is how many can be told apart by three lines each; up to
// longestLine draws, in all, are joined by lines in a panel.
const (
	traceDots   = 9000
	fewLadders  = 6
	longestLine = 700
)

// Traces draws each parameter along its draws, in a colour for each ladder. Short
// traces are lines. In long ones lines would hide each other: each ladder is
// drawn by the mean of each of its stretches and, thinner, the 5 and 95 % points
// (up to six ladders), over pale dots of some of its draws, its least and its
// largest among them, in turn, so that no ladder lies over the others.
func Traces(p []Ladders) (*Figure, error) {
	if c := checkLadders(p); c.err != nil {
		return nil, c.err
	}
	n := len(p[0].Draws)
	columns, most := 1, 40
	if len(p) > 4 {
		columns, most = 2, 20
	}
	keys, sample := ladderKeys(n), sampleOf(p[0])
	caption := sample.String()
	long := sample.Draws > longestLine
	step, rounds := 1, max(1, min(12, 600/(n*len(p))))
	stretches := max(8, min(most, sample.Draws/(100*n)))
	if long {
		step = (sample.Draws*len(p) + traceDots - 1) / traceDots
		lines := fmt.Sprintf("lines: means of %d stretches", stretches)
		if n <= fewLadders {
			lines += ", thin: 5 and 95 % points"
		}
		dots := "dots: all draws"
		if step > 1 {
			dots = fmt.Sprintf("dots: one draw in %d", step)
		}
		caption = sentences(caption, lines, dots)
	}
	panels := make([]*panel, len(p))
	for i, q := range p {
		panels[i] = q.panel()
		panels[i].x.label = "kept draw"
		if long {
			panels[i].add(q.dots(step, rounds)...)
			panels[i].add(q.stretches(stretches)...)
		} else {
			panels[i].add(q.lines()...)
		}
	}
	onlyLowest(panels, columns)
	lay := mosaic{columns: columns, height: cm(2.6)}
	if len(p) == 1 {
		lay.height = cm(4.5)
	}
	return lay.compose(panels, keys, caption), nil
}

func (q *Ladders) panel() *panel {
	pan := &panel{x: scale{min: 0, max: 1}, y: scale{label: q.Axis.label()}}
	pan.y.show(0.05, q.Draws...)
	for _, v := range q.Draws {
		pan.x.max = max(pan.x.max, float64(len(v)))
	}
	return pan
}

// lines joins the draws of each ladder.
func (q *Ladders) lines() (out []mark) {
	for l, v := range q.Draws {
		pts := some(v, 1, 0, 1)
		if len(pts) == 1 {
			out = append(out, dots{ladderColour(l), 1.5, pts})
		} else {
			out = append(out, line{draw.LineStyle{Color: ladderColour(l), Width: 0.6}, pts})
		}
	}
	return out
}

// dots draws one draw in step of each ladder, and its extremes, in rounds over
// all ladders.
func (q *Ladders) dots(step, rounds int) (out []mark) {
	for r := range rounds {
		for l, v := range q.Draws {
			out = append(out, specks{pale(ladderColour(l)), 0.9, some(v, step, r, rounds)})
		}
	}
	return out
}

// some returns every step-th draw, and the least and the largest, of those whose
// turn it is in round r.
func some(v []float64, step, r, rounds int) []point {
	var out []point
	if len(v) == 0 {
		return nil
	}
	lo, hi := extremes(len(v), func(k int) float64 { return v[k] })
	for k := range v {
		if (k%step == 0 && k/step%rounds == r) || r == 0 && k%step != 0 && (k == lo || k == hi) {
			out = append(out, point{float64(k + 1), v[k]})
		}
	}
	return out
}

// stretches draws mean and, of few ladders, 5 and 95 % points of n stretches of
// each ladder.
func (q *Ladders) stretches(n int) (out []mark) {
	for _, thin := range [...]bool{true, false} {
		for l, v := range q.Draws {
			low, mean, high := summaries(v, n)
			sty := draw.LineStyle{Color: ladderColour(l), Width: 1}
			if !thin {
				out = append(out, line{sty, mean})
			} else if sty.Width = 0.45; len(q.Draws) <= fewLadders {
				out = append(out, line{sty, low}, line{sty, high})
			}
		}
	}
	return out
}

// summaries returns the 5 % point, the mean and the 95 % point of each of n
// stretches of v, over its middle.
func summaries(v []float64, n int) (low, mean, high []point) {
	for s := range n {
		from, to := s*len(v)/n, (s+1)*len(v)/n
		if from == to {
			continue
		}
		x, sum := float64(from+1+to)/2, 0.0
		for _, y := range v[from:to] {
			sum += y / float64(to-from)
		}
		sorted := slices.Sorted(slices.Values(v[from:to]))
		at := func(share float64) point { return point{x, sorted[int(share*float64(to-from-1)+0.5)]} }
		low, mean, high = append(low, at(0.05)), append(mean, point{x, sum}), append(high, at(0.95))
	}
	return low, mean, high
}
