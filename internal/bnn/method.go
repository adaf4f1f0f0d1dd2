package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/kernel"
)

// Methods returns the names of all methods, in the order of the paper's tables and
// then the baselines.
func Methods() []string {
	return []string{"sgdm", "sghmc", "cycsghmc", "resghmc", "r-sgdm", "r-sghmc", "r-cycsghmc", "r2sghmc", "ensemble", "swag"}
}

// Method returns the settings of a method as in the paper: 1000 epochs of batches of
// 2048, step 2 (rungs 1 … 4) constant for 300 epochs and then ×0.99, momentum 0.9,
// weight decay 5, bound 4, three cosine cycles, swaps of rule indicator. Temperatures
// are those of the released code, 0.05 and ×5 from rung to rung, without annealing.
// sgdm, ensemble and swag have temperature 0; swag's models, which ran with no
// batch-norm buffers, have them recomputed on 2048 examples.
func Method(name string) (Settings, error) {
	if !slices.Contains(Methods(), name) {
		return Settings{}, fmt.Errorf("unknown method %q: use %s", name, strings.Join(Methods(), ", "))
	}
	s := Settings{Method: name, Epochs: 1000, Batch: 2048, StepSize: []float64{2}, Temperature: []float64{0.05},
		Momentum: 0.9, WeightDecay: 5, Decay: kernel.Decay{Kind: kernel.Exponential, Rate: 0.99, After: 300},
		Average: Averaging{From: 0.6}}
	if Reflects(name) {
		s.Bound = 4
	}
	switch base(name) {
	case "sgdm":
		s.Temperature = []float64{0}
	case "swag":
		s.Temperature, s.Average.Recompute = []float64{0}, 2048
	case "ensemble":
		s.Temperature, s.Members = []float64{0}, 4
	case "cycsghmc":
		s.Decay = kernel.Decay{Kind: kernel.Cosine, Cycles: 3}
	case "resghmc":
		s.StepSize = []float64{1, math.Cbrt(4), math.Cbrt(16), 4}
		s.Temperature = []float64{0.05, 0.25, 1.25, 6.25}
		s.Swap = exchange.Settings{Scheme: "windowed-deo", Rule: "indicator", Target: 0.1}
	}
	return s, nil
}

// Reflects reports whether a method has a bound: those whose names begin with r- or r2.
func Reflects(name string) bool {
	return strings.HasPrefix(name, "r-") || strings.HasPrefix(name, "r2")
}

// Exchanges reports whether a method has a ladder whose rungs trade.
func Exchanges(name string) bool { return base(name) == "resghmc" }

// base is the name of a method without its reflection.
func base(name string) string {
	if name == "r2sghmc" {
		return "resghmc"
	}
	return strings.TrimPrefix(name, "r-")
}

// Validate names every setting that makes no sense for a training set of so many
// examples, 0 if that is not known yet.
func (s *Settings) Validate(examples int) error {
	return errors.Join(s.faultsOfRun(examples), s.faultsOfMoves(), s.faultsOfRungs(), s.faultsOfModels(), s.Swap.Validate())
}

// faults gathers what is wrong.
type faults []error

func (f *faults) when(bad bool, format string, args ...any) {
	if bad {
		*f = append(*f, fmt.Errorf(format, args...))
	}
}

func (s *Settings) faultsOfRun(examples int) error {
	var f faults
	f.when(!slices.Contains(Methods(), s.Method), "unknown method %q: use %s", s.Method, strings.Join(Methods(), ", "))
	f.when(s.Epochs < 1, "epochs %d must be at least 1", s.Epochs)
	f.when(s.Batch < 1, "batch %d must be at least 1", s.Batch)
	f.when(examples > 0 && s.Batch > examples, "batch %d is larger than the training set of %d examples", s.Batch, examples)
	f.when(!slices.Contains([]string{"", "shuffle", "independent"}, s.Order), "unknown order %q: use shuffle or independent", s.Order)
	f.when(s.Augment.Crop < 0, "crop %d must not be negative", s.Augment.Crop)
	f.when(!(s.Augment.Erase >= 0 && s.Augment.Erase <= 1), "erase %g must be in [0, 1]", s.Augment.Erase)
	f.when(s.Ladder < 0, "ladder %d must not be negative", s.Ladder)
	return errors.Join(f...)
}

