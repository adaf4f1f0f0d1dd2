package bnn_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/kernel"
)

func TestMethods(t *testing.T) {
	for _, c := range []struct {
		name            string
		rungs, replicas int
		bound, cold     float64
		decay           kernel.Kind
		trades          bool
	}{
		{"sgdm", 1, 1, 0, 0, kernel.Exponential, false},
		{"sghmc", 1, 1, 0, 0.05, kernel.Exponential, false},
		{"cycsghmc", 1, 1, 0, 0.05, kernel.Cosine, false},
		{"resghmc", 4, 4, 0, 0.05, kernel.Exponential, true},
		{"r-sgdm", 1, 1, 4, 0, kernel.Exponential, false},
		{"r-sghmc", 1, 1, 4, 0.05, kernel.Exponential, false},
		{"r-cycsghmc", 1, 1, 4, 0.05, kernel.Cosine, false},
		{"r2sghmc", 4, 4, 4, 0.05, kernel.Exponential, true},
		{"ensemble", 1, 4, 0, 0, kernel.Exponential, false},
		{"swag", 1, 1, 0, 0, kernel.Exponential, false},
	} {
		s, err := bnn.Method(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if s.Method != c.name || s.Rungs() != c.rungs || s.Replicas() != c.replicas || s.Bound != c.bound || s.Temperature[0] != c.cold ||
			s.Decay.Kind != c.decay || bnn.Exchanges(c.name) != c.trades || bnn.Reflects(c.name) != (c.bound > 0) {
			t.Errorf("%s: %+v", c.name, s)
		}
		if err := s.Validate(50_000); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if s.Setup(perceptron).Replicas != c.replicas {
			t.Errorf("%s: an engine of %d replicas", c.name, s.Setup(perceptron).Replicas)
		}
	}
	if len(bnn.Methods()) != 10 {
		t.Errorf("methods %v", bnn.Methods())
	}
	if _, err := bnn.Method("sgd"); err == nil {
		t.Error("sgd was taken for a method")
	}
}

// Engines of other seeds and ladders make other noise.
func TestSetupSeeds(t *testing.T) {
	s := small(t, "sghmc")
	first := s.Setup(perceptron).Seed
	s.Ladder = 1
	second := s.Setup(perceptron).Seed
	s.Ladder, s.Seed = 0, 8
	if third := s.Setup(perceptron).Seed; first == second || first == third || second == third {
		t.Errorf("seeds %d, %d, %d", first, second, third)
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []struct {
		method, want string
		change       func(*bnn.Settings)
	}{
		{"sghmc", "batch 51 is larger than the training set of 50 examples", func(s *bnn.Settings) { s.Batch = 51 }},
		{"sghmc", "batch 0", func(s *bnn.Settings) { s.Batch = 0 }},
		{"sghmc", "epochs 0", func(s *bnn.Settings) { s.Epochs = 0 }},
		{"sghmc", "use shuffle or independent", func(s *bnn.Settings) { s.Order = "sorted" }},
		{"sghmc", "has no bound: use r-sghmc", func(s *bnn.Settings) { s.Bound = 4 }},
		{"resghmc", "has no bound: use r2sghmc", func(s *bnn.Settings) { s.Bound = 4 }},
		{"r-sghmc", "bound 0 must be positive", func(s *bnn.Settings) { s.Bound = 0 }},
		{"r-sghmc", "bound -1 must be positive", func(s *bnn.Settings) { s.Bound = -1 }},
		{"r-sghmc", "bound NaN must be positive", func(s *bnn.Settings) { s.Bound = math.NaN() }},
		{"r-sghmc", "unknown role", func(s *bnn.Settings) { s.Reflect = []bnn.Role{"kernel"} }},
		{"sghmc", "momentum 1", func(s *bnn.Settings) { s.Momentum = 1 }},
		{"sghmc", "weight decay -1", func(s *bnn.Settings) { s.WeightDecay = -1 }},
		{"sghmc", "step size 0 of rung 1", func(s *bnn.Settings) { s.StepSize = []float64{0} }},
		{"resghmc", "3 step sizes for 4 temperatures", func(s *bnn.Settings) { s.StepSize = s.StepSize[:3] }},
		{"resghmc", "temperatures must increase", func(s *bnn.Settings) { s.Temperature[2] = 0.01 }},
		{"resghmc", "needs at least 2 temperatures", func(s *bnn.Settings) { s.StepSize, s.Temperature = s.StepSize[:1], s.Temperature[:1] }},
		{"resghmc", "temperatures above 0", func(s *bnn.Settings) { s.Temperature[0] = 0 }},
		{"sghmc", "has one temperature, not 2", func(s *bnn.Settings) { s.Temperature = []float64{1, 2} }},
		{"sgdm", "has temperature 0, not 1", func(s *bnn.Settings) { s.Temperature = []float64{1} }},
		{"ensemble", "at least 2 members", func(s *bnn.Settings) { s.Members = 1 }},
		{"cycsghmc", "needs schedule cosine", func(s *bnn.Settings) { s.Decay = kernel.Decay{} }},
		{"swag", "SWAG needs the ends of 2 epochs", func(s *bnn.Settings) { s.Average.From = 0.99 }},
		{"swag", "SWAG of rank 1", func(s *bnn.Settings) { s.SWAG.Rank = 1 }},
		{"sghmc", "average from 1 must be", func(s *bnn.Settings) { s.Average.From = 1 }},
		{"sghmc", "use probabilities or logits", func(s *bnn.Settings) { s.Average.Of = "weights" }},
		{"sghmc", "at least 2 are needed", func(s *bnn.Settings) { s.Measure.Batches = 1 }},
		{"sghmc", "at least 1", func(s *bnn.Settings) { s.Anneal.Divide = 0.5 }},
		{"resghmc", "unknown swap rule", func(s *bnn.Settings) { s.Swap.Rule = "greedy" }},
		{"resghmc", "have no noise", func(s *bnn.Settings) { s.FullEnergies, s.Swap = true, exchange.Settings{Variance: 1} }},
	} {
		s := small(t, c.method)
		if err := s.Validate(50); err != nil {
			t.Fatal(err)
		}
		c.change(&s)
		if err := s.Validate(50); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: found %v, not %q", c.method, err, c.want)
		}
	}
}

// The only claim of a law: SGHMC at temperature 1 and steps that stay, without batch norm
// and augmentation, and exact swaps.
func TestBias(t *testing.T) {
	s := small(t, "resghmc")
	s.Temperature = []float64{1, 1.1, 1.2, 1.3}
	s.Decay = kernel.Decay{}
	s.Swap = exchange.Settings{Estimate: exchange.Estimate{Every: 10}}
	if why := s.Bias(false); len(why) > 0 {
		t.Errorf("a sampler is called biased: %q", why)
	}
	for want, change := range map[string]func(*bnn.Settings){
		"augmentation":   func(s *bnn.Settings) { s.Augment.Flip = true },
		"annealed":       func(s *bnn.Settings) { s.Anneal.Divide = 1.02 },
		"cosine":         func(s *bnn.Settings) { s.Decay = kernel.Decay{Kind: kernel.Cosine, Cycles: 3} },
		"decay":          func(s *bnn.Settings) { s.Decay = kernel.Decay{Kind: kernel.Exponential, Rate: 0.9} },
		"cold posterior": func(s *bnn.Settings) { s.Temperature = []float64{0.5, 1, 2, 3} },
		"population":     func(s *bnn.Settings) { s.Swap = exchange.Settings{Rule: "indicator"} },
		"noise for":      func(s *bnn.Settings) { s.Swap = exchange.Settings{} },
		"as released":    func(s *bnn.Settings) { s.AsReleased = true },
		"optimises":      func(s *bnn.Settings) { s.Method, s.Temperature = "ensemble", []float64{0} },
	} {
		biased := s
		change(&biased)
		if why := strings.Join(biased.Bias(false), "\n"); !strings.Contains(why, want) {
			t.Errorf("%q does not name %q", why, want)
		}
	}
	if why := s.Bias(true); len(why) != 1 || !strings.Contains(why[0], "batch norm") {
		t.Errorf("batch norm: %q", why)
	}
	late := s
	late.Decay = kernel.Decay{Kind: kernel.Exponential, Rate: 0.9, After: late.Epochs}
	if why := late.Bias(false); len(why) > 0 {
		t.Errorf("a decay after the end is called biased: %q", why)
	}
	exactly := s
	exactly.Swap, exactly.FullEnergies = exchange.Settings{}, true
	if why := exactly.Bias(false); len(why) > 0 {
		t.Errorf("energies over all data are called biased: %q", why)
	}
}

// With cosine cycles the models of the first three quarters of each are left out, but the last of
// all: 12 epochs of 3 iterations in 3 cycles of 12.
func TestCyclesExploreFirst(t *testing.T) {
	s, err := bnn.Method("cycsghmc")
	if err != nil {
		t.Fatal(err)
	}
	s.Epochs, s.Batch, s.StepSize = 12, 17, []float64{0.1}
	s.Average = bnn.Averaging{Draws: 3}
	var kept []int
	_, err = bnn.Train(t.Context(), open(t, s, perceptron), cloudData(), s, bnn.Observer{Keep: func(d bnn.Draw) error {
		kept = append(kept, d.Iteration)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var want []int
	for k := 1; k <= 36; k++ {
		if (k-1)%12 >= 9 {
			want = append(want, k)
		}
	}
	if !slices.Equal(kept, want) {
		t.Errorf("kept after iterations %v, want %v", kept, want)
	}
}
