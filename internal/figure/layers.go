package figure

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Layer is what the momenta and gradients of one layer's weights tell.
type Layer struct {
	Name                string
	Kinetic             Estimate // temperature of the momenta; a Value of NaN is none
	Configurational     Estimate // temperature by the virial of gradients; NaN is none
	Injected, Minibatch float64  // variances of the noise added and of that of minibatches, in one unit; both 0 is unknown
}

// LayerTemperatures draws for each layer, the first on top, its kinetic and
// configurational temperature against the one that was set, and which share of all
// noise is injected: where minibatches give most of it, the temperature is theirs.
// The axis is logarithmic if temperatures differ much and all are above 0; else a few that
// are far from the others are arrows at its edge.
func LayerTemperatures(layers []Layer, set float64, caption string) (*Figure, error) {
	if err := checkLayers(layers, set); err != nil {
		return nil, err
	}
	names := make([]string, len(layers))
	for i, l := range layers {
		names[i] = l.Name
	}
	lay := mosaic{columns: 2, height: rowsTall(len(layers), rowEach(len(layers)))}
	temperature, keys := layerPanel(layers, set)
	temperature.y = rowScale(names, false)
	panels := []*panel{temperature}
	if slices.ContainsFunc(layers, func(l Layer) bool { return l.Injected+l.Minibatch > 0 }) {
		budget := noiseBudget(layers)
		budget.y = rowScale(names, true)
		panels = append(panels, budget)
		keys = append(keys, keyArea("injected noise", middle), keyArea("noise of minibatches", expected))
	} else {
		lay.columns, lay.width = 1, cm(8)
	}
	return lay.compose(panels, keys, sentences(count(len(layers), "layer"), caption)), nil
}

// rowEach is the height of one of n rows, in cm: a net of 60 layers fits a page.
func rowEach(n int) float64 { return math.Max(0.3, math.Min(0.5, 18/float64(n))) }

func checkLayers(layers []Layer, set float64) error {
	if len(layers) == 0 {
		return errors.New("figure: layers: none is given: give at least one")
	}
	if !(set >= 0 && set < 1e300) {
		return fmt.Errorf("figure: layers: the temperature set is %g: it must be at least 0 and finite", set)
	}
	some := false
	for i := range layers {
		l := &layers[i]
		what := "layer " + l.Name
		if err := errors.Join(l.Kinetic.check(what+", kinetic"), l.Configurational.check(what+", configurational")); err != nil {
			return err
		}
		for _, v := range [...]float64{l.Injected, l.Minibatch} {
			if !(v >= 0 && v < 1e150) {
				return fmt.Errorf("figure: %s: a variance of noise is %g: it must be at least 0 and finite", what, v)
			}
		}
		some = some || !math.IsNaN(l.Kinetic.Value) || !math.IsNaN(l.Configurational.Value)
	}
	if !some {
		return errors.New("figure: layers: no layer has a temperature: give one at least")
	}
	return nil
}

// layerMarks are the marks of both temperatures, kinetic filled.
var layerMarks = [2]glyph{{color: blue}, {color: blue, square: true}}

