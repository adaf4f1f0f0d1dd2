package r2sgld

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// Whatever lies between two steps, the noise of the second is standard normal, and
// beyond the distance where it is shared the two meet with the largest probability,
// 2Φ(−|z|/2). Of n = 200,000 draws the mean, the square and the fourth power along and
// across z and their product have standard deviations 1, √2, √96 and 1 over √n: |z| < 4.9.
//
// It kills: noise moved the other way, mirrored by half, meeting with another
// probability, and mirroring before the meeting is tried.
func TestMeetKeepsTheNoise(t *testing.T) {
	pace.Slow(t)
	const n = 200_000
	for _, apart := range [][]float64{{0, 0.1}, {0.5, 0.6}, {-3, 0.2}, {2, -2}, {0, 9}} {
		rng := rand.New(rand.NewPCG(1, 2))
		length := math.Hypot(apart[0], apart[1])
		e := []float64{apart[0] / length, apart[1] / length}
		sums := map[string]float64{}
		met, shared := 0, 0
		for range n {
			noise := []float64{rng.NormFloat64(), rng.NormFloat64()}
			was := [2]float64{noise[0], noise[1]}
			meet(noise, apart, rng)
			if math.Hypot(noise[0]-was[0]-apart[0], noise[1]-was[1]-apart[1]) < 1e-9 {
				met++
			}
			if noise[0] == was[0] && noise[1] == was[1] {
				shared++
			}
			along, across := noise[0]*e[0]+noise[1]*e[1], noise[0]*e[1]-noise[1]*e[0]
			for name, v := range map[string]float64{
				"mean along": along, "mean across": across, "product": along * across,
				"square along": (along*along - 1) / math.Sqrt2, "square across": (across*across - 1) / math.Sqrt2,
				"fourth power": (along*along*along*along - 3) / math.Sqrt(96),
			} {
				sums[name] += v
			}
		}
		for name, v := range sums {
			if z := v / math.Sqrt(n); math.Abs(z) > 4.9 {
				t.Errorf("apart %v: %s of the noise is off by %.1f standard errors", apart, name, z)
			}
		}
		if length <= near*math.Sqrt2 {
			if shared != n {
				t.Errorf("apart %v: %d of %d shared the noise", apart, shared, n)
			}
			continue
		}
		want := math.Erfc(length / 2 / math.Sqrt2)
		if z := (float64(met) - n*want) / math.Sqrt(n*want*(1-want)); math.Abs(z) > 4.9 {
			t.Errorf("apart %v: %d of %d met, want %.0f (z = %.1f)", apart, met, n, n*want, z)
		}
	}
}
