package domain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/stream"
)

// A Law makes draws. One goroutine at a time.
type Law struct {
	// Draw fills x with a draw. It fails when ctx ends, and where no point was found.
	Draw func(ctx context.Context, x []float64, rng *rand.Rand) error
	// Tries is the mean number of points that a draw takes: 1 where it has a closed
	// form, 1 over the share of the bounding box that the domain fills (estimated)
	// for rejection, +Inf for paths, whose draws are not independent.
	Tries float64
	// Note says what keeps the draws from being independent and of the law, beside rounding;
	// nothing where they are, or all but are: as paths in a convex domain.
	Note string
	// Propose writes the next try of Draw, of which there are Most at most: the first in the
	// domain is the draw. nil where draws are not made by tries.
	Propose func(x []float64, rng *rand.Rand)
	Most    int
}

// A sampler makes the draws of a uniform law.
type sampler struct {
	d     Domain
	draw  func(ctx context.Context, x []float64, rng *rand.Rand) error
	point func(x []float64, rng *rand.Rand) // the same, where it needs not be waited for
	tries int
	work  float64 // Tries
	note  string
}

// The acceptance of rejection below which paths take over, and the trials that decide it.
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
	if r := rayOf(d); r != nil {
		along = fmt.Sprintf(" (it goes on without end along %.4g)", r)
	}
	return fmt.Errorf("%s: the domain is unbounded%s: add bounds on every coordinate, or give a starting point", what, along)
}

// Uniform returns the uniform law on d. Boxes, balls, ellipsoids, simplices,
// their products and affine images are drawn in closed form; other domains by
// rejection from their bounding box or, where they are linear and that takes fewer
// tries, from the box around them when they are made round, or, of what walls
// and balls leave of a ball or an ellipsoid, from a cap or a slice of that. A domain that
// is not convex and of which fewer than one point of the box in 10⁴ is part is covered,
// in up to three dimensions, with cells of a grid that is finer there, and drawn by
// rejection from those. Elsewhere each draw goes on from the one before, the first from
// an inner point with ten times as many steps, by 10 + d/2 billiard paths of about d/2
// mirrorings (Gryazina & Polyak 2014), of a linear domain in round coordinates, of one
// that is not convex by more until draws forget the ones before. Draws are then nearly,
// not exactly, independent and uniform, and stay in the connected piece of d that the
// inner point is in: see [Law]. It fails for an unbounded or empty domain. A domain makes
// its own draws by a method Uniform(ctx context.Context) (*Law, error), a new law at each
// call; draws that rounding has put outside are made again.
func Uniform(ctx context.Context, d Domain) (*Law, error) {
	u := &sampler{d: d, tries: 1000, work: 1}
	if m, ok := d.(interface {
		Uniform(ctx context.Context) (*Law, error)
	}); ok {
		law, err := m.Uniform(ctx)
		if err != nil {
			return nil, err
		}
		u.draw, u.work, u.note = law.Draw, law.Tries, law.Note
		return u.law(), nil
	}
	if !Bounded(d) {
		if h := halfspacesOf(d); len(h.B) > 0 {
			if _, r, err := newProgram(h, d.Dim()).centre(ctx); err == nil && r <= thin {
				return nil, exclusion(ctx, h, d.Dim(), r > -thin)
			}
		}
		return nil, errUnbounded("uniform draws", d)
	}
	if err := u.reject(ctx, true); err != nil {
		return nil, err
	}
	return u.law(), nil
}

// law tells what was chosen.
func (u *sampler) law() *Law { return &Law{u.once, u.work, u.note, u.point, u.tries} }

// by has points of a law be the tries.
func (u *sampler) by(point func(x []float64, rng *rand.Rand)) {
	u.draw, u.point = drawing(point), point
}

// closed is a law of points that need not be waited for, one try each.
func closed(point func(x []float64, rng *rand.Rand)) *Law {
	return &Law{Draw: drawing(point), Tries: 1}
}

// drawing makes a law of points that need not be waited for.
func drawing(point func(x []float64, rng *rand.Rand)) func(context.Context, []float64, *rand.Rand) error {
	return func(_ context.Context, x []float64, rng *rand.Rand) error {
		point(x, rng)
		return nil
	}
}

// heard is the number of quick tries after which a loop looks whether it is to end.
const heard = 1024

// once fills x with a draw.
func (u *sampler) once(ctx context.Context, x []float64, rng *rand.Rand) error {
	for k := range u.tries {
		if k%heard == heard-1 {
			if err := ended(ctx, u.d); err != nil {
				return err
			}
		}
		if err := u.draw(ctx, x, rng); err != nil {
			return err
		}
		if u.d.Contains(x) {
			return nil
		}
	}
	return noDraw(u.d, u.tries)
}

// noDraw says that none of so many tries fell inside, or why that is not told.
func noDraw(d Domain, tries int) error {
	if err := Err(d); err != nil {
		return err
	}
	return fmt.Errorf("uniform draws: 0 of %d tries fell inside the domain: bound it more tightly, or give a starting point", tries)
}

// Draw writes a draw of a law on the domain of the crowd, as law.Draw does by the same numbers: tries
// are asked for together, about as many as a draw takes. Without a crowd, nil, it is law.Draw.
func (c *Crowd) Draw(ctx context.Context, law *Law, x []float64, rng *stream.Rand) error {
	if c == nil || law.Propose == nil {
		return law.Draw(ctx, x, &rng.Rand)
	}
	n := int(min(math.Ceil(2*law.Tries), Crowded))
	for k := 0; k < law.Most; k += n {
		if err := ended(ctx, c.domain); err != nil {
			return err
		}
		if n > 2 {
			states, back := make([][]float64, n), rng.Here()
			for i := range states {
				states[i] = make([]float64, len(x))
				law.Propose(states[i], &rng.Rand)
			}
			back()
			c.Foresee(states)
		}
		for range min(n, law.Most-k) {
			if law.Propose(x, &rng.Rand); c.domain.Contains(x) {
				return nil
			}
		}
	}
	return noDraw(c.domain, law.Most)
}

