package exchange

import (
	"errors"
	"fmt"
	"math"
)

// Settings say which pairs of rungs try to trade, when, and by which rule. The
// zero value is deterministic even-odd with exact energies.
type Settings struct {
	Scheme     string   // "" is deo; adj, ape, seo (random even-odd), deo, windowed-deo
	Rule       string   // "" is metropolis; threshold, indicator
	Every      int      // iterations between sweeps; 0 is 1
	Correction float64  // C > 0 of the penalty; 0 is 2, exact for Gaussian energy noise
	Variance   float64  // σ̃² ≥ 0 of the difference of a pair's energies given the states; ignored when it is estimated
	Estimate   Estimate // σ̃² estimated on line; the zero value: not
	Threshold  float64  // c of rule threshold, in (0,1]; 0 is 3e-4
	Target     float64  // 𝕊 in (0,1), of the window's length and of rule indicator; 0 is 0.1
	Gain       float64  // γ of rule indicator, in units of energy; 0 is min(½, 600/(k^0.8+1000))/10 in sweep k = 1, 2, … (Deng et al. 2023)
	Window     int      // W of windowed-deo, sweeps; 0 computes it from Target and the number of rungs
	Gate       string   // of windowed-deo: "" is last; open, once
	Parity     string   // of windowed-deo: "" is on (it alternates); off: all pairs in sequence, every sweep
	Adapt      string   // of rule indicator: "" is before, by the energies before any pair trades; after, as the paper prints it
}

// Estimate says how σ̃² is estimated on line.
type Estimate struct {
	Every     int     `json:"every"`     // iterations between estimates; 0: not estimated
	Batches   int     `json:"batches"`   // fresh energies of each replica per estimate, at least 2; 0 is 10
	Smoothing float64 `json:"smoothing"` // a in (0,1] of σ̃² ← (1−a)σ̃² + a s²; 0 is 0.1
}

// Validate names every setting that makes no sense.
func (s Settings) Validate() error {
	var faults []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	windowed := s.Scheme == "windowed-deo"
	fault(!oneOf(s.Scheme, "", "adj", "ape", "seo", "deo", "windowed-deo"),
		"unknown swap scheme %q: use adj, ape, seo, deo or windowed-deo", s.Scheme)
	fault(!oneOf(s.Rule, "", "metropolis", "threshold", "indicator"), "unknown swap rule %q: use metropolis, threshold or indicator", s.Rule)
	fault(s.Every < 0, "swap every %d iterations: must be at least 1", s.Every)
	fault(s.Correction != 0 && !positive(s.Correction), "swap correction %g must be positive (2 is exact for Gaussian energy noise)",
		s.Correction)
	fault(s.Variance != 0 && !positive(s.Variance), "swap variance %g must not be negative", s.Variance)

	e := s.Estimate
	fault(e.Every < 0, "swap variance estimated every %d iterations: must be at least 1", e.Every)
	fault(e.Every == 0 && e != Estimate{}, "swap variance: batches and smoothing need the iterations between estimates")
	fault(e.Batches != 0 && e.Batches < 2, "swap variance from %d batches: at least 2 are needed", e.Batches)
	fault(e.Smoothing != 0 && !(e.Smoothing > 0 && e.Smoothing <= 1), "swap variance smoothing %g must be in (0, 1]", e.Smoothing)

	fault(s.Threshold != 0 && s.Rule != "threshold", "a swap threshold is for rule threshold only")
	fault(s.Threshold != 0 && !(s.Threshold > 0 && s.Threshold <= 1), "swap threshold %g must be in (0, 1]", s.Threshold)
	fault(s.Gain != 0 && s.Rule != "indicator", "a swap gain is for rule indicator only")
	fault(s.Gain != 0 && !positive(s.Gain), "swap gain %g must be positive", s.Gain)
	fault(s.Target != 0 && !windowed && s.Rule != "indicator", "a swap target is for scheme windowed-deo and rule indicator only")
	fault(s.Target != 0 && !(s.Target > 0 && s.Target < 1), "swap target %g must be between 0 and 1", s.Target)
	fault(s.Window != 0 && !windowed, "a swap window is for scheme windowed-deo only")
	fault(s.Window < 0, "swap window %d must be at least 1", s.Window)
	fault(s.Gate != "" && !windowed, "a swap gate is for scheme windowed-deo only")
	fault(!oneOf(s.Gate, "", "last", "open", "once"), "unknown swap gate %q: use last, open or once", s.Gate)
	fault(s.Parity != "" && !windowed, "a swap parity is for scheme windowed-deo only")
	fault(!oneOf(s.Parity, "", "on", "off"), "unknown swap parity %q: use on or off", s.Parity)
	fault(s.Adapt != "" && s.Rule != "indicator", "a swap adapt is for rule indicator only")
	fault(!oneOf(s.Adapt, "", "before", "after"), "unknown swap adapt %q: use before or after", s.Adapt)
	return errors.Join(faults...)
}

