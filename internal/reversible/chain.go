// Package reversible answers: what does a reversible Markov process on finitely
// many states do?
//
// A Chain is a law π and symmetric conductances c_ij = π_i q_ij between its
// states, so that detailed balance holds by construction. Its generator
// (Lf)_i = Σ_j q_ij (f_j − f_i) is applied, inverted, exponentiated and its
// slowest modes are found, with algebraic multigrid beneath, so that neither many
// states nor rates that differ by many powers of ten do harm.
package reversible

import (
	"fmt"
	"math"
)

// An Edge joins two different states. Its Weight c = π_i q_ij ≥ 0 is the
// probability flow between them in equilibrium, per unit of time.
type Edge struct {
	I, J   int
	Weight float64
}

// A Chain is a connected reversible process. It is immutable: its methods may
// run at the same time. It holds 16 bytes per state and 24 per edge.
type Chain struct {
	mass []float64 // π
	net  network   // c
}

// New returns the chain with a law proportional to mass, all of it positive.
// Masses are scaled to sum 1 and the weights with them, which leaves the rates
// alone. Edges of weight 0 are left out and repeated ones add. It fails if an
// edge is impossible, and with a [PartsError] if the edges leave the states in
// several parts.
func New(mass []float64, edges []Edge) (*Chain, error) {
	total, low := 0.0, 0.0 // Kahan's sum
	for i, m := range mass {
		if !(m > 0) || math.IsInf(m, 1) {
			return nil, fmt.Errorf("mass of state %d is %g: expected a positive number", i, m)
		}
		y := m - low
		t := total + y
		total, low = t, (t-total)-y
	}
	switch {
	case len(mass) < 2:
		return nil, fmt.Errorf("%d states: a chain needs at least 2", len(mass))
	case len(mass) > math.MaxInt32:
		return nil, fmt.Errorf("%d states: at most %d are possible", len(mass), math.MaxInt32)
	case !(total <= math.MaxFloat64): // infinite, or NaN after the compensation of infinity
		return nil, fmt.Errorf("the masses overflow: divide them by their largest")
	}
	if err := check(len(mass), edges); err != nil {
		return nil, err
	}
	c := &Chain{mass: make([]float64, len(mass)), net: assemble(len(mass), edges, 1/total)}
	for i, m := range mass {
		if c.mass[i] = m / total; c.mass[i] == 0 {
			return nil, fmt.Errorf("mass of state %d is %g of %g in all, too little to be a probability: leave it out", i, m, total)
		}
	}
	if parts := c.net.parts(); parts > 1 {
		return nil, &PartsError{parts}
	}
	return c, nil
}

// A PartsError says that no edge joins the Parts into which the states fall.
type PartsError struct{ Parts int }

func (e *PartsError) Error() string {
	return fmt.Sprintf("the states fall into %d parts with no edge between them: nothing mixes; join them or take one part", e.Parts)
}

// check finds the first impossible edge.
func check(n int, edges []Edge) error {
	for k, e := range edges {
		switch {
		case e.I < 0 || e.I >= n || e.J < 0 || e.J >= n:
			return fmt.Errorf("edge %d joins %d and %d: states are numbered 0 to %d", k, e.I, e.J, n-1)
		case e.I == e.J:
			return fmt.Errorf("edge %d joins state %d to itself: leave it out", k, e.I)
		case !(e.Weight >= 0) || math.IsInf(e.Weight, 1):
			return fmt.Errorf("edge %d between %d and %d has weight %g: expected a number ≥ 0", k, e.I, e.J, e.Weight)
		}
	}
	return nil
}

// Len is the number of states.
func (c *Chain) Len() int { return len(c.mass) }

// Mass returns π, which sums to 1. It must not be changed.
func (c *Chain) Mass() []float64 { return c.mass }

// Apply sets dst to Lf; the two must not overlap.
func (c *Chain) Apply(dst, f []float64) {
	for i, m := range c.mass {
		dst[i] = c.net.flow(i, f) / m
	}
}

