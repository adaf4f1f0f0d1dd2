package expression

import (
	"math"
	"slices"
)

// A form is c[0] + Σ c[1+j]·p_j; nil coefficients are zero.
type form []*node

// linearForm reads n as a form in the names p: by its structure, not by trying
// values. It reports false if n is not affine in p as written.
func linearForm(n *node, p []string) (form, bool) {
	a := &affine{p, map[*node]bool{}}
	a.mark(n)
	return a.form(n)
}

// affine finds forms in the names p.
type affine struct {
	p        []string
	mentions map[*node]bool // the nodes in which one of them occurs
}

func (a *affine) mark(n *node) bool {
	m := n.kind == name && slices.Contains(a.p, n.text)
	for _, b := range n.args {
		m = a.mark(b) || m
	}
	if m {
		a.mentions[n] = true
	}
	return m
}

func (a *affine) form(n *node) (form, bool) {
	p := a.p
	if !a.mentions[n] {
		f := make(form, 1+len(p))
		f[0] = n
		return f, true
	}
	switch {
	case n.kind == name:
		f := make(form, 1+len(p))
		f[1+slices.Index(p, n.text)] = literal(1)
		return f, true
	case n.kind == call:
		return nil, false
	}
	left, ok := a.form(n.args[0])
	if !ok {
		return nil, false
	}
	if n.kind == negate {
		return left.each(minus), true
	}
	right, ok := a.form(n.args[1])
	if !ok {
		return nil, false
	}
	l, r := a.mentions[n.args[0]], a.mentions[n.args[1]]
	switch {
	case n.text == "+" || n.text == "-":
		for j := range left {
			left[j] = combine(n.text, left[j], right[j])
		}
		return left, true
	case n.text == "*" && !l:
		return right.each(func(c *node) *node { return combine("*", n.args[0], c) }), true
	case n.text == "*" && !r:
		return left.each(func(c *node) *node { return combine("*", c, n.args[1]) }), true
	case n.text == "/" && !r:
		return left.each(func(c *node) *node { return combine("/", c, n.args[1]) }), true
	case n.text == "^" && !r:
		if e, ok := constantValue(n.args[1]); ok && e == 1 {
			return left, true
		}
	}
	return nil, false
}

func (f form) each(change func(*node) *node) form {
	for j, c := range f {
		if c != nil {
			f[j] = change(c)
		}
	}
	return f
}

func literal(c float64) *node { return &node{kind: number, value: c} }

func minus(n *node) *node {
	if n.kind == negate {
		return n.args[0]
	}
	return &node{kind: negate, text: "-", args: []*node{n}}
}

// combine joins two coefficients, of which nil is zero.
func combine(op string, a, b *node) *node {
	switch {
	case b == nil:
		return a
	case a == nil && op == "+":
		return b
	case a == nil && op == "-":
		return minus(b)
	case op == "*" && a.equals(1):
		return b
	case (op == "*" || op == "/") && b.equals(1):
		return a
	case op == "+" && b.kind == negate:
		return combine("-", a, b.args[0])
	case (op == "*" || op == "/") && a.kind == negate:
		return minus(combine(op, a.args[0], b))
	case (op == "*" || op == "/") && b.kind == negate:
		return minus(combine(op, a, b.args[0]))
	}
	return &node{kind: operator, text: op, args: []*node{a, b}}
}

func (n *node) equals(c float64) bool { return n.kind == number && n.value == c }

// mentions reports whether one of the names occurs in n.
func (n *node) mentions(names []string) bool {
	if n.kind == name {
		return slices.Contains(names, n.text)
	}
	return slices.ContainsFunc(n.args, func(a *node) bool { return a.mentions(names) })
}

// constantValue is the value of a tree without variables.
func constantValue(n *node) (float64, bool) {
	g := newGraph()
	g.plain = true
	variables := n.names()
	return g.isConst(g.build(n, variables))
}

// names returns all names in n but that of pi.
func (n *node) names() []string {
	var s []string
	n.walk(func(m *node) {
		if m.kind == name && !Constant(m.text) && !slices.Contains(s, m.text) {
			s = append(s, m.text)
		}
	})
	return s
}

// Linear returns a and b of f = a·x + b if f, as written, is affine in all its
// variables: a sum of products and quotients in which only constants multiply
// and divide them. Coefficients that are not finite make it false.
func (f *Func) Linear() (a []float64, b float64, ok bool) {
	c, ok := linearForm(f.tree, f.variables)
	if !ok {
		return nil, 0, false
	}
	value := make([]float64, len(c))
	for j, n := range c {
		if n == nil {
			continue
		}
		v, ok := constantValue(n)
		if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, 0, false
		}
		value[j] = v
	}
	return value[1:], value[0], true
}

// Affine writes the formula src as c0 + Σ c[j]·params[j] with coefficients that
// are functions of the states alone, differentiated by all of them. ok is false
// if src, as written, is not affine in the params: a product of two of them, or
// one in a function, a denominator or an exponent. A param hides a state of the
// same name.
func Affine(src string, states, params []string) (c0 *Func, c []*Func, ok bool, err error) {
	f, ok, err := coefficients(src, states, params)
	if !ok {
		return nil, nil, false, err
	}
	c = make([]*Func, len(f))
	for j, n := range f {
		if n == nil {
			n = literal(0)
		}
		c[j] = newFunc(n, states, all(len(states)))
	}
	return c[0], c[1:], true, nil
}

// Coefficients are the formulas of those of Affine, c0 and then c, as they are written; "" is
// zero.
func Coefficients(src string, states, params []string) (text []string, ok bool, err error) {
	f, ok, err := coefficients(src, states, params)
	if !ok {
		return nil, false, err
	}
	text = make([]string, len(f))
	for j, n := range f {
		if n != nil {
			text[j] = plain(n, false)
		}
	}
	return text, true, nil
}

func coefficients(src string, states, params []string) (f form, ok bool, err error) {
	tree, err := parse(src, false)
	if err == nil {
		err = check(tree, append(slices.Clone(states), params...))
	}
	if err != nil {
		return nil, false, err
	}
	f, ok = linearForm(tree, params)
	return f, ok, nil
}
