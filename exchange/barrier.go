package exchange

import (
	"errors"
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/interp"
)

// A Barrier is Λ̂(β), how hard the way from the hottest rung to inverse
// temperature β is: rejections added up from the hot end, with a monotone cubic
// between rungs (Syed et al. 2022).
type Barrier struct {
	fit  interp.FritschButland
	beta []float64 // increasing
	sum  []float64 // Λ̂ there, strictly increasing
}

// leastRejection stands for none: with it Λ̂ increases strictly, and a ladder
// spends no rungs where nothing is rejected.
const leastRejection = 1e-6

// NewBarrier returns the barrier of a ladder with inverse temperatures beta, cold
// first, decreasing and at least 0, from the rejections of its len(beta)−1 pairs
// of neighbours, as in [Statistics.Rejections], best of several ladders added up.
// Rejections are taken into [1e-6, 1]; where one is 1, the true barrier may be
// higher by any amount, and one more round is needed.
func NewBarrier(beta, rejection []float64) (*Barrier, error) {
	n := len(beta)
	if n < 2 || len(rejection) != n-1 {
		return nil, fmt.Errorf("a barrier needs at least 2 rungs and a rejection for each pair: found %d and %d", n, len(rejection))
	}
	b := &Barrier{beta: make([]float64, n), sum: make([]float64, n)}
	for i := range beta {
		b.beta[i] = beta[n-1-i]
		if i == 0 {
			continue
		}
		r := rejection[n-1-i]
		if math.IsNaN(r) {
			return nil, fmt.Errorf("rungs %d and %d have not tried to swap: run longer", n-i, n-i+1)
		}
		b.sum[i] = b.sum[i-1] + min(1, max(leastRejection, r))
		if !(b.beta[i] > b.beta[i-1]) {
			return nil, fmt.Errorf("inverse temperatures must decrease: found %g, then %g", b.beta[i], b.beta[i-1])
		}
	}
	if !(b.beta[0] >= 0) || math.IsInf(b.beta[n-1], 1) {
		return nil, errors.New("inverse temperatures must be finite and at least 0")
	}
	if err := b.fit.Fit(b.beta, b.sum); err != nil {
		return nil, fmt.Errorf("barrier: %w", err)
	}
	return b, nil
}

// Total is Λ̂ between the ends.
func (b *Barrier) Total() float64 { return b.sum[len(b.sum)-1] }

// at is Λ̂(β) between the hottest rung and β, constant outside of the ladder.
func (b *Barrier) at(beta float64) float64 { return b.fit.Predict(beta) }

// Local is the local barrier λ̂(β), the derivative of Λ̂, 0 outside of the ladder.
// At infinitely many rungs a pair is rejected with probability λ̂ Δβ.
func (b *Barrier) Local(beta float64) float64 {
	if beta < b.beta[0] || beta > b.beta[len(b.beta)-1] {
		return 0
	}
	return math.Max(0, b.fit.PredictDerivative(beta))
}

// Ladder returns the inverse temperatures, cold first and decreasing, of n ≥ 2
// rungs between the same ends with equal rejections. The last is 0, temperature
// +Inf, if it was.
func (b *Barrier) Ladder(n int) []float64 {
	last := len(b.beta) - 1
	beta := make([]float64, n)
	beta[0], beta[n-1] = b.beta[last], b.beta[0]
	for i := 1; i < n-1; i++ {
		want := b.Total() * float64(n-1-i) / float64(n-1)
		k := min(last, max(1, sort.SearchFloat64s(b.sum, want)))
		low, high := b.beta[k-1], b.beta[k]
		for {
			mid := low + (high-low)/2
			if !(mid > low && mid < high) {
				break
			}
			if b.at(mid) < want {
				low = mid
			} else {
				high = mid
			}
		}
		beta[i] = min(high, math.Nextafter(beta[i-1], 0))
	}
	return beta
}
