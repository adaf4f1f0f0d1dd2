package diag

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Independent draws of a law of kurtosis κ know their sd as 2n/(κ − 1) of a normal law do. Draws are quantiles in
// an order of chance, so that their moments are the law's but for the last of n parts; the ESS of 40,000 that are
// independent is known to 2 %, and 0.1 is five standard errors. No spread is told where there may be no variance;
// of a tail like x^(−2.5), which has none of its fourth power, it is said. Mutants: twice the size; kurtosis left
// out; heavy tails; tails as of a variance.
func TestSpread(t *testing.T) {
	const n = 40_000
	for _, c := range []struct {
		name     string
		quantile func(p float64) float64
		want     float64
		rough    bool
	}{
		{"normal", func(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }, n, false},
		{"uniform", func(p float64) float64 { return p }, 2 * n / (1.8 - 1), false},
		{"exponential", func(p float64) float64 { return -math.Log1p(-p) }, 2 * n / (9. - 1), false},
		{"Cauchy", func(p float64) float64 { return math.Tan(math.Pi * (p - 0.5)) }, math.NaN(), true},
		{"Pareto", func(p float64) float64 { return math.Pow(1-p, -0.4) }, 0, true},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		x := [][]float64{make([]float64, n/2), make([]float64, n/2)}
		for i, k := range rng.Perm(n) {
			x[i%2][i/2] = c.quantile((float64(k) + 0.5) / n)
		}
		got := ESSSpread(x)
		if c.want != 0 && !(math.Abs(got/c.want-1) < 0.1) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%s: %g, want %g", c.name, got, c.want)
		}
		s := Summarize("x", x, math.Inf(-1), math.Inf(1))
		if s.Tail.Rough() != c.rough {
			t.Errorf("%s: a shape of %.2f ± %.2f", c.name, s.Tail.Shape, s.Tail.SE)
		}
		if want := MCSESd(x); s.MCSESd != want {
			t.Errorf("%s: a summary's error of the sd is %g, want %g", c.name, s.MCSESd, want)
		}
	}
}
