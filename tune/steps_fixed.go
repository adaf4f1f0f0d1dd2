package tune

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
)

// What step sizes for given temperatures are made of.
const (
	pilotPoints  = 256  // at which the potential is measured
	curvedPoints = 8    // of them, which show that a step size fits
	pilotBias    = 0.05 // step size times curvature: twice the relative bias of a variance
	restarts     = 100  // tries of a start where the potential is not finite
	pilotWidth   = 0.1  // largest noise of a step, in widths of the domain
)

// Steps measures step sizes for given temperatures, without a run: at points of
// the uniform law (around start if that is given) the largest curvature is sought
// along directions that begin at random, and η is pilotBias over a high quantile
// of it under the law of the rung, or over the steepness of the density at its
// walls if that is larger, limited so that the noise √(2ητ) of a step stays below
// a tenth of the domain's smallest width.
func Steps(ctx context.Context, p r2sgld.Problem, temperature, start []float64, seed uint64) ([]float64, error) {
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	x, err := q.scatter(ctx, p.Domain, start, d)
	if err != nil {
		return nil, err
	}
	seen := q.around(x, d, nil)
	if len(seen) == 0 {
		return nil, cmp.Or(q.failed, q.notFinite(pilotPoints, start != nil))
	}
	widest := math.Inf(1)
	if p.Domain != nil && domain.Bounded(p.Domain) {
		widest = min(pilotWidth*narrowest(p.Domain, x, start != nil), crossings*thickness(across(p.Domain, x, q.rng()), nil))
	}
	var steps []float64
	for i, tau := range temperature {
		beta := 1 / tau
		if beta == 0 {
			steps = append(steps, Readable(widest*widest/2))
			continue
		}
		stiff := stiffness(seen, beta, 0, start == nil)
		walk := widest * widest / (2 * tau) // of which √(2ητ) is widest
		if walk == 0 {
			return nil, fmt.Errorf("no step size fits temperature %g of rung %d: its steps would be below all numbers. .inf is the "+
				"temperature of the uniform law", tau, i+1)
		}
		eta := Readable(min(pilotBias/stiff, walk))
		if !(eta > 0) || math.IsInf(eta, 0) {
			return nil, unfit(seen, stiff)
		}
		steps = append(steps, eta)
	}
	return steps, nil
}

// unfit says why no step size fits a stiffness: slopes without curvature are those of a law
// that may be far narrower than the surroundings of the start, where points are sought.
func unfit(seen []point, stiff float64) error {
	steepest := 0.0
	for _, p := range seen {
		for _, s := range p.slope {
			steepest = max(steepest, math.Abs(s))
		}
	}
	if width := 1 / steepest; stiff == 0 && width < pilotBias {
		return fmt.Errorf("no step size fits the potential about the start, which has no curvature there and slopes of %.2g, as those of "+
			"a law about %.2g wide: bound the domain by numbers of that size, or measure in units of it", steepest, width)
	}
	return fmt.Errorf("no step size fits the curvature %g of the potential: give sampler.step_size, or bound the domain", stiff)
}

// Curved reports an error if [Steps] around start, of an unbounded domain, would. It looks
// at a few points where these suffice.
func Curved(ctx context.Context, p r2sgld.Problem, start []float64, seed uint64) error {
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	x, err := q.scatter(ctx, p.Domain, start, d)
	if err != nil {
		return err
	}
	if seen := q.around(x[:curvedPoints*d], d, nil); len(seen) > 0 {
		if eta := pilotBias / stiffness(seen, 1, 0, start == nil); eta > 0 && !math.IsInf(eta, 0) {
			return nil
		}
	}
	_, err = Steps(ctx, p, []float64{1}, start, seed)
	return err
}

// Finite reports an error unless the potential is finite at some point where
// [Steps] would look.
func Finite(ctx context.Context, p r2sgld.Problem, start []float64, seed uint64) error {
	q, d := newProbe(p.Potential, seed), p.Potential.Dim()
	x, err := q.scatter(ctx, p.Domain, start, d)
	if err != nil {
		return err
	}
	slopes := q.slopes()
	slopes.first = true
	if len(slopes.around(x, d, nil)) > 0 {
		return nil
	}
	return cmp.Or(slopes.failed, slopes.notFinite(pilotPoints, start != nil))
}

// notFinite says of so many points, of the uniform law or around a start, that the
// potential is finite at none, and at how much of the domain it is at most, but for a chance
// of 5 %.
func (q *probe) notFinite(points int, start bool) error {
	less, advice := fmt.Sprintf(", so that it is on less than %.1f %% of it", 100*(1-math.Pow(0.05, 1/float64(points)))), "bound it more closely by where it is"
	if start {
		less, advice = " around the start", "give a start where it is, or bound the domain more closely by that"
	}
	if q.undefined == points {
		advice += ". It is no number (NaN) at all of them: look at the formula or function first"
	}
	return fmt.Errorf("the potential or its gradient is not finite at any of %d points of the domain%s: %s", points, less, advice)
}

// scatter returns pilotPoints points of the uniform law, or normal ones around
// start that lie in dom.
func (q *probe) scatter(ctx context.Context, dom domain.Domain, start []float64, d int) ([]float64, error) {
	rng := q.stream()
	x := make([]float64, pilotPoints*d)
	draw := func(x []float64) error { return around(dom, start)(x, &rng.Rand) }
	if start == nil {
		if dom == nil {
			return nil, errors.New("the domain is all of R^d: give a starting point")
		}
		law, err := r2sgld.Problem{Domain: dom}.Drawer(ctx)
		if err != nil {
			return nil, fmt.Errorf("no uniform draws on the domain: %w", err)
		}
		draw = func(x []float64) error { return law.Draw(ctx, x, rng) }
	}
	for i := 0; i < len(x); i += d {
		if err := draw(x[i : i+d]); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// Start is x or, where the potential or its gradient is not finite at x, the
// first of 100 points of the domain around it where they are; x if there is none.
// An x that lies on a wall beyond which they are not gives way to inside, a point
// of the interior, unless that is nil or no better.
func Start(p r2sgld.Problem, x, inside []float64) []float64 {
	m := newMeter(newProbe(p.Potential, 1), len(x), nil, 1)
	defer m.close()
	draw, at := around(p.Domain, x), slices.Clone(x)
	for range restarts {
		if m.finite(at) {
			if inside != nil && !m.smooth(at) && m.smooth(inside) {
				return slices.Clone(inside)
			}
			return at
		}
		if err := draw(at, m.rng); err != nil {
			break
		}
	}
	return x
}

// around draws normal points around start that lie in dom, or start itself.
func around(dom domain.Domain, start []float64) func([]float64, *rand.Rand) error {
	return func(x []float64, rng *rand.Rand) error {
		for range 20 {
			for i := range x {
				x[i] = start[i] + rng.NormFloat64()
			}
			if dom == nil || dom.Contains(x) {
				return nil
			}
		}
		copy(x, start)
		return nil
	}
}

// narrowest is the smallest width of a bounded domain: that of its bounds and, if
// the points x fill it, its smallest principal width.
func narrowest(d domain.Domain, x []float64, around bool) float64 {
	lo, hi := domain.BoundsOf(d, d.Dim())
	w := math.Inf(1)
	for i := range lo {
		w = min(w, hi[i]-lo[i])
	}
	if !around && d.Dim() < pilotPoints {
		w = min(w, width(x, d.Dim(), nil))
	}
	return w
}

// Readable rounds v to two digits, so that a person can read it.
func Readable(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v
	}
	return short
}
