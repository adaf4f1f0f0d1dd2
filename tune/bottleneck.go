package tune

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
)

const (
	gapLeast  = 0.3 // a gap between forward and backward log Z up to this, and so many errors of it, is nothing
	gapErrors = 5
	heavyTail = 0.7 // Pareto shape of weights beyond which draws do not tell their mean (Vehtari et al. 2024)
	// Pairs that trade one swap in five overlap enough: the terms of their bridge have a
	// relative variance below 1/0.2 − 1.
	rareSwaps = 0.8
)

// bottleneck is where draws do not lead from one rung to the next: where the weights of both
// rungs of a pair, each towards the other, have a tail that draws do not reach, where no
// replica made a round trip, or where forward and backward log Z contradict each other. Nil
// where there is none. heavy is the number of heavy tails, or 0.
func bottleneck(stats *exchange.Statistics, energy [][][]float64, step []float64, e exchange.Evidence, heavy int) *exchange.Bottleneck {
	worst, at := heavyTail, -1
	for p, r := range stats.Rejections() {
		if r < rareSwaps {
			continue
		}
		if k := min(shape(energy[p], step[p]), shape(energy[p+1], -step[p])); k > worst {
			worst, at = k, p
		}
	}
	switch {
	case at >= 0:
		return lostAt(at, fmt.Sprintf("draws of neither reach where those of the other lie (Pareto k %.2g or more of the weights, both ways; "+
			"%.1g is the most that can be trusted)", worst, heavyTail))
	case stats.RoundTrips == 0:
		return lostAt(widest(energy, step, func(_ exchange.Evidence, terms [][]float64) float64 { return errorOf(terms) }),
			"it adds most to the error, and no replica has gone from the coldest rung to the hottest and back")
	case contradicts(e, heavy):
		return lostAt(widest(energy, step, func(e exchange.Evidence, _ [][]float64) float64 { return math.Abs(e.Forward - e.Backward) }),
			fmt.Sprintf("they add most to the gap between log Z from the hotter rung of each pair and from the colder, %.2f, which should be "+
				"none but for an error of %.2f", math.Abs(e.Forward-e.Backward), gapError(e)))
	}
	return nil
}

// contradicts reports whether forward and backward log Z are farther apart than chance and
// heavy tails explain.
func contradicts(e exchange.Evidence, heavy int) bool {
	return unexplained(e, gapErrors, heavy) > 0 && math.Abs(e.Forward-e.Backward) > gapLeast+gapErrors*gapError(e)
}

// lostAt is the bottleneck at pair p.
func lostAt(p int, why string) *exchange.Bottleneck {
	return &exchange.Bottleneck{Rungs: [2]int{p + 1, p + 2}, Why: why}
}

// widest is the pair of the largest measure of its evidence and of what draws add to that.
func widest(energy [][][]float64, step []float64, of func(e exchange.Evidence, terms [][]float64) float64) int {
	most, at := math.Inf(-1), 0
	for p := range step {
		e, terms, _ := exchange.FromDraws(energy[p:p+2], step[p:p+1])
		if v := of(e, terms); v > most {
			most, at = v, p
		}
	}
	return at
}

// gapError is the error of the gap, or where draws do not tell that, or it is the smaller
// one, of the estimate: the backward mean may have a tail so heavy that one draw makes all
// of it.
func gapError(e exchange.Evidence) float64 {
	if e.GapError == e.GapError {
		return max(e.Error, e.GapError)
	}
	return e.Error
}

// unexplained is what of the gap so many errors of it do not explain, nor tails that draws do
// not reach, 0 at least. Those make forward log Z too low and backward too high, never the
// other way round; the smallest are there even if no weight has a heavy tail, as where a
// twentieth of a fitted law lies outside of the density.
func unexplained(e exchange.Evidence, errors float64, heavy int) float64 {
	gap := math.Abs(e.Forward-e.Backward) - errors*gapError(e)
	if e.Forward < e.Backward {
		gap -= gapLeast * float64(max(1, heavy))
	}
	return max(0, gap)
}

// tails is how many of the weights of all pairs, both ways, have a heavy tail.
func tails(energy [][][]float64, step []float64) (heavy int) {
	for p, delta := range step {
		for _, k := range []float64{shape(energy[p], delta), shape(energy[p+1], -delta)} {
			if k > heavyTail {
				heavy++
			}
		}
	}
	return heavy
}

// shape is the Pareto shape of the weights exp(tilt·U) at the draws of a rung.
func shape(energy [][]float64, tilt float64) float64 {
	weights := slices.Concat(energy...)
	for i := range weights {
		weights[i] *= tilt
	}
	finite := slices.DeleteFunc(weights, func(w float64) bool { return math.IsInf(w, -1) })
	return diag.PSIS(finite, 1)
}
