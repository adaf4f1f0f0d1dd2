package exchange

import (
	"math"
	"slices"
)

// A Pair counts what became of the swaps of two rungs.
type Pair struct {
	Cold, Hot   int // the rungs, from 0
	Attempts    int64
	Accepted    int64
	Weighed     int64   // attempts whose min(1, S̃) was noted, every fourth
	Probability float64 // sum of these
	Variance    float64 // σ̃² in use: given, or the estimate so far
}

// Rate is the share of attempts that traded, NaN without attempts.
func (p Pair) Rate() float64 { return float64(p.Accepted) / float64(p.Attempts) }

// MeanProbability is the mean of min(1, S̃), NaN without attempts. One minus it
// is the rejection r of the pair.
func (p Pair) MeanProbability() float64 { return p.Probability / float64(p.Weighed) }

// A Rung tells of the energies of a temperature, before labels trade, in every
// sixteenth iteration.
type Rung struct {
	Count   int64   // of those iterations with a finite energy
	Mean    float64 // of those energies
	Squares float64 // sum of their squared differences from the mean
	Noise   float64 // variance of one energy given the state, estimated, else σ̃²/2
}

// Variance is the variance of the energy, NaN without two of them. Draws of a
// chain depend on each other: it is a little small in short runs.
func (r Rung) Variance() float64 {
	if r.Count < 2 {
		return math.NaN()
	}
	return r.Squares / float64(r.Count-1)
}

// add is Welford's step.
func (r *Rung) add(u float64) {
	if u-u != 0 {
		return
	}
	r.Count++
	d := u - r.Mean
	r.Mean += d / float64(r.Count)
	r.Squares += d * (u - r.Mean)
}

// merge adds the energies of another ladder (Chan, Golub and LeVeque 1979).
func (r *Rung) merge(t Rung) {
	n := r.Count + t.Count
	if n == 0 {
		return
	}
	w := float64(t.Count) / float64(n)
	d := t.Mean - r.Mean
	r.Squares += t.Squares + d*d*float64(r.Count)*w
	r.Mean += d * w
	r.Count = n
}

// Statistics is what a ladder tells of its swaps.
type Statistics struct {
	Ladders  int64   // added up; 1 of one ladder
	Sweeps   int64   // of all of them
	Pairs    []Pair  // at p that of the neighbours p and p+1; after these, if all pairs trade, the others
	Rungs    []Rung  // energies per rung
	Evidence []Stone // of the neighbours p and p+1

	// RoundTrips is how often a replica came to the coldest rung from the hottest,
	// having been at the coldest before: full ways down, up and down. Restarts is
	// how often one came to the coldest rung from the hottest at all, and so a
	// fresh start for the cold chain. A replica makes one restart per round trip,
	// and perhaps one more before its first.
	RoundTrips int64
	Restarts   int64
}

// newStatistics lists the pairs of neighbours, and all others after them if all.
func newStatistics(rungs int, all bool) Statistics {
	s := Statistics{Ladders: 1, Rungs: make([]Rung, rungs), Evidence: make([]Stone, max(0, rungs-1))}
	for apart := 1; apart < rungs && (apart == 1 || all); apart++ {
		for p := 0; p+apart < rungs; p++ {
			s.Pairs = append(s.Pairs, Pair{Cold: p, Hot: p + apart})
		}
	}
	return s
}

func (s *Statistics) clone() Statistics {
	c := *s
	c.Pairs, c.Rungs, c.Evidence = slices.Clone(s.Pairs), slices.Clone(s.Rungs), slices.Clone(s.Evidence)
	return c
}

func (s *Statistics) reset() {
	for i, p := range s.Pairs {
		s.Pairs[i] = Pair{Cold: p.Cold, Hot: p.Hot, Variance: p.Variance}
	}
	for i, r := range s.Rungs {
		s.Rungs[i] = Rung{Noise: r.Noise}
	}
	clear(s.Evidence)
	s.Sweeps, s.RoundTrips, s.Restarts = 0, 0, 0
}

// Add adds the counts of other ladders with as many rungs and the same scheme.
// σ̃² and noise become means over ladders.
func (s *Statistics) Add(t Statistics) {
	if s.Pairs == nil && s.Rungs == nil {
		*s = t.clone()
		return
	}
	s.Ladders += t.Ladders
	w := float64(t.Ladders) / float64(max(1, s.Ladders))
	for i, p := range t.Pairs {
		s.Pairs[i].Attempts += p.Attempts
		s.Pairs[i].Accepted += p.Accepted
		s.Pairs[i].Weighed += p.Weighed
		s.Pairs[i].Probability += p.Probability
		s.Pairs[i].Variance += w * (p.Variance - s.Pairs[i].Variance)
	}
	for i, r := range t.Rungs {
		s.Rungs[i].merge(r)
		s.Rungs[i].Noise += w * (r.Noise - s.Rungs[i].Noise)
	}
	for i, e := range t.Evidence {
		s.Evidence[i].merge(e)
	}
	s.Sweeps += t.Sweeps
	s.RoundTrips += t.RoundTrips
	s.Restarts += t.Restarts
}

// Rejections returns r of each pair of neighbours, cold first: one minus the
// mean of min(1, S̃), NaN without attempts.
func (s *Statistics) Rejections() []float64 {
	var r []float64
	for _, p := range s.Pairs {
		if p.Hot == p.Cold+1 {
			r = append(r, 1-p.MeanProbability())
		}
	}
	return r
}

// Barrier is the estimate Λ̂ of the global barrier between the coldest and the
// hottest rung: the sum of the rejections of all neighbours.
func (s *Statistics) Barrier() float64 {
	sum := 0.0
	for _, r := range s.Rejections() {
		sum += r
	}
	return sum
}
