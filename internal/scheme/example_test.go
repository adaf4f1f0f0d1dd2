package scheme_test

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/potential"
)

// How far the stationary law of a step is from exp(-U), and of which order in
// the step size, with a force that pushes into the wall at 0.
func ExampleKernel_Stationary() {
	u := potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = 2
		return 2 * x[0]
	})
	pi, err := scheme.Target(u, 0, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	eta := []float64{1e-3, 1e-4, 1e-5}
	for _, rule := range []domain.Rule{domain.Specular, domain.Project} {
		var w1 []float64
		for _, e := range eta {
			k, err := scheme.New(scheme.Step{U: u, Lo: 0, Hi: 1, Temperature: 1, StepSize: e, Rule: rule})
			if err != nil {
				fmt.Println(err)
				return
			}
			law, err := k.Stationary()
			if err != nil {
				fmt.Println(err)
				return
			}
			w1 = append(w1, scheme.W1(law, pi))
		}
		fmt.Printf("%s: W1 %.2e, order %.2f\n", rule, w1, math.Log10(w1[0]/w1[2])/2)
	}
	// Output:
	// specular: W1 [9.79e-04 9.93e-05 9.98e-06], order 1.00
	// project: W1 [1.74e-02 5.60e-03 1.78e-03], order 0.50
}

// The law at time 0.1 of the scheme and of the diffusion from the same point.
func ExampleDiffusion_After() {
	d, err := scheme.NewDiffusion(nil, 0, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := scheme.New(scheme.Step{Lo: 0, Hi: 1, Temperature: 1, StepSize: 1e-3, Rule: domain.Project})
	if err != nil {
		fmt.Println(err)
		return
	}
	start, err := scheme.Point(0, 1, 0.2)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := d.After(start, 0.1)
	if err != nil {
		fmt.Println(err)
		return
	}
	b, err := k.After(start, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gap %.6f, W1 %.4f\n", d.Rates()[1], scheme.W1(a, b))
	// Output: gap 9.869604, W1 0.0159
}
