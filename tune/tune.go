// Package tune answers which settings suit a target: step sizes, a whitening and
// a ladder of temperatures, found in rounds of warm-up and frozen afterwards. With
// them it samples until the draws suffice, in two lines where nothing else is asked:
//
//	p := r2sgld.Problem{Potential: u, Domain: d}
//	res, _, err := tune.Sample(ctx, p, r2sgld.Settings{Ladders: 4}, tune.Until{})
package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// What a tuned ladder aims at.
const (
	// Bias is the relative bias of a variance that a step may make: η times the
	// curvature over the temperature is at most twice that.
	Bias = 0.005
	// hottestRung is the highest temperature, in units of the coldest, on a domain that
	// is not bounded, where there is no uniform law to reach; tallest is the
	// barrier of a normal law up to which it is chosen. What rungs reject does not lower
	// it: a mode that no descent leads to is found by the hottest alone.
	hottestRung = 10.0
	tallest     = 4.0

	rejection = 0.5  // of each pair: least work for a round trip (Syed et al. 2022)
	alike     = 0.08 // by how much the rejections of the pairs may differ
	steady    = 1.5  // factor by which step sizes may still change
	doubt     = 0.3  // pairs by which a ladder may miss their best number

	firstRound = 1000 // iterations
	leastRound = 100  // of them, where the run is short
	firstPaths = 50   // of them, of kernels HMC and Harmonic, whose iterations are dear
	// alikePaths is alike of them: round trips go like 1/(1 + Σ r/(1 − r)) in the rejections r
	// of the pairs (Syed et al. 2022), and pairs of 1/4 and 3/4 in turn make at least three
	// fifths of those of pairs of 1/2. Another round costs as much as all before.
	alikePaths  = 0.5
	doubtPaths  = 1
	steadyPaths = 2.5
	sparePaths  = 0.2 // of their pairs may be too many or too few when rounds are enough: one more costs as much as all before
	fewest      = 4   // rounds
	mostRounds  = 10
	roundDraws  = 512 // draws per rung and ladder that a round is judged by
	mostRungs   = 128
	mostBlowUps = 12
)

// Found is what the rounds so far have found. Its JSON is exact.
type Found struct {
	Rounds    []Round           `json:"rounds"`
	Beta      []float64         `json:"inverse_temperature"` // 1/τ, cold first; 0 is the uniform law
	Diffusion []float64         `json:"diffusion"`           // ητ per rung, in the coordinates of the kernel
	Leapfrog  int               `json:"leapfrog,omitempty"`  // steps of a trajectory, of kernel HMC
	Whitening *r2sgld.Whitening `json:"whitening,omitempty"`
	States    [][][]float64     `json:"states"` // per ladder and rung, in the user's coordinates
	Bias      float64           `json:"bias"`   // of a variance by the step, relative, at the cold rung
	// Singular says that a few draws have slopes that outweigh all others, or that the
	// density is infinite at a wall or inside: the bias is then more than Bias.
	Singular bool `json:"singular"`
	// Jumps says that the potential jumps along steps of the last round, or that those of
	// the coldest rung are too long for a feature of it: their law is then not that of the potential, and no bias is known. An exact
	// kernel keeps it.
	Jumps bool `json:"jumps,omitempty"`
	// Holes says that U is +Inf in part of the domain, where steps of SGLD end and those of an
	// exact kernel are refused.
	Holes bool `json:"holes,omitempty"`
	// Settled says that rejections, steps and whitening had become steady when the
	// warm-up ended.
	Settled bool `json:"settled"`
	Done    bool `json:"done"`
	// Taken says why kernel HMC goes on in place of SGLD: [ForHoles], [ForFeatures] or
	// [ForDraws]; "" where it does not. Rival is the ladder of the other kernel, where both were tried.
	Taken string `json:"taken,omitempty"`
	Rival *Found `json:"rival,omitempty"`
	Modes *Modes `json:"modes,omitempty"` // that were looked for; nil where none were
}

