package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/report"
	"github.com/r2sgld/r2sgld/simulation"
)

// A prepared simulation is one that makes sense.
type prepared struct {
	flags   *simulated
	src     *source
	options simulation.Options
	draws   [][]float64
	of      int // draws of the run
	mode    []float64
	set     []simulation.Value
	noise   bool
	other   *rival
	notes   []string // warnings
}

// A rival is what trajectories are compared with: parameters of a model, or data.
type rival struct {
	name  string
	model *simulation.Model // nil: data
	x     []float64
	data  simulation.Data
	start []float64
}

// prepare checks the flags against the run.
func (s *simulated) prepare(src *source) (*prepared, error) {
	p := &prepared{flags: s, src: src, mode: src.point("mode")}
	from, start, err := src.begin(s)
	if err != nil {
		return nil, err
	}
	times, err := s.grid(src, from)
	if err != nil {
		return nil, err
	}
	solver, err := s.solverOptions(src)
	if err != nil {
		return nil, fmt.Errorf("--solver, --rtol or --atol: %w", err)
	}
	p.options = simulation.Options{From: from, Start: start, Times: times, Solver: solver, Threads: s.threads}
	if err := p.parameters(start); err != nil {
		return nil, err
	}
	p.noteStart()
	if text := disagreement(src.parameters); text != "" {
		p.notes = append(p.notes, text)
	}
	p.noise = s.noise && src.model.Noise != nil
	if s.noise && s.given("noise") && !p.noise {
		return nil, errors.New("--noise: this run knows the noise of the derivatives only, not of the data: " +
			"identify with model.likelihood=trajectory")
	}
	if len(s.truth) > 0 {
		p.other, err = p.truth(start)
	} else if s.against != "" {
		p.other, err = p.against(start)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// parameters chooses them and makes the changes that were asked for.
func (p *prepared) parameters(start []float64) (err error) {
	s, src := p.flags, p.src
	if p.set, err = assignments("set", s.set); err != nil {
		return err
	}
	var index []int
	for _, v := range p.set {
		j, err := src.index("set", v.Name)
		if err != nil {
			return err
		}
		index = append(index, j)
	}
	p.draws, p.of = [][]float64{src.point(s.from)}, 1
	if s.from == "draws" {
		if p.draws, p.of, err = src.draws(s.draws); err != nil {
			return err
		}
	}
	var changed []string
	change := func(j int, v float64) {
		changed = append(changed, fmt.Sprintf("%s = %g", src.run.Model.Parameters[j], v))
		for _, x := range append(p.draws, p.mode) {
			x[j] = v
		}
	}
	for i, v := range p.set {
		change(index[i], v.Value)
	}
	if p.options.From == src.run.Model.InitialTime() {
		for i, state := range src.model.States {
			if j := slices.Index(src.run.Model.Parameters, state+".initial"); j >= 0 && start[i] == start[i] {
				change(j, start[i])
			}
		}
	}
	if len(changed) > 0 {
		return src.inside(strings.Join(changed, ", "), p.draws)
	}
	if s.from != "draws" && src.inside("", p.draws) != nil {
		p.notes = append(p.notes, fmt.Sprintf("the %ss of the parameters, each by itself, together break the constraints of the run: --from draws does not.", s.from))
	}
	return nil
}

// disagreement warns of a run whose ladders disagree; "" if they do not.
func disagreement(ps []report.Parameter) string {
	worst := slices.MaxFunc(ps, func(a, b report.Parameter) int { return cmp.Compare(a.RHat, b.RHat) })
	if !(worst.RHat > 1.01) {
		return ""
	}
	return fmt.Sprintf("%s: R̂ %.3f: the ladders of this run disagree, and trajectories are no better than its draws. Run longer (r2sgld resume).", worst.Name, worst.RHat)
}

// noteStart says where the first row of the data does not tell the start.
func (p *prepared) noteStart() {
	src := p.src
	if p.options.From != src.run.Model.InitialTime() {
		return
	}
	for i, state := range src.model.States {
		if p.options.Start[i] == p.options.Start[i] || slices.Contains(src.run.Model.Parameters, state+".initial") {
			continue
		}
		v := src.data.Values[i]
		if k := slices.IndexFunc(v, func(x float64) bool { return x == x }); k > 0 {
			p.notes = append(p.notes, fmt.Sprintf("the first row of the data has no %s: the start takes that of the time %g. Give --start %s=… if you know better.",
				state, src.data.Time[k], state))
		}
	}
}

// truth is a comparison with known parameters. Of a library, those that are not
// given are 0; initial values and noise are those of the mode unless given.
func (p *prepared) truth(start []float64) (*rival, error) {
	values, err := assignments("truth", p.flags.truth)
	if err != nil {
		return nil, err
	}
	src := p.src
	names := src.run.Model.Parameters
	x := slices.Repeat([]float64{math.NaN()}, len(names))
	for _, v := range values {
		j, err := src.index("truth", v.Name)
		if err != nil {
			return nil, err
		}
		x[j] = v.Value
	}
	var missing []string
	for j, name := range names {
		switch {
		case x[j] == x[j]:
		case strings.HasSuffix(name, ".initial") || strings.HasSuffix(name, ".noise"):
			x[j] = p.mode[j]
		case len(src.run.Resolved.Model.Library) > 0:
			x[j] = 0
		default:
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("--truth lacks %s", strings.Join(missing, ", "))
	}
	return &rival{name: "the truth", model: src.model, x: x, start: start}, nil
}

// against is a comparison with the mode of another run or with data.
func (p *prepared) against(start []float64) (*rival, error) {
	path := p.flags.against
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	if !info.IsDir() {
		d, err := p.src.read(path)
		if err != nil {
			return nil, fmt.Errorf("--against: %w", err)
		}
		for i, v := range d.Values {
			if !slices.ContainsFunc(v, func(x float64) bool { return x == x }) {
				return nil, fmt.Errorf("--against: %s has no data of %s: compare with --truth or another run", path, p.src.model.States[i])
			}
		}
		if d = between(d, p.options.Times); len(d.Time) == 0 {
			return nil, fmt.Errorf("--against: %s has no whole row in the time of the simulation", path)
		}
		return &rival{name: filepath.Base(path), data: d}, nil
	}
	o, err := openSource(path)
	if err != nil {
		return nil, fmt.Errorf("--against: %w", err)
	}
	if !slices.Equal(o.model.States, p.src.model.States) {
		return nil, fmt.Errorf("--against: %s has the states %s, not %s", path, strings.Join(o.model.States, ", "), strings.Join(p.src.model.States, ", "))
	}
	whole := !slices.ContainsFunc(start, math.IsNaN)
	if t := o.run.Model.InitialTime(); t != p.options.From && !whole {
		return nil, fmt.Errorf("--against: %s starts at %g, not at %g: give --start", path, t, p.options.From)
	}
	return &rival{name: o.run.Name + " (" + filepath.Base(path) + ")", model: o.model, x: o.point("mode"), start: start}, nil
}

// between are the rows of data that are whole and lie in the time of the
// simulation, in its order.
func between(d simulation.Data, times []float64) simulation.Data {
	first, last := times[0], times[len(times)-1]
	out := simulation.Data{Values: make([][]float64, len(d.Values))}
	for k, t := range d.Time {
		row := make([]float64, len(d.Values))
		for i := range row {
			row[i] = d.Values[i][k]
		}
		if t < min(first, last) || t > max(first, last) || slices.ContainsFunc(row, math.IsNaN) {
			continue
		}
		out.Time = append(out.Time, t)
		for i, v := range row {
			out.Values[i] = append(out.Values[i], v)
		}
	}
	if last < first {
		slices.Reverse(out.Time)
		for _, v := range out.Values {
			slices.Reverse(v)
		}
	}
	return out
}

// initial says where the state at the start is from.
func (p *prepared) initial() string {
	src, given := p.src, 0
	for _, v := range p.options.Start {
		if v == v {
			given++
		}
	}
	rest := "the first row of the data"
	switch names := src.run.Model.Parameters; {
	case p.options.From != src.run.Model.InitialTime():
		if given = len(p.flags.start); given == 0 {
			return fmt.Sprintf("the data at %g", p.options.From)
		}
		rest = fmt.Sprintf("the data at %g", p.options.From)
	case slices.ContainsFunc(names, func(n string) bool { return strings.HasSuffix(n, ".initial") }):
		rest = "the initial parameters"
	}
	switch {
	case given == 0:
		return rest
	case given >= len(p.options.Start):
		return "as given"
	}
	return "as given, else " + rest
}

// outcome simulates.
func (p *prepared) outcome(ctx context.Context) (*simulation.Outcome, error) {
	r, err := simulation.Run(ctx, p.src.model, p.draws, p.options)
	if err != nil {
		return nil, err
	}
	s := p.flags
	rep := &simulation.Report{Schema: 1, Name: p.src.run.Name, From: s.from, Of: p.of, Seed: s.seed, Set: append([]simulation.Value{}, p.set...), Initial: p.initial(),
		Time: p.src.timeName(), DataEnd: p.src.end(), Level: s.level, Warnings: append([]string{}, p.notes...),
		Solver: simulation.SolverReport{Method: p.options.Solver.Method, RTol: p.options.Solver.RTol, ATol: p.options.Solver.ATol}}
	o := &simulation.Outcome{Report: rep, Result: r, Bands: r.Bands(s.level, p.noise), Mode: p.mode, Data: p.src.data,
		Noise: p.noise, Seed: s.seed, Keep: s.keep}
	rep.Describe(r, o.Bands)
	if p.other != nil {
		if err := p.compare(ctx, o); err != nil {
			return nil, err
		}
	}
	if s.lyapunov {
		if err := p.exponent(ctx, o); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// compare measures the distance from the rival.
func (p *prepared) compare(ctx context.Context, o *simulation.Outcome) error {
	q, ours := p.other, o.Result
	o.Other = &simulation.Other{Name: q.name, Times: p.options.Times}
	if q.model != nil {
		options := p.options
		options.Start = q.start
		r, err := simulation.Run(ctx, q.model, [][]float64{q.x}, options)
		var lost *simulation.Lost
		if err != nil && !errors.As(err, &lost) {
			return fmt.Errorf("%s: %w", q.name, err)
		}
		if lost != nil {
			o.Report.Warnings = append(o.Report.Warnings, fmt.Sprintf("%s: %v.", q.name, lost))
		}
		o.Other.Path = r.Paths[0]
	} else {
		options := p.options
		options.Times = q.data.Time
		r, err := simulation.Run(ctx, p.src.model, p.draws, options)
		if err != nil {
			return err
		}
		ours, o.Other.Times = r, q.data.Time
		for k := range q.data.Time {
			for i := range q.data.Values {
				o.Other.Path = append(o.Other.Path, q.data.Values[i][k])
			}
		}
	}
	o.Parted = ours.Compare(o.Other.Path, p.flags.apart)
	over := o.Parted.Over(p.flags.level)
	o.Report.Comparison = &simulation.Parted{With: q.name, Apart: p.flags.apart, Parting: o.Parted.When(p.flags.level),
		Parted: len(o.Parted.Parting), Of: len(o.Parted.Distances), Final: over[len(over)-1]}
	return nil
}

// exponent measures the largest Lyapunov exponent at the mode.
func (p *prepared) exponent(ctx context.Context, o *simulation.Outcome) error {
	span := 100 * (p.src.end() - p.src.data.Time[0])
	m := p.src.model
	start := make([]float64, len(m.States))
	m.Initial(start, p.mode)
	for i, v := range p.options.Start {
		if v == v {
			start[i] = v
		}
	}
	e, err := simulation.Lyapunov(ctx, m.System(p.mode), p.options.From, start, simulation.LyapunovOptions{Settle: span / 10, Span: span, Solver: p.options.Solver})
	var blown *ode.BlowUp
	switch {
	case errors.As(err, &blown):
		o.Report.Warnings = append(o.Report.Warnings, fmt.Sprintf("no Lyapunov exponent: the trajectory from the mode ends at t = %.6g: %s.", blown.Time, blown.Reason))
		return nil
	case err != nil:
		return err
	}
	o.Report.Lyapunov = &simulation.ExponentFound{Exponent: e.Value, SE: e.SE, Time: e.Time(), Span: e.Span}
	return nil
}
