package dynamics

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/slope"
	"github.com/r2sgld/r2sgld/potential"
)

// regressions are the linear regressions by which terms are chosen, one per
// equation, twice: what differs between the two is systematic.
//
// Noise of the states biases a regression on them, and estimated derivatives are
// noisier still. Therefore terms are chosen on the cubic smoothing splines through
// the states (through their logarithms for log-derivative) with the penalty of
// generalised cross-validation, and on their central differences, whatever the
// likelihood that they are sampled with. The second look has a tenth of the
// penalty and differences of the next order.
func (m *Model) regressions(s *Series) (equations []equation, first, second []potential.Column, err error) {
	own := *m
	if m.Likelihood != "log-derivative" {
		own.Likelihood = "derivative"
	}
	if m.Likelihood == "trajectory" && m.lognormal() {
		own.Likelihood = "log-derivative"
	}
	own.Noise, own.Batch = Noise{}, 0
	own.Fixed = slices.DeleteFunc(slices.Clone(m.Fixed), func(v Value) bool {
		return m.Likelihood == "trajectory" && slices.Contains(m.nuisances(), v.Name)
	})
	f := &faults{}
	equations, names := own.equations(f)
	if err := f.join(); err != nil {
		return nil, nil, nil, err
	}
	smooth := newSmoothing(s, m.States, own.Likelihood == "log-derivative")
	look := func(d Derivative, penalty float64) ([]potential.Column, error) {
		m := own
		if m.Derivative.Kind != "column" {
			m.Derivative = d
		}
		q := &table{Problem: &Problem{Parameters: names, model: &m, equations: equations}}
		if err := q.read(smooth.series(penalty)); err != nil {
			return nil, err
		}
		return q.linear()
	}
	if first, err = look(Derivative{Kind: "central"}, 1); err != nil {
		return nil, nil, nil, err
	}
	if second, err = look(Derivative{Kind: "savgol", Window: 5, Order: 4}, 0.1); err != nil {
		second, err = look(Derivative{Kind: "central"}, 0.1) // few rows
	}
	return equations, first, second, err
}

// A smoothing holds a spline through each state.
type smoothing struct {
	s       *Series
	names   []string
	log     bool
	row     [][]int
	splines []*slope.Smoother
}

// newSmoothing finds the penalties. States with fewer than 5 values, and with log
// those with values that are not positive, are left as they are.
func newSmoothing(s *Series, names []string, log bool) *smoothing {
	out := &smoothing{s: s, log: log}
	for _, name := range names {
		row, times, values := s.existing(s.Values[name])
		if n := len(values); n < 5 || log && slices.Min(values) <= 0 || slices.Min(values) == slices.Max(values) {
			continue
		}
		if log {
			for t, v := range values {
				values[t] = math.Log(v)
			}
		}
		out.names, out.row, out.splines = append(out.names, name), append(out.row, row), append(out.splines, slope.NewSmoother(times, values))
	}
	return out
}

// series is the smoothed series, the penalties multiplied by a factor.
func (m *smoothing) series(factor float64) *Series {
	out := *m.s
	out.Values = map[string][]float64{}
	for _, name := range m.s.States {
		out.Values[name] = slices.Clone(m.s.Values[name])
	}
	for i, name := range m.names {
		for t, v := range m.splines[i].Values(factor) {
			if m.log {
				v = math.Exp(v)
			}
			out.Values[name][m.row[i][t]] = v
		}
	}
	return &out
}
