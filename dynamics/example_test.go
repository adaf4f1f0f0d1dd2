package dynamics_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/r2sgld/r2sgld/dynamics"
)

// The posterior of the predator–prey equations of the lynx and hare pelts.
func ExampleBuild() {
	series, err := dynamics.ReadSeries("../data/lynx_hare.csv", dynamics.Columns{
		Time:   "year",
		States: []dynamics.Named{{Name: "H", Column: "hare"}, {Name: "L", Column: "lynx"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := dynamics.Build(&dynamics.Model{
		States: series.States,
		Equations: []dynamics.Equation{
			{State: "H", Text: "H*(alpha - beta*L)"},
			{State: "L", Text: "L*(-gamma + delta*H)"},
		},
		Likelihood: "log-derivative",
	}, series)
	if err != nil {
		fmt.Println(err)
		return
	}
	sd := make([]float64, len(p.Parameters))
	for j, row := range p.Factor { // x = Center + Factor·z
		for _, l := range row {
			sd[j] = math.Hypot(sd[j], l)
		}
	}
	for c, e := range p.Print(p.Center, sd) {
		fmt.Printf("%s   R² %.2f\n", e.Text, p.Fit(c, p.Center).R2)
	}
	// Output:
	// H′ = H·(0.440 ± 0.049 − (0.0219 ± 0.0018)·L)   R² 0.90
	// L′ = L·(−0.685 ± 0.071 + (0.0206 ± 0.0017)·H)   R² 0.89
}

// The weak form asks no derivative of the data: it integrates equations and data
// against test functions, and carries the noise of the data through both.
func ExampleBuild_weak() {
	const n, step = 400, 0.05
	// A swing from 1 with k = 4.01 and c = 0.2, seen with an error of 0.1.
	series := &dynamics.Series{File: "swing.csv", States: []string{"x", "v"}, Values: map[string][]float64{}}
	rng := rand.New(rand.NewPCG(1, 2))
	for k := range n {
		t := step * float64(k)
		e, s, c := math.Exp(-0.1*t), math.Sin(2*t), math.Cos(2*t)
		series.Time = append(series.Time, t)
		series.Line.Add(k + 2)
		series.Values["x"] = append(series.Values["x"], e*(c+0.05*s)+0.1*rng.NormFloat64())
		series.Values["v"] = append(series.Values["v"], -2.005*e*s+0.1*rng.NormFloat64())
	}
	p, err := dynamics.Build(&dynamics.Model{
		States:     series.States,
		Equations:  []dynamics.Equation{{State: "x", Text: "v"}, {State: "v", Text: "-k*x - c*v"}},
		Likelihood: "weak",
	}, series)
	if err != nil {
		fmt.Println(err)
		return
	}
	for j, name := range p.Parameters {
		fmt.Printf("%s = %.3f ± %.3f\n", name, p.Center[j], math.Hypot(p.Factor[j][0], p.Factor[j][1]))
	}
	fmt.Printf("noise %.2f and %.2f\n", p.Noise[0], p.Noise[1])
	// Output:
	// k = 4.013 ± 0.008
	// c = 0.194 ± 0.004
	// noise 0.09 and 0.10
}

// Faults of a file come all at once, with their places.
func ExampleReadSeries() {
	_, err := dynamics.ReadSeries("testdata/faulty.csv", dynamics.Columns{
		Time:   "year",
		States: []dynamics.Named{{Name: "H", Column: "hare"}, {Name: "L", Column: "lynx"}},
	})
	fmt.Println(err)
	// Output:
	// testdata/faulty.csv:4:11: "many" in column "lynx": not a number
	// testdata/faulty.csv:5:1: 2 cells in this row, 3 in the header
}
