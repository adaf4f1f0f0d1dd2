package prior

import (
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/potential"
)

// A Chart has the coordinates y that a posterior is sampled in, with
// the priors as its base law: y_j is the logarithm of parameter j where that is
// positive and its posterior keeps clear of 0, so that walls there would only bend
// it, else the parameter itself. Rates of one orbit go with each other by products
// and quotients: by logarithms their posterior is much nearer to a normal law.
type Chart struct {
	coordinates []coordinate
}

var _ potential.Chart = (*Chart)(nil)

// A coordinate is a parameter with its prior.
type coordinate struct {
	prior       *Prior // cut to the bounds
	logarithmic bool
}

// clear is the distance of the mode from 0, in standard deviations, from which on a
// parameter moves by its logarithm.
const clearOfZero = 2.5

// Chart returns the chart of the priors cut to lo, hi; a parameter without a prior
// needs both bounds. The posterior has its mode at center, with standard deviations sd. It
// returns nil where there is none: a parameter has neither, or its prior has no mass within
// the bounds.
func (p *Joint) Chart(center, sd, lo, hi []float64) *Chart {
	c := &Chart{}
	for j := range p.Cut {
		q, _ := p.On(j, lo[j], hi[j])
		if q == nil {
			return nil
		}
		if m := q.X(0.5); m-m != 0 {
			return nil
		}
		least, _ := q.Support()
		c.coordinates = append(c.coordinates, coordinate{q, least == 0 && center[j] > clearOfZero*sd[j]})
	}
	return c
}

// Logarithmic reports whether coordinate j is the logarithm of its parameter.
func (c *Chart) Logarithmic(j int) bool { return c.coordinates[j].logarithmic }

// Point writes the parameters x of y, within their bounds.
func (c *Chart) Point(x, y []float64) {
	for j, q := range c.coordinates {
		v := y[j]
		if q.logarithmic {
			v = math.Exp(v)
		}
		lo, hi := q.prior.Support()
		x[j] = min(max(v, lo), hi)
	}
}

// Coordinates writes y of the parameters x.
func (c *Chart) Coordinates(y, x []float64) {
	for j, q := range c.coordinates {
		y[j] = x[j]
		if q.logarithmic {
			y[j] = math.Log(x[j])
		}
	}
}

// Slopes is ∂x_j/∂y_j at x.
func (c *Chart) Slopes(x []float64) []float64 {
	s := make([]float64, len(x))
	for j, q := range c.coordinates {
		s[j] = q.slope(x[j])
	}
	return s
}

func (q *coordinate) slope(x float64) float64 {
	if q.logarithmic {
		return x
	}
	return 1
}

// Pull leaves of U, which has the priors in it, the part that is not in the base
// law: −log likelihood, up to a constant.
func (c *Chart) Pull(g, x, _ []float64) float64 {
	sum := 0.0
	for j := range c.coordinates {
		q := &c.coordinates[j]
		log, slope := q.prior.LogDensity(x[j])
		sum += log
		g[j] = (g[j] + slope) * q.slope(x[j])
	}
	return sum
}

// Covector turns the gradient of a function by x into that by y.
func (c *Chart) Covector(g, x []float64) {
	for j := range c.coordinates {
		g[j] *= c.coordinates[j].slope(x[j])
	}
}

// Base is −log of the density of the priors by y.
func (c *Chart) Base() potential.Potential {
	return potential.Func(len(c.coordinates), func(grad, y []float64) float64 {
		sum := 0.0
		for j := range c.coordinates {
			q := &c.coordinates[j]
			x := y[j]
			if q.logarithmic {
				x = math.Exp(x)
			}
			log, slope := q.prior.LogDensity(x)
			sum -= log
			grad[j] = -slope * q.slope(x)
			if q.logarithmic {
				sum -= y[j]
				grad[j]--
			}
		}
		return sum
	})
}

// Draw writes an independent draw of the priors.
func (c *Chart) Draw(y []float64, rng *rand.Rand) {
	for j := range c.coordinates {
		q := &c.coordinates[j]
		y[j] = q.prior.X(rng.Float64())
		if q.logarithmic {
			y[j] = math.Log(y[j])
		}
	}
}
