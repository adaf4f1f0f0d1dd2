package system

import (
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/ode"
)

// Model is the model of a series.
type Model struct {
	Equations   key.Ordered      `json:"equations,omitempty"`
	Library     []string         `json:"library,omitempty"`
	Constraints []string         `json:"constraints,omitempty"`
	Fixed       key.Ordered      `json:"fixed,omitempty"`
	Likelihood  string           `json:"likelihood"`
	Derivative  any              `json:"derivative,omitempty"`
	Weak        *dynamics.Weak   `json:"weak,omitempty"`
	States      string           `json:"states,omitempty"` // "" is observed
	Sparse      *dynamics.Sparse `json:"sparse,omitempty"`
	Solver      *Solver          `json:"solver,omitempty"`
	Noise       any              `json:"noise"`
	Priors      key.Ordered      `json:"priors,omitempty"`
	Start       key.Ordered      `json:"start,omitempty"` // of the search for the fit
	Batch       int              `json:"batch,omitempty"` // rows of a minibatch
	Outputs     key.Ordered      `json:"outputs,omitempty"`
}

// Drawn is the same model without what follows from draws.
func (r *Model) Drawn() any {
	d := *r
	d.Outputs = nil
	return &d
}

// Solver says how trajectories are computed; zero values are the defaults.
type Solver struct {
	Method string  `json:"method,omitempty"`
	RTol   float64 `json:"rtol,omitempty"`
	ATol   float64 `json:"atol,omitempty"`
}

// ReadModel reads the model section.
func (l *Reader) ReadModel(c dynamics.Columns) (*dynamics.Model, *Model) {
	n := l.Root.Field("model")
	m, r := &dynamics.Model{Time: c.Time}, &Model{}
	for _, s := range c.States {
		m.States = append(m.States, s.Name)
	}
	if n == nil {
		l.ReportBare(l.Root, "the model is missing: add, for instance, model: {equations: {x: \"a*x\"}}")
		return nil, r
	}
	keys := ModelKeys(r)
	if !l.Only(n, keys) {
		return nil, r
	}
	before := len(l.Problems)
	l.Take(n, keys, "equations", "library")
	l.unread = len(l.Problems) > before
	l.Take(n, keys, "constraints", "fixed", "start", "batch", "priors", "outputs")
	l.readLikelihood(n, keys, m, r)
	r.fill(m)
	return m, r
}

