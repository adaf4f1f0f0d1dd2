package multimodal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/r2sgld/r2sgld/internal/study"
)

// What the cases of the study are there for.
const (
	groupPlain     = "plain"
	groupPenalised = "penalised"
	groupReflected = "reflected"
	groupGrid      = "penalty grid"
	groupTwice     = "twice the step"
	groupThreshold = "threshold"
	groupBoundary  = "boundary rule"
	groupBaseline  = "baseline"
	groupUniform   = "uniform law"
	groupIID       = "independent"
)

// A sampler is one of the paper's three; each is run plain, penalised and reflected.
type sampler struct{ study.Sampler }

func samplers() (out []sampler) {
	for _, s := range study.Samplers() {
		out = append(out, sampler{s})
	}
	return out
}

// penalised is the label of a sampler with the penalty that served it best.
func (s sampler) penalised() string { return "P-" + s.Plain }

// with is the label of a sampler with a penalty of the grid.
func (s sampler) with(p penalty) string { return s.penalised() + ", " + p.String() }

// nine are the labels of the paper's methods.
func nine() []string {
	var out []string
	for _, s := range samplers() {
		out = append(out, s.Plain, s.penalised(), s.Reflected)
	}
	return out
}

// A penalty is how a P- method pulls back.
type penalty struct {
	form     string
	strength float64
}

func (p penalty) String() string { return fmt.Sprintf("%s, ξ = %g", p.form, p.strength) }

func (p penalty) keys() string {
	return fmt.Sprintf("penalty: {strength: %g, form: %s}", p.strength, p.form)
}

// penaltiesOf are those of the grid.
func penaltiesOf(s study.Scale) []penalty {
	if s == study.Smoke {
		return []penalty{{"force", 10}, {"distance", 1000}}
	}
	var out []penalty
	for _, form := range []string{"force", "distance"} {
		for _, xi := range []float64{1, 10, 100, 1000} {
			out = append(out, penalty{form, xi})
		}
	}
	return out
}

// runsOf is the number of runs of a case.
func runsOf(s study.Scale) int {
	if s == study.Smoke {
		return 3
	}
	return 10
}

// A planner plans cases.
type planner struct{ study.Options }

// plan fills in what all cases share.
func (m planner) plan(s *scene, p protocol, group, label, method string, rungs int, keys string) plan {
	return plan{scene: s, group: group, label: label, method: method, protocol: p, runs: runsOf(m.Scale), seed: m.Seed,
		rungs: rungs, keys: keys}
}

// nine are the plain and the reflected methods on s, and the penalised ones as
// chosen; chosen may be nil.
func (m planner) nine(s *scene, p protocol, chosen choices) []plan {
	var out []plan
	for _, a := range samplers() {
		plain := m.plan(s, p, groupPlain, a.Plain, a.Method, a.Rungs, "")
		reflected := m.plan(s, p, groupReflected, a.Reflected, a.ReflectedMethod, a.Rungs, "boundary: nearest")
		out = append(out, plain, reflected)
		if q, ok := chosen[[2]string{s.name, a.Plain}]; ok {
			out = append(out, m.plan(s, p, groupPenalised, a.penalised(), "p-"+a.Method, a.Rungs, q.keys()))
		}
	}
	return out
}

// choices are the penalties chosen, by domain and sampler.
type choices map[[2]string]penalty

// grid is every penalty for every sampler on s.
func (m planner) grid(s *scene, p protocol) []plan {
	var out []plan
	for _, a := range samplers() {
		for _, q := range penaltiesOf(m.Scale) {
			out = append(out, m.plan(s, p, groupGrid, a.with(q), "p-"+a.Method, a.Rungs, q.keys()))
		}
	}
	return out
}

// variants are what the paper leaves open, and other answers to the same need.
func (m planner) variants(s *scene, p protocol) []plan {
	twice := m.plan(s, p, groupTwice, "R-cycSGLD, twice the step", "r-cycsgld", 1, "boundary: nearest")
	twice.step = "2e-3"
	out := []plan{twice}
	for _, a := range samplers() {
		for _, rule := range []string{"specular", "refuse"} {
			if m.Scale == study.Smoke && a.Plain == "cycSGLD" {
				continue
			}
			out = append(out, m.plan(s, p, groupBoundary, a.Reflected+", "+rule, a.ReflectedMethod, a.Rungs, "boundary: "+rule))
		}
	}
	out = append(out, m.plan(s, p, groupBaseline, "projected SGLD", "projected-sgld", 1, ""),
		m.plan(s, p, groupBaseline, "rejection of SGLD", "rejection-sgld", 1, ""))
	if s.name == "octagon" {
		out = append(out, m.plan(s, p, groupBaseline, "MYULA", "myula", 1, ""))
	}
	for _, label := range slices.Sorted(maps.Keys(walkers())) {
		q := m.plan(s, p, groupBaseline, label, "r-sgld", 1, "")
		q.walker = walkers()[label]
		out = append(out, q)
	}
	return append(out, m.hamiltonian(s, p)...)
}

