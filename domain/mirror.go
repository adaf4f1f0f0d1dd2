package domain

import (
	"fmt"
	"math"
)

// A Mirror is the entropic mirror map of a bounded box or a simplex, or that of another
// domain: a smooth one-to-one map y ↦ x = ∇φ*(y) of R^d onto the interior of Ω, with which
// a law on Ω is sampled without walls in the dual coordinates y (mirrored Langevin
// dynamics, Hsieh, Kavis, Rolland & Cevher 2018). Its methods may be called from
// several goroutines at once and allocate nothing.
//
//	box:     x_i = lo_i + (hi_i − lo_i)/(1 + exp(−y_i))
//	simplex: x_i = s·exp(y_i)/(1 + Σ exp(y_j))
//
// Dual coordinates beyond ±700 (of a simplex, shares below exp(−700) of the
// largest) stand for those there, so that points and derivatives stay finite.
type Mirror interface {
	// Primal writes x = ∇φ*(y) into x, a point that Ω contains for every y without
	// NaN, off the walls where the floating-point numbers between them allow it. x
	// and y may be the same.
	Primal(x, y []float64)
	// Dual writes y = ∇φ(x) into y for x in the interior of Ω. A point on a wall, or
	// nearer to one than exp(−700) of the size of Ω, gets the coordinates of the
	// points that near, from which a chain comes back only slowly. x and y may be the
	// same.
	Dual(y, x []float64)
	// Pull turns a gradient with respect to x into one with respect to y: with
	// J = ∂x/∂y, g = ∇U(x(y)) becomes Jᵀg − τ ∇log|det J|, the gradient of
	// U(x(y)) − τ log|det J(y)|, whose Gibbs law at temperature τ is that of U on Ω in
	// dual coordinates. At τ = 0 it is the gradient of U(x(y)).
	//
	//	box:     J_ii = (hi_i − lo_i) q(1 − q),  ∂log|det J|/∂y_i = 1 − 2q,  q the share of x_i
	//	simplex: J_ij = s q_i (δ_ij − q_j),      ∂log|det J|/∂y_i = 1 − (d + 1) q_i
	Pull(g, y []float64, tau float64)
	// LogDet is log|det J(y)|, the logarithm of the volume of x per volume of y.
	LogDet(y []float64) float64
}

// NewMirror returns the mirror map of d: of a box bounded on all sides, a simplex, or a
// domain with a method Mirror() (Mirror, error).
func NewMirror(d Domain) (Mirror, error) {
	if m, ok := d.(interface{ Mirror() (Mirror, error) }); ok {
		return m.Mirror()
	}
	return nil, fmt.Errorf("mirror map: none is known for %s: give a box that is bounded on all sides, or a simplex", kindOf(d))
}

// dualCap is the largest |y| told from larger ones: exp(−700) is a normal number
// and so is its reciprocal.
const dualCap = 700

func capped(y float64) float64 { return min(max(y, -dualCap), dualCap) }

// Mirror fails where a side is open.
func (b *box) Mirror() (Mirror, error) {
	for i, l := range b.lo {
		if math.IsInf(b.hi[i]-l, 0) {
			return nil, fmt.Errorf("mirror map: coordinate %d of the box has bounds [%g, %g]: bound every side", i, l, b.hi[i])
		}
	}
	return boxMirror{b}, nil
}

type boxMirror struct{ *box }

func (m boxMirror) Primal(x, y []float64) {
	for i, l := range m.lo {
		x[i] = fromLogit(y[i], l, m.hi[i])
	}
}

func (m boxMirror) Dual(y, x []float64) {
	for i, l := range m.lo {
		y[i] = capped(math.Log((x[i] - l) / (m.hi[i] - x[i])))
	}
}

func (m boxMirror) Pull(g, y []float64, tau float64) {
	for i, l := range m.lo {
		v := capped(y[i])
		t := math.Exp(-math.Abs(v))
		slope := (m.hi[i] - l) * (t / (1 + t) / (1 + t))
		g[i] = slope*g[i] + tau*math.Copysign((1-t)/(1+t), v)
	}
}

func (m boxMirror) LogDet(y []float64) float64 {
	v := 0.0
	for i, l := range m.lo {
		a := math.Min(math.Abs(y[i]), dualCap)
		v += math.Log(m.hi[i]-l) - a - 2*math.Log1p(math.Exp(-a))
	}
	return v
}

// fromLogit is lo + (hi − lo)/(1 + exp(−y)), strictly between lo and hi where
// there are numbers between them.
func fromLogit(y, lo, hi float64) float64 {
	y = capped(y)
	t := math.Exp(-math.Abs(y))
	t = (hi - lo) * (t / (1 + t))
	if y < 0 {
		return math.Min(math.Max(lo+t, math.Nextafter(lo, hi)), hi)
	}
	return math.Max(math.Min(hi-t, math.Nextafter(hi, lo)), lo)
}

func (s *simplex) Mirror() (Mirror, error) { return simplexMirror{s}, nil }

type simplexMirror struct{ *simplex }

func (m simplexMirror) Primal(x, y []float64) {
	top, sum := softmax(y)
	for i, v := range y {
		x[i] = m.s * (share(v, top) / sum)
	}
	m.shrink(x)
}

func (m simplexMirror) Dual(y, x []float64) {
	rest := m.s
	for _, v := range x {
		rest -= v
	}
	least := math.Exp(-dualCap)
	last := math.Max(rest/m.s, least)
	for i, v := range x {
		y[i] = math.Log(math.Max(v/m.s, least) / last)
	}
}

func (m simplexMirror) Pull(g, y []float64, tau float64) {
	top, sum := softmax(y)
	mean := 0.0
	for i, v := range y {
		mean += share(v, top) / sum * g[i]
	}
	n := float64(len(y) + 1)
	for i, v := range y {
		q := share(v, top) / sum
		g[i] = m.s*q*(g[i]-mean) - tau*(1-n*q)
	}
}

func (m simplexMirror) LogDet(y []float64) float64 {
	top, sum := softmax(y)
	v := float64(len(y))*math.Log(m.s) + math.Log(share(0, top)/sum)
	for _, w := range y {
		v += math.Log(share(w, top) / sum)
	}
	return v
}

// softmax returns the largest of 0 and y and the sum of the shares.
func softmax(y []float64) (top, sum float64) {
	for _, v := range y {
		top = math.Max(top, v)
	}
	sum = share(0, top)
	for _, v := range y {
		sum += share(v, top)
	}
	return top, sum
}

// share is exp(y − top), not below exp(−dualCap).
func share(y, top float64) float64 {
	if y == top {
		return 1 // also at +Inf
	}
	return math.Exp(math.Max(y-top, -dualCap))
}

// shrink takes from the largest coordinate what the sum has above s less d + 1
// units of rounding, so that s − Σx is positive in whatever order it is taken.
func (s *simplex) shrink(x []float64) {
	limit := s.s * (1 - 0x1p-52*float64(s.d+1))
	for extra := 0.0; ; extra = 2*extra + 0x1p-53*s.s {
		sum, at := 0.0, 0
		for i, v := range x {
			sum += v
			if v > x[at] {
				at = i
			}
		}
		if !(sum > limit) {
			return
		}
		x[at] -= sum - limit + extra
	}
}
