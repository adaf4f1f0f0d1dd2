package figure_test

import (
	"bytes"
	"fmt"
	"image/gif"
	"image/png"
	"math"

	"github.com/r2sgld/r2sgld/internal/figure"
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

func ExampleDensities() {
	disc := func(x, y float64) bool { return x*x+y*y <= 1 }
	view := [2][2]float64{{-1, 1}, {-1, 1}}
	var x, y []float64
	for k := range 500 { // a spiral
		r := math.Sqrt((float64(k) + 0.5) / 500)
		x, y = append(x, r*math.Cos(2.4*float64(k))), append(y, r*math.Sin(2.4*float64(k)))
	}
	f, err := figure.Densities(figure.DensityMaps{
		Axes: [2]figure.Axis{{Name: "x"}, {Name: "y"}}, View: view,
		Rows: [][]figure.DensityMap{{
			{Title: "exact", Value: func(x, y float64) float64 { return 1 / math.Pi }, Inside: disc},
			{Title: "draws", Value: figure.DrawsDensity(x, y, disc, view), Inside: disc},
		}},
		Caption: "500 draws",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	var svg bytes.Buffer
	if err := f.WriteSVG(&svg); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Count(svg.Bytes(), []byte("data:image/png")), "pictures, the bar's among them")
	// Output: 3 pictures, the bar's among them
}

func ExampleCurves() {
	n := []float64{100, 1000, 10000}
	_, err := figure.Curves(figure.Lines{
		X: figure.Axis{Name: "draws"}, Y: figure.Axis{Name: "divergence", Unit: "nats"}, LogX: true, LogY: true,
		Panels: []figure.LinePanel{{Lines: []figure.Line{
			{Method: "r2sgld", X: n, Y: []float64{0.3, 0.04, 0.01}, Low: []float64{0.2, 0.03, 0}, High: []float64{0.4, 0.05, 0.02}},
			{Name: "independent draws", Method: "iid", Dashed: true, X: n, Y: []float64{0.1, 0.01, 0}},
		}}},
	})
	fmt.Println(err)
	// Output: figure: curves, independent draws: value 3 is 0: a logarithmic axis has no place for what is not above 0
}

func ExampleTrajectory_WriteGIF() {
	film := figure.Trajectory{
		Axes:   [2]figure.Axis{{Name: "x"}, {Name: "y"}},
		View:   [2][2]float64{{-1, 1}, {-1, 1}},
		Inside: func(x, y float64) bool { return x*x+y*y <= 1 },
		First:  1, Temperature: [2]float64{1, 10},
	}
	at := func(k int, r float64) [2]float64 {
		a := 0.2 * float64(k)
		return [2]float64{r * math.Cos(a), r * math.Sin(a)}
	}
	for k := range 30 { // two rungs that go round
		film.Cold = append(film.Cold, figure.Step{From: at(k, 0.3), X: at(k+1, 0.3)})
		film.Hot = append(film.Hot, figure.Step{From: at(k, 0.8), X: at(k+1, 0.8)})
	}
	var b bytes.Buffer
	if err := film.WriteGIF(&b); err != nil {
		fmt.Println(err)
		return
	}
	g, err := gif.DecodeAll(&b)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(g.Image), "frames")
	// Output: 30 frames
}
