package tune

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld"
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
