package config

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
)

// samplerCertificate settles whether the bias of the step is estimated, and reports what
// has none, or one that does not go like the step.
func (l *loader) samplerCertificate() {
	s, n := &l.sampler, l.section
	k := n.Field("certificate")
	if s.Until != nil && s.Until.Bias > 0 {
		if k != nil && !s.Certificate {
			l.Report(k, "until.bias needs the certificate: drop certificate: false")
		}
		k, s.Certificate = n.Field("until").Field("bias"), true
	}
	if !s.Certificate {
		return
	}
	switch b := s.Boundary; {
	case l.traits().Exact:
		l.Report(k, "the certificate tells the bias of the step, and kernel %s has none: drop it", s.Kernel)
	case l.traits().Carries:
		l.Report(k, "the certificate is not known for methods with momentum; found method %s: take %s, or compare with a run at half the step_size", l.method.name, strings.Replace(l.method.name, "sghmc", "sgld", 1))
	case !l.traits().Coupled:
		l.Report(k, "the certificate is not known for kernel %s: take sgld, or compare with a run at half the step_size", l.method.move.name)
	case l.method.wall == rejected:
		l.Report(k, "the certificate compares draws one by one, and method %s leaves some out: take r2sgld", l.method.name)
	case l.method.wall == projected || b == string(domain.Project) || b == string(domain.Nearest):
		l.Report(k, "the certificate takes the bias to go like the step, which it does under boundary specular and refuse only; found %s", cmp.Or(b, string(domain.Project)))
	case l.method.wall == penalised && (s.Penalty == nil || s.Penalty.Form == penaltyForce && s.Penalty.Strength > 0):
		l.Report(k, "the certificate takes the bias to go like the step, and under a force that jumps at the wall it does not: take penalty: {form: distance}, or a method that reflects")
	}
}

// certify sees to the certificate once kernel auto is chosen: kernels without bias do
// without.
func (l *loader) certify(s *Run) {
	if l.traits().Exact && l.sampler.Certificate {
		l.sampler.Certificate = false
		if u := l.sampler.Until; u != nil {
			u.Bias = 0
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("kernel auto took %s, whose steps have no bias: the certificate is left out.", l.sampler.Kernel))
	}
}
