package region

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// Constraints adds inequalities given as text: linear ones as half-spaces,
// others as surfaces; equations; and matrices of linear ones.
func (r *Region) Constraints(n *yamlpos.Node) {
	items := []*yamlpos.Node{n}
	if n == nil {
		return
	}
	if n.Kind != yamlpos.Scalar && n.Kind != yamlpos.Map {
		if n.Kind == yamlpos.List && len(n.Items) == 0 {
			return
		}
		if !r.List(n, `inequalities such as "x > 1 + y"`) {
			return
		}
		items = n.Items
	}
	for i, item := range items {
		if item.Kind == yamlpos.Map {
			r.readMatrix(item)
			continue
		}
		text, ok := r.Text(item)
		if !ok {
			continue
		}
		asSaid := i >= len(r.Written) || r.Written[i] == text
		if !asSaid {
			text = r.Written[i]
		}
		if name, at := bareName(text, r.Names); name != "" {
			r.Problems = append(r.Problems, item.ProblemAt(at, fmt.Sprintf("a name with signs in it stands in backquotes: \"`%s` …\", the text in "+
				"double quotes", name)))
			continue
		}
		if several := parted(text); several != nil {
			r.Report(item, "each constraint is an entry of its own: [\"%s\"]", strings.Join(several, `", "`))
			continue
		}
		if at, width := equalSign(text); at >= 0 {
			r.readEquation(item, text, at, width)
			continue
		}
		constraints, err := expression.ParseConstraintsWith(text, r.Names, r.Fixed)
		if err != nil {
			r.refuse(item, err, asSaid)
			continue
		}
		for _, c := range constraints {
			if c.Linear() {
				r.Add(c.A, c.B, c.Text)
				continue
			}
			r.surfaces = append(r.surfaces, surfaceOf(c.G))
			r.labels = append(r.labels, c.Text)
		}
	}
}

// refuse reports what is wrong with a constraint: at its place if it stands as it is said.
func (r *Region) refuse(item *yamlpos.Node, err error, asSaid bool) {
	var list expression.Errors
	switch {
	case asSaid && r.Formula(item, err):
	case errors.As(err, &list):
		for _, e := range list {
			r.Report(item, "%s", e.Message)
		}
	default:
		r.Report(item, "%v", err)
	}
}

// parted are several constraints in one text, with commas between them; nil is one.
func parted(text string) (several []string) {
	for part := range strings.SplitSeq(text, ",") {
		closed := strings.Count(part, "(") == strings.Count(part, ")") && strings.Count(part, "[") == strings.Count(part, "]")
		if !closed || !strings.ContainsAny(part, "<>=≤≥") {
			return nil
		}
		several = append(several, strings.TrimSpace(part))
	}
	if len(several) == 1 {
		return nil
	}
	return several
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
		if at < 0 || expression.Quoted(n) == n {
			continue
		}
		if end := at + len(n); end == len(text) || !strings.ContainsAny(text[end:end+1], "0123456789_.") && !isLetter(text[end]) {
			return n, at
		}
	}
	return "", 0
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// surfaceOf is g(x) ≤ 0, a quadric if g is one: about its centre where coordinates do
// not mix, else about 0.
func surfaceOf(g *expression.Func) domain.Surface {
	s := surface{g}
	h, ok := g.Quadratic()
	if !ok {
		return s
	}
	at, slope, e := make([]float64, s.Dim()), make([]float64, s.Dim()), s.Bind()
	e.Gradient(slope, at)
	for j, row := range h {
		mixed := slices.ContainsFunc(every(len(h)), func(k int) bool { return k != j && row[k] != 0 })
		if row[j] != 0 && !mixed {
			at[j] = -slope[j] / row[j]
		}
	}
	value := e.Gradient(slope, at)
	q, err := domain.NewQuadric(at, value, slope, h)
	if err != nil {
		return s // numbers that overflow
	}
	return q
}

// A surface is a formula g as the constraint g(x) ≤ 0.
type surface struct{ g *expression.Func }

func (s surface) Dim() int { return len(s.g.WRT()) }

// Coordinates are those that stand in the formula.
func (s surface) Coordinates() []int {
	var out []int
	for k, at := range s.g.WRT() {
		if slices.Contains(s.g.Uses(), at) {
			out = append(out, k)
		}
	}
	return out
}

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

// Plain is a node as a value for JSON: maps (whose keys JSON sorts), lists,
// numbers and text, matrices of constraints with their numbers.
func (r *Region) Plain(n *yamlpos.Node) any {
	if n == nil {
		return nil
	}
	if m, ok := r.matrices[n]; ok {
		return m
	}
	switch n.Kind {
	case yamlpos.Map:
		m := map[string]any{}
		for _, f := range n.Fields {
			m[f.Key.Text] = r.Plain(f.Value)
		}
		return m
	case yamlpos.List:
		list := []any{}
		for _, item := range n.Items {
			list = append(list, r.Plain(item))
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
