package dynamics

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
)

// Errors of the energy by the solver: what is sought, what is told, and what does for a
// warm-up: of 80 % of trajectories accepted an error of 0.1 at both ends refuses one more.
const (
	energyError = 2e-3
	energyWarn  = 1e-2
	energyRough = 0.1
)

// settleSolver chooses the method and the tolerance: of each method the loosest
// tolerance whose energies about the mode are those of a tight one but for errors
// of root mean square energyError, and of these the least work. It returns the
// mode with them. A tolerance that the model gives is kept, but a large error is
// told. Factor is found on the way.
func (p *Problem) settleSolver(f *fitter, mode *descent) *descent {
	p.Factor = p.spread(f, mode.x)
	points := p.around(mode.x)
	exact, _ := p.energies(points, ode.Options{Method: ode.DOP853, RTol: 1e-11, ATol: f.t.sizes(1e-11)})
	if p.model.Solver.RTol != 0 || p.model.Solver.ATol != nil {
		got, _ := p.energies(points, f.t.options)
		if e := distance(got, exact); e > energyWarn && f.t.options.RTol > 1e-10 {
			p.Warnings = append(p.Warnings, fmt.Sprintf(
				"the solver's tolerance (rtol %.0e) makes errors of %.2g in the log likelihood: take a smaller one", f.t.options.RTol, e))
		}
		return mode
	}
	f.t.options = p.cheapest(points, exact)
	if p.model.Solver.Steps == 0 {
		f.t.options.Steps = p.patience(mode.x)
	}
	if rough, _ := p.loosest(f.t.options, energyRough, math.Inf(1), points, exact); rough.RTol > f.t.options.RTol {
		f.t.rough = f.t.with(rough)
	}
	f.flow = newFlow(f.t, true)
	f.t.flows = sync.Pool{}
	if next := f.descend(mode.x, len(p.Time), 20); !math.IsInf(next.u, 1) {
		mode = next
	}
	p.Factor = p.spread(f, mode.x)
	return mode
}

// Effort says what a gradient takes, where that is much: a solution of the equations at
// the mode, by how often the solver evaluates them and which it is, or many rows that do
// not come down to sums. It is empty if that is little.
func (p *Problem) Effort() string {
	if p.path == nil {
		return p.rowwise()
	}
	f := newFlow(p.path, false)
	f.descend(make([]float64, len(p.Center)), p.Center, 1, 0)
	if f.work < muchWork {
		return ""
	}
	o := p.path.options
	if f.wasStiff {
		o.Method = ode.LSODA
	}
	return fmt.Sprintf("%d evaluations of the equations a solution (%s, rtol %.0e: model.solver)", f.work, cmp.Or(o.Method, ode.DormandPrince), o.RTol)
}

// muchWork is the number of evaluations a solution from which on a run is slow: a
// million solutions take minutes.
const muchWork = 500

// patience is how many steps a solution may take before another method tries: many
// more than at the mode.
func (p *Problem) patience(x []float64) int {
	f := newFlow(p.path, false)
	f.descend(make([]float64, len(x)), x, 1, 0)
	return min(explicitSteps, max(1000, 50*f.steps))
}

// stiffWork is what an evaluation costs a method for stiff equations, in those of
// an explicit one.
const stiffWork = 3

// cheapest returns the options of least work whose energies are near enough.
func (p *Problem) cheapest(points [][]float64, exact []float64) ode.Options {
	methods := []ode.Method{ode.DormandPrince, ode.DOP853, ode.LSODA}
	if m := p.model.Solver.Method; m != "" {
		methods = []ode.Method{m}
	}
	best, least := p.path.options, math.Inf(1)
	for _, m := range methods {
		o := p.path.options
		o.Method = m
		if o, work := p.loosest(o, energyError, least, points, exact); work < least {
			best, least = o, work
		}
	}
	return best
}

// loosest returns the options of a method with the loosest tolerance whose energies are
// near enough, and their work: +Inf if none is, or not with less work than limit.
func (p *Problem) loosest(o ode.Options, within, limit float64, points [][]float64, exact []float64) (ode.Options, float64) {
	for _, rtol := range []float64{1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9, 1e-10} {
		if o.Method == ode.DOP853 && rtol > 1e-6 {
			continue // its errors are erratic there
		}
		o.RTol, o.ATol = rtol, p.path.sizes(rtol)
		got, work := p.energies(points, o)
		if o.Method == ode.LSODA {
			work *= stiffWork
		}
		if work >= limit {
			break
		}
		if distance(got, exact) < within {
			return o, work
		}
	}
	return o, math.Inf(1)
}

// Rough is the trajectory with a looser tolerance, if one will do for a warm-up.
func (p *trajectory) Rough() potential.Potential {
	if p.rough == nil {
		return p
	}
	return p.rough
}

// with is the trajectory with another solver.
func (p *trajectory) with(o ode.Options) *trajectory {
	if o.Steps == 0 {
		o.Steps = p.options.Steps
	}
	return &trajectory{system: p.system, options: o, dim: p.dim, start: p.start, times: p.times, data: p.data,
		lognormal: p.lognormal, initial: p.initial, noise: p.noise, constants: p.constants, counts: p.counts}
}

// energies are those of points with a solver, and the evaluations that they took.
func (p *Problem) energies(points [][]float64, o ode.Options) (energies []float64, work float64) {
	t := p.path.with(o)
	f := newFlow(t, false)
	grad := make([]float64, t.dim)
	for _, x := range points {
		energies = append(energies, f.descend(grad, x, 1, 0))
		work += float64(f.work)
	}
	return energies, work
}

// distance is the root mean square of the differences of energies that are both
// finite; +Inf if none is, or only the second.
func distance(a, b []float64) float64 {
	sum, n := 0.0, 0.0
	for i, v := range b {
		if !math.IsInf(v, 1) {
			sum, n = sum+(a[i]-v)*(a[i]-v), n+1
		}
	}
	return math.Sqrt(sum / n)
}

// around are x and draws from the normal law about it with the posterior's
// spread, so far as they are in the support.
func (p *Problem) around(x []float64) [][]float64 {
	const draws = 32
	rng := rand.New(rand.NewPCG(1, 3))
	points := [][]float64{x}
	for range draws {
		y := slices.Clone(x)
		for k := range x {
			z := rng.NormFloat64()
			for j := range y {
				y[j] += z * p.Factor[j][k]
			}
		}
		inside := true
		for j, v := range y {
			inside = inside && v > p.Prior.Lower[j] && v < p.Prior.Upper[j]
		}
		if inside {
			points = append(points, y)
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
	p.Prior.AddCurvature(h, x)
	return factor(h, d)
}
