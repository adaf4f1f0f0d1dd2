package scheme

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
)

// An Atom is a point with positive probability.
type Atom struct{ At, Mass float64 }

// A Law is a probability law on an interval: a density, which is a polynomial
// of degree 15 on each of many equal panels, and atoms. It is immutable.
type Law struct {
	grid   *grid
	mass   []float64 // of each node: its weight times the density there
	atoms  []Atom    // by place
	series []float64 // per panel: Σ_i mass_i P_k(t_i), k < order
	cum    []float64 // mass of the density left of each edge
}

// newLaw takes mass and atoms for its own.
func newLaw(g *grid, mass []float64, atoms []Atom) *Law {
	l := &Law{grid: g, mass: mass, atoms: atoms,
		series: make([]float64, len(mass)), cum: make([]float64, g.panels+1)}
	t, _ := legendreRule()
	var p [order][order]float64
	for i := range p {
		legendre(p[i][:], t[i])
	}
	for panel := range g.panels {
		m, s := mass[panel*order:][:order], l.series[panel*order:][:order]
		for i, v := range m {
			for k := range s {
				s[k] += v * p[i][k]
			}
		}
		l.cum[panel+1] = l.cum[panel] + s[0]
	}
	return l
}

// Point returns the law of the point x in [lo, hi].
func Point(lo, hi, x float64) (*Law, error) {
	if err := interval(lo, hi); err != nil {
		return nil, err
	}
	if !(lo <= x && x <= hi) {
		return nil, fmt.Errorf("scheme: the point %g is not in [%g, %g]", x, lo, hi)
	}
	g := newGrid(lo, hi, 1)
	return newLaw(g, make([]float64, len(g.x)), []Atom{{x, 1}}), nil
}

// Target returns π ∝ exp(-U/tau) on [lo, hi] for tau > 0; of a noisy potential
// the exact part counts, and nil is 0. It fails where 2048 nodes do not
// integrate it to 1e-6; smooth potentials get 1e-12.
func Target(u potential.Potential, lo, hi, tau float64) (*Law, error) {
	panels, err := resolve(u, lo, hi, tau)
	if err != nil {
		return nil, err
	}
	// Twice the panels: a density is harder to interpolate than to integrate.
	g := newGrid(lo, hi, 2*panels)
	mass, _, err := gibbs(u, g, tau)
	if err != nil {
		return nil, err
	}
	return newLaw(g, mass, nil), nil
}

// Bounds returns the ends of the interval.
func (l *Law) Bounds() (lo, hi float64) { return l.grid.lo, l.grid.hi }

// Atoms returns the atoms from left to right.
func (l *Law) Atoms() []Atom { return slices.Clone(l.atoms) }

// Mean returns the mean of f, which must be smooth.
func (l *Law) Mean(f func(x float64) float64) float64 {
	sum := 0.0
	for i, m := range l.mass {
		sum += m * f(l.grid.x[i])
	}
	for _, a := range l.atoms {
		sum += a.Mass * f(a.At)
	}
	return sum
}

// Moment returns the mean of x^k, k ≥ 0.
func (l *Law) Moment(k int) float64 {
	return l.Mean(func(x float64) float64 { return math.Pow(x, float64(k)) })
}

// Variance returns the mean squared distance from the mean.
func (l *Law) Variance() float64 {
	mean := l.Moment(1)
	return l.Mean(func(x float64) float64 { return (x - mean) * (x - mean) })
}

// Density returns the density at x, atoms apart; it is 0 outside the interval.
func (l *Law) Density(x float64) float64 {
	if x < l.grid.lo || x > l.grid.hi {
		return 0
	}
	var p [order]float64
	panel, t := l.grid.at(x)
	legendre(p[:], t)
	sum := 0.0
	for k, c := range l.series[panel*order:][:order] {
		sum += float64(2*k+1) * c * p[k]
	}
	return sum * float64(l.grid.panels) / (l.grid.hi - l.grid.lo)
}

// CDF returns the probability of (-∞, x].
func (l *Law) CDF(x float64) float64 {
	sum := l.below(x)
	for _, a := range l.atoms {
		if a.At <= x {
			sum += a.Mass
		}
	}
	return sum
}

// below returns the mass of the density left of x.
func (l *Law) below(x float64) float64 {
	switch {
	case x <= l.grid.lo:
		return 0
	case x >= l.grid.hi:
		return l.cum[l.grid.panels]
	}
	var p [order + 1]float64
	panel, t := l.grid.at(x)
	legendre(p[:], t)
	s := l.series[panel*order:][:order]
	sum := s[0] * (t + 1)
	for k := 1; k < order; k++ {
		sum += s[k] * (p[k+1] - p[k-1])
	}
	return l.cum[panel] + sum/2
}