// leapfrogs is the number of gradients of a trajectory of kernel hmc.
const leapfrogs = 10

// hamiltonian are the exact methods, at equal gradient evaluations: without
// noise, which they cannot bear.
func (m planner) hamiltonian(s *scene, p protocol) []plan {
	p.iterations, p.thin = p.iterations/leapfrogs, 1
	one := m.plan(s, p, groupBaseline, "R-HMC", "r-hmc", 1, fmt.Sprintf("leapfrog: %d", leapfrogs))
	two := m.plan(s, p, groupBaseline, "r2SGLD, kernel hmc", "r2sgld", 2, fmt.Sprintf("kernel: hmc\nleapfrog: %d", leapfrogs))
	for _, q := range []*plan{&one, &two} {
		q.quiet, q.gradient, q.step = true, leapfrogs, hamiltonianStep
	}
	return []plan{one, two}
}

// hamiltonianStep is η of kernel hmc: leapfrog steps of length sqrt(2η) = 0.1,
// where a mode has standard deviation 0.11.
const hamiltonianStep = "5e-3"

// mirrored are the methods on a domain with a mirror map. In its coordinates a
// step of 1 is at most so much of the domain: that of a box of width w, w/4, of
// the simplex 1/4; the step size makes up for it.
func (m planner) mirrored(s *scene, p protocol) []plan {
	a := m.plan(s, p, groupBaseline, "mirror SGLD", "mirror-sgld", 1, "")
	a.step = "9e-4"
	if s.name == "triangle" {
		a.step = "8e-3"
	}
	return []plan{a,
		m.plan(s, p, groupBaseline, "R-SGLD", "r-sgld", 1, "boundary: nearest"),
		m.plan(s, p, groupBaseline, "r2SGLD", "r2sgld", 2, "boundary: nearest"),
		m.plan(s, p, groupBaseline, "MYULA", "myula", 1, ""),
		m.plan(s, p, groupBaseline, "projected SGLD", "projected-sgld", 1, "")}
}

// threshold is r2SGLD with the swaps of the released code on s.
func (m planner) threshold(s *scene, correction float64) plan {
	p, _ := protocols(m.Scale)
	return m.plan(s, p, groupThreshold, "r2SGLD, rule threshold", "r2sgld", 2, thresholdKeys(correction))
}

// correct is the correction of threshold at which a tenth of the sweeps trade, as the paper has it.
func (m planner) correct(ctx context.Context, s *scene) (float64, error) {
	short := m.threshold(s, 1)
	short.runs = cmp.Or(map[study.Scale]int{study.Smoke: 2}[m.Scale], 6)
	return calibrate(ctx, short, 0.1)
}

// choose returns the penalties with the lowest mean of a KL: the kindest choice for
// the P- methods.
func (m planner) choose(t *trials, five []*scene, of func(Score) float64) choices {
	out := make(choices)
	for _, s := range five {
		for _, a := range samplers() {
			best := 0.0
			for i, q := range penaltiesOf(m.Scale) {
				o := t.find(s.name, "paper", groupGrid, a.with(q))
				if kl := interval(o.last(of)).Mean; i == 0 || kl < best {
					best, out[[2]string{s.name, a.Plain}] = kl, q
				}
			}
		}
	}
	return out
}

// bestInside is the label of P-reSGLD with the penalty that serves it best once
// draws outside are discarded.
const bestInside = "P-reSGLD with the penalty best inside"

// inside are the cases of bestInside that are not among the nine.
func (m planner) inside(s *scene, p protocol, chosen, inside choices) []plan {
	q := inside[[2]string{s.name, "reSGLD"}]
	if q == chosen[[2]string{s.name, "reSGLD"}] {
		return nil
	}
	return []plan{m.plan(s, p, groupPenalised, bestInside, "p-resgld", 2, q.keys())}
}
