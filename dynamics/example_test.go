package dynamics_test

import (
	"fmt"
	"math"

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
	// H′ = H·(0.440 ± 0.049 − 0.0219 ± 0.0018·L)   R² 0.90
	// L′ = L·(−0.685 ± 0.071 + 0.0206 ± 0.0017·H)   R² 0.89
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