func positive(v float64) bool { return v > 0 && !math.IsInf(v, 1) }

func oneOf(s string, names ...string) bool {
	for _, n := range names {
		if s == n {
			return true
		}
	}
	return false
}

// Bias returns the reasons, in words, why these settings do not keep the law of
// each rung of a ladder; none if they do, as where nobody trades because there is
// one rung. noisy says whether energies carry noise, as those of minibatches do. The
// noise is taken as Gaussian and fresh in each iteration.
func (s Settings) Bias(rungs int, noisy bool) []string {
	if rungs < 2 {
		return nil
	}
	s = s.WithDefaults(rungs)
	var why []string
	because := func(biased bool, reason string, args ...any) {
		if biased {
			why = append(why, fmt.Sprintf(reason, args...))
		}
	}
	estimated := s.Estimate.Every > 0
	statistic := s.Rule != "indicator"
	because(s.Rule == "threshold",
		"rule threshold swaps whenever the swap probability is at least %g, without chance: the law of every rung is another", s.Threshold)
	because(s.Rule == "indicator",
		"rule indicator swaps by comparing energies, without regard to temperatures or chance: it optimises a population rather than sampling")
	because(s.Gate == "once",
		"gate once closes a pair at its first swap in a window: when that happens depends on the states, and after it a state stays where it is")
	because(statistic && s.Correction != 2 && (s.Variance > 0 || estimated),
		"correction C = %g: the penalty for noisy energies is exact for C = 2 only", s.Correction)
	because(statistic && noisy && s.Variance == 0 && !estimated,
		"energies are noisy and no variance of their differences is given or estimated: swaps take noise for depth")
	because(statistic && !noisy && s.Variance > 0 && !estimated,
		"a variance of the energies' noise is given, but energies are exact: the penalty refuses too many swaps down")
	sequence := rungs > 2 && (s.Scheme == "adj" || s.Scheme == "ape" || s.Parity == "off")
	because(statistic && noisy && sequence,
		"with noisy energies, pairs that trade one after another use the same noise more than once: use deo, seo or windowed-deo")
	return why
}

// WithDefaults returns the settings with the defaults of a ladder for what is zero,
// Gain and Parity aside, and Variance 0 where it is estimated.
func (s Settings) WithDefaults(rungs int) Settings {
	if s.Scheme == "" {
		s.Scheme = "deo"
	}
	if s.Rule == "" {
		s.Rule = "metropolis"
	}
	if s.Every == 0 {
		s.Every = 1
	}
	if s.Correction == 0 {
		s.Correction = 2
	}
	if s.Estimate.Every > 0 {
		s.Variance = 0
		if s.Estimate.Batches == 0 {
			s.Estimate.Batches = 10
		}
		if s.Estimate.Smoothing == 0 {
			s.Estimate.Smoothing = 0.1
		}
	}
	if s.Threshold == 0 {
		s.Threshold = 3e-4
	}
	if s.Target == 0 {
		s.Target = 0.1
	}
	if s.Window == 0 {
		s.Window = windowFor(rungs, s.Target)
	}
	if s.Gate == "" {
		s.Gate = "last"
	}
	return s
}
