package prior

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// A Joint is the law of independent parameters, some of which may have none: they are
// flat. As a potential it is the sum of −log densities.
type Joint struct {
	of []*Prior // by parameter; nil is flat
	// Lower and Upper are where each parameter can be: ±Inf where there is no end.
	Lower, Upper []float64
	// Cut are the priors on that support; nil without a prior.
	Cut []*Prior
}

// NewJoint returns the law of d flat parameters.
func NewJoint(d int) *Joint {
	return &Joint{make([]*Prior, d), slices.Repeat([]float64{math.Inf(-1)}, d), slices.Repeat([]float64{math.Inf(1)}, d), make([]*Prior, d)}
}

// Set gives parameter j a prior.
func (p *Joint) Set(j int, q *Prior) {
	p.of[j] = q
	p.Lower[j], p.Upper[j] = max(p.Lower[j], q.from), min(p.Upper[j], q.to)
	p.Cut[j] = q.On(p.Lower[j], p.Upper[j])
}

// Any reports whether any parameter has a prior.
func (p *Joint) Any() bool { return slices.ContainsFunc(p.of, func(q *Prior) bool { return q != nil }) }

// Add returns the sum of a potential and p; the potential itself without priors.
func (p *Joint) Add(u potential.Potential) (potential.Potential, error) {
	if !p.Any() {
		return u, nil
	}
	return potential.Sum(u, p)
}

// Dim is the number of parameters.
func (p *Joint) Dim() int { return len(p.of) }

// Evaluator returns an evaluator for blocks of r states.
func (p *Joint) Evaluator(r int, _ *stream.Set) potential.Evaluator {
	e := &evaluator{value: make([]float64, r)}
	for _, q := range p.of {
		var eval func(value, grad, x []float64)
		if q != nil {
			eval = q.curve(r)
		}
		e.eval = append(e.eval, eval)
	}
	return e
}

type evaluator struct {
	eval  []func(value, grad, x []float64)
	value []float64
}

func (e *evaluator) Eval(energy, grad, x []float64) {
	r := len(e.value)
	clear(energy[:r])
	clear(grad[:r*len(e.eval)])
	for j, eval := range e.eval {
		if eval == nil {
			continue
		}
		eval(e.value, grad[j*r:(j+1)*r], x[j*r:(j+1)*r])
		for i, u := range e.value {
			energy[i] += u
		}
	}
}

// Lanewise is true; see [potential.Lanewise].
func (p *Joint) Lanewise() bool { return true }

// Quadratic reports whether all priors are polynomials of degree two or less on their
// supports; see [potential.Quadratic].
func (p *Joint) Quadratic() bool {
	return !slices.ContainsFunc(p.of, func(q *Prior) bool { return q != nil && !q.quadratic })
}

// AddCurvature adds the second derivatives of p at x to the diagonal of h, d × d by rows.
func (p *Joint) AddCurvature(h, x []float64) {
	for j, q := range p.of {
		if q != nil {
			h[j*len(x)+j] += q.curvature(x[j])
		}
	}
}

// LogDensity returns the sum of the log densities of the priors, each normalised on its
// own support and −∞ outside; parameters without a prior add 0. It has a workspace of its
// own and allocates nothing per call.
func (p *Joint) LogDensity() func(x []float64) float64 {
	eval := p.Evaluator(1, nil)
	energy, grad := make([]float64, 1), make([]float64, len(p.of))
	return func(x []float64) float64 {
		for j, v := range x {
			if v < p.Lower[j] || v > p.Upper[j] {
				return math.Inf(-1)
			}
		}
		eval.Eval(energy, grad, x)
		return -energy[0]
	}
}

// LogMass estimates log ∫_Ω exp(LogDensity), which normalises the priors on a
// domain Ω, and its standard error: logVolume is the log volume of Ω, draw
// fills its argument with independent uniform draws on Ω, of which n ≥ 2 are
// made. A standard error above 0.2 comes from some 25 draws that hold most of
// the mass, and is itself in doubt: take more draws, or a smaller Ω. Without
// priors the answer is exactly logVolume. The error of logVolume is the caller's
// to add.
func (p *Joint) LogMass(logVolume float64, n int, draw func(x []float64) error) (mass, se float64, err error) {
	if !p.Any() {
		return logVolume, 0, nil
	}
	density := p.LogDensity()
	x := make([]float64, len(p.of))
	// Sums of exp(l − top) and its square, top the largest so far.
	top, sum, squares := math.Inf(-1), 0.0, 0.0
	for i := range n {
		if err := draw(x); err != nil {
			return math.NaN(), math.NaN(), fmt.Errorf("mass of the priors, draw %d: %w", i+1, err)
		}
		l := density(x)
		if l > top {
			shrink := math.Exp(top - l)
			sum, squares, top = sum*shrink, squares*shrink*shrink, l
		}
		if w := math.Exp(l - top); w > 0 {
			sum, squares = sum+w, squares+w*w
		}
	}
	if !(sum > 0) {
		return math.NaN(), math.NaN(),
			fmt.Errorf("mass of the priors: their density is 0 at %d draws from the domain: it lies outside what the priors allow", n)
	}
	m := float64(n)
	mean := sum / m
	variance := (squares/m - mean*mean) / (m - 1)
	return logVolume + top + math.Log(mean), math.Sqrt(math.Max(0, variance)) / mean, nil
}

// On returns the law of parameter j on [lo, hi], the uniform one if it has no prior, and the
// logarithm of the mass that it has there in LogDensity; nil where that is 0 or not finite.
func (p *Joint) On(j int, lo, hi float64) (q *Prior, logMass float64) {
	if q = p.Cut[j]; q != nil {
		if q = q.On(lo, hi); q == nil {
			return nil, 0
		}
		return q, math.Log(q.mass)
	}
	if math.IsInf(hi-lo, 1) {
		return nil, 0
	}
	q, err := Parse(fmt.Sprintf("uniform(%v, %v)", lo, hi))
	if err != nil {
		return nil, 0
	}
	return q, math.Log(hi - lo)
}

// LogMassBox is log ∫ exp(LogDensity) over a box, from distribution
// functions. Sides without a prior must be finite; others need not be.
func (p *Joint) LogMassBox(lo, hi []float64) float64 {
	sum := 0.0
	for j, q := range p.of {
		if q == nil {
			sum += math.Log(hi[j] - lo[j])
			continue
		}
		sum += math.Log(q.Mass(lo[j], hi[j]))
	}
	return sum
}
