package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

const (
	mostStarts  = 1 << 15 // of descents; in few dimensions startsEach for each
	startsEach  = 1 << 11
	fewStarts   = 1 << 6 // of them at least, whatever they cost
	firstStarts = 1 << 4 // that tell around which modes others lie, where the domain is not bounded
	mostWide    = 100    // coordinates beyond which no modes are looked for
	mostTries   = 1000   // tries of a draw of the law at infinite temperature
	partOfRun   = 0.1    // of the gradients of the shortest run, for descents

	nearby, reaching = 0.1, 100.0 // scales of starts around a point, where the domain is not bounded

	notable   = 1e-3 // weight of a mode that counts
	distant   = 1.0  // barrier from the law at infinite temperature beyond which a fitted one is tried
	efficient = 0.01 // effective sample size of a draw of the fitted law
	fits      = 0.05 // share of draws of the fitted law that lie in the domain
	defended  = 0.05 // weight of the wide law beside the fitted one
	escaped   = 0.2  // share of the density that draws of the wide law may hold: the modes miss it

	remote = 100 * hottestRung // energy of a start above a mode, per coordinate, that no rung comes near
)

// Modes are those that were looked for before the warm-up, and the law fitted to them.
type Modes struct {
	Search *modes.Search `json:"search"`
	Fit    *modes.Fit    `json:"fit,omitempty"` // nil where none is to be had
	// Barrier is about that from the law at infinite temperature to the density; 0 where it is not known.
	Barrier float64 `json:"barrier"`
	Guided  bool    `json:"guided"` // whether ladders begin at the fitted law
	// Remote says that the start is so far from all that matters that ladders begin at the mode of most mass.
	Remote bool `json:"remote,omitempty"`
}

// settings are s, whose ladders begin at the mode of most mass if m says so. m may be nil.
func (m *Modes) settings(s r2sgld.Settings) r2sgld.Settings {
	if m != nil && m.Remote {
		s.Start = m.Search.Modes[0].X
	}
	return s
}

// Problem is p, whose ladders begin at the fitted law if m says so. m may be nil.
func (m *Modes) Problem(p r2sgld.Problem) r2sgld.Problem {
	if m == nil || !m.Guided {
		return p
	}
	law := m.Fit.Mixture
	law.Minima = m.Search.Modes // which are not kept with it, nor is the wide law
	if law.Wide = based(p); law.Wide == nil && law.Lo == nil {
		law.Wide = law.Surrounding()
	}
	p.Guide = &r2sgld.Guide{Potential: &law, Draw: law.Draw}
	return p
}

// validate reports what keeps m from being modes in d dimensions, as when a file was changed.
func (m *Modes) validate(d int) error {
	switch {
	case m == nil:
		return nil
	case m.Search == nil || m.Guided && m.Fit == nil || m.Remote && len(m.Search.Modes) == 0:
		return errors.New("modes without a search or a fit")
	case m.Fit != nil && len(m.Fit.Weight) != len(m.Fit.Mixture.Parts):
		return fmt.Errorf("%d weights of %d parts", len(m.Fit.Weight), len(m.Fit.Mixture.Parts))
	case m.Fit != nil && len(m.Fit.Basin) > len(m.Search.Modes):
		return fmt.Errorf("shares of %d basins of %d modes", len(m.Fit.Basin), len(m.Search.Modes))
	}
	for _, o := range m.Search.Modes {
		one := modes.Mixture{Parts: []modes.Part{{Weight: 1, Center: o.X, L: o.L}}}
		if err := one.Validate(d); err != nil {
			return err
		}
	}
	if m.Fit == nil {
		return nil
	}
	return m.Fit.Mixture.Validate(d)
}

// modal reports whether modes of p can be looked for, and a law fitted to them be where
// ladders of s begin.
func modal(p r2sgld.Problem, s r2sgld.Settings) bool {
	exact, _ := potential.Exact(p.Potential)
	moves := s.Traits()
	return exact != nil && !moves.Paths && (moves.Exact || moves.Coupled) && !s.Mirror && s.Penalty == nil && !s.FullEnergies &&
		cmp.Or(s.Boundary, domain.Specular) == domain.Specular && p.Guide == nil && p.Potential.Dim() <= mostWide &&
		(len(s.Temperature) == 0 || s.Temperature[0] == 1) && (p.HasReference() || s.Start != nil)
}

