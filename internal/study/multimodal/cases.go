package multimodal

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/study"
)

// A protocol says how long a run is and which draws are kept.
type protocol struct {
	name             string
	iterations, thin int
	spread           bool // every run has a start of its own, uniform on the domain
}

// draws is the number of draws that are kept.
func (p protocol) draws() int { return p.iterations / p.thin }

// The protocols: of the paper's text, of its released code, and of a glance.
func protocols(s study.Scale) (paper, released protocol) {
	if s == study.Smoke {
		return protocol{name: "paper", iterations: 5000, thin: 1}, protocol{}
	}
	return protocol{name: "paper", iterations: 50_000, thin: 1}, protocol{name: "released", iterations: 500_000, thin: 10}
}

// checkpoints are the numbers of draws at which a run of n is scored.
func checkpoints(n int) []int {
	return []int{n / 25, n / 10, n / 5, 2 * n / 5, n}
}

// A plan is a case of the study: runs of one method on one domain.
type plan struct {
	scene    *scene
	group    string // what the case is there for
	label    string // in tables
	method   string // of the configuration; it also picks the colour
	protocol protocol
	runs     int
	seed     uint64
	quiet    bool   // exact gradients and energies
	rungs    int    // 2 at temperatures 1 and 10, else 1
	gradient int    // evaluations per iteration and rung; 0 is 1
	step     string // "" is the paper's
	keys     string // further keys of the sampler section, one a line
	from     string // the name of the case that this one is another name of

	potential string        // "" is the target of the scene
	walker    func() walker // of a baseline that is no method of the program; nil is none
}

// cost is the number of gradient evaluations of an iteration.
func (p plan) cost() int { return max(1, p.rungs) * max(1, p.gradient) }

// name tells the case from all others.
func (p plan) name() string {
	return strings.Join([]string{p.scene.name, p.protocol.name, p.group, p.label}, " · ")
}

// start is where every chain begins: the origin, as in the released code, or
// well inside a triangle that has it for a corner; or anywhere.
func (p plan) start() string {
	if p.protocol.spread {
		return "uniform"
	}
	if p.scene.name == "triangle" {
		return "{x: 0.3, y: 0.3}"
	}
	return "{x: 0, y: 0}"
}

// text is the configuration of the case.
func (p plan) text() string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("variables: [x, y]")
	line("potential: %q", cmp.Or(p.potential, p.scene.target.formula()))
	if !p.quiet {
		line("noise: {gradient: 0.05, energy: 0.05}")
	}
	line("domain: %s", p.scene.yaml)
	line("sampler:")
	line("  method: %s", p.method)
	line("  iterations: %d", p.protocol.iterations)
	line("  burn_in: 0")
	line("  thin: %d", p.protocol.thin)
	switch {
	case p.step != "":
		line("  step_size: %s", p.step)
	case p.rungs == 2:
		line("  step_size: [5e-4, 1.5e-3]")
	case strings.Contains(p.method, "cyc"):
		line("  step_size: 1e-3")
	default:
		line("  step_size: 5e-4")
	}
	if p.rungs == 2 {
		line("  temperature: [1, 10]")
		switch {
		case strings.Contains(p.keys, "swap:"):
		case p.quiet:
			line("  swap: {%s}", everySweep)
		default:
			line("  swap: {%s, variance: %g}", everySweep, swapVariance)
		}
	}
	if p.keys != "" {
		line("  %s", strings.ReplaceAll(p.keys, "\n", "\n  "))
	}
	line("  ladders: %d", p.runs)
	line("  seed: %d", p.own())
	line("  init: %s", p.start())
	return b.String()
}

// everySweep tries the one pair of rungs in every iteration, as the paper's
// Algorithm 1 does; even-odd schemes, which are for more rungs, would try it in
// every second one.
const everySweep = "scheme: adj"

// swapVariance is that of the difference of two energies with noise of sd 0.05.
const swapVariance = 2 * 0.05 * 0.05

// own is the seed of the case: no two cases share noise, and a case keeps its
// draws when others come or go.
func (p plan) own() uint64 {
	return study.SeedOf(p.seed, cmp.Or(p.from, p.name()))
}

