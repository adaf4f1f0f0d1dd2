package config

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/rows"
)

// An approach is the way from a point to a wall of the parameters.
type approach struct {
	toward   []float64 // a direction of length 1
	distance float64
	share    float64 // the distance, in widths of the prior there
	goes     string  // what goes where on it
	advice   string
}

const (
	scaleAdvice = "A law of other parameters whose scale may be 0 does that: write m + s*z[group] with z[group]: normal(0, 1) for " +
		"c[group]: normal(m, s), or give the scale a prior that vanishes at 0, such as lognormal"
	correlationAdvice = "A law of rows whose correlations may be 1 does that: write rows by independent numbers, m + s[1]*z[group, 1] and " +
		"k + s[2]*(L[2,1]*z[group, 1] + L[2,2]*z[group, 2]) with z[group, 2]: normal(0, 1), or give L a prior with a larger eta"
	wallAdvice = "Keep it away from there by a wall, or by a prior that vanishes there"
)

// approaches are the ways from x to the ends of supports, and to the surfaces of the balls of correlations.
func approaches(p *rows.Posterior, x []float64) (all []approach) {
	add := func(a approach, width float64) {
		if a.share = a.distance / width; a.distance >= 0 && !math.IsInf(a.distance, 1) {
			all = append(all, a)
		}
	}
	for j, v := range x {
		width, advice := 1.0, [2]string{scaleAdvice, wallAdvice}
		if q := p.Prior.Cut[j]; q != nil {
			width = q.X(0.75) - q.X(0.25)
		}
		if p.Correlates(j) {
			advice = [2]string{correlationAdvice, correlationAdvice}
		}
		for side, wall := range [2]float64{p.Prior.Lower[j], p.Prior.Upper[j]} {
			toward := make([]float64, len(x))
			toward[j] = float64(2*side - 1)
			add(approach{toward: toward, distance: toward[j] * (wall - v), goes: fmt.Sprintf("%s goes to %g", p.Names[j], wall),
				advice: advice[side]}, width)
		}
	}
	for _, of := range p.Balls {
		length, toward, names := 0.0, make([]float64, len(x)), []string(nil)
		for _, j := range of {
			length, names = math.Hypot(length, x[j]), append(names, p.Names[j])
		}
		for _, j := range of {
			toward[j] = x[j] / length
		}
		add(approach{toward: toward, distance: 1 - length, goes: strings.Join(names, ", ") + " go to length 1", advice: correlationAdvice}, 1)
	}
	return all
}

// pole is the nearest wall that the density grows without bound towards where descents ended; nil is none. At a
// minimum the slope is 0, on a wall there the distance is, and at another wall no step leads on: where −log density
// falls towards a wall like the logarithm of the distance to it, or faster, and a step leads on, numbers came to an
// end before the descent. What they ended at may be another wall, that others have to keep up with: one that is
// next to nothing away, where four times as far makes a difference.
func pole(p r2sgld.Problem, of *rows.Posterior, x []float64) (nearest *approach) {
	eval, energy, g := p.Potential.Evaluator(1, nil), make([]float64, 1), make([]float64, len(x))
	eval.Eval(energy, g, x)
	here, found := energy[0], false
	fall := func(a approach, part float64) float64 { // by a part of the way
		on := slices.Clone(x)
		for j, v := range a.toward {
			on[j] += part * a.distance * v
		}
		if p.Domain != nil && !p.Domain.Contains(on) {
			return 0
		}
		eval.Eval(energy, make([]float64, len(x)), on)
		return here - energy[0]
	}
	for _, a := range approaches(of, x) {
		rate := 0.0
		for j, v := range a.toward {
			rate -= a.distance * v * g[j]
		}
		const part = 1e-3
		falls := rate > 0.5 && fall(a, part) > part*rate/2
		if found = found || falls; !falls && !(a.share < nextToNothing && math.Abs(fall(a, -3)) > 0.1) {
			continue
		}
		if nearest == nil || a.share < nearest.share {
			nearest = &a
		}
	}
	if !found {
		return nil
	}
	return nearest
}

// nextToNothing is how far a wall is, in widths of a prior, that descents run into.
const nextToNothing = 1e-4
