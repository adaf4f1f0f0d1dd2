package bnn

import (
	"cmp"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/stream"
)

// Settings say how a network is trained. What is per rung is cold first. [Method]
// returns those of the paper for each method; a slice of one number holds for every
// rung.
type Settings struct {
	Method string // a name of [Methods]
	Epochs int    // ≥ 1, burn-in included
	Batch  int    // examples of a minibatch, at most those of the training set
	// Order is shuffle, each epoch a fresh permutation cut into ⌈N/Batch⌉ minibatches
	// whose sizes differ by one at most, or independent, ⌈N/Batch⌉ minibatches drawn one
	// by one, without replacement inside, all of full size: what formulae of a law
	// assume. "" is shuffle.
	Order   string
	Augment Augmentation // of training minibatches; Seed is set by Train

	StepSize    []float64 // > 0, per rung; divided by N, the number of training examples
	Temperature []float64 // ≥ 0, per rung, increasing; its length is the number of rungs. 0 is an optimiser
	Anneal      Anneal    // of the temperatures
	// Decay varies the step sizes by epochs k = 1, 2, … of Epochs (After is an epoch),
	// kind cosine by iterations.
	Decay         kernel.Decay
	Momentum      float64 // μ in [0, 1)
	NoiseEstimate float64 // β̂ ≥ 0, μ + β̂ < 1
	WeightDecay   float64 // λ ≥ 0, of the prior N(0, 1/λ) of each parameter
	Bound         float64 // b > 0 of methods with reflection, else 0 or +Inf: none
	Reflect       []Role  // roles of the tensors that walls hold back; nil is all
	// AsReleased follows the paper's code: one mirroring that leaves the momentum
	// alone, momenta that are not rescaled in swaps, and η/20 added to β̂.
	AsReleased bool

	Members int // replicas of method ensemble, which do not trade; else ignored
	SWAG    SWAG
	Swap    exchange.Settings // rule indicator takes mean losses, Gain and 𝒞 in their units
	// FullEnergies takes the energies of sweeps over all training data, without noise,
	// instead of the minibatch: a sweep in which a pair attempts costs half an epoch or less.
	FullEnergies bool
	Average      Averaging
	Measure      Measure

	Seed   uint64
	Ladder int // the number of the repetition, from 0: its streams are others
}

// Anneal divides all temperatures by Divide after every epoch up to epoch Until.
type Anneal struct {
	Divide float64 `json:"divide"`          // ≥ 1; 0 is 1, none
	Until  int     `json:"until,omitempty"` // epochs; 0 is all
}

// Averaging says which models of the cold rung are averaged, and how. With cosine cycles
// the first three quarters of each, where steps are large, only explore and are left out.
type Averaging struct {
	From  float64 `json:"from"`  // share of the epochs after which models are kept, in [0, 1)
	Every int     `json:"every"` // epochs between; 0 is 1
	Draws int     `json:"draws"` // models kept in such an epoch, evenly spread over it; 0 is 1, at its end
	Of    string  `json:"of"`    // probabilities or logits, which the paper's code averages; "" is probabilities
	// Recompute sets the batch-norm buffers of a kept model to the means over this many
	// training examples, always the same; 0 takes those that it has run with.
	Recompute int `json:"recompute"`
}

// SWAG says how the Gaussian of method swag is fitted and drawn from (Maddox et al.
// 2019): to iterates at the ends of the epochs that Averaging keeps.
type SWAG struct {
	Rank  int     `json:"rank"`  // K of the low-rank part, the last K iterates; 0 is 20
	Draws int     `json:"draws"` // M models drawn at the end; 0 is 30
	Scale float64 `json:"scale"` // of the covariance; 0 is 1
}

// Measure says how often costly measurements are made.
type Measure struct {
	Every   int `json:"every"`   // epochs between temperatures and noise budgets per layer; 0 is never
	Batches int `json:"batches"` // minibatches of a noise budget, at least 2; 0 is 8
	Test    int `json:"test"`    // epochs between evaluations on the test set of an epoch that keeps no model; 0 is 1
}

// WithDefaults returns the settings with what zeros stand for, and a step size for each
// rung. Those of Swap are [exchange.Settings.WithDefaults].
func (s Settings) WithDefaults() Settings {
	s.Order = cmp.Or(s.Order, "shuffle")
	s.Anneal.Divide = cmp.Or(s.Anneal.Divide, 1)
	s.Average.Every = cmp.Or(s.Average.Every, 1)
	s.Average.Draws = cmp.Or(s.Average.Draws, 1)
	s.Average.Of = cmp.Or(s.Average.Of, "probabilities")
	s.SWAG.Rank = cmp.Or(s.SWAG.Rank, 20)
	s.SWAG.Draws = cmp.Or(s.SWAG.Draws, 30)
	s.SWAG.Scale = cmp.Or(s.SWAG.Scale, 1)
	s.Measure.Batches = cmp.Or(s.Measure.Batches, 8)
	s.Measure.Test = cmp.Or(s.Measure.Test, 1)
	if len(s.StepSize) == 1 {
		s.StepSize = slices.Repeat(s.StepSize, s.Rungs())
	}
	return s
}

// perReplica returns settings with defaults as a training uses them: a rung for each
// member of an ensemble, and numbers for what is nowhere.
func (s Settings) perReplica() Settings {
	s.Anneal.Until = cmp.Or(s.Anneal.Until, math.MaxInt)
	s.Bound = cmp.Or(s.Bound, math.Inf(1))
	if s.Method == "ensemble" {
		s.Temperature = make([]float64, s.Members)
		s.StepSize = slices.Repeat(s.StepSize, s.Members)
	}
	return s
}

// Rungs is the number of temperatures.
func (s *Settings) Rungs() int { return len(s.Temperature) }

// Steps is the number of iterations of an epoch on so many examples, ⌈examples/Batch⌉.
func (s *Settings) Steps(examples int) int { return (examples + s.Batch - 1) / s.Batch }

// Replicas is the number of networks that move: rungs, or members of an ensemble.
func (s *Settings) Replicas() int {
	if s.Method == "ensemble" {
		return s.Members
	}
	return s.Rungs()
}

// Setup returns what an engine for these settings is made of. Its seed is another one
// for each ladder.
func (s *Settings) Setup(network Network) Setup {
	seed := stream.New(s.Seed, s.Ladder).Of(0, engineSeed).Uint64()
	return Setup{Network: network.WithDefaults(), Replicas: s.Replicas(), Seed: seed, Reflect: s.Reflect}
}

// The purposes of streams that only networks have.
const (
	engineSeed stream.Purpose = "engine"  // the key of the engine's own noise
	augment    stream.Purpose = "augment" // the seed of each minibatch's augmentation
	fresh      stream.Purpose = "fresh"   // minibatches for σ̃²
	measured   stream.Purpose = "measure" // minibatches of noise budgets
	subset     stream.Purpose = "subset"  // examples that batch-norm buffers are recomputed on, or all in another order
	fitted     stream.Purpose = "swag"    // models drawn from SWAG's Gaussian
)