// An outcome is what came of a case.
type outcome struct {
	plan
	measured
}

// What is measured of a case can be kept.
type measured struct {
	At        []int         // draws at each checkpoint
	Scores    [][2][]Score  // by checkpoint, with no burn-in and without the first fifth, by run
	Half      [][2][]Score  // the same at half the draws: equal gradients, for two rungs
	Swaps     []float64     // rate, by run
	Hit       [2]float64    // share of steps that met the wall, by rung
	Fallbacks int64         // steps given up
	Outside   int64         // draws outside Ω, of all
	Means     [][2]float64  // by run, without the first fifth: U and r²
	Took      time.Duration // sampling, on one thread
	Steps     int64         // chain steps: one replica, one iteration
	Held      int64         // draws, of all runs: fewer than the protocol has where some are rejected
}

// newOutcome returns the outcome of a case before any run.
func newOutcome(p plan) *outcome {
	at := checkpoints(p.protocol.draws())
	return &outcome{p, measured{At: at, Scores: make([][2][]Score, len(at)), Half: make([][2][]Score, len(at))}}
}

// sample runs the case on one thread and scores its draws.
func (p plan) sample(ctx context.Context) (*outcome, error) {
	run, err := p.load()
	if err != nil {
		return nil, err
	}
	if p.walker != nil {
		return p.wander(ctx, run)
	}
	return p.execute(ctx, run)
}

// load reads the configuration of the case.
func (p plan) load() (*config.Run, error) {
	run, err := config.Parse("sample", "study", []byte(p.text()), nil)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", p.name(), err)
	}
	run.Settings.Threads, run.Settings.MaxDraws = 1, p.protocol.draws() // all of them, allocated once
	return run, nil
}

func (p plan) execute(ctx context.Context, run *config.Run) (*outcome, error) {
	begin := time.Now()
	r, err := r2sgld.Sample(ctx, run.Problem, run.Settings)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", p.name(), err)
	}
	o := newOutcome(p)
	o.Took = time.Since(begin)
	m := p.scene.own()
	for i := range r.Ladders {
		o.add(m, &r.Ladders[i])
	}
	o.boundary(r)
	return o, nil
}

// addDraws scores the draws of a run, n × 2: as many as the protocol has, or fewer
// where those outside are rejected, at the same shares of the run.
func (o *outcome) addDraws(m *measure, x []float64) (burn int) {
	draws, held := o.protocol.draws(), len(x)/2
	scale := func(n int) int { return int(int64(n) * int64(held) / int64(draws)) }
	var spans []span
	for _, n := range o.At {
		spans = append(spans, span{0, scale(n)}, span{scale(n / 5), scale(n)}, span{0, scale(n / 2)}, span{scale(n / 10), scale(n / 2)})
	}
	for i, s := range m.scores(x, spans) {
		into := &o.Scores[i/4]
		if i%4 > 1 {
			into = &o.Half[i/4]
		}
		into[i%2] = append(into[i%2], s)
	}
	o.Held += int64(held)
	return scale(draws / 5)
}

// shown are the draws of the first run without the first fifth, for figures.
func (p plan) shown(ctx context.Context) ([]float64, error) {
	p.runs = 1
	run, err := p.load()
	if err != nil {
		return nil, err
	}
	r, err := r2sgld.Sample(ctx, run.Problem, run.Settings)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", p.name(), err)
	}
	return r.Ladders[0].X[0][2*(p.protocol.draws()/5):], nil
}

// add takes in a ladder.
func (o *outcome) add(m *measure, l *r2sgld.Ladder) {
	x := l.X[0]
	burn, held := o.addDraws(m, x), len(x)/2
	var u, r2 float64
	for i := burn; i < held; i++ {
		u += l.Energy[0][i]
		r2 += x[2*i]*x[2*i] + x[2*i+1]*x[2*i+1]
	}
	n := float64(held - burn)
	o.Means = append(o.Means, [2]float64{u / n, r2 / n})
	if len(l.Swaps.Pairs) > 0 {
		o.Swaps = append(o.Swaps, l.Swaps.Pairs[0].Rate())
	}
	o.Steps += int64(l.Iterations) * int64(max(1, o.rungs))
}

