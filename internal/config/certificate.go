package config

import (
	"fmt"
)

// certify sees to the certificate once kernel auto is chosen: kernels without bias do
// without.
func (l *loader) certify(s *Run) {
	if l.Traits().Exact && l.Sampler.Certificate {
		l.Sampler.Certificate = false
		if u := l.Sampler.Until; u != nil {
			u.Bias = 0
		}
		s.Warnings = append(s.Warnings, fmt.Sprintf("kernel auto took %s, whose steps have no bias: the certificate is left out.",
			l.Sampler.Kernel))
	}
}
