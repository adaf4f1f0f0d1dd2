package diag_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/r2sgld/r2sgld/diag"
)

// walks are m chains of n draws, autoregressive, from one of an innovation; every second one begins off away.
func walks(m, n int, phi, off float64) [][]float64 {
	rng, chains := rand.New(rand.NewPCG(uint64(m), uint64(n))), make([][]float64, m)
	for c := range chains {
		chains[c] = make([]float64, n)
		v := rng.NormFloat64() + float64(c%2)*off
		for i := range chains[c] {
			chains[c][i] = v
			v = phi*v + rng.NormFloat64()
		}
	}
	return chains
}

// byHand is nested R̂ of 16 chains of 6 draws, in pairs: each step as it is written in the paper.
func byHand(chains [][]float64) float64 {
	all := slices.Concat(chains...)
	s := sorted(all)
	median := (s[len(s)/2-1] + s[len(s)/2]) / 2
	ordered := slices.Clone(chains)
	sort.SliceStable(ordered, func(i, j int) bool { return ordered[i][0] < ordered[j][0] })
	worst := 0.0
	for _, fold := range []func(x float64) float64{func(x float64) float64 { return x }, func(x float64) float64 { return math.Abs(x - median) }} {
		values := make([]float64, len(all))
		for i, x := range all {
			values[i] = fold(x)
		}
		rank := sorted(values)
		score := func(x float64) float64 {
			below, upTo := sort.SearchFloat64s(rank, fold(x)), sort.SearchFloat64s(rank, math.Nextafter(fold(x), math.Inf(1)))
			return distuv.UnitNormal.Quantile((float64(below+1+upTo)/2 - 0.375) / (float64(len(all)) + 0.25))
		}
		var middles []float64
		w := 0.0
		for g := 0; g < 16; g += 2 {
			var means []float64
			within := 0.0
			for _, c := range ordered[g : g+2] {
				for _, half := range [][]float64{c[:3], c[3:]} {
					z := []float64{score(half[0]), score(half[1]), score(half[2])}
					means = append(means, stat.Mean(z, nil))
					within += stat.Variance(z, nil) / 4
				}
			}
			middles = append(middles, stat.Mean(means, nil))
			w += (stat.Variance(means, nil) + within) / 8
		}
		worst = max(worst, math.Sqrt(1+stat.Variance(middles, nil)/w))
	}
	return worst
}

func sorted(x []float64) []float64 {
	s := slices.Clone(x)
	slices.Sort(s)
	return s
}

// Mutants: chains in the order that they come in; no variance of means within a superchain; the bulk alone.
func TestNestedRHatByHand(t *testing.T) {
	for i, off := range []float64{0, 8, 30, 0} {
		chains := walks(16, 6, 0.7, off)
		for c, x := range chains {
			for j := range x {
				x[j] *= 1 + float64(i*c)/8 // of different widths
			}
			if i == 3 { // the wider, the higher it begins
				x[0] = float64(c) / 1000
			}
		}
		if got, want := diag.NestedRHat(chains), byHand(chains); !(math.Abs(got-want) < 1e-12) {
			t.Errorf("chains %g apart: nested R̂ %.15g, want %.15g", off, got, want)
		}
	}
}

// Of 128 chains of 300 draws that take 19 for one, 2,020 in all, R̂ is large, because chains are short, and nested R̂
// is not: R² − 1 is about 8/2,020 times χ²₇/7, which exceeds 5.8 with probability 1e-6: R < 1.0115; and of R̂, whose
// chains have 16 each, 18/150 times χ²₂₅₅/255, which is below 0.6 as seldom: R̂ > 1.035. Where chains have not forgotten where they
// began nested R̂ says so.
func TestNestedRHatOfShortChains(t *testing.T) {
	good := walks(128, 300, 0.9, 0)
	if nested, plain := diag.NestedRHat(good), diag.RHat(good); !(nested < 1.0115 && plain > 1.035) || diag.Agreement(good) != nested {
		t.Errorf("nested R̂ %.4f, R̂ %.4f", nested, plain)
	}
	stuck := walks(64, 100, 0.99, 20)
	if nested := diag.NestedRHat(stuck); !(nested > 1.1) {
		t.Errorf("nested R̂ %.4f of chains that have not forgotten", nested)
	}
	few := walks(15, 42, 0, 0)
	if nested := diag.NestedRHat(few); nested == nested || diag.Agreement(few) != diag.RHat(few) {
		t.Errorf("nested R̂ %.4f of 15 chains", nested)
	}
	for c := range good {
		good[c] = make([]float64, 300)
	}
	if nested := diag.NestedRHat(good); nested == nested {
		t.Errorf("nested R̂ %.4f of draws that are all alike", nested)
	}
}

// One draw of each chain is enough: W is then what chains of a superchain differ by.
func TestNestedRHatOfSingleDraws(t *testing.T) {
	chains := walks(32, 1, 0, 0)
	if nested := diag.NestedRHat(chains); !(nested > 1.5) { // superchains are made by these very draws
		t.Errorf("nested R̂ %g", nested)
	}
}
