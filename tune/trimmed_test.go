package tune

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/exchange"
)

// pairOf is the energies of independent draws of two rungs at Δβ = 1, of four ladders, and where they are
// looked at: the hotter is N(0, 1) in three dimensions, the colder N(0, sd²), but for a share of it in a place far away
// that the hotter never comes to.
func pairOf(seed uint64, n int, sd, missed float64) (energy [][][]float64, step []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	energy = make([][][]float64, 2)
	for rung, width := range []float64{sd, 1} {
		for range 4 {
			var u []float64
			for range n {
				at := 0.0
				for range 3 {
					x := width * rng.NormFloat64()
					at += x * x / 2 * (1/sd/sd - 1)
				}
				if rung == 0 && rng.Float64() < missed {
					at = -50
				}
				u = append(u, at)
			}
			energy[rung] = append(energy[rung], u)
		}
	}
	return energy, []float64{1}
}

// Of exact draws the trimmed gap is 0 within its standard error: over many seeds the squares of the one over the
// other follow χ², their sum is none (false alarm 1e-6), where the backward mean is of few draws.
//
// Mutants: without the share of the colder draws; without that of the hotter ones; nothing left out.
func TestTrimmedGapIsCalibrated(t *testing.T) {
	const seeds = 400
	sum, squares, gaps := 0.0, 0.0, 0.0
	for seed := range uint64(seeds) {
		energy, step := pairOf(seed, 3000, 0.5, 0)
		gap, se := trimmed(energy, step)
		sum += gap / se
		squares += gap / se * gap / se
		e, _, _ := exchange.FromDraws(energy, step)
		gaps += (e.Forward - e.Backward) / seeds
	}
	law := distuv.ChiSquared{K: seeds}
	if !(squares > law.Quantile(3e-7) && squares < law.Quantile(1-3e-7)) {
		t.Errorf("squared gaps over squared errors add up to %.0f of %d", squares, seeds)
	}
	if z := sum / math.Sqrt(seeds); !(math.Abs(z) < 5.2) {
		t.Errorf("trimmed gaps are off by %.1f standard errors", z)
	}
	if !(gaps < -0.02) {
		t.Errorf("a gap of all draws of %.3f: nothing is shown", gaps)
	}
}

// A backward mean that a few draws make most of is no reason to doubt log Z. What the hotter law misses is: it is
// part of the error, and told where it matters.
//
// Mutants: gaps of all draws doubted; none; the error without what is missed; noise that is passed over.
func TestTrimmedGapTellsTailsFromWhatIsMissed(t *testing.T) {
	stats := exchange.Statistics{RoundTrips: 1}
	for _, c := range []struct {
		missed  float64
		strays  bool
		forward float64 // log Z that is told for the hotter draws, less the truth
	}{{0, false, 0}, {0.15, false, math.Log(0.85)}, {0.5, true, math.Log(0.5)}} {
		energy, step := pairOf(3, 5000, 0.3, c.missed)
		noted, _, _ := exchange.FromDraws(energy, step)
		noted.Backward = noted.Forward + 0.5 // by draws that are rare
		e := judged(&stats, energy, step, &noted)
		if c.missed == 0 && !(e.Error < 0.05 && math.Abs(e.Trimmed) < 5*e.TrimmedError) {
			t.Errorf("nothing is missed: %+v", e)
		}
		if Strays(e) != c.strays {
			t.Errorf("of %g missed: strays %v, %+v", c.missed, !c.strays, e)
		}
		if !(e.Error >= math.Abs(c.forward)-5*e.TrimmedError) {
			t.Errorf("of %g missed: an error of %.3f", c.missed, e.Error)
		}
		stats.Noise = []float64{0.1, 0.1}
		if e := judged(&stats, energy, step, &noted); e.Trimmed == e.Trimmed {
			t.Errorf("noisy energies have the trimmed gap %g", e.Trimmed)
		}
		stats.Noise = nil
	}
}
