package dynamics

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld/ode"
	"github.com/r2sgld/r2sgld/potential"
)

// A fitter goes down the energy of a trajectory by the Levenberg–Marquardt
// method. Parameters whose support is the positive numbers move by factors. One
// solve gives energy, gradient and curvature.
type fitter struct {
	*Problem
	t      *trajectory
	flow   *flow
	priors potential.Evaluator // nil: the likelihood alone
	free   []bool              // by parameter
	moves  []bool              // by factors
}

func (p *Problem) fitter(t *trajectory) *fitter {
	f := &fitter{Problem: p, t: t, flow: newFlow(t), priors: p.Prior.Evaluator(1, nil),
		free: slices.Repeat([]bool{true}, t.dim), moves: make([]bool, t.dim)}
	f.flow.sticky = true
	for j := range f.moves {
		f.moves[j] = p.Prior.Lower[j] == 0 && math.IsInf(p.Prior.Upper[j], 1)
	}
	return f
}

// A descent is a point on the way down, in the coordinates of the steps.
type descent struct {
	x, gradient, curvature []float64
	u                      float64
	value                  float64 // the least energy known in the domain nearby
}

// at evaluates the energy at x.
func (f *fitter) at(x []float64) *descent {
	d := f.t.dim
	e := &descent{x: slices.Clone(x), gradient: make([]float64, d)}
	for j, v := range x {
		if v <= f.Prior.Lower[j] || v >= f.Prior.Upper[j] {
			e.u = math.Inf(1)
			return e
		}
	}
	e.u = f.flow.descend(e.gradient, x, 1, 0)
	if math.IsInf(e.u, 1) {
		return e
	}
	e.curvature = f.flow.gram()
	if f.priors != nil {
		f.addPriors(e)
	}
	for j, by := range f.moves {
		scale := 1.0
		if by {
			scale = x[j]
		}
		if !f.free[j] {
			scale = 0
		}
		e.gradient[j] *= scale
		for k := range d {
			e.curvature[j*d+k] *= scale
			e.curvature[k*d+j] *= scale
		}
	}
	if !finite(e.gradient) || !finite(e.curvature) {
		e.u = math.Inf(1)
	}
	return e
}

func (f *fitter) addPriors(e *descent) {
	d := len(e.x)
	u, grad := make([]float64, 1), make([]float64, d)
	f.priors.Eval(u, grad, e.x)
	e.u += u[0]
	for j, g := range grad {
		e.gradient[j] += g
	}
	f.Prior.AddCurvature(e.curvature, e.x)
}

// gram is the Gauss–Newton curvature of the solution last run: the expected one
// of the noise scales.
func (f *flow) gram() []float64 {
	p := f.p
	n, d, w := p.dim, len(f.y0), len(f.g)
	h := make([]float64, n*n)
	for k, s := range f.scale {
		count := 0
		for t := range f.rows {
			_, slope, ok := f.residual(t*d+k, 0)
			if !ok {
				continue
			}
			count++
			c := slope * slope / (s * s)
			row := f.sens[(t*d+k)*w : (t*d+k+1)*w]
			for a, i := range f.by {
				if i < 0 {
					continue
				}
				for b, j := range f.by {
					if j >= 0 {
						h[i*n+j] += c * row[a] * row[b]
					}
				}
			}
		}
		if j := p.noise[k].index; j >= 0 {
			h[j*n+j] += 2 * float64(count) / (s * s)
		}
	}
	return h
}

// descend goes down from x over the first rows of the data, in at most that many
// steps. It returns where the energy is +Inf at x.
func (f *fitter) descend(x []float64, rows, steps int) *descent {
	f.flow.rows = rows
	here := f.at(x)
	if math.IsInf(here.u, 1) {
		return here
	}
	damping, idle := 1e-3, 0
	for range steps {
		next := here
		for damping < 1e12 {
			if next = f.try(here, damping); next.u <= here.u {
				damping = math.Max(damping/10, 1e-10)
				break
			}
			damping *= 6
		}
		if !(next.u <= here.u) || next == here {
			break
		}
		if idle++; here.u-next.u > 1e-7 {
			idle = 0
		}
		here = next
		if idle == 3 {
			break
		}
	}
	return here
}

// try takes one damped step.
func (f *fitter) try(from *descent, damping float64) *descent {
	bad := &descent{u: math.Inf(1)}
	step, ok := dampedStep(from.curvature, from.gradient, damping)
	if !ok {
		return bad
	}
	x := slices.Clone(from.x)
	for j, s := range step {
		switch {
		case f.moves[j]:
			x[j] *= math.Exp(math.Max(-2, math.Min(s, 2)))
		default:
			x[j] += s
		}
	}
	return f.at(x)
}

