package bnn

import (
	"math"
	"math/rand/v2"
	"testing"
)

// logAcceptance agrees with energies drawn from the law, Gamma(d/2) times temperature,
// with Gaussian noise whose correction is half its variance. 20,000 means of numbers in
// [0, 1] have a standard error below 0.0035: 0.03 is 4.9 of these and the step from Gamma
// to normal, and kills an s² without its d or with half of it.
func TestLogAcceptance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	gamma := func(d int) float64 { // half a χ² with d degrees
		sum := 0.0
		for range d {
			z := rng.NormFloat64()
			sum += z * z / 2
		}
		return sum
	}
	const n, d = 20_000, 200
	for _, c := range []struct{ hot, variance float64 }{{1.05, 0}, {1.2, 0}, {1.2, 20}, {1.05, 400}} {
		delta, mean := 1-1/c.hot, 0.0
		for range n {
			difference := gamma(d) - c.hot*gamma(d) + math.Sqrt(c.variance)*rng.NormFloat64()
			mean += math.Min(1, math.Exp(delta*(difference-delta*c.variance/2))) / n
		}
		if got := math.Exp(logAcceptance(d, 1, c.hot, c.variance)); math.Abs(got-mean) > 0.03 {
			t.Errorf("temperature %g, noise %g: acceptance %.3f, found %.3f", c.hot, c.variance, got, mean)
		}
	}
	// Far out the asymptotic series takes over without a step.
	low, high := logAcceptance(12_799, 1, 1.6403882, 0), logAcceptance(12_801, 1, 1.6403882, 0)
	if !(high < low) || low-high > 0.1 {
		t.Errorf("ln acceptance %g beside %g", low, high)
	}
}
