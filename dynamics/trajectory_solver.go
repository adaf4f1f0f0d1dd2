package dynamics

import (
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
func (f *fitter) settleSolver(mode *descent) *descent {
	f.Factor = f.spread(mode.x)
	points := f.around(mode.x)
	exact, _ := f.energies(points, ode.Options{Method: ode.DOP853, RTol: 1e-11, ATol: f.t.sizes(1e-11)})
	if f.model.Solver.RTol != 0 || f.model.Solver.ATol != nil {
		got, _ := f.energies(points, f.t.options)
		if e := distance(got, exact); e > energyWarn && f.t.options.RTol > 1e-10 {
			f.Warnings = append(f.Warnings, fmt.Sprintf(
				"the solver's tolerance (rtol %.0e) makes errors of %.2g in the log likelihood: take a smaller one", f.t.options.RTol, e))
		}
		return mode
	}
	f.t.options = f.cheapest(points, exact)
	if f.model.Solver.Steps == 0 {
		f.t.options.Steps = f.patience(mode.x)
	}
	if rough, _ := f.loosest(f.t.options, energyRough, math.Inf(1), points, exact); rough.RTol > f.t.options.RTol {
		f.t.rough = f.t.with(rough)
	}
	f.flow = newFlow(f.t)
	f.t.solved = sync.Pool{}
	if next := f.descend(mode.x, len(f.Time), 20); !math.IsInf(next.u, 1) {
		mode = next
	}
	f.Factor = f.spread(mode.x)
	return mode
}

// patience is how many steps a solution may take before another method tries: many
// more than at the mode.
func (f *fitter) patience(x []float64) int {
	e := newSolutions(f.t, 1)
	e.Eval(make([]float64, 1), make([]float64, len(x)), x)
	return min(explicitSteps, max(1000, 50*e.steps))
}

// stiffWork is what an evaluation costs a method for stiff equations, in those of
// an explicit one.
const stiffWork = 3

// cheapest returns the options of least work whose energies are near enough.
func (f *fitter) cheapest(points [][]float64, exact []float64) ode.Options {
	methods := []ode.Method{ode.DormandPrince, ode.DOP853, ode.LSODA}
	if m := f.model.Solver.Method; m != "" {
		methods = []ode.Method{m}
	}
	best, least := f.t.options, math.Inf(1)
	for _, m := range methods {
		o := f.t.options
		o.Method = m
		if o, work := f.loosest(o, energyError, least, points, exact); work < least {
			best, least = o, work
		}
	}
	return best
}

// loosest returns the options of a method with the loosest tolerance whose energies are
// near enough, and their work: +Inf if none is, or not with less work than limit.
func (f *fitter) loosest(o ode.Options, within, limit float64, points [][]float64, exact []float64) (ode.Options, float64) {
	for _, rtol := range []float64{1e-4, 3e-5, 1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 1e-8, 1e-9, 1e-10} {
		if o.Method == ode.DOP853 && rtol > 1e-6 {
			continue // its errors are erratic there
		}
		o.RTol, o.ATol = rtol, f.t.sizes(rtol)
		got, work := f.energies(points, o)
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
func (f *fitter) energies(points [][]float64, o ode.Options) (energies []float64, work float64) {
	t := f.t.with(o)
	r := len(points)
	x, energies := make([]float64, t.dim*r), make([]float64, r)
	for i, point := range points {
		for j, v := range point {
			x[j*r+i] = v
		}
	}
	e := newSolutions(t, r)
	e.Eval(energies, make([]float64, len(x)), x)
	return energies, float64(e.work)
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
func (f *fitter) around(x []float64) [][]float64 {
	const draws = 32
	rng := rand.New(rand.NewPCG(1, 3))
	points := [][]float64{x}
	for range draws {
		y := slices.Clone(x)
		for k := range x {
			z := rng.NormFloat64()
			for j := range y {
				y[j] += z * f.Factor[j][k]
			}
		}
		inside := true
		for j, v := range y {
			inside = inside && v > f.Prior.Lower[j] && v < f.Prior.Upper[j]
		}
		if inside {
			points = append(points, y)
		}
	}
	return points
}

// spread is the factor of the posterior's covariance at x.
func (f *fitter) spread(x []float64) [][]float64 {
	d := len(x)
	f.flow.rows = len(f.Time)
	if !f.flow.run(x, 1, 0) {
		return factor(make([]float64, d*d), d)
	}
	h := f.flow.gram()
	f.Prior.AddCurvature(h, x)
	return factor(h, d)
}
