package diag

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Tails of known shape: 1/ν of Student's law with ν degrees of freedom. With m = 2,000
// draws in a tail the shape is within 0.25 of the truth: five standard errors at ν = 1,
// and what the outer tenth of 20,000 draws is yet from its limit (−0.15 for a normal law).
// A law without a mean is heavy, those with a fourth moment are not. Mutants: tails
// exchanged with the middle (0.9 and 0.1); variances asked for below shape 1.
func TestTails(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	student := func(nu int) float64 {
		var s float64
		for range nu {
			z := rng.NormFloat64()
			s += z * z
		}
		return rng.NormFloat64() / math.Sqrt(s/float64(nu))
	}
	for _, c := range []struct {
		name  string
		shape float64
		heavy bool
		draw  func() float64
	}{
		{"Cauchy", 1, true, func() float64 { return student(1) }},
		{"half-Cauchy, below", 1, true, func() float64 { return -math.Abs(student(1)) }},
		{"five degrees", 0.2, false, func() float64 { return student(5) }},
		{"exponential", 0, false, rng.ExpFloat64},
		{"normal", 0, false, rng.NormFloat64},
		{"uniform", -1, false, rng.Float64},
	} {
		chains := make([][]float64, 4)
		for i := range chains {
			chains[i] = make([]float64, 5000)
			for j := range chains[i] {
				chains[i][j] = c.draw()
			}
		}
		s := Summarize("x", chains, math.Inf(-1), math.Inf(1))
		if math.Abs(s.Tail.Shape-c.shape) > 0.25 || s.Tail.Heavy() != c.heavy {
			t.Errorf("%s: shape %.3f ± %.3f, heavy %v", c.name, s.Tail.Shape, s.Tail.SE, s.Tail.Heavy())
		}
	}
	if s := Summarize("few", [][]float64{make([]float64, 10), make([]float64, 10)}, 0, 0); s.Tail.Heavy() || !math.IsNaN(s.Tail.Shape) {
		t.Errorf("of draws that do not vary: %+v", s.Tail)
	}
}
