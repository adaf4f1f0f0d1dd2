package scheme

import (
	"math"
	"slices"
)

// W1 returns the Wasserstein distance ∫ |F_a − F_b| dx of two laws. Between the
// edges and atoms of both the difference is a polynomial: the integral is exact
// but for rounding, about 1e-15 times the length, unless the difference changes
// sign twice between two neighbouring nodes.
func W1(a, b *Law) float64 {
	cuts := append(a.cuts(), b.cuts()...)
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	sum := 0.0
	for i := 1; i < len(cuts); i++ {
		// The atoms left of a stretch are the same for all its points.
		middle := (cuts[i-1] + cuts[i]) / 2
		step := a.CDF(middle) - a.below(middle) - b.CDF(middle) + b.below(middle)
		sum += area(func(x float64) float64 { return a.below(x) - b.below(x) + step }, cuts[i-1], cuts[i])
	}
	return sum
}

// cuts returns the edges and the places of the atoms.
func (l *Law) cuts() []float64 {
	c := make([]float64, 0, l.grid.panels+1+len(l.atoms))
	for p := range l.grid.panels + 1 {
		c = append(c, l.grid.edge(p))
	}
	for _, a := range l.atoms {
		c = append(c, a.At)
	}
	return c
}

// area returns ∫ |d| over [lo, hi] for a polynomial d of degree at most 31,
// cutting where d changes sign between two of its nodes.
func area(d func(float64) float64, lo, hi float64) float64 {
	t, w := legendreRule()
	integral := func(a, b float64) float64 {
		sum := 0.0
		for i := range t {
			sum += w[i] * d((a+b+(b-a)*t[i])/2)
		}
		return math.Abs(sum * (b - a) / 2)
	}
	sum, from := 0.0, lo
	x, value := lo, d(lo)
	for i := range order + 1 {
		next := hi
		if i < order {
			next = (lo + hi + (hi-lo)*t[i]) / 2
		}
		at := d(next)
		if value*at < 0 {
			root := bisect(d, x, next)
			sum += integral(from, root)
			from = root
		}
		x, value = next, at
	}
	return sum + integral(from, hi)
}

// bisect returns a zero of d between a and b, where d has opposite signs.
func bisect(d func(float64) float64, a, b float64) float64 {
	negative := d(a) < 0
	for range 60 {
		m := (a + b) / 2
		if (d(m) < 0) == negative {
			a = m
		} else {
			b = m
		}
	}
	return (a + b) / 2
}
