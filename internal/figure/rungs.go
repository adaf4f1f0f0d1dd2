package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
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
	for k, n := range q.Attempts {
		if n > 0 { // wider than needed: no mean of numbers in [0, 1] varies more than that of zeros and ones
			lo, hi := wilson(q.Rejection[k], float64(n))
			x := float64(k) + 0.5
			p.add(line{lineZero, []point{{x, lo}, {x, hi}}})
		}
	}
	p.add(level{lineExpected, mean})
	panels := []*panel{p}
	lay := mosaic{columns: 1, height: cm(4.2)}
	if _, most := extent(append([]float64{0}, q.Variance...)...); most > 0 {
		noise := q.bars("variance of the noise", q.Variance)
		noise.y.max = 1.1 * most
		panels, lay.height = append(panels, noise), cm(3.2)
	}
	onlyLowest(panels, 1)
	keys := legend{keyArea("a pair of rungs", barrier), keyLine(fmt.Sprintf("mean %.3g", mean), lineExpected)}
	keys.add(q.Attempts != nil, keyInterval())
	caption := fmt.Sprintf("%s, barrier Λ = %.3g in all", text.Counted(len(q.Rejection), "pair"), sum)
	if q.Attempts != nil {
		caption = sentences(caption, q.attempts()+", taken as independent")
	}
	if len(q.Rejection) <= 12 {
		lay.width = cm(10)
	}
	return lay.compose(panels, keys, caption), nil
}

func (q *Swaps) check() error {
	c := &check{what: "rejections"}
	c.temperatures(q.Temperature)
	n := len(q.Temperature) - 1
	c.columns(column{"", q.Rejection, n, fraction}, column{"variances", q.Variance, n, nonNegative | optional})
	if q.Attempts != nil {
		c.each(len(q.Attempts), "attempts", n, "pairs")
	}
	for p, a := range q.Attempts {
		c.must(a >= 0, "%d attempts of pair %d: there cannot be fewer than none", a, p+1)
	}
	return c.err
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
	for k, v := range values {
		a, b := float64(k)+0.12, float64(k)+0.88
		p.add(box{barrier, point{a, 0}, point{b, v}}, line{lineExchanged, []point{{a, v}, {b, v}}})
	}
	return p
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
	least, most := slices.Min(q.Attempts), slices.Max(q.Attempts)
	if least == most {
		return text.Counted(most, "attempt") + " a pair"
	}
	return text.Count(least) + " to " + text.Counted(most, "attempt") + " a pair"
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
