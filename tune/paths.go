package tune

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
)

// What trajectories of kernel HMC aim at.
const (
	// stable is η times the curvature over the temperature where nothing else is
	// known: a leapfrog step is stable below 2.
	stable        = 0.3
	firstLeapfrog = 5
	mostLeapfrog  = 32

	// accepted is the share of trajectories to be accepted: the least work for a
	// draw is near 0.65 in many dimensions, at 0.8 and above in few (Beskos et al.
	// 2013; Betancourt, Byrne & Girolami 2014). acceptedSingle is that of single steps,
	// which are those of MALA (Roberts & Rosenthal 1998).
	accepted       = 0.8
	acceptedSingle = 0.574
	// travel is the length of a trajectory in standard deviations of the widest
	// direction of the narrowest mode: a quarter of the period of a normal law, π/2, forgets its start.
	travel = math.Pi / 2
)

// paths sets the steps of trajectories, from how many were accepted with those of
// the ladder before, in the same coordinates, and their number.
func (t *tuner) paths(next, before *Found, res *r2sgld.Result) {
	share, aim := res.Acceptance(), accepted
	if t.single() {
		aim = acceptedSingle
	}
	widest := t.widest(t.fill, next.Whitening)
	next.Diffusion, next.Bias, next.Leapfrog = nil, 0, before.Leapfrog
	for _, b := range next.Beta {
		h := widest * widest / 2
		for _, r := range beside(before.Beta, b) {
			h = min(h, before.Diffusion[r]*correction(share[r], aim, len(before.Rounds)))
		}
		next.Diffusion = append(next.Diffusion, h)
	}
	x := drawsOf(res, 0, 4*mostStates)
	if len(x)/t.d < 2*t.d || falling(res, 0) {
		return
	}
	seen := t.probe.slopes().around(x, t.d, next.Whitening)
	next.Singular = singular(seen, repelled)
	if len(seen) < 2*t.d || t.single() {
		return
	}
	t.relate(seen, next.Whitening)
	var points []float64 // in the kernel's coordinates
	for _, p := range seen {
		points = append(points, p.at...)
	}
	spread := largestEigenvalue(covariance(points, t.d))
	within := spread // walls may hold draws closer together than their slopes tell
	if c := localCovariance(t.probe.ctx, seen, 1/t.coldest, nil); c != nil {
		within = min(within, largestEigenvalue(c))
	}
	far := travel * math.Sqrt(within)
	if m := next.Modes; m != nil && len(m.Search.Modes) == 1 {
		far *= bend(spread / within)
	}
	n := math.Ceil(far / math.Sqrt(2*next.Diffusion[0]))
	if next.Holes && share[0] < accepted/2 { // steps of any length end in holes, of long paths more
		n = min(n, float64(before.Leapfrog/2))
	}
	next.Leapfrog = int(max(1, min(mostLeapfrog, n)))
}

// bend is how many times as far trajectories go where the draws of a mode have so many times the variance that
// slopes tell of its middle, as along a ridge that bends: a quarter of the period there is a piece of the ridge.
func bend(ratio float64) float64 {
	const straight, farthest = 2, 1.5 // what draws of a normal law may seem to have, and what pays in a few bent ones
	return min(farthest, max(1, math.Pow(ratio/straight, 0.25)))
}

// single reports whether trajectories are single steps, and stay so: kernel MALA.
func (t *tuner) single() bool { return t.s.Traits().Steps == 1 }

// leapfrog is the number of steps that trajectories begin with.
func (t *tuner) leapfrog() int {
	if t.single() {
		return 1
	}
	return firstLeapfrog
}

// correction is the factor by which ητ changes after a number of rounds: the error of the energy
// grows faster than ητ where steps are nearly unstable, and full corrections would then swing from too
// short to too long and back. Where next to none is rejected steps are far from that, and may be short
// by powers of ten, as those of a hot rung are that a few vast slopes told of.
func correction(share, aim float64, rounds int) float64 {
	const still, tenfold = 0.998, 10 // where growth asks for more than the hundredfold
	switch {
	case share > still:
		return tenfold
	case rounds == 0:
		return growth(share, aim)
	}
	return math.Sqrt(growth(share, aim))
}

// growth is the factor of ητ that would bring a share of accepted trajectories to
// the one aimed at: the error of the energy goes like ητ, and erfc of it, up to a
// factor, is the share that is accepted of a normal law.
func growth(share, aim float64) float64 {
	const least, most = 0.1, 3
	error := func(share float64) float64 { return math.Erfcinv(min(max(share, 1e-3), 1-1e-3)) }
	return min(most, max(least, error(aim)/error(share)))
}

func largestEigenvalue(c *mat.SymDense) float64 {
	var e mat.EigenSym
	if !e.Factorize(c, false) {
		return 1
	}
	v := e.Values(nil)
	return v[len(v)-1]
}
