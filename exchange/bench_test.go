package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// schemes are all of them, by their names in Settings.
var schemes = []string{"adj", "ape", "seo", "deo", "windowed-deo"}

// geometric returns temperatures 1 … hottest with equal ratios.
func geometric(rungs int, hottest float64) []float64 {
	tau := make([]float64, rungs)
	for r := range tau {
		tau[r] = math.Pow(hottest, float64(r)/float64(max(1, rungs-1)))
	}
	return tau
}

// count returns 0, 1, …, n−1.
func count(n int) []int {
	c := make([]int, n)
	for i := range c {
		c[i] = i
	}
	return c
}

// BenchmarkSweep times sweeps with all that goes with them, energies noted and
// evidence gathered. Replicas are labels here: their dimension does not come in.
func BenchmarkSweep(b *testing.B) {
	for _, scheme := range schemes {
		for _, rungs := range []int{2, 4, 8, 16, 32} {
			b.Run(fmt.Sprintf("%s/P=%d", scheme, rungs), func(b *testing.B) {
				e, err := New(rungs, Settings{Scheme: scheme, Gate: map[bool]string{true: "open"}[scheme == "windowed-deo"]})
				if err != nil {
					b.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(1, 1))
				tau, rung := geometric(rungs, 10), count(rungs)
				const rows = 1 << 10
				energies := make([]float64, rows*rungs)
				for i := range energies {
					energies[i] = tau[i%rungs] * rng.ExpFloat64()
				}
				b.ReportAllocs()
				k := 0
				for b.Loop() {
					k++
					at := k % rows * rungs
					e.Sweep(k, rung, energies[at:at+rungs], tau, rng)
				}
			})
		}
	}
}

func format(r sample) string { return fmt.Sprintf("  %.4f ± %.4f", r.mean, r.se()) }
