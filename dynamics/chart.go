package dynamics

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/potential"
)

// A Chart has the coordinates u ∈ [0, 1]^d in which the priors are uniform: u_j is
// the distribution function of the prior of parameter j, cut to an interval. In
// them U is −log likelihood alone, and the uniform law on the cube is the prior.
type Chart struct{ quantiles []*Quantile }

var _ potential.Chart = (*Chart)(nil)

// Chart returns the chart of the priors cut to lo, hi; a parameter without a prior
// needs both bounds. It returns nil where there is none: a parameter has neither,
// or the posterior lies so far out in a prior that u cannot tell its points apart.
func (p *Problem) Chart(lo, hi []float64) *Chart {
	c := &Chart{}
	for j, q := range p.Quantiles {
		switch {
		case q != nil:
			q = q.On(lo[j], hi[j])
		case !math.IsInf(lo[j], 0) && !math.IsInf(hi[j], 0):
			flat, err := parsePrior(fmt.Sprintf("uniform(%v, %v)", lo[j], hi[j]))
			if err != nil {
				return nil
			}
			q = flat.quantile()
		default:
			return nil
		}
		c.quantiles = append(c.quantiles, q)
		if u := q.P(p.Center[j]); !(u > 1e-9 && u < 1-1e-9) {
			return nil
		}
	}
	return c
}

// Point writes the parameters x of u.
func (c *Chart) Point(x, u []float64) {
	for j, q := range c.quantiles {
		x[j] = q.X(min(max(u[j], math.SmallestNonzeroFloat64), 1-0x1p-53))
	}
}

// Coordinates writes u of the parameters x.
func (c *Chart) Coordinates(u, x []float64) {
	for j, q := range c.quantiles {
		u[j] = q.P(x[j])
	}
}

// Pull turns ∇U(x) into the gradient by u of U(x(u)) − log|det ∂x/∂u|, and returns
// that logarithm.
func (c *Chart) Pull(g, x, _ []float64) float64 {
	logDet := 0.0
	for j, q := range c.quantiles {
		density, slope := q.Density(x[j])
		g[j] = (g[j] + slope) / density
		logDet -= math.Log(density)
	}
	return logDet
}

// Covector turns the gradient of a function by x into that by u.
func (c *Chart) Covector(g, x []float64) {
	for j, q := range c.quantiles {
		density, _ := q.Density(x[j])
		g[j] /= density
	}
}

// Slopes is ∂u_j/∂x_j at x: the densities of the priors.
func (c *Chart) Slopes(x []float64) []float64 {
	s := make([]float64, len(x))
	for j, q := range c.quantiles {
		s[j], _ = q.Density(x[j])
	}
	return s
}
