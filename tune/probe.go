package tune

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

const (
	probePower    = 4    // power iterations towards the largest curvature
	probeQuantile = 0.9  // of the curvatures: walls may have infinite ones
	probeMost     = 0.95 // of the squares of slopes that count
	probeMass     = 4    // effective number of points needed in the mass of the density
	probeNoise    = 8    // gradients at one point that tell their noise
	probeLongest  = 1e-3 // of a difference, but for what rounding takes of it far from the origin
	probeShortest = 1e-6 // of a difference: shorter ones are of numbers that hardly differ
	mostPlaces    = 32   // where a probe looks at once
)

// A probe measures a potential around points.
type probe struct {
	ctx       context.Context // that ends what it measures
	potential potential.Potential
	exact     potential.Potential // without noise; nil if there is none to be had
	noisy     bool
	seed      uint64
	threads   int                 // on which it looks where that is quicker
	first     bool                // stop at the first point that is finite
	holes     bool                // at a point that was seen U was +Inf
	undefined int                 // points of the last look at which U was no number
	failed    error               // of a potential that answers no more
	guide     potential.Potential // of the problem; nil without
}

// probeOf is a probe of p: of the whole energy, the base law's in it, where ladders begin at
// a fitted law.
func probeOf(p r2sgld.Problem, s r2sgld.Settings) (*probe, error) {
	if p.Guide == nil {
		return newProbe(p.Potential, s.Seed).on(s.Threads), nil
	}
	u, err := energy(p)
	if err != nil {
		return nil, err
	}
	q := newProbe(u, s.Seed).on(s.Threads)
	q.guide = p.Guide.Potential
	return q, nil
}

// slopes is q that measures neither curvatures nor noise.
func (q *probe) slopes() *probe {
	s := &probe{ctx: q.ctx, potential: q.potential, seed: q.seed, threads: q.threads, guide: q.guide}
	if q.exact != nil {
		s.potential = q.exact
	}
	return s
}

// A point is what was seen at one.
type point struct {
	curvature float64 // the largest, in the direction that a few power iterations find; NaN if not known
	energy    float64 // by which rungs trade
	at, slope []float64
	noise     float64 // variance of a partial derivative, the largest
}

// streamOf is a ladder that no run has: its streams are the probe's.
const streamOf = 1 << 40

func newProbe(p potential.Potential, seed uint64) *probe {
	exact, noisy := potential.Exact(p)
	if noisy && exact != nil { // without noise, but by no more work than it takes
		exact = potential.Rough(exact)
	}
	return &probe{ctx: context.Background(), potential: p, exact: exact, noisy: noisy, seed: seed, threads: 1}
}

// on is q that looks on so many threads; 0 is as many as there are.
func (q *probe) on(threads int) *probe {
	q.threads = cmp.Or(threads, runtime.GOMAXPROCS(0))
	return q
}

func (q *probe) rng() *rand.Rand { return &q.stream().Rand }

// stream is that of rng, at its beginning.
func (q *probe) stream() *stream.Rand { return stream.New(q.seed, streamOf).Of(0, stream.Pilot) }

// around looks at every point of x, n × d in the user's coordinates. Curvatures,
// slopes and noise are those in the coordinates of w (nil: the user's). Points
// whose energy or slope is not finite are left out.
func (q *probe) around(x []float64, d int, w *r2sgld.Whitening) []point {
	m := newMeter(q, d, w, q.places(len(x)/d))
	defer m.close()
	var seen []point
	q.undefined = 0
	for d <= len(x) {
		n := min(m.r, len(x)/d)
		for i := range m.r { // places that are not needed have the last point
			m.put(i, x[min(i, n-1)*d:][:d])
		}
		x = x[n*d:]
		points := m.points(n)
		if q.failed = cmp.Or(q.ctx.Err(), m.err()); q.failed != nil {
			return nil
		}
		for i, p := range points {
			q.holes = q.holes || math.IsInf(m.energy[i], 1)
			if math.IsNaN(m.energy[i]) {
				q.undefined++
			}
			if p == nil {
				continue
			}
			if seen = append(seen, *p); q.first {
				return seen
			}
		}
	}
	return seen
}

