package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/potential"
)

// A Problem is the posterior of a model's parameters given a series, ready to
// be sampled, with what is needed to start, scale and explain it.
type Problem struct {
	Parameters []string            // the free parameters, in the order of the states of Potential
	Potential  potential.Potential // −log likelihood (without constants) − log priors
	Whole      potential.Potential // Potential without minibatches: the sums are over all rows
	Linear     bool                // whether the equations are linear in the parameters
	Estimate   []float64           // the least-squares fit, priors and constraints aside
	Noise      []float64           // per equation, the standard deviation used; nil for noise: paper
	// Lower and Upper are the support of each parameter's prior: bounds to add
	// to the domain. ±Inf where there is none.
	Lower, Upper []float64
	// Center and Factor whiten the posterior: x = Center + Factor·z, with Center
	// the posterior mode without constraints, which may lie outside the domain,
	// and Factor·Factorᵀ the inverse of
	// the posterior's precision there (Gauss–Newton if not linear). Factor is
	// lower triangular unless the precision is singular.
	Center    []float64
	Factor    [][]float64
	Responses []Response
	Time      []float64 // of the rows of the responses
	Warnings  []string

	model     *Model
	series    *Series
	equations []equation
	rows      *rows
	priors    priors
	byName    []int // the responses in the order of the names of their states
	fitted    func(dst []float64, c int, x []float64)
}

// A Response is what one equation explains.
type Response struct {
	State    string
	Label    string    // for axes: dH/dt, or d log H/dt
	Observed []float64 // estimated from the data, at the times of the problem
}

// rows is a model's data at the rows that have a derivative.
type rows struct {
	values map[string][]float64 // of states, time and fixed parameters
	line   []int
	file   string
}

// Build makes the posterior of the model's free parameters given the series.
// Its error joins a [*ModelError] or [*DataError] for each fault.
func Build(m *Model, s *Series) (*Problem, error) {
	f := &faults{}
	equations, names := m.equations(f)
	m.check(f, names)
	if err := f.join(); err != nil {
		return nil, err
	}
	p := &Problem{Parameters: names, Noise: make([]float64, len(equations)), model: m, series: s, equations: equations}
	switch m.Likelihood {
	case "trajectory":
		if err := p.trajectory(s); err != nil {
			return nil, err
		}
		return p, nil
	case "weak":
		if err := p.weak(s); err != nil {
			return nil, err
		}
		return p, nil
	}
	if err := p.read(s); err != nil {
		return nil, err
	}
	lin, err := p.linear()
	if err != nil {
		return nil, err
	}
	var likelihood, whole potential.Potential
	var gram func(x []float64) []float64
	if p.Linear = lin != nil; p.Linear {
		likelihood, whole, gram, err = p.fromLinear(lin)
	} else {
		likelihood, whole, gram, err = p.fromCurves()
	}
	if err != nil {
		return nil, err
	}
	if err := p.withPriors(likelihood, whole, gram); err != nil {
		return nil, err
	}
	return p, nil
}

// read estimates the derivatives and gathers the values of all known symbols at
// their rows.
func (p *Problem) read(s *Series) error {
	var states []string
	for _, e := range p.equations {
		states = append(states, e.state)
	}
	log := p.logarithmic()
	slopes, err := s.Slopes(p.model.Derivative, states, log)
	if err != nil {
		return err
	}
	p.rows = &rows{values: map[string][]float64{}, file: s.File}
	at := func(v []float64) []float64 {
		out := make([]float64, len(slopes.Row))
		for i, row := range slopes.Row {
			out[i] = v[row]
		}
		return out
	}
	p.Time = at(s.Time)
	for _, row := range slopes.Row {
		p.rows.line = append(p.rows.line, s.Line[row])
	}
	for _, name := range p.model.States {
		v, ok := s.Values[name]
		if !ok {
			return &ModelError{[]string{"data", "states"}, -1, fmt.Errorf("the series has no state %q", name)}
		}
		p.rows.values[name] = at(v)
	}
	for _, name := range p.model.times() {
		p.rows.values[name] = p.Time
	}
	for _, v := range p.model.Fixed {
		if _, taken := p.rows.values[v.Name]; !taken {
			p.rows.values[v.Name] = slices.Repeat([]float64{v.Value}, len(p.Time))
		}
	}
	for i, e := range p.equations {
		label := "d" + e.state + "/dt"
		if log {
			label = "d log " + e.state + "/dt"
		}
		p.Responses = append(p.Responses, Response{e.state, label, slopes.Value[i]})
	}
	p.byName = seq(len(p.Responses))
	slices.SortFunc(p.byName, func(a, b int) int { return strings.Compare(p.Responses[a].State, p.Responses[b].State) })
	return nil
}