// reject chooses between rejection from the bounding box and paths, in round
// coordinates of their own where the domain can be made round.
func (u *sampler) reject(ctx context.Context, round bool) error {
	n := u.d.Dim()
	lo, hi := BoundsOf(u.d, n)
	u.by(inBox(lo, hi))
	u.tries = 10_000_000
	share, err := foundOf(u.d).box.of(ctx, func() (fraction, error) { return u.try(ctx) })
	if err != nil {
		return err
	}
	seen, tried := share.seen, share.tried
	u.work = math.Inf(1)
	if seen >= trialsSeen {
		u.work = float64(tried) / float64(seen)
	}
	if u.work > dear {
		if c := zones(u.d); c != nil && u.within(ctx, c) {
			return nil
		}
	}
	if u.work > dear && round {
		if z, a, _, ok := rounded(ctx, u.d); ok && u.through(ctx, z, a) {
			return nil
		}
	}
	if seen >= trialsSeen {
		return nil
	}
	if c, err := cellsOf(ctx, u.d); err != nil {
		return err
	} else if c != nil && u.within(ctx, c) {
		return nil
	}
	rng := rand.New(rand.NewPCG(0x5eed, 0xd1))
	at, err := Interior(ctx, u.d, rng)
	if errors.Is(err, ErrNoInterior) {
		return fmt.Errorf("uniform draws: %d of %d points of the bounding box lay in the domain: %w", seen, tried, err)
	} else if err != nil {
		return fmt.Errorf("uniform draws: %w", err)
	}
	return u.billiard(ctx, at, rng)
}

// within rejects from a cover, if that takes fewer tries.
func (u *sampler) within(ctx context.Context, c *cover) bool {
	inner := &sampler{d: u.d, tries: u.tries}
	inner.by(c.draw)
	share, err := inner.try(ctx)
	if inner.work = float64(share.tried) / float64(share.seen); err != nil || share.seen < trialsSeen || inner.work > u.work {
		return false
	}
	*u = *inner
	return true
}

// try returns how many of so many draws lie in the domain. The choice that they make is
// part of the law, not of its draws.
func (u *sampler) try(ctx context.Context) (s fraction, err error) {
	rng := rand.New(rand.NewPCG(0x5eed, 0xd0))
	s.seen, s.tried, err = Count(ctx, u.d, trials, trialsSeen, func(x []float64) error { return u.draw(ctx, x, rng) })
	return s, err
}

// billiard draws by paths with normal displacements that are mirrored at the walls and
// begin at an inner point.
func (u *sampler) billiard(ctx context.Context, at []float64, rng *rand.Rand) error {
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
			if err := ctx.Err(); err != nil {
				return err
			}
			hits += path(rng)
		}
		sd *= min(4, max(0.25, 5*float64(n+1)/(float64(hits)+1)))
	}
	u.tries, u.point = 1000, nil
	settle, paths := 10, 10+n/2
	u.draw = func(ctx context.Context, x []float64, rng *rand.Rand) error {
		for range settle * paths {
			if err := ctx.Err(); err != nil {
				return err
			}
			path(rng)
		}
		settle = 1
		copy(x, at)
		return nil
	}
	if Convex(u.d) {
		return nil
	}
	for doublings := 0; ; doublings++ {
		r, err := u.remembers(ctx, rng)
		if err != nil {
			return err
		}
		u.note = "uniform draws of this domain are made by paths: all of them lie in the piece of it that the first point found is in, and " +
			"they are only nearly uniform there"
		if r < forgotten {
			return nil
		}
		if doublings == mostDoublings {
			u.note += fmt.Sprintf(" (the correlation of one draw with the next is %.2g: start elsewhere, or bound the domain more tightly)", r)
			return nil
		}
		paths *= 2
	}
}

// Paths between draws are doubled, so often at most, until a draw has all but forgotten
// the one before.
const (
	forgotten     = 0.3
	mostDoublings = 6
	rememberDraws = 64
)

// remembers is the correlation of a draw with the next one, the mean of all coordinates.
func (u *sampler) remembers(ctx context.Context, rng *rand.Rand) (float64, error) {
	n := u.d.Dim()
	draws, mean := make([][]float64, rememberDraws), make([]float64, n)
	for k := range draws {
		draws[k] = make([]float64, n)
		if err := u.once(ctx, draws[k], rng); err != nil {
			return 0, err
		}
		for j, v := range draws[k] {
			mean[j] += v / rememberDraws
		}
	}
	sum := 0.0
	for j, m := range mean {
		lag, square := 0.0, 0.0
		for k, x := range draws {
			square += (x[j] - m) * (x[j] - m)
			if k > 0 {
				lag += (x[j] - m) * (draws[k-1][j] - m)
			}
		}
		if square > 0 {
			sum += lag / square / float64(n)
		}
	}
	return sum, nil
}

// through draws z and maps it, if that takes no more tries.
func (u *sampler) through(ctx context.Context, z Domain, a *affine) bool {
	inner := &sampler{d: z}
	if inner.reject(ctx, false) != nil || inner.work > u.work {
		return false
	}
	u.tries, u.work, u.point = 1000, inner.work, nil
	y := make([]float64, z.Dim())
	u.draw = func(ctx context.Context, x []float64, rng *rand.Rand) error {
		if err := inner.once(ctx, y, rng); err != nil {
			return err
		}
		a.apply(x, y, true)
		return nil
	}
	return true
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
