package text

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Float reads a decimal number, as configurations and tables have it: what Go's source may hold
// beside (2_000, 0x1p1) is none.
func Float(s string) (float64, error) {
	if strings.ContainsAny(s, "_xXpP") {
		return 0, strconv.ErrSyntax
	}
	return strconv.ParseFloat(s, 64)
}

// Decimals is the number of decimals that shows three digits of sd, −1 for
// scientific notation.
func Decimals(sd float64) int {
	if !(sd > 0) || math.IsInf(sd, 0) {
		return 4
	}
	d := 2 - int(math.Floor(math.Log10(sd)))
	if d > 8 || d < -6 {
		return -1
	}
	return max(0, d)
}

// Number prints v with d decimals, infinity and, if d < 0, all numbers with three
// significant digits, those of more digits than a number has with six, and a dash if v
// is NaN: not known.
func Number(v float64, d int) string {
	if math.IsInf(v, 0) || d < 0 {
		return Short(v, 3)
	}
	if math.Abs(v) >= 1e16 {
		return Short(v, 6)
	}
	if math.IsNaN(v) {
		return "–"
	}
	s := fmt.Sprintf("%.*f", d, v)
	if strings.Trim(s, "-0.") == "" {
		s = strings.TrimPrefix(s, "-")
	}
	return minus(s)
}

// Short prints v with so many significant digits at most, and a dash if it is NaN.
func Short(v float64, digits int) string {
	if math.IsNaN(v) {
		return "–"
	}
	return minus(fmt.Sprintf("%.*g", digits, v))
}

// minus writes signs of numbers as −.
func minus(s string) string { return strings.ReplaceAll(s, "-", "−") }

// Few prints shares, those in the middle left out where there are many.
func Few(v []float64) string {
	var s []string
	for _, x := range v {
		s = append(s, Number(x, 2))
	}
	if n := len(s); n > 6 {
		s = append(append(s[:2:2], "…"), s[n-2], s[n-1], fmt.Sprintf("(%d)", n))
	}
	return strings.Join(s, " ")
}

// Count prints n with commas between thousands.
func Count[N int | int64](n N) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted prints how many there are of what a noun names: "1 rung", "12,000 draws",
// "3 swap intensities".
func Counted[N int | int64](n N, noun string) string {
	switch stem, y := strings.CutSuffix(noun, "y"); {
	case n == 1:
	case y && !strings.ContainsAny(stem[max(0, len(stem)-1):], "aeiou"):
		noun = stem + "ies"
	default:
		noun += "s"
	}
	return Count(n) + " " + noun
}

// PlusMinus prints v with its standard error, both to two digits of it, six decimals at
// most.
func PlusMinus(v, se float64) string {
	d := min(max(Decimals(se)-1, 0), 6)
	if se < 1e-6 && se > 0 {
		d = 6
	}
	return Number(v, d) + " ± " + Number(se, d)
}

// Size is a number of bytes in words.
func Size(bytes float64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	i := 0
	for bytes >= 999.5 && i+1 < len(units) {
		bytes /= 1000
		i++
	}
	return fmt.Sprintf("%.3g %s", bytes, units[i])
}
