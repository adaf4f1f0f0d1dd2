package domain

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Volume returns the logarithm of the volume of d and its standard error: 0
// where the volume has a closed form (box, ball, ellipsoid, simplex, plane
// shapes with a method Area() float64, products and affine images of these).
// Else it is estimated from 400,000 points of the bounding box; where few of them
// lie in d, and d is linear, of that of d made round ([Round]). Where fewer than 100 do
// it is estimated by normal laws in it, from one that is so narrow that it meets no wall
// to the flat one, if d is linear, and if it is convex, by hit-and-run in nested balls
// around an inner point (Dyer, Frieze & Kannan 1991). It fails for an unbounded
// or empty domain and where the estimate is hopeless.
func Volume(d Domain, rng *rand.Rand) (log, se float64, err error) {
	switch d := d.(type) {
	case interface{ Area() float64 }:
		return math.Log(d.Area()), 0, nil
	case *Ball:
		return logBall(len(d.c)) + float64(len(d.c))*math.Log(d.r), 0, nil
	case *Ellipsoid:
		log = logBall(len(d.c))
		for _, l := range d.lambda {
			log -= math.Log(l) / 2
		}
		return log, 0, nil
	case *Simplex:
		g, _ := math.Lgamma(float64(d.d) + 1)
		return float64(d.d)*math.Log(d.s) - g, 0, nil
	case *Product:
		covered := 0
		for _, q := range d.parts {
			l, s, err := Volume(q.Domain, rng)
			if err != nil {
				return 0, 0, err
			}
			log, se = log+l, math.Hypot(se, s)
			covered += len(q.At)
		}
		if covered < d.d {
			return 0, 0, errUnbounded("volume", d)
		}
		return log, se, nil
	case *mapped:
		log, se, err = Volume(d.d, rng)
		det, _ := mat.LogDet(d.a.l)
		return log - det, se, err
	}
	if !Bounded(d) {
		return 0, 0, errUnbounded("volume", d)
	}
	return estimate(d, rng)
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
	points   = 400_000
	manyIn   = points / 20
	enoughIn = 100
)

// estimate counts points of the bounding box.
func estimate(d Domain, rng *rand.Rand) (log, se float64, err error) {
	log, in := count(d, rng)
	if _, ok := d.(*Box); ok {
		return log, 0, nil
	}
	unit := 0.0 // log of the volume that one of the counted domain is of d
	if in < manyIn {
		if z, _, det, ok := rounded(d); ok {
			l, k := count(z, rng)
			if max(k, in) < enoughIn {
				log, se, err = cooled(z, rng)
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
	if !Convex(d) {
		return 0, 0, fmt.Errorf("volume: %d of %d points of the bounding box lay in the domain: too few for an estimate; bound it more tightly", in, points)
	}
	return nested(d, rng)
}

// count returns the logarithm of the volume of the bounding box and how many of its
// points lie in d; none are drawn for a box.
func count(d Domain, rng *rand.Rand) (log float64, in int) {
	n := d.Dim()
	lo, hi := BoundsOf(d, n)
	for i, l := range lo {
		log += math.Log(hi[i] - l)
	}
	if _, ok := d.(*Box); ok {
		return log, points
	}
	draw, x := inBox(lo, hi), make([]float64, n)
	for range points {
		draw(x, rng)
		if d.Contains(x) {
			in++
		}
	}
	return log, in
}

// nested multiplies ratios of the volumes of d within balls, each twice the
// volume of the one before, from a ball inside d to one around it.
func nested(d Domain, rng *rand.Rand) (log, se float64, err error) {
	n := d.Dim()
	lo, hi := BoundsOf(d, n)
	centre, err := Interior(d, rng)
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
