package tune

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld"
)

const (
	firstPoints = 512 // of the uniform law, or around the start
	curvePoints = 192 // of them, at which curvatures are measured
	pairPoints  = 192 // of them, of which pairs tell how far the first swap reaches
	mostStates  = 192 // draws of a rung at which curvatures are measured
	wide        = 0.25
	// of kernel HMC, whose long steps are as exact: 2.8 standard deviations of the uniform law, where single steps on a polytope forget
	// most for their mirrorings
	widePaths = 0.8
	narrow    = 0.02
	tall      = 1e100  // energies that numbers hardly follow
	least     = 1e-150 // numbers whose squares may be 0
)

// FirstGradients is about how many gradients the warm-up takes before its first round.
const FirstGradients = curvePoints * (1 + 2*probePower)

// first makes the ladder of the first round, from points of the uniform law (of
// an unbounded domain: around the start).
func (t *tuner) first() (*Found, error) {
	x := t.fill
	f := &Found{Whitening: t.s.Whitening}
	if f.Whitening == nil && t.bounded && t.elongated() {
		f.Whitening = whitening(t.spread, mean(x, t.d))
	}
	looked := x[:min(len(x), curvePoints*t.d)]
	seen := t.probe.around(looked, t.d, f.Whitening)
	if len(seen) == 0 {
		return nil, cmp.Or(t.probe.failed, t.probe.notFinite(len(looked)/t.d, !t.bounded))
	}
	t.relate(seen, f.Whitening)
	coldest := 1 / t.coldest
	if t.bounded {
		f.Beta = reach(t.energies(seen), coldest, t.d)
	} else {
		hottest := t.coldest * min(hottestRung, math.Exp(tallest/spread(t.d)))
		f.Beta = geometric(coldest, 1/hottest, t.d)
	}
	f.Bias, f.States = Bias, t.starts(x, len(f.Beta))
	f.Holes = t.probe.holes
	if t.s.Traits().Paths {
		t.free(f)
		return f, nil
	}
	widest := t.widest(x, f.Whitening)
	for _, b := range f.Beta {
		from := 0.0
		if !t.bounded {
			from = b // these points are no draws at all: they weigh alike
		}
		stiff, beta := t.stiffness(seen, b, from, t.bounded)
		f.Diffusion = append(f.Diffusion, t.diffusion(stiff, beta, widest))
	}
	if t.s.Traits().Metropolis {
		f.Bias, f.Leapfrog = 0, t.leapfrog()
	}
	return f, t.stepless(f)
}

// stepless says of which rung no step size is a number, and why that may be.
func (t *tuner) stepless(f *Found) error {
	i := slices.IndexFunc(f.Diffusion, func(h float64) bool { return !(h > 0) || math.IsInf(h, 0) })
	if i < 0 {
		return nil
	}
	why := "the density there is wider or narrower than numbers can follow. " + t.heights() + "Measure in other units"
	if t.p.Base != nil {
		why = "the density or a prior there is wider or narrower than numbers can follow. " + t.heights() + "Measure in other units, or narrow " +
			"the priors"
	}
	if n := len(t.fill) / t.d; t.bounded {
		if gone := n - len(t.probe.around(t.fill, t.d, nil)); gone > 0 {
			why = fmt.Sprintf("the potential or its gradient is not finite at %d of %d points of the domain. Bound the domain more closely "+
				"by where it is finite", gone, n)
		}
	}
	return fmt.Errorf("no step size fits rung %d (inverse temperature %.3g): %s", i+1, f.Beta[i], why)
}

// heights says to what energies grow at the first points, if that is much, and what to do.
func (t *tuner) heights() string {
	highest, at, gone := math.Inf(-1), "", 0
	n := len(t.fill) / t.d
	m := newMeter(t.probe, t.d, nil, 1)
	defer m.close()
	for i := range n {
		x := t.fill[i*t.d : (i+1)*t.d]
		finite := m.finite(x)
		if u := m.energy[0]; finite && u > highest {
			highest, at = u, strings.Trim(fmt.Sprintf("%.4g", x), "[]")
		}
		if !finite {
			gone++
		}
	}
	if highest < tall {
		return ""
	}
	advice := "Bound the domain more closely by where it is moderate"
	if !t.bounded {
		advice = "Start nearer to the mass (sampler.init), or bound the domain by where it is moderate"
	}
	return fmt.Sprintf("The energy grows to %.2g, at (%s), and it or its gradient is not finite at %d of %d points. %s. ", highest, at, gone,
		n, advice)
}

