package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Table lays the parameters out for a terminal, a line each.
func Table(ps []Parameter, style text.Style) string { return table("parameter", ps, style) }

func table(of string, ps []Parameter, style text.Style) string {
	rows := [][]string{{of, "mean", "sd", "5 %", "50 %", "95 %", "mode", "ESS", "R̂"}}
	for _, p := range ps {
		d := text.Decimals(p.SD)
		row := []string{p.Name}
		for _, v := range []float64{p.Mean, p.SD, p.Q5, p.Q50, p.Q95, p.Mode} {
			row = append(row, text.Number(v, d))
		}
		rhat := text.Number(p.agreement(), 3)
		if p.agreement() > wellMixed {
			rhat = style.Warn(rhat)
		}
		rows = append(rows, append(row, text.Number(math.Min(p.ESSBulk, p.ESSTail), 0), rhat))
	}
	return text.Grid(rows, 1, style)
}

// mostOutputs is how many outputs a terminal shows.
const mostOutputs = 20

// OutputTable lays out outputs, of long arrays the first entries, and counts the others.
func OutputTable(ps []Parameter, style text.Style) string {
	if len(ps) == 0 {
		return ""
	}
	size := map[string]int{} // of arrays, by name
	for _, p := range ps {
		size[arrayOf(p.Name)]++
	}
	each := 1
	for shown := func(each int) (n int) {
		for _, v := range size {
			n += min(v, each)
		}
		return n
	}; each < len(ps) && shown(each+1) <= mostOutputs; {
		each++
	}
	var first []Parameter
	seen := map[string]int{}
	for _, p := range ps {
		if of := arrayOf(p.Name); seen[of] < each && len(first) < mostOutputs {
			seen[of]++
			first = append(first, p)
		}
	}
	out := "\n" + table("output", first, style)
	if more := len(ps) - len(first); more > 0 {
		out += fmt.Sprintf(" and %s more in summary.json\n", text.Counted(more, "output"))
	}
	return out
}

// arrayOf is the name of what a number is an entry of, or its own.
func arrayOf(name string) string {
	bare, _, _ := strings.Cut(name, "[")
	return bare
}

// Footer is the line of counts under the table.
func (s *Summary) Footer() string {
	d := s.Domain
	parts := []string{text.Counted(d.Steps, "step")}
	if s.wall != "" {
		parts[0] = fmt.Sprintf("%s %.2f %% of %s", s.wall, 100*float64(d.Reflected)/float64(max(1, d.Steps)), parts[0])
		parts = append(parts, text.Counted(d.Fallbacks, "fallback"))
	}
	if s.Values > 0 {
		parts = append(parts, text.Counted(s.Values, "value")+" of constraints")
	}
	parts = append(parts, text.Counted(d.Outside, "draw")+" outside")
	if len(s.Swaps.Pairs) > 0 {
		rates := make([]float64, len(s.Swaps.Pairs))
		for i, p := range s.Swaps.Pairs {
			rates[i] = p.Rate
		}
		parts = append(parts, "swaps "+text.Few(rates), text.Counted(s.Swaps.RoundTrips, "round trip"))
	}
	if len(s.Acceptance) > 0 {
		parts = append(parts, "accepted "+text.Few(s.Acceptance))
	}
	if s.Exact {
		parts = append(parts, "exact")
	}
	parts = append(parts, fmt.Sprintf("%.1f s%s", s.Seconds, s.since))
	line := " " + strings.Join(parts, " · ") + "\n" + s.certificate()
	line += s.LogEvidence.line() + s.modes()
	if m := s.Marginal; m != nil && m.Log == m.Log {
		line += fmt.Sprintf(" log marginal likelihood %s\n", text.PlusMinus(m.Log, m.SE))
	}
	return line + s.predictions()
}
