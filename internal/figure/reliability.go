package figure

import (
	"errors"
	"fmt"
	"math"

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
	if len(q) == 0 {
		return nil, errors.New("figure: reliability: no predictor: give at least one")
	}
	columns := columnsFor(len(q), 3)
	lay := mosaic{columns: columns, rows: []vg.Length{cm(4.6 * headroom), cm(1.3)}}
	if columns < 3 {
		lay.width = cm(5.6)
	}
	var panels []*panel
	for from := 0; from < len(q); from += columns {
		upper, lower := make([]*panel, columns), make([]*panel, columns)
		for i := range q[from:min(from+columns, len(q))] {
			c := &q[from+i]
			if err := c.check(); err != nil {
				return nil, err
			}
			upper[i], lower[i] = c.panel(), c.counts()
			if i > 0 {
				upper[i].y.label, lower[i].y.label = "", ""
			}
		}
		panels = append(append(panels, upper...), lower...)
	}
	keys := []key{keyArea("accuracy", middle), keyArea("gap to the confidence", gapColour),
		keyLine("as confident as right", lineExpected), keyInterval("95 % interval")}
	return lay.compose(panels, keys, caption), nil
}

// headroom is how much longer the axis of the accuracy is than 1: words stand above.
const headroom = 1.28

// gapColour fills what confidence and accuracy are apart.
var gapColour = pale(vermillion)

func (c *Calibration) check() error {
	what := "reliability of " + c.Title
	if c.total() == 0 {
		return fmt.Errorf("figure: %s: no images: give bins with counts", what)
	}
	last := 0.0
	for i, b := range c.Bins {
		if !(b.Low >= last && b.High > b.Low && b.High <= 1) {
			return fmt.Errorf("figure: %s: bin %d is from %g to %g: bins must rise in [0, 1] and not overlap", what, i+1, b.Low, b.High)
		}
		last = b.High
		if b.Count < 0 {
			return fmt.Errorf("figure: %s: bin %d has %d images: there cannot be fewer than none", what, i+1, b.Count)
		}
		if b.Count == 0 {
			continue
		}
		if !(b.Accuracy >= 0 && b.Accuracy <= 1 && b.Confidence >= 0 && b.Confidence <= 1) {
			return fmt.Errorf("figure: %s: bin %d has accuracy %g and confidence %g: both must be in [0, 1]", what, i+1, b.Accuracy, b.Confidence)
		}
	}
	return nil
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
	p.add(func(pl *plane) {
		for _, b := range c.Bins {
			if b.Count == 0 {
				continue
			}
			pl.box(middle, point{b.Low, 0}, point{b.High, b.Accuracy})
			pl.box(gapColour, point{b.Low, b.Accuracy}, point{b.High, b.Confidence})
			pl.line(linePosterior, []point{{b.Low, b.Accuracy}, {b.High, b.Accuracy}})
		}
		pl.line(lineExpected, []point{{0, 0}, {1, 1}})
		for _, b := range c.Bins {
			if b.Count > 0 {
				lo, hi := wilson(b.Accuracy, float64(b.Count))
				x := (b.Low + b.High) / 2
				pl.line(lineZero, []point{{x, lo}, {x, hi}})
			}
		}
		pl.words(c.words())
	})
	return p
}

// counts draws how the images are shared among the bins.
func (c *Calibration) counts() *panel {
	most := 0
	for _, b := range c.Bins {
		most = max(most, b.Count)
	}
	p := &panel{x: scale{label: "confidence", max: 1}, y: scale{label: "images", max: 1.08 * float64(most)}}
	p.y.ruled, p.y.marks = true, []tick{{0, "0"}, {float64(most), thousands(most)}}
	p.add(func(pl *plane) {
		for _, b := range c.Bins {
			if b.Count > 0 {
				pl.box(expected, point{b.Low, 0}, point{b.High, float64(b.Count)})
				pl.line(lineZero, []point{{b.Low, float64(b.Count)}, {b.High, float64(b.Count)}})
			}
		}
	})
	return p
}

// words writes lines into the upper left corner.
func (p *plane) words(lines []string) {
	sty := letters(numberSize)
	for i, l := range lines {
		p.FillText(sty, vg.Point{X: p.Min.X + 5, Y: p.Max.Y - numberSize*1.3*vg.Length(i+1)}, l)
	}
}
