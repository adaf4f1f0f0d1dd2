package dynamics

import "math"

// A Quantile is the distribution function of a prior on its support, or on an
// interval of that, and its inverse. It is immutable and may be used by several
// goroutines.
type Quantile struct {
	prior        *prior
	lo, hi       float64 // support
	below, above float64 // probabilities outside it, before truncation
	mass         float64 // and inside
}

// quantile returns the distribution of a prior.
func (p *prior) quantile() *Quantile {
	return &Quantile{prior: p, lo: p.lower, hi: p.upper, mass: 1}
}

// Support returns the ends of the support, which may be infinite.
func (q *Quantile) Support() (lo, hi float64) { return q.lo, q.hi }

// P is the probability of at most x: 0 below the support, 1 above it.
func (q *Quantile) P(x float64) float64 {
	below, _ := q.tails(x)
	return below
}

// tails are the probabilities of less and of more than x; the smaller one has
// all its digits but what a truncation cancels.
func (q *Quantile) tails(x float64) (below, above float64) {
	switch {
	case x <= q.lo:
		return 0, 1
	case x >= q.hi:
		return 1, 0
	}
	below, above = q.prior.tails(x)
	if q.below == 0 && q.above == 0 {
		return below, above
	}
	inside := func(v float64) float64 { return math.Max(0, math.Min(v/q.mass, 1)) }
	switch {
	case q.below > 0.5: // far up: below has no digits left
		above = inside(above - q.above)
		return 1 - above, above
	case q.above > 0.5:
		below = inside(below - q.below)
		return below, 1 - below
	}
	return inside(below - q.below), inside(above - q.above)
}

// X is the inverse of P: the end of the support for u ≤ 0 and u ≥ 1, NaN for NaN.
func (q *Quantile) X(u float64) float64 { return q.inverse(u, 1-u) }

// inverse is the x with these tails, by the smaller one.
func (q *Quantile) inverse(below, above float64) float64 {
	switch {
	case below != below:
		return below
	case below <= 0:
		return q.lo
	case above <= 0:
		return q.hi
	}
	below, above = q.below+q.mass*below, q.above+q.mass*above
	return math.Max(q.lo, math.Min(q.prior.law.inverse(below, above), q.hi))
}

// Density returns the density f at x and d log f/dx: 0 and 0 outside the
// support.
func (q *Quantile) Density(x float64) (f, dlogf float64) {
	if !(x >= q.lo && x <= q.hi) {
		return 0, 0
	}
	log, slope := q.prior.law.density(x)
	return math.Exp(log) / q.mass, slope
}

// On returns the distribution truncated to the part of [lo, hi] that lies in its
// support; nil if the prior has no mass there that can be told from 0. Where
// hi − lo is a small part of what lies below lo, the digits of P are those of the
// difference.
func (q *Quantile) On(lo, hi float64) *Quantile {
	lo, hi = math.Max(lo, q.lo), math.Min(hi, q.hi)
	p := q.prior
	t := &Quantile{prior: p, lo: lo, hi: hi}
	t.below, _ = p.tails(lo)
	_, t.above = p.tails(hi)
	t.mass = p.mass(lo, hi)
	if !(lo < hi) || !(t.mass > 0) {
		return nil
	}
	return t
}