// A Round is what a round saw.
type Round struct {
	Iterations int       `json:"iterations"`          // per ladder
	Gradients  int64     `json:"gradients,omitempty"` // of all replicas
	ESS        float64   `json:"ess,omitempty"`       // of the draws of its second half, the least of all parameters; 0 where it is not known
	Rejection  []float64 `json:"rejection"`           // per pair
	Barrier    float64   `json:"barrier"`
	RoundTrips int64     `json:"round_trips"`
	BlowUps    int       `json:"blow_ups,omitempty"` // tries given up for a smaller step
}

// Made are the iterations per ladder, and the gradients, of all rounds of both kernels.
func (f *Found) Made() (iterations int, gradients int64) {
	if f.Rival != nil {
		iterations, gradients = f.Rival.Made()
	}
	for _, r := range f.Rounds {
		iterations, gradients = iterations+r.Iterations, gradients+r.Gradients
	}
	return iterations, gradients
}

// validate reports what keeps f from being a ladder for settings s, as when a file was
// changed.
func (f *Found) validate(s r2sgld.Settings) error {
	n := len(f.Beta)
	coldest := s.Coldest()
	switch {
	case n < 1 || len(f.Diffusion) != n || len(f.States) != max(1, s.Ladders):
		return fmt.Errorf("%d temperatures, %d step sizes, states of %d ladders", n, len(f.Diffusion), len(f.States))
	case math.Abs(f.Beta[0]*coldest-1) > 1e-12:
		return fmt.Errorf("the coldest inverse temperature is %g, not %g", f.Beta[0], 1/coldest)
	case (f.Leapfrog > 0) != s.Traits().Metropolis || f.Leapfrog > max(mostLeapfrog, s.Traits().Steps):
		return fmt.Errorf("trajectories of %d steps", f.Leapfrog)
	case !(f.Bias >= 0):
		return fmt.Errorf("a bias of %g", f.Bias)
	}
	for i, h := range f.Diffusion {
		if !(h > 0) || i > 0 && !(f.Beta[i] < f.Beta[i-1] && f.Beta[i] >= 0) {
			return fmt.Errorf("step size %.4g and inverse temperature %.4g of rung %d", h, f.Beta[i], i+1)
		}
	}
	return nil
}

// temperature is τ per rung, the last +Inf for the uniform law.
func (f *Found) temperature() []float64 {
	t := make([]float64, len(f.Beta))
	for i, b := range f.Beta {
		t[i] = 1 / b
	}
	return t
}

// apply returns s with what was found.
func (f *Found) apply(s r2sgld.Settings) r2sgld.Settings {
	s.Temperature = f.temperature()
	s.StepSize = make([]float64, len(f.Beta))
	for i, h := range f.Diffusion {
		s.StepSize[i] = h
		if b := f.Beta[i]; b > 0 {
			s.StepSize[i] = h * b
		}
	}
	s.Whitening, s.States = f.Whitening, f.States
	s.Kernel = kernel.WithSteps(s.Kernel, f.Leapfrog)
	return s
}

// Tune runs rounds of warm-up, each twice as long as the one before, and after
// each of them sets, from all ladders together,
//   - the temperatures, for equal rejections of all pairs, and their number, for
//     rejections near one half: from the uniform law on a bounded domain to the
//     temperature of s (1 if it has none), else from at most ten times that;
//   - a whitening, where the density is much narrower in some directions than in
//     others: by the mean square of its slopes, which knows of walls and is that
//     of one mode where there are several;
//   - the step size of every rung, for a bias of at most [Bias]; of kernel HMC, which
//     has none, for trajectories of which most are accepted, and their length. Kernel
//     Harmonic has no steps, and nothing is whitened for it.
//
// It ends when the rejections are alike and the step sizes steady. Of s it uses
// Seed, Ladders, Threads, Swap, HMC, Harmonic, Start, Temperature[0], Recorder and, to
// begin with, Whitening. It goes on from what an interrupted call had found, if that is not
// nil, and shows what it has found after each round. Equal arguments give equal
// results.
func Tune(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, from *Found, show func(*Found) error) (*Found, error) {
	s.Kernel = kernel.Or(s.Kernel)
	return Options{From: from, Recorder: s.Recorder, Show: show}.tune(ctx, p, s, Until{})
}

