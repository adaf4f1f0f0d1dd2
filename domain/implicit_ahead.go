package domain

import "slices"

// ahead is what a surface that takes many states said of places of a path before they are
// needed.
type ahead struct {
	s          []float64
	v, grad, x []float64 // as a [BlockEval] has them
}

// mostAhead is how many pieces of a path are looked at ahead. What lies behind the first
// crossing is looked at in vain.
const mostAhead = 32

// foresee asks for g at the ends of the pieces of the way up to limit, from end k on, if those
// asked for before are used up: twice as many each time.
func (p *path) foresee(limit float64, k, n int) {
	a, g := &p.t.ahead, p.t.evals.block[p.i]
	if g == nil || len(a.s) > 0 && end(limit, k, n) <= a.s[len(a.s)-1] {
		return
	}
	a.s = a.s[:0]
	for most := min(n, max(2*k, 8), k+mostAhead); k <= most; k++ {
		a.s = append(a.s, end(limit, k, n))
	}
	m, d := len(a.s), len(p.x)
	a.v, a.grad, a.x = roomFor(a.v, m), roomFor(a.grad, d*m), roomFor(a.x, d*m)
	for j, e := range p.dir {
		for i, s := range a.s {
			a.x[j*m+i] = p.x[j] + s*e
		}
	}
	g.Block(a.v, a.grad, a.x)
}

// end is where piece k of n ends, of the way up to limit.
func end(limit float64, k, n int) float64 {
	if k == 0 {
		return 0
	}
	return limit * float64(k) / float64(n)
}

// roomFor is v with n numbers, of any values.
func roomFor(v []float64, n int) []float64 { return slices.Grow(v[:0], n)[:n] }

// forget forgets the path.
func (a *ahead) forget() { a.s = a.s[:0] }

// at returns g at s, and writes its gradient, if it was foreseen.
func (a *ahead) at(s float64, grad []float64) (v float64, known bool) {
	for i, place := range a.s {
		if place == s {
			for j := range grad {
				grad[j] = a.grad[j*len(a.s)+i]
			}
			return a.v[i], true
		}
	}
	return 0, false
}
