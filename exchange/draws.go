package exchange

import "math"

// FromDraws is the evidence that energies at draws tell, energy[ladder][rung][draw],
// the coldest rung first, with as many draws everywhere: step[p] is
// Δβ = β_cold − β_hot of the neighbours p and p+1. Where every iteration is a draw, it
// uses each of them, while the stepping stones of [Statistics] are noted now and then.
// Its Error is NaN: that of the mean of all terms together, an error for draws that
// depend on each other, tells it. terms[ladder][draw] are what each draw adds to the
// estimate, to first order: their mean is 0 but for rounding.
func FromDraws(energy [][][]float64, step []float64) (e Evidence, terms [][]float64) {
	e.Error = math.NaN()
	n := len(energy[0][0])
	for range energy {
		terms = append(terms, make([]float64, n))
	}
	root := make([]float64, len(energy)*n)
	for p, delta := range step {
		for _, side := range []struct {
			rung       int
			tilt, sign float64
		}{{p + 1, -delta, 1}, {p, delta, -1}} {
			most := math.Inf(-1)
			for _, l := range energy {
				for _, u := range l[side.rung][:n] {
					most = max(most, side.tilt*u)
				}
			}
			sum, squares := 0.0, 0.0
			for i, l := range energy {
				for k, u := range l[side.rung][:n] {
					v := math.Exp((side.tilt*u - most) / 2)
					root[i*n+k] = v
					sum += v
					squares += v * v
				}
			}
			total := float64(len(root))
			for i, t := range terms {
				for k := range t {
					t[k] += side.sign * (root[i*n+k]*total/sum - 1)
				}
			}
			e.Estimate += side.sign * (most/2 + math.Log(sum/total))
			if log := most + math.Log(squares/total); side.sign > 0 {
				e.Forward += log
			} else {
				e.Backward -= log
			}
		}
	}
	return e, terms
}

// Steps are Δβ = β_cold − β_hot of the neighbours, cold first; NaN where temperatures
// changed, or nothing was noted yet.
func (s *Statistics) Steps() []float64 {
	var d []float64
	for _, t := range s.stones {
		if t.Hot.Count == 0 {
			t.DeltaBeta = math.NaN()
		}
		d = append(d, t.DeltaBeta)
	}
	return d
}
