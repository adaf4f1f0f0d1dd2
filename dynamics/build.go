package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
)

// A Problem is the posterior of a model's parameters given a series, ready to
// be sampled, with what is needed to start, scale and explain it.
type Problem struct {
	Parameters []string            // the free parameters, in the order of the states of Potential
	Potential  potential.Potential // −log likelihood (without constants) − log priors
	Whole      potential.Potential // Potential without minibatches: the sums are over all rows
	Linear     bool                // whether the equations are linear in the parameters
	Estimate   []float64           // the least-squares fit, priors and constraints aside; of weak less what noise adds to it
	Noise      []float64           // per equation, the standard deviation used; nil for noise: paper
	// Prior is the law of the parameters before there are data. Its Lower and Upper are
	// bounds to add to the domain.
	Prior *prior.Joint
	// Center and Factor whiten the posterior: x = Center + Factor·z, with Center
	// the posterior mode without constraints, which may lie outside the domain,
	// and Factor·Factorᵀ the inverse of
	// the posterior's precision there (Gauss–Newton if not linear). Factor is
	// lower triangular unless the precision is singular.
	Center    []float64
	Factor    [][]float64
	Responses []Response
	Time      []float64 // at which any response is observed
	Warnings  []string
	Inexact   string // why draws have no known law; empty if they have
	// Terms are the candidates of a library from which the equations were chosen
	// (Model.Sparse), by state, in the order of the library; nil if all are kept.
	Terms []Term

	// Likelihood is the law of the data given the parameters.
	Likelihood Likelihood

	model     *Model
	series    *Series
	equations []equation
	byName    []int // the responses in the order of the names of their states
}

// A Response is what one equation explains.
type Response struct {
	State    string
	Label    string    // for axes: dH/dt, or d log H/dt
	Observed []float64 // estimated from the data
	Time     []float64 // of each observed value; with missing values not all of the problem's
	// SD is the standard deviation of each observed value about the model in units
	// of the problem's Noise; nil is 1 everywhere.
	SD []float64
}

// Build makes the posterior of the model's free parameters given the series.
// Its error joins a [*ModelError] or [*DataError] for each fault.
func Build(m *Model, s *Series) (*Problem, error) {
	p, err := build(m, s)
	if err != nil {
		return nil, err
	}
	coarse := p.coarseSteps()
	if l, ok := p.Likelihood.(*slopes); ok && p.Noise != nil {
		l.attenuation(s, coarse)
	}
	return p, nil
}

