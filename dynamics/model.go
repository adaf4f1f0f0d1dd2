package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/ode"
)

// A Model says which equations may have made a series. Orders are those of the
// slices.
type Model struct {
	States []string // the names of all states of the data; see also Equations
	Time   string   // a name of the time in equations beside t; may be empty

	// Equations give the right-hand side of each state. A symbol that is no
	// state, no time, no function and no constant is a parameter. Under likelihood
	// trajectory there may be equations for further states, which have no data.
	Equations []Equation
	// Library is instead a list of terms: the right-hand side of every state is
	// a combination of all of them, with one parameter "state.term" each.
	// An entry poly(n) stands for all monomials of the states up to degree n.
	Library []string
	Fixed   []Value // parameters with known values

	// Likelihood says what of the series is explained: derivative (also ""), the
	// estimated derivatives; log-derivative, those of the logarithms; weak, their
	// integrals against test functions; trajectory, the data themselves.
	Likelihood string
	Derivative Derivative
	Weak       Weak // of likelihood weak
	// Simulated evaluates the right-hand sides of likelihood derivative at states
	// that are simulated with the parameters, not at the observed ones.
	Simulated bool
	Sparse    *Sparse     // which terms of Library belong to the model is found; nil keeps all
	Solver    ode.Options // of likelihood trajectory; the zero value chooses
	Noise     Noise
	Priors    []Prior // further parameters are flat
	Batch     int     // rows of a minibatch; 0 is all
	// Start is where the search for a nonlinear least-squares fit begins,
	// further parameters everywhere between 0.01 and 30 of both signs.
	Start []Value
	// Allowed reports whether parameters lie in the domain, nil everywhere: the
	// search for a trajectory's mode takes one that does, or into whose spread the
	// domain reaches.
	Allowed func(x []float64) bool

	latent []string // of States: those without data
}

// An Equation is d state/dt = Text.
type Equation struct{ State, Text string }

// A Value is a number with a name.
type Value struct {
	Name  string
	Value float64
}

// Noise says what the standard deviation of a response about the model is.
type Noise struct {
	// Kind is estimate (also ""): the residual standard deviation of the
	// unconstrained least-squares fit of each equation by itself, with n − p
	// degrees of freedom; given: SD holds it per state; paper:
	// U = ‖residuals‖²/(2m) over m rows, whose posterior is √n times wider. With
	// likelihood weak it is the noise of the data: estimated from their differences,
	// all states scaled to the residuals, or given. For likelihood trajectory: normal
	// (also "") or lognormal noise of the data, whose scales are parameters, or given
	// by SD.
	Kind string
	SD   []Value
}

// A Prior is the density of one parameter, as in normal(0, 1).
type Prior struct{ Parameter, Text string }

// term is a combination's member: parameter·text.
type term struct {
	parameter, text string
	entry           int // of the library, from 1
}

// equation is a right-hand side with its free parameters in order.
type equation struct {
	state      string
	text       string // empty for a library
	terms      []term // nil unless a library
	parameters []string
}

// faults collects what is wrong with a model.
type faults struct{ errs []error }

func (f *faults) add(offset int, err error, path ...string) {
	f.errs = append(f.errs, &ModelError{append([]string{"model"}, path...), offset, err})
}

func (f *faults) addf(path []string, format string, args ...any) {
	f.add(-1, fmt.Errorf(format, args...), path...)
}

func (f *faults) join() error { return errors.Join(f.errs...) }

// Parameters returns the names of the free parameters in the order of their
// first appearance, without looking at data. Its error joins a [*ModelError]
// for each fault of the model.
func (m *Model) Parameters() ([]string, error) {
	f := &faults{}
	m = m.complete()
	_, names := m.equations(f)
	m.check(f, names)
	if err := f.join(); err != nil {
		return nil, err
	}
	return names, nil
}

