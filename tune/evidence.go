package tune

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
)

// Evidence is log(Z(coldest)/Z(hottest)) from the energies of the draws of all ladders. If
// the hottest rung is the uniform law, log Z of the coldest is this plus the log volume of
// the domain; where ladders began at a fitted law, this plus the Mass of a problem with the
// Guide of res. NaN if temperatures changed. Energies with noise bias it.
//
// Its standard error is the largest of four: that of all pairs of a ladder in one series, so
// that what they share counts; that of the ladders, each by itself; what of the gap
// between forward and backward neither two errors of it nor a heavy tail explain; and what of
// the trimmed gap two errors of that do not explain. Where draws do not lead from rung to rung
// it has a Bottleneck.
func Evidence(res *r2sgld.Result) exchange.Evidence { return evidence(res, nil) }

// Noted is Evidence by the stepping stones that swaps noted, noise of known variance
// corrected; draws, which may be fewer, tell the errors alone.
func Noted(res *r2sgld.Result) exchange.Evidence {
	var all []exchange.Statistics
	for _, l := range res.Ladders {
		all = append(all, l.Swaps)
	}
	e := exchange.EvidenceOf(all...)
	return evidence(res, &e)
}

// evidence adds errors and a bottleneck to what was noted, nil for what draws tell.
func evidence(res *r2sgld.Result, noted *exchange.Evidence) exchange.Evidence {
	stats := res.Swaps()
	var energy [][][]float64
	for r := range res.Ladders[0].Energy {
		energy = append(energy, res.TradedEnergies(r))
	}
	return judged(&stats, energy, stats.Steps(), noted)
}

// judged is the evidence of energies at draws, energy[rung][ladder][draw], of steps between
// rungs, and of what was noted beside them.
func judged(stats *exchange.Statistics, energy [][][]float64, step []float64, noted *exchange.Evidence) exchange.Evidence {
	e, terms, gaps := exchange.FromDraws(energy, step)
	if noted != nil {
		e = *noted
	}
	e.GapError, e.Trimmed, e.TrimmedError = math.NaN(), math.NaN(), math.NaN()
	if len(step) == 0 || e.Estimate != e.Estimate {
		return e
	}
	e.Error, e.GapError = errorOf(terms), errorOf(gaps)
	if among := amongLadders(energy, step); among > e.Error {
		e.Error = among
	}
	heavy := 0
	if unexplained(e, 2, 0) > 0 {
		heavy = tails(energy, step)
	}
	e.Bottleneck = bottleneck(stats, energy, step, e, heavy)
	if !slices.ContainsFunc(stats.Noise, func(v float64) bool { return v != 0 }) { // which the noted numbers are free of, and draws are not
		e.Trimmed, e.TrimmedError = trimmed(energy, step)
	}
	e.Error = max(e.Error, unexplained(e, 2, heavy)) // which keeps NaN
	if more := math.Abs(e.Trimmed) - 2*e.TrimmedError; more > e.Error {
		e.Error = more
	}
	return e
}

// errorOf is the standard error of the mean of what draws add: 0 where all add the same,
// as those of a constant potential do.
func errorOf(terms [][]float64) float64 {
	const fewest = 4 // draws that tell anything
	if len(terms[0]) >= fewest && !slices.ContainsFunc(slices.Concat(terms...), func(v float64) bool { return v != terms[0][0] }) {
		return 0
	}
	return diag.MCSEMean(terms)
}

// amongLadders is the standard error by what each ladder tells by itself; NaN of one.
func amongLadders(energy [][][]float64, step []float64) float64 {
	var each []float64
	for l := range energy[0] {
		var own [][][]float64
		for _, rung := range energy {
			own = append(own, rung[l:l+1])
		}
		e, _, _ := exchange.FromDraws(own, step)
		each = append(each, e.Estimate)
	}
	return diag.SD(each) / math.Sqrt(float64(len(each)))
}

// trimShare is the share of the draws of a colder rung that a trimmed gap leaves out.
const trimShare = 0.01

// trimmed is the gap between forward and backward log Z, and its standard error, by energies up to which
// all but a hundredth of the draws of the colder rung of each pair lie. With A the states of such energies,
//
//	E_hot[exp(−Δβ U); A]/P_cold(A) = Z_cold/Z_hot = P_hot(A)/E_cold[exp(+Δβ U); A],
//
// and the terms of the last mean are bounded by what a hundredth of its draws reach: no few of them make
// most of it, as they do where the hotter law is wide. What the hotter draws miss that colder ones have
// found is a gap still.
func trimmed(energy [][][]float64, step []float64) (gap, se float64) {
	all := make([][]float64, len(energy[0])) // what draws add
	for l, u := range energy[0] {
		all[l] = make([]float64, len(u))
	}
	for p := range step {
		cold := slices.Concat(energy[p]...)
		slices.Sort(cold)
		most := cold[len(cold)-1-int(trimShare*float64(len(cold)))]
		inside := 1.0
		if beyond := slices.IndexFunc(cold, func(u float64) bool { return u > most }); beyond > 0 {
			inside = float64(beyond) / float64(len(cold))
		}
		e, _, gaps := exchange.FromDraws([][][]float64{cut(energy[p], most, math.Inf(-1)), cut(energy[p+1], most, math.Inf(1))}, step[p:p+1])
		gap += e.Forward - math.Log(inside) - e.Backward
		for l, g := range gaps {
			floats.Add(all[l], g)
		}
	}
	return gap, errorOf(all)
}

// cut is energies with another in place of those above most.
func cut(energy [][]float64, most, instead float64) [][]float64 {
	out := make([][]float64, len(energy))
	for l, u := range energy {
		out[l] = slices.Clone(u)
		for k, v := range u {
			if v > most {
				out[l][k] = instead
			}
		}
	}
	return out
}

// Strays reports whether forward and backward log Z are farther apart than two errors of
// the gap, and so far that it matters, and without a hundredth of the colder draws may be so still:
// draws of the colder rungs do not confirm log Z then.
func Strays(e exchange.Evidence) bool {
	return math.Abs(e.Forward-e.Backward) > max(gapLeast, 2*e.GapError) && !(math.Abs(e.Trimmed)+2*e.TrimmedError <= gapLeast)
}
