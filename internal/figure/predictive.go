package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A Predicted is what a model says of one quantity: what was observed of it, and draws of as
// many values from the model.
type Predicted struct {
	Axis     Axis
	Observed []float64
	Drawn    [][]float64 // each as long as Observed; those that are not finite are left out
	Of       Outcome
}

// An Outcome is what values there are of a quantity.
type Outcome int

// The outcomes: numbers, whole numbers, and 0 and 1.
const (
	Continuous Outcome = iota
	Counted
	Binary
)

// OutcomeOf is what values there are of a quantity of whole numbers, or not, which are at most
// so large.
func OutcomeOf(discrete bool, most float64) Outcome {
	switch {
	case discrete && most == 1:
		return Binary
	case discrete:
		return Counted
	}
	return Continuous
}

// Predictive compares what was observed with what the model predicts: densities of numbers;
// hanging from nothing, how often each whole number comes, on a scale of roots (Kleiber and
// Zeileis 2016); of 0 and 1 the share of ones against its prediction. Bands hold the level, in
// percent, of the draws.
func Predictive(q []Predicted, level float64) (*Figure, error) {
	c := &check{what: "predictions"}
	c.panels(len(q))
	c.must(level > 0 && level < 100, "a level of %g: it lies between 0 and 100", level)
	for i := range q {
		p := &q[i]
		c.part("predictions of %s", p.Axis.Name)
		c.must(len(p.Drawn) > 0, "no draws")
		c.must(len(p.Observed) >= 2, "%s: there must be two at least", text.Counted(len(p.Observed), "observation"))
		c.finite("", p.Observed...)
		for _, d := range p.Drawn {
			c.must(len(d) == len(p.Observed), beside, len(d), len(p.Observed))
		}
	}
	if c.err != nil {
		return nil, c.err
	}
	columns := columnsFor(len(q), 3)
	lay := grid(columns, []float64{6.2, 5.4, 4.3}, []float64{10.5})
	var panels []*panel
	ones := 0
	for i := range q {
		panels = append(panels, q[i].panel(level))
		if q[i].Of == Binary {
			ones++
		}
	}
	keys := legend{keyLine("observed", lineZero)}
	keys.add(ones < len(q), keyLine("median of the draws", linePosterior))
	keys.add(true, keyArea(fmt.Sprintf("%g %% of the draws", level), middle))
	keys.add(ones > 0, keyLine("as often as predicted", lineExpected))
	n := 0
	for _, p := range q {
		n = max(n, len(p.Drawn))
	}
	return lay.compose(panels, keys, text.Counted(n, "draw")+" of the data by the model"), nil
}

func (q *Predicted) panel(level float64) *panel {
	switch q.Of {
	case Binary:
		return q.calibration(level)
	case Counted:
		return q.rootogram(level)
	}
	return q.densities(level)
}

// bands are the median and the interval of curves, place by place.
func bands(curves [][]float64, level float64) (mid, low, high []float64) {
	at := make([]float64, len(curves))
	for k := range curves[0] {
		for i, c := range curves {
			at[i] = c[k]
		}
		v := diag.Quantiles(at, 0.5, 0.5-level/200, 0.5+level/200)
		mid, low, high = append(mid, v[0]), append(low, v[1]), append(high, v[2])
	}
	return mid, low, high
}

// compared are the marks of what was observed against draws.
func compared(x, observed, mid, low, high []float64) []mark {
	return []mark{band{middle, x, low, high}, line{linePosterior, joined(x, mid)}, line{lineZero, joined(x, observed)}}
}

// densityPlaces is how many a density is shown at.
const densityPlaces = 200

// densities draws densities by one kernel for all, that of what was observed.
func (q *Predicted) densities(level float64) *panel {
	h := diag.Bandwidth(q.Observed)
	least, most := extent(q.Observed...)
	reach := max(4*h, (most-least)/5)
	x := make([]float64, densityPlaces)
	width := (most - least + 2*reach) / (densityPlaces - 1)
	for i := range x {
		x[i] = least - reach + width*float64(i)
	}
	curves := make([][]float64, len(q.Drawn))
	for i, d := range q.Drawn {
		curves[i] = smoothed(d, x[0], width, h)
	}
	own := smoothed(q.Observed, x[0], width, h)
	mid, low, high := bands(curves, level)
	p := &panel{x: scale{label: q.Axis.label(), min: x[0], max: x[densityPlaces-1]}, y: scale{label: "density"}}
	p.y.show(0.06, []float64{0}, own, high)
	p.y.min = 0
	p.add(compared(x, own, mid, low, high)...)
	return p
}

