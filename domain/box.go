package domain

import (
	"fmt"
	"math"
)

// A Box is {x : lo ≤ x ≤ hi}. Wall 2i is x_i = lo_i, wall 2i+1 is x_i = hi_i.
type Box struct{ lo, hi []float64 }

var _ Domain = (*Box)(nil)

// NewBox returns the box between lo and hi, lo_i < hi_i; ±Inf leaves a side
// open.
func NewBox(lo, hi []float64) (*Box, error) {
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
	return &Box{append([]float64(nil), lo...), append([]float64(nil), hi...)}, nil
}

// Dim is the number of coordinates.
func (b *Box) Dim() int { return len(b.lo) }

// Contains reports lo ≤ x ≤ hi, x finite.
func (b *Box) Contains(x []float64) bool {
	for i, l := range b.lo {
		if v := x[i]; !(v >= l && v <= b.hi[i]) || v-v != 0 {
			return false
		}
	}
	return true
}

// Bounds writes the box itself.
func (b *Box) Bounds(lo, hi []float64) {
	copy(lo, b.lo)
	copy(hi, b.hi)
}

// Tracer returns b: it needs no workspace.
func (b *Box) Tracer() Tracer { return boxTracer{b} }

type boxTracer struct{ *Box }

func (b boxTracer) Walls() int { return 2 * len(b.lo) }

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

// fold returns the closed forms of the box: folding for specular and nearest,
// which agree on it, and clamping for project.
func (b *Box) fold(rule Rule, _ int) (Reflector, error) {
	if rule == Project {
		return boxClamp{b}, nil
	}
	return boxFold{b}, nil
}

// boxFold folds every coordinate on its own, without a loop over mirrorings.
type boxFold struct{ b *Box }

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
type boxClamp struct{ b *Box }

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
