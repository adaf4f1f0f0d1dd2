package outlook

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/internal/theory"
)

// figure draws the figure of a name, nil if there is nothing to show.
func (s *Summary) figure(name string, j *Job) (*figure.Figure, error) {
	switch name {
	case "modes":
		if s.Process.Mesh.Dim == 1 {
			return s.modeLines(j)
		}
		return s.modePanels(j)
	case "decay":
		if s.Decay != nil {
			return s.decayCurves(j)
		}
	case "intensities":
		if s.Curve != nil {
			return s.gapCurve()
		}
	}
	return nil, nil
}

// rate names an eigenvalue: "λ₁ = 2.467".
func rate(i int, v float64) string {
	return fmt.Sprintf("λ%s = %s", subscript(i+1), text.Short(v, 4))
}

// subscript writes n in small digits.
func subscript(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
}

// what says what the modes of a figure are.
func (s *Summary) what() string {
	if len(s.Process.Rungs) == 2 {
		return "means of the modes given where that rung is; each mode has sd 1 and fades like exp(−λt)"
	}
	return "each mode has sd 1 under the law and fades like exp(−λt)"
}

// axes are those of the variables.
func axes(names []string) []figure.Axis {
	out := make([]figure.Axis, len(names))
	for i, n := range names {
		out[i] = figure.Axis{Name: n}
	}
	return out
}

// titles name the rungs, if there are two.
func (s *Summary) titles() []string {
	if len(s.Process.Rungs) == 1 {
		return nil
	}
	var out []string
	for _, t := range s.Process.Temperature {
		out = append(out, fmt.Sprintf("temperature %g", t))
	}
	return out
}

// modeLines draws the modes on an interval.
func (s *Summary) modeLines(j *Job) (*figure.Figure, error) {
	p := s.Process
	lo, hi := domain.BoundsOf(j.Problem.Domain, 1)
	q := figure.ModeCurves{Axis: axes(j.Problem.Names)[0], X: p.Mesh.Centroid, Bounds: [2]float64{lo[0], hi[0]}, Caption: s.what()}
	some := s.Modes[:min(len(s.Modes), figure.MostModes)]
	for i, m := range some {
		q.Names = append(q.Names, rate(i, m.Value))
	}
	for k, r := range p.Rungs {
		c := figure.ModeColumn{Density: make([]float64, len(p.Mesh.Volume))}
		if t := s.titles(); t != nil {
			c.Title = t[k]
		}
		for state, cell := range r.Cell {
			c.Density[cell] = r.Chain.Mass()[state] / p.Mesh.Volume[cell]
		}
		for _, m := range some {
			c.Modes = append(c.Modes, m.Rung[k])
		}
		q.Columns = append(q.Columns, c)
	}
	return figure.ModeLines(q)
}

// Panels of modes: so many a row, and so many rows of one rung.
const (
	modesAcross = 3
	modeRows    = 2
)

// modePanels draws the modes on a part of the plane, those of two rungs row by row.
func (s *Summary) modePanels(j *Job) (*figure.Figure, error) {
	m := s.Process.Mesh
	q := figure.ModeMaps{Cells: m.Shape, Inside: domain.Section(j.Problem.Domain, 0, 1),
		Quantity: "mode over its size (of 99.5 % of the law)", Caption: s.what(), RowNames: s.titles()}
	copy(q.Axes[:], axes(j.Problem.Names))
	for i := range q.View {
		q.View[i] = [2]float64{m.Origin[i], m.Origin[i] + float64(m.Shape[i])*m.Side[i]}
	}
	if len(s.Process.Rungs) == 1 {
		q.Weight = s.onGrid(weights(s.Process, 0), false)
		for i, mode := range s.Modes[:min(len(s.Modes), modesAcross*modeRows)] {
			if i%modesAcross == 0 {
				q.Rows = append(q.Rows, nil)
			}
			last := len(q.Rows) - 1
			q.Rows[last] = append(q.Rows[last], figure.ModeMap{Title: rate(i, mode.Value), Value: s.onGrid(mode.Rung[0], true)})
		}
		return figure.ModePanels(q)
	}
	for k := range s.Process.Rungs {
		var row []figure.ModeMap
		for i, mode := range s.Modes[:min(len(s.Modes), modesAcross)] {
			size := 0.0 // the same for both rungs
			for r := range s.Process.Rungs {
				size = math.Max(size, figure.WeightedSize(mode.Rung[r], weights(s.Process, r)))
			}
			values := mode.Rung[k]
			if figure.WeightedSize(values, weights(s.Process, k)) < unseen {
				values = make([]float64, len(values))
			}
			m := figure.ModeMap{Value: s.onGrid(values, true), Size: max(size, unseen)}
			if k == 0 {
				m.Title = rate(i, mode.Value)
				if size < unseen {
					m.Title += ", in neither alone"
				}
			}
			row = append(row, m)
		}
		q.Rows = append(q.Rows, row)
	}
	return figure.ModePanels(q)
}

