package ode_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/ode"
)

// Prey and predators over ten years.
func ExampleSolve() {
	s := ode.System{Dim: 2, F: func(dy []float64, t float64, y []float64) {
		prey, predators := y[0], y[1]
		dy[0] = prey - 0.1*prey*predators
		dy[1] = 0.075*prey*predators - 1.5*predators
	}}
	r, err := ode.Solve(context.Background(), s, 0, []float64{10, 5}, []float64{0, 5, 10}, ode.Options{RTol: 1e-8})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, t := range r.T {
		fmt.Printf("%2g: %.4f %.4f\n", t, r.Y[i][0], r.Y[i][1])
	}
	// Output:
	//  0: 10.0000 5.0000
	//  5: 8.2933 7.4188
	// 10: 8.0066 11.4162
}

// A ball hits the ground, the way up does not count.
func ExampleEvent() {
	s := ode.System{Dim: 2, F: func(dy []float64, t float64, y []float64) { dy[0], dy[1] = y[1], -10 }}
	r, err := ode.Solve(context.Background(), s, 0, []float64{0, 10}, []float64{60}, ode.Options{Events: []ode.Event{
		{Name: "apex", Zero: func(_ float64, y []float64) float64 { return y[1] }},
		{Name: "ground", Zero: func(_ float64, y []float64) float64 { return y[0] }, Direction: -1, Stop: true},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, e := range r.Events {
		fmt.Printf("%s at %.3f\n", e.Name, e.T)
	}
	// Output:
	// apex at 1.000
	// ground at 2.000
}

// y' = y² is infinite at 1.
func ExampleBlowUp() {
	s := ode.System{Dim: 1, F: func(dy []float64, t float64, y []float64) { dy[0] = y[0] * y[0] }}
	_, err := ode.Solve(context.Background(), s, 0, []float64{1}, []float64{2}, ode.Options{})
	var b *ode.BlowUp
	if errors.As(err, &b) {
		fmt.Printf("%.4f\n", b.Time)
	}
	// Output: 1.0000
}

// Decay: y = y0·exp(-p·t) and its derivatives by p and by y0.
func ExampleSensitive() {
	decay := ode.Parametric{Dim: 1, Parameters: 1, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		f[0] = -p[0] * y[0]
		if jy != nil {
			jy[0] = -p[0]
		}
		if jp != nil {
			jp[0] = -y[0]
		}
	}}
	v, err := ode.NewSensitive(decay, ode.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, sens := make([]float64, 1), make([]float64, 2)
	if err := v.Solve(0, []float64{3}, []float64{0.5}, []float64{2}, y, sens); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f %.4f %.4f\n", y[0], sens[0], sens[1])
	fmt.Printf("%.4f %.4f %.4f\n", 3/math.E, -6/math.E, 1/math.E)
	// Output:
	// 1.1036 -2.2073 0.3679
	// 1.1036 -2.2073 0.3679
}
