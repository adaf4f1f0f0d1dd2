package figure_test

import (
	"bytes"
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/figure"
)

// says reports whether the SVG of a figure holds words.
func says(f *figure.Figure, err error, words string) {
	var svg bytes.Buffer
	if err == nil {
		err = f.WriteSVG(&svg)
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(bytes.Contains(svg.Bytes(), []byte(words)))
}

func ExampleLearningCurves() {
	// NLL of a sampler whose models are averaged from the third epoch on.
	f, err := figure.LearningCurves(figure.Learning{
		Start: 3,
		Panels: []figure.LearningPanel{{
			Metric: figure.Axis{Name: "test NLL", Unit: "nats"},
			Methods: []figure.Learned{{
				Method:  "r2sghmc",
				Single:  figure.Trail{Epoch: []float64{1, 2, 3, 4}, Value: []float64{1.2, 0.8, 0.7, 0.75}},
				Average: figure.Trail{Epoch: []float64{3, 4}, Value: []float64{0.7, 0.62}},
			}},
		}},
	})
	says(f, err, "averaging starts")
	// Output: true
}

func ExampleReliability() {
	f, err := figure.Reliability([]figure.Calibration{{
		Title: "single model",
		Bins: []figure.ConfidenceBin{
			{Low: 0, High: 0.5, Count: 100, Confidence: 0.4, Accuracy: 0.3},
			{Low: 0.5, High: 1, Count: 300, Confidence: 0.9, Accuracy: 0.8},
		},
	}}, "400 test images")
	says(f, err, "ECE 0.100")
	// Output: true
}

func ExampleEntropyHistograms() {
	f, err := figure.EntropyHistograms(figure.Entropies{
		Classes: 10, In: "Fashion-MNIST", Out: "MNIST",
		Panels: []figure.Uncertainty{{
			Title: "average", AUROC: 0.875, FPR95: math.NaN(),
			In: []float64{0, 0.01, 0.2, 1.1}, Out: []float64{0.3, 0.9, 1.8, 2.2},
		}},
	})
	says(f, err, "average; AUROC 0.875")
	// Output: true
}

func ExampleLayerTemperatures() {
	f, err := figure.LayerTemperatures([]figure.Layer{{
		Name:    "conv1.weight",
		Kinetic: figure.Estimate{Value: 1.02, Low: 0.99, High: 1.05}, Configurational: figure.Estimate{Value: 0.97, Low: 0.9, High: 1.04},
		Injected: 0.03, Minibatch: 0.01,
	}}, 1, "of 40 epochs")
	says(f, err, "1 layer; of 40 epochs")
	// Output: true
}

func ExampleReflectionMap() {
	_, err := figure.ReflectionMap(figure.Reflections{
		Layers: []string{"conv1"}, Epoch: []float64{1, 2}, Share: [][]float64{{0.02, 1.5}},
	})
	fmt.Println(err)
	// Output: figure: reflections of conv1, share in epochs: value 2 is 1.5: it must be in [0, 1]
}

func ExampleSweepCurves() {
	// At the second step size two of three runs diverged, at the third all.
	f, err := figure.SweepCurves(figure.Sweep{
		X: figure.Axis{Name: "first step size"}, Metrics: []figure.Axis{{Name: "accuracy", Unit: "%"}},
		Lines: []figure.SweepLine{{
			Method: "sghmc", Step: []float64{0.1, 1, 10}, Runs: []int{3, 3, 3}, Failed: []int{0, 2, 3},
			Values: [][]figure.Estimate{{{Value: 81, Low: 80, High: 82}, {Value: 60, Low: 60, High: 60}, {Value: math.NaN()}}},
		}},
	})
	says(f, err, "some runs diverged")
	// Output: true
}

func ExampleScores() {
	f, err := figure.Scores(figure.ScoreTable{
		Metrics: []figure.Metric{{Axis: figure.Axis{Name: "NLL", Unit: "nats"}, Better: -1}},
		Rows: []figure.ScoreRow{
			{Method: "r2sghmc", Average: []figure.Estimate{{Value: 0.61, Low: 0.6, High: 0.62}},
				Single: []figure.Estimate{{Value: 0.7, Low: 0.68, High: 0.72}}},
			{Method: "swag", Average: []figure.Estimate{{Value: 0.66, Low: 0.64, High: 0.68}}},
		},
	})
	says(f, err, "less is better")
	// Output: true
}
