package config

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// What a measured step size is made of.
const (
	pilotPoints   = 256  // at which the curvature is measured
	pilotPower    = 4    // power iterations towards its largest eigenvalue
	pilotQuantile = 0.9  // of the curvatures: walls may have infinite ones
	pilotBias     = 0.05 // step size times curvature: twice the relative bias of a variance
	pilotWidth    = 0.1  // largest noise of a step, in widths of the domain
	pilotMass     = 4    // effective number of points needed in the mass of the density
)

// bounded reports whether d lies in a finite box.
func bounded(d domain.Domain) bool { return d != nil && domain.Bounded(d) }

// measureSteps sets the step size of every rung from the curvature of u: at
// points of the domain (around the starting point if it is unbounded) the
// largest curvature is sought along directions that begin at random, and η is
// pilotBias over a high quantile of it under the law of the rung, or over the
// steepness of the density at its walls if that is larger, limited so
// that the noise √(2ητ) of a step stays below a tenth of the domain's smallest
// width.
//
// Steps that are given are kept; the potential must then only be finite
// somewhere.
func (l *loader) measureSteps(u potential.Potential) {
	d := u.Dim()
	given := l.sampler.StepSize != nil
	p := pilot{rng: &stream.New(*l.sampler.Seed, 0).Of(0, stream.Pilot).Rand, eval: u.Evaluator(1, nil),
		x: make([]float64, d), v: make([]float64, d), a: make([]float64, d), b: make([]float64, d)}
	draw, ok := l.pilotDraws()
	if !ok {
		return
	}
	points := mat.NewDense(pilotPoints, d, nil)
	var seen []curvature
	for i := range pilotPoints {
		draw(p.x, p.rng)
		points.SetRow(i, p.x)
		c, ok := p.curvature()
		if ok && given {
			return
		}
		if ok {
			seen = append(seen, c)
		}
	}
	if len(seen) == 0 {
		l.Report(l.root.Key("potential"), "the potential or its gradient is not finite at any of %d points of the domain", pilotPoints)
		return
	}
	width := math.Inf(1)
	if bounded(l.domain) {
		width = l.width(points)
	}
	for _, tau := range l.sampler.Temperature {
		eta := pilotBias / max(quantile(seen, tau), steepness(seen, tau))
		if w := pilotWidth * width; 2*eta*tau > w*w {
			eta = w * w / (2 * tau)
		}
		if eta = twoDigits(eta); !(eta > 0) || math.IsInf(eta, 0) {
			l.Report(l.root.Key("potential"), "no step size fits the curvature %g of the potential: give sampler.step_size, or bound the domain",
				quantile(seen, tau))
			return
		}
		l.sampler.StepSize = append(l.sampler.StepSize, eta)
	}
}

// A curvature is what was seen at one point.
type curvature struct {
	value, energy float64
	slope         []float64 // the gradient there
}

// quantile is the high quantile of the curvatures, weighted by exp(-U/τ).
func quantile(seen []curvature, tau float64) float64 {
	slices.SortFunc(seen, func(a, b curvature) int { return cmp.Compare(a.value, b.value) })
	lowest := math.Inf(1)
	for _, c := range seen {
		lowest = min(lowest, c.energy)
	}
	total := 0.0
	for _, c := range seen {
		total += math.Exp((lowest - c.energy) / tau)
	}
	sum := 0.0
	for _, c := range seen {
		if sum += math.Exp((lowest - c.energy) / tau); sum >= pilotQuantile*total {
			return c.value
		}
	}
	return seen[len(seen)-1].value
}

// steepness is the largest mean square of a partial derivative over τ, weighted
// by exp(-U/τ). Away from walls it is a mean curvature (E (∂U)² = τ E ∂²U); where
// walls hold a density that leans on them it is larger, as 1 over the square of
// the width of the layer that the density lives in. It is 0, not known, where too
// few of the points lie in the mass of the density.
func steepness(seen []curvature, tau float64) float64 {
	lowest := math.Inf(1)
	for _, c := range seen {
		lowest = min(lowest, c.energy)
	}
	total, squares, square := 0.0, 0.0, make([]float64, len(seen[0].slope))
	for _, c := range seen {
		w := math.Exp((lowest - c.energy) / tau)
		total += w
		squares += w * w
		for i, g := range c.slope {
			square[i] += w * g * g
		}
	}
	if total*total < pilotMass*squares {
		return 0
	}
	return slices.Max(square) / total / tau
}

