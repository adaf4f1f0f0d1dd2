package expression

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The parser is a small one of its own. That of expr-lang/expr was tried; it
// reads a far larger language, which costs more to forbid than this costs to
// have. It reserves names (in, let, not, and, if, nil, …), ignores what follows
// //, reads 1_0 as 10, knows no ≤ and loses the places of parentheses, which a
// caret under the fault needs.

// Trees are walked recursively, on a stack that is bounded.
const (
	maxDepth  = 250     // nested parentheses, calls, signs and powers
	maxHeight = 1 << 18 // operations on operations on …
)

type kind uint8

const (
	number kind = iota
	name
	call
	negate
	operator // text is + - * / ^ or a comparison
	printed  // the text of a value, in trees made to be printed
)

// A node of a syntax tree. Trees may share subtrees and are never changed once
// parsed.
type node struct {
	kind     kind
	text     string // name, function or operator
	value    float64
	args     []*node
	pos, end int // in the source, parentheses around it included
	at       int // of the operator or function
	quoted   int // bytes of a name in the source beyond its own
	height   int // of the tree, as parsed
	binding  Binding
}

type token struct {
	text     string // "" at the end; operators in ASCII
	value    float64
	kind     kind // number, name or operator
	pos, end int
}

// quoted is how many bytes of the source are not the text: the backquotes of a
// name and the spaces between them.
func (t *token) quoted() int { return t.end - t.pos - len(t.text) }

type parser struct {
	src   string
	tok   token
	depth int
}

// parse returns the tree of src, and the Errors of its syntax (one of them).
func parse(src string, comparisons bool) (n *node, err error) {
	p := &parser{src: src}
	defer p.caught(&err)
	p.next()
	if p.tok.text == "" {
		fail(0, 0, "the formula is empty")
	}
	n = p.expression(0)
	if comparisons {
		n = p.comparisons(n)
	}
	if p.tok.text != "" {
		p.unexpected(comparisons)
	}
	return n, nil
}

// caught, deferred, makes an error of what fail ended.
func (p *parser) caught(err *error) {
	if r := recover(); r != nil {
		e, ok := r.(*Error)
		if !ok {
			panic(r)
		}
		*err = Errors{e}
	}
}

func fail(offset, length int, format string, args ...any) {
	panic(&Error{offset, length, fmt.Sprintf(format, args...)})
}

func (p *parser) next() {
	rest := strings.TrimLeftFunc(p.src[p.tok.end:], unicode.IsSpace)
	pos := len(p.src) - len(rest)
	p.tok = token{pos: pos, end: pos, kind: operator}
	if rest == "" {
		return
	}
	switch c, size := utf8.DecodeRuneInString(rest); {
	case c == utf8.RuneError && size == 1:
		fail(pos, 1, "this byte is not UTF-8 text")
	case isDigit(rest[0]) || c == '.' && len(rest) > 1 && isDigit(rest[1]):
		p.number(rest)
	case c == '_' || unicode.IsLetter(c):
		n := dotted(rest)
		p.tok.kind, p.tok.text, p.tok.end = name, rest[:n], pos+n
		if strings.HasPrefix(rest[n:], "[") {
			p.index(rest[n:])
		}
	case c == '`':
		text, _, closed := strings.Cut(rest[1:], "`")
		if !closed {
			fail(pos, 1, "this ` is never closed")
		}
		p.tok.kind, p.tok.end = name, pos+len(text)+2
		if p.tok.text = joined(text); p.tok.text == "" {
			fail(pos, len(text)+2, "a name is missing between the backquotes")
		}
	default:
		for _, s := range signs {
			if strings.HasPrefix(rest, s.text) {
				p.tok.text, p.tok.end = s.means, pos+len(s.text)
				return
			}
		}
		p.tok.text, p.tok.end = rest[:size], pos+size
	}
}

// index adds an index in brackets to the name that is the token.
func (p *parser) index(rest string) {
	text, _, closed := strings.Cut(rest, "]")
	if !closed {
		fail(p.tok.end, 1, "this [ is never closed")
	}
	if text = joined(text[1:]); text == "" {
		fail(p.tok.end, 2, "the index of %s is missing", p.tok.text)
	}
	p.tok.end += strings.Index(rest, "]") + 1
	p.tok.text += "[" + text + "]"
}

// joined is s without its spaces.
func joined(s string) string { return strings.Join(strings.Fields(s), "") }

