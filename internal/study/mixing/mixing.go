// Package mixing answers whether section 3 of the paper holds: how fast reflected
// replica exchange diffusion mixes, what swaps and the diameter do to that, and what
// the step costs. Everything is computed from generators and transition matrices;
// nothing is sampled.
package mixing

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/study"
)

// Title says what the study is about.
const Title = "The theory: reversibility, decay, acceleration, diameter, step size"

// Results are all numbers of the study.
type Results struct {
	Exact          []Exact         `json:"exact"`
	Reversibility  []Reversibility `json:"reversibility"`
	Decay          []Decay         `json:"decay"`
	Acceleration   Acceleration    `json:"acceleration"`
	Diameter       Diameter        `json:"diameter"`
	Discretisation Discretisation  `json:"discretisation"`
}

// effort is how fine the grids are.
type effort struct {
	exactLine, exactPlane []int // cells along a side
	reversible            int   // cells of an interval, for laws by dense solution
	decayLine, decayPair  int   // cells of an interval; of each of two
	decayPlane            int   // cells of a plane domain; with two rungs a coarser one
	decayPlanes           int
	moments               int       // times at which decay is looked at
	sweepPair             int       // cells of each of two intervals
	sweepPlanes           int       // cells of a plane domain, squared
	pairSteps             int       // step sizes of two rungs
	leastPair             float64   // the smallest
	intensities           int       // of the sweep
	hot                   []float64 // temperatures of the second rung
	wells, slices         []float64 // lengths of intervals
	diameterLine          int
	diameterPlane         int
	diameterPair          int
	sizes                 int // diameters of each family
	polygons              int
	entropyPlane          int     // cells along a side for log-Sobolev constants
	steps                 int     // step sizes of the schemes
	least                 float64 // the smallest
}

// effortOf is that of a scale.
func effortOf(s study.Scale) effort {
	if s == study.Smoke {
		return effort{exactLine: []int{25, 50, 100}, exactPlane: []int{12, 24, 48}, reversible: 20,
			decayLine: 101, decayPair: 31, decayPlane: 30, decayPlanes: 10, moments: 12,
			sweepPair: 30, pairSteps: 3, leastPair: 1e-2, sweepPlanes: 10, intensities: 5, hot: []float64{2, 10, 100},
			wells: []float64{2, 4}, slices: []float64{2, 4, 8},
			diameterLine: 100, diameterPlane: 40, diameterPair: 30, sizes: 5, polygons: 4, entropyPlane: 16, steps: 4, least: 1e-4}
	}
	return effort{exactLine: []int{50, 100, 200, 400, 800}, exactPlane: []int{50, 100, 200, 400}, reversible: 40,
		decayLine: 401, decayPair: 121, decayPlane: 160, decayPlanes: 24, moments: 24,
		sweepPair: 100, pairSteps: 6, leastPair: 2e-3, sweepPlanes: 24, intensities: 13, hot: []float64{2, 3, 5, 10, 20, 50, 100},
		wells: []float64{1, 2, 3, 4, 5}, slices: []float64{1, 2, 3, 4, 6, 8},
		diameterLine: 800, diameterPlane: 160, diameterPair: 120, sizes: 9, polygons: 30, entropyPlane: 40, steps: 9, least: 1e-5}
}

// Run runs the study of the theory (section 3 of the paper). It fails if a
// computation does, or ctx ends.
func Run(ctx context.Context, o study.Options) (*study.Study, error) {
	o = o.NoSmall()
	return o.Conduct(func() (*study.Study, error) { return effortOf(o.Scale).study(ctx, o) })
}

// study computes everything and tells it.
func (e effort) study(ctx context.Context, o study.Options) (*study.Study, error) {
	r, err := e.run(ctx, o)
	if err != nil {
		return nil, err
	}
	s := o.Begin("theory", Title)
	s.Claims, s.Results = r.claims(), r
	s.Effort = fmt.Sprintf("generators on grids of up to %d cells along a side of the plane, two rungs on up to %d × %d cells of an "+
		"interval; no random numbers but those of %d polygons",
		e.exactPlane[len(e.exactPlane)-1], e.decayPair, e.decayPair, e.polygons)
	s.Sections, err = r.sections()
	return s, err
}

// run computes every part, one after the other.
func (e effort) run(ctx context.Context, o study.Options) (*Results, error) {
	r := &Results{}
	for _, part := range []struct {
		what string
		do   func() error
	}{
		{"exact values", part(ctx, o, e.exact, &r.Exact)}, {"reversibility", part(ctx, o, e.reversibility, &r.Reversibility)},
		{"decay", part(ctx, o, e.decay, &r.Decay)}, {"acceleration", part(ctx, o, e.acceleration, &r.Acceleration)},
		{"diameter", part(ctx, o, e.diameter, &r.Diameter)}, {"discretisation", part(ctx, o, e.discretisation, &r.Discretisation)},
	} {
		o.Announce("theory: %s", part.what)
		if err := part.do(); err != nil {
			return nil, fmt.Errorf("%s: %w", part.what, err)
		}
	}
	return r, nil
}

// part computes a part of the results.
func part[T any](ctx context.Context, o study.Options, compute func(context.Context, study.Options) (T, error), into *T) func() error {
	return func() (err error) {
		*into, err = compute(ctx, o)
		return err
	}
}

// each computes n things, each by do, and returns them in order.
func each[T any](ctx context.Context, o study.Options, what string, n int, do func(ctx context.Context, i int) (T, error)) ([]T, error) {
	return study.Gather(ctx, o, "theory: "+what, n, do)
}
