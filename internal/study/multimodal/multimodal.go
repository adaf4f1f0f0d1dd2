// Package multimodal answers whether the paper's claims about constrained
// multi-modal densities hold (section 5.2 and its appendix): nine methods and
// other baselines on five plane domains, and the diameter of the domain.
package multimodal

import (
	"context"
	"errors"
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
		for _, step := range []func(context.Context) error{m.truths, m.first, m.second} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return m.study()
	})
}

// multimodal is the study while it runs.
type multimodal struct {
	planner
	five, two []*scene
	trials    *trials

	// of the first batch
	exact                     []*Exact        // of the five and the two
	floors, plain, rest, flat []*outcome      // flat ones are of the uniform law
	correction                []float64       // of rule threshold
	mixtures                  []*scene        // one after the other on the domains that are looked at
	path                      []pathway       // one
	drawn                     []study.Picture // of densities

	chosen  choices // for the lowest KL with draws outside counted
	inner   choices // and with them discarded
	started court   // of the runs from anywhere
	mixed   court   // and of those on mixtures
	spent   study.Spells
}

// timed notes how long a part took.
func (m *multimodal) timed(what string, part func() (steps int64, err error)) error {
	return m.spent.Time(m.Options, "multimodal", what, part)
}

// truths computes the exact laws.
func (m *multimodal) truths(context.Context) error {
	return m.timed("exact laws on seven domains", func() (int64, error) {
		found, err := scenes(append(shapes(), more()...), m.Threads)
		if err == nil {
			m.five, m.two = found[:5], found[5:]
		}
		return 0, err
	})
}

// run gathers a batch with cases.
func (m *multimodal) run(ctx context.Context, b *study.Batch, what string, plans []plan) (all []*outcome, err error) {
	err = m.timed(fmt.Sprintf("%s: %d cases", what, len(plans)), func() (steps int64, err error) {
		all, err = runAll(ctx, b, plans)
		for _, o := range all {
			steps += o.Steps
		}
		return steps, err
	})
	return all, err
}

// first runs all that waits for nothing: the cases of protocol paper and of the uniform law,
// independent draws, figures of densities, the corrections of rule threshold, and what is told of the exact laws.
// Then it chooses penalties.
func (m *multimodal) first(ctx context.Context) error {
	p, _ := protocols(m.Scale)
	var plain, rest, flat []plan
	for _, s := range m.five {
		plain = append(plain, m.nine(s, p, nil)...)
		rest = append(rest, m.grid(s, p)...)
		flat = append(flat, m.uniform(s)...)
	}
	for _, s := range m.some() {
		rest = append(rest, m.variants(s, p)...)
	}
	for _, s := range m.two {
		rest = append(rest, m.mirrored(s, p)...)
	}
	b := m.Batch("multimodal: protocol paper")
	seven := slices.Concat(m.five, m.two)
	floors := study.Join(b, len(seven), func(_ context.Context, i int) (measured, error) {
		return seven[i].floor(p, runsOf(m.Scale), m.Seed).measured, nil
	})
	m.correction = study.Join(b, len(m.some()), func(ctx context.Context, i int) (float64, error) {
		return m.correct(ctx, m.five[i])
	})
	m.exact = study.Join(b, len(seven), func(_ context.Context, i int) (*Exact, error) {
		return exact(seven[i].shape, seven[i].region), seven[i].region.Err()
	})
	m.path = study.Join(b, 1, func(ctx context.Context, _ int) (pathway, error) { return m.pathway(ctx) })
	var err error
	if m.mixtures, err = m.unsolved(); err != nil {
		return err
	}
	densities := m.densities()
	m.drawn = study.Join(b, len(densities), func(ctx context.Context, i int) (study.Picture, error) {
		return study.Draw(densities[i].name, func() (*figure.Figure, error) { return densities[i].draw(ctx) })
	})
	laws := study.Join(b, len(m.mixtures), func(_ context.Context, i int) (masses, error) {
		t, err := massesOf(m.mixtures[i].region, cellWidth)
		return t, errors.Join(err, m.mixtures[i].region.Err())
	})
	all, err := m.run(ctx, b, "protocol paper and the uniform law", slices.Concat(plain, rest, flat))
	if err != nil {
		return err
	}
	for i, s := range m.mixtures {
		if s.measure, err = laws[i].measure(membership(s.domain)); err != nil {
			return err
		}
	}
	m.plain, m.rest, m.flat = all[:len(plain)], all[len(plain):len(plain)+len(rest)], all[len(plain)+len(rest):]
	for i, s := range seven {
		m.floors = append(m.floors, &outcome{s.independence(p, runsOf(m.Scale), m.Seed), floors[i]})
	}
	t := newTrials(m.rest)
	m.chosen, m.inner = m.choose(t, m.five, klAll), m.choose(t, m.five, klIn)
	return nil
}

// second runs what waits for that, and lists all.
func (m *multimodal) second(ctx context.Context) error {
	var thresholds []plan
	for i, c := range m.correction {
		thresholds = append(thresholds, m.threshold(m.five[i], c))
	}
	released := m.released()
	all, err := m.run(ctx, m.Batch("multimodal: penalties as chosen"), "rule threshold, protocol released and the settings of the text",
		slices.Concat(thresholds, released, m.printed()))
	if err != nil {
		return err
	}
	n := len(thresholds)
	m.trials = newTrials(slices.Concat(m.plain, all[:n], m.rest))
	m.renames()
	m.trials.add(m.floors...)
	m.trials.add(all[n : n+len(released)]...)
	m.insides()
	m.trials.add(all[n+len(released):]...)
	m.started.trials, m.mixed.trials = m.trials, m.trials
	return nil
}

// renames lists the outcomes of the penalties that are chosen among those of the nine methods.
func (m *multimodal) renames() {
	p, _ := protocols(m.Scale)
	for _, s := range m.five {
		for _, a := range samplers() {
			m.rename(s, p, a, m.chosen, a.penalised())
		}
		m.rename(s, p, samplers()[2], m.inner, bestInside)
	}
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

// released are the cases of the protocol of the released code.
func (m *multimodal) released() (plans []plan) {
	_, p := protocols(m.Scale)
	if p.iterations == 0 {
		return nil
	}
	for _, s := range m.five {
		plans = append(plans, m.nine(s, p, m.chosen)...)
		plans = append(plans, m.inside(s, p, m.chosen, m.inner)...)
	}
	return plans
}

// insides lists where the penalty best inside is the one chosen.
func (m *multimodal) insides() {
	_, p := protocols(m.Scale)
	for _, s := range m.five {
		if p.iterations == 0 || m.trials.of(s.name, p.name, bestInside) != nil {
			continue
		}
		o := *m.trials.of(s.name, p.name, "P-reSGLD")
		o.from, o.label = o.name(), bestInside
		m.trials.add(&o)
	}
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
func (m *multimodal) study() (*study.Study, error) {
	pictures, err := m.pictures()
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
