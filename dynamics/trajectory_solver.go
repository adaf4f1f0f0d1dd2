package dynamics

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/r2sgld/r2sgld/ode"
)

// Errors of the energy by the solver: what is sought, and what is told.
const (
	energyError = 1e-3
	energyWarn  = 1e-2
)

// settleSolver chooses the tolerance: the loosest whose energies about the mode
// differ from those of a tight one by less than energyError, and returns the mode
// with it. A tolerance that the model gives is kept, but a large error is told.
// Factor is found on the way.
func (p *Problem) settleSolver(f *fitter, mode *descent) *descent {
	p.Factor = p.spread(f, mode.x)
	points := p.around(mode.x)
	exact := p.energies(points, ode.Options{Method: ode.DOP853, RTol: 1e-11, ATol: f.t.sizes(1e-11)})
	if p.model.Solver.RTol != 0 || p.model.Solver.ATol != nil {
		if e := farthest(p.energies(points, f.t.options), exact); e > energyWarn {
			p.Warnings = append(p.Warnings, fmt.Sprintf(
				"the solver's tolerance (rtol %.0e) makes errors of %.2g in the log likelihood: take a smaller one", f.t.options.RTol, e))
		}
		return mode
	}
	o := f.t.options
	for _, rtol := range []float64{1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10} {
		o.RTol, o.ATol = rtol, f.t.sizes(rtol)
		if farthest(p.energies(points, o), exact) < energyError {
			break
		}
	}
	f.t.options = o
	f.flow = newFlow(f.t)
	f.t.flows = sync.Pool{}
	if next := f.descend(mode.x, len(p.Time), 20); !math.IsInf(next.u, 1) {
		mode = next
	}
	p.Factor = p.spread(f, mode.x)
	return mode
}

// with is the trajectory with another solver.
func (p *trajectory) with(o ode.Options) *trajectory {
	if o.Steps == 0 {
		o.Steps = p.options.Steps
	}
	return &trajectory{system: p.system, options: o, dim: p.dim, start: p.start, times: p.times, data: p.data,
		lognormal: p.lognormal, initial: p.initial, noise: p.noise, constants: p.constants}
}

// energies are those of points with a solver.
func (p *Problem) energies(points [][]float64, o ode.Options) []float64 {
	t := p.path.with(o)
	f := newFlow(t)
	grad := make([]float64, t.dim)
	out := make([]float64, len(points))
	for i, x := range points {
		out[i] = f.descend(grad, x, 1, 0)
	}
	return out
}

// farthest is the largest difference of finite energies; +Inf where only the
// second is finite.
func farthest(a, b []float64) float64 {
	d := 0.0
	for i, v := range b {
		if !math.IsInf(v, 1) {
			d = max(d, math.Abs(a[i]-v))
		}
	}
	return d
}

// around are x and the points one and a half standard deviations from it along
// each whitened axis, so far as they are in the support.
func (p *Problem) around(x []float64) [][]float64 {
	points := [][]float64{x}
	for k := range x {
		for _, step := range []float64{-1.5, 1.5} {
			y := slices.Clone(x)
			inside := true
			for j := range y {
				y[j] += step * p.Factor[j][k]
				inside = inside && y[j] > p.Lower[j] && y[j] < p.Upper[j]
			}
			if inside {
				points = append(points, y)
			}
		}
	}
	return points
}

// spread is the factor of the posterior's covariance at x.
func (p *Problem) spread(f *fitter, x []float64) [][]float64 {
	d := len(x)
	f.flow.rows = len(p.Time)
	if !f.flow.run(x, 1, 0) {
		return factor(make([]float64, d*d), d)
	}
	h := f.flow.gram(x)
	for j, q := range p.priors {
		if q != nil {
			h[j*d+j] += q.curvature(x[j])
		}
	}
	return factor(h, d)
}
