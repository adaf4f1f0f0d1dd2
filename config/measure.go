package config

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// What a measured step size is made of.
const (
	pilotPoints   = 64   // at which the curvature is measured
	pilotPower    = 4    // power iterations towards its largest eigenvalue
	pilotQuantile = 0.9  // of the curvatures: walls may have infinite ones
	pilotBias     = 0.05 // step size times curvature: twice the relative bias of a variance
	pilotWidth    = 0.1  // largest noise of a step, in widths of the domain
)

// bounded reports whether d lies in a finite box.
func bounded(d domain.Domain) bool { return d != nil && domain.Bounded(d) }

// measureSteps sets the step size of every rung from the curvature of u: at
// starting points (around the starting point on an unbounded domain) the largest
// curvature is sought along directions that begin at random, and η is
// pilotBias over a high quantile of it, limited so that the noise √(2ητ) of a
// step stays below a tenth of the domain's smallest width.
func (l *loader) measureSteps(u potential.Potential) {
	s := &l.sampler
	streams := stream.New(*s.Seed, 0)
	p := pilot{rng: streams.Of(0, stream.Pilot), eval: u.Evaluator(1, nil),
		x: make([]float64, u.Dim()), v: make([]float64, u.Dim()), a: make([]float64, u.Dim()), b: make([]float64, u.Dim())}
	draw, ok := l.pilotDraws()
	if !ok {
		return
	}
	var curvatures []float64
	for range pilotPoints {
		draw(p.x, p.rng)
		if c, ok := p.curvature(); ok {
			curvatures = append(curvatures, c)
		}
	}
	if len(curvatures) == 0 {
		l.Report(l.root.Field("potential"), "the potential is not finite at any of %d points of the domain", pilotPoints)
		return
	}
	slices.Sort(curvatures)
	c := curvatures[int(pilotQuantile*float64(len(curvatures)-1))]
	width := l.width()
	if c == 0 && math.IsInf(width, 1) {
		l.Report(l.root.Field("potential"), "the potential is flat around the start: give sampler.step_size, or bound the domain")
		return
	}
	for _, tau := range s.Temperature {
		eta := pilotBias / c
		if w := pilotWidth * width; 2*eta*tau > w*w {
			eta = w * w / (2 * tau)
		}
		s.StepSize = append(s.StepSize, twoDigits(eta))
	}
}

// twoDigits rounds v to two digits, so that a person can read it.
func twoDigits(v float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 1, 64), 64)
	if err != nil {
		return v
	}
	return short
}

// width is the smallest side of the domain's box.
func (l *loader) width() float64 {
	width := math.Inf(1)
	if l.domain == nil {
		return width
	}
	lo, hi := make([]float64, l.domain.Dim()), make([]float64, l.domain.Dim())
	l.domain.Bounds(lo, hi)
	for i := range lo {
		width = min(width, hi[i]-lo[i])
	}
	return width
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
	rng     *rand.Rand
	eval    potential.Evaluator
	x, v    []float64
	a, b    []float64
	energyA [1]float64
}

// curvature is the norm of the Hessian at x along a direction that a few power
// iterations turn towards the largest one. It reports false if the gradient is
// not finite there.
func (p *pilot) curvature() (float64, bool) {
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
			return 0, false
		}
		for i := range p.v {
			p.v[i] = (p.a[i] - p.b[i]) / (2 * h)
		}
		c = normalise(p.v)
		if c == 0 || math.IsInf(c, 0) || math.IsNaN(c) {
			return c, c == 0
		}
	}
	return c, true
}

// gradient writes ∇U(x + h v) into g and reports whether all of it is finite.
func (p *pilot) gradient(g []float64, h float64) bool {
	for i, v := range p.v {
		p.x[i] += h * v
	}
	p.eval.Eval(p.energyA[:], g, p.x)
	for i, v := range p.v {
		p.x[i] -= h * v
	}
	sum := p.energyA[0]
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