// looked is the potential that it looks at: without noise, where that is to be had.
func (q *probe) looked() potential.Potential {
	if q.exact != nil {
		return q.exact
	}
	return q.potential
}

// each is how many gradients it asks for at a point.
func (q *probe) each() int {
	n := 1
	if q.exact != nil {
		n += 2 * probePower
	}
	if q.noisy {
		n += probeNoise
	}
	return n
}

// places is at how many points of n a probe looks at once: at one where they depend on each other, or on
// chance.
func (q *probe) places(n int) int {
	u := q.looked()
	_, noisy := potential.Exact(u)
	if n == 0 || q.first || noisy || !potential.Lanewise(u) || q.guide != nil && !potential.Lanewise(q.guide) {
		return 1
	}
	blocks := (n + mostPlaces - 1) / mostPlaces
	return (n + blocks - 1) / blocks
}

// stiffness is what a step at inverse temperature β has to respect, from points
// that are draws at inverse temperature at: the high quantile of their curvatures
// or, if that is larger, the steepness of the density; and to it the share that
// the noise of the gradient brings. The bias of a variance, relative, is half of
// it times the step size η. Points far from the mass of the density are steep
// beyond measure: if steep is false, and curvatures are known, these alone count.
func stiffness(seen []point, beta, at float64, steep bool) float64 {
	w := weights(seen, beta-at)
	s := quantile(seen, w)
	if steep || s == 0 {
		s = max(s, steepness(seen, w, beta))
	}
	return s + noise(seen, w)*beta
}

// weights are exp(-βU), the largest 1.
func weights(seen []point, beta float64) []float64 {
	lowest := math.Inf(1)
	for _, p := range seen {
		lowest = min(lowest, beta*p.energy)
	}
	w := make([]float64, len(seen))
	for i, p := range seen {
		w[i] = math.Exp(lowest - beta*p.energy)
	}
	return w
}

// quantile is the high quantile of the weighted curvatures.
func quantile(seen []point, w []float64) float64 {
	order := make([]int, 0, len(seen))
	total := 0.0
	for i, p := range seen {
		if p.curvature == p.curvature {
			order = append(order, i)
			total += w[i]
		}
	}
	if len(order) == 0 {
		return 0
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(seen[i].curvature, seen[j].curvature) })
	sum := 0.0
	for _, i := range order {
		if sum += w[i]; sum >= probeQuantile*total {
			return seen[i].curvature
		}
	}
	return seen[order[len(order)-1]].curvature
}

// steepness is the largest mean square of a partial derivative times β, its few
// largest values left out. Away from walls it is below a mean curvature
// (β E (∂U)² = E ∂²U); where walls hold a density that leans on them it is larger,
// as 1 over the square of the width of the layer that the density lives in; next
// to a pole at a wall the mean of all would not exist. It is 0, not known, where
// too few of the points lie in the mass of the density.
func steepness(seen []point, w []float64, beta float64) float64 {
	total, squares := 0.0, 0.0
	for _, v := range w {
		total += v
		squares += v * v
	}
	if len(seen) == 0 || total*total < probeMass*squares {
		return 0
	}
	worst, order := 0.0, make([]int, len(seen))
	for i := range order {
		order[i] = i
	}
	for j := range seen[0].slope {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(math.Abs(seen[a].slope[j]), math.Abs(seen[b].slope[j])) })
		mass, sum := 0.0, 0.0
		for _, i := range order {
			if mass+w[i] > probeMost*total {
				break
			}
			mass += w[i]
			sum += w[i] * seen[i].slope[j] * seen[i].slope[j]
		}
		if mass > 0 {
			worst = max(worst, sum/mass)
		}
	}
	return worst * beta
}

// noise is the weighted mean variance of the gradient.
func noise(seen []point, w []float64) float64 {
	total, sum := 0.0, 0.0
	for i, p := range seen {
		total += w[i]
		sum += w[i] * p.noise
	}
	if total == 0 {
		return 0
	}
	return sum / total
}
