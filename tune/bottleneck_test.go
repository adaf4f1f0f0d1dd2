package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
)

// wideGaussian are 500 independent draws of every rung, by each of four ladders, of
// exp(−|x|²/2) under a normal prior 100 times as wide in ten dimensions, at these inverse
// temperatures: their evidence, and log Z, which is −5·log(1 + 100²).
func wideGaussian(seed uint64, beta []float64) (e exchange.Evidence, logZ float64) {
	const d, precision = 10, 1e-4 // of the prior
	rng := rand.New(rand.NewPCG(seed, 1))
	var energy [][][]float64
	var step []float64
	stats := exchange.Statistics{RoundTrips: 1}
	for r, b := range beta {
		ladders := make([][]float64, 4)
		for l := range ladders {
			ladders[l] = make([]float64, 500)
			for k := range ladders[l] {
				for range d {
					x := rng.NormFloat64()
					ladders[l][k] += x * x / (2 * (b + precision))
				}
			}
		}
		energy = append(energy, ladders)
		if r > 0 {
			step = append(step, beta[r-1]-b)
			stats.Pairs = append(stats.Pairs, exchange.Pair{Cold: r - 1, Hot: r, Weighed: 1})
		}
	}
	return judged(&stats, energy, step, nil), -d / 2 * math.Log(1+1/precision)
}

// spaced are n inverse temperatures from 1 to 0, most of them in a geometric series.
func spaced(n int) []float64 {
	beta := make([]float64, n)
	for r := range n - 1 {
		beta[r] = math.Pow(1e-4, float64(r)/float64(n-1))
	}
	return beta
}

// With too few rungs log Z is not known; with enough of them it is, and in between its error
// is right or it is not known: of 60 runs three lie beyond four standard errors with a
// probability of 1e-8.
//
// Mutants: a tail that may be as heavy as it likes; one way enough.
func TestBottleneckOfTooFewRungs(t *testing.T) {
	pace.Slow(t)
	beyond := 0
	for _, rungs := range []int{3, 5, 8, 12, 18} {
		for seed := range uint64(12) {
			e, logZ := wideGaussian(seed, spaced(rungs))
			b := e.Bottleneck
			switch {
			case b == nil && rungs <= 5, b != nil && rungs >= 18:
				t.Errorf("%d rungs, seed %d: log Z %.2f ± %.2f of %.2f, %v", rungs, seed, e.Estimate, e.Error, logZ, b)
			case b != nil && rungs <= 5 && !strings.Contains(b.Why, "Pareto"):
				t.Errorf("%d rungs, seed %d: %v", rungs, seed, b)
			case b == nil && !(math.Abs(e.Estimate-logZ) <= 4*e.Error):
				beyond++
			}
		}
	}
	if beyond > 2 {
		t.Errorf("%d of 60 beyond four standard errors", beyond)
	}
}

// A hole in a ladder that is else as it should be is where the bottleneck is.
func TestBottleneckNamesItsRungs(t *testing.T) {
	e, _ := wideGaussian(1, slices.Delete(spaced(24), 7, 12))
	if b := e.Bottleneck; b == nil || b.Rungs != [2]int{7, 8} ||
		!strings.Contains(b.String(), "bottleneck between rungs 7 and 8: draws of neither") {
		t.Errorf("%v", b)
	}
}

// Runs that mix have no bottleneck: ladders of method auto make hundreds of round trips and
// reject half of their swaps, and a gap of 0.3 and five errors is the chance of one in 1e6.
// Mutant: round trips that are always missed.
func TestNoBottleneck(t *testing.T) {
	p, _ := leaning(t)
	for seed := range uint64(pace.Soak(4, 50)) {
		s := r2sgld.Settings{Seed: seed, Ladders: 4, Iterations: 250, Kernel: kernel.HMC{Leapfrog: 1 + int(seed)%5}}
		res, _, err := Sample(t.Context(), p, s, Until{Evidence: 0.2})
		if err != nil {
			t.Fatal(err)
		}
		if e := Evidence(res); e.Bottleneck != nil {
			t.Errorf("seed %d: %v", seed, e.Bottleneck)
		}
	}
}

