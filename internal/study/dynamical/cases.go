package dynamical

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/kernel"
)

// six are the labels of the methods, the pairs side by side.
func six() []string {
	var out []string
	for _, s := range study.Samplers() {
		out = append(out, s.Plain, s.Reflected)
	}
	return out
}

// reflecting are the labels of the reflected methods.
func reflecting() []string { return []string{"R-SGLD", "R-cycSGLD", "r2SGLD"} }

// methodOf is the method of a label.
func methodOf(label string) string {
	for _, s := range study.Samplers() {
		switch label {
		case s.Plain:
			return s.Method
		case s.Reflected:
			return s.ReflectedMethod
		}
	}
	return ""
}

// What the paper's runs have in common.
const (
	batchRows       = 4096
	paperIterations = 60_000
)

// A plan is a case of a study: runs of one method on one variant.
type plan struct {
	v          *variant
	label      string
	base       int // which of the samplers
	reflected  bool
	from       string
	rule       string // further keys of the swaps
	runs       int
	iterations int // of which the first third is burn-in
	seed       uint64
	law        *resimulated // in place of that of the data; nil is none
}

// name tells the case from all others.
func (p *plan) name() string {
	return strings.Join([]string{p.v.system.name, p.v.name, p.from, p.label}, " · ")
}

// seedOf is the seed of a run: that of the method's partner too, so that both have
// the same noise and the same minibatches.
func (p *plan) seedOf(run int) uint64 {
	return study.SeedOf(p.seed, fmt.Sprint(p.v.system.name, p.v.name, p.from, p.base, run))
}

// method is that of the configuration.
func (p *plan) method() string {
	s := study.Samplers()[p.base]
	if p.reflected {
		return s.ReflectedMethod
	}
	return s.Method
}

// text is the configuration of the first run.
func (p *plan) text() string {
	s, method := study.Samplers()[p.base], p.method()
	var b strings.Builder
	b.WriteString(p.v.system.dataText() + p.v.modelText(batchRows, "paper", true))
	line := func(format string, args ...any) { fmt.Fprintf(&b, "  "+format+"\n", args...) }
	b.WriteString("sampler:\n")
	line("method: %s", method)
	line("iterations: %d", p.iterations)
	line("burn_in: %d", p.burnIn())
	line("thin: 1")
	line("whiten: false")
	line("step_size: %s", p.v.system.steps[p.base])
	switch {
	case p.base == 1:
		line("schedule: {kind: cosine, cycles: 10}")
	default:
		line("schedule: {kind: exponential, decay: %.10g, after: %d}", math.Pow(0.9999, float64(paperIterations)/float64(p.iterations)),
			p.iterations/6)
	}
	if s.Rungs == 2 {
		line("temperature: [1, 10]")
		line("swap: {scheme: adj%s}", p.rule)
	}
	line("ladders: 1")
	line("seed: %d", p.seedOf(0))
	var init []string
	for j, x := range p.v.start(p.from, p.seed, 0) {
		init = append(init, fmt.Sprintf("%s: %.17g", p.v.parameters[j], x))
	}
	line("init: {%s}", strings.Join(init, ", "))
	return b.String()
}

func (p *plan) burnIn() int { return p.iterations / 3 }

