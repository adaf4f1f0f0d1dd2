package runner

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/exchange"
)

// Two standard errors of log Z hold it in 95 % of runs, whatever the bias of its steps: for
// none, for one of the size of chance, whose estimate is often near 0, and for one that
// outweighs chance. Of 20,000 runs 4.9 standard deviations less may (chance: 1e-6).
//
// Mutants: the bias alone beside chance, which holds 90 %; the error of the bias beside
// both, as if it were independent of that of log Z: 93 %.
func TestStepBiasIsCounted(t *testing.T) {
	const n = 20_000
	rng := rand.New(rand.NewPCG(1, 2))
	for _, rough := range []float64{1, 1.75} {
		for _, b := range []float64{0, 0.5, 1, 1.5, 2, 3, 5} {
			within := 0
			for range n {
				fine := exchange.Evidence{Estimate: b + rng.NormFloat64(), Error: 1}
				_, _, se := stepBias(fine, exchange.Evidence{Estimate: coarser*b + rough*rng.NormFloat64(), Error: rough})
				if math.Abs(fine.Estimate) <= 2*se {
					within++
				}
			}
			if least := 0.95*n - 4.9*math.Sqrt(0.95*0.05*n); float64(within) < least {
				t.Errorf("bias %g, error %g of the rough run: %d of %d within two standard errors", b, rough, within, n)
			}
		}
	}
}
