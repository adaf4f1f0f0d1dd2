package exchange

import "slices"

// A Pair counts what became of the swaps of two rungs.
type Pair struct {
	Cold, Hot   int // the rungs, from 0
	Attempts    int64
	Accepted    int64
	Weighed     int64   // attempts whose min(1, S̃) was noted, every eighth
	Probability float64 // sum of these
	Variance    float64 // σ̃² in use: given, or the estimate so far
}

// Rate is the share of attempts that traded, NaN without attempts.
func (p Pair) Rate() float64 { return float64(p.Accepted) / float64(p.Attempts) }

// MeanProbability is the mean of min(1, S̃), NaN without attempts. One minus it
// is the rejection r of the pair.
func (p Pair) MeanProbability() float64 { return p.Probability / float64(p.Weighed) }

// Statistics is what a ladder tells of its swaps.
type Statistics struct {
	Ladders int64     // added up; 1 of one ladder
	Sweeps  int64     // of all of them
	Pairs   []Pair    // at p that of the neighbours p and p+1; after these, if all pairs trade, the others
	Noise   []float64 // per rung, the variance of one energy given the state: estimated, else σ̃²/2

	// RoundTrips is how often a replica came to the coldest rung from the hottest,
	// having been at the coldest before: full ways down, up and down. Restarts is
	// how often one came to the coldest rung from the hottest at all, and so a
	// fresh start for the cold chain. A replica makes one restart per round trip,
	// and perhaps one more before its first.
	RoundTrips int64
	Restarts   int64

	stones []stone // of the neighbours p and p+1
}

// newStatistics lists the pairs of neighbours, and all others after them if all.
func newStatistics(rungs int, all bool) Statistics {
	s := Statistics{Ladders: 1, Noise: make([]float64, rungs), stones: make([]stone, max(0, rungs-1))}
	for apart := 1; apart < rungs && (apart == 1 || all); apart++ {
		for p := 0; p+apart < rungs; p++ {
			s.Pairs = append(s.Pairs, Pair{Cold: p, Hot: p + apart})
		}
	}
	return s
}

func (s *Statistics) clone() Statistics {
	c := *s
	c.Pairs, c.Noise, c.stones = slices.Clone(s.Pairs), slices.Clone(s.Noise), slices.Clone(s.stones)
	return c
}

func (s *Statistics) reset() {
	for i, p := range s.Pairs {
		s.Pairs[i] = Pair{Cold: p.Cold, Hot: p.Hot, Variance: p.Variance}
	}
	clear(s.stones)
	s.Sweeps, s.RoundTrips, s.Restarts = 0, 0, 0
}

// Add adds the counts of other ladders with as many rungs and the same scheme.
// σ̃² and noise become means over ladders.
func (s *Statistics) Add(t Statistics) {
	if s.Noise == nil {
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
	for i, v := range t.Noise {
		s.Noise[i] += w * (v - s.Noise[i])
	}
	for i, e := range t.stones {
		s.stones[i].merge(e)
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
