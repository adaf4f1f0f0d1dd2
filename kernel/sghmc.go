package kernel

import (
	"errors"
	"fmt"

	"github.com/r2sgld/r2sgld/stream"
)

// Momentum is the kernel SGHMC.
type Momentum struct {
	Mu float64 // μ, the share of the momentum that a step keeps, 0 ≤ μ < 1
	// NoiseEstimate is β̂ ≥ 0, with μ + β̂ < 1: the share of the noise that the
	// gradient's own noise is trusted to bring.
	NoiseEstimate float64
}

// Validate reports what is wrong with m, or nil.
func (m Momentum) Validate() error {
	switch {
	case !(m.Mu >= 0 && m.Mu < 1):
		return fmt.Errorf("momentum %g must be at least 0 and less than 1", m.Mu)
	case !(m.NoiseEstimate >= 0 && m.Mu+m.NoiseEstimate < 1):
		return fmt.Errorf("noise estimate %g must be at least 0 and less than 1 − momentum, %g", m.NoiseEstimate, 1-m.Mu)
	}
	return nil
}

// Suits reports what about c the kernel cannot do with, or nil.
func (m Momentum) Suits(c Conditions) error { return errors.Join(c.notMirrored(m), c.noBase()) }

// Traits are those of steps with a bias, whose momenta go on.
func (m Momentum) Traits() Traits {
	return Traits{Name: "momentum", Carries: true, Momentum: m, Steps: 1, GivenUp: Langevin{}.Traits().GivenUp}
}

// Prepare returns the maker of a mover by stepMomentum.
func (m Momentum) Prepare(Target) (func(*Block) Mover, error) {
	return func(b *Block) Mover {
		if b.V == nil {
			b.V = make([]float64, len(b.X))
		}
		return sghmc{momentum: m}
	}, nil
}

type sghmc struct {
	stateless
	momentum Momentum
}

func (s sghmc) Step(b *Block, at *At, noise *stream.Lanes) { stepMomentum(b, at, s.momentum, noise) }

// stepMomentum moves every replica of b by one step of stochastic gradient Hamiltonian
// Monte Carlo (Chen, Fox & Guestrin 2014), before the reflection:
//
//	v ← μ v − η ∇Ũ(x) + sqrt(2η(1−μ−β̂)τ) ξ,  x ← x + v.
//
// μ = 0 is SGLD. On U = x²/2 with gradient noise of variance s² the stationary
// variance of x is (τ + ηs²/(2(1−μ)))/(1 − η/(2(1+μ))), for β̂ = 0. The rest is as
// in stepLangevin.
func stepMomentum(b *Block, at *At, m Momentum, noise *stream.Lanes) {
	copy(b.From, b.X)
	xi := noise.Normals(b.D)
	for i, rung := range b.Rung {
		eta, sd := at.Drift[rung], at.Noise[rung]
		for j := i; j < len(b.X); j += b.Stride {
			v := m.Mu*b.V[j] + sd*xi[j]
			if eta != 0 { // where it is, an infinite gradient is of no concern
				v -= eta * b.Grad[j]
			}
			b.V[j] = v
			b.X[j] = b.From[j] + v
		}
	}
}

// Rescale takes the momentum of replica i from its equilibrium at one temperature
// and spread (see [At]) to that at another, while the state stays. Momentum that
// led to a state leans uphill there: given x, v has mean s²/(2τ) ∇U(x), which is
// η∇U/(1+μ), exactly so for quadratic U (leapfrog calls v less this the momentum
// at the time of x). What is above it is multiplied by the ratio of the spreads.
// Without the mean, swaps would pull the law inwards by order η/(1−μ). Where the
// step size had decayed to nothing there is no momentum to take along.
func (b *Block) Rescale(i int, s, tau, newS, newTau float64) {
	if s == 0 {
		return
	}
	f := newS / s
	lean := newS*newS/(2*newTau) - f*s*s/(2*tau)
	for j := i; j < len(b.V); j += b.Stride {
		b.V[j] *= f
		if lean != 0 { // where it is, the gradient may be infinite
			b.V[j] += lean * b.Grad[j]
		}
	}
}
