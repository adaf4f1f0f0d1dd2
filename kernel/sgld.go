package kernel

import "github.com/r2sgld/r2sgld/stream"

// Langevin is the kernel SGLD. It has no settings.
type Langevin struct{}

// Validate returns nil.
func (Langevin) Validate() error { return nil }

// Suits returns nil.
func (Langevin) Suits(Conditions) error { return nil }

// Traits are those of steps with a bias, to which others can be coupled.
func (Langevin) Traits() Traits {
	return Traits{Name: "SGLD", Coupled: true, Steps: 1, GivenUp: "they were taken without drift, or not at all"}
}

// Prepare returns the maker of a mover by stepLangevin.
func (Langevin) Prepare(Target) (func(*Block) Mover, error) {
	return func(*Block) Mover { return sgld{} }, nil
}

type sgld struct{ stateless }

func (sgld) Step(b *Block, at *At, noise *stream.Lanes) { stepLangevin(b, at, noise) }

// stepLangevin moves every replica of b by one step of stochastic gradient Langevin
// dynamics (Algorithm 1 of the r2SGLD paper, before the reflection):
//
//	x ← x − η ∇Ũ(x) + sqrt(2ητ) ξ,  ξ ~ N(0, I),
//
// with η and τ of the rung that the replica holds; where τ is infinite, the
// drift is left out and η stands for ητ. With a base law the drift has τ∇U₀ beside
// ∇Ũ. Replica i draws its noise
// from lane i. The states before the step are left in b.From. Grad and Energy
// belong to From until they are evaluated anew.
func stepLangevin(b *Block, at *At, noise *stream.Lanes) {
	x, from, grad, xi := b.X, b.From[:len(b.X)], b.Grad[:len(b.X)], noise.Normals(b.D)[:len(b.X)]
	i := 0
	for k, v := range x {
		from[k] = v
		r := b.Rung[i]
		if eta := at.Drift[r]; eta != 0 { // where it is, an infinite gradient is of no concern
			v -= eta * grad[k]
		}
		x[k] = v + at.Noise[r]*xi[k]
		if i++; i == b.R {
			i = 0
		}
	}
	for k, g := range b.BaseGrad {
		r := b.Rung[i]
		if eta := at.Drift[r]; eta != 0 {
			x[k] -= eta * at.Temperature[r] * g
		}
		if i++; i == b.R {
			i = 0
		}
	}
}
