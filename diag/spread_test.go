package diag

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Independent draws of a law of kurtosis κ know their sd as 2n/(κ − 1) of a normal law do. Draws are quantiles in
// an order of chance, so that their moments are the law's but for the last of n parts; the ESS of 40,000 that are
// independent is known to 2 %, and 0.1 is five standard errors. No spread is told where there may be no variance.
// Mutants: twice the size; kurtosis left out; heavy tails.
func TestSpread(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		name     string
		quantile func(p float64) float64
		want     float64
	}{
		{"normal", func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }, n},
		{"uniform", func(p float64) float64 { return p }, 2 * n / (1.8 - 1)},
		{"exponential", func(p float64) float64 { return -math.Log1p(-p) }, 2 * n / (9. - 1)},
		{"Cauchy", func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) }, math.NaN()},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		x := [][]float64{make([]float64, n/2), make([]float64, n/2)}
		for i, k := range rng.Perm(n) {
			x[i%2][i/2] = c.quantile((float64(k) + 0.5) / n)
		}
		got := ESSSpread(x)
		if !(math.Abs(got/c.want-1) < 0.1) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
		s := Summarize("x", x, math.Inf(-1), math.Inf(1))
		if want := MCSESd(x); s.MCSESd != want {
			t.Errorf("%s: a summary's error of the sd is %g, want %g", c.name, s.MCSESd, want)
		}
	}
}
