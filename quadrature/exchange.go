package quadrature

import "math"

type spectra struct{ a, b spectrum }

// A spectrum is the law of U under the uniform law on the domain.
type spectrum struct{ u, h []float64 }

// SwapProbability returns E min(1, exp((1/cold − 1/hot)(U1 − U2))).
func (r *Region) SwapProbability(cold, hot float64) float64 { return math.NaN() }

// Barrier returns Λ.
func (r *Region) Barrier(cold, hot float64) float64 { return math.NaN() }

// LocalBarrier returns ½ E|U − U'|.
func (r *Region) LocalBarrier(beta float64) float64 { return math.NaN() }
