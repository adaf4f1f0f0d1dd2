package domain

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// An EmptyError says which linear constraints exclude each other. The set is
// irreducible: without any one of them the others have room.
type EmptyError struct {
	Constraints []int    // their walls, increasing
	Names       []string // their texts
	Thin        bool     // they meet, but in a set without interior
	// Multipliers prove it: y_i > 0, the largest 1, with Σ y_i a_i = 0 and
	// Σ y_i b_i ≤ 0, so that the constraints a_i·x ≤ b_i add up to 0 ≤ Σ y_i b_i. nil
	// where rounding hides them.
	Multipliers []float64
}

func (e *EmptyError) Error() string {
	s := make([]string, len(e.Names))
	for i, n := range e.Names {
		s[i] = fmt.Sprintf("%q", n)
	}
	all := strings.Join(s, " and ")
	switch {
	case e.Thin:
		return "the domain has no interior: " + all + " leave a set of volume zero: loosen or drop one of them"
	case len(s) == 1:
		return "the domain is empty: nothing satisfies " + all + ": drop it"
	}
	return "the domain is empty: " + all + " exclude each other: loosen or drop one of them"
}

// ErrNoInterior says that no point of a domain was found.
var ErrNoInterior = errors.New("no point of the domain was found: it may be empty or very thin; loosen a constraint or give a starting " +
	"point")

// thin is the radius, relative to the size of a linear program, up to which its
// polytope counts as without interior.
const thin = 1e-10

// Interior returns a point well inside d: the centre of a box (one unit from the
// wall of a half-line), ball or ellipsoid, the centre of a largest ball in a
// polytope; elsewhere the deepest of some points reached along chords from one
// that was found by descent on the largest violation or by sampling. It returns
// an *[EmptyError] where linear constraints exclude each other, and
// ErrNoInterior where nothing was found. A domain that knows such a point has a method
// Interior(ctx context.Context, rng *rand.Rand) ([]float64, error); the slice is the
// caller's.
func Interior(ctx context.Context, d Domain, rng *rand.Rand) ([]float64, error) {
	if m, ok := d.(interface {
		Interior(ctx context.Context, rng *rand.Rand) ([]float64, error)
	}); ok {
		return m.Interior(ctx, rng)
	}
	var starts [][]float64
	if h, all := linearOf(d); len(h.B) > 0 {
		x, r, err := centreOf(ctx, d, h)
		if err == nil && r <= thin {
			return nil, exclusion(ctx, h, d.Dim(), r > -thin)
		}
		if err == nil {
			if all && d.Contains(x) {
				return x, nil
			}
			starts = append(starts, x)
		}
	}
	return search(ctx, d, starts, rng)
}

// centreOf is Chebyshev's centre of the half-spaces h of d.
func centreOf(ctx context.Context, d Domain, h HalfSpaces) (x []float64, r float64, err error) {
	m, err := foundOf(d).middle.of(ctx, func() (chebyshev, error) {
		x, r, err := newProgram(h, d.Dim()).centre(ctx)
		return chebyshev{x, r}, err
	})
	return slices.Clone(m.x), m.r, err
}

// exclusion finds an irreducible set of rows without interior by the deletion
// filter (Chinneck & Dravnieks 1991): a row without which the rest still
// exclude each other is dropped.
func exclusion(ctx context.Context, h HalfSpaces, d int, thinly bool) error {
	keep := make([]bool, len(h.B))
	for i := range keep {
		keep[i] = true
	}
	rest := func() (g HalfSpaces) {
		for i, k := range keep {
			if k {
				g.add(h.A[i], h.B[i], h.Names[i], h.Walls[i])
			}
		}
		return g
	}
	for i := range keep {
		if err := ctx.Err(); err != nil {
			return err
		}
		keep[i] = false
		g := rest()
		if len(g.B) == 0 {
			keep[i] = true
			continue
		}
		if _, r, err := newProgram(g, d).centre(ctx); err != nil || r > thin {
			keep[i] = true
		}
	}
	g := rest()
	e := &EmptyError{Thin: thinly, Multipliers: farkas(g, d)}
	for i, w := range g.Walls {
		e.Constraints = append(e.Constraints, int(w))
		e.Names = append(e.Names, g.Names[i])
	}
	return e
}

// mostTries bounds the points at which a domain is looked for, of which the first descend.
// Where evaluations are asked for elsewhere, a descent takes no more than so many.
const (
	mostTries    = 300_000
	mostDescents = 200
	crowdLabour  = 2_000
)

// search looks for a point of d from starts, from inner points of its members,
// from the middle of its bounds and from random points, and moves it inwards.
func search(ctx context.Context, d Domain, starts [][]float64, rng *rand.Rand) ([]float64, error) {
	n := d.Dim()
	lo, hi := BoundsOf(d, n)
	for _, m := range membersOf(d) {
		y, err := Interior(ctx, m, rng)
		if err != nil {
			return nil, err
		}
		starts = append(starts, y)
	}
	mid := make([]float64, n)
	for i := range mid {
		if m := lo[i] + (hi[i]-lo[i])/2; m-m == 0 {
			mid[i] = m
		}
	}
	starts = append(starts, mid)
	t := newTries(d)
	for k := 0; k < mostTries; k += len(t.x) {
		if err := ended(ctx, d); k%64 < len(t.x) && err != nil {
			return nil, err
		}
		for i := range t.x {
			if k+i < len(starts) {
				copy(t.x[i], starts[k+i])
			} else {
				somewhere(t.x[i], lo, hi, math.Pow(10, float64((k+i)%7-3)), rng)
			}
		}
		if x := t.inside(k < mostDescents); x != nil {
			return deepen(ctx, d, d.Tracer(), x, lo, hi, rng)
		}
	}
	if err := ended(ctx, d); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("0 of %d tries fell inside: %w", mostTries, ErrNoInterior)
}

