package diag

import (
	"cmp"
	"math"
	"slices"
)

// ManyChains is the number of chains from which [NestedRHat] is known.
const ManyChains = 2 * superchains

// superchains are groups of chains that began alike.
const superchains = 8

// NestedRHat returns the rank-normalised nested R̂ of many chains, which may be shorter than [RHat] asks for: that
// comes near 1 only as each chain grows long, however many there are (Margossian, Hoffman, Sountsov, Riou-Durand,
// Vehtari and Gelman, Bayesian Analysis 2024). The chains are put in order of their first draws, and eight
// superchains made of neighbours. It is √(1 + B/W), where B is the variance of the means of superchains and W what
// draws vary within one, on average: the variance of the means of its chains and the mean variance of these. Chains
// that have not forgotten where they began differ as their beginnings do; those that have agree to
// √(1 + 8/ESS). As of RHat it is the larger one of normal scores of ranks and of those of |x − median|.
//
// It is NaN of fewer than [ManyChains] chains, and +Inf or NaN where RHat is for want of a variance.
func NestedRHat(chains [][]float64) float64 { return of(chains, (*draws).nestedRHat) }

// Agreement is how well chains agree: NestedRHat of many, RHat of fewer.
func Agreement(chains [][]float64) float64 {
	if len(chains) >= ManyChains {
		return NestedRHat(chains)
	}
	return RHat(chains)
}

// ESSFor is the effective sample size, of all chains, at which an [Agreement] of so many comes to about r > 1 where
// they have one law: √(1 + 2m/ESS) of m, each split in two, and √(1 + 8/ESS) of many.
func ESSFor(chains int, r float64) float64 {
	groups := 2 * chains
	if chains >= ManyChains {
		groups = superchains
	}
	return float64(groups) / (r*r - 1)
}

func (d *draws) nestedRHat() float64 {
	if d.m < ManyChains {
		return math.NaN()
	}
	begun := make([]int, d.m)
	for c := range begun {
		begun[c] = c
	}
	slices.SortStableFunc(begun, func(a, b int) int { return cmp.Compare(d.x[a*d.n], d.x[b*d.n]) })
	group := make([]int, d.m)
	for i, c := range begun {
		group[c] = i * superchains / d.m
	}
	bulk := d.nested(d.normalScores(d.order()), group)
	return math.Max(bulk, d.nested(d.normalScores(d.folded()), group)) // which keeps NaN
}

// nested is √(1 + B/W) of y, the halves of chains one after the other; group is the superchain of each chain.
func (d *draws) nested(y []float64, group []int) float64 {
	k, h := d.halves()
	var means [superchains][]float64
	within := [superchains]float64{}
	for c := range k {
		half, g := y[c*h:(c+1)*h], group[c*d.m/k]
		if means[g] = append(means[g], Mean(half)); h > 1 {
			within[g] += Variance(half)
		}
	}
	var of [superchains]float64
	w := 0.0
	for g, m := range means {
		of[g] = Mean(m)
		w += (Variance(m) + within[g]/float64(len(m))) / superchains
	}
	return math.Sqrt(1 + Variance(of[:])/w)
}
