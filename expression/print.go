package expression

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// String prints f in the language of the package, with no more parentheses than
// it needs. Compiled, it is the same function again.
func (f *Func) String() string { return plain(f.tree, false) }

// LaTeX prints f for LaTeX's math mode; see the function LaTeX.
func (f *Func) LaTeX() string { return latex(f.tree) }

// A Value is what stands in a printed formula for a name.
type Value struct {
	Text     string // of its magnitude
	Negative bool   // the sign is written before the term that begins with the value
	Binding  Binding
}

// A Binding says where the text of a [Value] needs parentheses.
type Binding int

// The bindings.
const (
	Whole   Binding = iota // nowhere: a number or a name
	Product                // as a product does: not as the first factor
	Sum                    // as a factor, but not as a term: 1 ± 2
)

// Text prints the sum of formulas for people to read, with − and ·, and with
// values for the names that value knows; nil knows none.
func Text(value func(name string) (Value, bool), formulas ...string) (string, error) {
	tree, err := valued(value, formulas)
	if err != nil {
		return "", err
	}
	return plain(tree, true), nil
}

// LaTeX is [Text] for LaTeX's math mode; names without a value are printed as
// [Symbol] has them.
func LaTeX(value func(name string) (Value, bool), formulas ...string) (string, error) {
	tree, err := valued(value, formulas)
	if err != nil {
		return "", err
	}
	return latex(tree), nil
}

// valued is the tree of the sum of formulas with values in it.
func valued(value func(name string) (Value, bool), formulas []string) (*node, error) {
	var sum *node
	for _, src := range formulas {
		tree, err := parse(src, false)
		if err != nil {
			return nil, err
		}
		if sum == nil {
			sum = tree
		} else {
			sum = &node{kind: operator, text: "+", args: []*node{sum, tree}}
		}
	}
	if sum == nil {
		sum = &node{kind: number}
	}
	if value == nil {
		return sum, nil
	}
	return signed(sum.put(value)), nil
}

// put replaces names by their values. The sign of a tree that begins with a
// negative value is returned apart.
func (n *node) put(value func(name string) (Value, bool)) (m *node, negative bool) {
	switch n.kind {
	case number:
		return n, false
	case name:
		v, ok := value(n.text)
		if !ok {
			return n, false
		}
		return &node{kind: printed, text: v.Text, binding: v.Binding}, v.Negative
	case negate:
		m, negative = n.args[0].put(value)
		return m, !negative
	}
	out := &node{kind: n.kind, text: n.text}
	for i, a := range n.args {
		m, minus := a.put(value)
		switch {
		case i == 0 && (n.text == "*" || n.text == "/"):
			negative = minus
		case i == 1 && minus && n.text == "+":
			out.text = "-"
		case i == 1 && minus && n.text == "-":
			out.text = "+"
		default:
			m = signed(m, minus)
		}
		out.args = append(out.args, m)
	}
	return out, negative
}

func signed(n *node, negative bool) *node {
	if !negative {
		return n
	}
	return &node{kind: negate, text: "-", args: []*node{n}}
}

// Symbol is a name in LaTeX: Greek letters by their names, what follows the
// first _ and digits at the end as an index, longer names upright. Of the names
// with a dot, x.initial is the state at the first time, x(t_0), x.noise the
// noise's σ_x, and the coefficient x.x*y of a library is ξ_{x, xy}, after the
// matrix Ξ of sparse identification (Brunton, Proctor and Kutz 2016).
func Symbol(s string) string {
	state, rest, ok := strings.Cut(s, ".")
	switch {
	case !ok || state == "" || rest == "":
		return symbol(s)
	case rest == "initial":
		return symbol(state) + `\left(t_{0}\right)`
	case rest == "noise":
		return `\sigma_{` + symbol(state) + `}`
	}
	term := symbol(rest)
	if tree, err := parse(rest, false); err == nil {
		term = latex(tree)
	}
	return `\xi_{` + symbol(state) + `,\, ` + term + `}`
}

