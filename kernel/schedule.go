package kernel

import (
	"fmt"
	"math"
)

// A Schedule says, for every iteration k = 1 … Iterations of a ladder, which
// step size and temperature each rung has and whether the draw is kept.
type Schedule struct {
	StepSize    []float64 // η > 0, per rung, cold first
	Temperature []float64 // τ > 0, per rung, increasing
	Iterations  int       // K, burn-in included
	BurnIn      int       // iterations whose draws are not kept
	Thin        int       // every Thin-th draw after burn-in is kept; 0 is 1
	Decay       Decay     // how the step sizes vary; the zero value keeps them
}

// A Kind names a form of decay.
type Kind string

// The kinds of schedule. Factors multiply the step size of every rung.
const (
	Constant    Kind = "constant"    // 1
	Exponential Kind = "exponential" // Rate^(k−After) past After
	Cosine      Kind = "cosine"      // ½(1 + cos(π mod(k−1, ⌈K/M⌉)/⌈K/M⌉)), M cycles
	Polynomial  Kind = "polynomial"  // A(B+k)^(−Gamma)
)

// Decay is how step sizes vary with the iteration.
type Decay struct {
	Kind   Kind    // "" is Constant
	Rate   float64 // Exponential: 0 < Rate ≤ 1
	After  int     // Exponential: the last iteration before the decay
	Cycles int     // Cosine: M ≥ 1
	A, B   float64 // Polynomial: A > 0, B > −1
	Gamma  float64 // Polynomial: Gamma ≥ 0
}

// Validate reports what is wrong with the parameters of d, or nil.
func (d Decay) Validate() error {
	switch d.Kind {
	case "", Constant:
	case Exponential:
		if !(d.Rate > 0 && d.Rate <= 1) {
			return fmt.Errorf("exponential schedule: decay %g must be in (0, 1]", d.Rate)
		}
	case Cosine:
		if d.Cycles < 1 {
			return fmt.Errorf("cosine schedule: cycles %d must be at least 1", d.Cycles)
		}
	case Polynomial:
		if !(d.A > 0 && d.B > -1 && d.Gamma >= 0) || math.IsInf(d.A+d.B+d.Gamma, 0) {
			return fmt.Errorf("polynomial schedule: need a > 0, b > -1, gamma >= 0, not a = %g, b = %g, gamma = %g", d.A, d.B, d.Gamma)
		}
	default:
		return fmt.Errorf("unknown schedule %q: use constant, exponential, cosine or polynomial", d.Kind)
	}
	return nil
}

// factor is the factor of the step sizes at iteration k of K.
func (d Decay) factor(k, iterations int) float64 {
	switch d.Kind {
	case Exponential:
		if k <= d.After {
			return 1
		}
		return math.Pow(d.Rate, float64(k-d.After))
	case Cosine:
		cycle := (iterations + d.Cycles - 1) / d.Cycles
		return 0.5 * (1 + math.Cos(math.Pi*float64((k-1)%cycle)/float64(cycle)))
	case Polynomial:
		return d.A * math.Pow(d.B+float64(k), -d.Gamma)
	}
	return 1
}

// At is what a schedule says of one iteration, per rung.
type At struct {
	StepSize    []float64 // η
	Temperature []float64 // τ
	Noise       []float64 // sqrt(2ητ), the standard deviation of the noise
	filled      bool
}

// NewAt returns an At for a number of rungs.
func NewAt(rungs int) *At {
	return &At{StepSize: make([]float64, rungs), Temperature: make([]float64, rungs), Noise: make([]float64, rungs)}
}

// Set writes what s says of iteration k into at. It allocates nothing.
func (s *Schedule) Set(at *At, k int) {
	constant := s.Decay.Kind == "" || s.Decay.Kind == Constant
	if constant && at.filled {
		return
	}
	f := s.Decay.factor(k, s.Iterations)
	for r, eta := range s.StepSize {
		at.StepSize[r] = f * eta
		at.Temperature[r] = s.Temperature[r]
		at.Noise[r] = math.Sqrt(2 * f * eta * s.Temperature[r])
	}
	at.filled = true
}

// Next is the first iteration after k whose draw is kept.
func (s *Schedule) Next(k int) int {
	thin := max(1, s.Thin)
	return s.BurnIn + (max(0, k-s.BurnIn)/thin+1)*thin
}
