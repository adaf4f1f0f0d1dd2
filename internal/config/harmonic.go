package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/kernel"
)

// suitsHarmonic reports what kernel harmonic is not for: a potential that is no
// Gaussian, walls that are neither linear nor quadratic, and keys of steps.
func (l *loader) suitsHarmonic(p r2sgld.Problem) {
	if l.method.move != harmonic {
		return
	}
	section := l.section
	switch k := section.Field("schedule"); {
	case l.sampler.Schedule.Kind == kernel.Constant: // resolved configurations have it
	case l.method.schedule == kernel.Cosine:
		l.Report(section.Key("kernel"), "kernel harmonic has no steps that the schedule of method %s could change: take another method", l.method.name)
	case k != nil:
		l.Report(k, "kernel harmonic has no steps that a schedule could change: drop the key")
	}
	if k := section.Field("step_size"); k != nil && l.infinite == nil {
		l.Report(k, "kernel harmonic follows exact paths, not steps (but at an infinite temperature): drop the key")
	}
	if b := section.Field("boundary"); b != nil && b.Text != string(domain.Specular) {
		l.Report(b, "kernel harmonic reflects its paths itself, as boundary specular does; found %s", b.Text)
	}
	if p.Base != nil {
		l.Report(section.Key("kernel"), "kernel harmonic is not for priors that method %s keeps apart from the data: take kernel hmc", l.method.name)
		return
	}
	if l.method.wall == free {
		p.Domain = nil
	}
	if err := l.gaussianFrom(p); err != nil {
		l.Report(section.Key("kernel"), "%v. Take kernel hmc", err)
	}
}

// mostHarmonic is the largest dimension in which a Gaussian is looked for unasked.
const mostHarmonic = 400

// gaussian reports whether kernel harmonic would do: the potential is quadratic by its
// formula and the walls are flat or quadratic, and no key speaks of steps.
func (l *loader) gaussian(s *Run) bool {
	p := s.Problem
	for _, key := range []string{"step_size", "schedule", "boundary", "leapfrog"} {
		if l.section.Field(key) != nil {
			return false
		}
	}
	if p.Base != nil || l.method.wall != reflected || l.method.schedule == kernel.Cosine || p.Potential.Dim() > mostHarmonic {
		return false
	}
	quadratic := s.Model != nil && s.Model.Linear
	if n := l.root.Field("potential"); n != nil && n.Kind == yamlpos.Scalar {
		f, err := expression.Compile(n.Text, l.names)
		if quadratic = err == nil; quadratic {
			_, quadratic = f.Quadratic()
		}
	}
	if !quadratic {
		return false
	}
	return l.gaussianFrom(p) == nil
}

// gaussianFrom is what keeps kernel harmonic from the law of p, as seen from where a run
// starts; nil if nothing does.
func (l *loader) gaussianFrom(p r2sgld.Problem) error {
	x := l.from()
	if x == nil {
		x = l.reduced(l.inside)
	}
	return kernel.SuitsHarmonic(p.Potential, p.Domain, x)
}
