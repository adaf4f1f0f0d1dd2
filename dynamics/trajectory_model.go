package dynamics

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/internal/prior"
)

// Suffixes of the names of the parameters that a trajectory has beside those of
// the equations, one of each for every state.
const (
	initialSuffix = ".initial" // the state at the first time
	noiseSuffix   = ".noise"   // the scale of the noise of its data
)

// complete adds to the states of a trajectory those that have an equation and no
// data.
func (m *Model) complete() *Model {
	if m.Likelihood != "trajectory" {
		return m
	}
	c := *m
	c.States, c.latent = slices.Clone(m.States), nil
	for _, e := range m.Equations {
		if !slices.Contains(c.States, e.State) {
			c.States, c.latent = append(c.States, e.State), append(c.latent, e.State)
		}
	}
	return &c
}

// observed reports whether a state has data.
func (m *Model) observed(state string) bool { return !slices.Contains(m.latent, state) }

// nuisances are the names of those parameters: all initial values, then the
// noise scales of states with data that are not given.
func (m *Model) nuisances() []string {
	var names []string
	for _, s := range m.States {
		names = append(names, s+initialSuffix)
	}
	for _, s := range m.States {
		if _, given := m.givenNoise(s); !given && m.observed(s) {
			names = append(names, s+noiseSuffix)
		}
	}
	return names
}

// givenNoise is the noise scale of a state that the model gives as a number.
func (m *Model) givenNoise(state string) (float64, bool) {
	at := slices.IndexFunc(m.Noise.SD, func(v Value) bool { return v.Name == state })
	if at < 0 {
		return 0, false
	}
	return m.Noise.SD[at].Value, true
}

// noiseKinds are the kinds of noise that the likelihood can have.
func (m *Model) noiseKinds() []string {
	if m.Likelihood == "trajectory" {
		return []string{"normal", "lognormal", "estimate", "given"}
	}
	return []string{"estimate", "given", "paper"}
}

// lognormal reports whether the data of a trajectory have log-normal noise.
func (m *Model) lognormal() bool { return m.Noise.Kind == "lognormal" }

// checkTrajectory looks at what only a trajectory has: fixed values of the
// parameters beside the equations, and an equation for every state.
func (m *Model) checkTrajectory(f *faults) {
	states := m.modelled()
	for _, s := range m.States {
		if !slices.Contains(states, s) {
			f.addf([]string{"equations"}, "no equation for %q: a trajectory needs one for every state of the data", s)
		}
		if used, err := expression.Names(s); err != nil || len(used) != 1 || used[0] != s {
			f.addf([]string{"equations", s}, "%q is no name of a state: take letters, digits and _", s)
		}
		if v, ok := m.fixed(s + noiseSuffix); ok && !(v > 0) {
			f.addf([]string{"fixed", s + noiseSuffix}, "the noise scale %v is not positive", v)
		}
		if v, ok := m.fixed(s + initialSuffix); ok && m.lognormal() && m.observed(s) && !(v > 0) {
			f.addf([]string{"fixed", s + initialSuffix}, "the initial value %v is not positive, as log-normal noise wants it", v)
		}
	}
	if m.Batch > 0 {
		f.addf([]string{"batch"}, "a trajectory has no minibatches: remove it")
	}
	for _, p := range m.Priors {
		q, err := prior.Parse(p.Text)
		if err != nil {
			continue // told with the other priors
		}
		if lo, _ := m.bounds(p.Parameter); q.On(lo, math.Inf(1)) == nil {
			f.add(0, fmt.Errorf("the prior %q of %q has no mass above %v", p.Text, p.Parameter, lo), "priors", p.Parameter)
		}
	}
}

// bounds are where a parameter of a trajectory can be, priors aside.
func (m *Model) bounds(parameter string) (lo, hi float64) {
	for _, s := range m.States {
		if parameter == s+noiseSuffix || parameter == s+initialSuffix && m.lognormal() && m.observed(s) {
			return 0, math.Inf(1)
		}
	}
	return math.Inf(-1), math.Inf(1)
}
