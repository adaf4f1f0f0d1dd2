package diag_test

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
)

func ExampleSummarize() {
	chains := [][]float64{ // one slice per ladder
		chain(1, 1000, 0.5, "ar", 0),
		chain(2, 1000, 0.5, "ar", 0),
	}
	s := diag.Summarize("x", chains, math.Inf(-1), math.Inf(1))
	fmt.Printf("%s: mean %.2f ± %.2f, R̂ %.3f, ESS %.0f of 2000\n", s.Name, s.Mean, s.MCSEMean, s.RHat, s.ESSBulk)
	// Output: x: mean -0.03 ± 0.05, R̂ 1.001, ESS 629 of 2000
}

func ExampleRHat() {
	together := [][]float64{chain(1, 500, 0, "ar", 0), chain(2, 500, 0, "ar", 0)}
	apart := [][]float64{chain(1, 500, 0, "ar", 0), chain(2, 500, 0, "ar", 2)}
	fmt.Printf("%.2f %.2f\n", diag.RHat(together), diag.RHat(apart))
	// Output: 1.00 1.52
}
