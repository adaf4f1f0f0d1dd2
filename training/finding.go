package training

import (
	"fmt"

	"github.com/r2sgld/r2sgld/bnn"
	"github.com/r2sgld/r2sgld/bnn/images"
	"github.com/r2sgld/r2sgld/bnn/score"
	"github.com/r2sgld/r2sgld/bnn/weights"
	"github.com/r2sgld/r2sgld/exchange"
)

// A finding is what a repetition found. It goes into checkpoints.
type finding struct {
	Epochs          []bnn.Epoch
	Single, Average *judged // of the last model and of the average; nil without labels, or a model
	Pairs           []exchange.Pair
	Sweeps          int64
	RoundTrips      int64
	Index           bnn.Index
	Seconds, Rate   float64
	Usage           bnn.Usage
}

// judged is how good predictions are.
type judged struct {
	Scores    score.Scores
	Detection *score.Detection // nil without images out of distribution
	Entropy   []float64        // of every test example
	Outside   []float64        // of every example out of distribution
}

// found judges what a repetition found and writes its predictions.
func (x *execution) found(repeat int, r *bnn.Result) (*finding, error) {
	f := &finding{Epochs: r.Epochs, Pairs: r.Swaps.Pairs, Sweeps: r.Swaps.Sweeps, RoundTrips: r.Swaps.RoundTrips,
		Index: r.Index, Seconds: r.Seconds, Rate: r.Rate, Usage: r.Usage}
	var err error
	if f.Single, err = judge(r.Single, x.Data.Test); err != nil {
		return nil, err
	}
	if f.Average, err = judge(r.Average, x.Data.Test); err != nil {
		return nil, err
	}
	return f, x.writePredictions(repeat, r)
}

// judge scores predictions of classes; nil if there are none.
func judge(p bnn.Predictions, test *images.Set) (*judged, error) {
	if p.Test == nil || test.Labels == nil {
		return nil, nil
	}
	s, err := score.Score(p.Test, test.Labels, nil)
	if err != nil {
		return nil, err
	}
	j := &judged{Scores: *s, Entropy: p.Test.Entropy()}
	if p.Outside == nil {
		return j, nil
	}
	j.Outside = p.Outside.Entropy()
	j.Detection, err = score.Detect(p.Test, p.Outside)
	return j, err
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
