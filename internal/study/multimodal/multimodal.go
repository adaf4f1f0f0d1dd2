// Package multimodal answers whether the paper's claims about constrained
// multi-modal densities hold (section 5.2 and its appendix): nine methods and
// other baselines on five plane domains, and the diameter of the domain.
package multimodal

import (
	"context"
	"fmt"
	"slices"

	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// Title is that of the study that [Run] runs, and DiameterTitle that of [Diameter].
const (
	Title         = "25 modes on five domains: nine methods and other baselines (section 5.2)"
	DiameterTitle = "25 modes on octagons: how the domain's size slows mixing (section 5.2, appendix)"
)

// DiameterHere says why all of [Diameter] is done on one machine.
const DiameterHere = "it has no cases, but a few runs of many ladders"

// Run runs the paper's study of a multi-modal target on constrained plane
// domains (section 5.2 and its appendix): three samplers, plain, penalised and
// reflected, and other answers to the same need, against exact masses.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) {
		o.Threads = o.Workers()
		m := &multimodal{planner: planner{o}}
		for _, step := range []func(context.Context) error{m.truths, m.paper, m.uniforms, m.released, m.printed} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return m.study(ctx)
	})
}

// multimodal is the study while it runs.
type multimodal struct {
	planner
	five, two []*scene
	exact     []*Exact // of the five and the two
	trials    *trials
	flat      []*outcome // of the uniform law
	chosen    choices    // for the lowest KL with draws outside counted
	inner     choices    // and with them discarded
	started   court      // of the runs from anywhere
	mixed     court      // and of those on mixtures
	spent     study.Spells
	path      figure.Trajectory // from pathFirst to pathEnd
}

// timed notes how long a part took.
func (m *multimodal) timed(what string, part func() (steps int64, err error)) error {
	return m.spent.Time(m.Options, "multimodal", what, part)
}

// truths computes the exact laws.
func (m *multimodal) truths(ctx context.Context) error {
	return m.timed("exact laws on seven domains", func() (int64, error) {
		all := append(shapes(), more()...)
		found, err := scenes(all, m.Threads)
		if err != nil {
			return 0, err
		}
		m.five, m.two = found[:5], found[5:]
		m.exact, err = study.Gather(ctx, m.Options, "multimodal: exact laws", len(found), func(_ context.Context, i int) (*Exact, error) {
			return exact(found[i].shape, found[i].region), found[i].region.Err()
		})
		return 0, err
	})
}

// run runs cases and lists their outcomes.
func (m *multimodal) run(ctx context.Context, what string, plans []plan) error {
	return m.timed(fmt.Sprintf("%s: %d cases", what, len(plans)), func() (steps int64, err error) {
		all, err := runAll(ctx, m.Options, "multimodal: "+what, plans)
		if err != nil {
			return 0, err
		}
		m.trials.add(all...)
		for _, o := range all {
			steps += o.Steps
		}
		return steps, nil
	})
}

// paper runs all cases of protocol paper, the nine of the paper first.
func (m *multimodal) paper(ctx context.Context) error {
	m.trials = newTrials(nil)
	p, _ := protocols(m.Scale)
	var plain, rest []plan
	for _, s := range m.five {
		plain = append(plain, m.nine(s, p, nil)...)
		rest = append(rest, m.grid(s, p)...)
	}
	for _, s := range m.some() {
		rest = append(rest, m.variants(s, p)...)
	}
	for _, s := range m.two {
		rest = append(rest, m.mirrored(s, p)...)
	}
	if err := m.run(ctx, "protocol paper, plain and reflected", plain); err != nil {
		return err
	}
	if err := m.thresholds(ctx); err != nil {
		return err
	}
	if err := m.run(ctx, "protocol paper, penalties, boundary rules and baselines", rest); err != nil {
		return err
	}
	m.chosen, m.inner = m.choose(m.trials, m.five, klAll), m.choose(m.trials, m.five, klIn)
	for _, s := range m.five {
		for _, a := range samplers() {
			m.rename(s, p, a, m.chosen, a.penalised())
		}
		m.rename(s, p, samplers()[2], m.inner, bestInside)
	}
	for _, s := range slices.Concat(m.five, m.two) {
		m.trials.add(s.floor(p, runsOf(m.Scale), m.Seed))
	}
	return nil
}

