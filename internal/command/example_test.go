package command_test

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/command"
	"github.com/r2sgld/r2sgld/potential"
)

// A potential that a one-line program computes: U = x², with the gradient 2x.
func Example() {
	p, err := command.New(context.Background(), command.Settings{
		Args:  []string{"sh", "-c", `read hello; echo '{"r2sgld": 1, "dimension": 1}'; while read seed x; do echo $((x*x)) $((2*x)); done`},
		Names: []string{"x"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	e := p.Evaluator(2, nil) // blocks of two states
	energy, grad := make([]float64, 2), make([]float64, 2)
	e.Eval(energy, grad, []float64{3, -5})
	fmt.Println(energy, grad)
	e.Eval(energy, grad, []float64{3, 0.5}) // a shell has no fractions
	fmt.Println(energy, potential.Err(e) != nil)
	if err := potential.Close(e); err != nil {
		fmt.Println(err)
	}
	// Output:
	// [9 25] [6 -10]
	// [NaN NaN] true
}