// dotted returns the length of the name at the beginning of s: words, which
// begin with a letter or _, and digits, joined by dots.
func dotted(s string) int {
	word := func(s string) int {
		n := strings.IndexFunc(s, func(c rune) bool {
			return c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c)
		})
		if n < 0 {
			n = len(s)
		}
		return n
	}
	n := word(s)
	for n < len(s) && s[n] == '.' {
		c, _ := utf8.DecodeRuneInString(s[n+1:])
		if c != '_' && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			break
		}
		n += 1 + word(s[n+1:])
	}
	return n
}

// Quoted is a name as a formula has it: in backquotes unless it is one word or
// words and numbers joined by dots, with or without an index in brackets.
func Quoted(s string) string {
	c, _ := utf8.DecodeRuneInString(s)
	bare, index, indexed := strings.Cut(s, "[")
	if (c == '_' || unicode.IsLetter(c)) && dotted(bare) == len(bare) && (!indexed || strings.Index(index, "]") == len(index)-1) {
		return s
	}
	return "`" + s + "`"
}

// signs are all operators of more than one byte, and those that stand for others.
var signs = []struct{ text, means string }{
	{"**", "^"}, {"<=", "<="}, {">=", ">="}, {"==", "=="}, {"!=", "!="}, {"&&", "&&"}, {"||", "||"},
	{"−", "-"}, {"·", "*"}, {"×", "*"}, {"≤", "<="}, {"≥", ">="}, {"≠", "!="},
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (p *parser) number(rest string) {
	n := 0
	digits := func() {
		for n < len(rest) && isDigit(rest[n]) {
			n++
		}
	}
	digits()
	if n < len(rest) && rest[n] == '.' {
		n++
		digits()
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n
		n++
		if n < len(rest) && (rest[n] == '+' || rest[n] == '-') {
			n++
		}
		if n < len(rest) && isDigit(rest[n]) {
			digits()
		} else {
			n = m
		}
	}
	p.tok.kind, p.tok.text, p.tok.end = number, rest[:n], p.tok.pos+n
	v, err := strconv.ParseFloat(rest[:n], 64)
	if err != nil {
		fail(p.tok.pos, n, "the number %s is too large", rest[:n])
	}
	p.tok.value = v
}

// How strongly operators bind.
const (
	sumPower     = 10
	productPower = 20
	signPower    = 30
	powerPower   = 40
)

// power returns how strongly an operator binds its sides; 0 for other signs.
func power(op string) (left, right int) {
	switch op {
	case "+", "-":
		return sumPower, sumPower + 1
	case "*", "/":
		return productPower, productPower + 1
	case "^":
		return powerPower + 1, powerPower
	}
	return 0, 0
}

// expression parses operators that bind at least as strongly as least.
func (p *parser) expression(least int) *node {
	p.depth++
	if p.depth > maxDepth {
		fail(p.tok.pos, p.tok.end-p.tok.pos, "the formula is nested more than %d deep", maxDepth)
	}
	n := p.primary()
	for p.tok.kind == operator {
		left, right := power(p.tok.text)
		if left == 0 || left < least {
			break
		}
		t := p.tok
		p.next()
		m := p.expression(right)
		n = &node{kind: operator, text: t.text, args: []*node{n, m}, pos: n.pos, end: m.end, at: t.pos}
		p.measure(n)
	}
	p.depth--
	return n
}

// measure finds the height of a node and fails beyond maxHeight.
func (p *parser) measure(n *node) {
	for _, a := range n.args {
		n.height = max(n.height, a.height+1)
	}
	if n.height > maxHeight {
		fail(n.at, len(n.text), "more than %d operators follow each other: put parts of the formula in parentheses", maxHeight)
	}
}

func (p *parser) primary() *node {
	t := p.tok
	switch {
	case t.kind == number:
		p.next()
		return &node{kind: number, value: t.value, text: t.text, pos: t.pos, end: t.end, at: t.pos}
	case t.kind == name:
		p.next()
		if p.tok.text != "(" {
			return &node{kind: name, text: t.text, pos: t.pos, end: t.end, at: t.pos, quoted: t.quoted()}
		}
		n := &node{kind: call, text: t.text, pos: t.pos, at: t.pos, quoted: t.quoted()}
		p.arguments(n)
		p.measure(n)
		return n
	case t.text == "(":
		p.next()
		n := *p.expression(0)
		n.pos, n.end = t.pos, p.tok.end
		p.close(t, ")")
		return &n
	case t.text == "-" || t.text == "+":
		p.next()
		m := p.expression(signPower)
		if t.text == "+" {
			n := *m
			n.pos = t.pos
			return &n
		}
		n := &node{kind: negate, text: "-", args: []*node{m}, pos: t.pos, end: m.end, at: t.pos}
		p.measure(n)
		return n
	case t.text == "":
		fail(t.pos, 0, "a number, a name or ( is missing at the end")
	case binds(t.text) || comparison(t.text) || t.text == ")" || t.text == ",":
		fail(t.pos, t.end-t.pos, "a number, a name or ( is missing before %q", p.src[t.pos:t.end])
	}
	p.unknown()
	return nil
}

func binds(op string) bool { l, _ := power(op); return l > 0 }

func (p *parser) arguments(n *node) {
	open := p.tok
	p.next()
	for p.tok.text != ")" {
		n.args = append(n.args, p.expression(0))
		bar := p.tok.text == "|" && len(n.args) == 1 && density(n.text)
		if p.tok.text != "," && !bar {
			break
		}
		p.next()
		if p.tok.text == ")" {
			fail(p.tok.pos, 1, "an argument is missing before \")\"")
		}
	}
	n.end = p.tok.end
	p.close(open, ") or ,")
}

// Arguments splits a text at its commas outside of parentheses and brackets: "a, f(b, c[d, e])"
// is "a" and " f(b, c[d, e])". The empty text is one argument.
func Arguments(src string) []string {
	var out []string
	depth, from := 0, 0
	for i, r := range src {
		switch {
		case r == '(' || r == '[':
			depth++
		case r == ')' || r == ']':
			depth--
		case r == ',' && depth == 0:
			out = append(out, src[from:i])
			from = i + 1
		}
	}
	return append(out, src[from:])
}

func (p *parser) close(open token, want string) {
	switch {
	case p.tok.text == ")":
		p.next()
	case p.tok.text == "":
		fail(open.pos, 1, "this ( is never closed")
	default:
		if p.tok.kind == operator {
			p.unexpected(false)
		}
		p.juxtaposed(want + " or ")
	}
}

func comparison(op string) bool {
	switch op {
	case "<", "<=", ">", ">=", "=", "==", "!=":
		return true
	}
	return false
}

// comparisons parses the rest of a chain a < b < c into one node with one
// argument more than comparisons, which are its text, separated by spaces.
func (p *parser) comparisons(first *node) *node {
	chain := &node{kind: operator, args: []*node{first}, pos: first.pos, at: p.tok.pos}
	var ops []string
	for comparison(p.tok.text) {
		t := p.tok
		length := t.end - t.pos
		switch t.text {
		case "=", "==":
			if next := p.src[t.end:]; t.text == "=" && next != "" && strings.Contains("<>", next[:1]) {
				fail(t.pos, length+1, "=%s is no comparison: write %s=", next[:1], next[:1])
			}
			fail(t.pos, length, "a constraint is an inequality: an equation leaves a set without volume; eliminate a variable instead")
		case "!=":
			fail(t.pos, length, "a constraint is an inequality: what %q excludes has no volume; leave it out", p.src[t.pos:t.end])
		}
		p.next()
		ops = append(ops, t.text)
		chain.args = append(chain.args, p.expression(0))
	}
	chain.text = strings.Join(ops, " ")
	chain.end = chain.args[len(chain.args)-1].end
	if ops == nil && p.tok.text == "" {
		fail(p.tok.pos, 0, "a constraint needs one of <=, <, >= and >")
	}
	return chain
}

// unexpected reports a token where an operator or the end is due.
func (p *parser) unexpected(comparisons bool) {
	t := p.tok
	switch {
	case t.kind != operator || t.text == "(":
		p.juxtaposed("")
	case t.text == ")":
		fail(t.pos, 1, "this ) closes nothing")
	case t.text == ",":
		fail(t.pos, 1, "a comma has a meaning only between the arguments of a function; decimals have a point")
	case comparison(t.text) && !comparisons:
		fail(t.pos, t.end-t.pos, "%q is not allowed here: a comparison is no number", p.src[t.pos:t.end])
	}
	p.unknown()
}

// juxtaposed reports two operands side by side.
func (p *parser) juxtaposed(want string) {
	t := p.tok
	fail(t.pos, t.end-t.pos, "%san operator is missing before %q; products are written with *", want, t.text)
}

// unknown reports a sign that no formula has.
func (p *parser) unknown() {
	t := p.tok
	s := p.src[t.pos:t.end]
	why := ""
	switch s {
	case "[", "{", "]", "}":
		why = "; use ( )"
	case "&", "&&":
		why = "; give each condition as an entry of its own"
	case "?", ":", "|", "||", "!":
		why = "; formulas have no conditions, but abs, min and max"
	case ".":
		why = "; a name has letters, digits and _ only, and dots between them"
	case ";":
		why = "; commas part the arguments of a function"
	case "√":
		why = "; write sqrt( )"
	case "²", "³":
		why = "; write ^2 or ^3"
	}
	fail(t.pos, t.end-t.pos, "%q has no meaning in a formula%s", s, why)
}
