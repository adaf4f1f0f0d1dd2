package reversible

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// eps is the distance of 1 from the next number.
const eps = 0x1p-52

// A problem is K + σM of a chain.
type problem struct {
	chain *Chain
	sigma float64
}

// apply sets dst to (K + σM) f.
func (p *problem) apply(dst, f []float64) {
	for i, m := range p.chain.mass {
		dst[i] = p.sigma*m*f[i] - p.chain.net.flow(i, f)
	}
}

// centre takes the mean from f.
func (p *problem) centre(f []float64) {
	mean := p.chain.mean(f)
	for i := range f {
		f[i] -= mean
	}
}

// precision is the error of linear systems, relative in the norm of the form.
const precision = 1e-12

// Solve returns u of mean 0 with −Lu = f − mean(f), right to about 1e-12 of its
// own size in the norm of the Dirichlet form; 0 where f is constant to rounding. It needs about 110 bytes per state
// and 12 per edge beside the chain. It fails if ctx ends.
func (c *Chain) Solve(ctx context.Context, f []float64) ([]float64, error) {
	if err := c.fits(f); err != nil {
		return nil, err
	}
	if unit := c.unit(); unit != 1 {
		u, err := c.slowed(unit).Solve(ctx, f)
		for i := range u {
			u[i] /= unit
		}
		return u, err
	}
	p := &problem{chain: c}
	right := slices.Clone(f)
	for before, after := math.Inf(1), 0.0; after < before/1024; { // what little a mean leaves has one of its own
		before = floats.Norm(right, math.Inf(1))
		p.centre(right)
		if after = floats.Norm(right, math.Inf(1)); after <= 4*eps*before { // f is constant
			return make([]float64, len(f)), nil
		}
	}
	floats.Mul(right, c.mass)
	mg := newMultigrid(c.net, c.mass, 0)
	u := make([]float64, len(f))
	if err := mg.solve(ctx, mg.scratch(), p, u, right, precision); err != nil {
		return nil, err
	}
	p.centre(u)
	return u, nil
}
