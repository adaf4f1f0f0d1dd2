package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// The starts of sampler.init and the likelihood that go with coordinates of their
// own.
const (
	fromUniform          = "uniform"
	fromPrior            = "prior"
	trajectoryLikelihood = "trajectory"
)

// charted is the posterior of a model in the coordinates of a chart, and its
// whitening: the priors are the base law, and a ladder tempers the likelihood alone.
// Of the domain r of the parameters what the chart does not hold already is mapped
// to its coordinates.
func (l *loader) charted(p *dynamics.Problem, r *region, chart *prior.Chart) (r2sgld.Problem, *r2sgld.Whitening) {
	out := &region{d: r.d, names: r.names}
	for _, s := range r.surfaces {
		out.surfaces = append(out.surfaces, inChart(s, chart))
	}
	for i, row := range r.rows {
		bent := slices.ContainsFunc(every(r.d), func(j int) bool { return row[j] != 0 && chart.Logarithmic(j) })
		j := r.axis(i)
		switch {
		case !bent:
			out.add(row, r.bounds[i], r.texts[i])
		case j < 0:
			out.surfaces = append(out.surfaces, inChart(planeOf(row, r.bounds[i]), chart))
			out.names = append(out.names, r.texts[i])
		case row[j] > 0:
			out.add(r.unit(j, 1), math.Log(r.bounds[i]/row[j]), r.texts[i])
		} // below, a logarithmic coordinate is bounded by 0 alone
	}
	d, err := out.domain()
	if err != nil {
		l.Report(l.root.Field("model").Key("constraints"), "the domain cannot be built: %v", err)
	}
	y := r2sgld.Problem{Potential: potential.Charted(p.Potential, chart), Domain: d, Names: l.names,
		Base: &r2sgld.Base{Potential: chart.Base(), LogMass: p.Prior.LogMassBox(l.roomOf(r)), Draw: chart.Draw}, Chart: &r2sgld.Chart{Point: chart.Point, Domain: l.domain}}
	if p.Factor == nil {
		return y, nil
	}
	w := &r2sgld.Whitening{Center: make([]float64, r.d)}
	chart.Coordinates(w.Center, p.Center)
	slope := chart.Slopes(p.Center)
	for j, row := range p.Factor {
		w.L = append(w.L, make([]float64, r.d))
		for k, v := range row {
			w.L[j][k] = v / slope[j]
		}
	}
	return y, w
}

// planeOf is a·x ≤ b as a surface.
func planeOf(a []float64, b float64) domain.Surface {
	q, err := domain.NewQuadric(make([]float64, len(a)), -b, a, nil)
	if err != nil {
		panic(err) // rows are finite
	}
	return q
}

// inChart is a surface in the coordinates of a chart.
func inChart(s domain.Surface, chart *prior.Chart) domain.Surface {
	if q, ok := s.(*domain.Quadric); ok {
		return q.InLogarithms(chart.Logarithmic)
	}
	return chartedSurface{s, chart}
}

// A chartedSurface is one whose formula is evaluated at the parameters.
type chartedSurface struct {
	domain.Surface
	chart *prior.Chart
}

func (s chartedSurface) Bind() domain.SurfaceEval {
	return &chartedEval{s.Surface.Bind(), s.chart, make([]float64, s.Dim())}
}

type chartedEval struct {
	g     domain.SurfaceEval
	chart *prior.Chart
	x     []float64
}

func (e *chartedEval) Value(u []float64) float64 {
	e.chart.Point(e.x, u)
	return e.g.Value(e.x)
}

func (e *chartedEval) Gradient(g, u []float64) float64 {
	e.chart.Point(e.x, u)
	v := e.g.Gradient(g, e.x)
	e.chart.Covector(g, e.x)
	return v
}

