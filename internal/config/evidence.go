package config

import (
	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
)

// suitsEvidence reports a run that is to end when log Z is known, and never will know it.
func (l *loader) suitsEvidence(p r2sgld.Problem) {
	if u := l.Sampler.Until; u == nil || u.Evidence == 0 {
		return
	}
	at := l.Node.Field("until").Field("evidence")
	switch {
	case !p.HasReference():
		l.Report(at, "log Z needs a bounded domain, to whose uniform law temperatures rise: bound every variable, or drop evidence")
	case potential.EnergyNoise(p.Potential) != 0:
		l.Report(at, "evidence as the end of a run needs energies without noise: drop it, or the noise of the energies")
	default:
		if why := l.Sampler.Swap.Bias(2, false); len(why) > 0 {
			l.Report(at, "evidence as the end of a run needs unbiased swaps (%s): drop it, or what sampler.swap says of them", why[0])
		}
	}
}
