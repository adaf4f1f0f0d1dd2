package exchange

import "math"

// FromDraws is the evidence that energies at draws tell, energy[rung][ladder][draw],
// the coldest rung first, with as many draws everywhere: step[p] is
// Δβ = β_cold − β_hot of the neighbours p and p+1. Where every iteration is a draw, it
// uses each of them, while the stepping stones of [Statistics] are noted now and then.
// Its Error is NaN: draws depend on each other, and series tell it. terms[ladder][draw]
// are what each draw adds to Estimate, to first order, gaps what it adds to
// Forward − Backward; the mean of either is 0. Where U is +Inf or vast at hotter draws the
// colder ones tell of the rest alone, and Backward holds the share of that among the hotter.
func FromDraws(energy [][][]float64, step []float64) (e Evidence, terms, gaps [][]float64) {
	e.Error = math.NaN()
	n := len(energy[0][0])
	for range energy[0] {
		terms, gaps = append(terms, make([]float64, n)), append(gaps, make([]float64, n))
	}
	root := make([]float64, len(energy[0])*n)
	for p, delta := range step {
		hot, hotRoot := side(energy[p+1], -delta, root)
		within := spread(terms, gaps, energy[p+1], root, 1, reached(energy[p+1], delta))
		cold, coldRoot := side(energy[p], delta, root)
		spread(terms, gaps, energy[p], root, -1, math.MaxFloat64)
		e.Forward += hot
		e.Backward -= cold - math.Log(within)
		e.Estimate += hotRoot - coldRoot
	}
	return e, terms, gaps
}

// side is the logarithm of the mean of exp(tilt·U) at the draws of a rung, and that of
// the mean of exp(tilt·U/2); root are the latter's terms, ladder by ladder, the largest 1.
func side(energy [][]float64, tilt float64, root []float64) (log, logRoot float64) {
	n, most := len(energy[0]), math.Inf(-1)
	for _, l := range energy {
		for _, u := range l {
			most = max(most, tilt*u)
		}
	}
	sum, squares := 0.0, 0.0
	for i, l := range energy {
		for k, u := range l {
			v := math.Exp((tilt*u - most) / 2)
			root[i*n+k] = v
			sum += v
			squares += v * v
		}
	}
	total := float64(len(root))
	return most + math.Log(squares/total), most/2 + math.Log(sum/total)
}

// reached is the highest energy of hotter draws where colder ones may be, by Δβ.
func reached(energy [][]float64, delta float64) float64 {
	lowest := math.Inf(1)
	for _, l := range energy {
		for _, u := range l {
			lowest = min(lowest, u)
		}
	}
	return min(lowest+nothing/delta, math.MaxFloat64)
}

// spread adds what each draw of one side of a pair, of these energies, adds to the bridge,
// with a sign, and to the gap, to which both sides add. It returns the share of the draws
// whose energy is at most highest.
func spread(terms, gaps, energy [][]float64, root []float64, sign, highest float64) (within float64) {
	sum, squares, below := 0.0, 0.0, 0.0
	n, total := len(terms[0]), float64(len(root))
	for i, v := range root {
		sum += v
		squares += v * v
		if energy[i/n][i%n] <= highest {
			below++
		}
	}
	for i := range terms {
		for k, v := range root[i*n : (i+1)*n] {
			terms[i][k] += sign * (v*total/sum - 1)
			if energy[i][k] <= highest {
				gaps[i][k] += v*v*total/squares - total/below
			}
		}
	}
	return below / total
}

// Steps are Δβ = β_cold − β_hot of the neighbours, cold first; NaN where temperatures
// changed, or nothing was noted yet.
func (s *Statistics) Steps() []float64 {
	var d []float64
	for _, t := range s.stones {
		if t.Cold.Count == 0 {
			t.DeltaBeta = math.NaN()
		}
		d = append(d, t.DeltaBeta)
	}
	return d
}
