package domain

import (
	"errors"
	"fmt"
	"math"
	"sort"
)

// A Piece is a smooth piece of the boundary of a plane domain, run through
// counter-clockwise: Ω lies on the left.
type Piece struct {
	// At returns the point at t, 0 ≤ t ≤ 1, and the derivative by t, which may
	// be zero at the ends (a cusp) and nowhere else. It is safe for concurrent
	// use.
	At func(t float64) (x, y, dx, dy float64)
	// Knots are 0 = t_0 < … < t_n = 1: between two of them At is smooth and
	// the tangent turns by less than a right angle.
	Knots []float64
}

// Boundary returns the boundary of a bounded domain of the plane, cut at its corners
// and cusps: every piece ends where the next begins, and the last where the first
// begins. A domain tells its own by a method Pieces() []Piece; of those of this
// package curves, polygons, simplices, balls and boxes do.
func Boundary(d Domain) ([]Piece, error) {
	if d == nil {
		return nil, errors.New("boundary: the whole plane has none; give a bounded domain")
	}
	if n := d.Dim(); n != 2 {
		return nil, fmt.Errorf("boundary: the domain has %d coordinates; pieces are known in the plane only", n)
	}
	p, ok := d.(interface{ Pieces() []Piece })
	if !ok {
		return nil, fmt.Errorf("boundary: the pieces of %s are not known; describe the domain as a curve or a polygon", kindOf(d))
	}
	if !Bounded(d) {
		return nil, errUnbounded("boundary", d)
	}
	return p.Pieces(), nil
}

// edges are the sides of the polygon with vertices v, counter-clockwise.
func edges(v [][2]float64) []Piece {
	out := make([]Piece, len(v))
	for i, a := range v {
		b := v[(i+1)%len(v)]
		ex, ey := b[0]-a[0], b[1]-a[1]
		out[i] = Piece{func(t float64) (x, y, dx, dy float64) {
			if t == 1 {
				return b[0], b[1], ex, ey
			}
			return a[0] + t*ex, a[1] + t*ey, ex, ey
		}, []float64{0, 1}}
	}
	return out
}

// Pieces cuts the curve between arcs that do not join smoothly.
func (c *curve) Pieces() []Piece {
	n := len(c.arcs)
	var corner []int // arcs that begin at a corner
	for i := range c.arcs {
		if !smooth(&c.arcs[(i+n-1)%n], &c.arcs[i], c.arc/(2*math.Pi)) {
			corner = append(corner, i)
		}
	}
	if len(corner) == 0 {
		return []Piece{run(c.arcs)}
	}
	out := make([]Piece, len(corner))
	for k, i := range corner {
		if k+1 < len(corner) {
			out[k] = run(c.arcs[i:corner[k+1]])
		} else {
			out[k] = run(append(append([]arc(nil), c.arcs[i:]...), c.arcs[:corner[0]]...))
		}
	}
	return out
}

// smooth reports whether the first and second derivatives by θ agree where a
// ends and b begins, and are not zero there. speed is the mean of |dγ/dθ|.
func smooth(a, b *arc, speed float64) bool {
	_, _, ax, ay, axx, ayy := a.jet(1)
	_, _, bx, by, bxx, byy := b.jet(-1)
	ha, hb := math.Abs(a.half), math.Abs(b.half)
	va, vb := math.Hypot(ax, ay)/ha, math.Hypot(bx, by)/hb
	if min(va, vb) <= 1e-7*speed {
		return false
	}
	jump := math.Hypot(ax/ha-bx/hb, ay/ha-by/hb)
	bend := math.Hypot(axx/(ha*ha)-bxx/(hb*hb), ayy/(ha*ha)-byy/(hb*hb))
	return jump <= 1e-7*(va+vb) &&
		bend <= 1e-5*(va+vb+math.Hypot(axx, ayy)/(ha*ha)+math.Hypot(bxx, byy)/(hb*hb))
}

// run joins arcs to a piece. Its parameter is θ, scaled.
func run(arcs []arc) Piece {
	knots := make([]float64, len(arcs)+1)
	for i := range arcs {
		knots[i+1] = knots[i] + math.Abs(arcs[i].half)
	}
	total := knots[len(arcs)]
	for i := range knots {
		knots[i] /= total
	}
	return Piece{func(t float64) (x, y, dx, dy float64) {
		i := min(max(sort.SearchFloat64s(knots, t), 1), len(arcs)) - 1
		a, lo, hi := &arcs[i], knots[i], knots[i+1]
		u := min(max(((t-lo)-(hi-t))/(hi-lo), -1), 1)
		for k := arcDegree; k >= 0; k-- {
			dx, dy = dx*u+x, dy*u+y
			x, y = x*u+a.x[k], y*u+a.y[k]
		}
		switch t { // ends are shared, bit for bit
		case lo:
			x, y = a.ax, a.ay
		case hi:
			x, y = a.bx, a.by
		}
		scale := 2 / (hi - lo)
		return x, y, dx * scale, dy * scale
	}, knots}
}
