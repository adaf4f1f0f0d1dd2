package reversible

import (
	"context"
	"math"
)

// LogSobolev returns the least α = E(g)/Ent(g²) found, Ent(f) = ∫ f log(f/∫f) dπ: half the
// spectral gap, the limit of nearly constant g, or less, by descents from functions that
// concentrate where the slowest mode is high and where it is low. The log-Sobolev inequality
// Ent(g²) ≤ C·E(g) has a C of at least 1/α; C is 1/α if no other g does better. It fails if
// ctx ends, or if the gap is not found.
func (c *Chain) LogSobolev(ctx context.Context) (float64, error) {
	s, err := c.Spectrum(ctx, 1)
	if err != nil {
		return 0, err
	}
	least := s.Values[0] / 2
	for _, sharp := range []float64{1, -1, 2, -2} {
		g := make([]float64, c.Len())
		for i, f := range s.Functions[0] {
			g[i] = math.Exp(sharp * f)
		}
		found, err := c.descend(ctx, g)
		if err != nil {
			return 0, err
		}
		least = min(least, found)
	}
	return least, nil
}

// descend lowers E(g)/Ent(g²) from g, along the gradient in the norm of E.
func (c *Chain) descend(ctx context.Context, g []float64) (float64, error) {
	ratio := c.Form(g) / c.lift(g)
	source, next := make([]float64, len(g)), make([]float64, len(g))
	for range 100 {
		mean := c.meanSquare(g)
		for i, v := range g {
			if source[i] = 0; v != 0 {
				source[i] = v * math.Log(v*v/mean)
			}
		}
		u, err := c.Solve(ctx, source)
		if err != nil {
			return 0, err
		}
		before := ratio
		for step := 2.0; step > 1e-3; step /= 2 {
			for i, v := range g {
				next[i] = v + step*(ratio*u[i]-v)
			}
			if r := c.Form(next) / c.lift(next); r < ratio {
				ratio = r
				g, next = next, g
				break
			}
		}
		if !(ratio < before*(1-1e-7)) {
			break
		}
	}
	return ratio, nil
}

// lift adds to g the constant with which Ent(g²) is largest, of which E knows nothing, and
// returns that entropy.
func (c *Chain) lift(g []float64) float64 {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range g {
		low, high = min(low, v), max(high, v)
	}
	size := high - low
	at := func(shift float64) float64 { return c.entropy(g, shift-low) }
	a, b := 0.0, 4*size // where nothing changes sign
	const golden = 0.6180339887498949
	x, y := b-golden*(b-a), a+golden*(b-a)
	fx, fy := at(x), at(y)
	for range 40 {
		if fx > fy {
			b, y, fy = y, x, fx
			x = b - golden*(b-a)
			fx = at(x)
		} else {
			a, x, fx = x, y, fy
			y = a + golden*(b-a)
			fy = at(y)
		}
	}
	for i := range g {
		g[i] += x - low
	}
	return fx
}

// meanSquare is ∫ g² dπ.
func (c *Chain) meanSquare(g []float64) float64 {
	sum := 0.0
	for i, p := range c.Mass() {
		sum += p * g[i] * g[i]
	}
	return sum
}

// entropy is Ent((g + shift)²).
func (c *Chain) entropy(g []float64, shift float64) float64 {
	mean, sum := 0.0, 0.0
	for i, p := range c.Mass() {
		f := (g[i] + shift) * (g[i] + shift)
		mean += p * f
		if f > 0 {
			sum += p * f * math.Log(f)
		}
	}
	return sum - mean*math.Log(mean)
}