// Form is the Dirichlet form E(f) = ½ Σ_ij c_ij (f_i − f_j)² = −⟨f, Lf⟩_π. As a
// sum of squares it is right to a few units of the last digit.
func (c *Chain) Form(f []float64) float64 {
	sum := 0.0
	for i := range c.mass {
		part := 0.0
		for k := c.net.start[i]; k < c.net.start[i+1]; k++ {
			if j := c.net.col[k]; int(j) > i {
				d := f[i] - f[j]
				part += c.net.c[k] * d * d
			}
		}
		sum += part
	}
	return sum
}

// Defect is the largest |π_i q_ij − π_j q_ji| / (π_i q_ij), with the rates
// q_ij = c_ij/π_i as Apply uses them.
func (c *Chain) Defect() float64 {
	worst := 0.0
	for i, m := range c.mass {
		for k := c.net.start[i]; k < c.net.start[i+1]; k++ {
			j := int(c.net.col[k])
			there := m * (c.net.c[k] / m)
			back := c.mass[j] * (c.net.at(j, i) / c.mass[j])
			worst = max(worst, math.Abs(there-back)/there)
		}
	}
	return worst
}

// Plus returns the chain with the same law and edges added, whose weights are in
// the unit of Mass: c = π_i q_ij where π sums to 1.
func (c *Chain) Plus(edges []Edge) (*Chain, error) {
	if err := check(len(c.mass), edges); err != nil {
		return nil, err
	}
	return &Chain{mass: c.mass, net: c.net.plus(assemble(len(c.mass), edges, 1))}, nil
}

// Product returns the two processes run side by side, independently: its state
// i*b.Len()+j is state i of a and j of b. It panics beyond 2³¹−1 states.
func Product(a, b *Chain) *Chain {
	na, nb := a.Len(), b.Len()
	if na > math.MaxInt32/nb {
		panic(fmt.Sprintf("reversible: %d times %d states are too many", na, nb))
	}
	entries := na*len(b.net.col) + nb*len(a.net.col)
	p := &Chain{mass: make([]float64, na*nb), net: network{
		start: make([]int, 1, na*nb+1),
		col:   make([]int32, 0, entries),
		c:     make([]float64, 0, entries),
	}}
	for i := range na {
		for j := range nb {
			p.mass[i*nb+j] = a.mass[i] * b.mass[j]
			p.net.appendProduct(a, b, i, j)
		}
	}
	return p
}

// appendProduct writes row (i, j), first the columns of smaller i.
func (w *network) appendProduct(a, b *Chain, i, j int) {
	nb := int32(b.Len())
	k, end := a.net.start[i], a.net.start[i+1]
	for ; k < end && int(a.net.col[k]) < i; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k]*b.mass[j])
	}
	for l := b.net.start[j]; l < b.net.start[j+1]; l++ {
		w.col = append(w.col, int32(i)*nb+b.net.col[l])
		w.c = append(w.c, b.net.c[l]*a.mass[i])
	}
	for ; k < end; k++ {
		w.col = append(w.col, a.net.col[k]*nb+int32(j))
		w.c = append(w.c, a.net.c[k]*b.mass[j])
	}
	w.start = append(w.start, len(w.col))
}

// mean is the mean of f under π, summed with compensation (Kahan).
func (c *Chain) mean(f []float64) float64 {
	sum, low := 0.0, 0.0
	for i, m := range c.mass {
		y := m*f[i] - low
		t := sum + y
		low = (t - sum) - y
		sum = t
	}
	return sum
}

// norm is the norm of f in L²(π).
func (c *Chain) norm(f []float64) float64 { return math.Sqrt(c.dot(f, f)) }

// dot is the scalar product of L²(π).
func (c *Chain) dot(f, g []float64) float64 {
	sum := 0.0
	for i, m := range c.mass {
		sum += m * f[i] * g[i]
	}
	return sum
}

// fits says whether f is a function on the states.
func (c *Chain) fits(f []float64) error {
	if len(f) != len(c.mass) {
		return fmt.Errorf("a function with %d values on %d states: expected one value per state", len(f), len(c.mass))
	}
	for i, v := range f {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("the function is %g at state %d: expected finite values", v, i)
		}
	}
	return nil
}