func (s *Settings) faultsOfMoves() error {
	var f faults
	momentum := kernel.Momentum{Mu: s.Momentum, NoiseEstimate: s.NoiseEstimate}
	for _, err := range []error{momentum.Validate(), s.Decay.Validate()} {
		if err != nil {
			f = append(f, err)
		}
	}
	f.when(!(s.WeightDecay >= 0) || math.IsInf(s.WeightDecay, 1), "weight decay %g must be finite and not negative", s.WeightDecay)
	f.when(s.Anneal.Divide != 0 && !(s.Anneal.Divide >= 1 && !math.IsInf(s.Anneal.Divide, 1)),
		"annealing divides temperatures by %g: must be finite and at least 1", s.Anneal.Divide)
	f.when(s.Anneal.Until < 0, "annealing until epoch %d: must not be negative", s.Anneal.Until)
	if Reflects(s.Method) {
		f.when(!(s.Bound > 0), "bound %g must be positive: method %s reflects", s.Bound, s.Method)
	} else {
		f.when(s.Bound != 0 && !math.IsInf(s.Bound, 1), "method %s has no bound: use %s", s.Method, reflected(s.Method))
	}
	for _, r := range s.Reflect {
		f.when(!slices.Contains([]Role{Weight, Bias, Scale, Shift}, r),
			"unknown role %q of reflected tensors: use weight, bias, scale or shift", r)
	}
	return errors.Join(f...)
}

// reflected is the name of the method with reflection that is nearest to one without.
func reflected(name string) string {
	switch name {
	case "resghmc":
		return "r2sghmc"
	case "ensemble", "swag":
		return "r-sgdm"
	}
	return "r-" + name
}

func (s *Settings) faultsOfRungs() error {
	var f faults
	n := s.Rungs()
	f.when(n == 0, "a temperature is needed")
	f.when(len(s.StepSize) != 1 && len(s.StepSize) != n, "%d step sizes for %d temperatures: give one for each rung, or one for all",
		len(s.StepSize), n)
	for i, eta := range s.StepSize {
		f.when(!(eta > 0) || math.IsInf(eta, 1), "step size %g of rung %d must be positive and finite", eta, i+1)
	}
	for i, tau := range s.Temperature {
		f.when(!(tau >= 0) || math.IsInf(tau, 1), "temperature %g of rung %d must be finite and not negative", tau, i+1)
		f.when(i > 0 && !(tau > s.Temperature[i-1]), "temperatures must increase: found %g, then %g", s.Temperature[max(0, i-1)], tau)
	}
	if Exchanges(s.Method) {
		f.when(n < 2, "method %s needs at least 2 temperatures", s.Method)
		f.when(n > 1 && s.Temperature[0] == 0, "method %s needs temperatures above 0", s.Method)
	} else {
		f.when(n > 1, "method %s has one temperature, not %d: use resghmc or r2sghmc", s.Method, n)
	}
	switch base(s.Method) {
	case "sgdm", "ensemble", "swag":
		f.when(n == 1 && s.Temperature[0] != 0, "method %s has temperature 0, not %g", s.Method, s.Temperature[0])
	case "cycsghmc":
		f.when(s.Decay.Kind != kernel.Cosine, "method %s needs schedule cosine", s.Method)
	}
	f.when(s.FullEnergies && (s.Swap.Variance > 0 || s.Swap.Estimate.Every > 0),
		"energies over all data have no noise: leave the variance of swaps out")
	f.when(s.Method == "ensemble" && s.Members < 2, "an ensemble of %d: needs at least 2 members", s.Members)
	return errors.Join(f...)
}

