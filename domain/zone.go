package domain

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A zone is the part lo ≤ w·y ≤ hi of the unit ball, w of unit length, moved by a
// place: a ball, a cap or a slice of one.
type zone struct {
	w      []float64
	lo, hi float64
	place  round
	log    float64 // of its volume
}

// A round is the image of the unit ball under y ↦ c + By.
type round struct {
	c      []float64
	radius float64              // of a ball, 0 for others
	apply  func(x, y []float64) // writes By
	back   func(u, a []float64) // writes Bᵀa
	log    float64              // of the determinant of B
}

// round returns the round that q is, if it is one in all of n coordinates.
func (q Quadratic) round(n int) (round, bool) {
	if !slices.Equal(q.At, each(n)) {
		return round{}, false
	}
	if q.Q == nil {
		scale := func(x, y []float64) {
			for i, v := range y {
				x[i] = q.R * v
			}
		}
		return round{q.C, q.R, scale, scale, float64(n) * math.Log(q.R)}, true
	}
	made, err := newEllipsoid(q.C, mat.NewSymDense(n, q.Q))
	if err != nil {
		return round{}, false
	}
	lambda, axes := made.lambda, made.q
	log, radius := 0.0, 0.0
	for _, l := range lambda {
		log -= math.Log(l) / 2
	}
	if least := lambda[0]; lambda[n-1]-least <= 1e-14*least {
		radius = 1 / math.Sqrt(least)
	}
	return round{q.C, radius, func(x, y []float64) {
		for i := range x {
			x[i] = 0
			for j, l := range lambda {
				x[i] += axes[i*n+j] * y[j] / math.Sqrt(l)
			}
		}
	}, func(u, a []float64) {
		for j, l := range lambda {
			u[j] = 0
			for i, v := range a {
				u[j] += axes[i*n+j] * v / math.Sqrt(l)
			}
		}
	}, log}, true
}

// between returns the zone of r where lo ≤ w·y ≤ hi, false if it is empty.
func (r round) between(w []float64, lo, hi float64) (*zone, bool) {
	lo, hi = max(lo, -1), min(hi, 1)
	if !(lo < hi) {
		return nil, false
	}
	if hi <= 0 { // the greater end is the one near the equator
		w, lo, hi = slices.Clone(w), -hi, -lo
		for i := range w {
			w[i] = -w[i]
		}
	}
	n := len(w)
	return &zone{w, lo, hi, r, r.log + logBall(n) + logSlice(n, lo, hi) - logSlice(n, -1, 1)}, true
}

// logSlice is the logarithm of ∫ cosⁿφ dφ from sin φ = lo to hi.
func logSlice(n int, lo, hi float64) float64 {
	const panels = 512
	a, b := math.Asin(lo), math.Asin(hi)
	at := func(phi float64) float64 { return float64(n) * math.Log(math.Cos(phi)) }
	top := at(min(max(a, 0), b))
	sum, h := 0.0, (b-a)/panels
	for k := range panels {
		m := a + (float64(k)+0.5)*h
		for i, x := range [3]float64{-math.Sqrt(0.6), 0, math.Sqrt(0.6)} { // Gauss's rule
			sum += [3]float64{5, 8, 5}[i] / 18 * math.Exp(at(m+x*h/2)-top)
		}
	}
	return top + math.Log(sum*h)
}

// draw writes a uniform point.
func (z *zone) draw(x []float64, rng *rand.Rand) {
	n := len(x)
	t := z.height(rng)
	y := make([]float64, n)
	for i := range y {
		y[i] = rng.NormFloat64()
	}
	along := dot(y, z.w)
	for i, w := range z.w {
		y[i] -= along * w
	}
	r := math.Sqrt(1-t*t) * math.Pow(rng.Float64(), 1/float64(n-1)) / norm(y)
	for i, w := range z.w {
		y[i] = t*w + r*y[i]
	}
	z.place.apply(x, y)
	for i, c := range z.place.c {
		x[i] += c
	}
}

// height draws w·y, of density (1 − t²)^((n−1)/2), by rejection from the exponential law
// that touches it at the end nearer to the equator: it is log-concave.
func (z *zone) height(rng *rand.Rand) float64 {
	k := float64(len(z.w)-1) / 2
	from := max(z.lo, 0)
	slope := 2 * k * from / (1 - from*from)
	wide := z.hi - z.lo
	top := k * math.Log1p(-from*from)
	for {
		t := z.lo + wide*rng.Float64()
		if slope*wide > 1e-9 {
			t = z.lo - math.Log1p(rng.Float64()*math.Expm1(-slope*wide))/slope
		}
		if -rng.ExpFloat64() <= k*math.Log1p(-t*t)-top+slope*(t-from) {
			return t
		}
	}
}

// A cover is a set of known volume that holds a domain.
type cover struct {
	draw  func(x []float64, rng *rand.Rand)
	log   float64 // of its volume
	equal bool    // it is the domain, but for rounding
}

