package deep

import (
	"context"
	"errors"
	"math"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/bnn"
	"github.com/r2sgld/r2sgld/kernel"
)

// A rival is a method with its settings, and what became of it.
type rival struct {
	name     string
	settings bnn.Settings
	single   bool    // judged by its last model, not by an average
	marks    []marks // per repetition
	trips    []float64
	swaps    []exchange.Pair // of the first repetition
	kept     int             // models averaged there
	walls    bool            // whether any coordinate met a wall
}

const (
	posteriorBatch = 100
	// posteriorStep is η times the number of training images, of samplers; ηh of the
	// stiffest direction is about 0.05, and minibatches add some percent to the temperature.
	posteriorStep = 0.04
	// optimiserStep is that of optimisers.
	optimiserStep = 0.1
	rungs         = 4
	members       = 10
	sweepEvery    = 10 // iterations between sweeps of rule metropolis
)

// methods sets the rivals up. Each has the same number of gradients.
func (a *appraisal) methods(ctx context.Context) error {
	cold := func(name string) bnn.Settings { return a.sampler(name, 1) }
	ladder := func(ratio float64) bnn.Settings {
		s := a.sampler("r2sghmc", rungs)
		s.Temperature = s.Temperature[:0]
		for r := range rungs {
			s.Temperature = append(s.Temperature, math.Pow(ratio, float64(r)))
		}
		return s
	}
	indicator := ladder(1.6)
	indicator.StepSize = []float64{posteriorStep, 1.3 * posteriorStep, 1.6 * posteriorStep, 2 * posteriorStep}
	indicator.Swap = exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: 0.1}
	metropolis := ladder(1.6)
	metropolis.Swap, metropolis.FullEnergies = exchange.Settings{Every: sweepEvery}, true
	var err error
	if a.plan, err = a.forecast(ctx, metropolis); err != nil {
		return err
	}
	planned := ladder(a.plan.Ratio)
	planned.Swap, planned.FullEnergies = metropolis.Swap, true
	tempered := cold("sghmc")
	tempered.Temperature = []float64{0.05}
	a.rivals = []*rival{
		{name: "SGHMC", settings: cold("sghmc")},
		{name: "R-SGHMC", settings: cold("r-sghmc")},
		{name: "r2SGHMC, planned", settings: planned},
		{name: "r2SGHMC, indicator", settings: indicator},
		{name: "SGHMC, T = 0.05", settings: tempered},
		{name: "SGDM", settings: a.optimiser("sgdm", 1), single: true},
		{name: "deep ensemble", settings: a.optimiser("ensemble", members)},
		{name: "SWAG", settings: a.swag()},
	}
	return nil
}

// forecast says which ladder rule metropolis needs.
func (a *appraisal) forecast(ctx context.Context, s bnn.Settings) (p *bnn.Plan, err error) {
	e, err := a.open(ctx, s.Setup(posteriorNetwork()), "cpu")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	return bnn.Forecast(ctx, e, a.data, s, 20)
}

// base are the settings that all methods of so many replicas share.
func (a *appraisal) base(method string, replicas int) bnn.Settings {
	s := bnn.Settings{Method: method, Epochs: max(10, a.epochs/replicas), Batch: posteriorBatch, Momentum: 0.9, WeightDecay: posteriorDecay,
		Seed: a.Seed, Measure: bnn.Measure{Test: math.MaxInt}}
	if bnn.Reflects(method) {
		s.Bound = posteriorBound
	}
	return s
}

// sampler keeps up to 200 draws of the last four fifths; replicas are its rungs.
func (a *appraisal) sampler(method string, replicas int) bnn.Settings {
	s := a.base(method, replicas)
	s.StepSize, s.Temperature = []float64{posteriorStep}, []float64{1}
	s.Average = bnn.Averaging{From: 0.2, Every: max(1, 5/replicas, s.Epochs/250)}
	return s
}

// optimiser has steps that are constant for half the epochs and then fall to a hundredth.
func (a *appraisal) optimiser(method string, replicas int) bnn.Settings {
	s := a.base(method, replicas)
	s.StepSize, s.Temperature, s.Members = []float64{optimiserStep}, []float64{0}, replicas
	s.Decay = kernel.Decay{Kind: kernel.Exponential, Rate: math.Pow(0.01, 2/float64(s.Epochs)), After: s.Epochs / 2}
	s.Average = bnn.Averaging{From: 0.99}
	return s
}

// swag fits its Gaussian to the second half of the epochs, at a constant step.
func (a *appraisal) swag() bnn.Settings {
	s := a.base("swag", 1)
	s.StepSize, s.Temperature = []float64{optimiserStep}, []float64{0}
	s.Average = bnn.Averaging{From: 0.5, Every: max(1, s.Epochs/100)}
	return s
}
