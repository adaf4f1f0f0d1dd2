package dynamics

import (
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/internal/sparse"
	"github.com/r2sgld/r2sgld/potential"
)

// Sparse says how the terms of a library that belong to the model are found.
type Sparse struct {
	Keep      []string `json:"keep,omitempty"`      // parameters whose terms belong to the model in any case
	Prior     float64  `json:"prior,omitempty"`     // probability of each other term; 0 is beta-binomial(1, 1)
	Threshold float64  `json:"threshold,omitempty"` // least inclusion probability of a term that is kept; 0 is 0.5
}

// A Term is a candidate for the right-hand side of a state.
type Term struct {
	State, Term, Parameter string
	Inclusion              float64 // probability of belonging to the model
	Mean, SD               float64 // of its coefficient, over all models, those without it included
	Kept                   bool
}

// threshold is the least inclusion probability of a kept term.
func (s *Sparse) threshold() float64 {
	if s.Threshold == 0 {
		return 0.5
	}
	return s.Threshold
}

// checkSparse looks at the settings of the choice of terms.
func (m *Model) checkSparse(f *faults, names []string) {
	s := m.Sparse
	if s == nil {
		return
	}
	if len(m.Library) == 0 {
		f.addf([]string{"sparse"}, "only the terms of a library can be chosen from: write library: [poly(2)], for instance")
	}
	for i, name := range s.Keep {
		if names != nil && !slices.Contains(names, name) {
			f.addf([]string{"sparse", "keep", fmt.Sprint(i + 1)}, "no free parameter %q%s", name, suggest(name, names))
		}
	}
	for _, v := range []Value{{"prior", s.Prior}, {"threshold", s.Threshold}} {
		if !(v.Value >= 0 && v.Value < 1) {
			f.addf([]string{"sparse", v.Name}, "the probability %v is not between 0 and 1", v.Value)
		}
	}
}

// buildSparse is Build for a model whose terms are to be chosen.
func buildSparse(m *Model, s *Series) (*Problem, error) {
	model, c, err := m.chosen(s)
	if err != nil {
		return nil, err
	}
	p, err := build(model, s)
	if err != nil {
		return nil, err
	}
	p.Terms, p.Warnings = c.terms, append(c.warnings, p.Warnings...)
	return p, nil
}

// A choice is what became of the candidates of a model.
type choice struct {
	terms    []Term
	warnings []string
}

// chosen is the model with all terms fixed at 0 but those that belong to it:
// those whose inclusion probability is above the threshold (with one half the
// median probability model of Barbieri and Berger 2004), and those that the user
// speaks of by a prior or in Sparse.Keep.
func (m *Model) chosen(s *Series) (*Model, *choice, error) {
	if n := len(m.expand(&faults{})); n > sparse.Most {
		return nil, nil, &ModelError{[]string{"model", "library"}, -1,
			fmt.Errorf("%d terms: more than the %d that can be chosen from", n, sparse.Most)}
	}
	equations, first, second, err := m.regressions(s)
	if err != nil {
		return nil, nil, err
	}
	if err := proportional(equations, first); err != nil {
		return nil, nil, err
	}
	out := *m
	out.Sparse, out.Fixed = nil, slices.Clone(m.Fixed)
	c := &choice{}
	kept := 0
	for i := range equations {
		e := &equations[i]
		found, err := m.weighTerms(e, first[i], second[i])
		if err != nil {
			return nil, nil, err
		}
		for _, t := range m.sort(c, e, found) {
			if _, fixed := m.fixed(t.Parameter); t.Kept && !fixed {
				kept++
			} else if !fixed {
				out.Fixed = append(out.Fixed, Value{t.Parameter, 0})
			}
		}
	}
	if kept == 0 {
		return nil, nil, &ModelError{[]string{"model", "sparse"}, -1, fmt.Errorf(
			"none of the %d terms belongs to the model: use another library, or more or better data", len(c.terms))}
	}
	out.Start = slices.DeleteFunc(slices.Clone(m.Start), func(v Value) bool { _, fixed := out.fixed(v.Name); return fixed })
	return &out, c, nil
}

// forced reports whether a term belongs to the model in any case.
func (m *Model) forced(parameter string) bool {
	return slices.Contains(m.Sparse.Keep, parameter) ||
		slices.ContainsFunc(m.Priors, func(q Prior) bool { return q.Parameter == parameter })
}

// weighTerms finds the inclusion probabilities of the free terms of an equation.
func (m *Model) weighTerms(e *equation, first, second potential.Column) (*sparse.Posterior, error) {
	if len(e.parameters) == 0 {
		return nil, nil
	}
	var held []bool
	for _, name := range e.parameters {
		held = append(held, m.forced(name))
	}
	return sparse.Choose(first, second, held, m.Sparse.Prior)
}

// sort adds the terms of an equation to a choice, and what the user should know
// of it, and returns them.
func (m *Model) sort(c *choice, e *equation, found *sparse.Posterior) []Term {
	var terms []Term
	var doubtful []string
	kept := 0
	for _, t := range e.terms {
		out := Term{State: e.state, Term: t.text, Parameter: t.parameter, Inclusion: 1, Kept: true}
		if v, fixed := m.fixed(t.parameter); fixed {
			if out.Mean = v; v == 0 {
				out.Inclusion, out.Kept = 0, false
			}
		} else {
			k := slices.Index(e.parameters, t.parameter)
			out.Inclusion, out.Mean, out.SD = found.Inclusion[k], found.Mean[k], found.SD[k]
			out.Kept = m.forced(t.parameter) || out.Inclusion > m.Sparse.threshold()
			if out.Inclusion > 0.1 && out.Inclusion < 0.9 {
				doubtful = append(doubtful, fmt.Sprintf("%s (%.2f)", t.text, out.Inclusion))
			}
		}
		if out.Kept {
			kept++
		}
		terms = append(terms, out)
	}
	c.terms = append(c.terms, terms...)
	if doubtful != nil {
		c.warnings = append(c.warnings, fmt.Sprintf("it is not sure whether the equation of %q has these terms (inclusion probability): %s",
			e.state, strings.Join(doubtful, ", ")))
	}
	if found != nil {
		c.rivals(e, found)
	}
	if kept == 0 {
		c.warnings = append(c.warnings, fmt.Sprintf("no term of the library belongs to the equation of %q: it reads %s′ = 0", e.state, e.state))
	}
	return terms
}

// rivals warns of two sets of terms that are nearly as probable as one another
// and have most of the probability.
func (c *choice) rivals(e *equation, found *sparse.Posterior) {
	if len(found.Models) < 2 {
		return
	}
	a, b := found.Models[0], found.Models[1]
	if a.Probability+b.Probability < 0.5 || b.Probability < a.Probability/3 {
		return
	}
	names := func(s *sparse.Model) string {
		var out []string
		for k, name := range e.parameters {
			if s.Has(k) {
				out = append(out, strings.TrimPrefix(name, e.state+"."))
			}
		}
		return "{" + strings.Join(out, ", ") + "}"
	}
	c.warnings = append(c.warnings, fmt.Sprintf("two sets of terms explain %q nearly as well: %s (probability %.2f) and %s (%.2f)",
		e.state, names(&a), a.Probability, names(&b), b.Probability))
}