// ended is why a search in d is to end: the context has, or where d is is not told any more.
func ended(ctx context.Context, d Domain) error { return cmp.Or(ctx.Err(), Err(d)) }

// tries are points at which d is looked for, with a tracer each.
type tries struct {
	*glimpse
	tracers []Tracer
	labour  int // of a descent at most
}

func newTries(d Domain) *tries {
	t := &tries{glimpse: newGlimpse(d), labour: math.MaxInt}
	if t.crowd != nil {
		t.labour = crowdLabour
	}
	return t
}

// inside returns the first of the points that lies inside, or comes inside by a descent if
// that is allowed; nil if none does.
func (t *tries) inside(descents bool) []float64 {
	for descents && len(t.tracers) < len(t.x) {
		t.tracers = append(t.tracers, t.d.Tracer())
	}
	t.crowd.Do(len(t.x), func(i int) {
		t.in[i] = t.d.Contains(t.x[i]) || descents && descend(t.d, t.tracers[i], t.x[i], t.labour)
	})
	if i := slices.Index(t.in, true); i >= 0 {
		return t.x[i]
	}
	return nil
}

// somewhere writes a point within the bounds into x, at about the given scale where
// they are open.
func somewhere(x, lo, hi []float64, scale float64, rng *rand.Rand) {
	for i, l := range lo {
		switch h := hi[i]; {
		case !math.IsInf(h-l, 0):
			x[i] = l + (h-l)*rng.Float64()
		case !math.IsInf(l, 0):
			x[i] = l + scale*rng.ExpFloat64()
		case !math.IsInf(h, 0):
			x[i] = h - scale*rng.ExpFloat64()
		default:
			x[i] = scale * rng.NormFloat64()
		}
	}
}

// descend moves x a little beyond the nearest point of the wall that is violated
// most, again and again, until it lies in d, or the tracer has had so much labour.
func descend(d Domain, tr Tracer, x []float64, labour int) bool {
	p, n := make([]float64, len(x)), make([]float64, len(x))
	before := labourOf(tr)
	for range 200 {
		if d.Contains(x) {
			return true
		}
		if !finite(x) || labourOf(tr)-before > labour {
			return false
		}
		if !tr.Nearest(p, n, x) {
			if l, ok := tr.(lowerer); !ok || !l.Lower(x) {
				return false
			}
			continue
		}
		past := 0.3*distance(x, p) + 1e-12*(1+norm(p))
		for i, v := range p {
			x[i] = v - past*n[i]
		}
	}
	return d.Contains(x)
}

// A lowerer is a tracer that moves a point, from which the nearest one of its wall is not
// found, nearer to its set; false if it cannot.
type lowerer interface{ Lower(x []float64) bool }

// deepen moves to the middles of chords in random directions, and in between to
// any point of a chord, and returns the point deepest inside, the last one where
// depths are not known.
func deepen(ctx context.Context, d Domain, tr Tracer, x, lo, hi []float64, rng *rand.Rand) ([]float64, error) {
	n := len(x)
	reach := 0.0
	for i, l := range lo {
		if w := hi[i] - l; !math.IsInf(w, 0) {
			reach = math.Max(reach, w)
		}
	}
	if reach == 0 {
		reach = 1 + norm(x)
	}
	reach *= 2 * math.Sqrt(float64(n))
	walk := &walker{tr: tr, reach: reach, dir: make([]float64, n)}
	best, deepest := append([]float64(nil), x...), depth(tr, x)
	y := append([]float64(nil), x...)
	for k := range 40 + 4*n {
		if err := ended(ctx, d); err != nil {
			return nil, err
		}
		walk.aim(rng)
		a, b := walk.chord(y)
		share := 0.5
		if k%2 == 1 { // leave centres of symmetry
			share = rng.Float64()
		}
		for i, e := range walk.dir {
			y[i] += (a + share*(b-a)) * e
		}
		if !d.Contains(y) {
			copy(y, best)
			continue
		}
		if r := depth(tr, y); r >= deepest || math.IsNaN(deepest) {
			deepest = r
			copy(best, y)
		}
	}
	return best, nil
}

// depth is the distance of an inner point to the wall, NaN if not known.
func depth(tr Tracer, x []float64) float64 {
	p, n := make([]float64, len(x)), make([]float64, len(x))
	if !tr.Nearest(p, n, x) {
		return math.NaN()
	}
	return distance(p, x)
}

// walker walks along chords.
type walker struct {
	tr    Tracer
	reach float64   // longer than any chord
	dir   []float64 // a direction of length reach
}

// aim draws a direction.
func (w *walker) aim(rng *rand.Rand) {
	for i := range w.dir {
		w.dir[i] = rng.NormFloat64()
	}
	s := w.reach / norm(w.dir)
	for i := range w.dir {
		w.dir[i] *= s
	}
}

// chord returns a ≤ 0 ≤ b such that x + t·dir stays in the domain for a < t < b.
func (w *walker) chord(x []float64) (a, b float64) {
	b, _ = w.tr.Exit(x, w.dir, None)
	for i := range w.dir {
		w.dir[i] = -w.dir[i]
	}
	a, _ = w.tr.Exit(x, w.dir, None)
	for i := range w.dir {
		w.dir[i] = -w.dir[i]
	}
	return -a, b
}
