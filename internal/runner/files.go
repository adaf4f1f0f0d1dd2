package runner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/figure"
	"github.com/r2sgld/r2sgld/internal/job"
	"github.com/r2sgld/r2sgld/internal/report"
	"github.com/r2sgld/r2sgld/internal/store"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
)

// description is all that the store needs to know of the draws to come.
func (x *execution) description() *store.Run {
	s := x.Settings
	d := &store.Run{Names: x.Problem.ReportedNames(), Temperature: s.Temperature, BurnIn: s.BurnIn, Thin: s.Thin,
		Model: x.Name, Seed: s.Seed, Version: r2sgld.Version, Unequal: s.Inside}
	if p := x.left(); p != nil {
		d.Beside = func() func(x []float64) float64 {
			e, u, g := p.Evaluator(1, nil), []float64{0}, make([]float64, p.Dim())
			return func(x []float64) float64 {
				e.Eval(u, g, x)
				return u[0]
			}
		}
	}
	if m := x.Model; m != nil {
		of := func(name string, values []float64) store.Array {
			return store.Array{Name: name, Dims: []string{"time"}, Shape: []int{len(values)}, Values: values}
		}
		observed := store.Group{Name: "observed_data", Arrays: []store.Array{of("time", m.Time)}}
		for _, r := range m.Responses {
			observed.Arrays = append(observed.Arrays, of(r.Label, atTimes(m.Time, r)))
		}
		d.Groups = append(d.Groups, observed)
	}
	return d
}

// left is −log of the density of the priors where energies leave it out, being relative to a base law;
// nil where they do not, and where it is not known.
func (x *execution) left() potential.Potential {
	switch {
	case x.Problem.Base == nil:
	case x.Rows != nil:
		return x.Rows.Priors
	case x.Model != nil:
		return x.Model.Prior
	}
	return nil
}

// atTimes lines up what a response observes with all times; it is NaN elsewhere.
func atTimes(times []float64, r dynamics.Response) []float64 {
	if len(r.Observed) == len(times) {
		return r.Observed
	}
	out := make([]float64, len(times))
	k := 0
	for t, at := range times {
		out[t] = math.NaN()
		if k < len(r.Time) && r.Time[k] == at {
			out[t] = r.Observed[k]
			k++
		}
	}
	return out
}

// level is that of the intervals in figures, in percent.
const level = 90

// figures draws and writes every figure of the run and returns their names.
func (x *execution) figures(ctx context.Context, res *r2sgld.Result, sum *report.Summary) ([]string, error) {
	if x.Bare { // those of other draws, if there were any, are not left
		return nil, x.folder.Remove("figures", func(string) bool { return true })
	}
	drawn := job.Pictures{Write: x.folder.WriteFile}
	var failed error
	add := func(name string, f *figure.Figure, err error) {
		if failed != nil {
			return
		}
		if failed = drawn.Add(ctx, name, f, err); failed == nil {
			x.work.Doing(fmt.Sprintf("figures (%d written)", len(drawn.Names)))
		}
	}
	shown := x.shown(sum.Parameters)
	shown = shown[:min(len(shown), figure.MostPanels)]
	ladders, flat := make([]figure.Ladders, len(shown)), make([][]float64, len(shown))
	ess := make([]float64, len(shown))
	for i, k := range shown {
		chains := res.Chains(k)
		ladders[i] = figure.Ladders{Axis: figure.Axis{Name: sum.Parameters[k].Name}, Draws: chains}
		for _, c := range chains {
			flat[i] = append(flat[i], c...)
			// Of one ladder alone: that of all is small just where ladders disagree.
			ess[i] += diag.ESSBulk([][]float64{c}) / float64(len(chains))
		}
	}
	size := figure.Sample{Draws: sum.Draws, Ladders: sum.Ladders}
	marginals, bandwidths := x.marginals(sum.Parameters, shown)
	size.Shown, size.Of = len(shown), len(sum.Parameters)
	f, err := figure.Marginals(marginals, level, size)
	add("marginals", f, err)
	if n := min(len(shown), figure.MostPairs); n > 1 {
		size.Shown = n
		q := x.pairs(shown[:n], marginals, bandwidths[:n], flat[:n], size)
		if n == 2 && len(sum.Parameters) == 2 {
			q.Minima, q.Weight = minima(x.audit, shown)
		}
		f, err = figure.PairPlot(q)
		add("pairs", f, err)
	}
	f, err = figure.Traces(ladders)
	add("trace", f, err)
	f, err = figure.Ranks(ladders, finiteOrNil(ess))
	add("ranks", f, err)
	x.ladderFigures(res, add)
	f, err = figure.Disconnectivity(basins(x.audit))
	add("modes", f, err)
	x.dataFigures(ctx, res, sum.Parameters, add)
	sum.Warnings = append(sum.Warnings, drawn.Warnings...)
	return drawn.Names, failed
}

