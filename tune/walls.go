package tune

import (
	"context"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

const (
	wallRays   = 8   // in directions of chance
	wallAxes   = 64  // along which walls are looked for, at most
	wallGrowth = 10. // of slopes, over a thousandth of the distance: that of 1 over its third root
)

// SteepWall finds a point near a wall towards which slopes grow without bound, along rays
// from points of the domain: the uniform law's, or those around start if that is given. nil
// is none that was found.
func SteepWall(ctx context.Context, p r2sgld.Problem, start []float64, seed uint64) ([]float64, error) {
	if p.Domain == nil {
		return nil, nil
	}
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	q.ctx = ctx
	x, err := q.scatter(ctx, p.Domain, start, d)
	if err != nil {
		return nil, ctx.Err()
	}
	axes := min(d, wallAxes)
	tracer, slopes := p.Domain.Tracer(), q.slopes()
	for k := range 2*axes + wallRays {
		from := x[(k%pilotPoints)*d:][:d]
		dir := make([]float64, d)
		if k < 2*axes {
			along(dir, from, p.Domain, k)
		} else {
			for i, at := range x[((k+wallRays)%pilotPoints)*d:][:d] {
				dir[i] = far * (at - from[i])
			}
		}
		t, wall := tracer.Exit(from, dir, domain.None)
		if wall == domain.None {
			continue
		}
		var near []float64
		for _, gap := range []float64{1e-3, 1e-6, 1e-9} {
			for i := range dir {
				near = append(near, from[i]+t*(1-gap)*dir[i])
			}
		}
		seen := slopes.around(near, d, nil)
		if slopes.failed != nil { // a run tells better
			return nil, ctx.Err()
		}
		if len(seen) == 3 && steepens(seen[0], seen[1]) && steepens(seen[1], seen[2]) {
			return near[2*d:], nil
		}
	}
	return nil, nil
}

// far is how many times as long as what is known of a domain a ray is.
const far = 1e3

// along makes dir the k-th of the axes, down and up, long enough to leave the domain.
func along(dir, from []float64, dom domain.Domain, k int) {
	lo, hi := domain.BoundsOf(dom, len(dir))
	length := hi[k/2] - lo[k/2]
	if math.IsInf(length, 0) {
		length = far * max(1, math.Abs(from[k/2]))
	}
	dir[k/2] = math.Copysign(length, float64(k%2)-0.5)
}

// steepens reports whether the slope at b, nearer to the wall, is far larger than at a.
func steepens(a, b point) bool {
	length := func(v []float64) (n float64) {
		for _, x := range v {
			n = math.Hypot(n, x)
		}
		return n
	}
	return length(b.slope) > wallGrowth*length(a.slope)
}