// width is the smallest principal width of a bounded domain, that of a box with
// the variance of the points, which are uniform on the domain; at most the
// smallest side of its bounds.
func (l *loader) width(points *mat.Dense) float64 {
	d := l.domain.Dim()
	lo, hi := make([]float64, d), make([]float64, d)
	l.domain.Bounds(lo, hi)
	width := math.Inf(1)
	for i := range lo {
		width = min(width, hi[i]-lo[i])
	}
	var covariance mat.SymDense
	stat.CovarianceMatrix(&covariance, points, nil)
	var e mat.EigenSym
	if d < pilotPoints && l.sampler.start() == nil && e.Factorize(&covariance, false) {
		if v := e.Values(nil)[0]; v > 0 {
			width = min(width, math.Sqrt(12*v))
		}
	}
	return width
}

// twoDigits rounds v to two digits, so that a person can read it.
func twoDigits(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// pilotDraws returns what draws the points of the measurement.
func (l *loader) pilotDraws() (func(x []float64, rng *rand.Rand), bool) {
	start := l.sampler.start()
	if start == nil {
		uniform, err := domain.Uniform(l.domain)
		if err != nil {
			l.Report(l.root.Field("domain"), "no uniform draws on the domain: %v", err)
			return nil, false
		}
		return func(x []float64, rng *rand.Rand) {
			if uniform.Draw(x, rng) != nil {
				copy(x, l.inside)
			}
		}, true
	}
	return func(x []float64, rng *rand.Rand) {
		for range 20 {
			for i := range x {
				x[i] = start[i] + rng.NormFloat64()
			}
			if l.domain == nil || l.domain.Contains(x) {
				return
			}
		}
		copy(x, start)
	}, true
}

// A pilot measures curvatures.
type pilot struct {
	rng    *rand.Rand
	eval   potential.Evaluator
	x, v   []float64
	a, b   []float64
	energy [1]float64
}

// curvature is the norm of the Hessian at x along a direction that a few power
// iterations turn towards the largest one. It reports false if the gradient is
// not finite there.
func (p *pilot) curvature() (curvature, bool) {
	for i := range p.v {
		p.v[i] = p.rng.NormFloat64()
	}
	normalise(p.v)
	h := 0.0
	for _, v := range p.x {
		h = max(h, math.Abs(v))
	}
	h = 1e-5 * max(h, 1e-3)
	c := 0.0
	for range pilotPower {
		if !p.gradient(p.a, h) || !p.gradient(p.b, -h) {
			return curvature{}, false
		}
		for i := range p.v {
			p.v[i] = (p.a[i] - p.b[i]) / (2 * h)
		}
		c = normalise(p.v)
		if c == 0 || math.IsInf(c, 0) || math.IsNaN(c) {
			return curvature{c, p.energy[0], p.slope()}, c == 0
		}
	}
	return curvature{c, p.energy[0], p.slope()}, true
}

// slope is the gradient between the last two that curvature took.
func (p *pilot) slope() []float64 {
	g := make([]float64, len(p.a))
	for i := range g {
		g[i] = 0.5 * (p.a[i] + p.b[i])
	}
	return g
}

// gradient writes ∇U(x + h v) into g and reports whether all of it is finite.
func (p *pilot) gradient(g []float64, h float64) bool {
	for i, v := range p.v {
		p.x[i] += h * v
	}
	p.eval.Eval(p.energy[:], g, p.x)
	for i, v := range p.v {
		p.x[i] -= h * v
	}
	sum := p.energy[0]
	for _, v := range g {
		sum += v
	}
	return sum-sum == 0
}

// normalise scales v to length 1 and returns its length.
func normalise(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum = math.Hypot(sum, x)
	}
	if sum > 0 {
		for i := range v {
			v[i] /= sum
		}
	}
	return sum
}
