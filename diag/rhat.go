package diag

import "math"

// RHat returns the rank-normalised split R̂: the larger of the bulk R̂ (of the
// normal scores of the ranks) and the folded one (of those of |x - median|),
// each over chains cut into halves. Near 1 is good; above 1.01 is not.
//
// One chain will do: its halves are compared. ArviZ 0.23 gives NaN for one
// chain, and for odd lengths drops the middle draws before taking the median.
//
// It needs 4 draws per chain. It is +Inf for chains that are each constant but
// differ, and NaN if either part is undefined: also where |x - median| is
// constant, as with two equally frequent values.
func RHat(chains [][]float64) float64 { return of(chains, (*draws).rhat) }

func (d *draws) rhat() float64 {
	k, _ := d.halves()
	bulk := plainRHat(d.normalScores(d.order()), k)
	tail := plainRHat(d.normalScores(d.folded()), k)
	if math.IsNaN(bulk) || math.IsNaN(tail) {
		return math.NaN()
	}
	return math.Max(bulk, tail)
}

// plainRHat returns R̂ of k chains that lie one after the other in y.
func plainRHat(y []float64, k int) float64 {
	n := len(y) / k
	if n < 2 || k < 2 || constant(y) {
		return math.NaN()
	}
	means := make([]float64, k)
	var within float64
	for c := range k {
		chain := y[c*n : (c+1)*n]
		if same(chain) {
			means[c] = chain[0]
			continue
		}
		means[c] = Mean(chain)
		within += Variance(chain)
	}
	return rhatFrom(Variance(means), within/float64(k), float64(n))
}

// rhatFrom combines the variance of the chain means, the mean of the chain
// variances and the draws per chain.
func rhatFrom(between, within, n float64) float64 {
	return math.Sqrt((n*between/within + n - 1) / n)
}