// Falls is the error of a potential that falls without end, of which no density is −log.
type Falls struct {
	X      []float64 // far from where ladders start
	Energy float64   // there
	Names  []string  // nil is x1, x2, …
}

func (e *Falls) Error() string {
	at := make([]string, min(len(e.X), 3))
	for j := range at {
		name := fmt.Sprintf("x%d", j+1)
		if j < len(e.Names) {
			name = e.Names[j]
		}
		at[j] = fmt.Sprintf("%s = %.3g", name, e.X[j])
	}
	if len(e.X) > len(at) {
		at = append(at, "…")
	}
	return fmt.Sprintf("the potential falls without end: it is %.3g at %s. It must be −log of a density: if it is a log density, "+
		"change its sign; else bound the domain or add priors", e.Energy, strings.Join(at, ", "))
}

// scout looks for the modes of p and decides whether ladders of s begin at a law fitted to
// them: where there are several, or where they are far from the law at infinite temperature,
// and if fewer rungs lead there.
func scout(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings) (*Modes, error) {
	if !modal(p, s) {
		return nil, nil
	}
	t, err := newTuner(ctx, p, s)
	if err != nil {
		return nil, err
	}
	rng := stream.New(s.Seed, streamOf).Of(1, stream.Pilot)
	target, spread, err := t.target(p, cmp.Or(s.Threads, runtime.GOMAXPROCS(0)))
	if err != nil {
		return nil, err
	}
	first := &modes.Search{}
	if !t.bounded {
		if first, err = modes.Find(ctx, target, t.around(nil, &rng.Rand), firstStarts, firstStarts, 1); err != nil {
			return nil, err
		}
		if f := first.Fall; f != nil {
			return nil, &Falls{X: reported(p, f.X), Energy: f.Energy, Names: p.Names}
		}
	}
	scattered, err := t.scatter(ctx, first, rng)
	if err != nil {
		return nil, err
	}
	given := t.given()
	starts := func(x []float64) error {
		if len(given) == 0 {
			return scattered(x)
		}
		copy(x, given[0])
		given = given[1:]
		return nil
	}
	m := &Modes{}
	if m.Search, err = modes.Find(ctx, target, starts, fewStarts, min(mostStarts, startsEach*t.d), t.budget()); err != nil {
		return nil, err
	}
	m.Search.Gradients += first.Gradients
	whole := m.mirror(p)
	if err := m.Search.Unite(ctx, target); err != nil {
		return nil, err
	}
	m.Remote = !t.bounded && len(t.s.MoreStarts) == 0 && t.high(m.Search)
	if m.Fit, err = m.Search.Fit(ctx, target, &rng.Rand); err != nil || m.Fit == nil {
		return m, err
	}
	if t.bounded {
		m.Barrier = m.distance(spread)
	}
	if !whole || !m.wanted(t.bounded) {
		return m, nil
	}
	parts := len(m.Fit.Mixture.Parts)
	m.Guided, err = m.Fit.Defend(ctx, target, &rng.Rand, based(p), defended, escaped)
	if p.Chart != nil && p.Chart.Symmetry != nil && len(m.Fit.Mixture.Parts) > parts {
		m.Guided = false // of what was found only then no images are known
	}
	return m, err
}

// mirror completes m by the images of its modes under the symmetry of p. It reports whether all of
// those that count are known: ladders that begin at a law fitted to some tell the evidence of these.
// Starts of a mode are then those that lead to any of its images.
func (m *Modes) mirror(p r2sgld.Problem) (whole bool) {
	if p.Chart == nil || p.Chart.Symmetry == nil {
		return true
	}
	if p.Chart.Coordinates == nil {
		return false
	}
	images := func(x []float64) (all [][]float64) {
		for _, z := range p.Chart.Symmetry.Images(reported(p, x)) {
			all = append(all, states(p, z))
		}
		return all
	}
	s, least := m.Search, m.top()+math.Log(notable)
	at := func(x []float64) int { return slices.IndexFunc(s.Modes, func(o modes.Mode) bool { return o.Holds(x) }) }
	whole = true
	for i, o := range slices.Clone(s.Modes) {
		if o.Log < least {
			continue
		}
		all := images(o.X)
		whole = whole && all != nil
		for r, x := range all {
			if at(x) < 0 {
				s.Add(i, func(y, x []float64) { copy(y, images(x)[r]) })
				whole = whole && at(x) >= 0
			}
		}
	}
	starts := make([]int, len(s.Modes))
	for i, o := range s.Modes {
		starts[i] = o.Starts
		for _, x := range images(o.X) {
			if k := at(x); k >= 0 && k != i {
				starts[i] += s.Modes[k].Starts
			}
		}
	}
	for i, n := range starts {
		s.Modes[i].Starts = n
	}
	slices.SortStableFunc(s.Modes, func(a, b modes.Mode) int { return cmp.Compare(b.Log, a.Log) })
	return whole
}

