package diag

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Laws without a variance are heavy, those with a fourth moment, and modes far out that
// are small, are not. The shape of Cauchy's law is 1, within five standard errors of 0.14
// for the smaller one of two. Mutants: the larger one of the ranges; the lighter side; tails that hold little.
func TestTails(t *testing.T) {
	pace.Slow(t)
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
		heavy bool
		draw  func() float64
	}{
		{"Cauchy", true, func() float64 { return student(1) }},
		{"half-Cauchy, below", true, func() float64 { return -math.Abs(student(1)) }},
		{"five degrees", false, func() float64 { return student(5) }},
		{"exponential", false, rng.ExpFloat64},
		{"lognormal", false, func() float64 { return math.Exp(rng.NormFloat64()) }},
		{"normal", false, rng.NormFloat64},
		{"uniform", false, rng.Float64},
		{"an atom", false, func() float64 { return math.Max(0, rng.NormFloat64()-1) }},
		{"two parts, one far and small", false, func() float64 {
			if rng.Float64() < 0.018 {
				return 10 * rng.Float64()
			}
			return -rng.Float64()
		}},
		{"a wide disc around a narrow one", false, func() float64 {
			r := 0.03
			if rng.Float64() < 0.26 {
				r = 1
			}
			return r * math.Sqrt(rng.Float64()) * math.Cos(2*math.Pi*rng.Float64())
		}},
	} {
		for _, n := range []int{300, 1000, 5000} {
			chains := make([][]float64, 4)
			for i := range chains {
				chains[i] = make([]float64, n)
				for j := range chains[i] {
					chains[i][j] = c.draw()
				}
			}
			s := Summarize("x", chains, math.Inf(-1), math.Inf(1)).Tail
			if s.Heavy() != c.heavy || c.heavy && math.Abs(s.Shape-1) > 5*0.14 {
				t.Errorf("%s, %d draws: shape %.3f ± %.3f, heavy %v", c.name, 4*n, s.Shape, s.SE, s.Heavy())
			}
		}
	}
	if s := Summarize("still", [][]float64{make([]float64, 1000), make([]float64, 1000)}, 0, 0).Tail; s.Heavy() {
		t.Errorf("of draws that do not vary: %+v", s)
	}
}
