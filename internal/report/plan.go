package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// PlanText lays a plan out for a terminal: what the ladder is, its numbers in two
// columns, then sentences.
func PlanText(p *tune.Plan, style text.Style) string {
	var b strings.Builder
	b.WriteString(" " + planHead(p) + "\n")
	if p.Tuned != nil {
		b.WriteString(Sighted(p.Tuned.Modes))
	}
	rows := planLeft(p)
	for i, cell := range planRight(p) {
		if i == len(rows) {
			rows = append(rows, []string{"", ""})
		}
		rows[i] = append(rows[i], cell...)
	}
	b.WriteString(planColumns(rows, style))
	for _, text := range p.Advice {
		b.WriteString(style.Warn(" ! ") + text + "\n")
	}
	return b.String()
}

// planColumns lays rows of name, number, name, number out: the second two below the first
// where they do not fit beside them.
func planColumns(rows [][]string, style text.Style) string {
	width := make([]int, 4)
	total := 1
	for c := range width {
		for _, row := range rows {
			if c < len(row) {
				width[c] = max(width[c], text.Columns(row[c]))
			}
		}
		total += 2 + width[c]
	}
	if total += 2; style.Width > 0 && total > style.Width && len(rows[0]) == 4 {
		var below [][]string
		for part := range 2 {
			for _, row := range rows {
				if cells := row[2*part:]; len(cells) > 1 && cells[0] != "" {
					below = append(below, cells[:2])
				}
			}
		}
		return planColumns(below, style)
	}
	var b strings.Builder
	for _, row := range rows {
		line := "  "
		for c, cell := range row {
			pad := strings.Repeat(" ", width[c]-text.Columns(cell))
			if c%2 == 1 {
				line += "  " + pad + cell
			} else {
				line += strings.Repeat(" ", 1+3*(c/2)) + cell + pad
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// planHead says what the ladder is.
func planHead(p *tune.Plan) string {
	parts := []string{"1 rung"}
	if n := len(p.Rungs); n > 1 {
		hot := "∞"
		if b := p.Rungs[n-1].Beta; b > 0 {
			hot = text.Number(1/b, -1)
		}
		energies := "exact energies"
		switch {
		case p.Noisy && p.Full:
			energies = "energies over all data at swaps"
		case p.Noisy:
			energies = "noisy energies"
		}
		parts = []string{fmt.Sprintf("%d rungs, temperature %s : %s", n, text.Number(1/p.Rungs[0].Beta, -1), hot), energies}
	}
	parts = append(parts, text.Counted(p.Ladders, "ladder"))
	if f := p.Tuned; f != nil {
		if f.Whitened {
			parts = append(parts, "whitened")
		}
		if f.Taken != "" {
			parts = append(parts, "kernel hmc")
		}
		return strings.Join(parts, ", ") + fmt.Sprintf("\n found in %d rounds of warm-up (%s iterations, %s); step bias %s %% of a variance",
			f.Rounds, text.Count(int64(f.WarmUp)), duration(f.Seconds), text.Number(100*f.Bias, 2))
	}
	return strings.Join(parts, ", ")
}

// planLeft are the numbers of the ladder.
func planLeft(p *tune.Plan) [][]string {
	rows := [][]string{{"sd of U at rung 1", short(p.Rungs[0].SD)}}
	if p.Noisy {
		rows = append(rows, []string{"sd of Ũ − U", short(p.Rungs[0].Noise)})
	}
	if len(p.Pairs) == 0 {
		return rows
	}
	var acceptance []float64
	for _, t := range p.Pairs {
		acceptance = append(acceptance, t.Log10Acceptance)
	}
	rows = append(rows, []string{"acceptance per pair", powers(acceptance)}, []string{"barrier Λ̂", short(p.Barrier)},
		[]string{"rungs for one in two", needed(p.Half)})
	if p.Noisy && !p.Full {
		rows = append(rows, []string{"  with noisy energies", needed(p.NoisyHalf)})
	}
	return rows
}

// planRight are the numbers of the run.
func planRight(p *tune.Plan) [][]string {
	rows := [][]string{{"iterations per ladder", text.Count(int64(p.Iterations))}}
	if f := p.Tuned; f != nil && f.Needed == f.Needed {
		rows = append(rows, []string{"  needed", short(f.Needed)})
	}
	if len(p.Pairs) > 0 {
		rows = append(rows, []string{"round trips in these", trips(p)})
	}
	ess := "not to be told"
	if p.ESS == p.ESS {
		ess = short(p.ESS)
	}
	return append(rows, []string{"ESS of the worst, " + p.Worst, ess},
		[]string{"time", duration(p.Seconds)},
		[]string{"memory, disk", text.Size(p.Memory) + ", " + text.Size(p.Disk)})
}

// trips are the round trips of a plan.
func trips(p *tune.Plan) string {
	n, about := p.RoundTrips, "about "
	if n != n { // too few to tell in the short run
		n, about = p.Independent, "at most "
	}
	switch {
	case n != n:
		return "few"
	case n < 0.5:
		return "none"
	}
	return about + short(math.Max(1, n))
}

// needed is how many rungs a ladder takes, with the ratio of its coldest two.
func needed(h tune.Half) string {
	if h.Rungs == 0 {
		return "–"
	}
	s := text.Count(int64(h.Rungs))
	if h.Ratio < math.Inf(1) {
		s += fmt.Sprintf(" (ratio %s)", ratio(h.Ratio))
	}
	return s
}

// ratio shows two digits of what a ratio is above 1.
func ratio(r float64) string {
	return fmt.Sprintf("%.*f", min(12, max(0, 1-int(math.Floor(math.Log10(r-1))))), r)
}

// powers shows probabilities, by their decimal logarithms, as a range if there are
// many.
func powers(log10 []float64) string {
	lo, hi := math.Inf(1), math.Inf(-1)
	text := make([]string, len(log10))
	for i, v := range log10 {
		lo, hi = min(lo, v), max(hi, v)
		text[i] = power(v)
	}
	if a, b := power(lo), power(hi); len(text) > 5 {
		if a == b {
			return a
		}
		return a + " … " + b
	}
	return strings.Join(text, " ")
}

// power is 10^v, in words of a terminal; 0 below what is worth an exponent.
func power(v float64) string {
	switch {
	case v < -1e6:
		return "0"
	case v >= -3.5:
		return fmt.Sprintf("%.*f", max(2, int(math.Ceil(-v))), math.Pow(10, v))
	}
	return fmt.Sprintf("1e−%.0f", -v)
}

// short shows two or three digits.
func short(v float64) string {
	switch {
	case v >= 1e15 || v != v || math.IsInf(v, 0):
		return text.Number(v, -1)
	case v >= 1000:
		unit := math.Pow(10, math.Floor(math.Log10(v))-2)
		return text.Count(int64(math.Round(v/unit) * unit))
	case v == 0:
		return "0"
	}
	return text.Number(v, max(-1, text.Decimals(math.Abs(v))))
}

// duration is a time in words.
func duration(seconds float64) string {
	switch {
	case !(seconds < 1e9):
		return text.Number(seconds, -1) + " s"
	case seconds < 1:
		return fmt.Sprintf("%.1g s", seconds)
	case seconds < 100:
		return fmt.Sprintf("%.2g s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f min", seconds/60)
	case seconds < 2*86400:
		return fmt.Sprintf("%.1f h", seconds/3600)
	}
	return fmt.Sprintf("%s days", text.Count(int64(math.Round(seconds/86400))))
}
