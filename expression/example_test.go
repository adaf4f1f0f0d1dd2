package expression_test

import (
	"fmt"

	"github.com/r2sgld/r2sgld/expression"
)

func ExampleCompile() {
	f, err := expression.Compile("x^2*y", []string{"x", "y"})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Two states: (1, 10) and (2, 20), coordinate by coordinate.
	x := []float64{1, 2, 10, 20}
	value, grad := make([]float64, 2), make([]float64, 4)
	f.Evaluator(2).Gradient(value, grad, x)
	fmt.Println(value, grad)
	// Output: [10 80] [20 80 1 4]
}

func ExampleError() {
	_, err := expression.Compile("(x - sgima)^2 + rho*y^2", []string{"x", "y", "sigma"})
	fmt.Println(err)
	// Output:
	// column 6: "sgima" is not defined; did you mean "sigma"?
	// column 17: "rho" is not defined; variables are x, y, sigma
}

func ExampleNames() {
	names, _ := expression.Names("H*(alpha - beta*L)")
	fmt.Println(names)
	// Output: [H alpha beta L]
}

func ExampleAffine() {
	c0, c, ok, _ := expression.Affine("H*(alpha - beta*L)", []string{"H", "L"}, []string{"alpha", "beta"})
	fmt.Println(ok, c0, c)
	// Output: true 0 [H -H*L]
}

func ExampleParseConstraints() {
	for _, src := range []string{"sigma > 1 + beta", "0 < beta < 1", "sigma^2 + beta^2 <= 4"} {
		cs, _ := expression.ParseConstraints(src, []string{"sigma", "beta"})
		for _, c := range cs {
			if c.Linear() {
				fmt.Println(c.Text, "is", c.A, "· x ≤", c.B)
			} else {
				fmt.Println(c.Text, "is", c.G, "≤ 0")
			}
		}
	}
	// Output:
	// sigma > 1 + beta is [-1 1] · x ≤ -1
	// 0 < beta is [0 -1] · x ≤ 0
	// beta < 1 is [0 1] · x ≤ 1
	// sigma^2 + beta^2 <= 4 is sigma^2 + beta^2 - 4 ≤ 0
}

func ExampleLaTeX() {
	s, _ := expression.LaTeX(nil, "H*(alpha - beta*L)/2")
	fmt.Println(s)
	// Output: \frac{H \left(\alpha - \beta L\right)}{2}
}

func ExampleText() {
	estimates := map[string]expression.Value{
		"alpha": {Text: "0.44 ± 0.05", Binding: expression.Product},
		"beta":  {Text: "0.02 ± 0.01", Binding: expression.Product, Negative: true},
	}
	s, _ := expression.Text(func(name string) (expression.Value, bool) { v, ok := estimates[name]; return v, ok }, "H*(alpha - beta*L)")
	fmt.Println(s)
	// Output: H·(0.44 ± 0.05 + 0.02 ± 0.01·L)
}