func (s *Settings) faultsOfModels() error {
	var f faults
	a, g, m := s.Average, s.SWAG, s.Measure
	f.when(!(a.From >= 0 && a.From < 1), "average from %g must be at least 0 and less than 1", a.From)
	f.when(a.Every < 0, "average every %d epochs: must be at least 1", a.Every)
	f.when(a.Draws < 0, "%d models kept per epoch: must be at least 1", a.Draws)
	optima := s.Method == "ensemble" || s.Method == "swag"
	f.when(optima && a.Draws > 1, "method %s keeps one model per epoch, not %d", s.Method, a.Draws)
	first := math.Floor(a.From*float64(s.Epochs) + 1e-9)
	f.when(s.Method == "swag" && (float64(s.Epochs)-first-1)/float64(max(1, a.Every)) < 1,
		"SWAG needs the ends of 2 epochs at least: keep from an earlier share than %g, or train longer", a.From)
	f.when(!slices.Contains([]string{"", "probabilities", "logits"}, a.Of), "unknown average of %q: use probabilities or logits", a.Of)
	f.when(a.Recompute < 0, "batch norm recomputed on %d examples: must not be negative", a.Recompute)
	f.when(g.Rank < 0 || g.Rank == 1, "SWAG of rank %d: must be at least 2", g.Rank)
	f.when(g.Draws < 0, "SWAG with %d models: must be at least 1", g.Draws)
	f.when(!(g.Scale >= 0) || math.IsInf(g.Scale, 1), "SWAG's scale %g must be positive and finite", g.Scale)
	f.when(m.Every < 0, "measurements every %d epochs: must not be negative", m.Every)
	f.when(m.Batches < 0 || m.Batches == 1, "measurements on %d minibatches: at least 2 are needed", m.Batches)
	f.when(m.Test < 0, "evaluation every %d epochs: must be at least 1", m.Test)
	return errors.Join(f...)
}

// Bias returns the reasons, in words, why the draws do not follow the posterior at
// the cold rung's temperature, up to the bias of a finite step; none if they do.
// normalised says whether the network has batch norm.
func (s *Settings) Bias(normalised bool) []string {
	var why []string
	because := func(biased bool, reason string, args ...any) {
		if biased {
			why = append(why, fmt.Sprintf(reason, args...))
		}
	}
	cold := slices.Min(append(slices.Clone(s.Temperature), 1))
	because(cold == 0 || s.Method == "swag" || s.Method == "ensemble", "method %s optimises: its spread is not that of a posterior", s.Method)
	because(cold > 0 && cold < 1, "temperature %g is below 1: a cold posterior, sharper than that of the model", cold)
	because(normalised, "batch norm makes the likelihood of an example depend on the others in its minibatch: there is no posterior of "+
		"which these are draws (use norm: frn)")
	a, d := s.Augment, s.Decay
	because(a.Crop > 0 || a.Flip || a.Erase > 0,
		"augmentation counts changed images as if they were the data: no posterior belongs to it (use augment: none)")
	because(s.Anneal.Divide > 1,
		"temperatures are annealed: later draws follow a colder law, and there is no temperature at which all are draws")
	because(d.Kind == kernel.Cosine,
		"cosine cycles restart with large steps: draws from there are far from the law, and at the end of a cycle they hardly differ")
	because(d.Kind == kernel.Exponential && d.Rate < 1 && d.After < s.Epochs || d.Kind == kernel.Polynomial && d.Gamma > 0,
		"step sizes decay: draws slow down and hardly differ at the end")
	because(s.Average.Recompute > 0 && normalised, "kept models have batch-norm buffers of other examples than they ran with")
	because(s.AsReleased, "as released: walls leave the momentum alone, and swaps do not rescale it")
	if Exchanges(s.Method) {
		why = append(why, s.Swap.Bias(s.Rungs(), !s.FullEnergies)...)
	}
	return why
}
