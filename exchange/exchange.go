// Package exchange answers who trades places and when. It sees energies,
// temperatures and labels only, never states: a swap of two rungs is an
// exchange of two integers whatever the size of the states and wherever they
// live.
package exchange

import (
	"math"
	"math/rand/v2"
)

// logS is the logarithm of the swap statistic of a pair with inverse temperatures
// β_cold > β_hot, whose hotter rung may be the uniform law, β = 0,
//
//	log S̃ = Δβ (Ũ_cold − Ũ_hot − Δβ σ̃²/C),  delta = Δβ = β_cold − β_hot, penalty = σ̃²/C.
func logS(uCold, uHot, delta, penalty float64) float64 {
	return delta * (uCold - uHot - delta*penalty)
}

// An Exchange trades the rungs of one ladder. It is for one goroutine and
// allocates nothing while it sweeps, observes and gathers evidence.
type Exchange struct {
	set   Settings
	plain bool // rule metropolis
	stats Statistics

	sweeps    int      // since the beginning
	estimates int      // of σ̃²
	pairs     []int    // of the current sweep
	evenOdd   [2][]int // those of even and odd sweeps, of scheme deo alone
	traded    []int64  // per pair, the sweep in which it last traded, −1 if it never did
	travel    []int8   // per replica, see arrive

	holder []int     // replica that holds each rung
	energy []float64 // its energy
	tau    []float64 // temperatures of the rungs, and their inverses
	beta   []float64
	top    int     // the replica that was last seen at the hottest rung, and at the coldest;
	bottom int     // one and the same before the first sweep
	level  float64 // 𝒞 of rule indicator, in units of energy; 0 with other rules

	lead  *Exchange // whose chance this one shares; nil draws its own
	drawn []float64 // per pair, the uniform number of this sweep, NaN if there was none; nil where nobody follows
}

// New returns the exchange of a ladder, or an error that names the settings that
// make no sense.
func New(rungs int, s Settings) (*Exchange, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.WithDefaults(rungs)
	e := &Exchange{set: s, plain: s.Rule == "metropolis", travel: make([]int8, rungs),
		holder: make([]int, rungs), energy: make([]float64, rungs),
		tau: make([]float64, rungs), beta: make([]float64, rungs)}
	e.stats = newStatistics(rungs, s.Scheme == "ape")
	e.pairs = make([]int, 0, len(e.stats.Pairs))
	e.traded = make([]int64, len(e.stats.Pairs))
	for i := range e.traded {
		e.traded[i] = -1
	}
	if s.Scheme == "deo" {
		for n := range e.evenOdd {
			e.evenOdd[n] = s.pairs([]int{}, n, e.traded, nil)
		}
	}
	if s.Estimate.Every == 0 {
		for i := range e.stats.Pairs {
			e.stats.Pairs[i].Variance = s.Variance
		}
		for r := range e.stats.Noise {
			e.stats.Noise[r] = s.Variance / 2
		}
	}
	return e, nil
}

// Follow makes later sweeps of e share the chance of the sweep that lead made before,
// pair by pair, so that two ladders near each other trade alike. Each of them, seen
// alone, trades as ever. Both must have the same settings and as many rungs.
func (e *Exchange) Follow(lead *Exchange) {
	e.lead = lead
	lead.drawn = make([]float64, len(lead.stats.Pairs))
}

// uniform is the number that decides about the pair at p of the list.
func (e *Exchange) uniform(p int, rng *rand.Rand) float64 {
	u := math.NaN()
	if e.lead != nil {
		u = e.lead.drawn[p]
	}
	if u != u {
		u = rng.Float64()
	}
	if e.drawn != nil {
		e.drawn[p] = u
	}
	return u
}

// Due reports whether iteration k = 1, 2, … ends with a sweep.
func (e *Exchange) Due(k int) bool { return len(e.holder) > 1 && k%e.set.Every == 0 }

// Looks reports whether the sweep that is due after iteration k, the next one, depends on
// energies: where some pair may attempt, or rule indicator adapts its level. Costly energies
// are wanted only then.
func (e *Exchange) Looks(k int) bool {
	if !e.Due(k) {
		return false
	}
	if e.set.Rule == "indicator" || e.set.Scheme == "seo" {
		return true
	}
	e.choose(nil)
	return len(e.pairs) > 0
}

