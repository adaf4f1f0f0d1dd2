package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/tune"
)

// suitsPaths reports what a kernel that follows paths in closed form is not for: some
// potentials and walls, and keys of steps.
func (l *loader) suitsPaths(p r2sgld.Problem) {
	if !l.traits().Paths {
		return
	}
	section, name := l.section, l.method.move.name
	switch k := section.Field("schedule"); {
	case l.sampler.Schedule.Kind == kernel.Constant: // resolved configurations have it
	case l.method.schedule == kernel.Cosine:
		l.Report(section.Key("kernel"), "kernel %s has no steps that the schedule of method %s could change: take another method", name, l.method.name)
	case k != nil:
		l.Report(k, "kernel %s has no steps that a schedule could change: drop the key", name)
	}
	if k := section.Field("step_size"); k != nil && l.infinite == nil {
		l.Report(k, "kernel %s follows exact paths, not steps (but at an infinite temperature): drop the key", name)
	}
	if b := section.Field("boundary"); b != nil && b.Text != string(domain.Specular) {
		l.Report(b, "kernel %s reflects its paths itself, as boundary specular does; found %s", name, b.Text)
	}
	if p.Base != nil {
		l.Report(section.Key("kernel"), "kernel %s is not for priors that method %s keeps apart from the data: take kernel hmc", name, l.method.name)
		return
	}
	if l.method.wall == free {
		p.Domain = nil
	}
	if err := tune.Suits(l.method.move.of(&l.sampler), p, l.from()); err != nil {
		l.Report(section.Key("kernel"), "%v. Take kernel hmc", err)
	}
}

// gaussian reports whether kernel harmonic would do, and no key speaks of steps.
func (l *loader) gaussian(s *Run) bool {
	for _, key := range []string{"step_size", "schedule", "boundary", "leapfrog"} {
		if l.section.Field(key) != nil {
			return false
		}
	}
	return l.method.wall == reflected && l.method.schedule != kernel.Cosine && tune.Gaussian(s.Problem, l.from())
}