// dataFigures draws what a model says of its data.
func (x *execution) dataFigures(ctx context.Context, res *r2sgld.Result, ps []report.Parameter,
	add func(name string, f *figure.Figure, err error)) {
	if x.Model != nil {
		var draws []float64
		for _, l := range res.Ladders {
			draws = append(draws, l.X[0]...)
		}
		f, err := x.fit(ctx, draws, ps)
		add("fit", f, err)
		f, err = x.residuals(draws, ps)
		add("residuals", f, err)
	}
	if x.predicted != nil {
		f, err := figure.Predictive(x.predicted[:min(len(x.predicted), figure.MostPanels)], level)
		add("predictive", f, err)
		if all := x.rowResiduals(); all != nil {
			f, err = figure.Residuals(all, figure.Axis{Name: "predicted mean"})
			add("residuals", f, err)
		}
	}
}

// finite reports whether all of v are numbers.
func finite(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x-x != 0 })
}

// finiteOrNil returns v, or nil if a number of it is not known.
func finiteOrNil(v []float64) []float64 {
	if !finite(v) {
		return nil
	}
	return v
}

// shown are the places of the parameters that figures show, in their order.
func (j *Job) shown(params []report.Parameter) []int {
	out := make([]int, len(params))
	for i := range out {
		out[i] = i
	}
	if j.Shown != nil {
		out = out[:len(j.Shown)]
		for i, name := range j.Shown {
			out[i] = slices.IndexFunc(params, func(p report.Parameter) bool { return p.Name == name })
		}
	}
	return out
}

// unseen says how many parameters figures show, if not all, and how to see others.
func (j *Job) unseen(params []report.Parameter) string {
	shown := j.shown(params)
	pairs := shown[:min(len(shown), figure.MostPairs)]
	var others []string
	for i, p := range params {
		if !slices.Contains(pairs, i) {
			others = append(others, p.Name)
		}
	}
	if others == nil {
		return ""
	}
	others = append(others, params[pairs[0]].Name)[:2]
	for i, n := range others {
		if strings.ContainsAny(n, "[]{},:#\"'&*!|>%@`") {
			others[i] = strconv.Quote(n)
		}
	}
	return fmt.Sprintf("   of %d parameters marginals show %d and pairs %d; others: r2sgld resume %s --set %s\n",
		len(params), min(len(shown), figure.MostPanels), len(pairs), text.Word(j.Dir), text.Word(
			"figures.parameters=["+strings.Join(others, ", ")+"]"))
}

// marginals returns the densities of the parameters at these places, for figures,
// and their bandwidths: those of the summary.
func (j *Job) marginals(params []report.Parameter, shown []int) ([]figure.Marginal, []float64) {
	lo, hi := domain.BoundsOf(j.Problem.Reported(), len(params))
	out, bandwidths := make([]figure.Marginal, len(shown)), make([]float64, len(shown))
	for i, at := range shown {
		p := params[at]
		k := p.Density()
		bandwidths[i] = k.Bandwidth
		out[i] = figure.Marginal{Axis: figure.Axis{Name: p.Name}, X: k.X, Density: k.F, Mode: p.Mode,
			Interval: [2]float64{p.Q5, p.Q95}, Bounds: [2]float64{lo[at], hi[at]}}
	}
	return out, bandwidths
}

// pairs are those of the parameters at these places, the first of the marginals.
func (j *Job) pairs(shown []int, marginals []figure.Marginal, bandwidths []float64, flat [][]float64, size figure.Sample) figure.Pairs {
	q := figure.Pairs{Draws: flat, Marginals: marginals[:len(shown)], Bandwidth: bandwidths, Sample: size}
	for _, m := range q.Marginals {
		q.Axes = append(q.Axes, m.Axis)
	}
	d := j.Problem.Reported()
	if d == nil {
		return q
	}
	q.Inside = func(i, k int) func(x, y float64) bool { return domain.Section(d, shown[i], shown[k]) }
	if d.Dim() == 2 && domain.Bounded(d) {
		for _, m := range q.Marginals {
			q.View = append(q.View, m.Bounds)
		}
	}
	return q
}