// fitTrajectory finds the mode of a trajectory's posterior and completes the
// problem.
func (p *Problem) fitTrajectory(t *trajectory) error {
	if err := p.readPriors(); err != nil {
		return err
	}
	var err error
	if p.Potential, err = p.Prior.Add(t); err != nil {
		return err
	}
	p.Whole = p.Potential
	f, best := p.quickSearch(t)
	if math.IsInf(best.u, 1) {
		return f.nowhere()
	}
	p.Center = f.settleSolver(best).x
	if err := f.exactFit(best.x); err != nil {
		return err
	}
	p.Estimate = p.Center
	if p.Prior.Any() {
		f.priors = nil
		if alone := f.descend(p.Center, len(t.times), 100); !math.IsInf(alone.u, 1) && f.exactFit(alone.x) == nil {
			p.Estimate = alone.x
		}
	}
	t.undecided.Store(0)
	t.stiff.Store(0)
	return nil
}

// quickSearch finds the mode with little patience for each solution, unless the model
// gives the number of steps.
func (p *Problem) quickSearch(t *trajectory) (*fitter, *descent) {
	f := p.fitter(t)
	if p.model.Solver.Steps != 0 {
		return f, f.searchTrajectory()
	}
	t.options.Steps = min(explicitSteps, max(searchSteps, searchStepsRow*len(t.times)))
	t.stiffLimit = 2 * t.options.Steps
	best := p.fitter(t).searchTrajectory()
	t.options.Steps, t.stiffLimit = explicitSteps, 0
	t.solved = sync.Pool{}
	f = p.fitter(t)
	if math.IsInf(best.u, 1) {
		best = f.searchTrajectory()
	}
	return f, best
}

// nowhere is the error of a search that found no parameters with a likelihood: what
// happened at the first of its starts.
func (f *fitter) nowhere() error {
	advice := "give model.start, or priors on all parameters"
	if len(f.model.Priors) == len(f.Parameters) {
		advice = "the priors may be too wide, or far from the data: change them, give model.start, or measure the states in other units"
	}
	x := f.starts()[0]
	at := make([]string, len(x))
	for j, v := range x {
		at[j] = fmt.Sprintf("%s = %.4g", f.Parameters[j], v)
	}
	return &ModelError{[]string{"model", "equations"}, -1, fmt.Errorf(
		"no parameters were found at which the trajectory reaches the last time with a finite likelihood. For instance at %s: %s. What to do: %s",
		strings.Join(at, ", "), f.obstacle(x), advice)}
}

// obstacle says why there is no energy at x.
func (f *fitter) obstacle(x []float64) string {
	for j, v := range x {
		if lo, hi := f.Prior.Lower[j], f.Prior.Upper[j]; !(v > lo && v < hi) || math.IsInf(v, 0) {
			return fmt.Sprintf("%s is not between %g and %g", f.Parameters[j], lo, hi)
		}
	}
	f.flow.rows = len(f.t.times)
	if f.flow.run(x, 1, 0) {
		return f.notFinite(x)
	}
	err := f.flow.attempt(0)
	var b *ode.BlowUp
	switch {
	case errors.As(err, &b):
		return fmt.Sprintf("the trajectory ends at %s = %.4g, after %d steps, where %s: %s",
			cmp.Or(f.model.Time, "t"), b.Time, b.Steps+b.Rejected, f.states(b.State), b.Reason)
	case err != nil:
		return err.Error()
	}
	return "the trajectory, or its derivative by a parameter, is not finite"
}

// notFinite says what of the energy at x is not finite though the trajectory is.
func (f *fitter) notFinite(x []float64) string {
	d := len(f.t.initial)
	for at := range f.t.data {
		if r, slope, ok := f.flow.residual(at, 0); ok && (math.IsInf(slope, 0) || !finite([]float64{r * r, slope * slope})) {
			return fmt.Sprintf("at %s = %.4g the trajectory has %s = %.4g, which has no finite likelihood", cmp.Or(f.model.Time, "t"),
				f.t.times[at/d], f.model.States[at%d], f.flow.y[at])
		}
	}
	u, grad := make([]float64, 1), make([]float64, len(x))
	if f.priors != nil {
		f.priors.Eval(u, grad, x)
	}
	for j, g := range grad {
		if !finite([]float64{g}) {
			return fmt.Sprintf("the prior of %s is not finite there", f.Parameters[j])
		}
	}
	return "the likelihood or its curvature is not finite, though the trajectory is"
}

// states are values of the states with their names.
func (f *fitter) states(y []float64) string {
	out := make([]string, len(y))
	for k, v := range y {
		out[k] = fmt.Sprintf("%s = %.4g", f.model.States[k], v)
	}
	return strings.Join(out, ", ")
}

// exactFit is the error of a fit without residuals, whose noise has no scale.
func (f *fitter) exactFit(x []float64) error {
	sizes := f.t.sizes(1)
	for k, q := range f.t.noise {
		if f.t.lognormal {
			sizes[k] = 1
		}
		if s := q.at(x, 1, 0); q.index >= 0 && s < 1e-7*sizes[k] {
			name := f.model.States[k]
			return &ModelError{[]string{"model", "noise"}, -1, fmt.Errorf(
				"the trajectory of %q fits the data exactly (noise %.1g): its noise cannot be estimated; give it: noise: {%s: …}", name, s, name)}
		}
	}
	return nil
}
