package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
)

// Volume returns the logarithm of the volume of d and its standard error: 0
// where the volume has a closed form (box, ball, ellipsoid, simplex, polygon, curve,
// products and affine images of these),
// and of what a wall, two parallel ones or another ball leave of a ball or an
// ellipsoid, where that is little of its bounding box. Else it is estimated from 400,000
// points of the bounding box; where few of them lie in d, and d is linear, of that of d
// made round, and where d is not convex, of the cells that [Uniform] draws
// from. Where fewer than 100 do it is estimated by normal laws in it, from one that is so
// narrow that it meets no wall to the flat one, if d is linear, and if it is convex, by
// hit-and-run in nested balls around an inner point (Dyer, Frieze & Kannan 1991). It fails
// for an unbounded or empty domain and where the estimate is hopeless. A domain that knows
// its volume has a method Volume(ctx context.Context, rng *rand.Rand) (log, se float64, err
// error).
func Volume(ctx context.Context, d Domain, rng *rand.Rand) (log, se float64, err error) {
	if m, ok := d.(interface {
		Volume(ctx context.Context, rng *rand.Rand) (log, se float64, err error)
	}); ok {
		return m.Volume(ctx, rng)
	}
	if !Bounded(d) {
		return 0, 0, errUnbounded("volume", d)
	}
	return estimate(ctx, d, rng)
}

// logBox is the log volume of a box.
func logBox(lo, hi []float64) (log float64) {
	for i, l := range lo {
		log += math.Log(hi[i] - l)
	}
	return log
}

// logBall is the log volume of the unit ball.
func logBall(d int) float64 {
	h := float64(d) / 2
	g, _ := math.Lgamma(h + 1)
	return h*math.Log(math.Pi) - g
}

// points of a bounding box tell a volume if enough of them lie in the domain; if
// fewer than many do, one that is made round may have more.
const (
	points     = 400_000
	mostPoints = 10 * points // of a cover by cells
	manyIn     = points / 20
	enoughIn   = 100
)

// estimate counts points of the bounding box.
func estimate(ctx context.Context, d Domain, rng *rand.Rand) (log, se float64, err error) {
	log, in, err := count(ctx, d, rng)
	if err != nil {
		return 0, 0, err
	}
	if c := zones(d); c != nil && in < manyIn {
		if c.equal {
			return c.log, 0, nil
		}
		if k, err := inside(ctx, d, c.draw, rng); err != nil {
			return 0, 0, err
		} else if k > in {
			log, in = c.log, k
		}
	}
	unit := 0.0 // log of the volume that one of the counted domain is of d
	if in < manyIn {
		if z, _, det, ok := rounded(ctx, d); ok {
			l, k, err := count(ctx, z, rng)
			if err != nil {
				return 0, 0, err
			}
			if max(k, in) < enoughIn {
				log, se, err = cooled(ctx, z, rng)
				return det + log, se, err
			}
			if k >= in {
				log, in, unit = l, k, det
			}
		}
	}
	if in >= enoughIn {
		p := float64(in) / points
		if in == points {
			se = 1. / points // less than one in so many is outside
		}
		return unit + log + math.Log(p), math.Hypot(se, math.Sqrt((1-p)/float64(in))), nil
	}
	if log, se, ok, err := byCells(ctx, d, rng); ok || err != nil {
		return log, se, err
	}
	if !Convex(d) {
		return 0, 0, fmt.Errorf("volume: %d of %d points of the bounding box lay in the domain: too few for an estimate; bound it more tightly",
			in, points)
	}
	return nested(ctx, d, rng)
}

// byCells counts points of a cover of d by cells; not ok where there is none, or too few are
// in d.
func byCells(ctx context.Context, d Domain, rng *rand.Rand) (log, se float64, ok bool, err error) {
	c, err := cellsOf(ctx, d)
	if c == nil || err != nil {
		return 0, 0, false, err
	}
	in, tried := 0, 0
	for ; in < manyIn && tried < mostPoints; tried += points {
		k, err := inside(ctx, d, c.draw, rng)
		if err != nil {
			return 0, 0, false, err
		}
		in += k
	}
	if in < enoughIn {
		return 0, 0, false, nil
	}
	p := float64(in) / float64(tried)
	return c.log + math.Log(p), math.Sqrt((1 - p) / float64(in)), true, nil
}

// count returns the logarithm of the volume of the bounding box and how many of its
// points lie in d.
func count(ctx context.Context, d Domain, rng *rand.Rand) (log float64, in int, err error) {
	lo, hi := BoundsOf(d, d.Dim())
	in, err = inside(ctx, d, inBox(lo, hi), rng)
	return logBox(lo, hi), in, err
}

// inside counts the points that draw makes in d.
func inside(ctx context.Context, d Domain, draw func(x []float64, rng *rand.Rand), rng *rand.Rand) (in int, err error) {
	in, _, err = Count(ctx, d, points, points+1, func(x []float64) error { draw(x, rng); return nil })
	return in, err
}

// nested multiplies ratios of the volumes of d within balls, each twice the
// volume of the one before, from a ball inside d to one around it.
func nested(ctx context.Context, d Domain, rng *rand.Rand) (log, se float64, err error) {
	n := d.Dim()
	lo, hi := BoundsOf(d, n)
	centre, err := Interior(ctx, d, rng)
	if err != nil {
		return 0, 0, fmt.Errorf("volume: %w", err)
	}
	tr := d.Tracer()
	r := 0.999 * depth(tr, centre)
	if !(r > 0) {
		return 0, 0, errors.New("volume: the distance to the wall of this domain is not known: bound it more tightly")
	}
	log = logBall(n) + float64(n)*math.Log(r)
	far := 0.0
	for i, c := range centre {
		far = math.Hypot(far, math.Max(c-lo[i], hi[i]-c))
	}
	w := &walker{tr: tr, reach: 2.02 * distance(lo, hi), dir: make([]float64, n)}
	at, y := append([]float64(nil), centre...), make([]float64, n)
	const batches, size = 20, 250
	for r < far {
		next := r * math.Pow(2, 1/float64(n))
		var sum, squares float64
		for b := -2; b < batches; b++ { // two batches to settle
			in := 0
			for range size {
				if err := ctx.Err(); err != nil {
					return 0, 0, err
				}
				for range n {
					w.stepWithin(d, at, y, centre, next, rng)
				}
				if distance(at, centre) <= r {
					in++
				}
			}
			if b >= 0 {
				p := float64(in) / size
				sum, squares = sum+p, squares+p*p
			}
		}
		mean := sum / batches
		v := (squares/batches - mean*mean) / (batches - 1)
		log -= math.Log(mean)
		se = math.Hypot(se, math.Sqrt(math.Max(v, 0))/mean)
		r = next
	}
	return log, se, nil
}

// stepWithin is a step of hit-and-run in d and the ball around c.
func (w *walker) stepWithin(d Domain, at, y, c []float64, r float64, rng *rand.Rand) {
	w.aim(rng)
	a, b := w.chord(at)
	qa, qb, qc := 0.0, 0.0, -r*r
	for i, e := range w.dir {
		f := at[i] - c[i]
		qa += e * e
		qb += e * f
		qc += f * f
	}
	root := math.Sqrt(math.Max(qb*qb-qa*qc, 0))
	a, b = math.Max(a, (-qb-root)/qa), math.Min(b, (-qb+root)/qa)
	t := a + (b-a)*rng.Float64()
	for i, e := range w.dir {
		y[i] = at[i] + t*e
	}
	if a <= b && d.Contains(y) && distance(y, c) <= r {
		copy(at, y)
	}
}
