package dynamics

import (
	"math"
	"slices"
)

// ObservationNoise writes into dst, for each state of the data, the standard
// deviation of an observation about the trajectory with parameters x, that of its
// logarithm if logNormal is true. A trajectory model knows it; others know the
// noise of what they make of the data only, and dst is NaN.
func (p *Problem) ObservationNoise(dst, x []float64) (logNormal bool) {
	for i, state := range p.model.States {
		dst[i] = math.NaN()
		if p.model.Likelihood != "trajectory" {
			continue
		}
		if v, ok := p.model.givenNoise(state); ok {
			dst[i] = v
		} else if v, ok := p.model.fixed(state + noiseSuffix); ok {
			dst[i] = v
		} else if j := slices.Index(p.Parameters, state+noiseSuffix); j >= 0 {
			dst[i] = x[j]
		}
	}
	return p.model.lognormal()
}