// roomOf is the box of r, with the upper bounds that constraints on several
// parameters imply: a + b <= 1 of positive ones leaves little of wide priors.
func (l *loader) roomOf(r *region) (lo, hi []float64) {
	lo, hi = r.box()
	if l.domain == nil {
		return lo, hi
	}
	_, implied := domain.BoundsOf(l.domain, r.d)
	for j, h := range implied {
		hi[j] = min(hi[j], h+1e-9*math.Abs(h)) // beyond rounding of the linear program
	}
	return lo, hi
}

// startFromPrior draws a start for every replica from the priors cut to the domain.
func (l *loader) startFromPrior(s *Run, p *dynamics.Problem, r *region) {
	at := l.section.Field("init")
	chart := p.Chart(l.roomOf(r))
	if chart == nil {
		l.withoutPriors(at, p, r)
		return
	}
	rng := &stream.New(s.Settings.Seed, priorLadder).Of(0, stream.Start).Rand
	y := make([]float64, len(l.names))
	for range s.Settings.Ladders {
		var states [][]float64
		for range s.Settings.Temperature {
			x := make([]float64, len(y))
			inside := false
			for range priorTries {
				chart.Draw(y, rng)
				chart.Point(x, y)
				if inside = l.domain == nil || l.domain.Contains(x); inside {
					break
				}
			}
			if !inside {
				l.Report(at, "none of %d draws from the priors meets the constraints: give init as a point", priorTries)
				return
			}
			states = append(states, x)
		}
		s.Settings.States = append(s.Settings.States, states)
	}
}

// from is where a run starts, or the middle of where it does.
func (l *loader) from() []float64 {
	if l.sampler.Init == fromPrior {
		return l.center
	}
	return l.start()
}

const (
	priorLadder = 1 << 42 // a ladder that no run has; its stream draws starts
	priorTries  = 100_000
)

// withoutPriors reports why there is no drawing from the priors: parameters that have
// neither a prior nor bounds on both sides, or data far from the priors.
func (l *loader) withoutPriors(at *yamlpos.Node, p *dynamics.Problem, r *region) {
	lo, hi := r.box()
	var names []string
	for j, name := range l.names {
		if p.Prior.Cut[j] == nil && math.IsInf(hi[j]-lo[j], 1) {
			names = append(names, name)
		}
	}
	if names == nil {
		l.Report(at, "init: prior needs data that do not contradict the priors")
		return
	}
	l.Report(at, "init: prior needs a prior (model.priors), or bounds on both sides (model.constraints), for every parameter: there is none for %s", strings.Join(names, ", "))
}

// roomInPriors reports constraints that leave next to nothing of the priors, by the
// one that does so alone, if any does.
func (l *loader) roomInPriors(y r2sgld.Problem, r *region, chart *prior.Chart) {
	if len(l.Problems) > 0 {
		return
	}
	if _, err := y.Reference(l.programs.Context); err == nil {
		return
	}
	rng := &stream.New(1, priorLadder).Of(0, stream.Start).Rand
	u, x := make([]float64, r.d), make([]float64, r.d)
	texts, surfaces := append(slices.Clone(r.texts), r.names...), []domain.SurfaceEval{}
	for i, row := range r.rows {
		surfaces = append(surfaces, planeOf(row, r.bounds[i]).Bind())
	}
	for _, s := range r.surfaces {
		surfaces = append(surfaces, s.Bind())
	}
	met, all := make([]int, len(texts)), 0
	for range priorTries {
		chart.Draw(u, rng)
		chart.Point(x, u)
		together := true
		for i := range texts {
			inside := surfaces[i].Value(x) <= 0
			if together = together && inside; inside {
				met[i]++
			}
		}
		if together {
			all++
		}
	}
	what := "all constraints"
	if i := slices.IndexFunc(met, func(n int) bool { return n <= 2*all }); i >= 0 {
		what = strconv.Quote(texts[i])
	}
	l.ReportBare(l.root.Field("model").Key("constraints"), "%d of %d draws from the priors meet %s: next to nothing of the priors is left; loosen the constraint, or give priors that agree with it", all, priorTries, what)
}
