package figure

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
)

// A ConfidenceBin holds the images whose largest predicted probability lies in a
// range.
type ConfidenceBin struct {
	Low, High  float64 // the range, in [0, 1]
	Count      int     // images
	Confidence float64 // mean of the largest probability; not read where Count is 0
	Accuracy   float64 // share of images of that class; not read where Count is 0
}

// A Calibration is how confidence and accuracy of one predictor go together.
type Calibration struct {
	Title string
	Bins  []ConfidenceBin // rising and apart, as of Naeini et al. (2015)
}

// Reliability draws, for each predictor, accuracy against confidence in bins, the
// gap between both in colour, 95 % intervals of the accuracy as if images were
// independent, and under it how many images each bin has. It says the expected
// calibration error of these bins: the mean gap, weighted by images.
func Reliability(q []Calibration, caption string) (*Figure, error) {
	c := &check{what: "reliability"}
	c.must(len(q) > 0, "no predictor: give at least one")
	for i := range q {
		q[i].check(c)
	}
	if c.err != nil {
		return nil, c.err
	}
	columns := columnsFor(len(q), 3)
	lay := grid(columns, []float64{0}, []float64{5.6, 5.6})
	lay.rows = []vg.Length{cm(4.6 * headroom), cm(1.3)}
	var panels []*panel
	for from := 0; from < len(q); from += columns {
		upper, lower := make([]*panel, columns), make([]*panel, columns)
		for i := range q[from:min(from+columns, len(q))] {
			c := &q[from+i]
			upper[i], lower[i] = c.panel(), c.counts()
			if i > 0 {
				upper[i].y.label, lower[i].y.label = "", ""
			}
		}
		panels = append(append(panels, upper...), lower...)
	}
	keys := legend{keyArea("accuracy", middle), keyArea("gap to the confidence", gapColour),
		keyLine("as confident as right", lineExpected), keyInterval()}
	return lay.compose(panels, keys, caption), nil
}

// headroom is how much longer the axis of the accuracy is than 1: words stand above.
const headroom = 1.28

// gapColour fills what confidence and accuracy are apart.
var gapColour = pale(vermillion)

func (q *Calibration) check(c *check) {
	c.part("reliability of %s", q.Title)
	c.must(q.total() > 0, "no images: give bins with counts")
	last := 0.0
	for i, b := range q.Bins {
		c.must(b.Low >= last && b.High > b.Low && b.High <= 1, "bin %d is from %g to %g: bins must rise in [0, 1] and not overlap", i+1,
			b.Low, b.High)
		c.must(b.Count >= 0, "bin %d has %d images: there cannot be fewer than none", i+1, b.Count)
		c.must(b.Count <= 0 || b.Accuracy >= 0 && b.Accuracy <= 1 && b.Confidence >= 0 && b.Confidence <= 1,
			"bin %d has accuracy %g and confidence %g: both must be in [0, 1]", i+1, b.Accuracy, b.Confidence)
		last = b.High
	}
}

// total is the number of images.
func (c *Calibration) total() int {
	n := 0
	for _, b := range c.Bins {
		n += max(b.Count, 0)
	}
	return n
}

// words says accuracy, confidence and expected calibration error.
func (c *Calibration) words() []string {
	var accuracy, confidence, gap float64
	n := float64(c.total())
	for _, b := range c.Bins {
		if b.Count > 0 {
			w := float64(b.Count) / n
			accuracy, confidence = accuracy+w*b.Accuracy, confidence+w*b.Confidence
			gap += w * math.Abs(b.Accuracy-b.Confidence)
		}
	}
	return []string{fmt.Sprintf("ECE %.3f", gap), fmt.Sprintf("accuracy %.3f", accuracy), fmt.Sprintf("confidence %.3f", confidence)}
}

func (c *Calibration) panel() *panel {
	p := &panel{title: c.Title, x: scale{max: 1, silent: true}, y: scale{label: "accuracy", max: headroom, ruled: true}}
	for k, label := range []string{"0", "0.2", "0.4", "0.6", "0.8", "1.0"} {
		p.y.marks = append(p.y.marks, tick{float64(k) / 5, label})
	}
	var intervals []mark
	for _, b := range c.Bins {
		if b.Count == 0 {
			continue
		}
		p.add(box{middle, point{b.Low, 0}, point{b.High, b.Accuracy}},
			box{gapColour, point{b.Low, b.Accuracy}, point{b.High, b.Confidence}},
			line{linePosterior, []point{{b.Low, b.Accuracy}, {b.High, b.Accuracy}}})
		lo, hi := wilson(b.Accuracy, float64(b.Count))
		x := (b.Low + b.High) / 2
		intervals = append(intervals, line{lineZero, []point{{x, lo}, {x, hi}}})
	}
	p.add(line{lineExpected, []point{{0, 0}, {1, 1}}})
	p.add(intervals...)
	p.add(words(c.words()))
	return p
}

// counts draws how the images are shared among the bins.
func (c *Calibration) counts() *panel {
	most := 0
	for _, b := range c.Bins {
		most = max(most, b.Count)
	}
	p := &panel{x: scale{label: "confidence", max: 1}, y: scale{label: "images", max: 1.08 * float64(most)}}
	p.y.ruled, p.y.marks = true, []tick{{0, "0"}, {float64(most), text.Count(most)}}
	for _, b := range c.Bins {
		if n := float64(b.Count); n > 0 {
			p.add(box{expected, point{b.Low, 0}, point{b.High, n}}, line{lineZero, []point{{b.Low, n}, {b.High, n}}})
		}
	}
	return p
}

// words are lines in the upper left corner.
type words []string

func (m words) draw(p *plane) {
	sty := letters(numberSize)
	for i, l := range m {
		p.FillText(sty, vg.Point{X: p.Min.X + 5, Y: p.Max.Y - numberSize*1.3*vg.Length(i+1)}, l)
	}
}
