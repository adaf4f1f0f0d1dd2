package kernel

import (
	"math"

	"github.com/r2sgld/r2sgld/domain"
)

// A quadric is the wall (x − c)ᵀQ(x − c) = 1 in the coordinates at.
type quadric struct {
	at    []int
	c     []float64
	scale float64 // Q = scale·I where q is nil
	q     []float64
	far   []float64 // 2Q(m − c): see first
	twice []float64 // 2(m − c)
}

func newQuadric(s domain.Quadratic, mean []float64) *quadric {
	k := len(s.At)
	q := &quadric{at: s.At, c: s.C, scale: 1 / (s.R * s.R), q: s.Q, far: make([]float64, k), twice: make([]float64, k)}
	for j, i := range s.At {
		q.twice[j] = 2 * (mean[i] - s.C[j])
	}
	q.mul(q.far, q.twice)
	return q
}

// mul writes Qx into dst.
func (q *quadric) mul(dst, x []float64) {
	if q.q == nil {
		for j, v := range x {
			dst[j] = q.scale * v
		}
		return
	}
	for i := range dst {
		dst[i] = dot(q.q[i*len(x):(i+1)*len(x)], x)
	}
}

// A quadricPath is a quadric with the workspace of a path.
type quadricPath struct {
	*quadric
	on         bool      // whether the path has just left this wall
	y, v, n, w []float64 // x − c and u in its coordinates, and their products with Q
	full       []float64 // n among all coordinates
}

// first returns when the path from x with velocity u first leaves the quadric
// before end; end if it does not. In s = tan(t/2), with y = x − c and the point
// z = 2(m − c) − y at the other end of the ellipse, (1 + s²)(x(t) − c) is
// y + 2su + s²z, so that (x − c)ᵀQ(x − c) − 1 times (1 + s²)² is a polynomial of
// degree 4.
func (p *quadricPath) first(x, u []float64, end float64) float64 {
	for j, i := range p.at {
		p.y[j], p.v[j] = x[i]-p.c[j], u[i]
	}
	p.mul(p.n, p.y)
	p.mul(p.w, p.v)
	var c [5]float64
	c[0], c[2], c[4] = -1, -2, -1
	for j, y := range p.y {
		z, v, n, w, f := p.twice[j]-y, p.v[j], p.n[j], p.w[j], p.far[j]
		c[0] += y * n
		c[1] += 4 * v * n
		c[2] += 4*v*w + 2*z*n
		c[3] += 4 * z * w
		c[4] += z * (f - n)
	}
	if c[0] = min(c[0], 0); p.on {
		c[0], c[1] = 0, -math.Abs(c[1])
	}
	p.on = false
	return firstRise(&c, end)
}

// mirror reflects u at the wall that x has come to. It writes the direction P⁻¹n, n
// the normal, into direction and returns how much of it u has lost.
func (p *quadricPath) mirror(x, u, direction []float64, inverse *matrix) float64 {
	for j, i := range p.at {
		p.y[j] = x[i] - p.c[j]
	}
	p.mul(p.n, p.y)
	for j, i := range p.at {
		p.full[i] = p.n[j]
	}
	inverse.mul(direction, p.full)
	rate, length := 0.0, 0.0
	for j, i := range p.at {
		rate += p.n[j] * u[i]
		length += p.n[j] * direction[i]
	}
	c := 2 * rate / length
	subtract(u, c, direction)
	return c
}

// dot is a·b, summed in index order.
func dot(a, b []float64) float64 {
	b = b[:len(a)]
	s := 0.0
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// firstRise returns the least s in (0, end) from where on a polynomial that is at
// most 0 at 0 is positive, end if there is none.
func firstRise(c *[5]float64, end float64) float64 {
	top, power := c[0], 1.0 // no more than this on (0, end)
	for _, v := range c[1:] {
		power *= end
		top += max(v, 0) * power
	}
	if !(top > 0) {
		return end
	}
	var extreme [4]float64
	slope := [5]float64{c[1], 2 * c[2], 3 * c[3], 4 * c[4]}
	n := roots(extreme[:0], &slope, 3, end)
	lo := 0.0
	for _, hi := range append(extreme[:n], end) {
		if value(c, 4, hi) > 0 {
			return root(c, 4, lo, hi, true)
		}
		lo = hi
	}
	return end
}

// roots appends the roots in (0, end) where a polynomial of a degree changes its
// sign, in their order, and returns their number: between those of the derivative
// it is monotone.
func roots(at []float64, c *[5]float64, degree int, end float64) int {
	if degree == 0 {
		return 0
	}
	var slope [5]float64
	for k := 1; k <= degree; k++ {
		slope[k-1] = float64(k) * c[k]
	}
	var turns [4]float64
	n := roots(turns[:0], &slope, degree-1, end)
	turns[n] = end
	lo, below := 0.0, c[0] < 0
	for _, hi := range turns[:n+1] {
		if b := value(c, degree, hi) < 0; b != below {
			at = append(at, root(c, degree, lo, hi, below))
			below = b
		}
		lo = hi
	}
	return len(at)
}

// value is that of a polynomial at s.
func value(c *[5]float64, degree int, s float64) float64 {
	v := c[degree]
	for k := degree - 1; k >= 0; k-- {
		v = v*s + c[k]
	}
	return v
}

// root is the root of a polynomial between lo and hi, where it is monotone and
// has different signs, by Newton's method within a bracket; rises says that it is
// negative at lo.
func root(c *[5]float64, degree int, lo, hi float64, rises bool) float64 {
	s := lo + (hi-lo)/2
	for range 100 {
		v, slope := c[degree], 0.0
		for k := degree - 1; k >= 0; k-- {
			slope = slope*s + v
			v = v*s + c[k]
		}
		if v > 0 == rises {
			hi = s
		} else {
			lo = s
		}
		next := s - v/slope
		if !(next > lo && next < hi) {
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-s) <= 1e-16*s || next == lo || next == hi {
			return next
		}
		s = next
	}
	return s
}