// A tuner knows the target.
type tuner struct {
	p       r2sgld.Problem
	s       r2sgld.Settings
	d       int
	coldest float64 // τ
	bounded bool    // whether there is a law at infinite temperature
	both    bool    // whether kernel HMC may take the place of SGLD
	probe   *probe
	fill    []float64     // points that fill the domain, n × d; around the start if it is not bounded
	spread  *mat.SymDense // their covariance; nil if it is not bounded
	across  [][]float64   // from wall to wall through some of them; nil if it is not bounded
}

func newTuner(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings) (*tuner, error) {
	if p.Potential == nil {
		return nil, errors.New("tune: the problem has no potential")
	}
	p.Chart = nil // rounds go on in the coordinates of the potential
	if s.Unbiased() {
		p.Potential = potential.Rough(p.Potential)
	}
	t := &tuner{p: p, s: s, d: p.Potential.Dim(), coldest: s.Coldest(), bounded: p.HasReference()}
	t.s = s.Alone()
	t.s.Recorder = s.Recorder
	t.s.Ladders, t.s.MaxDraws = max(1, s.Ladders), 0
	t.s.Boundary, t.s.BurnIn, t.s.Thin = domain.Specular, 0, 1
	var err error
	if t.probe, err = probeOf(p, s); err != nil {
		return nil, err
	}
	t.probe.ctx = ctx
	if t.fill, err = t.points(ctx); err == nil && t.bounded {
		t.spread = covariance(t.fill, t.d)
		if p.Domain != nil && domain.Bounded(p.Domain) {
			t.across = across(p.Domain, t.fill, t.probe.rng())
		}
	}
	return t, err
}

// stiffness is that of a rung at inverse temperature b, from points that are draws at
// inverse temperature at, and what the inverse temperature of its step is. On the way from
// a fitted law all rungs are about as stiff as the coldest.
func (t *tuner) stiffness(seen []point, b, at float64, steep bool) (stiff, beta float64) {
	if t.p.Guide == nil {
		return stiffness(seen, b, at, steep), b
	}
	return stiffness(seen, 1, 1-(b-at), steep), 1
}

// overflowing is an error if an inverse temperature before the last is so small that its
// temperature is no number: energies are that large.
func overflowing(beta []float64) error {
	for i, b := range beta {
		if math.IsInf(1/b, 1) && (b > 0 || i+1 < len(beta)) {
			return fmt.Errorf("energies are too large for numbers: rung %d of the ladder would need a temperature above %.2g", i+1, math.MaxFloat64)
		}
	}
	return nil
}

// shortest is the length of the first round of SGLD: a hundredth of the run's, where ladders
// begin at a law fitted to the modes and have no long way to go.
func (t *tuner) shortest() int {
	if t.p.Guide == nil || t.s.Iterations == 0 {
		return firstRound
	}
	return max(leastRound, min(firstRound, t.s.Iterations/100))
}

// iterations is the length of the next round. The few of exact kernels are enough for every
// pair to try to trade: windows of both parities begin four times.
func (t *tuner) iterations(f *Found) int {
	if !t.s.Unbiased() {
		return t.shortest() << len(f.Rounds)
	}
	swap, window := t.s.Swap.WithDefaults(len(f.Beta)), 1
	if swap.Scheme == "windowed-deo" {
		window = swap.Window
	}
	return max(firstPaths<<len(f.Rounds), 8*swap.Every*window)
}

