package figure_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"

	"github.com/r2sgld/r2sgld/figure"
)

func ExampleMarginals() {
	m := figure.Marginal{
		Axis: figure.Axis{Name: "β", Unit: "1/yr"},
		Mode: 0.5, Interval: [2]float64{0.34, 0.66}, Bounds: [2]float64{0, math.Inf(1)},
	}
	for x := 0.2; x <= 0.8; x += 0.01 {
		m.X = append(m.X, x)
		m.Density = append(m.Density, math.Exp(-50*(x-0.5)*(x-0.5)))
	}
	f, err := figure.Marginals([]figure.Marginal{m}, 90, figure.Sample{Draws: 12000, Ladders: 8})
	if err != nil {
		fmt.Println(err)
		return
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Contains(svg.Bytes(), []byte("12,000 draws, 8 ladders")))
	// Output: true
}

func ExamplePairPlot() {
	disc := func(x, y float64) bool { return x*x+y*y <= 1 }
	var x, y []float64
	for k := range 500 { // a spiral
		r := math.Sqrt((float64(k) + 0.5) / 500)
		x, y = append(x, r*math.Cos(2.4*float64(k))), append(y, r*math.Sin(2.4*float64(k)))
	}
	f, err := figure.PairPlot(figure.Pairs{
		Axes:   []figure.Axis{{Name: "x"}, {Name: "y"}},
		Draws:  [][]float64{x, y},
		Inside: func(i, j int) func(x, y float64) bool { return disc },
		Sample: figure.Sample{Draws: 500, Ladders: 1},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var picture bytes.Buffer
	if err := f.WritePNG(&picture); err != nil {
		fmt.Println(err)
		return
	}
	c, err := png.DecodeConfig(&picture)
	fmt.Printf("%d × %d dots %v\n", c.Width, c.Height, err)
	// Output: 904 × 944 dots <nil>
}

func ExampleTraces() {
	_, err := figure.Traces([]figure.Ladders{{
		Axis:  figure.Axis{Name: "β"},
		Draws: [][]float64{{0.1, math.NaN()}},
	}})
	fmt.Println(err)
	// Output: figure: β, ladder 1: value 2 is NaN: leave it out or mend it before drawing
}

func ExampleIndexProcess() {
	// Three replicas whose every swap is accepted go round and round.
	q := figure.Index{Temperature: []float64{1, 3, math.Inf(1)}, Rung: make([][]int, 3)}
	for k := range 60 {
		for r := range q.Rung {
			q.Rung[r] = append(q.Rung[r], []int{0, 0, 1, 2, 2, 1}[(k+2*r)%6])
		}
	}
	f, err := figure.IndexProcess(q)
	if err != nil {
		fmt.Println(err)
		return
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Contains(svg.Bytes(), []byte("27 round trips of all replicas")))
	// Output: true
}

func ExampleTrajectoryPlot() {
	// A step to the right that the unit disc reflects, and a swap.
	_, err := figure.TrajectoryPlot(figure.Trajectory{
		Axes:   [2]figure.Axis{{Name: "x"}, {Name: "y"}},
		View:   [2][2]float64{{-1, 1}, {-1, 1}},
		Inside: func(x, y float64) bool { return x*x+y*y <= 1 },
		Cold: []figure.Step{
			{From: [2]float64{0.7, 0.1}, X: [2]float64{0.8, 0.3}, Mirrorings: 1, Swapped: true},
			{From: [2]float64{-0.5, 0}, X: [2]float64{-0.4, math.NaN()}},
		},
	})
	fmt.Println(err)
	// Output: figure: trajectory, step 2: value 4 is NaN: leave it out or mend it before drawing
}
