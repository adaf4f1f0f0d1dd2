package exchange

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// drawn are n independent energies of every rung in each of some ladders, of the law in
// the plane whose log Z(β) is −log β and a constant.
func drawn(rng *rand.Rand, ladders, n int, beta []float64) [][][]float64 {
	energy := make([][][]float64, len(beta))
	for range ladders {
		for r, b := range beta {
			u := make([]float64, n)
			for k := range u {
				u[k] = plane(rng, 1/b)
			}
			energy[r] = append(energy[r], u)
		}
	}
	return energy
}

func stepsOf(beta []float64) []float64 {
	var d []float64
	for p := 1; p < len(beta); p++ {
		d = append(d, beta[p-1]-beta[p])
	}
	return d
}

// holes makes every energy of the hottest rung vast, or +Inf, with probability one half, as if half
// of the volume had no density.
func holes(rng *rand.Rand, energy [][][]float64, vast float64) {
	for _, l := range energy[len(energy)-1] {
		for k := range l {
			if rng.IntN(2) == 0 {
				l[k] = vast
			}
		}
	}
}

// Draws tell the same as stepping stones that note each of them, also where half of the
// hottest have no density, and where their energies are vast as if they had none. Mutants: roots for
// squares in the means; the sign of a tilt; neighbours mixed up; vast energies that count, among draws
// and among stones, before the largest term and after it, and of another ladder.
func TestFromDrawsAreStones(t *testing.T) {
	var first Evidence
	for i, vast := range []float64{math.Inf(1), 1e17, 1e300} {
		e := fromDrawsAreStones(t, vast)
		if i == 0 {
			first = e
		}
		if math.Abs(e.Backward-first.Backward) > 1e-11 || math.Abs(e.Forward-first.Forward) > 1e-11 {
			t.Errorf("%v where half of the hottest have the energy %g, %v where they have none", e, vast, first)
		}
	}
}

func fromDrawsAreStones(t *testing.T, vast float64) Evidence {
	t.Helper()
	beta := []float64{2, 1.1, 0.7, 0.3}
	rng := rand.New(rand.NewPCG(1, 2))
	energy := drawn(rng, 3, 500, beta)
	holes(rng, energy, vast)
	for k := range energy[3][2] { // one ladder draws nothing else
		energy[3][2][k] = vast
	}
	step := stepsOf(beta)
	s := newStatistics(len(beta), false)
	for p, d := range step {
		for i, l := range energy[p] {
			own := stone{}
			for k, u := range l {
				own.add(d, u, energy[p+1][i][k])
			}
			s.stones[p].merge(own)
		}
	}
	e, _, _ := FromDraws(energy, step)
	want := s.evidence()
	for _, c := range [][2]float64{{e.Forward, want.Forward}, {e.Backward, want.Backward}, {e.Estimate, want.Estimate}} {
		if !(math.Abs(c[0]-c[1]) < 1e-11) { // rounding of 1,500 terms
			t.Errorf("%v, stones %v", e, want)
		}
	}
	for p, d := range s.Steps() {
		if d != step[p] {
			t.Errorf("steps %v, want %v", s.Steps(), step)
		}
	}
	return e
}

// Terms tell the errors of the estimate and of the gap: over many repetitions the squares
// of error over standard error follow χ², and so do those of the gap (quantiles for a
// false alarm of 1e-6 in all; the gap's heavier tails are those of ratios of temperatures
// of 1.5, at which backward terms still have four moments). Holes halve Z of the colder
// rungs, and forward and backward know it alike. Mutants: terms of the colder
// rung added instead of taken off, those of the gap taken off; terms not divided by their
// mean; the bridge with whole exponents.
func TestFromDrawsErrors(t *testing.T) {
	const ladders, n = 2, 600
	repeat := size(200)
	beta := []float64{2.25, 1.8, 1.44, 1.2, 1}
	truth := -math.Log(2 * beta[0] / beta[4])
	rng := rand.New(rand.NewPCG(3, 4))
	var sum, squares, gap float64
	for range repeat {
		energy := drawn(rng, ladders, n, beta)
		holes(rng, energy, math.Inf(1))
		e, terms, gaps := FromDraws(energy, stepsOf(beta))
		se := func(x [][]float64) float64 {
			s := 0.0
			for _, l := range x {
				for _, v := range l {
					s += v * v
				}
			}
			return math.Sqrt(s) / (ladders * n)
		}
		z := (e.Estimate - truth) / se(terms)
		sum += z
		squares += z * z
		z = (e.Forward - e.Backward) / se(gaps)
		gap += z * z
	}
	law := distuv.ChiSquared{K: float64(repeat)}
	for name, v := range map[string]float64{"estimate": squares, "gap": gap} {
		if !(v > law.Quantile(1e-7) && v < law.Quantile(1-1e-7)) {
			t.Errorf("%s: squared errors over squared standard errors add up to %.0f of %d", name, v, repeat)
		}
	}
	if z := sum / math.Sqrt(float64(repeat)); !(math.Abs(z) < 5.2) {
		t.Errorf("the estimates are off by %.1f standard errors", z)
	}
}