// high reports whether the energy at the start is far above that of the mode of most mass.
func (t *tuner) high(s *modes.Search) bool {
	if len(s.Modes) == 0 {
		return false
	}
	m := newMeter(t.probe, t.d, nil, 1)
	defer m.close()
	return m.finite(t.s.Start) && m.energy[0]-s.Modes[0].Energy > remote*float64(t.d)
}

// given are the places where the user starts ladders. Where nothing is bounded a single one
// is what starts are scattered about.
func (t *tuner) given() [][]float64 {
	if !t.bounded && len(t.s.MoreStarts) == 0 {
		return nil
	}
	return t.s.Points()
}

// based is the base law of p; nil where there is none.
func based(p r2sgld.Problem) *r2sgld.Guide {
	if p.Base == nil {
		return nil
	}
	return &r2sgld.Guide{Potential: p.Base.Potential, Draw: p.Base.Draw}
}

// scatter writes the starts of descents: draws of the law at infinite temperature, points that
// fill the domain where such draws are dear, and points around the start and known modes where
// there are none: the start may be far from all that matters.
func (t *tuner) scatter(ctx context.Context, known *modes.Search, rng *stream.Rand) (func(x []float64) error, error) {
	if !t.bounded {
		return t.around(known.Modes, &rng.Rand), nil
	}
	law, err := t.p.Drawer(ctx)
	if err != nil {
		return nil, err
	}
	i := 0
	draw := func(x []float64) error {
		copy(x, t.fill[i%len(t.fill):])
		i += t.d
		return nil
	}
	if law.Tries <= mostTries {
		draw = func(x []float64) error { return law.Draw(ctx, x, rng) }
	}
	if d := t.p.Domain; t.p.Base == nil && !domain.Convex(d) {
		return pulled(d, rng, draw), nil
	}
	return t.halved(draw), nil
}

// around has points lie around the start and the modes in turn.
func (t *tuner) around(known []modes.Mode, rng *rand.Rand) func(x []float64) error {
	from := [][]float64{t.s.Start}
	for _, m := range known {
		from = append(from, m.X)
	}
	z, next := make([]float64, t.d), 0
	return func(x []float64) error {
		center := from[next%len(from)]
		next++
		t.displace(x, center, z, 1, rng)
		for scale := nearby * math.Pow(reaching/nearby, rng.Float64()); scale >= nearby; scale /= 2 {
			for j, c := range center {
				x[j] = c + scale*(x[j]-c)
			}
			if t.p.Domain == nil || t.p.Domain.Contains(x) {
				return nil
			}
			t.displace(x, center, z, 1, rng)
		}
		t.near(x, center, rng)
		return nil
	}
}

// halved has every second point of draw lie halfway to the mean of what fills the domain, if
// that is inside: in many dimensions draws are far from all that is not at the walls.
func (t *tuner) halved(draw func(x []float64) error) func(x []float64) error {
	mean, half := make([]float64, t.d), make([]float64, t.d)
	for i, v := range t.fill {
		mean[i%t.d] += v / float64(len(t.fill)/t.d)
	}
	second := true
	return func(x []float64) error {
		if err := draw(x); err != nil {
			return err
		}
		if second = !second; !second {
			return nil
		}
		for j, v := range x {
			half[j] = (v + mean[j]) / 2
		}
		if t.p.Domain == nil || t.p.Domain.Contains(half) {
			copy(x, half)
		}
		return nil
	}
}

// target is what modes of p are looked for in, and the covariance of what fills it.
func (t *tuner) target(p r2sgld.Problem, threads int) (modes.Target, *mat.SymDense, error) {
	p.Potential = t.p.Potential
	u, err := quiet(p)
	if err != nil {
		return modes.Target{}, nil, err
	}
	spread := covariance(t.fill, t.d)
	target := modes.Target{Energy: u, Domain: p.Domain, Threads: threads, Flat: 1, Near: math.IsNaN(potential.EnergyNoise(p.Potential))}
	if !t.bounded { // starts tell no width
		target.Flat = 1e-6
	}

	for j := range t.d {
		target.Width = append(target.Width, math.Sqrt(spread.At(j, j)))
	}
	return target, spread, nil
}