// load reads a configuration whose data lie in dir.
func load(dir, name, text string) (*config.Run, error) {
	run, err := config.Parse("identify", filepath.Join(dir, "study.yaml"), []byte(text), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	run.Settings.Threads = 1
	return run, nil
}

// An outcome is what came of a case.
type outcome struct {
	*plan
	runs  []score // one for each run
	draws [][]float64
}

// A watcher counts how often the replicas of a rung stand outside the domain, at
// the end of every iteration, burn-in and later.
type watcher struct {
	domain domain.Domain
	burnIn int
	x      []float64
	out    [2][2]int // by rung; burn-in and later
}

// Record implements r2sgld.Recorder.
func (w *watcher) Record(k int, b *kernel.Block) error {
	for i, r := range b.Rung {
		if r > 1 {
			continue
		}
		if !w.domain.Contains(b.State(w.x, i)) {
			late := 0
			if k > w.burnIn {
				late = 1
			}
			w.out[r][late]++
		}
	}
	return nil
}

// one makes run number i of a case.
func (p *plan) one(ctx context.Context, run *config.Run, ruler *ruler, i int) (score, [][]float64, error) {
	s := run.Settings
	s.Seed, s.Start = p.seedOf(i), p.v.start(p.from, p.seed, i)
	w := &watcher{domain: run.Problem.Domain, burnIn: p.burnIn(), x: make([]float64, len(p.v.parameters))}
	s.Recorder = func(int) r2sgld.Recorder { return w }
	begin := time.Now()
	r, err := r2sgld.Sample(ctx, run.Problem, s)
	if blown, ok := errors.AsType[*r2sgld.BlowUp](err); ok && p.law != nil {
		return score{Ended: blown.Iteration, Outside: w.out}, nil, nil
	}
	if err != nil {
		return score{}, nil, fmt.Errorf("%s, run %d: %w", p.name(), i+1, err)
	}
	took := time.Since(begin).Seconds()
	l := &r.Ladders[0]
	out := ruler.measure(l.X[0])
	out.Seconds, out.Outside, out.Sum = took, w.out, digest(l.X[0])
	if len(l.Swaps.Pairs) > 0 {
		out.Swaps = l.Swaps.Pairs[0].Rate()
	}
	t := r.Tally(-1)
	out.Hits, out.Fallbacks = t.Reflections, t.Fallbacks
	if i > 0 {
		return out, nil, nil
	}
	return out, ruler.chains(l.X[0]), nil
}

// digest tells draws apart.
func digest(x []float64) [32]byte {
	h := sha256.New()
	var b [8]byte
	for _, v := range x {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		h.Write(b[:])
	}
	return [32]byte(h.Sum(nil))
}

// taken is what comes of a run: its score and, of the first of a case, the draws.
type taken struct {
	Score score
	Draws [][]float64
}

// runAll runs all runs of all cases. The text what must be unique within the study. A run
// whose partner with reflection, case by case in reflected if that is not nil, met no wall
// has the partner's outcome.
func (m *inquiry) runAll(ctx context.Context, what string, plans []*plan, reflected []*outcome) ([]*outcome, error) {
	out := make([]*outcome, len(plans))
	loaded := make([]*config.Run, len(plans))
	var places [][2]int // case and run
	for i, p := range plans {
		out[i] = &outcome{plan: p, runs: make([]score, p.runs)}
		var err error
		if loaded[i], err = load(m.dir, p.name(), p.text()); err != nil {
			return nil, err
		}
		if p.law != nil {
			loaded[i].Problem.Potential = p.law
		}
		for k := range p.runs {
			if reflected != nil && reflected[i].runs[k].Hits == 0 && reflected[i].runs[k].Ended == 0 {
				out[i].runs[k] = reflected[i].runs[k]
				continue
			}
			places = append(places, [2]int{i, k})
		}
	}
	found, err := study.Gather(ctx, m.Options, m.system.name+": "+what, len(places), func(ctx context.Context, j int) (taken, error) {
		i, k := places[j][0], places[j][1]
		s, draws, err := plans[i].one(ctx, loaded[i], m.rulers[plans[i].v], k)
		return taken{s, draws}, err
	})
	if err != nil {
		return nil, err
	}
	for j, t := range found {
		i, k := places[j][0], places[j][1]
		if out[i].runs[k] = t.Score; k == 0 {
			out[i].draws = t.Draws
		}
	}
	return out, nil
}

// plan fills in what all cases share.
func (m *inquiry) plan(v *variant, label, from string, runs int) *plan {
	p := &plan{v: v, label: label, from: from, runs: runs, seed: m.Seed, iterations: iterationsOf(m.Scale)}
	for i, s := range study.Samplers() {
		if label == s.Plain || label == s.Reflected {
			p.base, p.reflected = i, label == s.Reflected
		}
	}
	return p
}

func iterationsOf(s study.Scale) int {
	if s == study.Smoke {
		return 1000
	}
	return paperIterations
}

// runsOf is the number of runs of a case.
func runsOf(s study.Scale) int {
	if s == study.Smoke {
		return 2
	}
	return 10
}

// fewerRuns is that of what is beside the paper's methods.
func fewerRuns(s study.Scale) int { return max(1, runsOf(s)/2) }

// column is a number of every run that came to its end.
func (o *outcome) column(of func(score) float64) []float64 {
	var out []float64
	for _, s := range o.runs {
		if s.Ended == 0 {
			out = append(out, of(s))
		}
	}
	return out
}

// identical counts the runs whose cold draws are, bit for bit, those of another
// case.
func (o *outcome) identical(other *outcome) int {
	n := 0
	for i := range o.runs {
		if i < len(other.runs) && o.runs[i].Sum == other.runs[i].Sum {
			n++
		}
	}
	return n
}

// find returns a case; nil if it was not run.
func find(all []*outcome, v *variant, from, label string) *outcome {
	i := slices.IndexFunc(all, func(o *outcome) bool { return o.v == v && o.from == from && o.label == label })
	if i < 0 {
		return nil
	}
	return all[i]
}
