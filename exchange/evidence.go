package exchange

import (
	"fmt"
	"math"
)

// A stone is the stepping stone between two neighbouring rungs, with inverse
// temperatures β_hot < β_cold: means of exp(−Δβ U) at the hotter rung and of
// exp(+Δβ U) at the colder one, and of their square roots. Where U is +Inf, or vast, which it is
// at hot rungs alone, the hotter term is 0 or nothing beside others, and Hot does not count it: of
// Cold.Count pairs the part Hot.Count/Cold.Count had a density, and only of that the colder draws tell.
type stone struct {
	DeltaBeta float64 // β_cold − β_hot; NaN if it changed
	Hot, Cold tilt
}

// nothing is how far below the largest, in logarithms, the term of a hotter draw is where the colder
// rung has no draw: its density there is e^−nothing of another. Terms up to twice as far below may count
// in a tilt, by their order.
const nothing = 1000.0

// A tilt is a sum of exp(x) and one of exp(x/2) over Count terms that are not 0, nor so far below the
// largest that they are left out, kept as multiples of exp(Max) and exp(Max/2), so that neither
// overflows.
type tilt struct {
	Count          int64
	Max, Sum, Root float64
}

func (s *stone) add(delta, uCold, uHot float64) {
	if s.DeltaBeta != delta {
		if s.Cold.Count > 0 {
			delta = math.NaN()
		}
		s.DeltaBeta = delta
	}
	s.Hot.add(-delta*uHot, nothing)
	s.Cold.add(delta*uCold, math.Inf(1))
}

func (s *stone) merge(t stone) {
	switch {
	case t.Cold.Count == 0:
		return
	case s.Cold.Count == 0:
		s.DeltaBeta = t.DeltaBeta
	case s.DeltaBeta != t.DeltaBeta:
		s.DeltaBeta = math.NaN()
	}
	s.Hot.merge(t.Hot, nothing)
	s.Cold.merge(t.Cold, math.Inf(1))
}

// add adds a term, unless it is 0 or so far below the largest.
func (t *tilt) add(x, below float64) {
	if math.IsInf(x, -1) || t.Sum > 0 && t.Max-x > below {
		return
	}
	if t.Sum > 0 && x-t.Max > below {
		*t = tilt{}
	}
	t.Count++
	switch {
	case t.Sum == 0:
		t.Max, t.Sum, t.Root = x, 1, 1
	case x > t.Max:
		e := math.Exp((t.Max - x) / 2)
		t.Max, t.Sum, t.Root = x, t.Sum*e*e+1, t.Root*e+1
	default:
		e := math.Exp((x - t.Max) / 2)
		t.Sum += e * e
		t.Root += e
	}
}

func (t *tilt) merge(o tilt, below float64) {
	if o.Sum > 0 && (t.Sum == 0 || o.Max > t.Max) {
		*t, o = o, *t
	}
	if t.Max-o.Max > below {
		return
	}
	t.Count += o.Count
	if o.Sum > 0 {
		e := math.Exp((o.Max - t.Max) / 2)
		t.Sum += o.Sum * e * e
		t.Root += o.Root * e
	}
}

// logMean is log of the mean of exp(x) over n terms, logMeanRoot of exp(x/2).
func (t tilt) logMean(n int64) float64     { return t.Max + math.Log(t.Sum/float64(n)) }
func (t tilt) logMeanRoot(n int64) float64 { return t.Max/2 + math.Log(t.Root/float64(n)) }

// Evidence is log(Z(β_coldest)/Z(β_hottest)), Z(β) = ∫ exp(−βU) over the domain.
// If the hottest rung is at infinite temperature, log Z(β_coldest) is this plus
// the log volume of the domain.
type Evidence struct {
	Forward  float64 `json:"forward"`  // from draws of the hotter rung of each pair
	Backward float64 `json:"backward"` // from draws of the colder ones
	Estimate float64 `json:"estimate"` // from both, by a geometric bridge
	Error    float64 `json:"se"`       // standard error of Estimate, from several ladders; NaN with one
	// GapError is the standard error of Forward − Backward, to first order; NaN where
	// draws do not tell it. It is large where a few draws make the heavy tail of a mean.
	GapError float64 `json:"gap_se"`
	// Trimmed is Forward − Backward by energies alone up to which 99 of 100 draws of the colder rung of each
	// pair lie, and TrimmedError its standard error; NaN where draws do not tell it. No few draws make most
	// of it.
	Trimmed      float64 `json:"trimmed_gap"`
	TrimmedError float64 `json:"trimmed_gap_se"`
	// Bottleneck is where draws do not lead from one rung to the next; nil where they do.
	// The numbers above then tell log Z no more, nor do their errors.
	Bottleneck *Bottleneck `json:"bottleneck,omitempty"`
}

// A Bottleneck is two neighbouring rungs between which log Z is lost.
type Bottleneck struct {
	Rungs [2]int `json:"rungs"` // from 1, the colder first
	Why   string `json:"why"`   // in words
}

func (b *Bottleneck) String() string {
	return fmt.Sprintf("bottleneck between rungs %d and %d: %s", b.Rungs[0], b.Rungs[1], b.Why)
}

// EvidenceOf pools the stepping stones of ladders with as many rungs, which may
// be one or already added up. Steps whose temperatures changed, or without
// iterations, give NaN.
//
// Gaussian noise of variance s² of each energy is corrected: log E exp(−Δβ Ũ) is
// too large by Δβ² s²/2, and so the bridge only by an eighth of Δβ² times the
// difference of the two rungs' s². With a given σ̃², s² is taken as σ̃²/2, as if
// the noise of replicas were independent.
func EvidenceOf(ladders ...Statistics) Evidence {
	var all Statistics
	mean, squares := 0.0, 0.0
	for i := range ladders {
		all.Add(ladders[i])
		each := ladders[i].evidence().Estimate
		d := each - mean
		mean += d / float64(i+1)
		squares += d * (each - mean)
	}
	e := all.evidence()
	n := float64(len(ladders))
	e.Error, e.GapError = math.Sqrt(squares/(n-1)/n), math.NaN()
	e.Trimmed, e.TrimmedError = math.NaN(), math.NaN()
	return e
}

func (s *Statistics) evidence() Evidence {
	var e Evidence
	for p, t := range s.stones {
		d := t.DeltaBeta * t.DeltaBeta
		sCold, sHot := s.Noise[p], s.Noise[p+1]
		n := t.Cold.Count
		e.Forward += t.Hot.logMean(n) - d*sHot/2
		e.Backward -= t.Cold.logMean(n) - d*sCold/2 - math.Log(float64(t.Hot.Count)/float64(n))
		e.Estimate += t.Hot.logMeanRoot(n) - t.Cold.logMeanRoot(n) - d*(sHot-sCold)/8
	}
	return e
}
