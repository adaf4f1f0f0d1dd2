package tune

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/potential"
)

// A Plan is what a run will do, as far as short runs can tell. Numbers that are
// not known are NaN.
type Plan struct {
	Schema     int        `json:"schema"`
	Dimension  int        `json:"dimension"`
	Ladders    int        `json:"ladders"`
	Noisy      bool       `json:"noisy"`           // whether the potential's energies are
	Full       bool       `json:"full_energies"`   // whether swaps see them without noise nevertheless
	Rule       string     `json:"rule"`            // of swaps
	StepSize   []float64  `json:"step_size"`       // per rung; ητ at infinite temperature
	Rungs      []Energies `json:"rungs"`           // cold first
	Pairs      []Trade    `json:"pairs"`           // of neighbours
	Barrier    float64    `json:"barrier"`         // Λ̂ over the temperatures, by the energies at the rungs
	Half       Half       `json:"half"`            // with exact energies
	NoisyHalf  Half       `json:"half_noisy"`      // with noisy ones and the penalty C = 2
	Tuned      *Tuned     `json:"tuned,omitempty"` // of method auto
	Iterations int        `json:"iterations"`      // of the run, per ladder
	// RoundTrips are those of all ladders in these iterations, as they went in a
	// short run; NaN where they were too few to tell. Independent is what they would
	// be, were energies independent from sweep to sweep; as they are not, there are
	// mostly fewer.
	RoundTrips  float64 `json:"round_trips"`
	Independent float64 `json:"round_trips_independent"`
	ESS         float64 `json:"ess"` // of the worst parameter after these
	Worst       string  `json:"worst_parameter"`
	RHat        float64 `json:"rhat_short_run"` // the largest of the short run
	// FullEvery is the number of iterations between energies over all data that
	// would take a tenth of the run; 0 where energies are exact or these are not known.
	FullEvery int `json:"full_every"`
	Costs
	Advice []string `json:"advice"` // sentences: what will not do and what would
}

// Energies is what a rung's energies are like.
type Energies struct {
	Beta  float64   `json:"inverse_temperature"` // 0 is the uniform law
	Mean  float64   `json:"mean"`                // of U
	SD    float64   `json:"sd"`
	Noise float64   `json:"noise"` // standard deviation of Ũ − U
	U     []float64 `json:"-"`     // at draws; nil stands for a normal law with Mean and SD
}

// A Trade is how often two neighbours will trade, per attempt. Probabilities too
// small for a number are 0; their logarithms tell.
type Trade struct {
	Rungs           [2]int  `json:"rungs"`    // from 1
	Variance        float64 `json:"variance"` // σ̃² of the difference of noisy energies
	Exact           float64 `json:"exact"`    // rule metropolis, exact energies
	Log10Exact      float64 `json:"log10_exact"`
	Acceptance      float64 `json:"acceptance"` // the run's rule and energies
	Log10Acceptance float64 `json:"log10_acceptance"`
}

// Half is the ladder between the same ends whose neighbours trade every second
// time they try: twice the barrier, in pairs.
type Half struct {
	Rungs int `json:"rungs"` // 0 if not known
	// Ratio is that of the temperatures of its two coldest rungs, +Inf if the second
	// is the uniform law.
	Ratio float64 `json:"ratio"`
}

// Tuned is what the warm-up of method auto found.
type Tuned struct {
	Rounds    int       `json:"rounds"`
	WarmUp    int       `json:"warm_up"`   // iterations per ladder
	Seconds   float64   `json:"seconds"`   // that took
	Rejection []float64 `json:"rejection"` // per pair, in its last round
	Barrier   float64   `json:"barrier"`   // its sum
	Bias      float64   `json:"step_bias"` // of a variance by the step, relative, at the cold rung
	Whitened  bool      `json:"whitened"`
	Taken     string    `json:"taken,omitempty"` // why kernel HMC goes on in place of SGLD, as in [Found]
	// Needed is the number of iterations per ladder that the stopping rule takes;
	// the run ends at the first round that reaches it. NaN if not known.
	Needed float64 `json:"needed"`
	Met    bool    `json:"met"` // whether the rule's own limits allow for as many
	// Modes are those that the warm-up looked for; nil where it did not.
	Modes *Sighting `json:"modes,omitempty"`
}

// The lengths of the short runs, iterations per ladder.
const (
	planShare = 20 // the run is so many times as long
	planLeast = 1000
	planMost  = 40_000
	autoTrial = 20_000

	pathsTrial = 300 // of kernels HMC and Harmonic
)

