package domain

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// box is {x : lo ≤ x ≤ hi}.
type box struct{ lo, hi []float64 }

// NewBox returns the box {x : lo ≤ x ≤ hi}, lo_i < hi_i; ±Inf leaves a side
// open. Wall 2i is x_i = lo_i, wall 2i+1 is x_i = hi_i.
func NewBox(lo, hi []float64) (Domain, error) {
	if len(lo) != len(hi) || len(lo) == 0 {
		return nil, fmt.Errorf("box: %d lower and %d upper bounds: give one of each per coordinate, at least one", len(lo), len(hi))
	}
	for i, l := range lo {
		h := hi[i]
		if !(l < h) || math.IsInf(l, 1) || math.IsInf(h, -1) {
			return nil, fmt.Errorf("box: coordinate %d has bounds [%g, %g]: the lower one must be below the upper one", i, l, h)
		}
		if !math.IsInf(h-l, 0) && h-l > math.MaxFloat64/4 || math.IsInf(h-l, 0) && !math.IsInf(l, 0) && !math.IsInf(h, 0) {
			return nil, fmt.Errorf("box: coordinate %d has bounds [%g, %g]: too wide; use -Inf and +Inf for open sides", i, l, h)
		}
	}
	return &box{append([]float64(nil), lo...), append([]float64(nil), hi...)}, nil
}

func (b *box) Dim() int { return len(b.lo) }

// Contains reports lo ≤ x ≤ hi, x finite.
func (b *box) Contains(x []float64) bool {
	for i, l := range b.lo {
		if v := x[i]; !(v >= l && v <= b.hi[i]) || v-v != 0 {
			return false
		}
	}
	return true
}

// Bounds writes the box itself.
func (b *box) Bounds(lo, hi []float64) {
	copy(lo, b.lo)
	copy(hi, b.hi)
}

func (b *box) Name() string     { return "box" }
func (b *box) Convex() bool     { return true }
func (b *box) ExactWalls() bool { return true }
func (b *box) Tracer() Tracer   { return boxTracer{b} }

type boxTracer struct{ *box }

func (b boxTracer) Walls() int                 { return 2 * len(b.lo) }
func (b boxTracer) Clear(_, to []float64) bool { return b.Contains(to) }

func (b boxTracer) Exit(x, dir []float64, on Wall) (float64, Wall) {
	t, w := 1.0, None
	for i, e := range dir {
		slack, k := 0.0, Wall(2*i)
		switch {
		case e > 0:
			slack, k = b.hi[i]-x[i], k+1
		case e < 0:
			slack, e = x[i]-b.lo[i], -e
		default:
			continue
		}
		if k == on || slack < 0 {
			slack = 0
		}
		if slack < t*e {
			t, w = slack/e, k
		}
	}
	return t, w
}

func (b boxTracer) Normal(n, _ []float64, w Wall) {
	for i := range n {
		n[i] = 0
	}
	n[w/2] = float64(2*(w%2) - 1)
}

// Nearest clamps a point outside; inside it takes the nearest face.
func (b boxTracer) Nearest(p, n, x []float64) bool {
	outside := false
	best, wall := math.Inf(1), None
	for i, v := range x {
		p[i] = math.Min(math.Max(v, b.lo[i]), b.hi[i])
		outside = outside || p[i] != v
		if s := v - b.lo[i]; s < best {
			best, wall = s, Wall(2*i)
		}
		if s := b.hi[i] - v; s < best {
			best, wall = s, Wall(2*i+1)
		}
	}
	if wall == None {
		return false
	}
	if outside {
		if !outward(n, x, p) {
			b.Normal(n, x, wall)
		}
		return true
	}
	b.Normal(n, x, wall)
	if wall%2 == 0 {
		p[wall/2] = b.lo[wall/2]
	} else {
		p[wall/2] = b.hi[wall/2]
	}
	return true
}

// Reflector returns the closed forms of the box: folding for specular and nearest,
// which agree on it, and clamping for project.
func (b *box) Reflector(rule Rule, _ int) (Reflector, error) {
	if rule == Project {
		return boxClamp{b}, nil
	}
	return boxFold{b}, nil
}

// boxFold folds every coordinate on its own, without a loop over mirrorings.
type boxFold struct{ b *box }

func (r boxFold) Reflect(from, to, v []float64) (int, bool) {
	lo, hi := r.b.lo[:len(to)], r.b.hi[:len(to)]
	first := 0
	for first < len(to) {
		if y := to[first]; !(y >= lo[first] && y <= hi[first]) || y-y != 0 {
			break
		}
		first++
	}
	if first == len(to) {
		return 0, true
	}
	if !finite(to[first:]) {
		giveUp(from, to, v)
		return 0, false
	}
	hits := 0
	for i := first; i < len(to); i++ {
		y := to[i]
		if y >= lo[i] && y <= hi[i] {
			continue
		}
		z, k, odd := foldInterval(y, lo[i], hi[i])
		to[i] = z
		hits += k
		if odd && v != nil {
			v[i] = -v[i]
		}
	}
	return hits, true
}