// elongated reports whether the domain is so by more than the chance of few points: for
// long steps that have no bias chance must not squeeze it.
func (t *tuner) elongated() bool {
	if !t.s.Unbiased() {
		return true
	}
	c := chance(t.d, len(t.fill)/t.d)
	return !t.s.Traits().Paths && condition(t.spread, nil) > round*math.Pow((1+c)/(1-c), 2)
}

// chance is by how much, in parts, the smallest principal width of n points of a round law
// in d dimensions falls short of what it is, and the largest is too large (Marchenko &
// Pastur 1967).
func chance(d, n int) float64 { return min(0.5, math.Sqrt(float64(d)/float64(n))) }

// free sets the steps of kernel Harmonic: those of a rung at infinite temperature that is
// not drawn afresh.
func (t *tuner) free(f *Found) {
	f.Bias, f.Diffusion = 0, nil
	h := t.diffusion(0, 0, t.widest(t.fill, f.Whitening))
	for range f.Beta {
		f.Diffusion = append(f.Diffusion, h)
	}
}

func (t *tuner) energies(seen []point) []float64 {
	var u []float64
	for _, p := range seen[:min(len(seen), pairPoints)] {
		u = append(u, p.energy)
	}
	return u
}

// points draws points of the uniform law, or normal ones around the start.
func (t *tuner) points(ctx context.Context) ([]float64, error) {
	rng := t.probe.stream()
	x := make([]float64, firstPoints*t.d)
	if t.bounded {
		law, err := t.p.Drawer(ctx)
		if err != nil {
			return nil, err
		}
		n := firstPoints
		if math.IsInf(law.Tries, 1) { // these are dear
			n = 2 * curvePoints
		}
		for i := range n {
			if err := law.Draw(ctx, x[i*t.d:(i+1)*t.d], rng); err != nil {
				return nil, err
			}
		}
		return x[:n*t.d], nil
	}
	start := t.s.Start
	if start == nil {
		return nil, fmt.Errorf("the domain is not bounded: give a starting point (sampler.init), or bound every variable")
	}
	for i := range firstPoints {
		t.near(x[i*t.d:(i+1)*t.d], start, &rng.Rand)
	}
	return x, nil
}

// near draws a point of the domain around start: the whitening's scale is that of
// the density, if there is one.
func (t *tuner) near(x, start []float64, rng *rand.Rand) {
	z := make([]float64, t.d)
	for scale := 1.0; scale > 1e-3; scale /= 2 {
		if t.displace(x, start, z, scale, rng); t.p.Domain == nil || t.p.Domain.Contains(x) {
			return
		}
	}
	copy(x, start)
}

// displace writes a normal number around start, by the scale times the whitening. z is room
// for it.
func (t *tuner) displace(x, start, z []float64, scale float64, rng *rand.Rand) {
	w := t.s.Whitening
	for i := range z {
		z[i] = scale * rng.NormFloat64()
	}
	for i := range x {
		x[i] = start[i]
		if w == nil {
			x[i] += z[i]
			continue
		}
		for j, l := range w.L[i] {
			x[i] += l * z[j]
		}
	}
}

// starts spreads the points over ladders and rungs, but for those where the
// potential is not finite.
func (t *tuner) starts(x []float64, rungs int) [][][]float64 {
	if t.bounded && t.s.Start != nil {
		x = t.s.Start
	}
	m := newMeter(t.probe, t.d, nil, 1)
	defer m.close()
	n := len(x) / t.d
	next := func() []float64 {
		at := x[:t.d]
		x = append(x[t.d:len(x):len(x)], at...)
		return at
	}
	states := make([][][]float64, t.s.Ladders)
	for i := range states {
		for range rungs {
			at := next()
			for try := 0; try < n-1 && t.probe.ctx.Err() == nil && !m.finite(at); try++ {
				at = next()
			}
			states[i] = append(states[i], slices.Clone(at))
		}
	}
	return states
}

