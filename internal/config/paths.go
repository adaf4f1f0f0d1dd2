package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// suitsPaths reports what a kernel that follows paths in closed form is not for: some
// potentials and walls, and keys of steps.
func (l *loader) suitsPaths(p r2sgld.Problem) {
	if !l.Traits().Paths {
		return
	}
	section, name := l.Node, l.Method.Move.Name
	switch k := section.Field("schedule"); {
	case l.Sampler.Schedule.Kind == kernel.Constant: // resolved configurations have it
	case l.Method.Schedule == kernel.Cosine:
		l.Report(section.Key("kernel"), "kernel %s has no steps that the schedule of method %s could change: take another method", name,
			l.Method.Name)
	case k != nil:
		l.Report(k, "kernel %s has no steps that a schedule could change: drop the key", name)
	}
	if k := section.Field("step_size"); k != nil && l.Infinite == nil {
		l.Report(k, "kernel %s follows exact paths, not steps (but at an infinite temperature): drop the key", name)
	}
	if b := section.Field("boundary"); b != nil && b.Text != string(domain.Specular) {
		l.Report(b, "kernel %s reflects its paths itself, as boundary specular does; found %s", name, b.Text)
	}
	if p.Base != nil {
		l.Report(section.Key("kernel"), "kernel %s is not for priors that method %s keeps apart from the data: take kernel hmc", name,
			l.Method.Name)
		return
	}
	if l.Method.Wall == sampler.Free {
		p.Domain = nil
	}
	if err := tune.Suits(l.Method.Move.Of(&l.Sampler), p, l.from()); err != nil {
		l.Report(section.Key("kernel"), "%v. Take kernel hmc", err)
	}
}

// gaussian reports whether kernel harmonic would do, and no key speaks of steps.
func (l *loader) gaussian(s *Run) bool {
	for _, key := range []string{"step_size", "schedule", "boundary", "leapfrog"} {
		if l.Node.Field(key) != nil {
			return false
		}
	}
	return l.Method.Wall == sampler.Reflected && l.Method.Schedule != kernel.Cosine && tune.Gaussian(s.Problem, l.from())
}

// chooseKernel settles kernel auto: harmonic where it will do, else hmc, which is exact,
// where energies are, else sgld. Method auto takes harmonic without being asked, and hmc where
// another program computes energies, if it keeps their law: a gradient then costs much more than
// a step of any kernel, and a trial of sgld as much as the run.
func (l *loader) chooseKernel(s *Run) {
	unasked := l.Sampler.Kernel == "" && l.Method.Auto() && l.Method.Move.Name == sampler.Langevin && !l.Sampler.Certificate
	switch {
	case l.Sampler.Kernel != sampler.Auto && !unasked:
		return
	case l.gaussian(s):
		l.MoveBy(sampler.Gaussian)
		return
	case unasked && !(s.elsewhere() && tune.Exact(s.Problem)):
		return
	}
	l.Sampler.Kernel = ""
	if _, noisy := potential.Exact(s.Problem.Potential); noisy {
		s.Warnings = append(s.Warnings, "kernel auto took sgld, whose steps have a bias: energies and gradients carry noise, and kernels "+
			"without bias need exact ones.")
		return
	}
	l.MoveBy(sampler.Exact)
}