// Forecast says what a run of s on p will do, from a short one: acceptances by the
// energies of its draws, and time, effective sample sizes and round trips as they
// went. Where swaps are biased, the energies are those of another short run, of
// rungs that do not trade. Timings aside, equal arguments give equal plans.
func Forecast(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings) (*Plan, error) {
	p.Chart = nil // what is told does not depend on what draws are called
	s = settled(s)
	plan, t, err := survey(ctx, p, s, min(max(s.Iterations/planShare, planLeast), planMost))
	if err != nil {
		return nil, (&Unplanned{At: "the short run"}).unless(ctx, err)
	}
	plan.extend(s, t, s.Iterations)
	plan.advise(s)
	return plan, nil
}

// ForecastAuto tunes a ladder as method auto does and says what a run with it
// will do, which u ends. Of s it takes what [Tune] takes, beside the lengths of
// the run's first round and of what is kept, and its kernel as [Run] does.
func ForecastAuto(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, u Until) (*Plan, error) {
	begun, end := time.Now(), &Unplanned{At: "the warm-up"}
	o := Options{Show: func(f *Found) error { end.Found = f; return nil }, Looking: func(now bool) {
		if ctx.Err() == nil {
			end.At = map[bool]string{true: "the search for modes", false: "the warm-up"}[now]
		}
	}}
	f, s, u, err := o.warmUp(ctx, p, settled(withKernel(p, s, u)), u)
	if err != nil {
		return nil, end.unless(ctx, err)
	}
	seconds := time.Since(begun).Seconds()
	p = f.Modes.Problem(p)
	p.Chart = nil
	end.At = "the short run of the ladder that the warm-up found"
	plan, t, err := survey(ctx, p, s, trialOf(s, u))
	if err != nil {
		return nil, end.unless(ctx, err)
	}
	last := f.Rounds[len(f.Rounds)-1]
	plan.Tuned = &Tuned{Rounds: len(f.Rounds), Seconds: seconds, Rejection: last.Rejection, Barrier: last.Barrier, Bias: f.Bias,
		Whitened: f.Whitening != nil, Taken: f.Taken, Modes: f.Sighting()}
	plan.Tuned.WarmUp, _ = f.Made()
	plan.extend(s, t, plan.Tuned.until(u, s, t))
	most := CostsOf(s, plan.Dimension, max(plan.Iterations, u.Iterations), true) // however long it takes
	plan.Memory, plan.Checkpoint, plan.Disk = most.Memory, most.Checkpoint, most.Disk
	plan.Seconds += seconds
	plan.advise(s)
	return plan, nil
}

// An Unplanned error says how far a plan came before its context ended.
type Unplanned struct {
	At    string // what had not ended
	Found *Found // by the last round of warm-up; nil before the first
	Err   error
}

// unless is the error with what it came of, if that is the end of the context, or that alone.
func (e *Unplanned) unless(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	e.Err = err
	return e
}

// Error says what had not ended, and what was done.
func (e *Unplanned) Error() string {
	if e.Found == nil {
		return e.At + " had not ended"
	}
	steady := "its step sizes and temperatures were not steady yet"
	if e.Found.Done {
		steady = "its step sizes and temperatures were steady"
	}
	iterations, _ := e.Found.Made()
	rounds := "1 round"
	if n := len(e.Found.Rounds); n > 1 {
		rounds = fmt.Sprintf("%d rounds", n)
	}
	return fmt.Sprintf("%s had not ended. The warm-up had made %s, %d iterations of each ladder, with %d rungs now: %s", e.At, rounds,
		iterations, len(e.Found.Beta), steady)
}

// Unwrap returns what ended it.
func (e *Unplanned) Unwrap() error { return e.Err }

// trialOf is the length of the short run of method auto.
func trialOf(s r2sgld.Settings, u Until) int {
	if s.Unbiased() && u.Evidence > 0 { // whose error takes more draws to tell
		return planLeast
	}
	if s.Unbiased() {
		return pathsTrial
	}
	return min(autoTrial, max(planLeast, u.Iterations))
}

// settled are settings with the defaults that a plan needs.
func settled(s r2sgld.Settings) r2sgld.Settings {
	s.Ladders = max(1, s.Ladders)
	if s.Iterations == 0 {
		s.Iterations = 10_000
	}
	if s.Temperature == nil {
		s.Temperature = []float64{1}
	}
	return s
}

// until is the number of iterations at which u ends a run that goes like t.
func (f *Tuned) until(u Until, s r2sgld.Settings, t *trial) int {
	ess := u.ESS
	if u.RHat > 1 {
		ess = max(ess, diag.ESSFor(s.Ladders, u.RHat))
	}
	draws := 0.0
	if ess > 0 {
		draws = math.Ceil(ess / t.ess)
	}
	if u.Evidence > 0 {
		draws = max(draws, math.Ceil(t.evidence/(u.Evidence*u.Evidence))) // max keeps NaN
	}
	f.Needed = draws + float64(s.BurnIn)
	n := s.Iterations
	for !(float64(n) >= f.Needed) {
		next := u.Next(n, n, t.seconds*float64(n))
		if next == n {
			break
		}
		n = next
	}
	f.Met = float64(n) >= f.Needed
	return n
}

