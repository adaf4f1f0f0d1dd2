package diag

import (
	"math"
	"slices"
)

// A Tail is the generalised Pareto law of the outer tenth of draws on one side: 1 − F(x)
// falls like x^(−1/Shape), so that variances exist below a shape of ½ and means below 1.
// Both numbers are NaN where there are fewer than 200 effective draws to tell them from.
type Tail struct {
	Shape float64
	SE    float64 // (1 + Shape)/√m for m draws in the tail
}

// Heavy tells that the shape is above ½ by its standard error: errors of means, which rest
// on a variance, do not hold then.
func (t Tail) Heavy() bool { return t.Shape-t.SE > 0.5 }

// heavier is the heavier tail of draws in increasing order that are worth so many
// independent ones: their quantiles at so many even steps stand for them.
func heavier(sorted []float64, ess float64) Tail {
	const fewest = 20
	t := Tail{math.NaN(), math.NaN()}
	m := int(math.Min(ess, float64(len(sorted)))) / 10 // NaN gives a number below fewest
	if m < fewest {
		return t
	}
	n := float64(len(sorted))
	upper, lower := make([]float64, m), make([]float64, m)
	above, below := sorted[int(n*0.9)], sorted[int(n*0.1)]
	for i := range m {
		p := (float64(i) + 0.5) / float64(m) / 10
		upper[m-1-i] = sorted[int(n*(1-p))] - above
		lower[m-1-i] = below - sorted[int(n*p)]
	}
	for _, x := range [][]float64{upper, lower} {
		for i := range x {
			x[i] = math.Max(0, x[i])
		}
		slices.Sort(x)
		if !(x[len(x)/4] > 0) { // an atom
			continue
		}
		if k, _ := fitPareto(x); !math.IsInf(k, 0) && !(k <= t.Shape) {
			t = Tail{k, (1 + math.Max(k, 0)) / math.Sqrt(float64(m))}
		}
	}
	return t
}
