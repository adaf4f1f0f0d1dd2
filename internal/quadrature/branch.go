package quadrature

import (
	"math"
	"slices"
	"sort"

	"github.com/r2sgld/r2sgld/domain"
)

// A branch is a part of the boundary along which x and y are both monotone.
type branch struct {
	at             func(t float64) (x, y, dx, dy float64)
	sign           int // of dx along the boundary: +1 has Ω above it
	xl, xr, yl, yr float64
	tl, tr         float64 // parameters of the left and the right end
	pl, pr         float64 // |x − x_end| grows like the power p of |t − t_end|
	t, x           [branchTable]float64
}

// branchTable is the number of points from which roots are looked for.
const branchTable = 17

// lowest and highest are the range of y.
func (b *branch) lowest() float64  { return min(b.yl, b.yr) }
func (b *branch) highest() float64 { return max(b.yl, b.yr) }

// A vertical is a part of the boundary that is vertical to within rounding.
type vertical struct{ x, y0, y1 float64 }

// branches cuts the pieces where x or y turn back.
func branches(pieces []domain.Piece, tiny float64) (out []branch, walls []vertical) {
	for _, p := range pieces {
		cuts := turns(p)
		for i, a := range cuts[:len(cuts)-1] {
			if b, ok := newBranch(p.At, a, cuts[i+1], tiny); ok {
				out = append(out, b)
			} else if b.yl != b.yr {
				walls = append(walls, vertical{b.xl, b.lowest(), b.highest()})
			}
		}
	}
	return out, walls
}

// turns returns the ends of a piece and the parameters at which dx or dy change
// sign or vanish.
func turns(p domain.Piece) []float64 {
	const steps = 4
	cuts := []float64{0, 1}
	for _, dy := range []bool{false, true} {
		slope := func(t float64) float64 {
			_, _, x, y := p.At(t)
			if dy {
				x, y = y, x
			}
			if math.Abs(x) <= 1e-13*math.Abs(y) {
				return 0
			}
			return x
		}
		last, before := slope(0), 0.0
		for i, hi := range p.Knots[1:] {
			lo := p.Knots[i]
			for k := 1; k <= steps; k++ {
				t := lo + (hi-lo)*float64(k)/steps
				now := slope(t)
				switch {
				case now == 0 && last != 0:
					cuts = append(cuts, t)
				case now*last < 0:
					cuts = append(cuts, signChange(slope, before, t, last))
				case last == 0 && now != 0:
					cuts = append(cuts, before)
				}
				last, before = now, t
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// signChange bisects; f(a) = fa and f(b) have opposite signs.
func signChange(f func(float64) float64, a, b, fa float64) float64 {
	for range 100 {
		m := 0.5 * (a + b)
		if m <= a || m >= b {
			break
		}
		switch v := f(m); {
		case v == 0:
			return m
		case v*fa > 0:
			a = m
		default:
			b = m
		}
	}
	return 0.5 * (a + b)
}

func newBranch(at func(float64) (x, y, dx, dy float64), from, to, tiny float64) (b branch, ok bool) {
	b = branch{at: at, sign: 1, tl: from, tr: to}
	b.xl, b.yl, _, _ = at(from)
	b.xr, b.yr, _, _ = at(to)
	if b.xl > b.xr {
		b.sign, b.tl, b.tr = -1, to, from
		b.xl, b.xr, b.yl, b.yr = b.xr, b.xl, b.yr, b.yl
	}
	if b.xr-b.xl <= tiny {
		return b, false
	}
	for i := range b.t {
		b.t[i] = b.tl + (b.tr-b.tl)*float64(i)/(branchTable-1)
		b.x[i], _, _, _ = at(b.t[i])
	}
	last := branchTable - 1
	b.t[last], b.x[0], b.x[last] = b.tr, b.xl, b.xr
	b.pl, b.pr = b.order(b.tl, b.tr-b.tl, tiny), b.order(b.tr, b.tl-b.tr, tiny)
	return b, true
}

// order is p where |x(t) − x(end)| grows like |t − end|^p, from 1 to 6.
func (b *branch) order(end, way, tiny float64) float64 {
	x, _, _, _ := b.at(end)
	for h := 1e-3; h < 0.5; h *= 4 {
		x1, _, _, _ := b.at(end + h*way)
		x2, _, _, _ := b.at(end + 2*h*way)
		if d := math.Abs(x1 - x); d > tiny*100 {
			return min(max(math.Round(math.Log2(math.Abs(x2-x)/d)), 1), 6)
		}
	}
	return 1
}

// height returns y where the branch passes x.
func (b *branch) height(x, tiny float64) float64 {
	switch {
	case x <= b.xl:
		return b.yl
	case x >= b.xr:
		return b.yr
	}
	i := 1 + sort.SearchFloat64s(b.x[1:branchTable-1], x)
	lo, hi := b.t[i-1], b.t[i]
	share := (x - b.x[i-1]) / (b.x[i] - b.x[i-1])
	if i == 1 && b.pl > 1 {
		share = math.Pow(share, 1/b.pl)
	} else if i == branchTable-1 && b.pr > 1 {
		share = 1 - math.Pow(1-share, 1/b.pr)
	}
	_, y := b.newton(lo, hi, lo+share*(hi-lo), tiny, func(px, _, dx, _ float64) (float64, float64) { return px - x, dx })
	return min(max(y, b.lowest()), b.highest())
}

// abscissa returns x where the branch passes y, strictly between its ends.
func (b *branch) abscissa(y, tiny float64) float64 {
	lo, hi := b.tl, b.tr
	sign := 1.0
	if b.yl > b.yr {
		sign = -1
	}
	x, _ := b.newton(lo, hi, lo+(hi-lo)*(y-b.yl)/(b.yr-b.yl), tiny,
		func(_, py, _, dy float64) (float64, float64) { return sign * (py - y), sign * dy })
	return min(max(x, b.xl), b.xr)
}

// newton finds the zero of an increasing function between lo (where it is
// negative) and hi by Newton's method, kept within the bracket.
func (b *branch) newton(lo, hi, t, tiny float64, f func(x, y, dx, dy float64) (v, d float64)) (x, y float64) {
	for range 200 {
		px, py, dx, dy := b.at(t)
		x, y = px, py
		v, d := f(px, py, dx, dy)
		if math.Abs(v) <= tiny {
			return x, y
		}
		if v < 0 {
			lo = t
		} else {
			hi = t
		}
		next := t - v/d
		if !(min(lo, hi) < next && next < max(lo, hi)) {
			next = 0.5 * (lo + hi)
		}
		if next == lo || next == hi || next == t {
			return x, y
		}
		t = next
	}
	return x, y
}
