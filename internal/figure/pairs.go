package figure

import (
	"fmt"
	"image/color"
	"math"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Pairs is what a pair plot shows.
type Pairs struct {
	Axes  []Axis
	Draws [][]float64 // Draws[j] are all draws of parameter j
	// Marginals are the densities on the diagonal, one for each axis; nil
	// draws histograms.
	Marginals []Marginal
	// Bandwidth is that of a density of each parameter alone, an upper limit of
	// the kernel in planes; nil takes a rule that smooths several modes away.
	Bandwidth []float64
	// Inside returns the domain as seen by parameters i (to the right) and j
	// (upwards), or nil if the pair is unconstrained. A nil Inside draws no
	// domain.
	Inside func(i, j int) func(x, y float64) bool
	// View is the range of each axis, where the draws fill more than a quarter of
	// each; else, and if nil, the draws are shown.
	View  [][2]float64
	Truth []float64 // the true parameters; nil if unknown
	// Minima of −log of the density, each a point of all parameters, with the shares of the
	// draws in their basins; nil draws none. The shares are told where there is room: of two
	// parameters.
	Minima [][]float64
	Weight []float64
	Sample Sample
}

// MostPairs is how many parameters a pair plot shows: more cannot be read on a
// page.
const MostPairs = 8

// shares are the masses of the regions of highest density that are drawn.
var shares = [...]float64{0.9, 0.5}

// fewDraws is the number of draws below which no density is estimated.
const fewDraws = 200

// PairPlot draws each pair of parameters: the regions of highest density that
// hold 50 and 90 % of the draws, some draws, and the domain, with the marginal
// densities and their own such regions on the diagonal. Two parameters make one large plane, up to
// [MostPairs] a triangle; choose among more.
func PairPlot(q Pairs) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	d := len(q.Axes)
	views, far := make([]scale, d), q.far()
	for j := range views {
		views[j] = q.view(j, far)
	}
	if d == 2 {
		return q.large(views), nil
	}
	domain, knots := false, 100
	if d > 4 {
		knots = 60
	}
	panels := make([]*panel, d*d)
	for row := range d {
		for col := range row {
			panels[row*d+col] = q.panel(views, col, row, knots, 80, &domain)
		}
		panels[row*d+row] = q.diagonal(views, row)
	}
	for row := range d {
		for col := range row + 1 {
			p := panels[row*d+col]
			if row < d-1 {
				p.x.label, p.x.silent = "", true
			}
			if col > 0 {
				p.y.label, p.y.silent = "", true
			}
		}
	}
	size := (textWidth - 1.9) / float64(d)
	lay := mosaic{columns: d, width: cm(math.Min(size, 3.6) - 0.18), height: cm(math.Min(size, 3.6) - 0.18), joint: true}
	return lay.compose(panels, q.keys(domain), q.caption()), nil
}

func (q *Pairs) check() error {
	d := len(q.Axes)
	c := &check{what: "pair plot"}
	c.must(d >= 2 && d <= MostPairs, "%d parameters: choose 2 to %d", d, MostPairs)
	c.must(len(q.Draws) == d && (q.Marginals == nil || len(q.Marginals) == d) && (q.Bandwidth == nil || len(q.Bandwidth) == d) &&
		(q.View == nil || len(q.View) == d) && (q.Truth == nil || len(q.Truth) == d),
		"draws, marginals, bandwidths, view and truth must have one entry for each of %d axes", d)
	if c.err != nil {
		return c.err
	}
	c.must(len(q.Draws[0]) > 0, "no draws: keep at least one")
	for j, v := range q.Draws {
		c.columns(column{"draws of " + q.Axes[j].Name, v, len(q.Draws[0]), 0})
	}
	for j := range q.Marginals {
		q.Marginals[j].check(c)
	}
	for j, v := range q.View {
		c.given(q.Axes[j], v, false)
	}
	c.finite("truth", q.Truth...)
	c.each(len(q.Weight), "weights", len(q.Minima), "minima")
	c.columns(column{"weight", q.Weight, anyLength, fraction})
	for _, at := range q.Minima {
		c.columns(column{"minimum", at, d, 0})
	}
	return c.err
}