// build is Build without looking for what biases slopes.
func build(m *Model, s *Series) (*Problem, error) {
	f := &faults{}
	m = m.complete()
	equations, names := m.equations(f)
	m.check(f, names)
	if err := f.join(); err != nil {
		return nil, err
	}
	if m.Sparse != nil {
		return buildSparse(m, s)
	}
	p := &Problem{Parameters: names, Noise: make([]float64, len(equations)), model: m, series: s, equations: equations}
	var err error
	switch {
	case m.Likelihood == "trajectory":
		err = p.trajectory(s)
	case m.Likelihood == "weak":
		err = p.weak(s)
	case m.Simulated:
		err = p.simulateStates(s)
	default:
		_, err = p.slopes(s)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// slopes is the likelihood of derivatives that are estimated from the data.
type slopes struct {
	*table
	white  []*whitener  // by response, for residuals in units of Noise
	apart  []*separable // by equation that is a curve; nil for those that need all rows
	fitted func(c int, rows []int) func(dst, x []float64)

	weighted []potential.Column // of linear equations
}

// slopes makes the posterior of likelihoods derivative and log-derivative.
func (p *Problem) slopes(s *Series) (*slopes, error) {
	l := &slopes{table: &table{Problem: p}}
	p.Likelihood = l
	if err := l.read(s); err != nil {
		return nil, err
	}
	lin, err := l.linear()
	if err != nil {
		return nil, err
	}
	var likelihood, whole potential.Potential
	var gram func(x []float64) []float64
	l.weighted = lin
	if p.Linear = lin != nil; p.Linear {
		likelihood, whole, gram, err = l.fromLinear(lin)
	} else {
		likelihood, whole, gram, err = l.fromCurves()
	}
	if err != nil {
		return nil, err
	}
	if err := p.withPriors(likelihood, whole, gram); err != nil {
		return nil, err
	}
	return l, nil
}

// weigh turns the residual standard deviation of an equation's own fit into
// its weight.
func (p *slopes) weigh(i int, own potential.Fit) (float64, error) {
	e := p.equations[i]
	switch p.model.Noise.Kind {
	case "paper":
		p.Noise = nil
		return 1 / float64(len(p.Responses[i].Observed)), nil
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
	own.SD = p.white[i].correct(own.SD, own.Rows, len(e.parameters))
	size := 0.0
	for _, y := range p.white[i].vector(p.Responses[i].Observed) {
		size = math.Max(size, math.Abs(y))
	}
	switch {
	case math.IsNaN(own.SD):
		return fault("%d rows cannot tell the noise of %q beside %d parameters", len(p.Responses[i].Observed), e.state, len(e.parameters))
	case math.IsInf(own.SD, 0), math.IsInf(1/(own.SD*own.SD), 0), own.SD <= 1e-13*size:
		return fault("the equation of %q fits the data exactly (residual sd %.1g): its noise cannot be estimated", e.state, own.SD)
	}
	p.Noise[i] = own.SD
	p.fewLeft(strconv.Quote(e.state), float64(own.Rows-len(e.parameters))-p.white[i].lost())
	return 1 / (own.SD * own.SD), nil
}

// fewLeft warns if intervals of 95 % that take the noise for known, as judged with so many
// degrees of freedom, hold the truth in less than 90 %: Student's t has longer tails.
func (p *Problem) fewLeft(states string, free float64) {
	if held := 2*(distuv.StudentsT{Sigma: 1, Nu: free}).CDF(distuv.UnitNormal.Quantile(0.975)) - 1; held < 0.9 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("the noise of %s is judged with %.2g degrees of freedom and then taken for known: "+
			"intervals of 95 %% hold the truth in %.0f %%. "+
			"Give it (model.noise), or take likelihood: trajectory, which finds it with the rest, or more data.", states, free, 100*held))
	}
}

// fromLinear builds the likelihood of linear equations, with minibatches and
// without, and its curvature.
func (p *slopes) fromLinear(columns []potential.Column) (likelihood, whole potential.Potential, gram func([]float64) []float64, err error) {
	p.white = make([]*whitener, len(columns))
	raw := slices.Clone(columns)
	for i := range columns {
		c := &columns[i]
		n := len(c.Index)
		fit, err := p.whitenColumn(i, c)
		if err != nil {
			return nil, nil, nil, err
		}
		p.collinear(p.equations[i], c.Design, n)
		if c.Weight, err = p.weigh(i, fit); err != nil {
			return nil, nil, nil, err
		}
	}
	pad(columns)
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
	p.fitted = func(c int, rows []int) func(dst, x []float64) {
		some := raw[c]
		if rows != nil {
			some = rowsOf(some, rows)
		}
		return func(dst, x []float64) { predict(dst, &some, x) }
	}
	g := r.Gram()
	return b, r, func([]float64) []float64 { return slices.Clone(g) }, nil
}

// whitenColumn whitens the rows of equation i, as its own fit says that they hang
// together, and returns the fit of the whitened ones.
func (p *slopes) whitenColumn(i int, c *potential.Column) (potential.Fit, error) {
	raw, n := *c, len(c.Index)
	rounds := 1
	if p.made != nil {
		// The first fit takes rows as independent, the second finds how they hang
		// together, and the third where the second one's fit was far off.
		p.white[i], rounds = &whitener{sd: unitOr(p.Responses[i].SD, len(c.Response))}, 3
	}
	var x []float64
	var fit potential.Fit
	for round := range rounds {
		if p.made == nil || round > 0 {
			var err error
			if p.white[i], err = p.whiten(i, x); err != nil {
				return fit, err
			}
		}
		w := p.white[i]
		c.Design, c.Offset, c.Response = w.design(raw.Design, n), w.vector(raw.Offset), w.vector(raw.Response)
		own := *c
		own.Weight, own.Index = 1, seq(n)
		if n == 0 {
			fit = potential.NewFit(c.Response, zeroOr(c.Offset, len(c.Response)), 0)
			continue
		}
		r, err := potential.NewRegression(n, []potential.Column{own}, 0)
		if err != nil {
			return fit, notComputable(p.equations[i].state, err)
		}
		x, _ = r.LeastSquares()
		fit = r.Fit(0, x)
	}
	return fit, nil
}

// predict writes offset + design·x of a column.
func predict(dst []float64, c *potential.Column, x []float64) {
	n := len(c.Index)
	for t := range dst {
		sum := 0.0
		if c.Offset != nil {
			sum = c.Offset[t]
		}
		for k, j := range c.Index {
			sum += c.Design[t*n+k] * x[j]
		}
		dst[t] = sum
	}
}

// rowsOf is a column at some rows.
func rowsOf(c potential.Column, rows []int) potential.Column {
	n := len(c.Index)
	design := make([]float64, 0, n*len(rows))
	for _, t := range rows {
		design = append(design, c.Design[t*n:(t+1)*n]...)
	}
	c.Design, c.Response = design, pick(c.Response, rows)
	if c.Offset != nil {
		c.Offset = pick(c.Offset, rows)
	}
	return c
}

// pad gives all columns the rows of the longest, with zeros, which add nothing.
func pad(columns []potential.Column) {
	n := 0
	for _, c := range columns {
		n = max(n, len(c.Response))
	}
	extend := func(v []float64, n int) []float64 { return append(slices.Clip(v), make([]float64, n-len(v))...) }
	for i := range columns {
		c := &columns[i]
		if len(c.Response) == n {
			continue
		}
		c.Response, c.Design = extend(c.Response, n), extend(c.Design, n*len(c.Index))
		if c.Offset != nil {
			c.Offset = extend(c.Offset, n)
		}
	}
}

// unitOr is v, or n ones if that is nil.
func unitOr(v []float64, n int) []float64 {
	if v == nil {
		return slices.Repeat([]float64{1}, n)
	}
	return v
}

// notComputable says of which equation a regression cannot be computed.
func notComputable(state string, err error) error {
	return &ModelError{[]string{"model", "equations", state}, -1, fmt.Errorf(
		"the equation of %q cannot be fitted: %w; check the sizes of its terms, or measure the states in other units", state, err)}
}

func needsIndependent() error {
	return &ModelError{[]string{"model", "batch"}, -1, errors.New(
		"a minibatch of equations that are not linear needs independent rows: take derivative: central, or all rows (batch: 0)")}
}

func errNoStart() error {
	return errors.New("no parameters were found at which it is finite on all rows: give model.start")
}

// readPriors parses the model's priors and finds their supports, in which a
// trajectory's scales are positive.
func (p *Problem) readPriors() error {
	p.Prior = prior.NewJoint(len(p.Parameters))
	if p.model.Likelihood == "trajectory" {
		for j, name := range p.Parameters {
			p.Prior.Lower[j], p.Prior.Upper[j] = p.model.bounds(name)
		}
	}
	for _, q := range p.model.Priors {
		parsed, err := prior.Parse(q.Text)
		if err != nil {
			return err
		}
		p.Prior.Set(slices.Index(p.Parameters, q.Parameter), parsed)
	}
	return nil
}

// withPriors adds the priors and finds the mode and the precision there.
func (p *Problem) withPriors(likelihood, whole potential.Potential, gram func([]float64) []float64) (err error) {
	if err = p.readPriors(); err != nil {
		return err
	}
	if p.Potential, err = p.Prior.Add(likelihood); err != nil {
		return err
	}
	if p.Whole, err = p.Prior.Add(whole); err != nil {
		return err
	}
	curvature := func(x []float64) []float64 {
		h := gram(x)
		p.Prior.AddCurvature(h, x)
		return h
	}
	p.Center = p.Estimate
	if p.Prior.Any() {
		if x, u := minimise(p.Whole, curvature, p.inside()); !math.IsNaN(u) {
			p.Center = x
		}
	}
	h := curvature(p.Center)
	if !finite(h) {
		return &ModelError{[]string{"model", "equations"}, -1, fmt.Errorf(
			"the fit at %v has no finite curvature: give model.start", p.Center)}
	}
	p.Factor = factor(h, len(p.Center))
	p.ridge(h)
	return nil
}

// Chart returns the coordinates that the posterior is sampled in, with the priors cut to
// lo, hi as its base law; nil if there are none.
func (p *Problem) Chart(lo, hi []float64) *prior.Chart {
	sd := make([]float64, len(p.Center))
	for j := range sd {
		sd[j] = p.spread(j)
	}
	return p.Prior.Chart(p.Center, sd, lo, hi)
}

// inside is the estimate moved into the support of the priors.
func (p *Problem) inside() []float64 {
	x := slices.Clone(p.Estimate)
	for j, lo := range p.Prior.Lower {
		hi := p.Prior.Upper[j]
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

// Fit says how well the parameters x fit the response of equation c.
func (p *Problem) Fit(c int, x []float64) potential.Fit {
	fitted := make([]float64, len(p.Responses[c].Observed))
	p.Likelihood.Fitted(c, nil)(fitted, x)
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
