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
		m.thresholds, err = m.runAll(ctx, "runs of rule threshold", plans)
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

// simulateStates runs methods with states that are simulated in every iteration.
func (m *inquiry) simulateStates(ctx context.Context) error {
	v := m.system.variants[0]
	runs, iterations := 3, 2000
	if m.Scale == study.Smoke {
		runs, iterations = 1, 20
	}
	var plans []*plan
	for _, l := range []string{"SGLD", "R-SGLD", "reSGLD", "r2SGLD"} {
		p := m.plan(v, l, fromTruth, runs)
		p.simulated, p.iterations, p.label = true, iterations, l+", simulated states"
		plans = append(plans, p)
	}
	return m.timed("states simulated in every iteration", func() (err error) {
		m.simulated, err = m.runAll(ctx, "runs with simulated states", plans)
		return err
	})
}
