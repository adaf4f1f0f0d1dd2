package mesh

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/r2sgld/r2sgld/domain"
)

// A stretch is a part of the wall along which x and y are both monotone and
// smooth, run through with Ω on the left.
type stretch struct {
	at             func(t float64) (x, y, dx, dy float64)
	a, b           float64 // range of the parameter
	x0, y0, x1, y1 float64 // its ends
}

// A loop is a closed part of the wall: every stretch ends where the next begins.
type loop []stretch

// outline returns the wall of d: exact where its pieces are known or rays meet
// it, else traced on a grid finer than one of n cells.
func outline(ctx context.Context, d domain.Domain, n int) (loops []loop, note string, err error) {
	pieces, err := domain.Boundary(d)
	if err == nil {
		return []loop{monotone(pieces)}, "", nil
	}
	if domain.Convex(d) && domain.ExactWalls(d) {
		pieces, err = rays(ctx, d)
		var empty *domain.EmptyError
		switch {
		case err == nil:
			return []loop{monotone(pieces)}, "", nil
		case errors.As(err, &empty):
			return nil, "", err
		}
	}
	return traced(ctx, d, n)
}

// rays returns the wall of a convex domain as the curve of the points that rays
// from a point inside meet. Its arcs shrink towards corners, which are thus found
// to rounding.
func rays(ctx context.Context, d domain.Domain) ([]domain.Piece, error) {
	c, err := domain.Interior(ctx, d, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return nil, err
	}
	lo, hi := domain.BoundsOf(d, 2)
	reach := 2 * math.Hypot(hi[0]-lo[0], hi[1]-lo[1])
	var one sync.Mutex // a tracer serves one caller at a time
	tr := d.Tracer()
	curve, err := domain.NewCurve("convex", func(theta float64) (x, y float64) {
		one.Lock()
		defer one.Unlock()
		sin, cos := math.Sincos(theta)
		dx, dy := reach*cos, reach*sin
		t, _ := tr.Exit(c, []float64{dx, dy}, domain.None)
		return c[0] + t*dx, c[1] + t*dy
	})
	if err != nil {
		return nil, err
	}
	return domain.Boundary(curve)
}

// monotone cuts pieces where x or y turn back.
func monotone(pieces []domain.Piece) loop {
	var l loop
	for _, p := range pieces {
		cuts := turns(p)
		for i, a := range cuts[:len(cuts)-1] {
			s := stretch{at: p.At, a: a, b: cuts[i+1]}
			s.x0, s.y0, _, _ = p.At(s.a)
			s.x1, s.y1, _, _ = p.At(s.b)
			l = append(l, s)
		}
	}
	return l
}

// turns returns the knots of a piece and the parameters at which dx or dy change
// their sign.
func turns(p domain.Piece) []float64 {
	const steps = 4
	cuts := slices.Clone(p.Knots)
	for _, slope := range []func(t float64) float64{
		func(t float64) float64 { _, _, dx, _ := p.At(t); return dx },
		func(t float64) float64 { _, _, _, dy := p.At(t); return dy },
	} {
		for i, hi := range p.Knots[1:] {
			lo := p.Knots[i]
			before, last := lo, slope(lo)
			for k := 1; k <= steps; k++ {
				t := lo + (hi-lo)*float64(k)/steps
				now := slope(t)
				if now*last < 0 {
					up := last > 0
					cuts = append(cuts, bisect(func(t float64) bool { return slope(t) > 0 == up }, before, t))
				}
				before, last = t, now
			}
		}
	}
	slices.Sort(cuts)
	return slices.Compact(cuts)
}

// polygon is the loop through vertices, neighbours that are equal left out.
func polygon(v [][2]float64) loop {
	var l loop
	for i, p := range v {
		q := v[(i+1)%len(v)]
		if p == q {
			continue
		}
		ex, ey := q[0]-p[0], q[1]-p[1]
		l = append(l, stretch{
			at: func(t float64) (x, y, dx, dy float64) { return p[0] + t*ex, p[1] + t*ey, ex, ey },
			b:  1, x0: p[0], y0: p[1], x1: q[0], y1: q[1],
		})
	}
	return l
}

// A grid lies over the tightest box of the wall.
type grid struct {
	lo, hi, side [2]float64
	n            [2]int
	tiny         [2]float64 // points nearer to a line are on it
}

// newGrid cuts the longer side of the box around loops into n.
func newGrid(loops []loop, n int) *grid {
	inf := math.Inf(1)
	g := &grid{lo: [2]float64{inf, inf}, hi: [2]float64{-inf, -inf}}
	for _, l := range loops {
		for _, s := range l {
			g.lo[0], g.hi[0] = math.Min(g.lo[0], s.x0), math.Max(g.hi[0], s.x0)
			g.lo[1], g.hi[1] = math.Min(g.lo[1], s.y0), math.Max(g.hi[1], s.y0)
		}
	}
	long := math.Max(g.hi[0]-g.lo[0], g.hi[1]-g.lo[1])
	for j := range 2 {
		w := g.hi[j] - g.lo[j]
		g.n[j] = max(1, int(math.Round(float64(n)*w/long)))
		g.side[j] = w / float64(g.n[j])
		g.tiny[j] = 1e-11 * g.side[j]
	}
	return g
}

// line is the coordinate of line i, 0 to n[axis], across an axis.
func (g *grid) line(axis, i int) float64 { return between(g.lo[axis], g.hi[axis], i, g.n[axis]) }

// nearest is the line nearest to v.
func (g *grid) nearest(axis int, v float64) int {
	return min(max(int(math.Round((v-g.lo[axis])/g.side[axis])), 0), g.n[axis])
}
