package dynamical

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/study"
)

// The rate that the correction of rule threshold aims at: the middle of the
// paper's range.
const aimedSwaps = 0.1

// thresholdRule are the keys of the released code's swaps.
func thresholdRule(correction float64) string {
	return fmt.Sprintf(", rule: threshold, threshold: 3e-4, variance: 1, correction: %.4g", correction)
}

// thresholds runs r2SGLD with the swaps of the released code, their correction
// found by bisection so that a tenth of the iterations swap.
func (m *inquiry) threshold(ctx context.Context) error {
	return m.timed("rule threshold", func() error {
		found, err := study.Gather(ctx, m.Options, m.system.name+": correction", len(m.system.variants),
			func(ctx context.Context, i int) (float64, error) { return m.correction(ctx, m.system.variants[i]) })
		if err != nil {
			return err
		}
		var plans []*plan
		for i, c := range found {
			p := m.plan(m.system.variants[i], "r2SGLD", fromBox, fewerRuns(m.Scale))
			p.label, p.rule = "r2SGLD, threshold", thresholdRule(c)
			plans = append(plans, p)
		}
		m.thresholds, err = m.runAll(ctx, "runs of rule threshold", plans, nil)
		return err
	})
}

// correction is that which short runs from the truth call for.
func (m *inquiry) correction(ctx context.Context, v *variant) (float64, error) {
	q := m.plan(v, "r2SGLD", fromTruth, fewerRuns(m.Scale))
	q.label = "r2SGLD, threshold"
	short, tries := 4000, 12
	if m.Scale == study.Smoke {
		short, tries = 300, 5
	}
	q.iterations, q.rule = short, thresholdRule(1)
	run, err := load(m.dir, q.name(), q.text())
	if err != nil {
		return 0, err
	}
	return study.Threshold(-8, 8, aimedSwaps, tries, func(c float64) (float64, error) {
		run.Settings.Swap.Correction = c
		s, _, err := q.one(ctx, run, m.rulers[v], 0)
		return s.Swaps, err
	})
}

// simulateStates runs the six methods as the text has them: derivatives without noise,
// states simulated in every iteration. Where a reflected run met no wall, its partner
// without makes the same draws, and is not run again.
func (m *inquiry) simulateStates(ctx context.Context) error {
	v := m.system.variants[0]
	law := newResimulated(v)
	var reflected, plain []*plan
	for _, s := range study.Samplers() {
		for _, l := range []string{s.Reflected, s.Plain} {
			p := m.plan(v, l, fromBox, 1)
			if p.law, p.label = law, l+", simulated states"; p.reflected {
				reflected = append(reflected, p)
			} else {
				plain = append(plain, p)
			}
			if m.Scale == study.Smoke {
				p.iterations = 20
			}
		}
	}
	return m.timed("states simulated in every iteration", func() error {
		first, err := m.runAll(ctx, "reflected runs with simulated states", reflected, nil)
		if err != nil {
			return err
		}
		rest, err := m.runAll(ctx, "runs with simulated states", plain, first)
		for i := range rest {
			m.simulated = append(m.simulated, rest[i], first[i])
		}
		return err
	})
}
