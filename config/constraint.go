package config

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
)

// readConstraints adds inequalities given as text: linear ones as half-spaces,
// others as surfaces; and equations.
func (l *loader) readConstraints(r *region, n *yamlpos.Node) {
	items := []*yamlpos.Node{n}
	if n.Kind != yamlpos.Scalar {
		if n.Kind == yamlpos.List && len(n.Items) == 0 {
			return
		}
		if !l.List(n, `inequalities such as "x > 1 + y"`) {
			return
		}
		items = n.Items
	}
	for _, item := range items {
		text, ok := l.Text(item)
		if !ok {
			continue
		}
		if name, at := bareName(text, l.names); name != "" {
			l.Problems = append(l.Problems, item.ProblemAt(at, fmt.Sprintf("a name with signs in it stands in backquotes: \"`%s` …\", the text in double quotes", name)))
			continue
		}
		if at, width := equalSign(text); at >= 0 {
			l.readEquation(r, item, text, at, width)
			continue
		}
		constraints, err := expression.ParseConstraints(text, l.names)
		if err != nil {
			if !l.formula(item, err) {
				l.Report(item, "%v", err)
			}
			continue
		}
		for _, c := range constraints {
			if c.Linear() {
				r.add(c.A, c.B, c.Text)
				continue
			}
			r.surfaces = append(r.surfaces, surface{c.G})
			r.names = append(r.names, c.Text)
		}
	}
}

// bareName finds the name of a library's coefficient, such as x.x^2, that stands in a
// text without its backquotes, and where: it would be read as a power of x.x.
func bareName(text string, names []string) (name string, at int) {
	outside := []byte(text)
	quoted := false
	for i, c := range outside {
		if c == '`' {
			quoted = !quoted
		}
		if quoted {
			outside[i] = '`'
		}
	}
	for _, n := range names {
		at := strings.Index(string(outside), n)
		if at < 0 || !strings.ContainsAny(n, "+-*/^(") {
			continue
		}
		if end := at + len(n); end == len(text) || !strings.ContainsAny(text[end:end+1], "0123456789_.") && !isLetter(text[end]) {
			return n, at
		}
	}
	return "", 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// A surface is a formula g as the constraint g(x) ≤ 0.
type surface struct{ g *expression.Func }

func (s surface) Dim() int { return len(s.g.WRT()) }

func (s surface) Bind() domain.SurfaceEval { return &surfaceEval{e: s.g.Evaluator(1)} }

type surfaceEval struct {
	e *expression.Evaluator
	v [1]float64
}

func (s *surfaceEval) Value(x []float64) float64 {
	s.e.Value(s.v[:], x)
	return s.v[0]
}

func (s *surfaceEval) Gradient(g, x []float64) float64 {
	s.e.Gradient(s.v[:], g, x)
	return s.v[0]
}

// isFunction reports whether a name stands for a function or a constant in
// formulas.
func isFunction(name string) bool {
	if free, err := expression.Names(name); err != nil || len(free) == 0 {
		return true
	}
	for _, arguments := range []string{"(1)", "(1,1)", "(1,1,1)", "(1,1,1,1)"} {
		if _, err := expression.Names(name + arguments); err == nil {
			return true
		}
	}
	return false
}

// plainValue is a node as a value for JSON: maps (whose keys JSON sorts), lists,
// numbers and text.
func plainValue(n *yamlpos.Node) any {
	if n == nil {
		return nil
	}
	switch n.Kind {
	case yamlpos.Map:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Key.Text] = plainValue(f.Value)
		}
		return m
	case yamlpos.List:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, plainValue(item))
		}
		return list
	case yamlpos.Scalar:
		if v, ok := n.Number(); ok {
			return v
		}
		return n.Text
	}
	return nil
}