// extent returns the range of the draws of parameter j and of its truth.
func (q *Pairs) extent(j int) (min, max float64) {
	min, max = extent(q.Draws[j]...)
	if q.Truth != nil {
		min, max = math.Min(min, q.Truth[j]), math.Max(max, q.Truth[j])
	}
	return min, max
}

// far reports whether the view is too large for the draws: they fill less than
// a quarter of an axis.
func (q *Pairs) far() bool {
	for j, v := range q.View {
		if min, max := q.extent(j); max-min < (v[1]-v[0])/4 {
			return true
		}
	}
	return false
}

// view returns the axis of parameter j. What is shown instead of a view that is
// far off reaches as far as the view if that is near.
func (q *Pairs) view(j int, far bool) scale {
	s := scale{label: q.Axes[j].label()}
	if q.View != nil && !far {
		s.min, s.max = widen(q.View[j][0], q.View[j][1], 0.04)
		return s
	}
	min, max := q.extent(j)
	if q.View != nil {
		lo, hi := q.View[j][0], q.View[j][1]
		reach := 0.15 * (max - min)
		if math.Abs(min-lo) < reach {
			min = math.Min(min, lo)
		}
		if math.Abs(max-hi) < reach {
			max = math.Max(max, hi)
		}
	}
	s.min, s.max = widen(min, max, 0.1)
	return s
}

// large draws two parameters as one plane.
func (q *Pairs) large(views []scale) *Figure {
	domain := false
	p := q.panel(views, 0, 1, 120, 240, &domain)
	lay := onePlane(p, q.Axes[0].Unit == q.Axes[1].Unit)
	return lay.compose([]*panel{p}, q.keys(domain), q.caption())
}

// onePlane lays one large plane out; like to like, a circle is drawn round.
func onePlane(p *panel, like bool) mosaic {
	lay := mosaic{columns: 1, width: cm(11), height: cm(11)}
	x, y := p.x.max-p.x.min, p.y.max-p.y.min
	if like && x/y < 2 && y/x < 2 {
		if lay.height = lay.width * vg.Length(y/x); lay.height > cm(13) {
			lay.height, lay.width = cm(13), cm(13)*vg.Length(x/y)
		}
	}
	return lay
}

// panel draws parameter i to the right and j upwards: the density on n × n
// knots, the wall on m × m.
func (q *Pairs) panel(views []scale, i, j, n, m int, domain *bool) *panel {
	x, y := q.Draws[i], q.Draws[j]
	p := &panel{x: views[i], y: views[j]}
	var inside func(x, y float64) bool
	if q.Inside != nil {
		inside = q.Inside(i, j)
	}
	sparse := len(x) < fewDraws || deviation(x) == 0 || deviation(y) == 0
	if !sparse {
		var h [2]float64
		if q.Bandwidth != nil {
			h = [2]float64{q.Bandwidth[i], q.Bandwidth[j]}
		}
		s := smooth(x, y, bandwidth(x, h[0]), bandwidth(y, h[1]), p.x, p.y, n, inside)
		p.add(s.regions()...)
	}
	if inside != nil {
		walls := outline(lattice{m, m, p.x.min, p.x.max, p.y.min, p.y.max}, inside)
		*domain = *domain || len(walls) == 0 || len(within(walls, p)) > 0
		p.add(outer(walls)...)
	}
	p.add(q.dots(x, y, sparse))
	if q.Truth != nil {
		sty := lineTruth
		if len(q.Axes) > 3 {
			sty.Width *= 0.6
		}
		p.add(upright{sty, q.Truth[i]}, level{sty, q.Truth[j]})
	}
	for k, at := range q.Minima {
		p.add(cross{lineFollowed, point{at[i], at[j]}})
		if len(q.Axes) == 2 && len(q.Minima) <= mostMinima {
			p.add(note{text.Short(q.Weight[k], 2), point{at[i], at[j]}})
		}
	}
	return p
}

