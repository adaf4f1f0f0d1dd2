package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
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
		keys.add(true, keyArea("injected noise", middle), keyArea("noise of minibatches", expected))
	} else {
		lay.columns, lay.width = 1, cm(8)
	}
	return lay.compose(panels, keys, sentences(text.Counted(len(layers), "layer"), caption)), nil
}

// rowEach is the height of one of n rows, in cm: a net of 60 layers fits a page.
func rowEach(n int) float64 { return math.Max(0.3, math.Min(0.5, 18/float64(n))) }

func checkLayers(layers []Layer, set float64) error {
	c := &check{what: "layers"}
	c.must(len(layers) > 0, "none is given: give at least one")
	c.must(set >= 0 && set < 1e300, "the temperature set is %g: it must be at least 0 and finite", set)
	some := false
	for i := range layers {
		l := &layers[i]
		c.estimate("layer "+l.Name+", kinetic", l.Kinetic)
		c.estimate("layer "+l.Name+", configurational", l.Configurational)
		c.part("layer %s", l.Name)
		for _, v := range [...]float64{l.Injected, l.Minibatch} {
			c.must(v >= 0 && v < 1e150, "a variance of noise is %g: it must be at least 0 and finite", v)
		}
		some = some || !math.IsNaN(l.Kinetic.Value) || !math.IsNaN(l.Configurational.Value)
	}
	c.part("layers")
	c.must(some, "no layer has a temperature: give one at least")
	return c.err
}

// layerMarks are the marks of both temperatures, kinetic filled.
var layerMarks = [2]glyph{{color: blue}, {color: blue, square: true}}

// layerPanel draws both temperatures of each layer.
func layerPanel(layers []Layer, set float64) (*panel, legend) {
	p := &panel{x: scale{label: "temperature"}}
	seen := []float64{set}
	for _, l := range layers {
		seen = append(append(seen, l.Kinetic.ends()...), l.Configurational.ends()...)
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
	p.add(lanes(len(layers)), upright{lineTruth, place(set)})
	keys := legend{keyRule(fmt.Sprintf("set: %.4g", set), lineTruth)}
	for k, name := range [...]string{"kinetic", "configurational"} {
		some := false
		for i, l := range layers {
			e := [...]Estimate{l.Kinetic, l.Configurational}[k]
			if math.IsNaN(e.Value) {
				continue
			}
			some = true
			y := float64(i) + 0.34*float64(k) - 0.17
			p.add(Estimate{place(e.Value), place(e.Low), place(e.High)}.across(layerMarks[k], k == 1, y))
			p.add(astray{layerMarks[k].color, point{place(e.Value), y}})
		}
		keys.add(some, keyMeasured(name, layerMarks[k], false, k == 1))
	}
	keys.add(clipped, key{"off the axis", func(d draw.Canvas) { arrowhead(d, layerMarks[1].color, d.Center(), 1) }})
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

// Astray says at the edge of the axes that something is beyond it.
type astray struct {
	color color.Color
	at    point
}

func (m astray) draw(p *plane) {
	at := p.at(m.at.x, m.at.y)
	switch {
	case m.at.x < p.x.min:
		at.X = p.at(p.x.min, m.at.y).X + 3
		arrowhead(p.Canvas, m.color, at, -1)
	case m.at.x > p.x.max:
		at.X = p.at(p.x.max, m.at.y).X - 3
		arrowhead(p.Canvas, m.color, at, 1)
	}
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
	for i, l := range layers {
		if total := l.Injected + l.Minibatch; total > 0 {
			y, share := float64(i), l.Injected/total
			p.add(box{middle, point{0, y - 0.36}, point{share, y + 0.36}}, box{expected, point{share, y - 0.36}, point{1, y + 0.36}},
				line{draw.LineStyle{Color: posterior, Width: 1.2}, []point{{share, y - 0.36}, {share, y + 0.36}}})
		}
	}
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
	if err := q.check(); err != nil {
		return nil, err
	}
	_, top := extent(slices.Concat(q.Share...)...)
	n, sqrt := len(q.Epoch), root(2)
	lay := mosaic{columns: 1, height: rowsTall(len(q.Layers), rowEach(len(q.Layers)))}
	half := 0.5
	if n > 1 {
		half = (q.Epoch[n-1] - q.Epoch[0]) / float64(n-1) / 2
	}
	p := &panel{title: "share of reflected coordinates", y: rowScale(q.Layers, false)}
	p.x = scale{label: "epoch", min: q.Epoch[0] - half, max: q.Epoch[n-1] + half}
	p.x.marks = wholeTicks(p.x.min, p.x.max, cm(10))
	if top == 0 {
		p.title = "no coordinate was reflected"
		top = 1
	}
	img := heat(q.pixels(), q.columns()*q.wide(), len(q.Layers)*layerPixels, sqrt.of(top))
	p.fill(img)
	caption := q.Caption
	if q.columns() < n {
		caption = sentences(caption, fmt.Sprintf("%s in %s", text.Counted(n, "epoch"), text.Counted(q.columns(), "column")))
	}
	f := lay.compose([]*panel{p}, nil, caption)
	bar := colourBar("share, on a scale of roots", 0, sqrt.of(top), heatRamp())
	bar.x.marks = sqrt.marks(0, top, cm(8))
	f.addBar(bar)
	return f, nil
}

// layerPixels is how tall a layer is on the map, in dots.
const layerPixels = 4

func (q *Reflections) check() error {
	c := &check{what: "reflections"}
	c.must(len(q.Layers) > 0 && len(q.Epoch) > 0, "nothing to draw: give layers and epochs")
	c.each(len(q.Share), "rows", len(q.Layers), "layers")
	c.columns(column{"epochs", q.Epoch, anyLength, rising})
	if c.err != nil {
		return c.err
	}
	for l, row := range q.Share {
		c.part("reflections of %s", q.Layers[l])
		c.columns(column{"share in epochs", row, len(q.Epoch), fraction})
	}
	return c.err
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
			for k := range layerPixels * wide {
				out[(bottom+k/wide)*nx+c*wide+k%wide] = root(2).of(sum / float64(to-from))
			}
		}
	}
	return out
}
