package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/simulation"
	"github.com/r2sgld/r2sgld/ode"
)

// An outcome is all that is written down of a simulation.
type outcome struct {
	report  *Report
	result  *simulation.Result
	options simulation.Options
	bands   []simulation.Band
	mode    []float64 // the parameters of the trajectory that stands for all in phase portraits
	data    observed
	other   *other                 // what the trajectories are compared with; nil is nothing
	parted  *simulation.Comparison // with it
	over    []simulation.Interval  // distances from it
	noise   bool                   // kept trajectories have observations beside them
	seed    uint64                 // of these
	keep    bool                   // writes every trajectory
	figures []string               // that were drawn
}

// observed is what was observed.
type observed struct {
	Time   []float64
	Values [][]float64 // per state of the model; NaN is missing
}

// other is a trajectory to compare with.
type other struct {
	name  string
	times []float64
	path  []float64 // by rows
}

// outcome simulates.
func (p *plan) outcome(ctx context.Context) (*outcome, error) {
	r, err := simulation.Run(ctx, p.src.model, p.draws, p.options)
	if err != nil {
		return nil, err
	}
	bands, err := r.Bands(ctx, p.asked.Level, p.noise)
	if err != nil {
		return nil, err
	}
	q, solver := p.asked, p.options.Solver
	rep := &Report{Schema: 1, Name: p.src.run.Name, From: q.From, Of: p.of, Seed: q.Seed, Set: append([]Value{}, p.set...),
		Initial: p.initial(),
		Time:    p.src.timeName(), DataEnd: p.src.end(), Level: q.Level, Warnings: append([]string{}, p.notes...),
		Solver: SolverReport{Method: solver.Method, RTol: solver.RTol, ATol: solver.ATol}}
	o := &outcome{report: rep, result: r, options: p.options, bands: bands, mode: p.mode, data: p.src.data,
		noise: p.noise, seed: q.Seed, keep: q.Keep}
	rep.describe(r, bands)
	if q.Times == "" {
		rep.noteCoarse(r.Times)
	}
	if p.other != nil {
		if err := p.compare(ctx, o); err != nil {
			return nil, err
		}
	}
	if q.Lyapunov {
		if err := p.exponent(ctx, o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// compare measures the distance from the rival.
func (p *plan) compare(ctx context.Context, o *outcome) error {
	q, ours := p.other, o.result
	o.other = &other{name: q.name, times: p.options.Times}
	if q.model != nil {
		options := p.options
		options.Start = q.start
		r, err := simulation.Run(ctx, q.model, [][]float64{q.x}, options)
		var lost *simulation.Lost
		if err != nil && !errors.As(err, &lost) {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		if lost != nil {
			o.report.Warnings = append(o.report.Warnings, fmt.Sprintf("%s: %v.", q.name, lost))
		}
		o.other.path = r.Paths[0]
	} else {
		options := p.options
		options.Times = q.data.Time
		r, err := simulation.Run(ctx, p.src.model, p.draws, options)
		if err != nil {
			return err
		}
		ours, o.other.times = r, q.data.Time
		for k := range q.data.Time {
			for i := range q.data.Values {
				o.other.path = append(o.other.path, q.data.Values[i][k])
			}
		}
	}
	o.parted = ours.Compare(o.other.path, p.asked.apart())
	over, err := o.parted.Over(ctx, p.asked.Level)
	if err != nil {
		return err
	}
	o.over = over
	p.noteScale(o)
	o.report.Comparison = &Parted{With: q.name, Mode: append([]Value{}, q.mode...), Apart: p.asked.apart(),
		Parting: o.parted.When(p.asked.Level),
		Parted:  len(o.parted.Parting), Of: len(o.parted.Distances), Final: over[len(over)-1]}
	return nil
}

// noteScale warns of a distance in which one state counts for all.
func (p *plan) noteScale(o *outcome) {
	var least, most float64
	var small, large string
	for _, b := range o.bands {
		sd := diag.SD(slices.DeleteFunc(slices.Clone(b.Median), func(v float64) bool { return v-v != 0 }))
		if !(sd > 0) {
			continue
		}
		if small == "" || sd < least {
			small, least = b.State, sd
		}
		if large == "" || sd > most {
			large, most = b.State, sd
		}
	}
	if small == "" || most <= 10*least {
		return
	}
	o.report.Warnings = append(o.report.Warnings, fmt.Sprintf("over time %s moves by some %s, %s by %s only: the distance is that of %s, "+
		"nearly. Choose --apart on its scale, or identify with states in units in which they are alike.",
		large, short(most), small, short(least), large))
}

// exponent measures the largest Lyapunov exponent at the mode.
func (p *plan) exponent(ctx context.Context, o *outcome) error {
	span := 100 * (p.src.end() - p.src.data.Time[0])
	m := p.src.model
	start := m.Start(p.mode, p.options.Start)
	e, err := simulation.Lyapunov(ctx, m.System(p.mode), p.options.From, start, simulation.LyapunovOptions{Settle: span / 10, Span: span,
		Solver: p.options.Solver})
	var blown *ode.BlowUp
	switch {
	case errors.As(err, &blown):
		o.report.Warnings = append(o.report.Warnings, fmt.Sprintf("no Lyapunov exponent: the trajectory from the mode ends at %s %.6g: %s.",
			o.report.Time, blown.Time, blown.Reason))
		return nil
	case err != nil:
		return err
	}
	o.report.Lyapunov = &ExponentFound{Exponent: e.Value, SE: e.SE, Time: e.Time(), Span: e.Span}
	return nil
}