// layerPanel draws both temperatures of each layer.
func layerPanel(layers []Layer, set float64) (*panel, []key) {
	p := &panel{x: scale{label: "temperature"}}
	seen := []float64{set}
	for _, l := range layers {
		for _, e := range [...]Estimate{l.Kinetic, l.Configurational} {
			if !math.IsNaN(e.Value) {
				seen = append(seen, e.Low, e.High)
			}
		}
	}
	lo, hi, clipped := fences(seen, set)
	place := func(v float64) float64 { return v }
	least, most := extent(seen...)
	logarithmic := least > 0 && most > 8*least
	if logarithmic { // which shows all
		lo, hi, clipped = least, most, false
		place = math.Log10
	}
	p.x.min, p.x.max = widen(place(lo), place(hi), 0.06)
	if logarithmic {
		p.x.ruled, p.x.marks = true, logTicks(p.x.min, p.x.max, cm(5), false)
	}
	p.add(lanes(len(layers)), func(pl *plane) { pl.vline(lineTruth, place(set)) })
	keys := []key{keyRule(fmt.Sprintf("set: %.4g", set), lineTruth)}
	for k, name := range [...]string{"kinetic", "configurational"} {
		some := false
		for i, l := range layers {
			e := [...]Estimate{l.Kinetic, l.Configurational}[k]
			if math.IsNaN(e.Value) {
				continue
			}
			some = true
			y := float64(i) + 0.34*float64(k) - 0.17
			at := Estimate{place(e.Value), place(e.Low), place(e.High)}
			p.add(at.across(layerMarks[k], k == 1, y))
			if side := beyond(at.Value, p.x); side != 0 {
				p.add(func(pl *plane) { pl.arrow(layerMarks[k].color, side, y) })
			}
		}
		if some {
			keys = append(keys, keyMeasured(name, layerMarks[k], false, k == 1))
		}
	}
	if clipped {
		keys = append(keys, key{"off the axis", func(d draw.Canvas) { arrowhead(d, layerMarks[1].color, d.Center(), 1) }})
	}
	return p, keys
}

// fences are the range that the axis of temperatures shows, which holds the one that was
// set: that of all of them, but no further than five times the distance of the quartiles
// beyond these, so that a few tensors of few coordinates do not hide all others.
func fences(seen []float64, set float64) (lo, hi float64, clipped bool) {
	least, most := extent(seen...)
	v := slices.Sorted(slices.Values(seen))
	first, third := v[len(v)/4], v[len(v)-1-len(v)/4]
	reach := 5 * (third - first)
	if reach == 0 {
		return least, most, false
	}
	lo, hi = math.Max(least, math.Min(first-reach, set)), math.Min(most, math.Max(third+reach, set))
	return lo, hi, lo > least || hi < most
}

// beyond says on which side v is off an axis, 0 if it is on it.
func beyond(v float64, x scale) int {
	switch {
	case v < x.min:
		return -1
	case v > x.max:
		return 1
	}
	return 0
}

// arrow says at the edge of the axes that something is beyond it at height y.
func (p *plane) arrow(c color.Color, side int, y float64) {
	x := p.x.max
	if side < 0 {
		x = p.x.min
	}
	at := p.at(x, y)
	at.X -= vg.Length(3 * side)
	arrowhead(p.Canvas, c, at, side)
}

// arrowhead draws a triangle about at that points to the right, or with side −1 to the
// left.
func arrowhead(d draw.Canvas, c color.Color, at vg.Point, side int) {
	s := vg.Length(side)
	d.FillPolygon(c, []vg.Point{{X: at.X - 1.5*s, Y: at.Y - 2}, {X: at.X + 2.5*s, Y: at.Y}, {X: at.X - 1.5*s, Y: at.Y + 2}})
}

// noiseBudget draws the share of injected noise as bars.
func noiseBudget(layers []Layer) *panel {
	p := &panel{x: scale{label: "share of the noise", max: 1}}
	p.add(func(pl *plane) {
		for i, l := range layers {
			total := l.Injected + l.Minibatch
			if total == 0 {
				continue
			}
			y, share := float64(i), l.Injected/total
			pl.box(middle, point{0, y - 0.36}, point{share, y + 0.36})
			pl.box(expected, point{share, y - 0.36}, point{1, y + 0.36})
			pl.line(draw.LineStyle{Color: posterior, Width: 1.2}, []point{{share, y - 0.36}, {share, y + 0.36}})
		}
	})
	return p
}

// A Reflections is how often walls are hit while a net is trained.
type Reflections struct {
	Layers  []string    // names, the first on top
	Epoch   []float64   // rises evenly
	Share   [][]float64 // Share[l][e] of layer l's coordinates reflected in epoch e, in [0, 1]
	Caption string
}