// round runs one round with what f has found and returns what is found then.
func (t *tuner) round(ctx context.Context, f *Found) (*Found, error) {
	n := t.iterations(f)
	made := len(f.Rounds) // by both kernels
	if f.Rival != nil {
		made += len(f.Rival.Rounds)
	}
	seen := Round{Iterations: n}
	var res *r2sgld.Result
	for {
		var err error
		s := f.apply(t.s)
		if err := overflowing(f.Beta); err != nil {
			return nil, fmt.Errorf("warm-up, round %d: %w. %sMultiply the potential by a small number (such as 1e-300), or "+
				"measure in other units", len(f.Rounds)+1, err,
				t.heights())
		}
		// Rounds must not share their noise, nor share it with the run to come.
		s.Seed += uint64(made+1) * 0x9e3779b97f4a7c15
		s.Iterations, s.BurnIn = n, n/2
		s.Thin = max(1, n/2/roundDraws)
		if res, err = r2sgld.Sample(ctx, t.p, s); err == nil {
			break
		}
		seen.BlowUps++
		next, err := t.again(f, err, seen.BlowUps)
		if err != nil {
			return nil, fmt.Errorf("warm-up, round %d: %w", len(f.Rounds)+1, err)
		}
		if f = next; t.sgldEnds(f) {
			return f, nil
		}
	}
	m := Until{}.mixing(res)
	seen.Gradients, seen.ESS = res.Gradients(), known(m.ess)
	stats := res.Swaps()
	seen.Rejection = stats.Rejections()
	seen.Barrier, seen.RoundTrips = stats.Barrier(), stats.RoundTrips
	next, err := t.learn(f, res, seen)
	if ctx.Err() != nil { // it may have seen half
		return nil, ctx.Err()
	}
	return next, err
}

// again is what to go on with after a try of a round, one of so many, that ended in err: f
// with a tenth of its steps, or with Holes where they show that U is +Inf in part of the
// domain, as another kernel copes with. On a bounded domain it is; elsewhere steps may have
// been too long for numbers.
func (t *tuner) again(f *Found, err error, tries int) (*Found, error) {
	var blown *r2sgld.BlowUp
	if !errors.As(err, &blown) || math.IsNaN(blown.Energy) {
		return nil, err
	}
	next := *f
	next.Holes = f.Holes || math.IsInf(blown.Energy, 1) && (t.bounded || tries > mostBlowUps)
	switch {
	case t.sgldEnds(&next):
		return &next, nil
	case tries > mostBlowUps:
		return nil, err
	}
	next.Diffusion = slices.Clone(f.Diffusion)
	for i := range next.Diffusion {
		next.Diffusion[i] /= 10
	}
	return &next, nil
}

// sgldEnds reports whether rounds of SGLD cannot go on with f, and those of HMC can.
func (t *tuner) sgldEnds(f *Found) bool {
	return t.both && f.Holes && !t.s.Unbiased() && f.Leapfrog == 0
}

