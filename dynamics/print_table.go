package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Aligned is all equations as one block for LaTeX's math mode.
func Aligned(equations []Printed) string {
	var b strings.Builder
	b.WriteString("\\begin{aligned}\n")
	for i, e := range equations {
		b.WriteString(strings.Replace(e.LaTeX, " = ", " &= ", 1))
		if i < len(equations)-1 {
			b.WriteString(` \\`)
		}
		b.WriteByte('\n')
	}
	b.WriteString(`\end{aligned}`)
	return b.String()
}

// An Estimate is what the draws say of a parameter.
type Estimate struct{ Mean, SD, Low, High float64 }

// A Coefficient is a row of the table of coefficients.
type Coefficient struct {
	State, Term string // Term is the parameter's name where there is no library
	Parameter   string
	Estimate    // NaN for terms that are not kept; without spread for fixed ones
	// Inclusion is the probability of belonging to the model, NaN where terms
	// were not chosen.
	Inclusion float64
}

// Coefficients lists the coefficients of all equations in the order of the
// states: the terms of the model, those of them that are fixed included, and then
// the terms that were not kept though their inclusion probability is at least 1 %.
// estimates has one entry per free parameter. Parameters of no equation (initial
// values, noise) are not listed; one of several equations is listed with each.
func (p *Problem) Coefficients(estimates []Estimate) []Coefficient {
	var out []Coefficient
	for i := range p.equations {
		e := &p.equations[i]
		var dropped []Coefficient
		for _, t := range e.terms {
			c := Coefficient{State: e.state, Term: t.text, Parameter: t.parameter, Inclusion: math.NaN()}
			if k := slices.IndexFunc(p.Terms, func(q Term) bool { return q.Parameter == t.parameter }); k >= 0 {
				c.Inclusion = p.Terms[k].Inclusion
			}
			v, fixed := p.model.fixed(t.parameter)
			switch nan := math.NaN(); {
			case !fixed:
				c.Estimate = estimates[slices.Index(p.Parameters, t.parameter)]
			case v != 0:
				c.Estimate = Estimate{Mean: v, Low: v, High: v}
			case c.Inclusion >= 0.01:
				c.Estimate = Estimate{nan, nan, nan, nan}
				dropped = append(dropped, c)
				continue
			default:
				continue
			}
			out = append(out, c)
		}
		out = append(out, dropped...)
		if e.terms != nil {
			continue
		}
		for _, name := range e.parameters {
			out = append(out, Coefficient{e.state, name, name, estimates[slices.Index(p.Parameters, name)], math.NaN()})
		}
	}
	return out
}

// CoefficientTable is the text of a table of coefficients: numbers with as many
// digits as the standard deviation, to two of its own, makes sensible; "" where
// there is none. low and high are the names of the bounds, such as 5 %.
func CoefficientTable(rows []Coefficient, low, high string) (header []string, cells [][]string) {
	header = []string{"equation", "term", "mean", "sd", low, high}
	chosen := slices.ContainsFunc(rows, func(c Coefficient) bool { return !math.IsNaN(c.Inclusion) })
	if chosen {
		header = append(header, "inclusion")
	}
	for _, c := range rows {
		row := []string{c.State + "′", c.Term, rounded(c.Mean, c.SD), rounded(c.SD, c.SD), rounded(c.Low, c.SD), rounded(c.High, c.SD)}
		if !(c.SD > 0) {
			row[3], row[4], row[5] = "", "", ""
		}
		if chosen {
			inclusion := ""
			if !math.IsNaN(c.Inclusion) {
				inclusion = fmt.Sprintf("%.3f", c.Inclusion)
			}
			row = append(row, inclusion)
		}
		cells = append(cells, row)
	}
	return header, cells
}

// rounded writes v with the digits that its standard deviation leaves it; to four
// digits without one.
func rounded(v, sd float64) string {
	switch {
	case math.IsNaN(v):
		return ""
	case !(sd > 0) || math.IsInf(sd, 0):
		return strings.ReplaceAll(strconv.FormatFloat(v, 'g', 4, 64), "-", "−")
	}
	exponent := decimalExponent(sd)
	text := strconv.FormatFloat(v, 'f', max(0, 1-exponent), 64)
	if lead := decimalExponent(math.Max(math.Abs(v), sd)); lead < -4 || lead > 7 {
		text = strconv.FormatFloat(v, 'e', max(0, lead-exponent+1), 64)
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-")
	}
	return strings.ReplaceAll(text, "-", "−")
}
