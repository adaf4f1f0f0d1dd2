package region

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
)

// An equation is a·x = b.
type equation struct {
	a    []float64
	b    float64
	text string
	at   *yamlpos.Node
}

// equalSign finds = or == in a constraint, −1 where there is neither.
func equalSign(text string) (at, width int) {
	for i := 0; i < len(text); i++ {
		if text[i] != '=' || i > 0 && strings.IndexByte("<>!", text[i-1]) >= 0 {
			continue
		}
		rest := text[i+1:]
		if strings.HasPrefix(rest, "=") {
			return i, 2
		}
		if strings.HasPrefix(rest, ">") || strings.HasPrefix(rest, "<") {
			break
		}
		return i, 1
	}
	return -1, 0
}

// readEquation adds a linear equation, whose sign is at a place of its text.
func (r *Region) readEquation(item *yamlpos.Node, text string, at, width int) {
	left, right := text[:at], text[at+width:]
	switch {
	case r.Parameters:
		r.Report(item, "%q: an equation between parameters leaves one of them without a density: write the model without it", text)
		return
	case strings.ContainsAny(left+right, "<>=≤≥"):
		r.Report(item, "%q holds an equation and more: give each comparison as an entry of its own", text)
		return
	}
	if !r.side(item, left, 0) || !r.side(item, right, at+width) {
		return
	}
	f, err := expression.Compile(left+"-("+right+")", r.Names)
	if err != nil {
		r.Report(item, "%v", err)
		return
	}
	a, b, linear := f.Linear()
	switch {
	case !linear:
		r.Report(item, "%q is not linear: only linear equations can be eliminated. Substitute one of its variables", text)
	case !slices.ContainsFunc(a, func(v float64) bool { return v != 0 }):
		r.Report(item, "%q is always %t, whatever the variables", text, b == 0)
	default:
		r.Equate(a, 0-b, text, item)
	}
}

// Equate adds the equation a·x = b, which messages call by the text and show at a place.
func (r *Region) Equate(a []float64, b float64, text string, at *yamlpos.Node) {
	r.equations = append(r.equations, equation{a, b, text, at})
}

// side reports what is wrong with one side of an equation, which begins at a place of
// the text of item.
func (r *Region) side(item *yamlpos.Node, text string, begin int) bool {
	_, err := expression.Compile(text, r.Names)
	if err == nil {
		return true
	}
	var places expression.Errors
	if errors.As(err, &places) {
		for _, e := range places {
			e.Offset += begin
		}
	}
	if !r.Formula(item, err) {
		r.Report(item, "%v", err)
	}
	return false
}

// eliminate goes over to the part of d, the domain of r at a node, on which the
// equations of r hold.
func (r *Region) eliminate(d domain.Domain, at *yamlpos.Node) {
	if len(r.equations) == 0 {
		if d != nil && !r.Parameters {
			if s := domain.RoundSlice(r.Context, d); s != nil { // else no setting would suit all directions
				r.takeSlice(s, at, "")
			}
		}
		return
	}
	s, err := slice(d, r.equations)
	if len(r.rows) > 0 && !errors.Is(err, domain.ErrCurved) { // the same, by the texts of its rows
		if d, err = domain.NewPolytope(r.rows, r.bounds, r.texts); err == nil {
			s, err = slice(d, r.equations)
		}
	}
	if err != nil {
		r.faultyEquation(d)
		return
	}
	r.takeSlice(s, at, "on "+quoted(r.equations)+": ")
}

// takeSlice makes s the domain, unless it is empty.
func (r *Region) takeSlice(s *domain.Slice, at *yamlpos.Node, where string) {
	z := make([]float64, s.Dim())
	if s.Domain != nil {
		var err error
		if z, err = domain.Interior(r.Context, s.Domain, rand.New(rand.NewPCG(1, 1))); err != nil {
			r.ReportBare(at, "%s%v", where, err)
			return
		}
	}
	r.Slice, r.Domain, r.Inside = s, s.Whole, make([]float64, len(s.Origin))
	s.Full(r.Inside, z)
}

func slice(d domain.Domain, equations []equation) (*domain.Slice, error) {
	var a [][]float64
	var b []float64
	for _, e := range equations {
		a, b = append(a, e.a), append(b, e.b)
	}
	return domain.NewSlice(d, a, b)
}

// faultyEquation reports the first equation that cannot be eliminated with those
// before it, and why.
func (r *Region) faultyEquation(d domain.Domain) {
	for i, e := range r.equations {
		_, err := slice(d, r.equations[:i+1])
		before := ", with " + quoted(r.equations[:i])
		if i == 0 {
			before = ""
		}
		var empty *domain.EmptyError
		switch {
		case err == nil:
			continue
		case errors.Is(err, domain.ErrContradiction):
			r.Report(e.at, "%q contradicts %s: drop or change one of them", e.text, quoted(r.equations[:i]))
		case errors.Is(err, domain.ErrSinglePoint):
			r.Report(e.at, "%q leaves no more than one point%s: there is nothing to sample. Drop an equation", e.text, before)
		case errors.Is(err, domain.ErrCurved):
			r.Report(e.at, "%q: equations go with linear constraints alone (box, simplex, half-spaces), and the domain has others. Substitute one "+
				"of its variables", e.text)
		case errors.As(err, &empty):
			r.Report(e.at, "%q contradicts %q%s: drop or change one of them", e.text, empty.Names[0], before)
		default:
			r.Report(e.at, "%v", err)
		}
		return
	}
}

func quoted(equations []equation) string {
	var s []string
	for _, e := range equations {
		s = append(s, fmt.Sprintf("%q", e.text))
	}
	return strings.Join(s, " and ")
}