// Sweep takes note of the energies of iteration k = 1, 2, … and, if a sweep is
// due, lets pairs trade: rung[i] is the rung of replica i and energy[i] its Ũ;
// temperature is per rung and increasing, and may end in +Inf, where the energy
// may be +Inf too. Chance comes from rng. Iterations without a sweep may be left out.
func (e *Exchange) Sweep(k int, rung []int, energy, temperature []float64, rng *rand.Rand) {
	due := e.Due(k)
	if due {
		e.choose(rng)
	}
	noted := e.noted(k, due)
	if noted || due && (len(e.pairs) > 0 || !e.plain) {
		e.look(rung, energy, temperature)
	}
	if noted {
		for p := range e.stats.stones {
			e.stats.stones[p].add(e.beta[p]-e.beta[p+1], e.energy[p], e.energy[p+1])
		}
	}
	if !due {
		return
	}
	level := e.level
	if e.adapts("before") {
		e.adapt()
	}
	for p := range e.drawn {
		e.drawn[p] = math.NaN()
	}
	for _, at := range e.pairs {
		pair := &e.stats.Pairs[at]
		p, q := pair.Cold, pair.Hot
		uCold, uHot := e.energy[p], e.energy[q]
		penalty := 0.0
		if pair.Variance > 0 {
			penalty = pair.Variance / e.set.Correction
		}
		s := logS(uCold, uHot, e.beta[p]-e.beta[q], penalty)
		if pair.Attempts%weighEvery == 0 {
			pair.Weighed++
			pair.Probability += probability(s)
		}
		pair.Attempts++
		if e.plain && e.metropolis(at, s, rng) || !e.plain && e.swaps(uCold, uHot, s, level) {
			i, j := e.holder[p], e.holder[q]
			rung[i], rung[j] = q, p
			e.holder[p], e.holder[q] = j, i
			e.energy[p], e.energy[q] = uHot, uCold
			e.traded[at] = int64(e.sweeps)
			pair.Accepted++
		}
	}
	if e.adapts("after") {
		e.adapt()
	}
	e.sweeps++
	e.stats.Sweeps++
	e.arrive(rung)
}

// choose lists the pairs of the sweep that is due.
func (e *Exchange) choose(rng *rand.Rand) {
	switch {
	case e.evenOdd[0] != nil:
		e.pairs = e.evenOdd[e.sweeps&1]
	case e.lead != nil && e.set.Scheme == "seo": // of its coin too
		e.pairs = append(e.pairs[:0], e.lead.pairs...)
	default:
		e.pairs = e.set.pairs(e.pairs[:0], e.sweeps, e.traded, rng)
	}
}

// probability is min(1, exp(s)), 0 where that is not a number.
func probability(s float64) float64 {
	switch {
	case s >= 0:
		return 1
	case s < 0:
		return math.Exp(s)
	}
	return 0
}

// weighEvery is how many attempts of a pair pass between notes of its probability.
const weighEvery = 8

// noteEvery is how many iterations pass between notes for the evidence. Energies of
// iterations in a row are nearly the same, while a note costs two exponentials and a
// division per rung: taking every sixteenth loses little and makes it nearly free.
const noteEvery = 16

// noted reports whether iteration k is noted for the evidence. Where energies are seen at
// sweeps only, the first after each sixteenth iteration is; that is each of them if sweeps
// are rarer.
func (e *Exchange) noted(k int, due bool) bool {
	past := k % noteEvery
	return past == 0 || due && past < e.set.Every
}

// look sees who holds which rung, the energies before labels move, and the
// temperatures.
func (e *Exchange) look(rung []int, energy, temperature []float64) {
	for i, r := range rung {
		e.holder[r] = i
		e.energy[r] = energy[i]
	}
	for r, t := range temperature {
		if e.tau[r] != t {
			e.tau[r], e.beta[r] = t, 1/t
		}
	}
}

// Where a replica comes from.
const (
	nowhere = 0  // has been at neither end
	cold    = 1  // was last at the coldest rung
	hot     = -1 // was last at the hottest rung, and at the coldest before
	hotOnly = -2 // was last at the hottest rung, and never at the coldest
)

// arrive marks the replicas at the ends of the ladder and counts their trips. Those that
// were there before change nothing.
func (e *Exchange) arrive(rung []int) {
	last := len(rung) - 1
	if e.top != e.bottom && rung[e.top] == last && rung[e.bottom] == 0 {
		return
	}
	for i, r := range rung {
		if r == last {
			e.top = i
		}
		if r == 0 {
			e.bottom = i
		}
	}
	switch top := &e.travel[e.top]; *top {
	case cold:
		*top = hot
	case nowhere:
		*top = hotOnly
	}
	bottom := &e.travel[e.bottom]
	switch *bottom {
	case hot:
		e.stats.RoundTrips++
		e.stats.Restarts++
	case hotOnly:
		e.stats.Restarts++
	}
	*bottom = cold
}

// Statistics returns a copy of the counts so far.
func (e *Exchange) Statistics() Statistics { return e.stats.clone() }

// Level is 𝒞 of rule indicator as it is, in units of energy; 0 with other rules.
func (e *Exchange) Level() float64 { return e.level }

// Reset forgets the counts, as at the end of burn-in, but not where the replicas
// come from, σ̃², the level of rule indicator, or the place in the scheme.
func (e *Exchange) Reset() { e.stats.reset() }