// learn makes the next ladder of what a round has seen.
func (t *tuner) learn(f *Found, res *r2sgld.Result, seen Round) (*Found, error) {
	next := &Found{Rounds: append(slices.Clone(f.Rounds), seen), Taken: f.Taken, Rival: f.Rival, Jumps: unseen(res),
		Holes: f.Holes, Modes: f.Modes}
	barrier, err := exchange.NewBarrier(f.Beta, seen.Rejection)
	if err != nil {
		return nil, fmt.Errorf("warm-up: %w", err)
	}
	near, unsure, spare, still := alike, doubt, 0.0, steady
	if t.s.Unbiased() {
		near, unsure, still = alikePaths, doubtPaths, steadyPaths
		if len(next.Rounds) >= fewest {
			spare = sparePaths
		}
	}
	pairs := pairsFor(seen.Barrier, len(f.Beta)-1, unsure, spare)
	settled := pairs == len(f.Beta)-1 && slices.Max(seen.Rejection)-slices.Min(seen.Rejection) <= near
	next.Beta = f.Beta
	if !settled {
		next.Beta = barrier.Ladder(pairs + 1)
		if i := merged(next.Beta); i > 0 {
			return nil, fmt.Errorf("warm-up, round %d: the density is so much narrower than the law of the hottest rung that numbers cannot "+
				"tell the temperatures of rungs %d and %d of %d apart: bound the domain more closely, or measure in other units",
				len(next.Rounds), i, i+1, len(next.Beta))
		}
	}
	moves := t.s.Traits()
	if next.Whitening = f.Whitening; !moves.Paths {
		next.Whitening = t.whitening(res, f.Whitening)
	}
	same := next.Whitening == f.Whitening
	switch {
	case moves.Paths:
		t.free(next)
	case moves.Metropolis && same:
		t.paths(next, f, res)
	default:
		t.steps(next, f.Beta, res)
	}
	next.States = statesFor(next.Beta, f.Beta, res)
	if err := t.stepless(next); err != nil {
		return nil, fmt.Errorf("warm-up, round %d: %w", len(next.Rounds), err)
	}
	calm := same && settled
	for i := range next.Diffusion {
		calm = calm && ratio(next.Diffusion[i], f.Diffusion[min(i, len(f.Diffusion)-1)]) < still
	}
	n := len(next.Rounds)
	next.Settled = calm
	next.Done = calm && n >= fewest || n >= mostRounds
	next.Singular = next.Singular || next.Done && t.probe.infinite(t.p.Domain, drawsOf(res, 0, 4*mostStates), t.d, math.MaxInt)
	if next.Done && calm { // the ladder that was seen is the one to keep
		next.Diffusion, next.Leapfrog = f.Diffusion, f.Leapfrog
	}
	return next, nil
}

// merged is the first rung whose temperature is not above that of the one before, or 0.
func merged(beta []float64) int {
	for i := 1; i < len(beta); i++ {
		if !(1/beta[i] > 1/beta[i-1]) {
			return i
		}
	}
	return 0
}

// unseen reports whether steps of any rung do not see the potential. Where hot rungs do not,
// swaps bring the cold one what is not its law.
func unseen(res *r2sgld.Result) bool {
	for r := range res.Ladders[0].Jumps {
		if j := res.Jumps(r); j.Certain() || j.Coarse(Bias) {
			return true
		}
	}
	return false
}

// pairsFor is the number of pairs for a barrier, so that they reject about half;
// the number in use if that will do nearly as well, for barriers are noisy: within
// doubt, or a spare part of them.
func pairsFor(barrier float64, now int, doubt, spare float64) int {
	want := barrier/rejection - 0.2
	if slack := max(doubt, spare*float64(now)); float64(now)-1-slack <= want && want <= float64(now)+slack {
		return now
	}
	return min(mostRungs-1, max(1, int(math.Ceil(want))))
}

// ratio is the larger of a/b and b/a.
func ratio(a, b float64) float64 { return max(a/b, b/a) }

// statesFor returns the last states of finite energy of the rungs nearest in inverse
// temperature; of colder ones where a rung, that of the uniform law, has none.
func statesFor(beta, before []float64, res *r2sgld.Result) [][][]float64 {
	states := make([][][]float64, len(res.Ladders))
	for i, l := range res.Ladders {
		for _, b := range beta {
			nearest := 0
			for r, c := range before {
				if math.Abs(c-b) < math.Abs(before[nearest]-b) {
					nearest = r
				}
			}
			last := lastFinite(l.Energy[nearest])
			for last < 0 && nearest > 0 {
				nearest--
				last = lastFinite(l.Energy[nearest])
			}
			x := l.X[nearest]
			d := len(x) / len(l.Energy[nearest])
			states[i] = append(states[i], slices.Clone(x[max(0, last)*d:][:d]))
		}
	}
	return states
}

// lastFinite is the index of the last energy below +Inf; -1 is none.
func lastFinite(energy []float64) int {
	i := len(energy) - 1
	for i >= 0 && math.IsInf(energy[i], 1) {
		i--
	}
	return i
}
