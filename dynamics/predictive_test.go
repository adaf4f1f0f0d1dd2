package dynamics

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Replicated derivatives have the covariance of the likelihood: the sum of the
// squares of whitened residuals is χ² of as many degrees of freedom as data
// (|z| < 5.5, false alarm 1e-7 of six). This kills noise that is not coloured,
// coloured by the transpose, or of the variance instead of the deviation.
func TestPredictiveDerivatives(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for _, d := range []Derivative{{}, {Kind: "savgol", Window: 5, Order: 2}, {Kind: "spline"}} {
		m := lotka()
		m.Derivative = d
		p := must(Build(m, lynxHare()))
		for c, r := range p.Responses {
			n := len(r.Observed)
			draw, fitted := make([]float64, n), make([]float64, n)
			p.Fitted(fitted, c, p.Center)
			sum := 0.0
			const draws = 500
			for range draws {
				if !p.Predictive(draw, c, p.Center, rng) {
					t.Fatal("no replicated data")
				}
				for i := range draw {
					draw[i] -= fitted[i]
				}
				p.white[c].apply(draw)
				for _, e := range draw {
					sum += e * e / (p.Noise[c] * p.Noise[c])
				}
			}
			if z := (sum - float64(n*draws)) / math.Sqrt(2*float64(n*draws)); math.Abs(z) > 5.5 {
				t.Errorf("%+v, response %d: z = %v", d, c, z)
			}
		}
	}
	m := lotka()
	m.Noise.Kind = "paper"
	p := must(Build(m, lynxHare()))
	if p.Predictive(make([]float64, 19), 0, p.Center, rng) {
		t.Error("replicated data without noise")
	}
}
