package sampler

import (
	"cmp"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
)

// certificate settles whether the bias of the step is estimated, and reports what
// has none, or one that does not go like the step.
func (l *Choice) certificate() {
	s, n := &l.Sampler, l.Node
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
	case l.Traits().Exact:
		l.Report(k, "the certificate tells the bias of the step, and kernel %s has none: drop it", s.Kernel)
	case l.Traits().Carries:
		l.Report(k, "the certificate is not known for methods with momentum; found method %s: take %s, or compare with a run at half the "+
			"step_size", l.Method.Name, strings.Replace(l.Method.Name, "sghmc", "sgld", 1))
	case !l.Traits().Coupled:
		l.Report(k, "the certificate is not known for kernel %s: take sgld, or compare with a run at half the step_size", l.Method.Move.Name)
	case l.Method.Wall == Rejected:
		l.Report(k, "the certificate compares draws one by one, and method %s leaves some out: take r2sgld", l.Method.Name)
	case l.Method.Wall == Projected || b == string(domain.Project) || b == string(domain.Nearest):
		l.Report(k, "the certificate takes the bias to go like the step, which it does under boundary specular and refuse only; found %s",
			cmp.Or(b, string(domain.Project)))
	case l.Method.Wall == Penalised && (s.Penalty == nil || s.Penalty.Form == Force && s.Penalty.Strength > 0):
		l.Report(k, "the certificate takes the bias to go like the step, and under a force that jumps at the wall it does not: take penalty: "+
			"{form: distance}, or a method that reflects")
	}
}
