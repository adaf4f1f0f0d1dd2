package training

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/bnn"
	"github.com/r2sgld/r2sgld/bnn/score"
	"github.com/r2sgld/r2sgld/bnn/weights"
	"github.com/r2sgld/r2sgld/exchange"
)

// A finding is what a repetition found. It goes into checkpoints.
type finding struct {
	Epochs          []bnn.Epoch
	Single, Average *score.Judged // of the last model and of the average; nil without labels, or a model
	// SingleRMSE and AverageRMSE are of the same for regressions; 0 is none.
	SingleRMSE, AverageRMSE float64
	Pairs                   []exchange.Pair
	Sweeps                  int64
	RoundTrips              int64
	Index                   bnn.Index
	Seconds, Rate           float64
	Usage                   bnn.Usage
}

// found judges what a repetition found and writes its predictions.
func (x *execution) found(repeat int, r *bnn.Result) (*finding, error) {
	f := &finding{Epochs: r.Epochs, Pairs: r.Swaps.Pairs, Sweeps: r.Swaps.Sweeps, RoundTrips: r.Swaps.RoundTrips,
		Index: r.Index, Seconds: r.Seconds, Rate: r.Rate, Usage: r.Usage}
	var err error
	for _, m := range []struct {
		of   bnn.Predictions
		into **score.Judged
		rmse *float64
	}{{r.Single, &f.Single, &f.SingleRMSE}, {r.Average, &f.Average, &f.AverageRMSE}} {
		if *m.rmse = rmse(m.of.Outputs, x.Data.Test.Targets); m.of.Test == nil || x.Data.Test.Labels == nil {
			continue
		}
		if *m.into, err = score.Judge(m.of.Test, m.of.Outside, x.Data.Test.Labels); err != nil {
			return nil, err
		}
	}
	return f, x.writePredictions(repeat, r)
}

// rmse is the root of the mean squared error of outputs, over all examples and
// targets; 0 without any.
func rmse(outputs []float64, targets []float32) float64 {
	if len(outputs) == 0 || len(outputs) != len(targets) {
		return 0
	}
	sum := 0.0
	for i, v := range outputs {
		d := v - float64(targets[i])
		sum += d * d
	}
	return math.Sqrt(sum / float64(len(outputs)))
}

// writePredictions writes predictions-N.npz: for every test example the outputs
// (probabilities of classes) of the last model and of the average, and the labels.
func (x *execution) writePredictions(repeat int, r *bnn.Result) error {
	var arrays []weights.Tensor
	for _, a := range []struct {
		name   string
		of     *score.Predictions
		values []float64
	}{
		{"single", r.Single.Test, r.Single.Outputs}, {"average", r.Average.Test, r.Average.Outputs},
		{"single_outside", r.Single.Outside, nil}, {"average_outside", r.Average.Outside, nil},
	} {
		v := a.values
		if a.of != nil {
			v = a.of.Probabilities()
		}
		if v != nil {
			arrays = append(arrays, weights.Tensor{Name: a.name, Shape: []int{len(v) / x.Network.Outputs, x.Network.Outputs}, Values: v})
		}
	}
	if labels := x.Data.Test.Labels; labels != nil {
		t := weights.Tensor{Name: "labels", Shape: []int{len(labels)}}
		for _, l := range labels {
			t.Values = append(t.Values, float64(l))
		}
		arrays = append(arrays, t)
	}
	text, err := weights.EncodeNPZ(arrays)
	if err != nil {
		return fmt.Errorf("predictions: %w", err)
	}
	return x.folder.WriteFile(fmt.Sprintf("predictions-%d.npz", repeat+1), text)
}
