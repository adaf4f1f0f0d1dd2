package dynamical

import (
	"context"
	"fmt"
	"math"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
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
		var g errgroup.Group
		g.SetLimit(m.Threads)
		for i, v := range m.system.variants {
			g.Go(func() (err error) {
				plans[i], err = m.calibrate(ctx, v)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		var err error
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
	low, high := -8.0, 8.0 // of log correction
	q := *p
	q.from, q.iterations, q.rule = fromTruth, short, thresholdRule(1)
	run, err := load(m.dir, q.name(), q.text())
	if err != nil {
		return nil, err
	}
	for range tries {
		run.Settings.Swap.Correction = math.Exp((low + high) / 2)
		s, _, err := q.one(ctx, run, m.rulers[v], 0)
		if err != nil {
			return nil, err
		}
		if s.swaps < aimedSwaps {
			low = (low + high) / 2
		} else {
			high = (low + high) / 2
		}
	}
	p.rule = thresholdRule(math.Exp((low + high) / 2))
	return p, nil
}

func (m *inquiry) thresholdText() string {
	if len(m.thresholds) == 0 {
		return ""
	}
	var parts []string
	for _, o := range m.thresholds {
		parts = append(parts, fmt.Sprintf("%s with %s", o.interval(swaps).PlusMinus(), o.v.told))
	}
	return "By the released code's rule with its correction found by bisection from the truth: " + strings.Join(parts, ", ") + "; that rule is biased."
}

func (m *inquiry) thresholdRows() [][]string {
	var out [][]string
	for _, o := range m.thresholds {
		_, after, _ := strings.Cut(o.rule, "correction: ")
		out = append(out, []string{o.v.told + ", start " + o.from, "threshold", after, o.interval(swaps).PlusMinus(), "–", o.interval(modeError).PlusMinus(), o.interval(off).PlusMinus()})
	}
	return out
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

func (m *inquiry) simulatedTable() study.Table {
	v := m.system.variants[0]
	t := study.Table{Title: fmt.Sprintf("States simulated in every iteration, %s, start truth", v.told), Columns: []string{"method", "iterations", "runs", "error of the modes"},
		Caption: "Modes with 95 % t intervals over the runs; the last two thirds of the iterations. The share outside is over all iterations and rungs. Runs that ended early, for the energy was no longer finite, are in no mean."}
	for _, k := range v.key {
		t.Columns = append(t.Columns, "mode of "+v.quantities[k].symbol)
	}
	t.Columns = append(t.Columns, "share outside", "reflections", "swap rate", "ended early")
	for _, o := range m.simulated {
		row := []string{strings.TrimSuffix(o.label, ", simulated states"), text.Count(o.iterations), fmt.Sprint(len(o.runs)), o.interval(modeError).PlusMinus()}
		var hits int64
		for _, k := range v.key {
			row = append(row, o.interval(func(s score) float64 { return s.mode[k] }).PlusMinus())
		}
		ended := 0
		for _, r := range o.runs {
			hits += r.hits
			if r.ended > 0 {
				ended++
			}
		}
		rate := "–"
		if samplers()[o.base].rungs == 2 {
			rate = o.interval(swaps).PlusMinus()
		}
		t.Rows = append(t.Rows, append(row, fmt.Sprintf("%.3g", o.outsideShare()), text.Count(int(hits)), rate, fmt.Sprint(ended)))
	}
	truth := []string{"truth", "–", "–", "–"}
	for _, k := range v.key {
		truth = append(truth, fmt.Sprintf("%.4g", v.quantities[k].truth))
	}
	t.Rows = append(t.Rows, append(truth, "–", "–", "–", "–"))
	return t
}

func (m *inquiry) simulatedTold() string {
	text := "The paper's text derives Θ in every iteration from a trajectory simulated with the current coefficients (states: simulated in a configuration; a trajectory stays where it leaves the data by ten of their ranges); its released code uses the observed states, as all runs above do. Here the text is followed, in fewer and shorter runs, for an iteration costs a trajectory of 10,001 times for each rung, starting from the true coefficients. "
	if m.system.chaotic {
		return text + fmt.Sprintf("After a few Lyapunov times (%.2f) the simulated states have nothing to do with those that the observed derivatives belong to. The force then no longer points to the truth, but to where the attractor of the current coefficients agrees with derivatives that do not know of it: the table says where that leads.", m.lyapunov.Time())
	}
	return text + "A small error of the coefficients shifts the phase, more with every period, and with it the derivatives that Θ is compared with: far from the first periods the force no longer points to the truth. Where predators die out the prey grows, and with it the force: steps that serve the observed states are then far too large."
}

func (m *inquiry) moreSections() []study.Section {
	return []study.Section{
		{Title: "States simulated in every iteration", Text: m.simulatedTold(), Tables: []study.Table{m.simulatedTable()}},
		{Title: "With our defaults", Text: m.ownTold(), Tables: []study.Table{m.ownTable()}},
	}
}
