package config

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/dynamics"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/config/yamlpos"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// charted is the posterior of a model in the coordinates of a chart, and its
// whitening: the priors are the base law, and a ladder tempers the likelihood alone.
func (l *loader) charted(u potential.Potential, of *prior.Joint, center []float64, factor [][]float64, chart *prior.Chart) (r2sgld.Problem,
	*r2sgld.Whitening) {
	d, err := l.region.InChart(chart)
	if err != nil {
		l.Report(l.root.Field("model").Key("constraints"), "the domain cannot be built: %v", err)
	}
	y := r2sgld.Problem{Potential: potential.Charted(u, chart), Domain: d, Names: l.names,
		Base:  &r2sgld.Base{Potential: chart.Base(), LogMass: of.LogMassBox(l.region.Room()), Draw: chart.Draw},
		Chart: &r2sgld.Chart{Point: chart.Point, Coordinates: chart.Coordinates, Domain: l.region.Domain}}
	if factor == nil {
		return y, nil
	}
	w := &r2sgld.Whitening{Center: make([]float64, len(l.names))}
	chart.Coordinates(w.Center, center)
	slope := chart.Slopes(center)
	for j, row := range factor {
		w.L = append(w.L, make([]float64, len(l.names)))
		for k, v := range row {
			w.L[j][k] = v / slope[j]
		}
	}
	return y, w
}

// startsInChart takes the points where a run starts to other coordinates; nil leaves them.
func (l *loader) startsInChart(s *Run, coordinates func(y, x []float64)) {
	points := s.Settings.Points()
	if coordinates == nil || points == nil {
		return
	}
	for i, x := range points {
		points[i] = make([]float64, len(x))
		coordinates(points[i], x)
	}
	s.Settings.Start, s.Settings.MoreStarts = points[0], points[1:]
}

// startFromPrior draws a start for every replica from the priors cut to the domain.
func (l *loader) startFromPrior(s *Run, p *dynamics.Problem) {
	at := l.Node.Field("init")
	chart := p.Chart(l.region.Room())
	if chart == nil {
		l.withoutPriors(at, p)
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
				if inside = l.region.Domain == nil || l.region.Domain.Contains(x); inside {
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
	if l.Sampler.Init == sampler.FromPrior {
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
func (l *loader) withoutPriors(at *yamlpos.Node, p *dynamics.Problem) {
	lo, hi := l.region.Box()
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
	l.Report(at, "init: prior needs a prior (model.priors), or bounds on both sides (model.constraints), for every parameter: there is none "+
		"for %s", strings.Join(names, ", "))
}

// roomInPriors reports constraints that leave next to nothing of the priors, by the
// one that does so alone, if any does.
func (l *loader) roomInPriors(y r2sgld.Problem) {
	if len(l.Problems) > 0 {
		return
	}
	if _, err := y.Reference(l.programs.Context); err == nil {
		return
	}
	rng := &stream.New(1, priorLadder).Of(0, stream.Start).Rand
	u, x := make([]float64, len(l.names)), make([]float64, len(l.names))
	texts, walls := l.region.Walls()
	met, all := make([]int, len(texts)), 0
	for range priorTries {
		y.Base.Draw(u, rng)
		y.Chart.Point(x, u)
		together := true
		for i := range texts {
			inside := walls[i].Value(x) <= 0
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
	l.ReportBare(l.root.Field("model").Key("constraints"), "%d of %d draws from the priors meet %s: next to nothing of the priors is left; "+
		"loosen the constraint, or give priors that agree with it", all, priorTries, what)
}
