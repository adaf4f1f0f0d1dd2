package theory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/mesh"
)

// Measure returns the gap of p and what else s asks for. Equal p and s give equal
// results, Seconds aside.
func Measure(ctx context.Context, p Problem, s Settings) (*Result, error) {
	start := time.Now()
	if err := s.Validate(p); err != nil {
		return nil, err
	}
	s = s.filled(p.Domain.Dim())
	process, err := NewProcess(ctx, p, s.Temperature, s.Intensity, s.Grid)
	if err != nil {
		return nil, err
	}
	nan := math.NaN()
	r := &Result{
		Process: process, Cells: len(process.Mesh.Volume), States: process.Chain.Len(), Memory: s.Bytes(float64(len(process.Mesh.Volume))),
		LogSobolev: nan, ConvexBound: nan, Acceleration: nan, Convex: domain.Convex(p.Domain),
	}
	if r.Diameter, err = mesh.Diameter(ctx, p.Domain); err != nil {
		return nil, fmt.Errorf("theory: %w", err)
	}
	steps := []func(context.Context, Settings) error{r.notes, r.spectrum, r.rungs, r.error, r.decay}
	for _, step := range steps {
		if err := step(ctx, s); err != nil {
			if why := process.narrow(); why != "" && ctx.Err() == nil {
				return nil, fmt.Errorf("theory: %s", why)
			}
			return nil, err
		}
	}
	r.convexBound()
	r.Seconds = time.Since(start).Seconds()
	return r, nil
}

// notes says what the grid cannot tell.
func (r *Result) notes(ctx context.Context, _ Settings) (err error) {
	p := r.Process
	r.Notes = p.field.notes(p.Rungs)
	if r.missing, r.missed, err = p.field.missing(ctx, p.Rungs[0]); err != nil {
		return err
	}
	for _, n := range [2]string{r.missing, p.Mesh.Note} {
		if n != "" {
			r.Notes = append(r.Notes, n)
		}
	}
	return nil
}

// spectrum measures eigenvalues and modes.
func (r *Result) spectrum(ctx context.Context, s Settings) error {
	k := min(s.Eigenvalues, r.States-1)
	if k < s.Eigenvalues {
		r.Notes = append(r.Notes, fmt.Sprintf("%d states have %d eigenvalues that are not zero", r.States, k))
	}
	slow, err := spectrum(ctx, r.Process.Chain, k)
	if err != nil {
		return err
	}
	r.Eigenvalues, r.Modes = slow.Values, r.Process.modes(slow)
	r.Gap, r.PoincareConstant = r.Eigenvalues[0], 1/r.Eigenvalues[0]
	return nil
}

// rungs measures each rung by itself, and what swaps add.
func (r *Result) rungs(ctx context.Context, _ Settings) error {
	p := r.Process
	if len(p.Rungs) == 1 {
		r.Rungs = []RungTime{{p.Temperature[0], r.Gap, len(p.Rungs[0].Cell)}}
		return nil
	}
	for _, g := range p.Rungs {
		v, err := gap(ctx, g.Chain)
		if err != nil {
			return err
		}
		r.Rungs = append(r.Rungs, RungTime{g.Temperature, v, len(g.Cell)})
	}
	var err error
	r.Swaps, r.Acceleration, err = p.swaps(ctx, r.Gap)
	return err
}

// error measures the gap on half and a quarter as many cells: how the changes fall tells
// the order, which is 2 where the potential is smooth, and what is left. A last change that
// is much less than such an order has it, as by chance where walls cut cells, tells nothing:
// then the error is as large as the change should have been. Grids that
// miss something and agree know no error.
func (r *Result) error(ctx context.Context, s Settings) error {
	r.GapError = math.NaN()
	g, side := r.Gap, r.Process.Mesh.Side[0]
	var change, ratio [2]float64 // of each halving
	for k := range change {
		grid := max(s.Grid>>(k+1), leastGrid)
		coarse, err := NewProcess(ctx, r.Process.field.problem, s.Temperature, s.Intensity, grid)
		if err != nil || grid == s.Grid>>k {
			break
		}
		h, err := coarse.Gap(ctx)
		switch {
		case ctx.Err() != nil:
			return err
		case err != nil && coarse.narrow() != "":
			continue
		case err != nil:
			return err
		}
		change[k], ratio[k] = math.Abs(g-h), coarse.Mesh.Side[0]/side
		g, side = h, coarse.Mesh.Side[0]
	}
	if ratio[0] == 0 {
		r.Notes = append(r.Notes, "the error of the grid is not known: half as many cells do not resolve the domain")
		return nil
	}
	order := 2.0
	if ratio[1] > 0 && change[1] > 0 {
		order = math.Log(change[1]/change[0]) / math.Log(ratio[1])
	}
	if r.GapError = change[0] / (math.Pow(ratio[0], min(2, max(leastOrder, order))) - 1); order > mostOrder {
		r.GapError = change[1] / math.Pow(ratio[1], 2)
	}
	if r.missing == "" {
		r.GapError = max(r.GapError, 2*r.missed*r.Gap)
	}
	switch {
	case r.missing != "" && r.GapError <= max(coarseError, r.missed/2)*r.Gap: // the grids have not seen it
		r.GapError = math.NaN()
	case r.GapError > coarseError*r.Gap:
		r.Notes = append(r.Notes, fmt.Sprintf("the grid leaves the gap uncertain by %.2g %%: take more cells", 100*r.GapError/r.Gap))
	}
	return nil
}

// leastOrder is the order of convergence where the grids tell a lower one, or none.
const leastOrder = 0.5

// mostOrder is that of changes that still fall as those of order 2.
const mostOrder = 2.3

// coarseError is the relative error of the gap that is worth a note.
const coarseError = 0.02

// decay follows the law from the start asked for.
func (r *Result) decay(ctx context.Context, s Settings) error {
	if s.Decay == nil {
		return nil
	}
	c, err := r.Process.Decay(ctx, *s.Decay)
	if err != nil {
		return err
	}
	r.Decay, r.Bound, r.LogSobolev = c.Distances, c.Bound, c.LogSobolev
	r.Notes = append(r.Notes, c.Notes...)
	if r.Swaps != nil {
		r.Swaps.Chi2, r.Swaps.W2 = c.Chi2, c.W2
	}
	if slices.Contains(s.Decay.Of, "w2") {
		if r.W2Is = "upper bound"; r.Process.ExactW2() {
			r.W2Is = "exact"
		}
	}
	return nil
}

// convexBound fills ConvexBound where there is one.
func (r *Result) convexBound() {
	switch {
	case !r.Convex:
		r.Notes = append(r.Notes, "the domain is not known to be convex: no gap is promised for its diameter alone")
	case r.Process.field.flat():
		r.ConvexBound = r.Process.Temperature[0] * math.Pi * math.Pi / (r.Diameter * r.Diameter)
	}
}