// times are the names of the time in equations.
func (m *Model) times() []string {
	var names []string
	for _, n := range []string{"t", m.Time} {
		if n != "" && !slices.Contains(m.States, n) && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// clock reports where a formula names a constant as the column of the time is named.
func (m *Model) clock(f *faults, path []string, text string) {
	words, _ := expression.Words(text) // it was parsed before
	for _, w := range words {
		if w.Text == m.Time && expression.Constant(w.Text) {
			f.add(w.Pos, fmt.Errorf("%q is a number in formulas, and the column of the time: give the column another name", w.Text), path...)
		}
	}
}

// equations expands the model and returns the free parameters.
func (m *Model) equations(f *faults) (equations []equation, names []string) {
	switch {
	case len(m.Equations) > 0 && len(m.Library) > 0:
		f.addf(nil, "equations and library exclude each other: remove one")
	case len(m.Equations) > 0:
		equations = m.fromText(f)
	case len(m.Library) > 0:
		equations = m.fromLibrary(f)
	default:
		f.addf(nil, `no equations: write, for instance, equations: {x: "a*x"} or library: [x, x^2]`)
	}
	var symbols []string
	for i := range equations {
		e := &equations[i]
		var free []string
		for _, p := range e.parameters {
			if !slices.Contains(symbols, p) {
				symbols = append(symbols, p)
			}
			if _, fixed := m.fixed(p); fixed {
				continue
			}
			free = append(free, p)
			if !slices.Contains(names, p) {
				names = append(names, p)
			}
		}
		e.parameters = free
	}
	if len(f.errs) > 0 {
		return nil, nil
	}
	if m.Likelihood == "trajectory" {
		for _, q := range m.nuisances() {
			symbols = append(symbols, q)
			if _, fixed := m.fixed(q); !fixed {
				names = append(names, q)
			}
		}
	}
	for i, v := range m.Fixed {
		path := []string{"fixed", v.Name}
		switch {
		case !slices.Contains(symbols, v.Name):
			f.addf(path, "no parameter %q%s (parameters: %s)", v.Name, suggest(v.Name, symbols), quoted(symbols))
		case math.IsNaN(v.Value) || math.IsInf(v.Value, 0):
			f.addf(path, "%v is not a finite number", v.Value)
		case slices.ContainsFunc(m.Fixed[:i], func(w Value) bool { return w.Name == v.Name }):
			f.addf(path, "fixed twice")
		}
	}
	if len(f.errs) == 0 && len(names) == 0 {
		f.addf(nil, "the equations have no free parameter")
	}
	return equations, names
}

func (m *Model) fixed(name string) (float64, bool) {
	for _, v := range m.Fixed {
		if v.Name == name {
			return v.Value, true
		}
	}
	return 0, false
}

func (m *Model) fromText(f *faults) []equation {
	var out []equation
	for i, e := range m.Equations {
		path := []string{"equations", e.State}
		if !slices.Contains(m.States, e.State) {
			f.addf(path, "the data have no state %q%s (states: %s)", e.State, suggest(e.State, m.States), quoted(m.States))
		}
		if slices.ContainsFunc(m.Equations[:i], func(o Equation) bool { return o.State == e.State }) {
			f.addf(path, "a second equation for %q", e.State)
		}
		symbols, err := expression.Names(e.Text)
		if err != nil {
			f.add(offsetOf(err), err, path...)
			continue
		}
		m.clock(f, path, e.Text)
		q := equation{state: e.State, text: e.Text}
		for _, s := range symbols {
			if expression.Quoted(s) != s || strings.Contains(s, ".") {
				f.addf(path, "%q cannot name a parameter of an equation: use letters, digits and underscores", s)
			}
			if !slices.Contains(m.States, s) && !slices.Contains(m.times(), s) {
				q.parameters = append(q.parameters, s)
			}
		}
		out = append(out, q)
	}
	return out
}

func (m *Model) fromLibrary(f *faults) []equation {
	known := append(slices.Clone(m.States), m.times()...)
	var terms []term
	for _, l := range m.expand(f) {
		text, path := l.text, []string{"library", fmt.Sprint(l.entry)}
		symbols, err := expression.Names(text)
		if err != nil {
			f.add(offsetOf(err), err, path...)
			continue
		}
		for _, s := range symbols {
			if !slices.Contains(known, s) {
				f.addf(path, "term %q: the data have no state %q%s (states: %s)", text, s, suggest(s, m.States), quoted(m.States))
			}
		}
		m.clock(f, path, text)
		name := strings.Join(strings.Fields(text), "")
		if slices.ContainsFunc(terms, func(t term) bool { return t.text == name }) {
			f.addf(path, "the term %q comes twice", text)
		}
		terms = append(terms, term{text: name, entry: l.entry})
	}
	var out []equation
	for _, state := range m.States {
		q := equation{state: state, terms: []term{}}
		for _, t := range terms {
			t.parameter = state + "." + t.text
			q.terms = append(q.terms, t)
			q.parameters = append(q.parameters, t.parameter)
		}
		out = append(out, q)
	}
	return out
}

// check looks at all that does not need data and is not in the equations.
func (m *Model) check(f *faults, names []string) {
	m.checkSparse(f, names)
	oneOf(f, m.Likelihood, []string{"derivative", "log-derivative", "weak", "trajectory"}, "likelihood")
	oneOf(f, m.Derivative.Kind, derivativeKinds(), "derivative")
	oneOf(f, m.Noise.Kind, m.noiseKinds(), "noise")
	m.checkSimulated(f)
	if m.Batch < 0 {
		f.addf([]string{"batch"}, "a minibatch of %d rows: take 0 for all rows", m.Batch)
	}
	if m.Noise.Kind == "given" || len(m.Noise.SD) > 0 {
		m.checkNoise(f)
	}
	if names == nil {
		return // the equations are faulty: what follows would mislead
	}
	for i, p := range m.Priors {
		path := []string{"priors", p.Parameter}
		if !slices.Contains(names, p.Parameter) {
			f.addf(path, "no free parameter %q%s (parameters: %s)", p.Parameter, suggest(p.Parameter, names), quoted(names))
			continue
		}
		if slices.ContainsFunc(m.Priors[:i], func(o Prior) bool { return o.Parameter == p.Parameter }) {
			f.addf(path, "a second prior for %q", p.Parameter)
		}
		if _, err := prior.Parse(p.Text); err != nil {
			f.add(0, err, path...)
		}
	}
	for _, v := range m.Start {
		if !slices.Contains(names, v.Name) {
			f.addf([]string{"start", v.Name}, "no free parameter %q%s (parameters: %s)", v.Name, suggest(v.Name, names), quoted(names))
		}
	}
}

func oneOf(f *faults, value string, known []string, key string) {
	if value != "" && !slices.Contains(known, value) {
		f.add(0, fmt.Errorf("unknown %s %q%s (known: %s)", key, value, suggest(value, known), quoted(known)), key)
	}
}

func (m *Model) checkNoise(f *faults) {
	states := m.modelled()
	for i, v := range m.Noise.SD {
		path := []string{"noise", v.Name}
		switch {
		case !slices.Contains(states, v.Name):
			f.addf(path, "no equation for %q%s (states: %s)", v.Name, suggest(v.Name, states), quoted(states))
		case !(v.Value > 0) || math.IsInf(v.Value, 0):
			f.addf(path, "the standard deviation %v is not a positive number", v.Value)
		case !computable(v.Value):
			f.addf(path, "the standard deviation %v is too %s to compute with: it must lie between %g and %g", v.Value, extreme(v.Value), smallest,
				largest)
		case slices.ContainsFunc(m.Noise.SD[:i], func(o Value) bool { return o.Name == v.Name }):
			f.addf(path, "given twice")
		}
	}
	for _, s := range states {
		if m.Likelihood == "trajectory" {
			break // the rest are parameters
		}
		if !slices.ContainsFunc(m.Noise.SD, func(v Value) bool { return v.Name == s }) {
			f.addf([]string{"noise"}, "no standard deviation for %q: add it, or use noise: estimate", s)
		}
	}
}

// modelled are the states that have an equation.
func (m *Model) modelled() []string {
	if len(m.Library) > 0 {
		return m.States
	}
	var names []string
	for _, e := range m.Equations {
		names = append(names, e.State)
	}
	return names
}
