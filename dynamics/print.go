package dynamics

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Printed equation carries the estimates of its parameters, as text in UTF-8
// and as LaTeX (without dollars).
type Printed struct {
	State string
	Text  string // H′ = H·(0.440 ± 0.049 − 0.0219 ± 0.0018·L)
	LaTeX string // \dot{H} = H \cdot \left(…\right)
}

// Print writes each equation with mean ± sd in place of its parameters; both
// have one entry per free parameter. A sd that is not positive and finite is
// left out.
func (p *Problem) Print(mean, sd []float64) []Printed {
	var out []Printed
	for i := range p.equations {
		e := &p.equations[i]
		tokens := p.tokens(e)
		for i := range tokens {
			t := &tokens[i]
			if t.kind != name {
				continue
			}
			if j := slices.Index(p.Parameters, t.text); j >= 0 {
				t.kind, t.value, t.sd = parameter, mean[j], sd[j]
			} else if v, ok := p.model.fixed(t.text); ok {
				t.kind, t.value = parameter, v
			}
		}
		text, tex := script{}, script{latex: true}
		out = append(out, Printed{e.state,
			e.state + "′ = " + text.render(tokens),
			`\dot{` + tex.name(e.state) + "} = " + tex.render(tokens)})
	}
	return out
}

type tokenKind int

const (
	name tokenKind = iota
	literal
	operator
	open
	shut
	comma
	parameter
)

type token struct {
	kind      tokenKind
	text      string
	value, sd float64
}

// tokens are those of an equation's text, or of parameter·term + … for a
// library, less the terms fixed at 0.
func (p *Problem) tokens(e *equation) []token {
	if e.terms == nil {
		return tokenise(e.text)
	}
	var out []token
	for _, t := range e.terms {
		if v, fixed := p.model.fixed(t.parameter); fixed && v == 0 {
			continue
		}
		if len(out) > 0 {
			out = append(out, token{kind: operator, text: "+"})
		}
		out = append(out, token{kind: name, text: t.parameter})
		if t.text == "1" {
			continue
		}
		factor := tokenise(t.text)
		out = append(out, token{kind: operator, text: "*"})
		if slices.ContainsFunc(factor, func(t token) bool { return t.text == "+" || t.text == "-" }) {
			factor = append(append([]token{{kind: open, text: "("}}, factor...), token{kind: shut, text: ")"})
		}
		out = append(out, factor...)
	}
	if len(out) == 0 {
		out = []token{{kind: literal, text: "0"}}
	}
	return out
}

func tokenise(s string) []token {
	var out []token
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case unicode.IsSpace(r):
			s = s[size:]
			continue
		case r == '_' || unicode.IsLetter(r):
			n := strings.IndexFunc(s, func(r rune) bool { return r != '_' && !unicode.In(r, unicode.L, unicode.Nd, unicode.M) })
			out, s = take(out, s, name, n)
		case r == '.' || unicode.IsDigit(r):
			out, s = take(out, s, literal, numberLength(s))
		case r == '(':
			out, s = take(out, s, open, 1)
		case r == ')':
			out, s = take(out, s, shut, 1)
		case r == ',':
			out, s = take(out, s, comma, 1)
		case strings.HasPrefix(s, "**"):
			out, s = append(out, token{kind: operator, text: "^"}), s[2:]
		case r == '−':
			out, s = append(out, token{kind: operator, text: "-"}), s[size:]
		case r == '·' || r == '×':
			out, s = append(out, token{kind: operator, text: "*"}), s[size:]
		default:
			out, s = take(out, s, operator, size)
		}
	}
	return out
}

func take(out []token, s string, k tokenKind, n int) ([]token, string) {
	if n < 0 {
		n = len(s)
	}
	return append(out, token{kind: k, text: s[:n]}), s[n:]
}