// rename lists the outcome of the penalty chosen for a sampler under a label.
func (m *multimodal) rename(s *scene, p protocol, a sampler, chosen choices, label string) {
	o := *m.trials.find(s.name, p.name, groupGrid, a.with(chosen[[2]string{s.name, a.Plain}]))
	o.from, o.group, o.label = o.name(), groupPenalised, label
	m.trials.add(&o)
}

// some are the domains of what is beside the nine methods: two where a glance will
// do.
func (m *multimodal) some() []*scene {
	if m.Scale == study.Smoke {
		return m.five[:2]
	}
	return m.five
}

// thresholds runs r2SGLD with the swaps of the released code.
func (m *multimodal) thresholds(ctx context.Context) error {
	some := m.some()
	var plans []plan
	err := m.timed("correction of rule threshold", func() (int64, error) {
		found, err := study.Gather(ctx, m.Options, "multimodal: correction", len(some), func(ctx context.Context, i int) (float64, error) {
			return m.correction(ctx, some[i])
		})
		for i, c := range found {
			plans = append(plans, m.threshold(some[i], c))
		}
		return 0, err
	})
	if err != nil {
		return err
	}
	return m.run(ctx, "rule threshold", plans)
}

// released runs the nine methods by the protocol of the released code.
func (m *multimodal) released(ctx context.Context) error {
	_, p := protocols(m.Scale)
	if p.iterations == 0 {
		return nil
	}
	var plans []plan
	for _, s := range m.five {
		plans = append(plans, m.nine(s, p, m.chosen)...)
		plans = append(plans, m.inside(s, p, m.chosen, m.inner)...)
	}
	if err := m.run(ctx, "protocol released", plans); err != nil {
		return err
	}
	for _, s := range m.five {
		if m.trials.of(s.name, p.name, bestInside) == nil {
			o := *m.trials.of(s.name, p.name, "P-reSGLD")
			o.from, o.label = o.name(), bestInside
			m.trials.add(&o)
		}
	}
	return nil
}

// protocols are those that were run.
func (m *multimodal) protocols() []protocol {
	paper, released := protocols(m.Scale)
	if released.iterations == 0 {
		return []protocol{paper}
	}
	return []protocol{paper, released}
}

// study puts everything together.
func (m *multimodal) study(ctx context.Context) (*study.Study, error) {
	pictures, err := m.pictures(ctx)
	if err != nil {
		return nil, err
	}
	s := m.Begin("multimodal", Title)
	c := court{m.trials, m.five, m.protocols(), m.Scale, m.biases()}
	s.Claims = append(c.claims(), m.asPrinted()...)
	if s.Rule, err = c.prose().Part("rule", nil); err != nil {
		return nil, err
	}
	if s.Sections, err = m.sections(pictures); err != nil {
		return nil, err
	}
	s.Results = m.results()
	s.Effort = fmt.Sprintf("%d runs of %s iterations a case, protocol paper", runsOf(m.Scale), text.Count(c.protocols[0].iterations))
	if len(c.protocols) > 1 {
		s.Effort += fmt.Sprintf("; of %s, protocol released", text.Count(c.protocols[1].iterations))
	}
	s.Hint = "Here burn_in is 0, so that every draw is recorded; what is told of them drops the first fifth where it says so."
	for _, o := range m.ran() {
		if o.walker != nil {
			continue
		}
		s.Settings = append(s.Settings, study.Setting{Name: o.name(), Text: o.text()})
	}
	s.Settings = append(s.Settings, study.Setting{Name: "the path on the flower", Text: pathPlan(m.Seed, pathEnd).text()})
	return s, nil
}
