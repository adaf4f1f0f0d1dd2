package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/potential"
)

func (l *loader) sample() (*Run, error) {
	root := l.root
	l.Section(root, "name", "variables", "potential", "noise", "domain", "sampler")
	s := &Run{Command: "sample", Name: l.readName()}
	l.readNames(root.Field("variables"))
	u := l.readPotential(root.Field("potential"))
	noise := l.readNoise(root.Field("noise"))
	l.readDomain(root.Field("domain"))
	section := root.Field("sampler")
	l.readSampler(section)
	if noise != nil && l.method.exchanges && section.Field("swap").Field("variance") == nil {
		l.sampler.Swap.Variance = 2 * noise.Energy * noise.Energy // of the difference of two energies
	}
	l.readInit(section.Field("init"))
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	temperature := []float64{1, 3}
	if bounded(l.domain) {
		temperature = []float64{1, 10}
	}
	l.sampler.settle(l.method, 100_000, 10_000, 10, temperature)
	l.lengths(section, len(l.names))
	l.settleInit()
	if len(l.Problems) == 0 {
		l.measureSteps(u)
	}
	if err := l.Problems.Err(); err != nil {
		return nil, err
	}
	if noise != nil {
		u = potential.Noisy(u, noise.Gradient, noise.Energy)
	}
	s.Problem = r2sgld.Problem{Potential: u, Domain: l.domain, Names: l.names}
	s.Settings = l.sampler.settings(l.method)
	s.Settings.Start = l.sampler.start()
	s.Resolved = Resolved{Name: s.Name, Variables: l.names, Potential: root.Field("potential").Text, Noise: noise,
		Domain: plainValue(root.Field("domain")), Sampler: l.sampler}
	return s, nil
}

// readPotential compiles the potential.
func (l *loader) readPotential(n *yamlpos.Node) potential.Potential {
	if n == nil {
		l.reportBare(l.root, "the potential is missing: add, for instance, potential: \"x^2/2\"")
		return nil
	}
	text, ok := l.Text(n)
	if !ok || l.names == nil {
		return nil
	}
	e, err := expression.Compile(text, l.names)
	if err != nil {
		if !l.formula(n, err) {
			l.Report(n, "%v", err)
		}
		return nil
	}
	return potential.FromExpression(e)
}

// readNoise reads synthetic noise.
func (l *loader) readNoise(n *yamlpos.Node) *Noise {
	if !l.Section(n, "gradient", "energy") {
		return nil
	}
	g, _ := l.NotNegative(n.Field("gradient"))
	e, _ := l.NotNegative(n.Field("energy"))
	for _, key := range []string{"gradient", "energy"} {
		if f := n.Field(key); f != nil && max(g, e) > 1e100 {
			l.Report(f, "noise above 1e100 leaves no number intact: measure it in the units of the potential")
			break
		}
	}
	return &Noise{g, e}
}

// settleInit chooses where to start: uniformly on a bounded domain, else at
// the origin if it is inside, else at an interior point.
func (l *loader) settleInit() {
	if l.sampler.Init != nil {
		return
	}
	if bounded(l.domain) {
		l.sampler.Init = "uniform"
		return
	}
	origin := make([]float64, len(l.names))
	if l.domain != nil && !l.domain.Contains(origin) {
		copy(origin, l.inside)
	}
	l.sampler.Init = named(l.names, origin)
}