// unseen is the size below which a mode, whose size over both rungs is about 1, does not
// show on a rung: what its mean given that rung has left is rounding.
const unseen = 1e-6

// weights are the masses of the cells of the mesh on rung k.
func weights(p *theory.Process, k int) []float64 {
	out := make([]float64, len(p.Mesh.Volume))
	for state, cell := range p.Rungs[k].Cell {
		out[cell] = p.Rungs[k].Chain.Mass()[state]
	}
	return out
}

// onGrid spreads numbers of the cells of the mesh over its grid: their sums, or, where
// the wall parts a cell of the grid, means by volume, NaN where there is none.
func (s *Summary) onGrid(v []float64, means bool) []float64 {
	m := s.Process.Mesh
	out, volume := make([]float64, m.Shape[0]*m.Shape[1]), make([]float64, m.Shape[0]*m.Shape[1])
	for c, at := range m.Index {
		switch {
		case !means:
			out[at] += v[c]
		case !math.IsNaN(v[c]):
			out[at] += m.Volume[c] * v[c]
			volume[at] += m.Volume[c]
		}
	}
	for at := range out {
		if means {
			out[at] /= volume[at] // 0/0 is NaN
		}
	}
	return out
}

// distance is one column of the decay.
type distance struct {
	key, name string
	value     func(theory.Distances) float64
	bound     func(*theory.Bounds) []float64
}

// distances are those that can be measured.
func distances() []distance {
	return []distance{
		{"chi2", "χ²", func(d theory.Distances) float64 { return d.Chi2 }, func(b *theory.Bounds) []float64 { return b.Chi2 }},
		{"kl", "KL", func(d theory.Distances) float64 { return d.KL }, func(b *theory.Bounds) []float64 { return b.KL }},
		{"w2", "W₂", func(d theory.Distances) float64 { return d.W2 }, func(b *theory.Bounds) []float64 { return b.W2 }},
		{"tv", "total variation", func(d theory.Distances) float64 { return d.TV }, func(b *theory.Bounds) []float64 { return b.TV }},
	}
}

// measured are the distances that were asked for.
func (s *Summary) measured() (out []distance) {
	for _, d := range distances() {
		for _, at := range s.Decay {
			if !math.IsNaN(d.value(at)) {
				out = append(out, d)
				break
			}
		}
	}
	return out
}

// decayCurves draws the distances to the law along the time.
func (s *Summary) decayCurves(j *Job) (*figure.Figure, error) {
	q := figure.Decay{Time: figure.Axis{Name: "time, step size × iterations"}, Caption: "from " + j.start()}
	if s.W2Is == "upper bound" {
		q.Caption += "; W₂ is an upper bound"
	}
	if s.W2Is != "" {
		q.Caption += "; the bound on W₂ has constants that are estimated"
	}
	for _, at := range s.Decay {
		q.At = append(q.At, at.Time)
	}
	for _, d := range s.measured() {
		c := figure.Distance{Axis: figure.Axis{Name: d.name}}
		for _, at := range s.Decay {
			c.Value = append(c.Value, d.value(at))
		}
		if s.Bound != nil {
			c.Bound = d.bound(s.Bound)
		}
		q.Distances = append(q.Distances, c)
	}
	return figure.DecayCurves(q)
}

// start is the point that the decay starts from: "(x, y) = (0, 0)".
func (j *Job) start() string {
	x := j.Settings.Decay.Start
	said := make([]string, len(x))
	for i, v := range x {
		said[i] = text.Short(v, 4)
	}
	if len(x) == 1 {
		return j.Problem.Names[0] + " = " + said[0]
	}
	return fmt.Sprintf("(%s) = (%s)", strings.Join(j.Problem.Names, ", "), strings.Join(said, ", "))
}

// gapCurve draws the gap against the intensity of swaps.
func (s *Summary) gapCurve() (*figure.Figure, error) {
	c, t := s.Curve, s.Process.Temperature
	return figure.GapCurve(figure.Gaps{
		Intensity: figure.Axis{Name: "swap intensity r", Unit: "1/time"}, Gap: figure.Axis{Name: "gap λ₁", Unit: "1/time"},
		At: c.Intensity, Value: c.Gap, None: s.Swaps.Alone, Limit: c.Limit, Enough: c.Enough, Share: c.Share,
		Caption: fmt.Sprintf("temperatures %g and %g", t[0], t[1]),
	})
}
