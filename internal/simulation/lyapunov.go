package simulation

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/ode"
)

// LyapunovOptions say how long to follow a trajectory and its neighbour.
type LyapunovOptions struct {
	Settle float64 // time before counting begins: on to the attractor, and into the direction that grows
	Span   float64 // time that is counted, > 0
	Blocks int     // for the standard error; 0 is 20
	Solver ode.Options
}

// An Exponent is the largest Lyapunov exponent of a trajectory: the mean rate, per
// unit of time, at which the distance of a neighbour grows.
type Exponent struct {
	Value float64
	SE    float64 // from the rates of blocks of equal length, which need be longer than their memory
	Span  float64 // time over which it was counted
}

// positive reports whether it is above zero by more than two standard errors:
// then neighbours part exponentially.
func (e *Exponent) positive() bool { return e.Value > 2*e.SE }

// Time is the Lyapunov time 1/Value, in which distances grow by e; NaN unless the
// exponent is positive.
func (e *Exponent) Time() float64 {
	if !e.positive() {
		return math.NaN()
	}
	return 1 / e.Value
}

// segments is how often a tangent vector is measured and made short again in a
// block.
const segments = 25

// Lyapunov measures the largest Lyapunov exponent of the system along the
// trajectory from y0 at t0, by the growth of a tangent vector (Benettin, Galgani,
// Giorgilli and Strelcyn, 1980): v' = J(t, y)·v beside y' = f(t, y), v made short
// again from time to time. Without a Jacobian J·v is a central difference. A
// trajectory that ends is an [*ode.BlowUp].
func Lyapunov(ctx context.Context, sys ode.System, t0 float64, y0 []float64, o LyapunovOptions) (*Exponent, error) {
	if !(o.Span > 0) || !(o.Settle >= 0) || math.IsInf(o.Span+o.Settle, 0) || o.Blocks < 0 {
		return nil, fmt.Errorf("Lyapunov exponent over a time of %g after %g: both must be finite, the first positive", o.Span, o.Settle)
	}
	if o.Blocks == 0 {
		o.Blocks = 20
	}
	if o.Blocks == 1 {
		return nil, errors.New("Lyapunov exponent: one block tells no error: take two at least")
	}
	d := sys.Dim
	solver, err := ode.NewSolver(2*d, tangentOptions(o.Solver, d))
	if err != nil {
		return nil, err
	}
	w := &walk{ctx: ctx, solver: solver, sys: tangent(sys), t: t0, y: make([]float64, 2*d), end: make([]float64, 2*d)}
	copy(w.y, y0)
	for i := d; i < 2*d; i++ {
		w.y[i] = 1 / math.Sqrt(float64(d))
	}
	steps := max(1, int(math.Ceil(o.Settle/o.Span*float64(o.Blocks*segments))))
	if o.Settle == 0 {
		steps = 0
	}
	for range steps {
		if _, err := w.on(o.Settle / float64(steps)); err != nil {
			return nil, err
		}
	}
	rates := make([]float64, o.Blocks)
	length := o.Span / float64(o.Blocks)
	for b := range rates {
		for range segments {
			growth, err := w.on(length / segments)
			if err != nil {
				return nil, err
			}
			rates[b] += growth / length
		}
	}
	return &Exponent{diag.Mean(rates), diag.SD(rates) / math.Sqrt(float64(o.Blocks)), o.Span}, nil
}

// tangentOptions are those of a system with its tangent vector, which begins each
// stretch with length 1.
func tangentOptions(o ode.Options, d int) ode.Options {
	rtol, atol := o.RTol, o.ATol
	if rtol == 0 {
		rtol = 1e-6
	}
	o.ATol = make([]float64, 2*d)
	for i := range d {
		switch len(atol) {
		case 0:
			o.ATol[i] = 1e-9
		case 1:
			o.ATol[i] = atol[0]
		default:
			o.ATol[i] = atol[i]
		}
		o.ATol[d+i] = rtol
	}
	o.Control, o.Events, o.First = 0, nil, 0
	return o
}

// tangent is the system with a tangent vector behind the state.
func tangent(sys ode.System) ode.System {
	d := sys.Dim
	out := ode.System{Dim: 2 * d}
	if sys.Jacobian != nil {
		j := make([]float64, d*d)
		out.F = func(dy []float64, t float64, y []float64) {
			sys.F(dy[:d], t, y[:d])
			sys.Jacobian(j, t, y[:d])
			for i := range d {
				sum := 0.0
				for k, v := range y[d:] {
					sum += j[i*d+k] * v
				}
				dy[d+i] = sum
			}
		}
		return out
	}
	at, up, down := make([]float64, d), make([]float64, d), make([]float64, d)
	out.F = func(dy []float64, t float64, y []float64) {
		sys.F(dy[:d], t, y[:d])
		state, v := y[:d], y[d:]
		h := 1e-6 * (1 + length(state)) / math.Max(length(v), 1e-300)
		for i := range d {
			at[i] = state[i] + h*v[i]
		}
		sys.F(up, t, at)
		for i := range d {
			at[i] = state[i] - h*v[i]
		}
		sys.F(down, t, at)
		for i := range d {
			dy[d+i] = (up[i] - down[i]) / (2 * h)
		}
	}
	return out
}

func length(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// A walk goes along a trajectory and its tangent.
type walk struct {
	ctx    context.Context
	solver *ode.Solver
	sys    ode.System
	t      float64
	y, end []float64
}

// on goes on for a time and returns the logarithm of what the tangent vector,
// which has length 1 again, has grown by.
func (w *walk) on(time float64) (float64, error) {
	if err := w.solver.SolveContext(w.ctx, w.sys, w.t, w.y, []float64{w.t + time}, w.end); err != nil {
		return 0, err
	}
	w.t += time
	copy(w.y, w.end)
	v := w.y[len(w.y)/2:]
	grown := length(v)
	for i := range v {
		v[i] /= grown
	}
	if !(grown > 0) || math.IsInf(grown, 1) {
		return 0, fmt.Errorf("the tangent vector at t = %g is of length %g: measure over a shorter time", w.t, grown)
	}
	return math.Log(grown), nil
}
