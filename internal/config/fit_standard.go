package config

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/modes"
	"github.com/r2sgld/r2sgld/internal/rows"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A standardised problem is a posterior in coordinates whose priors are of no other parameters.
type standardised struct {
	r2sgld.Problem
	chart *rows.Standard
	mode  modes.Mode
}

// mostStandardised is how many rows those coordinates are tried with: of more, groups have so many that
// their entries are known without their priors.
const mostStandardised = 20_000

// standardised is the posterior in standard coordinates, where draws of a law fitted to its modes tell
// more of it there than they do in its own, of whose modes found are; nil where they do not, and where
// there are no such coordinates.
func (f *fitReader) standardised(p *rows.Posterior, own modes.Target, found []modes.Mode) (*standardised, error) {
	if !f.Traits().Metropolis || !f.Method.Auto() || f.region.Slice != nil || p.Labels != nil || p.Likelihood.Rows() > mostStandardised ||
		len(f.names) > mostFitted {
		return nil, nil
	}
	base, left, chart := p.Standard(f.region.Room())
	if chart == nil || f.walled(chart.Scaled()) {
		return nil, nil
	}
	of := r2sgld.Problem{Potential: left, Domain: f.region.Domain, Names: f.names, Base: base,
		Chart: &r2sgld.Chart{Point: chart.Point, Coordinates: chart.Coordinates, Domain: f.region.Domain}}
	f.sorted(&of, p, nil)
	law, err := of.Reference(f.programs.Context)
	if err != nil || f.Problems.Err() != nil {
		return nil, f.Problems.Err()
	}
	energy, err := potential.Sum(of.Potential, of.Base.Potential)
	if err != nil {
		return nil, err
	}
	t := modes.Target{Energy: energy, Domain: of.Domain, Flat: own.Flat, Width: slices.Clone(own.Width)}
	for _, j := range chart.Scaled() {
		t.Width[j] = 1
	}
	ctx, rng := f.programs.Context, &stream.New(1, priorLadder).Of(2, stream.Start).Rand
	s, err := modes.Find(ctx, t, func(x []float64) error { return law.Draw(ctx, x, rng) }, modeStarts, modeStarts, 1)
	if err != nil || len(s.Modes) == 0 {
		return nil, err
	}
	there, err := f.resemblance(t, s.Modes, rng)
	if err != nil {
		return nil, err
	}
	here, err := f.resemblance(own, found, rng)
	if err != nil || here >= there {
		return nil, err
	}
	return &standardised{of, chart, slices.MinFunc(s.Modes, func(a, b modes.Mode) int { return cmp.Compare(a.Energy, b.Energy) })}, nil
}

// resemblance is the effective size of a draw of the law fitted to modes.
func (f *fitReader) resemblance(t modes.Target, found []modes.Mode, rng *rand.Rand) (float64, error) {
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(a, b modes.Mode) int { return cmp.Compare(b.Log, a.Log) })
	fit, err := (&modes.Search{Modes: found}).Fit(f.programs.Context, t, rng)
	if err != nil || fit == nil {
		return 0, err
	}
	return fit.Share, nil
}

// walled reports whether walls speak of some coordinates, or may.
func (f *fitReader) walled(coordinates []int) bool {
	s, err := domain.InequalitiesOf(f.region.Domain)
	if err != nil {
		return true
	}
	return slices.ContainsFunc(coordinates, func(j int) bool {
		return slices.ContainsFunc(s.A, func(a []float64) bool { return a[j] != 0 }) ||
			slices.ContainsFunc(s.Quadratic, func(q domain.Quadratic) bool { return slices.Contains(q.At, j) })
	})
}
