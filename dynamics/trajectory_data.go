package dynamics

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/ode"
)

// Fitted is that of [Likelihood].
func (p *trajectory) Fitted(c int, rows []int) func(dst, x []float64) {
	return picked(len(p.problem.Responses[c].Observed), rows, func(dst, x []float64) { p.values(dst, c, p.solution(x)) })
}

// values copies the values of response c at its times out of a solution.
func (p *trajectory) values(dst []float64, c int, y []float64) {
	d := len(p.initial)
	n := 0
	for at := p.stateOf(c); at < len(y); at += d {
		if v := p.data[at]; v == v {
			dst[n] = y[at]
			n++
		}
	}
}

// stateOf is the place of response c among the states of the data.
func (p *trajectory) stateOf(c int) int {
	return slices.Index(p.system.states, p.problem.Responses[c].State)
}

// LogDensity is that of [Likelihood]: −Inf where there is no solution.
func (p *trajectory) LogDensity(data []int) func(dst, x []float64) bool {
	if data != nil {
		return chosen(p, p.problem.Data(), data)
	}
	return func(dst, x []float64) bool {
		y := p.solution(x)
		for _, c := range p.problem.byName {
			observed := p.problem.Responses[c].Observed
			terms := dst[:len(observed)]
			dst = dst[len(terms):]
			p.values(terms, c, y)
			s := p.noise[p.stateOf(c)].at(x, 1, 0)
			for t, z := range terms {
				r, constant := observed[t]-z, logRoot2Pi+math.Log(s)
				if p.lognormal {
					r = math.Log(observed[t]) - math.Log(z)
					constant += math.Log(observed[t])
				}
				terms[t] = -r*r/(2*s*s) - constant
				if math.IsNaN(terms[t]) {
					terms[t] = math.Inf(-1)
				}
			}
		}
		return true
	}
}

// LogConstant is that of [Likelihood].
func (p *trajectory) LogConstant() float64 { return 0 }

// Name is that of [Likelihood].
func (p *trajectory) Name() string {
	return fmt.Sprintf("trajectory of %s (%s noise)", p.problem.observedStates(), p.NoiseKind())
}

// NoiseKind is that of [Likelihood].
func (p *trajectory) NoiseKind() string {
	if p.lognormal {
		return "lognormal"
	}
	return "normal"
}

// Datum is that of [Likelihood].
func (p *trajectory) Datum() (unit string, rows int) { return "row", 1 }

// Solver is that of [Likelihood].
func (p *trajectory) Solver() ode.Options {
	rtol := math.Min(p.options.RTol, 1e-6)
	return ode.Options{Method: ode.LSODA, RTol: rtol, ATol: p.sizes(rtol)}
}

// ObservationNoise is that of [Likelihood].
func (p *trajectory) ObservationNoise(dst, x []float64) (logNormal bool) {
	m := p.problem.model
	for k, state := range m.States {
		dst[k] = math.NaN()
		if _, given := m.givenNoise(state); given || m.observed(state) {
			dst[k] = p.noise[k].at(x, 1, 0)
		}
	}
	return p.lognormal
}

// Undecided is that of [Likelihood].
func (p *trajectory) Undecided() int64 { return p.undecided.Load() }

// muchWork is the number of evaluations a solution from which on a run is slow: a
// million solutions take minutes.
const muchWork = 500

// Effort is that of [Likelihood].
func (p *trajectory) Effort() string {
	center := p.problem.Center
	e := newSolutions(p, 1)
	e.Eval(make([]float64, 1), make([]float64, len(center)), center)
	if e.work < muchWork {
		return ""
	}
	o := p.options
	if e.fell > 0 {
		o.Method = ode.LSODA
	}
	return fmt.Sprintf("%d evaluations of the equations a solution (%s, rtol %.0e: model.solver)", e.work, cmp.Or(o.Method, ode.DormandPrince),
		o.RTol)
}
