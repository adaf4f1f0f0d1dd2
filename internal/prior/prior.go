// Package prior answers what is known of a parameter before there are data: laws on the
// line, given as text such as normal(0, 1), with their densities, distribution functions
// and quantiles, and the coordinates that the law of several parameters has.
package prior

import (
	"math"

	"github.com/r2sgld/r2sgld/potential"
)

// A Prior is a law on the line, on its support or on an interval of that. It is immutable
// and may be used by several goroutines.
type Prior struct {
	curve        potential.Curve // −log density and its derivative, before truncation
	law          law             // before truncation
	from, to     float64         // the support of law
	lo, hi       float64         // the support
	below, above float64         // probabilities outside it, before truncation
	mass         float64         // and inside
	quadratic    bool            // the energy is a polynomial of degree two or less
}

// Support returns the ends of the support, which may be infinite.
func (p *Prior) Support() (lo, hi float64) { return p.lo, p.hi }

// whole are the probabilities of less and of more than x before truncation.
func (p *Prior) whole(x float64) (below, above float64) {
	switch {
	case x <= p.from:
		return 0, 1
	case x >= p.to:
		return 1, 0
	}
	return p.law.tails(x)
}

// Mass is the probability of [lo, hi] before truncation, from the nearer tail.
func (p *Prior) Mass(lo, hi float64) float64 {
	belowLo, aboveLo := p.whole(lo)
	belowHi, aboveHi := p.whole(hi)
	if aboveLo < 0.5 {
		return math.Max(0, aboveLo-aboveHi)
	}
	return math.Max(0, belowHi-belowLo)
}

// P is the probability of at most x: 0 below the support, 1 above it.
func (p *Prior) P(x float64) float64 {
	below, _ := p.tails(x)
	return below
}

// tails are the probabilities of less and of more than x; the smaller one has
// all its digits but what a truncation cancels.
func (p *Prior) tails(x float64) (below, above float64) {
	switch {
	case x <= p.lo:
		return 0, 1
	case x >= p.hi:
		return 1, 0
	}
	below, above = p.whole(x)
	if p.below == 0 && p.above == 0 {
		return below, above
	}
	inside := func(v float64) float64 { return math.Max(0, math.Min(v/p.mass, 1)) }
	switch {
	case p.below > 0.5: // far up: below has no digits left
		above = inside(above - p.above)
		return 1 - above, above
	case p.above > 0.5:
		below = inside(below - p.below)
		return below, 1 - below
	}
	return inside(below - p.below), inside(above - p.above)
}

// X is the inverse of P: the end of the support for u ≤ 0 and u ≥ 1, NaN for NaN.
func (p *Prior) X(u float64) float64 { return p.inverse(u, 1-u) }

// inverse is the x with these tails, by the smaller one.
func (p *Prior) inverse(below, above float64) float64 {
	switch {
	case below != below:
		return below
	case below <= 0:
		return p.lo
	case above <= 0:
		return p.hi
	}
	below, above = p.below+p.mass*below, p.above+p.mass*above
	return math.Max(p.lo, math.Min(p.law.inverse(below, above), p.hi))
}

// LogDensity returns the log density at x and its derivative: −∞ and 0 outside the support.
func (p *Prior) LogDensity(x float64) (log, slope float64) {
	if !(x >= p.lo && x <= p.hi) {
		return math.Inf(-1), 0
	}
	log, slope = p.law.density(x)
	return log - math.Log(p.mass), slope
}

// On returns the law truncated to the part of [lo, hi] that lies in its
// support; nil if it has no mass there that can be told from 0. Where
// hi − lo is a small part of what lies below lo, the digits of P are those of the
// difference.
func (p *Prior) On(lo, hi float64) *Prior {
	t := *p
	t.lo, t.hi = math.Max(lo, p.lo), math.Min(hi, p.hi)
	t.below, _ = p.whole(t.lo)
	_, t.above = p.whole(t.hi)
	t.mass = p.Mass(t.lo, t.hi)
	if !(t.lo < t.hi) || !(t.mass > 0) {
		return nil
	}
	return &t
}

// curvature is the second derivative of −log density at x, by differences,
// and 0 where that is negative or x lies at the end of the support.
func (p *Prior) curvature(x float64) float64 {
	h := 1e-5 * math.Max(1e-3, math.Abs(x))
	if x-h <= p.from || x+h >= p.to {
		return 0
	}
	eval := p.curve(2)
	var value, grad [2]float64
	eval(value[:], grad[:], []float64{x - h, x + h})
	return math.Max(0, (grad[1]-grad[0])/(2*h))
}
