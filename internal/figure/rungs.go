package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Swaps are the swap statistics of a ladder, an entry for each pair of
// neighbouring rungs.
type Swaps struct {
	Temperature []float64 // of the rungs, rising, one more than pairs; +Inf is the uniform law
	Rejection   []float64 // 1 − mean of min(1, S̃), in [0, 1]
	Attempts    []int     // behind Rejection; nil is unknown and draws no intervals
	Variance    []float64 // σ̃² of the noise in the difference of energies; nil or all 0 is none
}

// Rejections draws how often each pair of rungs refuses to swap, against the
// mean, with 95 % intervals as if attempts were independent; and under it the
// variance of the noisy energies, if there is any. A ladder of the right
// temperatures has bars of equal height.
func Rejections(q Swaps) (*Figure, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	sum := 0.0
	for _, r := range q.Rejection {
		sum += r
	}
	mean := sum / float64(len(q.Rejection))
	p := q.bars("rejection", q.Rejection)
	p.y.max = 1
	if q.Attempts != nil {
		p.add(q.intervals)
	}
	p.add(func(pl *plane) { pl.hline(lineExpected, mean) })
	panels := []*panel{p}
	if _, most := extent(append([]float64{0}, q.Variance...)...); most > 0 {
		noise := q.bars("variance of the noise", q.Variance)
		noise.y.max = 1.1 * most
		panels = append(panels, noise)
	}
	onlyLowest(panels, 1)
	keys := []key{keyArea("a pair of rungs", barrier), keyLine(fmt.Sprintf("mean %.3g", mean), lineExpected)}
	caption := fmt.Sprintf("%s, barrier Λ = %.3g in all", count(len(q.Rejection), "pair"), sum)
	if q.Attempts != nil {
		keys = append(keys, keyInterval("95 % interval"))
		caption = sentences(caption, q.attempts()+", taken as independent")
	}
	lay := mosaic{columns: 1, height: cm(4.2)}
	if len(panels) > 1 {
		lay.height = cm(3.2)
	}
	if len(q.Rejection) <= 12 {
		lay.width = cm(10)
	}
	return lay.compose(panels, keys, caption), nil
}

func (q *Swaps) check() error {
	const what = "rejections"
	if err := checkTemperatures(what, q.Temperature); err != nil {
		return err
	}
	n := len(q.Temperature) - 1
	if err := sameLength(what, n, q.Rejection); err != nil {
		return err
	}
	if q.Variance != nil {
		if err := sameLength(what+", variances", n, q.Variance); err != nil {
			return err
		}
	}
	if q.Attempts != nil && len(q.Attempts) != n {
		return fmt.Errorf("figure: %s: attempts of %d pairs beside %d: give one number a pair", what, len(q.Attempts), n)
	}
	for p, r := range q.Rejection {
		if !(r >= 0 && r <= 1) {
			return fmt.Errorf("figure: %s: %g of pair %d is no probability: give 1 − the mean of min(1, S̃)", what, r, p+1)
		}
		if q.Variance != nil && !(q.Variance[p] >= 0 && q.Variance[p] < 1e300) {
			return fmt.Errorf("figure: %s: variance %g of pair %d must be at least 0 and finite", what, q.Variance[p], p+1)
		}
		if q.Attempts != nil && q.Attempts[p] < 0 {
			return fmt.Errorf("figure: %s: %d attempts of pair %d: there cannot be fewer than none", what, q.Attempts[p], p+1)
		}
	}
	return nil
}

// bars draws a value for each pair as a bar between its two rungs.
func (q *Swaps) bars(label string, values []float64) *panel {
	last := float64(len(values))
	p := &panel{x: scale{label: "temperature of the rungs", max: last}, y: scale{label: label, max: 1}}
	width := cm(textWidth - 2)
	if len(values) <= 12 {
		width = cm(10)
	}
	p.x.marks = rungMarks(q.Temperature, width, false)
	p.add(func(pl *plane) {
		for k, v := range values {
			a, b := float64(k)+0.12, float64(k)+0.88
			pl.box(barrier, point{a, 0}, point{b, v})
			pl.line(lineExchanged, []point{{a, v}, {b, v}})
		}
	})
	return p
}

// intervals draws the Wilson interval of each rejection, wider than needed:
// no mean of numbers in [0, 1] varies more than that of zeros and ones.
func (q *Swaps) intervals(pl *plane) {
	for k, r := range q.Rejection {
		if q.Attempts[k] > 0 {
			lo, hi := wilson(r, float64(q.Attempts[k]))
			x := float64(k) + 0.5
			pl.line(lineZero, []point{{x, lo}, {x, hi}})
		}
	}
}

// wilson returns the 95 % interval of a probability of which the share r of n
// attempts was seen. Wilson, "Probable inference" (1927).
func wilson(r, n float64) (lo, hi float64) {
	const z = 1.96
	middle := (r + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(r*(1-r)/n+z*z/(4*n*n))
	return math.Max(middle-half, 0), math.Min(middle+half, 1)
}

// attempts returns "500 to 501 attempts a pair".
func (q *Swaps) attempts() string {
	least, most := q.Attempts[0], q.Attempts[0]
	for _, n := range q.Attempts {
		least, most = min(least, n), max(most, n)
	}
	if least == most {
		return count(most, "attempt") + " a pair"
	}
	return thousands(least) + " to " + count(most, "attempt") + " a pair"
}

func checkTemperatures(what string, t []float64) error {
	if len(t) < 2 {
		return fmt.Errorf("figure: %s: %s: a ladder has at least two", what, count(len(t), "rung"))
	}
	for p, v := range t {
		if !(v > 0) || p > 0 && !(v > t[p-1]) {
			return fmt.Errorf("figure: %s: temperature %d is %g: temperatures must be above 0 and rise", what, p+1, v)
		}
	}
	return nil
}

// rungMarks marks rungs 0, 1, … with their temperatures.
func rungMarks(t []float64, room vg.Length, upright bool) []tick {
	return markRungs(temperatures(t), room, upright)
}

// markRungs marks rungs 0, 1, … with as many of their names as room holds, the
// last among them.
func markRungs(labels []string, room vg.Length, upright bool) []tick {
	sty := letters(numberSize)
	need := 1.4 * sty.Font.Size
	if !upright {
		for _, l := range labels {
			need = max(need, sty.Width(l)+sty.Font.Size)
		}
	}
	last := len(labels) - 1
	skip := int(math.Ceil(float64(need) * float64(last) / float64(room)))
	out := make([]tick, len(labels))
	for p := range labels {
		out[p].value = float64(p)
		if p == last || p%max(skip, 1) == 0 && last-p >= skip {
			out[p].label = labels[p]
		}
	}
	return out
}

// temperatures writes temperatures with three digits, or as many more as tell
// them apart; +Inf is ∞.
func temperatures(t []float64) []string {
	out := make([]string, len(t))
	for digits := 3; digits <= 8; digits++ {
		same := false
		for p, v := range t {
			out[p] = rounded(v, digits)
			same = same || p > 0 && out[p] == out[p-1]
		}
		if !same {
			break
		}
	}
	return out
}

// rounded writes v > 0 with so many digits less trailing zeros: 1.37, 0.02, 2.5e6.
func rounded(v float64, digits int) string {
	if math.IsInf(v, 1) {
		return "∞"
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	if v >= 1e-3 && v < 1e5 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
	sign := ""
	if exponent[0] == '-' {
		sign = "−"
	}
	return mantissa + "e" + sign + strings.TrimLeft(exponent, "+-0")
}