func (p *Problem) logarithmic() bool { return p.model.Likelihood == "log-derivative" }

// scale is the known factor of an equation's right-hand side in its response;
// nil is 1.
func (p *Problem) scale(e equation) []float64 {
	if !p.logarithmic() {
		return nil
	}
	v := slices.Clone(p.rows.values[e.state])
	for i, x := range v {
		v[i] = 1 / x
	}
	return v
}

// index are the places of an equation's parameters among all.
func (p *Problem) index(e equation) []int {
	out := []int{}
	for _, name := range e.parameters {
		out = append(out, slices.Index(p.Parameters, name))
	}
	return out
}

// weigh turns the residual standard deviation of an equation's own fit into
// its weight.
func (p *Problem) weigh(i int, own potential.Fit) (float64, error) {
	e := p.equations[i]
	switch p.model.Noise.Kind {
	case "paper":
		p.Noise = nil
		return 1 / float64(len(p.Time)), nil
	case "given":
		for _, v := range p.model.Noise.SD {
			if v.Name == e.state {
				p.Noise[i] = v.Value
			}
		}
		return 1 / (p.Noise[i] * p.Noise[i]), nil
	}
	fault := func(format string, args ...any) (float64, error) {
		return 0, &ModelError{[]string{"model", "noise"}, -1, fmt.Errorf(format+"; give it: noise: {%s: …}", append(args, e.state)...)}
	}
	size := 0.0
	for _, y := range p.Responses[i].Observed {
		size = math.Max(size, math.Abs(y))
	}
	switch {
	case math.IsNaN(own.SD):
		return fault("%d rows cannot tell the noise of %q beside %d parameters", len(p.Time), e.state, len(e.parameters))
	case math.IsInf(own.SD, 0), math.IsInf(1/(own.SD*own.SD), 0), own.SD <= 1e-13*size:
		return fault("the equation of %q fits the data exactly (residual sd %.1g): its noise cannot be estimated", e.state, own.SD)
	}
	p.Noise[i] = own.SD
	return 1 / (own.SD * own.SD), nil
}

