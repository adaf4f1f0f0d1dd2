package dynamical_test

import (
	"context"
	"fmt"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/dynamical"
)

// The study of the Lotka–Volterra system at a glance.
func ExampleLotkaVolterra() {
	s, err := dynamical.LotkaVolterra(context.Background(), study.Options{Scale: study.Smoke, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Effort)
	for _, c := range s.Claims {
		fmt.Println(c.ID)
	}
	// Output:
	// 2 runs of 1,000 iterations a case, minibatches of 4,096
	// lotka-volterra-reflection-helps
	// lotka-volterra-rsgld-behind
	// lotka-volterra-comparable
	// lotka-volterra-first-100-days
	// lotka-volterra-days-100-200
	// lotka-volterra-constraints-kept
	// lotka-volterra-swap-rate
	// lotka-volterra-law
	// lotka-volterra-simulated
}
