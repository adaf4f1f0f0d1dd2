package config

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/config/sampler"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/prior"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// begin says where a run begins, in which coordinates and with which whitening: standard ones, if not nil.
func (f *fitReader) begin(s *Run, p *rows.Posterior, mode *modes.Mode, standard *standardised) error {
	var whitening *r2sgld.Whitening
	var coordinates func(y, x []float64) // of the chart; nil without
	if mode != nil {
		whitening = &r2sgld.Whitening{Center: mode.X, L: mode.L}
	}
	chart := f.chart(p, mode)
	base := standard != nil || chart == nil && f.based(s, p)
	switch at := f.Node.Field("init"); {
	case chart == nil && !base && f.Sampler.Init == sampler.FromPrior:
		f.Report(at, "init: prior needs method auto, and a prior for every parameter that can be drawn from: give a point")
	case (chart != nil || base) && f.Sampler.Init == sampler.FromUniform:
		f.Report(at, "a fit whose parameters all have priors starts from these: drop init, or write init: prior")
	case chart != nil:
		s.Problem, whitening = f.charted(p.Potential, p.Prior, mode.X, mode.L, chart)
		f.sorted(&s.Problem, p, chart)
		f.roomInPriors(s.Problem)
		coordinates = chart.Coordinates
		fallthrough
	case base:
		if standard != nil {
			s.Problem, coordinates = standard.Problem, standard.chart.Coordinates
			whitening = &r2sgld.Whitening{Center: standard.mode.X, L: standard.mode.L}
		}
		if f.Sampler.Init == nil {
			f.Sampler.Init = sampler.FromPrior
		}
	case f.Sampler.Init != nil:
	case mode == nil:
		f.settleInit(s.Problem)
	default:
		x := mode.X
		if slice := f.region.Slice; slice != nil {
			x = make([]float64, len(f.names))
			slice.Full(x, mode.X)
		}
		f.Sampler.Init = named(f.names, x)
	}
	if err := f.Problems.Err(); err != nil {
		return err
	}
	f.whiten(whitening)
	f.settle(s, []float64{1, 3}, 100_000, 10_000, 10)
	if err := f.Problems.Err(); err != nil {
		return err
	}
	f.startsInChart(s, coordinates)
	return nil
}

// whiten has a run move in the coordinates of a whitening, unless it is not to.
func (l *loader) whiten(by *r2sgld.Whitening) {
	if l.Sampler.Whiten == nil || *l.Sampler.Whiten {
		l.white = by
	}
}

// chart are the coordinates in which the priors are the law that ladders begin at; nil
// where there is none.
func (f *fitReader) chart(p *rows.Posterior, mode *modes.Mode) *prior.Chart {
	if mode == nil || !p.Proper || !f.Traits().Metropolis || !f.Method.Auto() {
		return nil
	}
	sd := make([]float64, len(f.names))
	for j, row := range mode.L {
		for _, v := range row {
			sd[j] = math.Hypot(sd[j], v)
		}
	}
	lo, hi := f.region.Room()
	return p.Prior.Chart(mode.X, sd, lo, hi)
}

// based has ladders begin at the priors where some are of other parameters, or of a simplex beside what
// is not bounded, or with peaks at its walls, unless walls leave next to nothing of them.
func (f *fitReader) based(s *Run, p *rows.Posterior) bool {
	if !f.Traits().Metropolis || !f.Method.Auto() || f.region.Slice != nil && bounded(f.region.Domain) && !p.Peaked() {
		return false
	}
	of := r2sgld.Problem{Names: f.names}
	if of.Base, of.Potential = p.Base(f.region.Room()); of.Base == nil {
		return false
	}
	f.sorted(&of, p, nil)
	with := f.target(of.Potential)
	with.Base = of.Base
	if f.region.Slice != nil {
		with.Base = &r2sgld.Base{Potential: f.target(of.Base.Potential).Potential, LogMass: of.Base.LogMass,
			Draw: func(y []float64, rng *rand.Rand) {
				x := make([]float64, len(f.names))
				of.Base.Draw(x, rng)
				for _, shares := range p.Equations {
					lift(x, shares)
				}
				f.region.Slice.Reduced(y, x)
			}}
	}
	if _, err := with.Reference(f.programs.Context); err != nil {
		return false
	}
	s.Problem = with
	return true
}

// leastShare is the least share that the coordinates of a slice, in which rounding is that of 1, tell from 0, per
// share of its simplex.
const leastShare = 0x1p-50