// fromLinear builds the likelihood of linear equations, with minibatches and
// without, and its curvature.
func (p *Problem) fromLinear(columns []potential.Column) (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	for i := range columns {
		own := columns[i]
		own.Weight = 1
		fit := potential.NewFit(own.Response, zeroOr(own.Offset, len(own.Response)), 0)
		if n := len(own.Index); n > 0 {
			own.Index = seq(n)
			r, err := potential.NewRegression(n, []potential.Column{own}, 0)
			if err != nil {
				return nil, nil, nil, err
			}
			x, rank := r.LeastSquares()
			fit = r.Fit(0, x)
			if rank < n {
				p.Warnings = append(p.Warnings, fmt.Sprintf("the data determine only %d of the %d parameters of %q: "+
					"bounds or priors must hold the rest", rank, n, p.equations[i].state))
			}
		}
		if columns[i].Weight, err = p.weigh(i, fit); err != nil {
			return nil, nil, nil, err
		}
	}
	r, err := potential.NewRegression(len(p.Parameters), columns, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	b := r
	if p.model.Batch > 0 {
		if b, err = potential.NewRegression(len(p.Parameters), columns, p.model.Batch); err != nil {
			return nil, nil, nil, err
		}
	}
	p.Estimate, _ = r.LeastSquares()
	p.fitted = r.Fitted
	g := r.Gram()
	return b, r, func([]float64) []float64 { return slices.Clone(g) }, nil
}

// fromCurves is fromLinear for equations that are not linear.
func (p *Problem) fromCurves() (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	columns, err := p.curves()
	if err != nil {
		return nil, nil, nil, err
	}
	found := slices.Repeat([]float64{math.NaN()}, len(p.Parameters))
	for i := range columns {
		x, fit, err := p.fitAlone(i, columns[i])
		if err != nil {
			return nil, nil, nil, err
		}
		for k, j := range columns[i].Index {
			if math.IsNaN(found[j]) {
				found[j] = x[k]
			}
		}
		if columns[i].Weight, err = p.weigh(i, fit); err != nil {
			return nil, nil, nil, err
		}
	}
	r, err := potential.NewResiduals(len(p.Parameters), columns, 0)
	if err != nil {
		return nil, nil, nil, err
	}
	b, err := potential.NewResiduals(len(p.Parameters), columns, p.model.Batch)
	if err != nil {
		return nil, nil, nil, err
	}
	p.Estimate, _ = minimise(r, r.Gram, found)
	p.fitted = func(dst []float64, c int, x []float64) { r.Fitted(dst, nil, c, x) }
	return b, r, r.Gram, nil
}

// fitAlone fits the parameters of equation i to its response alone.
func (p *Problem) fitAlone(i int, c potential.ResidualColumn) ([]float64, potential.Fit, error) {
	n := len(c.Index)
	start := make([]float64, n)
	for k, j := range c.Index {
		start[k] = math.NaN()
		for _, v := range p.model.Start {
			if v.Name == p.Parameters[j] {
				start[k] = v.Value
			}
		}
	}
	c.Weight, c.Index = 1, seq(n)
	r, err := potential.NewResiduals(max(n, 1), []potential.ResidualColumn{c}, 0)
	if err != nil {
		return nil, potential.Fit{}, err
	}
	if n == 0 {
		return nil, r.Fit(0, nil), nil
	}
	few, err := potential.NewResiduals(n, []potential.ResidualColumn{thinned(c)}, 0)
	if err != nil {
		return nil, potential.Fit{}, err
	}
	x, u := search(few, few.Gram, start)
	if few.Rows() < r.Rows() && !math.IsNaN(u) {
		x, u = minimise(r, r.Gram, x)
	}
	if math.IsNaN(u) {
		return nil, potential.Fit{}, &ModelError{[]string{"model", "equations", p.equations[i].state}, -1,
			errors.New("no parameters were found at which it is finite on all rows: give model.start")}
	}
	return x, r.Fit(0, x), nil
}

// thinned is every k-th row of a column, some 500 of them: enough to find where
// the best fit is.
func thinned(c potential.ResidualColumn) potential.ResidualColumn {
	k := (len(c.Response) + 499) / 500
	thin := func(v []float64) []float64 {
		var out []float64
		for t := 0; t < len(v); t += k {
			out = append(out, v[t])
		}
		return out
	}
	data := c.Data
	c.Data = make([][]float64, len(data))
	for v, d := range data {
		c.Data[v] = thin(d)
	}
	c.Response, c.Scale = thin(c.Response), thin(c.Scale)
	return c
}

// withPriors adds the priors and finds the mode and the precision there.
func (p *Problem) withPriors(likelihood, whole potential.Potential, gram func([]float64) []float64) error {
	d := len(p.Parameters)
	p.Lower, p.Upper = slices.Repeat([]float64{math.Inf(-1)}, d), slices.Repeat([]float64{math.Inf(1)}, d)
	all := make(priors, d)
	p.priors = all
	for _, q := range p.model.Priors {
		j := slices.Index(p.Parameters, q.Parameter)
		parsed, err := parsePrior(q.Text)
		if err != nil {
			return err
		}
		all[j], p.Lower[j], p.Upper[j] = parsed, parsed.lower, parsed.upper
	}
	p.Potential, p.Whole, p.Center = likelihood, whole, p.Estimate
	curvature := gram
	if len(p.model.Priors) > 0 {
		curvature = func(x []float64) []float64 {
			h := gram(x)
			for j, q := range all {
				if q != nil {
					h[j*d+j] += q.curvature(x[j])
				}
			}
			return h
		}
		var err error
		if p.Potential, err = potential.Sum(likelihood, all); err != nil {
			return err
		}
		if p.Whole, err = potential.Sum(whole, all); err != nil {
			return err
		}
		if x, u := minimise(p.Whole, curvature, p.inside()); !math.IsNaN(u) {
			p.Center = x
		}
	}
	h := curvature(p.Center)
	if !finite(h) {
		return &ModelError{[]string{"model", "equations"}, -1, fmt.Errorf(
			"the fit at %v has no finite curvature: give model.start", p.Center)}
	}
	p.Factor = factor(h, d)
	return nil
}

// inside is the estimate moved into the support of the priors.
func (p *Problem) inside() []float64 {
	x := slices.Clone(p.Estimate)
	for j, lo := range p.Lower {
		hi := p.Upper[j]
		switch bounded := !math.IsInf(lo, 0) && !math.IsInf(hi, 0); {
		case x[j] > lo && x[j] < hi:
		case bounded:
			x[j] = (lo + hi) / 2
		case x[j] <= lo:
			x[j] = lo + math.Max(1e-3, math.Abs(x[j]-lo))
		default:
			x[j] = hi - math.Max(1e-3, math.Abs(x[j]-hi))
		}
	}
	return x
}

// Fitted writes what equation c predicts for its response at parameters x.
func (p *Problem) Fitted(dst []float64, c int, x []float64) { p.fitted(dst, c, x) }

// Fit says how well the parameters x fit the response of equation c.
func (p *Problem) Fit(c int, x []float64) potential.Fit {
	fitted := make([]float64, len(p.Time))
	p.Fitted(fitted, c, x)
	return potential.NewFit(p.Responses[c].Observed, fitted, len(p.equations[c].parameters))
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

func zeroOr(v []float64, n int) []float64 {
	if v == nil {
		return make([]float64, n)
	}
	return v
}
