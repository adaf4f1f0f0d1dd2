package exchange

import (
	"math"
	"math/rand/v2"
)

// An Attempt is what a pair knows when it tries to trade.
type Attempt struct {
	Cold, Hot float64 // Ũ of the colder and the hotter rung
	LogS      float64 // log S̃; NaN where both energies are infinite
}

// A Rule decides swaps.
type Rule interface {
	// Begin is told of sweep n = 0, 1, … and the energies of all rungs before any
	// pair trades.
	Begin(n int, energy []float64)
	// Swap reports whether the pair trades.
	Swap(a Attempt, rng *rand.Rand) bool
}

// Metropolis trades with probability min(1, S̃). With C = 2 and Gaussian energy
// noise of the stated variance it is exact (Ceperley and Dewing 1999).
type Metropolis struct{}

// Begin implements Rule.
func (Metropolis) Begin(int, []float64) {}

// Swap implements Rule. An exponential variate exceeds −log S̃ with probability
// S̃, and costs less than an exponential.
func (Metropolis) Swap(a Attempt, rng *rand.Rand) bool {
	return a.LogS >= 0 || rng.ExpFloat64() > -a.LogS
}

// Threshold trades if min(1, S̃) is at least Least, without a random number. It
// is biased.
type Threshold struct {
	Least float64 // in (0,1]
}

// Begin implements Rule.
func (Threshold) Begin(int, []float64) {}

// Swap implements Rule.
func (t Threshold) Swap(a Attempt, _ *rand.Rand) bool { return a.LogS >= math.Log(t.Least) }

// Indicator trades if Ũ_hot + 𝒞 < Ũ_cold, and moves 𝒞 so that a share Target of
// neighbouring pairs would trade (Algorithm 2 of the paper). It is biased. Its
// zero level is the beginning.
type Indicator struct {
	Target float64 // 𝕊 in (0,1)
	Gain   float64 // γ, in units of energy; 0: decaying, for energies of order one

	level, next float64 // 𝒞 of this sweep and of the next
}

// Begin implements Rule. The share is that of all neighbouring pairs, whether
// they may trade in this sweep or not.
func (r *Indicator) Begin(n int, energy []float64) {
	r.level = r.next
	below := 0
	for p := range energy[1:] {
		if energy[p+1]+r.level < energy[p] {
			below++
		}
	}
	gain := r.Gain
	if gain == 0 {
		gain = min(0.5, 600/(math.Pow(float64(n+1), 0.8)+1000)) / 10
	}
	r.next = r.level + gain*(float64(below)/float64(len(energy)-1)-r.Target)
}

// Swap implements Rule.
func (r *Indicator) Swap(a Attempt, _ *rand.Rand) bool { return a.Hot+r.level < a.Cold }