// mostMinima are the minima whose weights are told.
const mostMinima = 32

// A note is a word beside a point, on a light ground.
type note struct {
	word string
	at   point
}

func (m note) draw(p *plane) {
	at := p.at(m.at.x, m.at.y)
	if !p.Contains(at) {
		return
	}
	sty := aligned(numberSize, draw.XLeft, draw.YCenter)
	left, wide := at.X+4.5, sty.Width(m.word)
	ground := vg.Rectangle{Min: vg.Point{X: left - 1, Y: at.Y - 4}, Max: vg.Point{X: left + wide + 1, Y: at.Y + 4}}
	p.SetColor(color.NRGBA{R: 255, G: 255, B: 255, A: 200})
	p.Fill(ground.Path())
	p.FillText(sty, vg.Point{X: left, Y: at.Y + 0.7}, m.word)
}

// stride returns k such that every k-th draw is shown as a dot, some 1,800 in
// a figure.
func (q *Pairs) stride() int {
	d := len(q.Axes)
	limit := 3600 / (d * (d - 1))
	return (len(q.Draws[0]) + limit - 1) / limit
}

// dots draws the draws, less those that stride leaves out.
func (q *Pairs) dots(x, y []float64, sparse bool) mark {
	d := len(q.Axes)
	radius := vg.Length(0.55)
	if d == 2 {
		radius = 0.8
	}
	if sparse {
		radius = 1.1
	}
	step := q.stride()
	var pts []point
	for k := 0; k < len(x); k += step {
		pts = append(pts, point{x[k], y[k]})
	}
	return dots{posterior, radius, pts}
}

// diagonal draws the marginal density of parameter j with its regions.
func (q *Pairs) diagonal(views []scale, j int) *panel {
	p := &panel{x: views[j], y: scale{max: 1, bare: true}}
	if q.Marginals != nil {
		m := q.Marginals[j]
		if q.Truth != nil {
			m.Truth = []float64{q.Truth[j]}
		}
		m.layers(p, m.regions()...)
		return p
	}
	counts := make([]float64, 24)
	for _, v := range q.Draws[j] {
		k := int((v - p.x.min) / (p.x.max - p.x.min) * float64(len(counts)))
		if k >= 0 && k < len(counts) {
			counts[k]++
		}
	}
	_, top := extent(counts...)
	p.y.max = 1.08 * math.Max(top, 1)
	p.add(line{linePosterior, steps(p.x.min, p.x.max, 0, counts)})
	if q.Truth != nil {
		p.add(upright{lineTruth, q.Truth[j]})
	}
	return p
}

// steps returns the outline of bars of the given heights that fill
// [min, max] side by side on a base.
func steps(min, max, base float64, heights []float64) []point {
	out := []point{{min, base}}
	for k, h := range heights {
		a := min + (max-min)*float64(k)/float64(len(heights))
		b := min + (max-min)*float64(k+1)/float64(len(heights))
		out = append(out, point{a, base + h}, point{b, base + h})
	}
	return append(out, point{max, base})
}

func (q *Pairs) keys(domain bool) legend {
	keys := legend{keyDot("draws", posterior, 1.2)}
	keys.add(len(q.Draws[0]) >= fewDraws, keyArea("50 % of the mass", middle), keyArea("90 %", whole))
	keys.add(q.Marginals != nil && len(q.Axes) > 2, keyLine("mode", lineMode))
	keys.add(q.Truth != nil, keyLine("truth", lineTruth))
	keys.add(len(q.Minima) > 0, keyCross("minimum of −log density, weight of its basin", lineFollowed))
	keys.add(domain, keyOutside())
	return keys
}

func (q *Pairs) caption() string {
	if step := q.stride(); step > 1 {
		return sentences(q.Sample.String(), fmt.Sprintf("one draw in %d is shown as a dot", step))
	}
	return q.Sample.String()
}