// zones returns the smallest cover of an intersection, or of a set of surfaces, with balls
// or ellipsoids: one of
// them, or its zone between two parallel walls, or the two caps that make up what two
// balls have in common, or the shell that a ball leaves of one around it. nil if there is
// none.
func zones(d Domain) *cover {
	members := membersOf(d)
	if members == nil && surfacesOf(d) != nil {
		members = []Domain{d}
	}
	if d.Dim() < 2 || members == nil {
		return nil
	}
	best := &cover{log: math.Inf(1)}
	take := func(c cover, equal bool) {
		if c.log < best.log {
			c.equal = equal
			best = &c
		}
	}
	h := halfspacesOf(d)
	rounds, holes, told := roundsOf(members)
	slices.SortStableFunc(rounds, func(r, s round) int { return cmp.Compare(r.log, s.log) })
	is := func(n, m int) bool { return told && len(rounds) == n && len(holes) == m }
	for i, r := range rounds[:min(len(rounds), mostRounds)] {
		z, used, ok := r.cut(h)
		if ok {
			take(cover{draw: z.draw, log: z.log}, is(1, 0) && used == len(h.B))
		}
		whole := ok && used == len(h.B) && z.lo == -1 && z.hi == 1
		for _, s := range rounds[:i] {
			if c, ok := lens(r, s); ok {
				take(c, is(2, 0) && whole)
			}
		}
		for _, s := range holes[:min(len(holes), mostRounds)] {
			if c, equal, ok := shell(r, s); ok {
				take(c, is(1, 1) && equal && whole)
			}
		}
	}
	if best.draw == nil {
		return nil
	}
	return best
}

// mostRounds is how many of the smallest balls and ellipsoids are tried as covers.
const mostRounds = 16

// roundsOf returns the balls and ellipsoids that an intersection is within, and those that
// are cut out of it. told is whether they and half-spaces tell all of its members.
func roundsOf(members []Domain) (rounds, holes []round, told bool) {
	told = true
	for _, m := range members {
		if _, all := linearOf(m); all {
			continue
		}
		n, surfaces := m.Dim(), surfacesOf(m)
		if surfaces == nil {
			s, err := InequalitiesOf(m)
			if err == nil && len(s.A) == 0 && len(s.Quadratic) == 1 {
				if r, ok := s.Quadratic[0].round(n); ok {
					rounds = append(rounds, r)
					continue
				}
			}
			told = false
		}
		for _, g := range surfaces {
			if q, hole, ok := quadraticOf(g); !ok {
				told = false
			} else if r, ok := q.round(n); !ok {
				told = false
			} else if hole {
				holes = append(holes, r)
			} else {
				rounds = append(rounds, r)
			}
		}
	}
	return rounds, holes, told
}

// cut is the zone of r between the row that leaves least of it and those that are
// parallel to that, and how many of the rows it obeys.
func (r round) cut(h HalfSpaces) (z *zone, used int, ok bool) {
	n := len(r.c)
	var dirs [][]float64
	var ends []float64
	least := -1
	for i, a := range h.A {
		u := make([]float64, n)
		r.back(u, a)
		l := norm(u)
		for j := range u {
			u[j] /= l
		}
		dirs, ends = append(dirs, u), append(ends, (h.B[i]-dot(a, r.c))/l)
		if least < 0 || ends[i] < ends[least] {
			least = i
		}
	}
	w, lo, hi := make([]float64, n), -1.0, 1.0
	w[0] = 1
	if least >= 0 {
		w = dirs[least]
	}
	for i, u := range dirs {
		switch c := dot(u, w); {
		case c > 1-1e-13:
			hi = min(hi, ends[i])
		case c < -1+1e-13:
			lo = max(lo, -ends[i])
		case ends[i] < 1:
			continue
		}
		used++
	}
	z, ok = r.between(w, lo, hi)
	return z, used, ok
}

// lens covers what two balls have in common: a cap of each, on either side of the plane
// in which their spheres meet.
func lens(r, s round) (c cover, ok bool) {
	a, b, apart := r.radius, s.radius, distance(r.c, s.c)
	if !(a > 0 && b > 0 && apart > math.Abs(a-b)) {
		return c, false
	}
	w := make([]float64, len(r.c))
	for i := range w {
		w[i] = (s.c[i] - r.c[i]) / apart
	}
	// Of unlike radii the plane is found by the difference, without cancellation.
	plane := (apart + (a-b)*((a+b)/apart)) / 2
	near, one := r.between(w, plane/a, 1)
	far, two := s.between(w, -1, (plane-apart)/b)
	switch {
	case one && two:
		top := max(near.log, far.log)
		m, n := math.Exp(near.log-top), math.Exp(far.log-top)
		return cover{func(x []float64, rng *rand.Rand) {
			if (m+n)*rng.Float64() < m {
				near.draw(x, rng)
			} else {
				far.draw(x, rng)
			}
		}, top + math.Log(m+n), false}, true
	case one:
		return cover{near.draw, near.log, false}, true
	case two:
		return cover{far.draw, far.log, false}, true
	}
	return c, false
}

// shell covers what a ball s leaves of a ball r: what is farther from the centre of r than
// s reaches everywhere. equal is whether that is all.
func shell(r, s round) (c cover, equal, ok bool) {
	a, b, apart := r.radius, s.radius, distance(r.c, s.c)
	if !(a > 0 && b > apart && b-apart < a) {
		return c, false, false
	}
	n := float64(len(r.c))
	hollow := math.Expm1(n * math.Log1p((b-apart-a)/a)) // less the share of r that is left
	c.log = r.log + logBall(len(r.c)) + math.Log(-hollow)
	c.draw = func(x []float64, rng *rand.Rand) {
		y := make([]float64, len(x))
		for i := range y {
			y[i] = rng.NormFloat64()
		}
		length := math.Exp(math.Log1p(rng.Float64()*hollow)/n) / norm(y)
		for i := range y {
			y[i] *= length
		}
		r.apply(x, y)
		for i, v := range r.c {
			x[i] += v
		}
	}
	return c, apart <= 1e-13*(a-b), true
}
