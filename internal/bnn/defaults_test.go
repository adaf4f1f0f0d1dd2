package bnn_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/r2sgld/r2sgld/internal/bnn"
)

// Settings with defaults are settings of the same training: they stay as they are, make
// sense, and train alike.
func TestSettingsWithDefaults(t *testing.T) {
	for _, method := range bnn.Methods() {
		s := small(t, method)
		s.StepSize = s.StepSize[:1]
		with := s.WithDefaults()
		if diff := cmp.Diff(with, with.WithDefaults()); diff != "" {
			t.Errorf("%s: defaults of defaults: %s", method, diff)
		}
		if err := with.Validate(50); err != nil || len(with.StepSize) != with.Rungs() {
			t.Errorf("%s: %d step sizes: %v", method, len(with.StepSize), err)
		}
		plain := train(t, s, perceptron, cloudData(), bnn.Observer{Seconds: still})
		again := train(t, with, perceptron, cloudData(), bnn.Observer{Seconds: still})
		if diff := cmp.Diff(plain, again, exact); diff != "" {
			t.Errorf("%s: another training: %s", method, diff)
		}
	}
	w := bnn.Settings{Temperature: []float64{1}, StepSize: []float64{1}}.WithDefaults()
	want := bnn.Settings{Temperature: []float64{1}, StepSize: []float64{1}, Order: "shuffle", Anneal: bnn.Anneal{Divide: 1},
		Average: bnn.Averaging{Every: 1, Draws: 1, Of: "probabilities"}, SWAG: bnn.SWAG{Rank: 20, Draws: 30,
			Scale: 1}, Measure: bnn.Measure{Batches: 8, Test: 1}}
	if diff := cmp.Diff(want, w); diff != "" {
		t.Error(diff)
	}
}

func TestNetworkWithDefaults(t *testing.T) {
	for _, c := range []struct{ given, want bnn.Network }{
		{bnn.Network{Kind: "resnet20"}, bnn.Network{Kind: "resnet20", Norm: "batch", Activation: "relu", Loss: "cross-entropy"}},
		{bnn.Network{Kind: "mlp"}, bnn.Network{Kind: "mlp", Norm: "none", Activation: "relu", Loss: "cross-entropy"}},
		{bnn.Network{Kind: "lenet", Norm: "frn"}, bnn.Network{Kind: "lenet", Norm: "frn", Activation: "swish", Loss: "cross-entropy"}},
		{bnn.Network{Kind: "lenet", Norm: "batch", Activation: "tanh", Loss: "squared"},
			bnn.Network{Kind: "lenet", Norm: "batch", Activation: "tanh", Loss: "squared"}},
	} {
		if got := c.given.WithDefaults(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%+v becomes %+v", c.given, got)
		}
	}
	s := small(t, "sghmc")
	if n := s.Setup(bnn.Network{Kind: "lenet"}).Network; n.Norm != "none" {
		t.Errorf("an engine is asked for %+v", n)
	}
}

// SWAG of a network with batch norm says that its models have recomputed buffers; settings
// without keep those that the last iterate has.
func TestSWAGSaysWhatItRecomputes(t *testing.T) {
	s := small(t, "swag")
	if why := strings.Join(s.Bias(true), "\n"); s.Average.Recompute != 2048 || !strings.Contains(why, "buffers of other examples") {
		t.Errorf("recomputes on %d: %s", s.Average.Recompute, why)
	}
	s.Average.Recompute = 0
	w := &spy{Engine: open(t, s, perceptron)}
	if _, err := bnn.Train(t.Context(), w, cloudData(), s, bnn.Observer{}); err != nil || w.recomputed > 0 {
		t.Errorf("buffers were recomputed %d times: %v", w.recomputed, err)
	}
}
