package expression

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// String prints f in the language of the package, with no more parentheses than
// it needs. Compiled, it is the same function again.
func (f *Func) String() string { return plain(f.tree) }

// LaTeX prints f for LaTeX's math mode; see the function LaTeX.
func (f *Func) LaTeX(rename func(string) string) string { return latex(f.tree, rename) }

// LaTeX prints a formula for LaTeX's math mode. rename gives the print of a
// variable; nil stands for [Symbol].
func LaTeX(src string, rename func(string) string) (string, error) {
	tree, err := parse(src, false)
	if err != nil {
		return "", err
	}
	return latex(tree, rename), nil
}

// Symbol is a name in LaTeX: Greek letters by their names, what follows the
// first _ and digits at the end as an index, longer names upright.
func Symbol(s string) string {
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
		if n.args[0].strength() == productPower {
			return productPower
		}
		return signPower
	case operator:
		left, _ := power(n.text)
		return left
	}
	return 100
}

func plain(n *node) string {
	side := func(m *node, least int) string {
		if m.strength() < least {
			return "(" + plain(m) + ")"
		}
		return plain(m)
	}
	switch n.kind {
	case number:
		return strconv.FormatFloat(n.value, 'g', -1, 64)
	case name:
		return n.text
	case negate:
		return "-" + side(n.args[0], productPower) // (-a)*b is -(a*b), bit for bit
	case call:
		args := make([]string, len(n.args))
		for i, a := range n.args {
			args[i] = plain(a)
		}
		return n.text + "(" + strings.Join(args, ", ") + ")"
	}
	left, right := power(n.text)
	switch n.text {
	case "^":
		return side(n.args[0], left+1) + "^" + side(n.args[1], right)
	case "*", "/":
		return side(n.args[0], left) + n.text + side(n.args[1], right)
	}
	return side(n.args[0], left) + " " + n.text + " " + side(n.args[1], right)
}

func latex(n *node, rename func(string) string) string {
	if rename == nil {
		rename = Symbol
	}
	print := func(m *node) string { return latex(m, rename) }
	side := func(m *node, least int) string {
		if m.strength() < least && !(m.kind == operator && m.text == "/" && least <= signPower) {
			return `\left(` + print(m) + `\right)`
		}
		return print(m)
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
		if isPi(n.text) {
			return `\pi`
		}
		return rename(n.text)
	case negate:
		return "-" + side(n.args[0], productPower) // (-a)*b is -(a*b), bit for bit
	case call:
		return latexCall(n, print)
	}
	a, b := n.args[0], n.args[1]
	left, right := power(n.text)
	if b.kind == negate {
		right = signPower + 1
	}
	switch n.text {
	case "^":
		base := side(a, left+1)
		if a.kind == call || a.kind == number && strings.Contains(base, "^") {
			base = `\left(` + base + `\right)`
		}
		return base + "^{" + print(b) + "}"
	case "/":
		return `\frac{` + print(a) + `}{` + print(b) + `}`
	case "*":
		l, r := side(a, left), side(b, right)
		if b.startsWithDigit() {
			return l + ` \cdot ` + r
		}
		return l + " " + r
	}
	return side(a, left) + " " + n.text + " " + side(b, right)
}

// startsWithDigit says that n cannot stand right behind another factor.
func (n *node) startsWithDigit() bool {
	switch {
	case n.kind == number:
		return true
	case n.kind == operator && n.text == "^":
		return n.args[0].startsWithDigit()
	}
	return false
}

func latexCall(n *node, print func(*node) string) string {
	args := make([]string, len(n.args))
	for i, a := range n.args {
		args[i] = print(a)
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
