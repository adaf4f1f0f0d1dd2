package outlook

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
)

// Text is what a person sees: the numbers, what they mean for a run, and notes.
func (s *Summary) Text(j *Job) string {
	var b strings.Builder
	b.WriteString("\n" + labelled(s.facts()))
	for _, table := range []string{s.rungTable(j), s.curveTable(j), s.decayTable(j)} {
		if table != "" {
			b.WriteString("\n" + table)
		}
	}
	b.WriteString("\n")
	for _, line := range s.meaning() {
		b.WriteString(" " + line + "\n")
	}
	for _, n := range s.Notes {
		b.WriteString(" note: " + n + "\n")
	}
	return b.String()
}

// A fact is a number with its name and what to know of it.
type fact struct{ name, value, remark string }

// facts are the numbers that there are of every process.
func (s *Summary) facts() []fact {
	size := text.Counted(s.Cells, "cell")
	if s.States != s.Cells {
		size += ", " + text.Count(s.States) + " states"
	}
	out := []fact{
		{"gap λ₁", withError(s.Gap, s.GapError), "by the grid"},
		{"relaxation time 1/λ₁", text.Short(s.PoincareConstant, 4), "the Poincaré constant"},
	}
	if !known(s.GapError) {
		out[0].remark = ""
	}
	if n := len(s.Eigenvalues); n > 1 {
		var next []string
		for _, v := range s.Eigenvalues[1:min(n, 8)] {
			next = append(next, text.Short(v, 4))
		}
		if n > 8 {
			next = append(next, fmt.Sprintf("… (%d)", n))
		}
		out = append(out, fact{"λ₂, λ₃, …", strings.Join(next, "  "), ""})
	}
	out = append(out, fact{"diameter", text.Short(s.Diameter, 5), convexity(s.Convex)})
	if known(s.ConvexBound) {
		out = append(out, fact{"least gap τπ²/diam²", text.Short(s.ConvexBound, 4), "of any convex domain as wide, where U is constant"})
	}
	if known(s.LogSobolev) {
		out = append(out, fact{"log-Sobolev constant", "≥ " + text.Short(s.LogSobolev, 4), "from the decay of entropy, without swaps"})
	}
	return append(out, fact{"process", size, fmt.Sprintf("%.3g MB, %.1f s", s.Memory/1e6, s.Seconds)})
}

func convexity(convex bool) string {
	if convex {
		return "convex"
	}
	return "not known to be convex"
}

// labelled lays facts out.
func labelled(facts []fact) string {
	rows := make([][]string, len(facts))
	for i, f := range facts {
		rows[i] = []string{f.name, f.value, f.remark}
	}
	return text.Grid(rows, 3, text.Style{}) // remarks are wrapped
}

// withError writes v with as many digits as its error allows.
func withError(v, e float64) string {
	if !known(e) || !(e > 1e-12*v) {
		return text.Short(v, 6)
	}
	d := 1 - int(math.Floor(math.Log10(e)))
	if d < 0 || d > 9 {
		return text.Short(v, max(2, min(10, 2+int(math.Log10(v/e))))) + " ± " + text.Short(e, 2)
	}
	return text.Number(v, d) + " ± " + text.Number(e, d)
}

// forms says what E, E_S and S are.
const forms = "  f fades by E(f) = ∫ Σ τ|∇f|² dπ without swaps, by E_S(f) with those at rate r·min(1, S);\n" +
	"  r is their intensity, S = exp((1/τ₁ − 1/τ₂)(U₁ − U₂)) of the replicas' energies\n"

// rungTable says how fast each rung mixes by itself and what swapping makes of two.
func (s *Summary) rungTable(j *Job) string {
	if s.Swaps == nil {
		return ""
	}
	rows := [][]string{{"", "gap", "relaxation time"}}
	row := func(name string, gap float64) {
		rows = append(rows, []string{name, text.Short(gap, 4), text.Short(1/gap, 4)})
	}
	for _, r := range s.Rungs {
		row(fmt.Sprintf("temperature %g alone", r.Temperature), r.Gap)
	}
	row("both, no swaps", s.Swaps.Alone)
	if s.Swaps.Intensity > 0 {
		row(fmt.Sprintf("both, swaps at intensity %g", s.Swaps.Intensity), s.Gap)
	}
	if s.Curve != nil {
		row("both, ever more swaps", s.Curve.Limit)
	}
	out := text.Grid(rows, 1, text.StyleOf(j.Out))
	if known(s.Acceleration) && s.Swaps.Intensity > 0 {
		out += fmt.Sprintf(" acceleration E_S(f)/E(f) − 1 of the slowest mode f without swaps: %s\n", text.Short(s.Acceleration, 3))
		if s.Swaps.Chi2 > 0.005 { // two that start at one point gain nothing at first
			out += fmt.Sprintf("  at the times of the decay at least %s (χ²) and %s (W₂)\n", text.Short(s.Swaps.Chi2, 3), text.Short(s.Swaps.W2, 3))
		}
		out += forms
	}
	return out
}

