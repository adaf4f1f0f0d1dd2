package dynamics

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/ode"
)

// States returns the names of all states: those of the data in the order of the
// configuration, then those that a trajectory carries along.
func (p *Problem) States() []string { return slices.Clone(p.model.States) }

// Trajectory reports whether the likelihood is that of the data about a trajectory.
func (p *Problem) Trajectory() bool { return p.path != nil }

// Datum is what the data are counted in: "row", or "test function" in weak form.
func (p *Problem) Datum() string {
	if p.Width() > 0 {
		return "test function"
	}
	return "row"
}

// Width is how many rows a test function spans; 0 without test functions.
func (p *Problem) Width() int {
	if p.joint == nil {
		return 0
	}
	return p.rows.width
}

// Solver returns options with which every trajectory of the posterior can be
// computed, stiff ones too, at least as well as the likelihood does. Of other
// models it is that of the configuration.
func (p *Problem) Solver() ode.Options {
	if p.path == nil {
		return p.model.Solver
	}
	rtol := math.Min(p.path.options.RTol, 1e-6)
	return ode.Options{Method: ode.LSODA, RTol: rtol, ATol: p.path.sizes(rtol)}
}

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
