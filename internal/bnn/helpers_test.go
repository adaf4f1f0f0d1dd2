package bnn_test

import (
	"context"
	"testing"

	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/internal/bnn/bnntest"
	"github.com/r2sgld/r2sgld/kernel"
)

func cloudData() bnn.Data {
	return bnn.Data{Train: bnntest.Clouds(50, 0.4, 1), Test: bnntest.Clouds(30, 0.4, 2), Outside: bnntest.Clouds(9, 0.4, 3)}
}

var perceptron = bnn.Network{Kind: "mlp", Norm: "batch", Activation: "tanh", Hidden: []int{4}, Input: [3]int{1, 1, 2}, Outputs: 3}

// small are settings of a method for a few short epochs.
func small(t testing.TB, method string) bnn.Settings {
	t.Helper()
	s, err := bnn.Method(method)
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, s.Batch, s.Seed = 6, 16, 7
	s.WeightDecay, s.Average.From = 1, 0.3
	for i := range s.StepSize {
		s.StepSize[i] *= 0.1
	}
	if s.Decay.Kind == kernel.Exponential {
		s.Decay.After = 3
	}
	if bnn.Reflects(method) {
		s.Bound = 0.5
	}
	s.Measure.Every = 2
	return s
}

// open returns an engine for settings.
func open(t testing.TB, s bnn.Settings, n bnn.Network) *bnntest.Engine {
	t.Helper()
	e, err := bnntest.Open(s.Setup(n))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// still is a clock that stands, so that nothing of a result is a time.
func still() float64 { return 0 }

// train runs a training to its end.
func train(t testing.TB, s bnn.Settings, n bnn.Network, data bnn.Data, o bnn.Observer) *bnn.Result {
	t.Helper()
	r, err := bnn.Train(context.Background(), open(t, s, n), data, s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