// ModelKeys declares the model section.
func ModelKeys(r *Model) []key.Key {
	r.Likelihood = "derivative"
	number1 := key.Object("type", "number")
	return []key.Key{
		key.Given("equations", "`{state: expression, …}`", key.MapOf(key.PlainText()),
			entries(&r.Equations, nil, text)).Tells("this or `library`",
			"right-hand sides. Names that are no state, no time (`t` or the time column) are parameters"),
		key.Texts("library", &r.Library, "terms").Tells("", "each state's right-hand side is a combination of all terms; parameters "+
			"`state.term`, as in "+
			"`x.x*y`. `poly(2)` stands for all monomials of the states up to degree 2, the constant 1 among them"),
		key.Given("constraints", "text or list", key.AnyOf(key.PlainText(), key.Object("type", "array", "items", key.PlainText())),
			func(_ *key.Reader, n *yamlpos.Node) {
				r.Constraints = Texts(n)
			}).Tells("none", "[inequalities](#constraints) in the parameters. `x.y` and `H.initial` are names; those of other terms stand in "+
			"backquotes, the text then in double quotes: ``\"`x.x*y` > 1\"``"),
		key.Given("fixed", "`{parameter: number}`", key.MapOf(number1), entries(&r.Fixed, undivided, number)).Tells("none", "known values"),
		key.Word("likelihood", &r.Likelihood, "derivative", "log-derivative", "weak", Trajectory).
			Tells("`derivative`", "what of the data is [explained](#likelihoods)"),
		key.Given("derivative", "word or map", slopeShape(), nil).Tells("`central`",
			"of the first two likelihoods: how dX/dt comes from the data"),
		key.Mapping("weak", weakKeys(&dynamics.Weak{})).By(r.readWeak).In("`{width: rows}`").
			Tells("from the data", "of `weak`: rows that a test function spans, 5 or more"),
		key.Given("states", "`observed`, `simulated`", key.Object("enum", []string{statesObserved, statesSimulated}), nil).Tells("`observed`",
			"of `derivative`: where the right-hand sides are evaluated. `simulated`, at states simulated with the parameters of the moment, "+
				"as the paper has it; its gradient holds them fixed, so that no law is claimed"),
		key.Given("sparse", "`true` or map", key.AnyOf(key.Object("type", "boolean"), key.Section(SparseKeys(&dynamics.Sparse{}))), r.readSparse).
			Tells("all terms", "[which terms](#terms-of-a-library) of `library` belong to the model is found"),
		key.Part("solver", &r.Solver, (*Solver).Keys).In("`{method, rtol, atol}`").Tells("chosen", "of trajectories: `dopri5`, `dop853` "+
			"or `lsoda`; the default is the cheapest whose error of U about the mode is below 0.002. A warm-up with kernel `hmc` makes do with 0.1"),
		key.Given("noise", "word or map", key.AnyOf(key.Object("enum", []string{"estimate", "paper", "normal", "lognormal"}),
			key.MapOf(key.AnyOf(key.Object("type", "number", "exclusiveMinimum", 0), key.Object("enum", []string{"normal", "lognormal"})))),
			nil).Tells("`estimate`", "standard deviation of the errors"),
		key.Given("priors", "`{parameter: prior}`", key.MapOf(key.PlainText()), entries(&r.Priors, undivided, text)).
			Tells("flat", "[priors](#priors); their supports bound the domain"),
		key.Given("start", "`{parameter: number}`", key.MapOf(number1), entries(&r.Start, undivided, number)).
			Tells("of trajectories: many, else 1, then 0.01 … 30 of both signs", "where the search for a nonlinear fit begins"),
		key.Whole("batch", &r.Batch, 0, key.Many).
			Tells("0, all rows", "rows of a minibatch; swaps then estimate `swap.variance` on line"),
		key.Given("outputs", "`{name: formula, …}`", key.MapOf(key.PlainText()), entries(&r.Outputs, undivided, text)).
			Tells("none", "[numbers that follow](#outputs) from the parameters, such as `beta/gamma`"),
	}
}

// entries reads a map of names to values, each by one function and if it passes a check.
func entries[T any](to *key.Ordered, check func(*key.Reader, yamlpos.Field) bool,
	read func(*key.Reader, *yamlpos.Node) (T, bool)) func(*key.Reader, *yamlpos.Node) {
	return func(l *key.Reader, n *yamlpos.Node) {
		if !l.Map(n) {
			return
		}
		for _, f := range n.Fields {
			if check != nil && !check(l, f) {
				continue
			}
			if v, ok := read(l, f.Value); ok {
				*to = to.With(f.Key.Text, v)
			}
		}
	}
}

func text(l *key.Reader, n *yamlpos.Node) (string, bool)    { return l.Text(n) }
func number(l *key.Reader, n *yamlpos.Node) (float64, bool) { return l.Float(n) }

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
		m.Weak = *r.Weak
	}
	if r.Sparse != nil {
		m.Sparse = new(*r.Sparse)
	}
	if s := r.Solver; s != nil {
		m.Solver = ode.Options{Method: ode.Method(s.Method), RTol: s.RTol}
		if s.ATol > 0 {
			m.Solver.ATol = []float64{s.ATol}
		}
	}
}

// valuesOf are the numbers of names.
func valuesOf(o key.Ordered) (values []dynamics.Value) {
	for _, e := range o {
		values = append(values, dynamics.Value{Name: e.Key, Value: e.Value.(float64)})
	}
	return values
}

// undivided reports a name with a point in it that was taken for two keys.
func undivided(l *key.Reader, f yamlpos.Field) bool {
	if f.Value.Kind != yamlpos.Map || len(f.Value.Fields) == 0 {
		return true
	}
	name := f.Key.Text + "." + f.Value.Fields[0].Key.Text
	l.Report(f.Value, "%s holds keys: if the parameter %q is meant, write it in one, in quotes within --set, as in \"%s\"=1", f.Key.Text, name,
		name)
	return false
}
