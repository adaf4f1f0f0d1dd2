package tune

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/stream"
)

// once is a potential that fails for good when it is asked the same twice.
type once struct{ potential.Potential }

type onceEvaluator struct {
	potential.Evaluator
	last []float64
	err  error
}

func (o once) Evaluator(r int, s *stream.Set) potential.Evaluator {
	return &onceEvaluator{Evaluator: o.Potential.Evaluator(r, s)}
}

var errTwice = errors.New("asked twice")

func (e *onceEvaluator) Eval(energy, grad, x []float64) {
	if e.Evaluator.Eval(energy, grad, x); slices.Equal(e.last, x) {
		e.err = errTwice
	}
	e.last = append(e.last[:0], x...)
	for i := range energy {
		if e.err != nil {
			energy[i] = math.NaN()
		}
	}
}

func (e *onceEvaluator) Err() error { return e.err }

// A potential that fails when it is asked again is told by its failure, not as one whose
// answers depend on chance.
func TestCheckGradientTellsFailures(t *testing.T) {
	u := once{potential.Func(2, func(grad, x []float64) float64 {
		grad[0], grad[1] = x[0], x[1]
		return (x[0]*x[0] + x[1]*x[1]) / 2
	})}
	if err := CheckGradient(t.Context(), r2sgld.Problem{Potential: u}, []float64{1, 2}, 1); !errors.Is(err, errTwice) {
		t.Error(err)
	}
}

// A gradient that is a twentieth too large is told; energies in single precision and kinks are not.
func TestCheckGradientTellsTwentieths(t *testing.T) {
	const d = 5
	quadratic := func(by float64) potential.Potential {
		return potential.Func(d, func(grad, x []float64) (u float64) {
			for i, v := range x {
				u, grad[i] = u+float64(i+1)*v*v/2, by*float64(i+1)*v
			}
			return u + 100
		})
	}
	single := potential.Func(d, func(grad, x []float64) float64 { // squares of twenty residuals
		u := float32(0)
		clear(grad)
		for k := range 20 {
			i := k % d
			r := float32(x[i]) - float32(k%7)
			u, grad[i] = u+r*r/2, grad[i]+float64(r)
		}
		return float64(u)
	})
	kinked := potential.Func(d, func(grad, x []float64) (u float64) {
		for i, v := range x {
			u, grad[i] = u+math.Abs(v)*1e3, math.Copysign(1e3, v)
		}
		return u
	})
	for name, c := range map[string]struct {
		u    potential.Potential
		told bool
	}{
		"right": {quadratic(1), false}, "too large": {quadratic(1.05), true}, "too small": {quadratic(0.95), true},
		"single": {single, false}, "kinks": {kinked, false},
	} {
		for seed := range uint64(200) {
			p := r2sgld.Problem{Potential: c.u}
			if err := CheckGradient(t.Context(), p, []float64{1, 2, 0, -1, 3}, seed); (err != nil) != c.told {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
		}
	}
}

// A right gradient is not told, and a wrong one is, where coordinates differ by 10¹² in scale, and where
// one is far from 0 beside its width.
//
// Mutants: directions of one length in all coordinates; differences over many widths.
func TestCheckGradientOfTwoScales(t *testing.T) {
	for _, c := range []struct{ lo, hi, scale []float64 }{
		{[]float64{-1e-4, -1e8}, []float64{1e-4, 1e8}, []float64{1e-6, 1e6}},
		{[]float64{-100, 1e6}, []float64{100, 1e6 + 1}, []float64{1, 1}},
	} {
		box, err := domain.NewBox(c.lo, c.hi)
		if err != nil {
			t.Fatal(err)
		}
		for _, by := range []float64{1, 1.2} {
			u := potential.Func(2, func(grad, x []float64) float64 {
				a, b := x[0]/c.scale[0], (x[1]-c.lo[1])/c.scale[1]
				grad[0], grad[1] = by*math.Pow(a-3, 3)/c.scale[0], b/c.scale[1]
				return math.Pow(a-3, 4)/4 + b*b/2
			})
			for seed := range uint64(200) {
				if err := CheckGradient(t.Context(), r2sgld.Problem{Potential: u, Domain: box}, nil, seed); (err != nil) != (by != 1) {
					t.Fatalf("%v … %v, %g times the gradient, seed %d: %v", c.lo, c.hi, by, seed, err)
				}
			}
		}
	}
}
