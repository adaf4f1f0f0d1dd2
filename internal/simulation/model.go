package simulation

import (
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/ode"
)

// Of returns the model of a problem, whose draws are those of its parameters. A
// problem with a state that has no equation is an error.
func Of(p *dynamics.Problem) (*Model, error) {
	s, err := p.System()
	if err != nil {
		return nil, err
	}
	m := &Model{States: s.States(), System: func(x []float64) ode.System { return s.At(x) }, Initial: p.Initial}
	sd := make([]float64, len(m.States))
	m.LogNormal = p.Likelihood.ObservationNoise(sd, make([]float64, len(p.Parameters)))
	for _, v := range sd {
		if v == v { // of one state at least
			m.Noise = func(dst, x []float64) { p.Likelihood.ObservationNoise(dst, x) }
		}
	}
	return m, nil
}
