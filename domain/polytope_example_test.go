package domain_test

import (
	"fmt"
	"log"

	"github.com/r2sgld/r2sgld/domain"
)

// Shares of a whole, at least a tenth each: x + y + z = 1 leaves a triangle.
func ExampleNewSlice() {
	shares, err := domain.NewBox([]float64{0.1, 0.1, 0.1}, []float64{1, 1, 1})
	if err != nil {
		log.Fatal(err)
	}
	s, err := domain.NewSlice(shares, [][]float64{{1, 1, 1}}, []float64{1})
	if err != nil {
		log.Fatal(err)
	}
	z, x := make([]float64, s.Domain.Dim()), make([]float64, 3)
	s.Reduced(z, []float64{0.2, 0.3, 0.5})
	s.Full(x, z)
	fmt.Printf("%d free coordinates, %.1f, inside: %v\n", len(z), x, s.Domain.Contains(z))
	// Output: 2 free coordinates, [0.2 0.3 0.5], inside: true
}