// spread is dΛ/d log τ of a normal law of dimension d.
func spread(d int) float64 { return math.Sqrt(float64(d) / (2 * math.Pi)) }

// geometric is a ladder from inverse temperature cold to hot with rejections of
// about one half for a normal law.
func geometric(cold, hot float64, d int) []float64 {
	n := max(1, int(math.Ceil(math.Log(cold/hot)*spread(d)/rejection)))
	n = min(n, mostRungs-2)
	beta := make([]float64, n+1)
	for i := range beta {
		beta[i] = cold * math.Pow(hot/cold, float64(i)/float64(n))
	}
	return beta
}

// reach is a ladder from the inverse temperature cold to the uniform law, of which
// u are energies: its hottest pair rejects about half, the others are geometric.
func reach(u []float64, cold float64, d int) []float64 {
	lo, hi := 0.0, cold
	if accept(u, cold) < 1-rejection {
		lo = cold
		for accept(u, lo) < 1-rejection {
			lo, hi = lo/4, lo
		}
		for range 30 {
			mid := math.Sqrt(lo * hi)
			if mid < least {
				mid = math.Sqrt(lo) * math.Sqrt(hi) // their product may be 0
			}
			if accept(u, mid) < 1-rejection {
				hi = mid
			} else {
				lo = mid
			}
		}
		return append(geometric(cold, lo, d), 0)
	}
	return []float64{cold, 0}
}

// accept is the mean swap probability between the uniform law, of which u are
// energies, and inverse temperature β, for which they are weighted.
func accept(u []float64, beta float64) float64 {
	lowest := slices.Min(u)
	total, sum := 0.0, 0.0
	for _, v := range u {
		w := math.Exp(beta * (lowest - v))
		total += w
		for _, hot := range u {
			if log := beta * (v - hot); log < 0 {
				sum += w * math.Exp(log)
			} else {
				sum += w
			}
		}
	}
	return sum / (total * float64(len(u)))
}

// diffusion is ητ for a stiffness at inverse temperature β, limited so that the
// noise of a step stays below a part of the domain's smallest width.
func (t *tuner) diffusion(stiff, beta, widest float64) float64 {
	h, aim := widest*widest/2, 2*Bias
	if t.s.Traits().Metropolis {
		aim = stable
	}
	if stiff > 0 && beta > 0 {
		h = min(h, aim/(stiff*beta))
	}
	return h
}

// widest is the largest standard deviation of a step in the coordinates of w, from
// points x that fill the domain and from how thick it is there.
func (t *tuner) widest(x []float64, w *r2sgld.Whitening) float64 {
	if !t.bounded {
		return math.Sqrt(math.MaxFloat64) / 1e10
	}
	most := crossings * thickness(t.across, w)
	if t.s.Unbiased() {
		return min(most, widePaths*width(x, t.d, w)/(1-chance(t.d, len(x)/t.d)))
	}
	return min(most, wide*width(x, t.d, w))
}

// width is the smallest principal width in the coordinates of w of what the points
// x fill: that of a box with their variance.
func width(x []float64, d int, w *r2sgld.Whitening) float64 {
	c := covariance(x, d)
	if w != nil {
		// L⁻¹ C L⁻ᵀ
		var y, z mat.Dense
		l := w.Matrix()
		if y.Solve(l, c) != nil || z.Solve(l, y.T()) != nil {
			return narrow
		}
		for i := range d {
			for j := range i + 1 {
				c.SetSym(i, j, (z.At(i, j)+z.At(j, i))/2)
			}
		}
	}
	var e mat.EigenSym
	smallest := math.Inf(1)
	if d < firstPoints/2 && e.Factorize(c, false) {
		smallest = e.Values(nil)[0]
	} else {
		for i := range d {
			smallest = min(smallest, c.At(i, i))
		}
	}
	return math.Sqrt(12 * max(smallest, 0))
}

func covariance(x []float64, d int) *mat.SymDense {
	var c mat.SymDense
	stat.CovarianceMatrix(&c, mat.NewDense(len(x)/d, d, x), nil)
	return &c
}

func mean(x []float64, d int) []float64 {
	m := make([]float64, d)
	for i, v := range x {
		m[i%d] += v
	}
	for j := range m {
		m[j] /= float64(len(x) / d)
	}
	return m
}
