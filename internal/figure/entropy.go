package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// An Uncertainty is how sure one predictor is of images of the kind it was trained
// on, and of others.
type Uncertainty struct {
	Title   string
	In, Out []float64 // entropies of the predictions, in nats, one an image
	AUROC   float64   // of telling Out from In by the entropy, in [0, 1]; NaN is not said
	FPR95   float64   // share of In flagged where 95 % of Out are, in [0, 1]; NaN is not said
}

// Entropies are panels, one a predictor, that share axes and legend.
type Entropies struct {
	Panels  []Uncertainty
	Classes int    // the entropy is at most its logarithm
	In, Out string // names of the two kinds of images, as "Fashion-MNIST" and "MNIST"
	Caption string
}

// entropyBins is how many bins histograms of entropies have.
const entropyBins = 40

// Out of distribution is purple and dashed, in distribution blue and full.
var lineForeign = draw.LineStyle{Color: purple, Width: 1.2, Dashes: []vg.Length{4, 1.5}}

// EntropyHistograms draws how the entropies of predictions are spread, for images in
// and out of the distribution that was learned: shares of images on a scale of
// square roots, since most of the known ones crowd at 0. The right end of the axis
// is the entropy of a prediction that knows nothing.
func EntropyHistograms(q Entropies) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	columns := columnsFor(len(q.Panels), 3)
	lay := grid(columns, []float64{4}, []float64{9, 6.6})
	panels := make([]*panel, len(q.Panels))
	top := 0.0
	in, out := make([][]float64, len(panels)), make([][]float64, len(panels))
	for i, u := range q.Panels {
		in[i], out[i] = q.shares(u.In), q.shares(u.Out)
		top = math.Max(top, slices.Max(slices.Concat(in[i], out[i])))
	}
	sqrt := root(2)
	for i := range panels {
		p := &panel{title: q.Panels[i].title(), x: scale{label: "entropy (nats)", max: q.most()}}
		p.y = scale{label: "share of images", max: sqrt.of(top) * 1.06, ruled: true, marks: sqrt.marks(0, top, lay.height)}
		if i%columns > 0 {
			p.y.label = ""
		}
		p.add(q.steps(in[i], linePosterior)...)
		p.add(q.steps(out[i], lineForeign)...)
		panels[i] = p
	}
	onlyLowest(panels, columns)
	keys := legend{keyLine(q.In, linePosterior), keyLine(q.Out, lineForeign)}
	caption := sentences(fmt.Sprintf("shares on a scale of roots, in %d bins from 0 to ln %s", entropyBins, text.Count(q.Classes)), q.Caption)
	return lay.compose(panels, keys, caption), nil
}

// most is the entropy of a prediction that knows nothing.
func (q *Entropies) most() float64 { return math.Log(float64(q.Classes)) }

func (q *Entropies) check() error {
	c := &check{what: "entropies"}
	c.must(len(q.Panels) > 0, "no predictor: give at least one")
	c.must(q.Classes >= 2, "%d classes: there must be at least two", q.Classes)
	for i := range q.Panels {
		u := &q.Panels[i]
		for k, v := range [...][]float64{u.In, u.Out} {
			c.part("entropies of %s, %s", u.Title, [...]string{q.In, q.Out}[k])
			c.must(len(v) > 0, "no images: give at least one")
			c.finite("", v...)
			for j, h := range v {
				if h < -1e-6 || h > q.most()+1e-3 {
					c.must(false, "value %d is %g: an entropy of %d classes is from 0 to %.4g nats", j+1, h, q.Classes, q.most())
				}
			}
		}
		c.part("entropies of %s", u.Title)
		c.columns(column{"AUROC", []float64{u.AUROC}, 1, fraction | gappy}, column{"FPR95", []float64{u.FPR95}, 1, fraction | gappy})
	}
	return c.err
}

// title says who predicts, and how well the two kinds are told apart.
func (u *Uncertainty) title() string {
	var words []string
	for _, w := range [...]struct {
		name  string
		value float64
	}{{"AUROC", u.AUROC}, {"FPR95", u.FPR95}} {
		if !math.IsNaN(w.value) {
			words = append(words, fmt.Sprintf("%s %.3f", w.name, w.value))
		}
	}
	return sentences(append([]string{u.Title}, words...)...)
}

// shares returns which share of values lies in each bin.
func (q *Entropies) shares(v []float64) []float64 {
	out := make([]float64, entropyBins)
	for _, h := range v {
		k := int(h / q.most() * entropyBins)
		out[min(max(k, 0), entropyBins-1)] += 1 / float64(len(v))
	}
	return out
}

// steps draws a histogram, filled and outlined up to its last bin that is not empty.
func (q *Entropies) steps(shares []float64, sty draw.LineStyle) []mark {
	width := q.most() / entropyBins
	for shares[len(shares)-1] == 0 {
		shares = shares[:len(shares)-1]
	}
	pts := []point{{0, 0}}
	for k, s := range shares {
		y := root(2).of(s)
		pts = append(pts, point{width * float64(k), y}, point{width * float64(k+1), y})
	}
	pts = append(pts, point{pts[len(pts)-1].x, 0})
	return []mark{region{shade(sty.Color), [][]point{pts}}, line{sty, pts}}
}
