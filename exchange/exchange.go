// Package exchange answers who trades places and when. It sees energies,
// temperatures and labels only, never states: a swap of two rungs is an
// exchange of two integers whatever the size of the states and wherever they
// live.
package exchange

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Settings say which pairs of rungs try to trade, when, and by which rule.
type Settings struct {
	Scheme     string  // which pairs a sweep visits; "" is "deo"
	Rule       string  // how a pair decides; "" is "metropolis"
	Every      int     // iterations between sweeps; 0 is 1
	Correction float64 // C > 0 of the penalty; 0 is 2, exact for Gaussian energy noise
	Variance   float64 // σ̃² ≥ 0 of the difference of a pair's energies given the states
}

// A Scheme says which pairs of neighbouring rungs a sweep visits.
type Scheme interface {
	// Pairs appends the lower rung p of every pair (p, p+1) that sweep n = 0, 1, …
	// over the given number of rungs visits. No rung is in two of them.
	Pairs(dst []int, n, rungs int) []int
}

// A Rule decides a swap from its statistic, min(1, S̃).
type Rule interface {
	// Swap reports whether the pair trades; u is uniform on [0, 1).
	Swap(s, u float64) bool
}

// DEO is deterministic even-odd: pairs (0,1), (2,3), … on even sweeps and
// (1,2), (3,4), … on odd ones.
type DEO struct{}

// Pairs implements Scheme.
func (DEO) Pairs(dst []int, n, rungs int) []int {
	for p := n % 2; p+1 < rungs; p += 2 {
		dst = append(dst, p)
	}
	return dst
}

// Metropolis trades with probability min(1, S̃). With C = 2 and Gaussian energy
// noise of the stated variance it is exact (Ceperley and Dewing 1999).
type Metropolis struct{}

// Swap implements Rule.
func (Metropolis) Swap(s, u float64) bool { return u < s }

// LogS is the logarithm of the swap statistic of the pair with temperatures
// cold < hot,
//
//	log S̃ = Δβ (Ũ_cold − Ũ_hot − Δβ σ̃²/C),  Δβ = 1/cold − 1/hot > 0.
func LogS(uCold, uHot, cold, hot, variance, correction float64) float64 {
	delta := 1/cold - 1/hot
	return delta * (uCold - uHot - delta*variance/correction)
}

// A Pair counts what became of the swaps of rungs p and p+1.
type Pair struct {
	Attempts    int64
	Accepted    int64
	Probability float64 // sum of min(1, S̃) over the attempts
}

// Rate is the share of attempts that traded, NaN without attempts.
func (p Pair) Rate() float64 { return float64(p.Accepted) / float64(p.Attempts) }

// MeanProbability is the mean of min(1, S̃), NaN without attempts. One minus it
// is the rejection r of the pair.
func (p Pair) MeanProbability() float64 { return p.Probability / float64(p.Attempts) }

// Statistics is what a ladder tells of its swaps.
type Statistics struct {
	Pairs      []Pair // between rungs p and p+1
	RoundTrips int64  // replicas that went from the coldest rung to the hottest and back
}

// Add adds the counts of another ladder with as many rungs.
func (s *Statistics) Add(t Statistics) {
	if s.Pairs == nil {
		s.Pairs = make([]Pair, len(t.Pairs))
	}
	for i, p := range t.Pairs {
		s.Pairs[i].Attempts += p.Attempts
		s.Pairs[i].Accepted += p.Accepted
		s.Pairs[i].Probability += p.Probability
	}
	s.RoundTrips += t.RoundTrips
}

// Barrier is the estimate Λ̂ of the global barrier between the coldest and the
// hottest rung: the sum of the rejections of all pairs.
func (s *Statistics) Barrier() float64 {
	sum := 0.0
	for _, p := range s.Pairs {
		sum += 1 - p.MeanProbability()
	}
	return sum
}

// An Exchange trades the rungs of one ladder. It is for one goroutine and
// allocates nothing while it sweeps.
type Exchange struct {
	scheme Scheme
	rule   Rule
	set    Settings
	sweeps int
	stats  Statistics
	pairs  []int  // of the current sweep
	holder []int  // replica that holds each rung
	bound  []int8 // per replica: +1 came from the coldest rung, −1 from the hottest, 0 neither yet
}

