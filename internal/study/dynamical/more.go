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
		plans := make([]*plan, len(m.system.variants))
		err := m.Each(ctx, m.system.name+": correction", len(plans), func(ctx context.Context, i int) (err error) {
			plans[i], err = m.calibrate(ctx, m.system.variants[i])
			return err
		})
		if err != nil {
			return err
		}
		m.thresholds, err = m.runAll(ctx, plans, func() {})
		return err
	})
}

// calibrate is the case with the correction that short runs from the truth call
// for.
func (m *inquiry) calibrate(ctx context.Context, v *variant) (*plan, error) {
	p := m.plan(v, "r2SGLD", fromBox, fewerRuns(m.Scale))
	p.label = "r2SGLD, threshold"
	short, tries := 4000, 12
	if m.Scale == study.Smoke {
		short, tries = 300, 5
	}
	q := *p
	q.from, q.iterations, q.rule = fromTruth, short, thresholdRule(1)
	run, err := load(m.dir, q.name(), q.text())
	if err != nil {
		return nil, err
	}
	c, err := study.Threshold(-8, 8, aimedSwaps, tries, func(c float64) (float64, error) {
		run.Settings.Swap.Correction = c
		s, _, err := q.one(ctx, run, m.rulers[v], 0)
		return s.swaps, err
	})
	p.rule = thresholdRule(c)
	return p, err
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
		m.simulated, err = m.runAll(ctx, plans, m.Counter(m.system.name+": runs with simulated states", runs*len(plans)))
		return err
	})
}
