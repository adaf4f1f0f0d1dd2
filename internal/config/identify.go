package config

import (
	"math"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/key"
	"github.com/r2sgld/r2sgld/internal/config/region"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/system"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/tune"
)

func (l *loader) identification() (*Run, error) {
	l.identify, l.OfModel = true, true
	root := l.root
	l.Only(root, l.identifyKeys())
	s := &Run{Command: "identify", Name: l.readName()}
	in := &system.Reader{Reader: &l.Reader, Root: root, File: l.file}
	data, columns := in.ReadData()
	model, resolved := in.ReadModel(columns)
	l.Load(root.Field("sampler"))
	l.names = in.Names(model)
	l.fixed = map[string]float64{}
	if model != nil {
		for _, v := range model.Fixed {
			l.fixed[v.Name] = v.Value
		}
	}
	l.useConstraints(root.Field("model").Field("constraints"), model)
	if l.programs.Data != nil {
		data.SHA256 = ""
	}
	series := in.Series(data, columns, l.programs.open)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	p, err := dynamics.Build(model, series)
	if err != nil {
		in.Faults(err)
		return nil, l.Problems.Err()
	}
	s.Model = p
	l.names, l.center = p.Parameters, p.Center
	l.parameterDomain(p.Prior, root.Field("model"), nil).Settle(root.Field("model").Key("constraints"))
	outputs := root.Field("model").Field("outputs")
	of, _ := l.formulas(outputs)
	l.follow(s, outputs, of)
	figures := l.readFigures(root.Field("figures"), l.names)
	l.readInit(l.Node.Field("init"))
	l.reference()
	l.suits()
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	s.Resolved = Resolved{Name: s.Name, Data: data, Model: resolved, Figures: figures}
	l.sampling(s, p, model.Likelihood == system.Trajectory)
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	return s, nil
}

// identifyKeys declares a configuration of identify.
func (l *loader) identifyKeys() []key.Key {
	return []key.Key{
		l.nameKey(),
		key.Mapping("data", system.DataKeys(&system.Data{})).By(nil).Must().Tells("", "[the series](#data)"),
		key.Mapping("model", system.ModelKeys(&system.Model{})).By(nil).Must().Tells("", "[equations, constraints, priors](#model)"),
		key.Mapping("sampler", l.Known()).By(nil).Tells("[method auto](#method-auto)", "[how to draw](#sampler)"),
		figuresKey(),
	}
}

// useConstraints tells the model what its constraints allow, for the search of a
// mode, and that the terms they speak of belong to it. The domain itself is built
// later, with the priors.
func (l *loader) useConstraints(n *yamlpos.Node, m *dynamics.Model) {
	if n == nil || l.names == nil || m == nil {
		return
	}
	r := l.newRegion()
	r.Constraints(n)
	if d, err := r.Build(); err == nil && d != nil {
		m.Allowed = d.Contains
	}
	if m.Sparse == nil {
		return
	}
	for _, text := range system.Texts(n) {
		if names, err := expression.ConstraintNames(text); err == nil {
			m.Sparse.Keep = append(slices.Clip(m.Sparse.Keep), names...)
		}
	}
}

// sampling says how the posterior p is sampled: in which
// coordinates, from where, and with which settings.
func (l *loader) sampling(s *Run, p *dynamics.Problem, trajectory bool) {
	s.Problem = r2sgld.Problem{Potential: p.Potential, Domain: l.region.Domain, Names: l.names}
	whitening := &r2sgld.Whitening{Center: p.Center, L: p.Factor}
	if trajectory && l.Method.Auto() && (l.Node.Field("kernel") == nil || l.Sampler.Kernel == sampler.Auto) {
		l.MoveBy(sampler.Exact) // a gradient costs much more than a step of any kernel
	}
	var chart *prior.Chart
	if trajectory && l.Traits().Metropolis && l.Method.Auto() {
		chart = p.Chart(l.region.Room())
	}
	if chart != nil {
		if l.Sampler.Init == sampler.FromUniform {
			l.Report(l.Node.Field("init"), "method auto starts trajectories from the priors: drop init, or write init: prior")
		}
		s.Problem, whitening = l.charted(p.Potential, p.Prior, p.Center, p.Factor, chart)
		l.roomInPriors(s.Problem)
	}
	l.settleFit(p, chart != nil)
	if len(l.Problems) > 0 {
		return
	}
	l.whiten(whitening)
	l.settle(s, []float64{1, 3}, 200_000, 20_000, 20)
	if len(l.Problems) > 0 {
		return
	}
	if chart == nil && l.Sampler.Init == sampler.FromPrior {
		l.startFromPrior(s, p)
	}
	if chart != nil {
		l.startsInChart(s, chart.Coordinates)
	}
}

// parameterDomain is the region of the parameters by the constraints and the supports of
// the priors, not settled yet.
func (l *loader) parameterDomain(p *prior.Joint, model *yamlpos.Node, written []string) *region.Region {
	r := l.newRegion()
	r.Written = written
	r.Constraints(model.Field("constraints"))
	for j, name := range l.names {
		if lo := p.Lower[j]; !math.IsInf(lo, -1) {
			r.Add(r.Unit(j, -1), -lo, name+" >= "+strconv.FormatFloat(lo, 'g', -1, 64)+" (prior)")
		}
		if hi := p.Upper[j]; !math.IsInf(hi, 1) {
			r.Add(r.Unit(j, 1), hi, name+" <= "+strconv.FormatFloat(hi, 'g', -1, 64)+" (prior)")
		}
	}
	l.region = r
	return r
}

// settleFit fills in what a fit provides: whitening, its step size, the start.
func (l *loader) settleFit(p *dynamics.Problem, charted bool) {
	s := &l.Sampler
	if s.Whiten == nil && !l.Method.Auto() {
		whiten := p.Factor != nil && l.Method.Wall != sampler.Mirrored
		s.Whiten = &whiten
	}
	switch {
	case s.Init == sampler.FromPrior && l.Method.Auto() && !charted:
		switch at := l.Node.Field("init"); {
		case !p.Trajectory() || !l.Traits().Metropolis:
			l.Report(at, "with method auto init: prior needs likelihood trajectory and kernel hmc or mala")
		default:
			l.withoutPriors(at, p)
		}
	case s.Init != nil:
	case charted:
		s.Init = sampler.FromPrior
	case l.Method.Auto() && bounded(l.region.Domain):
		s.Init = sampler.FromUniform
	}
	if s.Init == nil {
		start := p.Center
		if l.region.Domain != nil && !l.region.Domain.Contains(start) {
			start = l.region.Inside
		}
		s.Init = named(l.names, start)
	}
	if !l.Method.Auto() && *s.Whiten && s.StepSize == nil {
		s.StepSize = []float64{whitenedStep(p, l.from())}
	}
}

// whitenedStep is the step size in whitened coordinates: 0.02 where the posterior
// has unit curvature, less by the square of its slope at the start where walls
// keep the start away from the mode, down to a hundredth: the start may be far
// from where the draws will be.
func whitenedStep(p *dynamics.Problem, start []float64) float64 {
	d := len(start)
	energy, g := make([]float64, 1), make([]float64, d)
	p.Whole.Evaluator(1, nil).Eval(energy, g, start)
	steep := 1.0
	for j := range d {
		slope := 0.0
		for i := range d {
			slope += p.Factor[i][j] * g[i]
		}
		steep = max(steep, slope*slope)
	}
	if !(steep < 100) {
		steep = 100
	}
	return tune.Readable(0.02 / steep)
}