// survey runs s for n iterations and makes a plan as far as the energies tell.
func survey(ctx context.Context, p r2sgld.Problem, s r2sgld.Settings, n int) (*Plan, *trial, error) {
	res, t, err := try(ctx, p, s, n)
	if err != nil {
		return nil, nil, err
	}
	exact, _ := potential.Exact(p.Potential)
	noisy := potential.EnergyNoise(p.Potential) != 0 // noise of the gradient alone leaves swaps as they are
	if len(s.Swap.Bias(len(s.Temperature), noisy && !s.FullEnergies)) > 0 {
		quiet := short(s, p.Potential.Dim(), n)
		quiet.Seed += quietStream
		quiet.Swap, quiet.FullEnergies = exchange.Settings{Every: n + 1}, false
		if res, err = r2sgld.Sample(ctx, p, quiet); err != nil {
			return nil, nil, fmt.Errorf("short run without swaps: %w", err)
		}
	}
	v := newView(s.Temperature)
	if noisy {
		err = v.look(p.Potential, exact, res, s.Seed)
	} else {
		v.take(res)
	}
	if err != nil {
		return nil, nil, err
	}
	plan := predict(v.rungs, v.variance, s.Swap, s.FullEnergies)
	plan.Dimension, plan.Ladders, plan.Noisy, plan.StepSize = p.Potential.Dim(), s.Ladders, noisy, s.StepSize
	if noisy && v.seconds > 0 && t.single > 0 {
		plan.FullEvery = max(1, int(math.Ceil(10*v.seconds/t.single)))
	}
	return plan, t, nil
}

// predict makes a plan of the energies of the rungs, cold first, and of the
// variance of the difference of noisy energies of each pair of neighbours.
func predict(rungs []Energies, variance []float64, swap exchange.Settings, full bool) *Plan {
	nan := math.NaN()
	swap = swap.WithDefaults(len(rungs))
	plan := &Plan{Schema: 1, Rule: swap.Rule, Full: full, Rungs: rungs, Pairs: []Trade{}, Barrier: nan, Independent: nan,
		Half: Half{0, nan}, NoisyHalf: Half{0, nan}, Advice: []string{}}
	if len(rungs) < 2 {
		return plan
	}
	pairs := make([]pair, len(rungs)-1)
	for i := range pairs {
		pairs[i] = pair{&rungs[i], &rungs[i+1], rungs[i].Beta - rungs[i+1].Beta, variance[i]}
	}
	for i, p := range pairs {
		seen := p
		if full {
			seen.noise = 0
		}
		plan.Pairs = append(plan.Pairs, Trade{Rungs: [2]int{i + 1, i + 2}, Variance: p.noise}.with(p.exact(), seen.under(swap)))
		pairs[i] = seen
	}
	if swap.Rule == "indicator" {
		for i, log := range indicator(pairs, swap.Target) {
			plan.Pairs[i] = plan.Pairs[i].with(plan.Pairs[i].Log10Exact*math.Ln10, log)
		}
	}
	plan.barrier(pairs, variance)
	rejection := make([]float64, len(pairs))
	for i, t := range plan.Pairs {
		rejection[i] = 1 - t.Acceptance
	}
	plan.Independent = swap.RoundTrips(rejection) / float64(swap.Every)
	return plan
}

// with sets both acceptances by their natural logarithms.
func (t Trade) with(exact, acceptance float64) Trade {
	t.Exact, t.Log10Exact = math.Exp(exact), exact/math.Ln10
	t.Acceptance, t.Log10Acceptance = math.Exp(acceptance), acceptance/math.Ln10
	return t
}

// barrier says what the barrier is and which ladders would do.
func (p *Plan) barrier(pairs []pair, variance []float64) {
	exact := newCourse(pairs, false)
	p.Barrier, p.Half = exact.total(), exact.half()
	for i := range pairs {
		pairs[i].noise = variance[i]
	}
	if slices.Max(variance) > 0 {
		p.NoisyHalf = newCourse(pairs, true).half()
	}
}

// half is the ladder whose pairs hold half a unit of Λ each.
func (c course) half() Half {
	total := c.total()
	if !(total < 1e15) {
		return Half{0, math.NaN()}
	}
	if total <= rejection {
		return Half{2, c.beta[0] / c.beta[len(c.beta)-1]}
	}
	return Half{1 + int(math.Ceil(total/rejection)), c.beta[0] / c.reach(rejection)}
}