func symbol(s string) string {
	head, index, ok := strings.Cut(s, "_")
	if !ok {
		head = strings.TrimRight(s, "0123456789")
		index = s[len(head):]
	}
	switch {
	case strings.Contains(greek, " "+head+" "):
		head = `\` + head
	case utf8.RuneCountInString(head) > 1:
		head = `\mathrm{` + head + `}`
	}
	if index == "" {
		return head
	}
	if utf8.RuneCountInString(index) > 1 && strings.Trim(index, "0123456789") != "" {
		index = `\mathrm{` + strings.ReplaceAll(index, "_", `\_`) + `}`
	}
	return head + "_{" + index + "}"
}

const greek = " alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi omega" +
	" Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega "

// strength of the outermost operation of a tree.
func (n *node) strength() int {
	switch n.kind {
	case negate:
		if s := n.args[0].strength(); sumPower < s && s < signPower {
			return s
		}
		return signPower
	case printed:
		switch n.binding {
		case Product:
			return productPower
		case Sum:
			return sumPower + 1
		}
	case operator:
		left, _ := power(n.text)
		return left
	}
	return 100
}

// plain prints a tree in the language of the package, or in signs to be read.
func plain(n *node, pretty bool) string {
	print := func(m *node) string { return plain(m, pretty) }
	side := func(m *node, least int) string {
		if m.strength() < least {
			return "(" + print(m) + ")"
		}
		return print(m)
	}
	sign := func(op string) string {
		switch {
		case pretty && op == "-":
			return "−"
		case pretty && op == "*":
			return "·"
		}
		return op
	}
	switch n.kind {
	case number:
		return strconv.FormatFloat(n.value, 'g', -1, 64)
	case name:
		return Quoted(n.text)
	case printed:
		return n.text
	case negate:
		return sign("-") + side(n.args[0], sumPower+1) // (-a)*b is -(a*b), bit for bit
	case call:
		args := make([]string, len(n.args))
		for i, a := range n.args {
			args[i] = print(a)
		}
		return n.text + "(" + strings.Join(args, ", ") + ")"
	}
	left, right := power(n.text)
	if pretty && n.args[1].kind == negate {
		right = max(right, signPower+1)
	}
	if n.text == "^" {
		return side(n.args[0], left+1) + "^" + side(n.args[1], right)
	}
	first, rest := n.chain(func(op string) bool { l, _ := power(op); return l == left })
	b := &strings.Builder{}
	b.WriteString(side(first, left))
	for _, m := range rest {
		_, right := power(m.text)
		if pretty && m.args[1].kind == negate {
			right = max(right, signPower+1)
		}
		op := sign(m.text)
		if left == sumPower {
			op = " " + op + " "
		}
		b.WriteString(op + side(m.args[1], right))
	}
	return b.String()
}

// chain takes operators that follow each other apart: the operand on the left of
// all of them and, from the left, each with what is on its right.
func (n *node) chain(belongs func(op string) bool) (first *node, rest []*node) {
	for ; n.kind == operator && belongs(n.text); n = n.args[0] {
		rest = append(rest, n)
	}
	slices.Reverse(rest)
	return n, rest
}

func latex(n *node) string {
	side := func(m *node, least int) string {
		if m.strength() < least && !(m.kind == operator && m.text == "/" && least <= signPower) {
			return `\left(` + latex(m) + `\right)`
		}
		return latex(m)
	}
	switch n.kind {
	case number:
		s := strconv.FormatFloat(n.value, 'g', -1, 64)
		if m, e, ok := strings.Cut(s, "e"); ok {
			k, _ := strconv.Atoi(e)
			s = m + ` \cdot 10^{` + strconv.Itoa(k) + `}`
		}
		return s
	case name:
		if Constant(n.text) {
			return `\pi`
		}
		return Symbol(n.text)
	case printed:
		return n.text
	case negate:
		return "-" + side(n.args[0], sumPower+1) // (-a)*b is -(a*b), bit for bit
	case call:
		return latexCall(n)
	}
	a, b := n.args[0], n.args[1]
	left, _ := power(n.text)
	switch n.text {
	case "^":
		base := side(a, left+1)
		if a.kind == call || a.kind == number && strings.Contains(base, "^") {
			base = `\left(` + base + `\right)`
		}
		return base + "^{" + latex(b) + "}"
	case "/":
		return `\frac{` + latex(a) + `}{` + latex(b) + `}`
	}
	first, rest := n.chain(func(op string) bool { l, _ := power(op); return l == left && op != "/" })
	t := &strings.Builder{}
	t.WriteString(side(first, left))
	for _, m := range rest {
		op := " " + m.text + " "
		if m.text == "*" {
			op = " "
		}
		if m.text == "*" && m.args[1].startsWithDigit() {
			op = ` \cdot `
		}
		_, right := power(m.text)
		if m.args[1].kind == negate {
			right = signPower + 1
		}
		t.WriteString(op + side(m.args[1], right))
	}
	return t.String()
}

// startsWithDigit says that n cannot stand right behind another factor.
func (n *node) startsWithDigit() bool {
	switch {
	case n.kind == number, n.kind == printed && n.binding == Whole:
		return true
	case n.kind == operator && n.text == "^":
		return n.args[0].startsWithDigit()
	}
	return false
}

func latexCall(n *node) string {
	args := make([]string, len(n.args))
	for i, a := range n.args {
		args[i] = latex(a)
	}
	list := strings.Join(args, ", ")
	switch n.text {
	case "sqrt":
		return `\sqrt{` + list + `}`
	case "abs":
		return `\left|` + list + `\right|`
	case "floor":
		return `\left\lfloor ` + list + `\right\rfloor`
	case "pow":
		if len(args) == 2 {
			return `\left(` + args[0] + `\right)^{` + args[1] + `}`
		}
	case "log10":
		return `\log_{10}\left(` + list + `\right)`
	case "exp", "log", "sin", "cos", "tan", "sinh", "cosh", "tanh", "min", "max":
		return `\` + n.text + `\left(` + list + `\right)`
	}
	return `\operatorname{` + strings.ReplaceAll(n.text, "_", `\_`) + `}\left(` + list + `\right)`
}
