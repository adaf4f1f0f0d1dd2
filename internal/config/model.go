package config

import (
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/ode"
)

// readModel reads the model section.
func (l *loader) readModel(n *yamlpos.Node, c dynamics.Columns) (*dynamics.Model, *Model) {
	m, r := &dynamics.Model{Time: c.Time}, &Model{}
	for _, s := range c.States {
		m.States = append(m.States, s.Name)
	}
	if n == nil {
		l.reportBare(l.root, "the model is missing: add, for instance, model: {equations: {x: \"a*x\"}}")
		return nil, r
	}
	keys := l.modelKeys(r)
	if !l.Section(n, keyNames(keys)...) {
		return nil, r
	}
	before := len(l.Problems)
	l.take(n, keys, "equations", "library")
	l.unread = len(l.Problems) > before
	l.take(n, keys, "constraints", "fixed", "start", "batch", "priors")
	l.readLikelihood(n, keys, m, r)
	r.fill(m)
	return m, r
}

// modelKeys declares the model section.
func (l *loader) modelKeys(r *Model) []key {
	r.Likelihood = "derivative"
	number1 := object("type", "number")
	return []key{
		given("equations", "`{state: expression, …}`", mapOf(plainText()), l.entries(&r.Equations, anyField, l.entryText)).tells("this or `library`",
			"right-hand sides. Names that are no state, no time (`t` or the time column) are parameters"),
		texts("library", &r.Library, "terms").tells("", "each state's right-hand side is a combination of all terms; parameters `state.term`, as in "+
			"`x.x*y`. `poly(2)` stands for all monomials of the states up to degree 2, the constant 1 among them"),
		given("constraints", "text or list", anyOf(plainText(), object("type", "array", "items", plainText())), func(_ *loader, n *yamlpos.Node) {
			r.Constraints = plainTexts(n)
		}).tells("none", "[inequalities](#constraints) in the parameters. `x.y` and `H.initial` are names; those of other terms stand in "+
			"backquotes, the text then in double quotes: ``\"`x.x*y` > 1\"``"),
		given("fixed", "`{parameter: number}`", mapOf(number1), l.entries(&r.Fixed, l.undivided, l.entryNumber)).tells("none", "known values"),
		word("likelihood", &r.Likelihood, "derivative", "log-derivative", "weak", trajectoryLikelihood).
			tells("`derivative`", "what of the data is [explained](#likelihoods)"),
		given("derivative", "word or map", slopeShape(), nil).tells("`central`", "of the first two likelihoods: how dX/dt comes from the data"),
		mapping("weak", (&Weak{}).keys()).by(r.readWeak).in("`{width: rows}`").
			tells("from the data", "of `weak`: rows that a test function spans, 5 or more"),
		given("states", "`observed`, `simulated`", object("enum", []string{statesObserved, statesSimulated}), nil).tells("`observed`",
			"of `derivative`: where the right-hand sides are evaluated. `simulated`, at states simulated with the parameters of the moment, "+
				"as the paper has it; its gradient holds them fixed, so that no law is claimed"),
		given("sparse", "`true` or map", anyOf(object("type", "boolean"), section((&Sparse{}).keys())), r.readSparse).
			tells("all terms", "[which terms](#terms-of-a-library) of `library` belong to the model is found"),
		mapping("solver", (&Solver{}).keys()).by(r.readSolver).in("`{method, rtol, atol}`").tells("chosen", "of trajectories: `dopri5`, `dop853` "+
			"or `lsoda`; the default is the cheapest whose error of U about the mode is below 0.002. A warm-up with kernel `hmc` makes do with 0.1"),
		given("noise", "word or map", anyOf(object("enum", []string{"estimate", "paper", "normal", "lognormal"}),
			mapOf(anyOf(object("type", "number", "exclusiveMinimum", 0), object("enum", []string{"normal", "lognormal"})))), nil).tells("`estimate`", "standard deviation of the errors"),
		given("priors", "`{parameter: prior}`", mapOf(plainText()), l.entries(&r.Priors, l.undivided, l.entryText)).
			tells("flat", "[priors](#priors); their supports bound the domain"),
		given("start", "`{parameter: number}`", mapOf(number1), l.entries(&r.Start, l.undivided, l.entryNumber)).
			tells("of trajectories: many, else 1, then 0.01 … 30 of both signs", "where the search for a nonlinear fit begins"),
		whole("batch", &r.Batch, 0, maxIterations).
			tells("0, all rows", "rows of a minibatch; swaps then estimate `swap.variance` on line"),
	}
}

// entries reads a map of names to values, each by one function and if it passes a check.
func (l *loader) entries(to *Ordered, check func(yamlpos.Field) bool, read func(*yamlpos.Node) (any, bool)) func(*loader, *yamlpos.Node) {
	return func(_ *loader, n *yamlpos.Node) {
		if !l.Map(n) {
			return
		}
		for _, f := range n.Fields {
			if !check(f) {
				continue
			}
			if v, ok := read(f.Value); ok {
				*to = append(*to, Entry{f.Key.Text, v})
			}
		}
	}
}

// anyField passes every field.
func anyField(yamlpos.Field) bool { return true }

func (l *loader) entryText(n *yamlpos.Node) (any, bool)   { return l.Text(n) }
func (l *loader) entryNumber(n *yamlpos.Node) (any, bool) { return l.Float(n) }

// fill fills in what the model takes from its resolved form.
func (r *Model) fill(m *dynamics.Model) {
	for _, e := range r.Equations {
		m.Equations = append(m.Equations, dynamics.Equation{State: e.Key, Text: e.Value.(string)})
	}
	for _, e := range r.Priors {
		m.Priors = append(m.Priors, dynamics.Prior{Parameter: e.Key, Text: e.Value.(string)})
	}
	m.Library, m.Batch, m.Likelihood = r.Library, r.Batch, r.Likelihood
	m.Fixed, m.Start = valuesOf(r.Fixed), valuesOf(r.Start)
	m.Simulated = r.States == statesSimulated && r.Likelihood == "derivative" // of others it is reported
	if r.Weak != nil {
		m.Weak = dynamics.Weak(*r.Weak)
	}
	if r.Sparse != nil {
		sparse := dynamics.Sparse(*r.Sparse)
		m.Sparse = &sparse
	}
	if s := r.Solver; s != nil {
		m.Solver = ode.Options{Method: ode.Method(s.Method), RTol: s.RTol}
		if s.ATol > 0 {
			m.Solver.ATol = []float64{s.ATol}
		}
	}
}

// valuesOf are the numbers of names.
func valuesOf(o Ordered) (values []dynamics.Value) {
	for _, e := range o {
		values = append(values, dynamics.Value{Name: e.Key, Value: e.Value.(float64)})
	}
	return values
}

// undivided reports a name with a point in it that was taken for two keys.
func (l *loader) undivided(f yamlpos.Field) bool {
	if f.Value.Kind != yamlpos.Map || len(f.Value.Fields) == 0 {
		return true
	}
	name := f.Key.Text + "." + f.Value.Fields[0].Key.Text
	l.Report(f.Value, "%s holds keys: if the parameter %q is meant, write it in one, in quotes within --set, as in \"%s\"=1", f.Key.Text, name, name)
	return false
}