// lift has shares that add up to 1 keep so far from 0 that those which round to it do not lie beyond the wall.
func lift(x []float64, shares []int) {
	sum, least := 0.0, leastShare*float64(len(shares))
	for _, j := range shares {
		x[j] = max(x[j], least)
		sum += x[j]
	}
	for _, j := range shares {
		x[j] /= sum
	}
}

// sorted has the base law of a problem keep the orders of parameters whose entries have one law:
// its draws are sorted, and it is normalised where they are. Few draws would be in order
// by themselves.
func (f *fitReader) sorted(s *r2sgld.Problem, p *rows.Posterior, chart *prior.Chart) {
	alike, log := p.Alike(f.region.Room())
	if len(alike) == 0 {
		return
	}
	add := func(u potential.Potential, v float64) potential.Potential {
		constant, err := potential.Formula(strconv.FormatFloat(v, 'g', -1, 64), f.names...)
		if err == nil {
			u, err = potential.Sum(u, constant)
		}
		if err != nil {
			f.ReportBare(f.root.Field("model").Key("parameters"), "%v", err)
		}
		return u
	}
	base := *s.Base
	draw := base.Draw
	base.Potential, base.LogMass = add(base.Potential, log), base.LogMass+log
	base.Draw = func(y []float64, rng *rand.Rand) {
		draw(y, rng)
		if chart == nil {
			rows.Sort(y, alike)
			return
		}
		x := make([]float64, len(y))
		chart.Point(x, y)
		rows.Sort(x, alike)
		chart.Coordinates(y, x)
	}
	s.Base, s.Potential = &base, add(s.Potential, -log)
}

// modes are the minima of −log density that descents from the priors, and from around a
// point inside, lead to, the deepest first, with the normal law there, and where they were looked for; none
// where its matrix would take longer than the run.
func (f *fitReader) modes(p r2sgld.Problem, of *rows.Posterior) (modes.Target, []modes.Mode, error) {
	d := p.Potential.Dim()
	if d > mostFitted {
		return modes.Target{}, nil, nil
	}
	t := modes.Target{Energy: p.Potential, Domain: p.Domain, Flat: 1e-6}
	for j := range d {
		w := 1.0
		if f.region.Slice == nil && of.Prior.Cut[j] != nil {
			w = (of.Prior.Cut[j].X(0.75) - of.Prior.Cut[j].X(0.25)) / 1.35
		}
		t.Width = append(t.Width, w)
	}
	s, err := modes.Find(f.programs.Context, t, f.scattered(p, of), modeStarts, modeStarts, 1)
	if err != nil {
		return t, nil, err
	}
	slices.SortStableFunc(s.Modes, func(a, b modes.Mode) int { return cmp.Compare(a.Energy, b.Energy) })
	return t, s.Modes, nil
}

// scattered draws points of the domain from the priors and around one inside. They do not depend
// on init, which a run sets to the mode that a search from them finds: its resolved configuration
// finds the same mode.
func (f *fitReader) scattered(p r2sgld.Problem, of *rows.Posterior) func(x []float64) error {
	inner, tries := f.reduced(f.somewhere()), 0
	alike, _ := of.Alike(f.region.Room())
	rng := &stream.New(1, priorLadder).Of(0, stream.Start).Rand
	return func(x []float64) error {
		scale := 0.01 * math.Pow(2, float64(tries%12))
		full := f.somewhere()
		for j := range full {
			if q := of.Prior.Cut[j]; q != nil && tries > 0 {
				full[j] = q.X(0.05 + 0.9*rng.Float64())
			} else if tries > 0 {
				full[j] += scale * rng.NormFloat64()
			}
		}
		rows.Sort(full, alike)
		copy(x, f.reduced(full))
		if outside := slices.Clone(x); !toInside(p.Domain, inner, x) && f.region.Inside != nil { // inner lies at a wall
			copy(x, outside)
			toInside(p.Domain, f.reduced(f.region.Inside), x)
		}
		tries++
		return nil
	}
}

// toInside moves x to a point inside d by halves until d holds it, and reports whether it does.
func toInside(d domain.Domain, inside, x []float64) bool {
	for range 60 {
		if d == nil || d.Contains(x) {
			return true
		}
		for j, v := range inside {
			x[j] = (x[j] + v) / 2
		}
	}
	return false
}

// mostFitted is how many coordinates a normal law is fitted in: its matrix takes the cube of
// them.
const mostFitted = 400

// modeStarts is how many descents look for the mode that a run begins at.
const modeStarts = 24
