package training

import (
	"fmt"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/score"
	"github.com/r2sgld/r2sgld/internal/bnn/weights"
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
	bnn.Scores
	Entropy []float64 // of every test example, in nats
	Outside []float64 // of every example out of distribution, likewise
}

// found judges what a repetition found and writes its predictions.
func (x *execution) found(repeat int, r *bnn.Result) (*finding, error) {
	f := &finding{Epochs: r.Epochs, Pairs: r.Swaps.Pairs, Sweeps: r.Swaps.Sweeps, RoundTrips: r.Swaps.RoundTrips,
		Index: r.Index, Seconds: r.Seconds, Rate: r.Rate, Usage: r.Usage}
	var err error
	if f.Single, err = x.judge(r.Single); err != nil {
		return nil, err
	}
	if f.Average, err = x.judge(r.Average); err != nil {
		return nil, err
	}
	return f, x.writePredictions(repeat, r)
}

// judge scores predictions; nil if there are none, or nothing to hold them against.
func (x *execution) judge(p bnn.Predictions) (*judged, error) {
	s, err := p.Scores(x.Data.Test)
	if err != nil || s == nil {
		return nil, err
	}
	j := &judged{Scores: *s}
	if p.Test != nil {
		j.Entropy = p.Test.Entropy()
	}
	if p.Outside != nil {
		j.Outside = p.Outside.Entropy()
	}
	return j, nil
}

// writePredictions writes predictions-N.npz: for every test example the outputs
// (probabilities of classes) of the last model and of the average, the labels, and where
// it is in the file of the data, from 0.
func (x *execution) writePredictions(repeat int, r *bnn.Result) error {
	var arrays []weights.Array
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
			arrays = append(arrays, weights.Array{Name: a.name, Shape: []int{len(v) / x.Network.Outputs, x.Network.Outputs}, Values: v})
		}
	}
	test := x.Data.Test
	if test.Labels != nil {
		a := weights.Array{Name: "labels", Shape: []int{len(test.Labels)}}
		for _, l := range test.Labels {
			a.Integers = append(a.Integers, int64(l))
		}
		arrays = append(arrays, a)
	}
	place := weights.Array{Name: "index", Shape: []int{test.Len()}}
	for i := range test.Len() {
		if test.Index != nil {
			i = test.Index[i]
		}
		place.Integers = append(place.Integers, int64(i))
	}
	arrays = append(arrays, place)
	text, err := weights.EncodeNPZ(arrays)
	if err != nil {
		return fmt.Errorf("predictions: %w", err)
	}
	return x.folder.WriteFile(fmt.Sprintf("predictions-%d.npz", repeat+1), text)
}
