package figure

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A tick is a marked value of an axis; its label may be empty.
type tick struct {
	value float64
	label string
}

// ticks marks round values in [min, max], as many as room holds without
// their labels touching, about six at most.
func ticks(min, max float64, room vg.Length, upright bool) []tick {
	sty := letters(numberSize)
	span := max - min
	var best []tick
	exponent := math.Floor(math.Log10(span)) - 1
	for i := range 9 {
		step := [...]float64{1, 2, 5}[i%3] * math.Pow(10, exponent+float64(i/3))
		t := multiples(min, max, step)
		if len(t) == 0 {
			break
		}
		if len(t) > 7 {
			continue
		}
		if best = t; len(t) == 1 || fits(sty, t, room*vg.Length(step/span), upright) {
			break
		}
	}
	if len(best) == 1 {
		return ends(sty, min, max, room, upright, best)
	}
	return best
}

// ends labels the first and the last of the finer multiples alone, where only
// one label would fit among neighbours; one says which.
func ends(sty draw.TextStyle, min, max float64, room vg.Length, upright bool, one []tick) []tick {
	step := math.Pow(10, math.Floor(math.Log10(max-min)))
	for _, part := range [...]float64{5, 2, 1, 0.5, 0.2} {
		t := multiples(min, max, step*part)
		if n := len(t); n >= 2 && n <= 7 {
			apart := room * vg.Length((t[n-1].value-t[0].value)/(max-min))
			if !fits(sty, []tick{t[0], t[n-1]}, apart, upright) {
				continue
			}
			for k := 1; k < n-1; k++ {
				t[k].label = ""
			}
			return t
		}
	}
	return one
}

// multiples lists the multiples of step in [min, max]; nil if more than 40.
func multiples(min, max, step float64) []tick {
	first, last := math.Ceil(min/step-1e-9), math.Floor(max/step+1e-9)
	if last < first {
		return nil
	}
	if last-first > 40 {
		return make([]tick, 41)
	}
	var out []tick
	large := math.Max(math.Abs(first), math.Abs(last)) * step
	for k := first; k <= last; k++ {
		out = append(out, tick{k * step, number(k*step, step, large)})
	}
	return out
}

// fits reports whether labels that stand apart by gap do not touch.
func fits(sty draw.TextStyle, t []tick, gap vg.Length, upright bool) bool {
	for _, t := range t {
		if upright && gap < 2*sty.Font.Size || !upright && gap < sty.Width(t.label)+sty.Font.Size {
			return false
		}
	}
	return true
}

// number writes v with the digits that a step needs, beside values as large
// as large: 0.02, −1500, 2.5e6.
func number(v, step, large float64) string {
	if math.Abs(v) < step/2 {
		return "0"
	}
	decimals := -int(math.Floor(math.Log10(step) + 1e-9))
	var s string
	if large >= 1e5 || large < 1e-3 {
		digits := int(math.Floor(math.Log10(math.Abs(v))+1e-9)) + decimals
		s = strconv.FormatFloat(v, 'e', max(digits, 0), 64)
		mantissa, exponent, _ := strings.Cut(s, "e")
		sign := ""
		if exponent[0] == '-' {
			sign = "−"
		}
		s = mantissa + "e" + sign + strings.TrimLeft(exponent, "+-0")
		s = strings.TrimSuffix(s, "e")
	} else {
		s = strconv.FormatFloat(v, 'f', max(decimals, 0), 64)
	}
	return strings.Replace(s, "-", "−", 1)
}

// widen returns a range that shows [min, max] with a margin at either end,
// also if both are the same.
func widen(min, max, margin float64) (lo, hi float64) {
	size := math.Max(math.Abs(min), math.Abs(max))
	if max-min <= 1e-9*size || max-min < 1e-290 {
		pad := size / 2
		if pad < 1e-290 {
			pad = 1
		}
		return min - pad, max + pad
	}
	pad := margin * (max - min)
	return min - pad, max + pad
}

// show makes the axis show all values, of which there is one at least, with a margin.
func (s *scale) show(margin float64, values ...[]float64) {
	lo, hi := extent(slices.Concat(values...)...)
	s.min, s.max = widen(lo, hi, margin)
}

// extremes returns where the first least and the first largest of n values are.
func extremes(n int, at func(i int) float64) (lo, hi int) {
	for i := range n {
		if at(i) < at(lo) {
			lo = i
		}
		if at(i) > at(hi) {
			hi = i
		}
	}
	return lo, hi
}

// extent returns the least and the largest value; v is not empty.
func extent(v ...float64) (min, max float64) { return slices.Min(v), slices.Max(v) }