// ReflectionMap draws the share of reflected coordinates of each layer in each epoch
// as colours on a scale of roots. Neighbouring epochs of long trainings are averaged.
func ReflectionMap(q Reflections) (*Figure, error) {
	top, err := q.check()
	if err != nil {
		return nil, err
	}
	n, sqrt := len(q.Epoch), root(2)
	lay := mosaic{columns: 1, height: rowsTall(len(q.Layers), rowEach(len(q.Layers)))}
	half := 0.5
	if n > 1 {
		half = (q.Epoch[n-1] - q.Epoch[0]) / float64(n-1) / 2
	}
	p := &panel{title: "share of reflected coordinates", x: scale{label: "epoch", min: q.Epoch[0] - half, max: q.Epoch[n-1] + half}, y: rowScale(q.Layers, false)}
	p.x.marks = wholeTicks(p.x.min, p.x.max, cm(10))
	if top == 0 {
		p.title = "no coordinate was reflected"
		top = 1
	}
	img := heat(q.pixels(), q.columns()*q.wide(), len(q.Layers)*layerPixels, sqrt.of(top))
	p.add(func(pl *plane) {
		pl.picture(img, point{pl.x.min, pl.y.min}, point{pl.x.max, pl.y.max})
	})
	caption := q.Caption
	if q.columns() < n {
		caption = sentences(caption, fmt.Sprintf("%s in %s", count(n, "epoch"), count(q.columns(), "column")))
	}
	f := lay.compose([]*panel{p}, nil, caption)
	bar := (&DensityMaps{Quantity: "share, on a scale of roots"}).bar(sqrt.of(top), 0)
	bar.x.marks = sqrt.marks(0, top, cm(8))
	f.addBar(bar, lay)
	return f, nil
}

// layerPixels is how tall a layer is on the map, in dots.
const layerPixels = 4

// check returns the largest share.
func (q *Reflections) check() (top float64, err error) {
	const what = "figure: reflections"
	if len(q.Layers) == 0 || len(q.Epoch) == 0 {
		return 0, errors.New(what + ": nothing to draw: give layers and epochs")
	}
	if len(q.Share) != len(q.Layers) {
		return 0, fmt.Errorf("%s: %d rows for %d layers: give one each", what, len(q.Share), len(q.Layers))
	}
	if err := finite("reflections, epochs", q.Epoch...); err != nil {
		return 0, err
	}
	for i := 1; i < len(q.Epoch); i++ {
		if !(q.Epoch[i] > q.Epoch[i-1]) {
			return 0, fmt.Errorf("%s: epoch %d of the list is %g after %g: epochs must rise", what, i+1, q.Epoch[i], q.Epoch[i-1])
		}
	}
	for l, row := range q.Share {
		if err := sameLength("reflections of "+q.Layers[l], len(q.Epoch), row); err != nil {
			return 0, err
		}
		for e, v := range row {
			if !(v >= 0 && v <= 1) {
				return 0, fmt.Errorf("%s of %s: the share in epoch %g is %g: it must be in [0, 1]", what, q.Layers[l], q.Epoch[e], v)
			}
			top = math.Max(top, v)
		}
	}
	return top, nil
}

// columns is how many columns the map has, each of some epochs.
func (q *Reflections) columns() int { return min(len(q.Epoch), 400) }

// wide is how wide a column is, in dots.
func (q *Reflections) wide() int { return (600 + q.columns() - 1) / q.columns() }

// pixels returns roots of shares, rows from below.
func (q *Reflections) pixels() []float64 {
	n, columns, wide := len(q.Epoch), q.columns(), q.wide()
	nx := columns * wide
	out := make([]float64, nx*len(q.Layers)*layerPixels)
	for l, row := range q.Share {
		bottom := (len(q.Layers) - 1 - l) * layerPixels
		for c := range columns {
			from, to := c*n/columns, (c+1)*n/columns
			sum := 0.0
			for _, v := range row[from:to] {
				sum += v
			}
			v := root(2).of(sum / float64(to-from))
			for j := range layerPixels {
				for i := range wide {
					out[(bottom+j)*nx+c*wide+i] = v
				}
			}
		}
	}
	return out
}
