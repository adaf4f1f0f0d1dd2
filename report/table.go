package report

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"
)

// Style is how text is marked. The zero value marks nothing.
type Style struct {
	Color bool // ANSI colours, only where they help
}

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
		row = append(row, Number(math.Min(p.ESSBulk, p.ESSTail), 0), Number(p.RHat, 3))
		rows = append(rows, row)
	}
	return grid(rows, func(row, column int, cell string) string {
		if row > 0 && column == len(rows[0])-1 && ps[row-1].RHat > 1.01 {
			return style.warn(cell)
		}
		return cell
	})
}

// Grid lays rows out for a terminal, the first of them the header: the first
// columns to the left, as many as words, the others, of numbers, to the right.
func Grid(rows [][]string, words int) string {
	for i, row := range rows {
		for c := range min(words, len(row)) {
			widest := 0
			for _, r := range rows {
				widest = max(widest, columns(r[c]))
			}
			rows[i][c] += strings.Repeat(" ", widest-columns(row[c]))
		}
	}
	return grid(rows, func(_, _ int, cell string) string { return cell })
}

// grid lays rows out, the first column to the left; mark may colour a cell.
func grid(rows [][]string, mark func(row, column int, cell string) string) string {
	width := make([]int, len(rows[0]))
	for _, row := range rows {
		for c, cell := range row {
			width[c] = max(width[c], columns(cell))
		}
	}
	var b strings.Builder
	for i, row := range rows {
		for c, cell := range row {
			pad := strings.Repeat(" ", width[c]-columns(cell))
			if c == 0 {
				b.WriteString(" " + mark(i, c, cell) + pad)
			} else {
				b.WriteString("  " + pad + mark(i, c, cell))
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// columns is the number of terminal columns of s: combining marks take none.
func columns(s string) int {
	return utf8.RuneCountInString(s) - strings.Count(s, "\u0302")
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
	parts = append(parts, fmt.Sprintf("%.1f s", s.Seconds))
	line := " " + strings.Join(parts, " · ") + "\n" + s.certificate()
	if e := s.LogEvidence; e.Estimate == e.Estimate {
		volume := Number(e.LogVolume, 3)
		if e.LogVolumeSE > 0 {
			volume = plusMinus(e.LogVolume, e.LogVolumeSE)
		}
		line += fmt.Sprintf(" log Z %s (forward %s, backward %s, log volume %s", plusMinus(e.Estimate, e.SE), Number(e.Forward, 3), Number(e.Backward, 3), volume)
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

// WarningText prints the warnings, one a line.
func (s *Summary) WarningText(style Style) string {
	var b strings.Builder
	for _, w := range s.Warnings {
		b.WriteString(style.warn(" ! ") + w + "\n")
	}
	return b.String()
}
