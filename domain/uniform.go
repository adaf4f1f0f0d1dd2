package domain

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// A UniformLaw draws uniformly from a bounded domain. One goroutine at a time.
type UniformLaw struct {
	d     Domain
	draw  func(x []float64, rng *rand.Rand)
	tries int
	work  float64 // Tries
}

// Tries is the mean number of points that a draw takes: 1 where it has a closed
// form, 1 over the share of the bounding box that the domain fills (estimated)
// for rejection, +Inf for paths and hit-and-run, whose draws are not independent.
func (u *UniformLaw) Tries() float64 { return u.work }

// The acceptance of rejection below which paths or hit-and-run take over, and the trials
// that decide it.
const (
	hopeless   = 1e-4
	dear       = 20 // tries above which round coordinates are looked at
	trials     = 200_000
	trialsSeen = hopeless * trials
)

// Bounded reports whether the bounds of d are finite.
func Bounded(d Domain) bool {
	lo, hi := BoundsOf(d, d.Dim())
	return finite(lo) && finite(hi)
}

// errUnbounded says that d has no uniform law, and along which ray it goes on where
// that is known.
func errUnbounded(what string, d Domain) error {
	along := ""
	if r := Ray(d); r != nil {
		along = fmt.Sprintf(" (it goes on without end along %.4g)", r)
	}
	return fmt.Errorf("%s: the domain is unbounded%s: add bounds on every coordinate, or give a starting point", what, along)
}

// Uniform returns the uniform law on d. Boxes, balls, ellipsoids, simplices,
// their products and affine images are drawn in closed form; other domains by
// rejection from their bounding box or, where they are linear and that takes fewer
// tries, from the box around them when they are made round ([Round]). Where fewer
// than one point of the box in 10⁴ lies in d, each draw goes on from the one before,
// the first from an inner point with ten times as many steps: of linear domains by
// 10 + d/2 billiard paths of about d/2 mirrorings in round coordinates (Gryazina &
// Polyak 2014), one of which all but forgets where it began; of others by 50 + 10d²
// steps of hit-and-run (Lovász 1999: order d² from a warm start). Draws are then
// nearly, not exactly, independent and uniform, and stay in the connected piece of d
// that the inner point is in. It fails for an unbounded or empty domain.
func Uniform(d Domain) (*UniformLaw, error) {
	u := &UniformLaw{d: d, tries: 1000, work: 1}
	if d, ok := d.(*Product); ok {
		return u.product(d)
	}
	if !Bounded(d) {
		if h := halfspacesOf(d); len(h.b) > 0 {
			if _, r, err := newProgram(h, d.Dim()).centre(); err == nil && r <= thin {
				return nil, exclusion(h, d.Dim(), r > -thin)
			}
		}
		return nil, errUnbounded("uniform draws", d)
	}
	switch d := d.(type) {
	case *Box:
		u.draw = inBox(d.lo, d.hi)
	case *Ball:
		u.draw = func(x []float64, rng *rand.Rand) {
			inBall(x, rng)
			for i, c := range d.c {
				x[i] = c + d.r*x[i]
			}
		}
	case *Ellipsoid:
		u.draw = d.uniform
	case *Simplex:
		u.draw = d.uniform
	case *mapped:
		inner, err := Uniform(d.d)
		if err != nil {
			return nil, err
		}
		x := make([]float64, d.Dim())
		u.work = inner.work
		u.draw = func(z []float64, rng *rand.Rand) {
			if inner.Draw(x, rng) != nil {
				z[0] = math.NaN()
				return
			}
			copy(z, d.a.back(x))
		}
	default:
		return u, u.reject(true)
	}
	return u, nil
}

// Draw fills x with a draw.
func (u *UniformLaw) Draw(x []float64, rng *rand.Rand) error {
	for range u.tries {
		u.draw(x, rng)
		if u.d.Contains(x) {
			return nil
		}
	}
	return fmt.Errorf("uniform draws: none of %d tries lay in the domain: give a starting point", u.tries)
}

func (u *UniformLaw) product(d *Product) (*UniformLaw, error) {
	covered := 0
	laws := make([]*UniformLaw, len(d.parts))
	for i, q := range d.parts {
		var err error
		if laws[i], err = Uniform(q.Domain); err != nil {
			return nil, err
		}
		u.work = max(u.work, laws[i].work)
		covered += len(q.At)
	}
	if covered < d.d {
		return nil, errUnbounded("uniform draws", d)
	}
	buf := make([]float64, d.d)
	u.draw = func(x []float64, rng *rand.Rand) {
		for i, q := range d.parts {
			y := buf[:len(q.At)]
			if laws[i].Draw(y, rng) != nil {
				y[0] = math.NaN()
			}
			q.scatter(x, y)
		}
	}
	return u, nil
}