// curveTable lists the gap against the intensity of swaps.
func (s *Summary) curveTable(j *Job) string {
	if s.Curve == nil {
		return ""
	}
	rows := [][]string{{"swap intensity", "gap", "times that without swaps"}}
	for i, r := range s.Curve.Intensity {
		rows = append(rows, []string{text.Short(r, 4), text.Short(s.Curve.Gap[i], 4), text.Short(s.Curve.Gap[i]/s.Swaps.Alone, 3)})
	}
	return text.Grid(rows, 1, text.StyleOf(j.Out))
}

// mostRows is how many times a table shows; summary.json has all.
const mostRows = 12

// decayTable lists the distances to the law along the time, beside their bounds.
func (s *Summary) decayTable(j *Job) string {
	if s.Decay == nil {
		return ""
	}
	of := s.measured()
	head := []string{"time from " + j.start()}
	for _, d := range of {
		name, bound := d.name, "bound"
		if d.key == "w2" {
			bound = "bound, about" // of constants that are estimated
			if s.W2Is == "upper bound" {
				name = "W₂ ≤"
			}
		}
		head = append(head, name, bound)
	}
	rows := [][]string{head}
	stride := (len(s.Decay) + mostRows - 1) / mostRows
	for i, at := range s.Decay {
		if i%stride > 0 && i < len(s.Decay)-1 {
			continue
		}
		row := []string{text.Short(at.Time, 4)}
		for _, d := range of {
			bound := math.NaN()
			if s.Bound != nil && d.bound(s.Bound) != nil {
				bound = d.bound(s.Bound)[i]
			}
			row = append(row, text.Short(d.value(at), 3), text.Short(bound, 3))
		}
		rows = append(rows, row)
	}
	return text.Grid(rows, 1, text.StyleOf(j.Out))
}

// step is the step size that the text speaks of.
const step = 1e-3

// meaning says in a few sentences what the numbers mean for a run.
func (s *Summary) meaning() []string {
	iterations := text.Short(1/(s.Gap*step), 3)
	if n := 1 / (s.Gap * step); n < 1e9 {
		iterations = text.Count(int64(math.Round(n)))
	}
	out := []string{fmt.Sprintf("At step size η one relaxation takes %s/η iterations: %s at %g. Draws so far apart keep a correlation of "+
		"1/e at most.",
		text.Short(1/s.Gap, 3), iterations, step)}
	if s.Swaps == nil {
		return out
	}
	t := s.Process.Temperature
	pair := fmt.Sprintf("Replicas at temperatures %g and %g", t[0], t[1])
	switch times := s.Gap / s.Swaps.Alone; {
	case s.Swaps.Intensity == 0:
		out = append(out, fmt.Sprintf("%s that never swap are as slow as the slower of them: give an intensity.", pair))
	case times < 1.005:
		out = append(out, fmt.Sprintf("%s that swap at intensity %g mix no faster than without swaps: the colder one is not the slow one, or "+
			"swaps hardly happen.", pair, s.Swaps.Intensity))
	default:
		out = append(out, fmt.Sprintf("%s that swap at intensity %g: λ₁ %s instead of %s, %s times faster.", pair, s.Swaps.Intensity,
			text.Short(s.Gap, 3), text.Short(s.Swaps.Alone, 3), text.Short(times, 3)))
	}
	if c := s.Curve; c != nil && c.Enough > 0 {
		out = append(out, fmt.Sprintf("Intensity %s reaches %.0f %% of what ever more swaps would, %s: beyond it next to nothing is gained.",
			text.Short(c.Enough, 3), 100*c.Share, text.Short(c.Limit, 3)))
	}
	return append(out, fmt.Sprintf("A swap tried every k iterations of step size η is intensity 1/(kη), %s for k = 1 at %g; scheme deo "+
		"tries two rungs in every second sweep, half of that.", text.Count(int64(math.Round(1/step))), step))
}
