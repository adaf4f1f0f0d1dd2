package config

import (
	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
)

// readConstraints adds inequalities given as text: linear ones as half-spaces,
// others as surfaces.
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