// plateaus are ladders whose rungs have normal energies of the standard deviation 0.1 about
// these means: energy[rung][ladder].
func plateaus(mean [][]float64) (energy [][][]float64) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, rung := range mean {
		var all [][]float64
		for _, m := range rung {
			u := make([]float64, 400)
			for k := range u {
				u[k] = m + 0.1*rng.NormFloat64()
			}
			all = append(all, u)
		}
		energy = append(energy, all)
	}
	return energy
}

// Where no replica went round, the pair at which ladders differ is named, though draws of all
// rungs overlap. Mutant: the first pair.
func TestBottleneckWithoutRoundTrips(t *testing.T) {
	energy, step := plateaus([][]float64{{0, 0}, {0, 0}, {0, 1}, {0, 0}}), []float64{0.1, 2, 0.1}
	stats := exchange.Statistics{RoundTrips: 1}
	e, _, _ := exchange.FromDraws(energy, step)
	e.Error = 1
	if b := bottleneck(&stats, energy, step, e, 0); b != nil {
		t.Errorf("a round trip: %v", b)
	}
	stats.RoundTrips = 0
	if b := bottleneck(&stats, energy, step, e, 0); b == nil || b.Rungs != [2]int{2, 3} || !strings.Contains(b.Why, "no replica has gone") {
		t.Errorf("no round trip: %v", b)
	}
}

// A run whose log Z is lost has not come to its end, however large an error is asked for.
// Mutant: the bottleneck passed over.
func TestUntilKnown(t *testing.T) {
	p, _ := leaning(t)
	res, err := r2sgld.Sample(t.Context(), p, r2sgld.Settings{Seed: 1, Ladders: 2, Iterations: 400, Kernel: kernel.HMC{Leapfrog: 1},
		Temperature: []float64{1e-4, math.Inf(1)}, StepSize: []float64{0.01, 1}})
	if err != nil {
		t.Fatal(err)
	}
	if j := (Until{Evidence: 1e9}).Judge(res); j.Met || j.Evidence.Bottleneck == nil {
		t.Errorf("%+v", j)
	}
}

// What ladders tell by themselves is an error of log Z: of four whose energies are about 0, 20,
// 40 and 60 at both rungs of a step of 1 it is the standard deviation of these over 2, which
// the draws, seen as one series, do not tell. Mutants: the ladders left out; their spread for
// the error of their mean.
func TestErrorAmongLadders(t *testing.T) {
	energy, step := plateaus([][]float64{{0, 20, 40, 60}, {0, 20, 40, 60}}), []float64{1}
	noisy := []float64{1, 1} // of which no gap is trimmed
	e := judged(&exchange.Statistics{RoundTrips: 1, Noise: noisy}, energy, step, &exchange.Evidence{})
	if want := math.Sqrt(2000./3) / 2; !(math.Abs(e.Error-want) < 0.05) { // means of 400 draws have the error 0.005
		t.Errorf("error %.2f, want %.2f", e.Error, want)
	}
}

// A gap between forward and backward log Z that its errors do not explain is part of the error
// of log Z, and where it is far beyond them a contradiction. Tails that draws do not reach
// explain one only of a forward log Z that is below the backward one.
//
// Mutants: the gap's own error left out; tails that explain either way.
func TestContradicts(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		forward, backward, se, gap float64
		heavy                      int
		want                       bool
		unexplained                float64
	}{
		{1, 1.2, 0.01, 0.01, 0, false, 0},
		{1.2, 1, 0.01, 0.01, 0, false, 0.18},
		{1.4, 1, 0.01, 0.01, 0, true, 0.38},
		{1.4, 1, 0.01, 0.01, 3, true, 0.38},
		{1, 1.4, 0.01, 0.01, 1, true, 0.08},
		{1, 1.4, 0.01, 0.01, 2, false, 0},
		{1, 0.2, 0.01, 0.2, 0, false, 0.4}, // one draw makes the backward mean
		{1, 0.2, 0.01, nan, 0, true, 0.78},
		{1, 0.2, 0.2, nan, 0, false, 0.4},
		{nan, nan, nan, nan, 0, false, nan},
	} {
		e := exchange.Evidence{Forward: c.forward, Backward: c.backward, Error: c.se, GapError: c.gap}
		got := unexplained(e, 2, c.heavy)
		if contradicts(e, c.heavy) != c.want || !(math.Abs(got-c.unexplained) < 1e-12) && fmt.Sprint(got) != fmt.Sprint(c.unexplained) {
			t.Errorf("%+v: %v, %g", c, contradicts(e, c.heavy), got)
		}
	}
}
