// Package dynamical answers whether the paper's claims about identifying
// dynamical systems hold (section 5.1 and its appendix): six methods on the Lorenz
// and the Lotka–Volterra system, against the exact law.
package dynamical

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/ode"
)

// LorenzTitle is that of the study that [Lorenz] runs, and LotkaVolterraTitle that
// of [LotkaVolterra].
const (
	LorenzTitle        = "The Lorenz system from noisy derivatives: six methods and the exact law (section 5.1)"
	LotkaVolterraTitle = "The Lotka–Volterra system from noisy derivatives: six methods and the exact law (appendix)"
)

// Lorenz runs the paper's study of the Lorenz system: the posterior of its
// coefficients by six methods, their modes, and trajectories with them.
func Lorenz(ctx context.Context, o study.Options) (*study.Study, error) {
	return conduct(ctx, o, lorenz(), LorenzTitle)
}

// LotkaVolterra runs the paper's study of the Lotka–Volterra system.
func LotkaVolterra(ctx context.Context, o study.Options) (*study.Study, error) {
	return conduct(ctx, o, lotkaVolterra(), LotkaVolterraTitle)
}

func conduct(ctx context.Context, o study.Options, s *system, title string) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (_ *study.Study, err error) {
		o.Threads = o.Workers()
		dir, remove, err := lay(s.file)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, remove()) }()
		m := &inquiry{Options: o, system: s, dir: dir, rulers: map[*variant]*ruler{}}
		for _, step := range []func(context.Context) error{m.exact, m.six, m.threshold, m.simulateStates, m.defaults} {
			if err := step(ctx); err != nil {
				return nil, err
			}
		}
		return m.study(title)
	})
}

// inquiry is a study while it runs.
type inquiry struct {
	study.Options
	system *system
	dir    string // of the data
	rulers map[*variant]*ruler
	all    []*outcome
	// of a chaotic system
	lyapunov              *simulation.Exponent
	spent                 study.Spells
	thresholds, simulated []*outcome
	own                   []*own

	table study.Tidy
	found *results
	prose *study.Prose
}

// timed notes how long a part took.
func (m *inquiry) timed(what string, part func() error) error {
	return m.spent.Time(m.Options, m.system.name, what, func() (int64, error) { return 0, part() })
}

// exact computes the exact laws and the true trajectory.
func (m *inquiry) exact(ctx context.Context) error {
	return m.timed("exact laws", func() error {
		for _, v := range m.system.variants {
			p, err := m.problem(v, "paper")
			if err != nil {
				return err
			}
			if m.rulers[v], err = newRuler(v, p); err != nil {
				return err
			}
		}
		if !m.system.chaotic {
			return nil
		}
		r := m.rulers[m.system.variants[0]]
		var err error
		m.lyapunov, err = simulation.Lyapunov(ctx, r.system.At(m.system.variants[0].truth), 0, m.system.initial,
			simulation.LyapunovOptions{Settle: 20, Span: 500, Solver: ode.Options{Method: ode.DOP853, RTol: 1e-8}})
		return err
	})
}

// problem is the posterior over all data.
func (m *inquiry) problem(v *variant, noise string) (*dynamics.Problem, error) {
	run, err := load(m.dir, v.name, v.system.dataText()+v.modelText(0, noise, true))
	if err != nil {
		return nil, err
	}
	return run.Model, nil
}

// six runs the paper's methods.
func (m *inquiry) six(ctx context.Context) error {
	var plans []*plan
	for _, v := range m.system.variants {
		for _, l := range six() {
			plans = append(plans, m.plan(v, l, fromBox, runsOf(m.Scale)))
		}
	}
	key := m.system.variants[0]
	for _, l := range six() {
		plans = append(plans, m.plan(key, l, fromLow, fewerRuns(m.Scale)))
	}
	for _, l := range reflecting() {
		plans = append(plans, m.plan(key, l, fromTruth, fewerRuns(m.Scale)))
	}
	total := 0
	for _, p := range plans {
		total += p.runs
	}
	return m.timed(fmt.Sprintf("the paper's methods: %d runs", total), func() error {
		all, err := m.runAll(ctx, "runs", plans, nil)
		m.all = append(m.all, all...)
		return err
	})
}

// study puts everything together.
func (m *inquiry) study(title string) (*study.Study, error) {
	s := m.Begin(m.system.name, title)
	s.Effort = fmt.Sprintf("%d runs of %s iterations a case, minibatches of %s", runsOf(m.Scale), text.Count(iterationsOf(m.Scale)),
		text.Count(batchRows))
	pictures, err := m.pictures()
	if err != nil {
		return nil, err
	}
	m.tabulate()
	m.found = m.results()
	m.speak()
	if s.Rule, err = m.prose.Part("rule", nil); err != nil {
		return nil, err
	}
	s.Claims, s.Results = m.claims(), m.found
	if s.Sections, err = m.prose.Sections(m.found, pictures); err != nil {
		return nil, err
	}
	s.Hint = fmt.Sprintf("Each is the first run of its case. The data are %s, packed in study/dynamical/data of the source; the "+
		"configurations are for r2sgld identify, beside them.", m.system.file)
	for _, o := range slices.Concat(m.all, m.thresholds) {
		s.Settings = append(s.Settings, study.Setting{Name: o.name(), Text: o.text()})
	}
	for _, o := range m.own {
		s.Settings = append(s.Settings, study.Setting{Name: strings.Join([]string{m.system.name, o.v.name, "method auto", o.what}, " · "),
			Text: o.text})
	}
	return s, nil
}
