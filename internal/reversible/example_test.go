package reversible_test

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/reversible"
)

// Two wells: the left has three quarters of the mass and is left at rate 1.
func Example() {
	c, err := reversible.New([]float64{3, 1}, []reversible.Edge{{I: 0, J: 1, Weight: 3}})
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := c.Spectrum(context.Background(), 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("gap %.6f\n", s.Values[0])
	u, err := c.Evolve(context.Background(), []float64{0, 4}, []float64{0, 0.5, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, density := range u {
		fmt.Printf("%.6f\n", density)
	}
	// Output:
	// gap 4.000000
	// [0.000000 4.000000]
	// [0.864665 1.406006]
	// [1.000000 1.000000]
}

// Two copies that never meet have the gap of the slower; exchange adds to it.
func ExampleProduct() {
	slow, _ := reversible.New([]float64{1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: 0.1}})
	fast, _ := reversible.New([]float64{1, 1}, []reversible.Edge{{I: 0, J: 1, Weight: 10}})
	p := reversible.Product(slow, fast)
	for _, r := range []float64{0, 100} {
		swapped, _ := p.Plus([]reversible.Edge{{I: 0*2 + 1, J: 1*2 + 0, Weight: r / 4}})
		s, err := swapped.Spectrum(context.Background(), 1)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.4f\n", s.Values[0])
	}
	// Output:
	// 0.2000
	// 9.6111
}
