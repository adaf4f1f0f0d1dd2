package bnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
)

// logAcceptance agrees with energies drawn from the law, Gamma(d/2) times temperature,
// with Gaussian noise whose correction is half its variance. 20,000 means of numbers in
// [0, 1] have a standard error below 0.0035: 0.03 is 4.9 of these and the step from Gamma
// to normal, and kills an s² without its d or with half of it.
func TestLogAcceptance(t *testing.T) {
	pace.Slow(t)
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

// A plan counts the energies that swaps read over all data, or to estimate their noise, and
// the round trips of the scheme: 300 iterations of two rungs, a second each, and three
// seconds for a pass over all data, which is ten minibatches.
func TestPlanOfSwaps(t *testing.T) {
	for name, c := range map[string]struct {
		set     Settings
		seconds float64
		trips   func(a float64) float64 // of two rungs that accept with probability a
	}{
		"full, deo": {Settings{FullEnergies: true}, 300 + 150*3, func(a float64) float64 { return 300 * a / 2 }},
		"full, windows": {Settings{FullEnergies: true, Swap: exchange.Settings{Scheme: "windowed-deo", Window: 3, Every: 2}}, 300 + 25*3,
			func(a float64) float64 { return 150 * a / 2 / 3 }},
		"full, seo": {Settings{FullEnergies: true, Swap: exchange.Settings{Scheme: "seo"}}, 300 + 300*3,
			func(a float64) float64 { return 300 * a / 2 }},
		"estimated": {Settings{Swap: exchange.Settings{Estimate: exchange.Estimate{Every: 100, Batches: 5}}}, 300 + 4*5*0.3,
			func(a float64) float64 { return 300 * a / 2 }},
		"no formula": {Settings{Swap: exchange.Settings{Scheme: "adj"}}, 300, func(float64) float64 { return math.NaN() }},
	} {
		s := c.set
		s.Method, s.Epochs, s.Batch, s.Temperature = "resghmc", 30, 100, []float64{1, 1.5}
		e, err := exchange.New(2, s.Swap)
		if err != nil {
			t.Fatal(err)
		}
		train := &training{set: s, n: 1000, steps: s.Steps(1000), size: 100, deck: newDeck(1000, 100, false), exchange: e,
			place: place{Rung: []int{0, 1}}}
		train.layout.Parameters = []Tensor{{Size: 8}}
		m := newMeter(2)
		m.moving, m.steps, m.images, m.reading, m.passes = 20, 20, 2000, 6, 2
		p := m.plan(train)
		a := math.Exp(p.Exact[0])
		want := c.trips(a)
		same := math.Abs(p.RoundTrips-want) < 1e-9 || math.IsNaN(p.RoundTrips) && math.IsNaN(want)
		if math.Abs(p.Seconds-c.seconds) > 1e-9 || !same {
			t.Errorf("%s: %g seconds and %g round trips instead of %g and %g", name, p.Seconds, p.RoundTrips, c.seconds, want)
		}
	}
}
