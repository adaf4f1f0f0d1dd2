package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
)

// A Printed equation carries the estimates of its parameters, as text in UTF-8
// and as LaTeX (without dollars).
type Printed struct {
	State string
	Text  string // H′ = H·(0.440 ± 0.049 − (0.0219 ± 0.0018)·L)
	LaTeX string // \dot{H} = H \cdot \left(…\right)
}

// Print writes each equation with mean ± sd in place of its parameters; both
// have one entry per free parameter. A sd that is not positive and finite is
// left out.
func (p *Problem) Print(mean, sd []float64) []Printed {
	var out []Printed
	for i := range p.equations {
		e := &p.equations[i]
		formulas, names := p.formulas(e)
		value := func(s script) func(string) (expression.Value, bool) {
			return func(name string) (expression.Value, bool) {
				if full, ok := names[name]; ok {
					name = full
				}
				if j := slices.Index(p.Parameters, name); j >= 0 {
					return s.value(mean[j], sd[j]), true
				}
				v, ok := p.model.fixed(name)
				return s.value(v, 0), ok
			}
		}
		text, err := expression.Text(value(script{}), formulas...)
		tex, texErr := expression.LaTeX(value(script{latex: true}), formulas...)
		if err != nil || texErr != nil {
			continue // no formula, which no problem is built from
		}
		out = append(out, Printed{e.state, e.state + "′ = " + text, `\dot{` + expression.Symbol(e.state) + "} = " + tex})
	}
	return out
}

// formulas are an equation's text, or parameter·term of a library, less the
// terms fixed at 0, with names that stand for the parameters.
func (p *Problem) formulas(e *equation) (formulas []string, names map[string]string) {
	if e.terms == nil {
		return []string{e.text}, nil
	}
	names = map[string]string{}
	for i, t := range e.terms {
		if v, fixed := p.model.fixed(t.parameter); fixed && v == 0 {
			continue
		}
		name := fmt.Sprintf("_%d_", i)
		names[name] = t.parameter
		switch {
		case t.text == "1":
			formulas = append(formulas, name)
		case strings.ContainsAny(t.text, "+-−"):
			formulas = append(formulas, name+"*("+t.text+")")
		default:
			formulas = append(formulas, name+"*"+t.text)
		}
	}
	return formulas, names
}

// A script is a way of writing formulas: UTF-8 text or LaTeX.
type script struct{ latex bool }

// pick returns the text or the LaTeX of something.
func (s script) pick(text, latex string) string {
	if s.latex {
		return latex
	}
	return text
}

// value is an estimate for a formula.
func (s script) value(v, sd float64) expression.Value {
	out := expression.Value{Text: uncertain(math.Abs(v), sd, s), Negative: v < 0}
	switch {
	case strings.Contains(out.Text, s.pick("·", `\cdot`)):
		out.Binding = expression.Product
	case strings.Contains(out.Text, s.pick("±", `\pm`)):
		out.Binding = expression.Sum
	}
	return out
}

// uncertain writes a magnitude with its standard deviation, the latter to two
// significant digits, or to four digits without one.
func uncertain(v, sd float64, s script) string {
	if !(sd > 0) || math.IsInf(sd, 0) {
		return s.power(strconv.FormatFloat(v, 'g', 4, 64))
	}
	exponent := decimalExponent(sd)
	if lead := decimalExponent(math.Max(v, sd)); lead < -4 || lead > 5 || exponent > 1 {
		unit := math.Pow(10, float64(lead))
		digits := max(0, lead-exponent+1)
		return fmt.Sprintf("(%.*f %s %.*f)%s", digits, v/unit, s.pick("±", `\pm`), digits, sd/unit,
			s.power(fmt.Sprintf("e%+03d", lead)))
	}
	digits := max(0, 1-exponent)
	return fmt.Sprintf("%.*f %s %.*f", digits, v, s.pick("±", `\pm`), digits, sd)
}

// decimalExponent is that of the first digit of v > 0 rounded to two digits.
func decimalExponent(v float64) int {
	text := strconv.FormatFloat(v, 'e', 1, 64)
	e, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		return 0 // not a finite number
	}
	return e
}

// power writes a trailing exponent e+NN as a power of ten.
func (s script) power(number string) string {
	mantissa, e, ok := strings.Cut(number, "e")
	n, err := strconv.Atoi(e)
	if !ok || err != nil {
		return number
	}
	if s.latex {
		e = fmt.Sprintf("10^{%d}", n)
	} else {
		e = "10" + superscript(n)
	}
	if mantissa == "" {
		return s.pick("·", ` \cdot `) + e
	}
	return mantissa + s.pick("·", ` \cdot `) + e
}

func superscript(n int) string {
	return strings.NewReplacer("-", "⁻", "0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(strconv.Itoa(n))
}