// boundary notes what the wall did.
func (o *outcome) boundary(r *r2sgld.Result) {
	for rung := range min(2, max(1, o.rungs)) {
		t := r.Tally(rung)
		o.Hit[rung] = float64(t.Reflected) / float64(t.Steps)
		o.Fallbacks += t.Fallbacks
		o.Outside += t.Outside
	}
}

// nanoseconds is the time of a chain step.
func (o *outcome) nanoseconds() float64 {
	return float64(o.Took.Nanoseconds()) / float64(o.Steps)
}

// last returns a number of every run at the last checkpoint, without burn-in.
func (o *outcome) last(of func(Score) float64) []float64 {
	return o.values(len(o.At)-1, true, of)
}

// values returns a number of every run at a checkpoint, with the first fifth
// dropped or not.
func (o *outcome) values(at int, drop bool, of func(Score) float64) []float64 {
	return pick(o.Scores[at], drop, of)
}

// cheap is values at half the draws.
func (o *outcome) cheap(at int, drop bool, of func(Score) float64) []float64 {
	return pick(o.Half[at], drop, of)
}

func pick(s [2][]Score, drop bool, of func(Score) float64) []float64 {
	if drop {
		return column(s[1], of)
	}
	return column(s[0], of)
}

// column is a number of every score.
func column(all []Score, of func(Score) float64) []float64 {
	out := make([]float64, len(all))
	for i, s := range all {
		out[i] = of(s)
	}
	return out
}

// klAll is the study's chief number.
func klAll(s Score) float64 { return s.KLAll }

// klIn is it with the draws outside discarded, and klBack the other way round.
func klIn(s Score) float64   { return s.KLIn }
func klBack(s Score) float64 { return s.KLBack }

// outside is the share of draws outside.
func outside(s Score) float64 { return s.Outside }

// w1 is the distance of the marginals, the mean of x and y.
func w1(s Score) float64 { return (s.W1X + s.W1Y) / 2 }

// modesOff is how far the weights of the modes are off.
func modesOff(s Score) float64 { return s.Modes }

func modesFound(s Score) float64 { return s.Found }

// runAll gathers a batch with cases, the longest first; the results stand in the order of plans.
func runAll(ctx context.Context, b *study.Batch, plans []plan) ([]*outcome, error) {
	order := longestFirst(plans)
	found := study.Join(b, len(plans), func(ctx context.Context, k int) (measured, error) {
		o, err := plans[order[k]].sample(ctx)
		if err != nil {
			return measured{}, err
		}
		return o.measured, nil
	})
	if err := b.Gather(ctx); err != nil {
		return nil, err
	}
	out := make([]*outcome, len(plans))
	for k, i := range order {
		out[i] = &outcome{plans[i], found[k]}
	}
	return out, nil
}

// longestFirst orders cases so that no long one is left for the end.
func longestFirst(plans []plan) []int {
	order := make([]int, len(plans))
	for i := range order {
		order[i] = i
	}
	work := func(i int) int { return plans[i].cost() * plans[i].protocol.iterations * plans[i].runs }
	slices.SortStableFunc(order, func(i, j int) int { return work(j) - work(i) })
	return order
}

// calibrate returns the correction C at which rule threshold trades in a share of
// about target of all sweeps, by bisection over short runs: the smaller C, the
// larger the penalty and the fewer the swaps.
func calibrate(ctx context.Context, p plan, target float64) (float64, error) {
	p.protocol, p.keys = protocol{name: "calibration", iterations: 4000, thin: 1}, thresholdKeys(1)
	run, err := p.load()
	if err != nil {
		return 0, err
	}
	return study.Threshold(-12, 0, target, 14, func(c float64) (float64, error) {
		run.Settings.Swap.Correction = c
		o, err := p.execute(ctx, run)
		if err != nil {
			return 0, err
		}
		return interval(o.Swaps).Mean, nil
	})
}

// thresholdKeys are those of the swap rule of the released code.
func thresholdKeys(correction float64) string {
	return fmt.Sprintf("boundary: nearest\nswap: {%s, rule: threshold, threshold: 3e-4, variance: %g, correction: %.4g}", everySweep,
		swapVariance, correction)
}
