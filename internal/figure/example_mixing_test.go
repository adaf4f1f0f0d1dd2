package figure_test

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/figure"
)

func ExampleModePanels() {
	// A mode on a square of 3 × 3 cells with a corner cut off.
	nan := math.NaN()
	f, err := figure.ModePanels(figure.ModeMaps{
		Axes: [2]figure.Axis{{Name: "x"}, {Name: "y"}}, View: [2][2]float64{{0, 3}, {0, 3}}, Cells: [2]int{3, 3},
		Inside: func(x, y float64) bool { return min(x, y) >= 0 && max(x, y) <= 3 && x+y <= 5 },
		Rows:   [][]figure.ModeMap{{{Title: "slowest", Value: []float64{-1, 0, 1, -1, 0, 1, -1, 0, nan}}}},
	})
	says(f, err, "mode over its size")
	// Output: true
}

func ExampleModeLines() {
	f, err := figure.ModeLines(figure.ModeCurves{
		Axis: figure.Axis{Name: "x", Unit: "m"}, X: []float64{0.25, 0.75, 1.25, 1.75}, Bounds: [2]float64{0, 2}, Names: []string{"slowest"},
		Columns: []figure.ModeColumn{{Density: []float64{0.5, 0.5, 0.5, 0.5}, Modes: [][]float64{{1.3, 0.5, -0.5, -1.3}}}},
	})
	says(f, err, "density (1/m)")
	// Output: true
}

func ExampleDecayCurves() {
	f, err := figure.DecayCurves(figure.Decay{
		Time: figure.Axis{Name: "time"}, At: []float64{0, 1, 2},
		Distances: []figure.Distance{{Axis: figure.Axis{Name: "χ²"}, Value: []float64{9, 0.5, 0.1}, Bound: []float64{9, 1.2, 0.2}}},
	})
	says(f, err, "measured")
	// Output: true
}

func ExampleGapCurve() {
	_, err := figure.GapCurve(figure.Gaps{At: []float64{10, 1}, Value: []float64{0.5, 0.1}})
	fmt.Println(err)
	// Output: figure: gaps, intensities: value 2 is 1 after 10: intensities must rise
}