// extend carries what a short run told to one of so many iterations.
func (p *Plan) extend(s r2sgld.Settings, t *trial, iterations int) {
	p.Iterations = iterations
	all := float64(iterations) * float64(p.Ladders)
	p.Independent *= all
	p.RoundTrips, p.ESS, p.Worst, p.RHat = math.NaN(), t.ess*float64(iterations-s.BurnIn), t.worst, t.rhat
	if len(p.Pairs) > 0 && t.trips >= fewestTrips {
		p.RoundTrips = float64(t.trips) / float64(t.iterations) * float64(iterations)
	}
	p.Costs = CostsOf(s, p.Dimension, iterations, p.Tuned != nil)
	p.SecondsPerIteration, p.Seconds = t.seconds, t.seconds*float64(iterations)
}

func hopeful(log10 float64) bool { return log10 > -3 }

// advise says what is wrong with the ladder and what would do.
func (p *Plan) advise(s r2sgld.Settings) {
	noisy := p.Noisy && !p.Full
	for _, why := range s.Swap.Bias(len(p.Rungs), noisy) {
		p.Advice = append(p.Advice, "Swaps will be biased: "+why+".")
	}
	if v := s.Swap.Variance; noisy && v > 0 && s.Swap.Estimate.Every == 0 {
		for _, t := range p.Pairs {
			if r := v / t.Variance; r < 0.8 || r > 1.25 {
				p.Advice = append(p.Advice,
					fmt.Sprintf("The variance given for the noise of energies is %.4g, but that of rungs %d and %d is %.4g: let it be estimated (swap: "+
						"{variance: online}).", v, t.Rungs[0], t.Rungs[1], t.Variance))
				break
			}
		}
	}
	if text := p.remedies(); text != "" {
		p.Advice = append(p.Advice, text)
	}
	switch f := p.Tuned; {
	case math.IsNaN(p.ESS):
		p.Advice = append(p.Advice,
			fmt.Sprintf("How many effective draws there will be a short run cannot tell: its draws do not agree yet (R̂ %.2f).", p.RHat))
	case f != nil && !f.Met:
		p.Advice = append(p.Advice, fmt.Sprintf("The stopping rule will not be met within its limits: it takes about %.2g iterations.", f.Needed))
	}
}

// remedies says which rungs will not trade and what would.
func (p *Plan) remedies() string {
	var bad []Trade
	bestExact := 0.0
	for _, t := range p.Pairs {
		if !hopeful(t.Log10Acceptance) {
			bad = append(bad, t)
			bestExact = min(bestExact, t.Log10Exact)
		}
	}
	if len(bad) == 0 {
		return ""
	}
	who := "rungs"
	if len(bad) < len(p.Pairs) {
		who = fmt.Sprintf("rungs %d and %d", bad[0].Rungs[0], bad[0].Rungs[1])
		if len(bad) > 1 {
			who += fmt.Sprintf(" (and %d pairs more)", len(bad)-1)
		}
	}
	noisy := p.Noisy && !p.Full
	every := ""
	if noisy && p.FullEvery > 0 {
		often := fmt.Sprintf("%d iterations", p.FullEvery)
		if p.FullEvery == 1 {
			often = "iteration"
		}
		every = fmt.Sprintf("energies over all data every %s (swap: {energies: full, every: %d})", often, p.FullEvery)
	}
	ladder := func(h Half) string {
		if h.Rungs == 0 || !(h.Ratio < math.Inf(1)) {
			return ""
		}
		return fmt.Sprintf("temperature ratio %s (%d rungs between the same ends)", ratioText(h.Ratio), h.Rungs)
	}
	var what []string
	switch {
	case noisy && every != "" && hopeful(bestExact):
		what = append(what, every, ladder(p.NoisyHalf))
	case noisy && every != "":
		what = append(what, ladder(p.Half)+" with "+every, ladder(p.NoisyHalf)+" with noisy energies")
	case noisy:
		what = append(what, ladder(p.NoisyHalf))
	default:
		what = append(what, ladder(p.Half))
	}
	what = append(what, "rule indicator (an optimiser, not a sampler)")
	what = slices.DeleteFunc(what, func(s string) bool { return s == "" })
	text := what[0]
	for i, w := range what[1:] {
		if text += ", "; i == len(what)-2 {
			text += "or "
		}
		text += w
	}
	return fmt.Sprintf("With these settings %s will not trade under rule %s. What will: %s.", who, p.Rule, text)
}

// ratioText shows two digits of what a ratio is above 1.
func ratioText(r float64) string {
	d := max(1, 1-int(math.Floor(math.Log10(r-1))))
	return fmt.Sprintf("%.*f", min(d, 12), r)
}