// New returns the exchange of a ladder, or an error that names the setting that
// makes no sense.
func New(rungs int, s Settings) (*Exchange, error) {
	if s.Every == 0 {
		s.Every = 1
	}
	if s.Correction == 0 {
		s.Correction = 2
	}
	e := &Exchange{set: s, pairs: make([]int, 0, rungs), holder: make([]int, rungs), bound: make([]int8, rungs)}
	e.stats.Pairs = make([]Pair, rungs-1)
	switch s.Scheme {
	case "", "deo":
		e.scheme = DEO{}
	default:
		return nil, fmt.Errorf("unknown swap scheme %q: use deo", s.Scheme)
	}
	switch s.Rule {
	case "", "metropolis":
		e.rule = Metropolis{}
	default:
		return nil, fmt.Errorf("unknown swap rule %q: use metropolis", s.Rule)
	}
	switch {
	case s.Every < 1:
		return nil, fmt.Errorf("swap every %d iterations: must be at least 1", s.Every)
	case !(s.Correction > 0) || math.IsInf(s.Correction, 0):
		return nil, fmt.Errorf("swap correction %g must be positive (2 is exact for Gaussian energy noise)", s.Correction)
	case !(s.Variance >= 0) || math.IsInf(s.Variance, 0):
		return nil, fmt.Errorf("swap variance %g must not be negative", s.Variance)
	}
	return e, nil
}

// Sweep lets the pairs of iteration k = 1, 2, … trade: rung[i] is the rung of
// replica i and energy[i] its Ũ; temperature is per rung. Every pair that tries
// draws one uniform from rng.
func (e *Exchange) Sweep(k int, rung []int, energy, temperature []float64, rng *rand.Rand) {
	if len(rung) < 2 || e.set.Every > 1 && k%e.set.Every != 0 {
		return
	}
	e.pairs = e.scheme.Pairs(e.pairs[:0], e.sweeps, len(rung))
	e.sweeps++
	if len(e.pairs) == 0 {
		return
	}
	for i, r := range rung {
		e.holder[r] = i
	}
	for _, p := range e.pairs {
		i, j := e.holder[p], e.holder[p+1]
		s := 1.0
		if log := LogS(energy[i], energy[j], temperature[p], temperature[p+1], e.set.Variance, e.set.Correction); log < 0 {
			s = math.Exp(log)
		}
		pair := &e.stats.Pairs[p]
		pair.Attempts++
		pair.Probability += s
		if e.rule.Swap(s, rng.Float64()) {
			rung[i], rung[j] = p+1, p
			pair.Accepted++
		}
	}
	e.countTrips(rung)
}

// countTrips marks replicas at the ends of the ladder.
func (e *Exchange) countTrips(rung []int) {
	last := len(rung) - 1
	for i, r := range rung {
		switch r {
		case last:
			if e.bound[i] == 1 {
				e.bound[i] = -1
			}
		case 0:
			if e.bound[i] == -1 {
				e.stats.RoundTrips++
			}
			e.bound[i] = 1
		}
	}
}

// Statistics returns a copy of the counts so far.
func (e *Exchange) Statistics() Statistics {
	s := e.stats
	s.Pairs = append([]Pair(nil), s.Pairs...)
	return s
}

// state is all of an Exchange that changes, in fixed-size fields.
type state struct {
	Sweeps, RoundTrips int64
}

// AppendBinary appends the counts and the place in the scheme.
func (e *Exchange) AppendBinary(b []byte) ([]byte, error) {
	b, err := binary.Append(b, binary.LittleEndian, state{int64(e.sweeps), e.stats.RoundTrips})
	if err != nil {
		return nil, err
	}
	if b, err = binary.Append(b, binary.LittleEndian, e.stats.Pairs); err != nil {
		return nil, err
	}
	return binary.Append(b, binary.LittleEndian, e.bound)
}

// UnmarshalBinary restores what AppendBinary saved, for as many rungs.
func (e *Exchange) UnmarshalBinary(b []byte) error {
	var s state
	for _, field := range []any{&s, e.stats.Pairs, e.bound} {
		n, err := binary.Decode(b, binary.LittleEndian, field)
		if err != nil {
			return fmt.Errorf("exchange: the saved state is cut short: %w", err)
		}
		b = b[n:]
	}
	if len(b) != 0 {
		return fmt.Errorf("exchange: %d bytes too many", len(b))
	}
	e.sweeps, e.stats.RoundTrips = int(s.Sweeps), s.RoundTrips
	return nil
}
