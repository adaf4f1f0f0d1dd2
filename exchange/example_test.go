package exchange_test

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/r2sgld/r2sgld/exchange"
)

// Four rungs of a Gaussian in two dimensions, with independent draws in place of
// a kernel.
func Example() {
	tau := []float64{1, 2, 4, 8}
	e, err := exchange.New(len(tau), exchange.Settings{})
	if err != nil {
		fmt.Println(err)
		return
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rung, energy := []int{0, 1, 2, 3}, make([]float64, 4)
	for k := 1; k <= 100_000; k++ {
		for i, r := range rung { // the replicas move
			energy[i] = tau[r] * rng.ExpFloat64()
		}
		e.Sweep(k, rung, energy, tau, rng) // their labels trade
	}
	s := e.Statistics()
	fmt.Printf("barrier %.1f, trips per sweep %.2f\n", s.Barrier(), exchange.RateDEO(s.Rejections()))
	fmt.Printf("log Z(1)/Z(1/8) = %.1f\n", exchange.EvidenceOf(s).Estimate)
	// Output:
	// barrier 1.0, trips per sweep 0.20
	// log Z(1)/Z(1/8) = -2.1
}

// Equal rejections from the uniform law, β = 0, to β = 1.
func ExampleNewBarrier() {
	b, err := exchange.NewBarrier([]float64{1, 0.5, 0}, []float64{0.2, 0.6})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("Λ = %.1f\n%.2f\n", b.Total(), b.Ladder(5))
	// Output:
	// Λ = 0.8
	// [1.00 0.50 0.28 0.13 0.00]
}

func ExampleSettings_Bias() {
	s := exchange.Settings{Scheme: "windowed-deo", Gate: "once"}
	for _, reason := range s.Bias(2, false) {
		fmt.Println(strings.ReplaceAll(reason, ": ", ":\n"))
	}
	// Output:
	// gate once closes a pair at its first swap in a window:
	// when that happens depends on the states, and after it a state stays where it is
}