// foldInterval folds y ∉ [lo, hi] into [lo, hi] as if mirrored at the ends until
// inside. It returns the point, the number of mirrorings (at most 2³⁰ are
// counted) and whether that number is odd.
func foldInterval(y, lo, hi float64) (z float64, folds int, odd bool) {
	switch {
	case y < lo && (lo-y) <= hi-lo: // also a half-line
		return min(lo+(lo-y), hi, math.MaxFloat64), 1, true
	case y > hi && (y-hi) <= hi-lo:
		return max(hi-(y-hi), lo, -math.MaxFloat64), 1, true
	}
	return foldWave(y, lo, hi)
}

// foldWave is foldInterval for any number of mirrorings.
func foldWave(y, lo, hi float64) (z float64, folds int, odd bool) {
	// The wave has period 2w. Remainders are exact, so the size of y costs nothing.
	w := hi - lo
	u := math.Mod(math.Mod(y, 2*w)-math.Mod(lo, 2*w), 2*w)
	if u < 0 {
		u += 2 * w
	}
	if u > w {
		z = hi - (u - w)
	} else {
		z = lo + u
	}
	// An end on a wall that the path only touches is not mirrored there.
	odd = u > w || u == w && y < lo || u == 0 && y > hi
	over := (y / w) - (hi / w)
	if y < lo {
		over = (lo / w) - (y / w)
	}
	folds = 1 << 30
	if k := math.Ceil(over); k < 1<<30 {
		folds = int(k)
		switch { // the quotient may have rounded across a wall
		case folds&1 == 1 == odd:
		case k-over > 0.5:
			folds--
		default:
			folds++
		}
	}
	return math.Min(math.Max(z, lo), hi), folds, odd
}

// boxClamp clamps. The momentum is mirrored where a coordinate was clamped.
type boxClamp struct{ b *box }

func (r boxClamp) Reflect(from, to, v []float64) (int, bool) {
	if r.b.Contains(to) {
		return 0, true
	}
	if !finite(to) {
		giveUp(from, to, v)
		return 0, false
	}
	for i, y := range to {
		z := math.Min(math.Max(y, r.b.lo[i]), r.b.hi[i])
		if z != y {
			to[i] = z
			if v != nil {
				v[i] = -v[i]
			}
		}
	}
	return 1, true
}

// Pieces are the sides of a bounded box.
func (b *box) Pieces() []Piece {
	return edges([][2]float64{{b.lo[0], b.lo[1]}, {b.hi[0], b.lo[1]}, {b.hi[0], b.hi[1]}, {b.lo[0], b.hi[1]}})
}

// Projection clamps.
func (b *box) Projection() (func() func(p, x []float64) (outside bool), error) {
	return func() func(p, x []float64) bool { return b.clamp }, nil
}

// clamp projects onto the box.
func (b *box) clamp(p, x []float64) (outside bool) {
	for i, v := range x {
		w := v
		if l := b.lo[i]; !(v >= l) {
			w = l
		} else if h := b.hi[i]; v > h {
			w = h
		}
		if v-v != 0 {
			unknown(p)
			return true
		}
		outside = outside || w != v
		p[i] = w
	}
	return outside
}

// Uniform fails where a side is open.
func (b *box) Uniform(context.Context) (*Law, error) {
	if !Bounded(b) {
		return nil, errUnbounded("uniform draws", b)
	}
	return closed(inBox(b.lo, b.hi)), nil
}

// Volume fails where a side is open.
func (b *box) Volume(context.Context, *rand.Rand) (log, se float64, err error) {
	if !Bounded(b) {
		return 0, 0, errUnbounded("volume", b)
	}
	return logBox(b.lo, b.hi), 0, nil
}

// Interior is the centre, one unit from the wall of a half-line.
func (b *box) Interior(context.Context, *rand.Rand) ([]float64, error) {
	x := make([]float64, len(b.lo))
	for i, l := range b.lo {
		switch h := b.hi[i]; {
		case !math.IsInf(l, 0) && !math.IsInf(h, 0):
			x[i] = l + (h-l)/2
		case !math.IsInf(l, 0):
			x[i] = l + 1 + 1e-6*math.Abs(l)
		case !math.IsInf(h, 0):
			x[i] = h - 1 - 1e-6*math.Abs(h)
		}
	}
	return x, nil
}

// Image is a box where l is diagonal.
func (b *box) Image(c []float64, l *mat.Dense) (Domain, error) {
	scale, diagonal := (&affine{c: c, l: l}).diagonal()
	if !diagonal {
		return nil, nil
	}
	lo, hi := make([]float64, len(scale)), make([]float64, len(scale))
	for i, s := range scale {
		lo[i], hi[i] = (b.lo[i]-c[i])/s, (b.hi[i]-c[i])/s
		if s < 0 {
			lo[i], hi[i] = hi[i], lo[i]
		}
	}
	return NewBox(lo, hi)
}
