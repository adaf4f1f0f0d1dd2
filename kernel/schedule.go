package kernel

import (
	"fmt"
	"math"
)

// A Schedule says, for every iteration k = 1 … Iterations of a ladder, which
// step size and temperature each rung has and whether the draw is kept.
type Schedule struct {
	StepSize    []float64 // η > 0, per rung, cold first; ητ where τ is infinite
	Temperature []float64 // τ > 0, per rung, increasing; the last may be +Inf, the uniform law
	Iterations  int       // K, burn-in included
	BurnIn      int       // iterations whose draws are not kept
	Thin        int       // every Thin-th draw after burn-in is kept; 0 is 1
	Decay       Decay     // how the step sizes vary; the zero value keeps them
	Momentum    Momentum  // of SGHMC; the zero value is none
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
	Kind   Kind    `json:"kind"`             // "" is Constant
	Rate   float64 `json:"decay,omitempty"`  // Exponential: 0 < Rate ≤ 1
	After  int     `json:"after,omitempty"`  // Exponential: the last iteration before the decay
	Cycles int     `json:"cycles,omitempty"` // Cosine: M ≥ 1
	A      float64 `json:"a,omitempty"`      // Polynomial: A > 0
	B      float64 `json:"b,omitempty"`      // Polynomial: B > −1
	Gamma  float64 `json:"gamma,omitempty"`  // Polynomial: Gamma ≥ 0
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

// Factor is the factor of the step sizes at iteration k of K, both from 1 on.
func (d Decay) Factor(k, iterations int) float64 {
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
	Drift       []float64 // η, or 0 where τ is infinite
	Noise       []float64 // sqrt(2ητ), the standard deviation of the noise; sqrt(2η(1−μ−β̂)τ) with momentum, β̂ being 0 where τ is infinite
	Spread      []float64 // the standard deviation of the momentum in equilibrium, sqrt(2ητ/(1+μ)); sqrt(2ητ) without
	filled      bool
}

// NewAt returns an At for a number of rungs.
func NewAt(rungs int) *At {
	v := make([][]float64, 5)
	for i := range v {
		v[i] = make([]float64, rungs)
	}
	return &At{StepSize: v[0], Temperature: v[1], Drift: v[2], Noise: v[3], Spread: v[4]}
}

// Set writes what s says of iteration k into at and reports whether anything
// differs from what stood there. It allocates nothing.
func (s *Schedule) Set(at *At, k int) (changed bool) {
	constant := s.Decay.Kind == "" || s.Decay.Kind == Constant
	if constant && at.filled {
		return false
	}
	f := s.Decay.Factor(k, s.Iterations)
	m := s.Momentum
	for r, eta := range s.StepSize {
		eta *= f
		tau := s.Temperature[r]
		diffusion := eta * tau
		at.StepSize[r], at.Temperature[r], at.Drift[r] = eta, tau, eta
		share := 1 - m.Mu - m.NoiseEstimate
		if math.IsInf(tau, 1) { // no gradient, and none of its noise
			at.Drift[r], diffusion, share = 0, eta, 1-m.Mu
		}
		at.Noise[r] = math.Sqrt(2 * share * diffusion)
		at.Spread[r] = math.Sqrt(2 * diffusion / (1 + m.Mu))
	}
	at.filled = true
	return true
}

// Next is the first iteration after k whose draw is kept.
func (s *Schedule) Next(k int) int {
	thin := max(1, s.Thin)
	return s.BurnIn + (max(0, k-s.BurnIn)/thin+1)*thin
}