// numberLength is the length of the decimal number that s begins with.
func numberLength(s string) int {
	n := 0
	for n < len(s) {
		c := s[n]
		sign := (c == '-' || c == '+') && n > 0 && (s[n-1] == 'e' || s[n-1] == 'E')
		if c != '.' && c != '_' && c != 'e' && c != 'E' && !sign && (c < '0' || c > '9') {
			break
		}
		n++
	}
	return n
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

// render writes tokens, folding the sign of an estimate into the plus or minus
// before it.
func (s script) render(tokens []token) string {
	var b strings.Builder
	braces := map[int]int{} // LaTeX: braces to close after a token
	for i, t := range tokens {
		switch t.kind {
		case open:
			b.WriteString(s.pick("(", `\left(`))
		case shut:
			b.WriteString(s.pick(")", `\right)`))
		case comma:
			b.WriteString(", ")
		case name:
			b.WriteString(s.name(t.text))
		case literal:
			b.WriteString(t.text)
		case operator:
			b.WriteString(s.operator(tokens, i))
			if s.latex && t.text == "^" {
				b.WriteString("{")
				braces[operandEnd(tokens, i+1)]++
			}
		case parameter:
			b.WriteString(s.parameter(tokens, i))
		}
		b.WriteString(strings.Repeat("}", braces[i]))
	}
	return b.String()
}

// operandEnd is the last token of the operand that begins at token i.
func operandEnd(tokens []token, i int) int {
	for i < len(tokens)-1 && tokens[i].kind == operator {
		i++
	}
	if i < len(tokens)-1 && tokens[i].kind == name && tokens[i+1].kind == open {
		i++
	}
	depth := 0
	for ; i < len(tokens); i++ {
		switch tokens[i].kind {
		case open:
			depth++
		case shut:
			depth--
		}
		if depth <= 0 {
			return i
		}
	}
	return len(tokens) - 1
}

// bare reports whether the parameter at i stands in a sum, as itself or as the
// first factor of a product, so that its sign can be written before it.
func bare(tokens []token, i int) bool {
	if i+1 < len(tokens) && tokens[i+1].text == "^" {
		return false
	}
	if i == 0 {
		return true
	}
	t := tokens[i-1]
	return t.kind == open || t.kind == comma || t.text == "+" || t.text == "-"
}

func (s script) operator(tokens []token, i int) string {
	text := tokens[i].text
	binary := i > 0 && tokens[i-1].kind != operator && tokens[i-1].kind != open && tokens[i-1].kind != comma
	if next := i + 1; next < len(tokens) && tokens[next].kind == parameter && tokens[next].value < 0 && bare(tokens, next) {
		switch text {
		case "+":
			text = "-"
		case "-":
			text = "+"
		}
	}
	switch text {
	case "+", "-":
		sign := text
		if text == "-" {
			sign = s.pick("−", "-")
		}
		switch {
		case binary:
			return " " + sign + " "
		case text == "+":
			return ""
		}
		return sign
	case "*":
		return s.pick("·", ` \cdot `)
	}
	return text
}

func (s script) parameter(tokens []token, i int) string {
	t := tokens[i]
	value := uncertain(math.Abs(t.value), t.sd, s)
	minus := s.pick("−", "-")
	factor := i+1 < len(tokens) && (tokens[i+1].text == "*" || tokens[i+1].text == "/")
	bracketed := strings.ContainsAny(value, "±\\")
	left, right := s.pick("(", `\left(`), s.pick(")", `\right)`)
	switch sum := bare(tokens, i); {
	case sum && i > 0 && tokens[i-1].kind == operator: // the operator has the sign
		minus = ""
	case t.value >= 0:
		minus = ""
	case !sum:
		return left + minus + value + right
	}
	if bracketed && (!bare(tokens, i) || s.latex && factor) {
		return minus + left + value + right
	}
	return minus + value
}

func (s script) name(text string) string {
	if !s.latex {
		return text
	}
	switch text {
	case "exp", "log", "sin", "cos", "tan", "tanh", "min", "max", "pi":
		return `\` + text
	}
	if utf8.RuneCountInString(text) == 1 {
		return text
	}
	return `\mathrm{` + strings.ReplaceAll(text, "_", `\_`) + "}"
}

// uncertain writes a magnitude with its standard deviation, the latter to two
// significant digits, or to four digits without one.
func uncertain(v, sd float64, s script) string {
	if !(sd > 0) || math.IsInf(sd, 0) {
		return s.power(strconv.FormatFloat(v, 'g', 4, 64))
	}
	exponent := decimalExponent(sd, 2)
	if lead := decimalExponent(math.Max(v, sd), 2); lead < -4 || lead > 5 || exponent > 1 {
		unit := math.Pow(10, float64(lead))
		digits := max(0, lead-exponent+1)
		return fmt.Sprintf("(%.*f %s %.*f)%s", digits, v/unit, s.pick("±", `\pm`), digits, sd/unit,
			s.power(fmt.Sprintf("e%+03d", lead)))
	}
	digits := max(0, 1-exponent)
	return fmt.Sprintf("%.*f %s %.*f", digits, v, s.pick("±", `\pm`), digits, sd)
}

// decimalExponent is that of the first digit of v > 0 rounded to some digits.
func decimalExponent(v float64, digits int) int {
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
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