// reject chooses between rejection from the bounding box and hit-and-run, in round
// coordinates of their own where the domain can be made round.
func (u *UniformLaw) reject(round bool) error {
	n := u.d.Dim()
	lo, hi := BoundsOf(u.d, n)
	u.draw, u.tries = inBox(lo, hi), 10_000_000
	seen, tried := u.try()
	u.work = math.Inf(1)
	if seen >= trialsSeen {
		u.work = float64(tried) / float64(seen)
	}
	if u.work > dear && round {
		if z, a, _, ok := rounded(u.d); ok && u.through(z, a) {
			return nil
		}
	}
	if seen >= trialsSeen {
		return nil
	}
	rng := rand.New(rand.NewPCG(0x5eed, 0xd1))
	at, err := Interior(u.d, rng)
	if err != nil {
		return fmt.Errorf("uniform draws: %w", err)
	}
	if _, all := linearOf(u.d); all {
		return u.billiard(at, rng)
	}
	w := &walker{tr: u.d.Tracer(), reach: 1.01 * distance(lo, hi), dir: make([]float64, n)}
	u.tries = 1000
	steps := 10 * (50 + 10*n*n)
	u.draw = func(x []float64, rng *rand.Rand) {
		for range steps {
			w.step(u.d, at, x, rng)
		}
		steps = 50 + 10*n*n
		copy(x, at)
	}
	return nil
}

// try returns how many of so many points of the bounding box lie in the domain. The
// choice that they make is part of the law, not of its draws; that of a polytope is
// kept.
func (u *UniformLaw) try() (seen, tried int) {
	count := func() (seen, tried int) {
		rng := rand.New(rand.NewPCG(0x5eed, 0xd0))
		x := make([]float64, u.d.Dim())
		for ; tried < trials && seen < trialsSeen; tried++ {
			u.draw(x, rng)
			if u.d.Contains(x) {
				seen++
			}
		}
		return seen, tried
	}
	p, ok := u.d.(*Polytope)
	if !ok {
		return count()
	}
	f := &p.found
	f.box.Do(func() { f.seen, f.tried = count() })
	return f.seen, f.tried
}

// billiard draws by paths with normal displacements that are mirrored at the walls and
// begin at an inner point.
func (u *UniformLaw) billiard(at []float64, rng *rand.Rand) error {
	n := len(at)
	r, err := NewReflector(u.d, Specular, 0)
	if err != nil {
		return fmt.Errorf("uniform draws: %w", err)
	}
	to := make([]float64, n)
	sd := 1.0
	path := func(rng *rand.Rand) int {
		for j, x := range at {
			to[j] = x + sd*rng.NormFloat64()
		}
		hits, _ := r.Reflect(at, to, nil)
		copy(at, to)
		return hits
	}
	for range 12 { // the length is part of the law
		hits := 0
		for range 10 {
			hits += path(rng)
		}
		sd *= min(4, max(0.25, 5*float64(n+1)/(float64(hits)+1)))
	}
	u.tries = 1000
	paths := 10 * (10 + n/2)
	u.draw = func(x []float64, rng *rand.Rand) {
		for range paths {
			path(rng)
		}
		paths = 10 + n/2
		copy(x, at)
	}
	return nil
}

// through draws z and maps it, if that takes no more tries.
func (u *UniformLaw) through(z Domain, a *affine) bool {
	inner := &UniformLaw{d: z}
	if inner.reject(false) != nil || inner.work > u.work {
		return false
	}
	u.tries, u.work = 1000, inner.work
	y := make([]float64, z.Dim())
	u.draw = func(x []float64, rng *rand.Rand) {
		if inner.Draw(y, rng) != nil {
			x[0] = math.NaN()
			return
		}
		a.apply(x, y, true)
	}
	return true
}

// step moves at to a uniform point of a random chord through it; y is room.
func (w *walker) step(d Domain, at, y []float64, rng *rand.Rand) {
	w.aim(rng)
	a, b := w.chord(at)
	t := a + (b-a)*rng.Float64()
	for i, e := range w.dir {
		y[i] = at[i] + t*e
	}
	if d.Contains(y) {
		copy(at, y)
	}
}

// inBox draws from a finite box.
func inBox(lo, hi []float64) func([]float64, *rand.Rand) {
	return func(x []float64, rng *rand.Rand) {
		for i, l := range lo {
			x[i] = l + (hi[i]-l)*rng.Float64()
		}
	}
}

// inBall draws from the unit ball.
func inBall(x []float64, rng *rand.Rand) {
	s := 0.0
	for i := range x {
		x[i] = rng.NormFloat64()
		s += x[i] * x[i]
	}
	r := math.Pow(rng.Float64(), 1/float64(len(x))) / math.Sqrt(s)
	for i := range x {
		x[i] *= r
	}
}

// uniform maps a draw from the unit ball.
func (e *Ellipsoid) uniform(x []float64, rng *rand.Rand) {
	d := len(x)
	y := make([]float64, d)
	inBall(y, rng)
	for i, c := range e.c {
		x[i] = c
		for j, l := range e.lambda {
			x[i] += e.q[i*d+j] * y[j] / math.Sqrt(l)
		}
	}
}

// uniform takes shares of exponential draws.
func (s *Simplex) uniform(x []float64, rng *rand.Rand) {
	sum := rng.ExpFloat64()
	for i := range x {
		x[i] = rng.ExpFloat64()
		sum += x[i]
	}
	for i := range x {
		x[i] *= s.s / sum
	}
}
