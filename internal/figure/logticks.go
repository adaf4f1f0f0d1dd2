package figure

import (
	"math"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
	"gonum.org/v1/plot/vg"
)

// logTicks marks values whose logarithms to base ten lie in [lo, hi]: powers of
// ten, less those whose labels would touch, with strokes for what is between; or
// 1, 2 and 5 times powers if there are few, or round numbers.
func logTicks(lo, hi float64, room vg.Length, upright bool) []tick {
	decade := room / vg.Length(hi-lo)
	first, last := int(math.Ceil(lo-1e-9)), int(math.Floor(hi+1e-9))
	if last-first >= 1 {
		return decades(first, last, lo, hi, decade, upright)
	}
	var out []tick
	for e := first - 1; e <= last+1; e++ {
		for _, digit := range [...]float64{1, 2, 5} {
			v := digit * math.Pow(10, float64(e))
			if at := math.Log10(v); at >= lo-1e-9 && at <= hi+1e-9 {
				out = append(out, tick{at, plain(v)})
			}
		}
	}
	if len(out) >= 3 {
		return out
	}
	out = ticks(math.Pow(10, lo), math.Pow(10, hi), room, upright)
	for i := range out {
		out[i].value = math.Log10(out[i].value)
	}
	return out
}

// decades marks powers of ten from first to last, and what lies between them if
// there is room.
func decades(first, last int, lo, hi float64, decade vg.Length, upright bool) []tick {
	sty := letters(numberSize)
	powers := first < -4 || last > 6
	label := func(e int) string {
		if powers && e != 0 {
			return strings.Replace("1e"+strconv.Itoa(e), "-", "−", 1)
		}
		return plain(math.Pow(10, float64(e)))
	}
	need := 2 * sty.Font.Size
	if !upright {
		need = 0.7*sty.Font.Size + max(sty.Width(label(first)), sty.Width(label(last)))
	}
	skip := int(math.Ceil(float64(need / decade)))
	var out []tick
	for e := first - 1; e <= last; e++ {
		for digit := 1; digit <= 9; digit++ {
			at := float64(e) + math.Log10(float64(digit))
			if at < lo-1e-9 || at > hi+1e-9 || digit > 1 && decade < 16 {
				continue
			}
			t := tick{value: at}
			switch {
			case digit == 1 && (e-first)%skip == 0:
				t.label = label(e)
			case (digit == 2 || digit == 5) && last-first <= 1 && !powers && decade > 3.4*need:
				t.label = plain(float64(digit) * math.Pow(10, float64(e)))
			}
			out = append(out, t)
		}
	}
	return out
}

// plain writes a round number: 0.0001, 5, 20,000.
func plain(v float64) string {
	if v < 1e-3 && v >= 0.99e-4 {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	if v >= 1000 && v < 1e7 {
		return text.Count(int(math.Round(v)))
	}
	return rounded(v, 3)
}
