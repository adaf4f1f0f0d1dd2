package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/config/yamlpos"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
)

// suitsHarmonic reports what kernel harmonic is not for: a potential that is no
// Gaussian, walls that are neither linear nor quadratic, and keys of steps.
func (l *loader) suitsHarmonic(p r2sgld.Problem, section *yamlpos.Node) {
	if !l.method.harmonic {
		return
	}
	switch k := section.Field("schedule"); {
	case l.sampler.Schedule.Kind == string(kernel.Constant): // resolved configurations have it
	case l.method.cycles:
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
	x := l.from()
	if x == nil {
		x = l.reduced(l.inside)
	}
	g, err := kernel.FindGaussian(p.Potential, p.Domain, x)
	if err == nil {
		_, err = kernel.NewFlow(g, p.Domain, kernel.Harmonic{})
	}
	if err != nil {
		l.Report(section.Key("kernel"), "%v. Take kernel hmc", err)
	}
}
