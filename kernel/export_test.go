package kernel

import "github.com/r2sgld/r2sgld/stream"

// Launch begins trajectories with steps of a given factor and given momenta (displacements of a step), as the
// first Leapfrog would with those that it draws: it takes a half-kick back
// because the next Leapfrog makes two.
func (t *trajectory) Launch(b *Block, at *At, noise *stream.Lanes, factor float64, v []float64) {
	t.begin(b, at, noise)
	for i := range t.factor {
		t.factor[i] = factor
	}
	copy(b.V, v)
	t.kick(b, at, -1)
}

// Land makes the half-kick at the end.
func (t *trajectory) Land(b *Block, at *At) { t.kick(b, at, 1) }

// What tests outside the package ask for.
type (
	Flow       = flow
	Orbit      = orbit
	Trajectory = trajectory
	Gaussian   = gaussian
)

var (
	ErrNotGaussian = errNotGaussian
	FindGaussian   = findGaussian
	NewFlow        = newFlow
	NewTrajectory  = newTrajectory
)

// Clone is a copy of b with memory of its own.
func Clone(b *Block) *Block {
	c := NewBlock(b.R, b.D)
	if b.V != nil {
		c.V = make([]float64, len(c.X))
	}
	if b.Base != nil {
		c.WithBase()
	}
	c.Copy(b)
	return c
}