// energy is −log of the density of p.
func energy(p r2sgld.Problem) (potential.Potential, error) {
	if p.Base == nil {
		return p.Potential, nil
	}
	return potential.Sum(p.Potential, p.Base.Potential)
}

// quiet is −log of the density of p without noise, which is known.
func quiet(p r2sgld.Problem) (potential.Potential, error) {
	p.Potential, _ = potential.Exact(p.Potential)
	return energy(p)
}

// gradients are those that the search and the fit took.
func (m *Modes) gradients() int64 {
	n := m.Search.Gradients
	if m.Fit != nil {
		n += m.Fit.Evaluations
	}
	return n
}

// A Sighting is what the search for modes before a run came to, in numbers.
type Sighting struct {
	Modes     int   `json:"modes"`     // those that matter
	Starts    int   `json:"starts"`    // of descents
	Gradients int64 `json:"gradients"` // of descents, and of draws that the fitted law is made by
	Guided    bool  `json:"guided"`    // whether ladders begin at a law fitted to the modes
	// Barrier is about that from the law at infinite temperature to the density, and Left that
	// of the ladder in use; NaN where it is not known.
	Barrier float64 `json:"barrier"`
	Left    float64 `json:"barrier_left"`
}

// Sighting is that of the modes of f; nil where none were looked for.
func (f *Found) Sighting() *Sighting {
	m := f.Modes
	if m == nil {
		return nil
	}
	s := &Sighting{Starts: m.Search.Starts, Gradients: m.gradients(), Guided: m.Guided, Barrier: math.NaN(), Left: math.NaN()}
	valley, weight := modes.Valleys(m.Search.Modes), map[int]float64{}
	for k, w := range m.expected() {
		weight[valley[k]] += w
	}
	for _, w := range weight {
		if w > missed*missed {
			s.Modes++
		}
	}
	if m.Barrier > 0 {
		s.Barrier = m.Barrier
	}
	if n := len(f.Rounds); n > 0 {
		s.Left = f.Rounds[n-1].Barrier
	}
	return s
}

// budget are the gradients that descents may take: a part of those of the shortest run; Find
// takes more where modes have few starts.
func (t *tuner) budget() int64 {
	warm, steps := firstRound, 1
	if t.s.Unbiased() {
		warm, steps = firstPaths, max(firstLeapfrog, t.s.Traits().Steps)
	}
	first, _, _ := FirstRound(t.s.Unbiased())
	n := warm*(1<<fewest-1) + max(first/5, cmp.Or(t.s.Iterations, first))
	return int64(partOfRun * float64(n*steps*2*t.s.Ladders))
}

// wanted reports whether ladders would do better to begin at the fitted law: there are several
// modes, or they are far, or nothing is bounded, and the law resembles the density.
func (m *Modes) wanted(bounded bool) bool {
	several := 0
	for _, w := range m.Fit.Weight {
		if w > notable {
			several++
		}
	}
	// Of normal energies with standard deviation s the barrier is s/√π, and the share exp(−s²).
	far := m.Barrier > max(distant, math.Sqrt(-math.Log(m.Fit.Share)/math.Pi))
	return (several > 1 || far || !bounded) && m.Fit.Share >= efficient && m.Fit.Inside >= fits
}

// distance is about the barrier from a law with a covariance to the fitted one: that between
// normal laws by temperature, √(d/2π) log of the ratio of temperatures (Syed et al. 2022).
func (m *Modes) distance(spread *mat.SymDense) float64 {
	d := float64(spread.SymmetricDim())
	var chol mat.Cholesky
	if !chol.Factorize(spread) {
		return 0
	}
	ratio, total := 0.0, 0.0
	for i, p := range m.Fit.Mixture.Parts {
		part := chol.LogDet()
		for j := range p.L {
			part -= 2 * math.Log(p.L[j][j])
		}
		ratio, total = ratio+m.Fit.Weight[i]*part, total+m.Fit.Weight[i]
	}
	return math.Sqrt(d/(2*math.Pi)) * max(0, ratio/total) / d
}
