package report

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/terminal"
)

// Style is how text is laid out. The zero value marks nothing and folds nothing.
type Style struct {
	Color bool // ANSI colours, only where they help
	Width int  // columns that a table may take; 0 is no limit
}

// StyleOf is the style of text that is written to w: that of a [terminal.Screen], or plain.
func StyleOf(w io.Writer) Style { return Style{Color: terminal.Color(w), Width: terminal.Width(w)} }

func (s Style) warn(text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[33m" + text + "\x1b[0m"
}

// Table lays the parameters out for a terminal, a line each.
func Table(ps []Parameter, style Style) string {
	rows := [][]string{{"parameter", "mean", "sd", "5 %", "50 %", "95 %", "mode", "ESS", "R̂"}}
	for _, p := range ps {
		d := decimals(p.SD)
		row := []string{p.Name}
		for _, v := range []float64{p.Mean, p.SD, p.Q5, p.Q50, p.Q95, p.Mode} {
			row = append(row, Number(v, d))
		}
		rhat := Number(p.RHat, 3)
		if p.RHat > wellMixed {
			rhat = style.warn(rhat)
		}
		rows = append(rows, append(row, Number(math.Min(p.ESSBulk, p.ESSTail), 0), rhat))
	}
	return Grid(rows, 1, style)
}

// Grid lays rows out for a terminal, the first of them the header: the first columns, as
// many as words, to the left, the others, of numbers, to the right. Columns that do not
// fit beside each other follow in a block below, behind the names of the lines again.
func Grid(rows [][]string, words int, style Style) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			width[c] = max(width[c], terminal.Columns(cell))
		}
	}
	limit := style.Width
	if limit <= 0 {
		limit = math.MaxInt
	}
	keys, margin := 1, 1
	width[0] = min(width[0], limit/2)
	for at := 1 + width[0]; keys < words; keys++ { // that stand before every block
		if at += 2 + width[keys]; at > limit/2 {
			break
		}
	}
	for _, w := range width[:keys] {
		margin += w + 2
	}
	var b strings.Builder
	for from := keys; ; {
		to, at := from, margin-2
		for to < len(width) && (to == from || at+2+width[to] <= limit) {
			at += 2 + width[to]
			to++
		}
		if from > keys {
			b.WriteByte('\n')
		}
		for _, row := range rows {
			b.WriteString(gridLine(row, width, words, keys, from, to))
		}
		if from = to; from >= len(width) {
			return b.String()
		}
	}
}

// gridLine is a line of a block: the cells before keys and those in [from, to).
func gridLine(row []string, width []int, words, keys, from, to int) string {
	line := ""
	for c, cell := range row {
		if c >= keys && (c < from || c >= to) {
			continue
		}
		cell = terminal.Middle(cell, width[c])
		pad := strings.Repeat(" ", max(0, width[c]-terminal.Columns(cell)))
		between := "  "
		if c == 0 {
			between = " "
		}
		if c < words {
			line += between + cell + pad
		} else {
			line += between + pad + cell
		}
	}
	return strings.TrimRight(line, " ") + "\n"
}

// decimals is the number of decimals that shows three digits of sd, −1 for
// scientific notation.
func decimals(sd float64) int {
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

// few prints shares, those in the middle left out where there are many.
func few(v []float64) string {
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

// Footer is the line of counts under the table.
func (s *Summary) Footer() string {
	d := s.Domain
	parts := []string{Counted(d.Steps, "step")}
	if s.wall != "" {
		parts[0] = fmt.Sprintf("%s %.2f %% of %s", s.wall, 100*float64(d.Reflected)/float64(max(1, d.Steps)), parts[0])
		parts = append(parts, Counted(d.Fallbacks, "fallback"))
	}
	parts = append(parts, Counted(d.Outside, "draw")+" outside")
	if len(s.Swaps.Pairs) > 0 {
		rates := make([]float64, len(s.Swaps.Pairs))
		for i, p := range s.Swaps.Pairs {
			rates[i] = p.Rate
		}
		parts = append(parts, "swaps "+few(rates), Counted(s.Swaps.RoundTrips, "round trip"))
	}
	if len(s.Acceptance) > 0 {
		parts = append(parts, "accepted "+few(s.Acceptance))
	}
	if s.Exact {
		parts = append(parts, "exact")
	}
	parts = append(parts, fmt.Sprintf("%.1f s%s", s.Seconds, s.since))
	line := " " + strings.Join(parts, " · ") + "\n" + s.certificate()
	if e := s.LogEvidence; e.Estimate == e.Estimate {
		volume := Number(e.LogVolume, 3)
		if e.LogVolumeSE > 0 {
			volume = plusMinus(e.LogVolume, e.LogVolumeSE)
		}
		line += fmt.Sprintf(" log Z %s (%slog volume %s", plusMinus(e.Estimate, e.SE), e.apart(), volume)
		if e.StepBias == e.StepBias && (e.StepBias != 0 || e.StepBiasSE != 0) { // exact kernels add nothing
			line += fmt.Sprintf("; the step adds %s", plusMinus(e.StepBias, e.StepBiasSE))
		}
		line += ")\n"
	}
	if m := s.Marginal; m != nil && m.Log == m.Log {
		line += fmt.Sprintf(" log marginal likelihood %s\n", plusMinus(m.Log, m.SE))
	}
	return line
}

// plusMinus prints v with its standard error, both to two digits of it, six decimals at
// most.
func plusMinus(v, se float64) string {
	d := min(max(decimals(se)-1, 0), 6)
	if se < 1e-6 && se > 0 {
		d = 6
	}
	return Number(v, d) + " ± " + Number(se, d)
}

// Warn prints warnings on w, one a line.
func Warn(w io.Writer, warnings ...string) {
	for _, text := range warnings {
		fmt.Fprintln(w, StyleOf(w).warn(" ! ")+text)
	}
}
