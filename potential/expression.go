package potential

import (
	"fmt"

	"github.com/r2sgld/r2sgld/expression"
	"github.com/r2sgld/r2sgld/stream"
)

// Formula is the potential that the text of a formula says, in the variables in their
// order: that of a configuration with the same text, bit by bit. See package expression.
func Formula(text string, variables ...string) (Potential, error) {
	f, err := expression.Compile(text, variables)
	if err != nil {
		return nil, fmt.Errorf("potential: %w", err)
	}
	return FromExpression(f), nil
}

// FromExpression is the potential that a formula of d ≥ 1 variables says, with
// its exact gradient. f must be differentiated by all its variables in their
// order, as [expression.Compile] does.
func FromExpression(f *expression.Func) Potential { return formula{f} }

type formula struct{ f *expression.Func }

func (p formula) Dim() int { return len(p.f.Variables()) }

func (p formula) Evaluator(r int, _ *stream.Set) Evaluator {
	return formulaEvaluator{p.f.Evaluator(r)}
}

type formulaEvaluator struct{ e *expression.Evaluator }

func (e formulaEvaluator) Eval(energy, grad, x []float64) { e.e.Gradient(energy, grad, x) }
