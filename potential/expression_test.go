package potential

import (
	"testing"

	"github.com/r2sgld/r2sgld/expression"
)

func TestFromExpression(t *testing.T) {
	p := FromExpression(must(expression.Compile("x^2 + 3*x*y", []string{"x", "y"})))
	if p.Dim() != 2 {
		t.Fatalf("dimension %d", p.Dim())
	}
	// Exact: all numbers are small integers. Two lopsided states.
	e := p.Evaluator(2, nil)
	energy, grad, x := make([]float64, 2), make([]float64, 4), []float64{1, 2, 10, -1}
	e.Eval(energy, grad, x)
	for i, want := range []float64{31, -2} {
		if energy[i] != want {
			t.Errorf("energy %d is %v, want %v", i, energy[i], want)
		}
	}
	for i, want := range []float64{32, 1, 3, 6} {
		if grad[i] != want {
			t.Errorf("gradient %v, want [32 1 3 6]", grad)
		}
	}
	if n := testing.AllocsPerRun(100, func() { e.Eval(energy, grad, x) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