// smoothed is the density of values at places from one on, so far apart, by a normal kernel
// of sd h.
func smoothed(values []float64, from, width, h float64) []float64 {
	bins, out := make([]float64, densityPlaces), make([]float64, densityPlaces)
	n := 0.0
	for _, v := range values {
		if n++; !(math.Abs(v-from)/width < densityPlaces) || v < from {
			continue
		}
		bins[int((v-from)/width+0.5)%densityPlaces]++
	}
	w := kernel(h / width)
	for i := range out {
		out[i] = w[0] * bins[i]
		for k := 1; k < len(w); k++ {
			if i >= k {
				out[i] += w[k] * bins[i-k]
			}
			if i+k < len(bins) {
				out[i] += w[k] * bins[i+k]
			}
		}
		out[i] /= n * width
	}
	return out
}

// mostBars is how many a rootogram has at most: more values share bars.
const mostBars = 40

// rootogram draws how many observations have each value.
func (q *Predicted) rootogram(level float64) *panel {
	least, most := extent(q.Observed...)
	var ends []float64
	for _, d := range q.Drawn {
		if d = finiteOf(d); len(d) > 0 {
			ends = append(ends, slices.Max(d))
			least = min(least, slices.Min(d))
		}
	}
	if ends != nil {
		most = max(most, diag.Quantile(ends, 0.5))
	}
	width := max(1, math.Ceil((most-least+1)/mostBars))
	bars := int((most-least)/width) + 1
	count := func(v []float64) []float64 {
		out := make([]float64, bars)
		for _, y := range v {
			if y >= least && y < least+width*float64(bars) {
				out[int((y-least)/width)]++
			}
		}
		for i := range out {
			out[i] = root(2).of(out[i])
		}
		return out
	}
	curves := make([][]float64, len(q.Drawn))
	for i, d := range q.Drawn {
		curves[i] = count(d)
	}
	mid, low, high := bands(curves, level)
	own := count(q.Observed)
	p := &panel{x: scale{label: q.Axis.label(), min: least - width, max: least + width*float64(bars)}}
	top := max(slices.Max(own), slices.Max(high))
	name := "observations, on a scale of roots"
	if width > 1 {
		name = fmt.Sprintf("observations of each %g values, on a scale of roots", width)
	}
	p.y = scale{label: name, max: top * 1.06, ruled: true, marks: root(2).marks(0, top*top, cm(5))}
	for i := range own {
		at := least + width*float64(i)
		p.add(box{middle, point{at - 0.4*width, low[i]}, point{at + 0.4*width, high[i]}},
			line{linePosterior, []point{{at - 0.4*width, mid[i]}, {at + 0.4*width, mid[i]}}})
		if own[i] > 0 {
			p.add(line{lineZero, []point{{at, 0}, {at, own[i]}}}, dots{observed, markSize, []point{{at, own[i]}}})
		}
	}
	return p
}

// finiteOf are the values that are finite.
func finiteOf(v []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(v), func(x float64) bool { return x-x != 0 })
}

// mostShares is how many groups of observations a calibration has at most.
const mostShares = 10

// calibration draws the share of ones in groups of observations that are predicted alike.
func (q *Predicted) calibration(level float64) *panel {
	n := len(q.Observed)
	predicted, order := make([]float64, n), make([]int, n)
	for i := range order {
		order[i] = i
		drawn := 0.0
		for _, d := range q.Drawn {
			if d[i]-d[i] == 0 {
				predicted[i] += d[i]
				drawn++
			}
		}
		predicted[i] /= max(1, drawn)
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(predicted[i], predicted[k]) })
	groups := max(1, min(mostShares, n/5))
	share := func(v []float64) []float64 {
		out := make([]float64, groups)
		for g := range out {
			of := order[g*n/groups : (g+1)*n/groups]
			for _, i := range of {
				out[g] += v[i] / float64(len(of))
			}
		}
		return out
	}
	var curves [][]float64
	for _, d := range q.Drawn {
		if len(finiteOf(d)) == n {
			curves = append(curves, share(d))
		}
	}
	if curves == nil {
		curves = [][]float64{share(predicted)}
	}
	x, own := share(predicted), share(q.Observed)
	_, low, high := bands(curves, level)
	p := &panel{x: scale{label: "predicted probability of " + q.Axis.Name, max: 1}, y: scale{label: "share of " + q.Axis.Name, max: 1}}
	p.y.min, p.y.max = widen(0, 1, 0.03)
	p.x.min, p.x.max = widen(0, 1, 0.03)
	p.add(band{middle, x, low, high}, line{lineExpected, []point{{0, 0}, {1, 1}}}, line{lineZero, joined(x, own)},
		dots{observed, markSize, joined(x, own)})
	return p
}
