package tune

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
)

// Evidence is log(Z(coldest)/Z(hottest)) from the energies of the draws of all ladders,
// with its standard error, all pairs of a ladder in one series, so that what they share
// counts. NaN if temperatures changed. If the hottest rung is the uniform law, log Z of
// the coldest is this plus the log volume of the domain; where ladders began at a fitted law,
// this plus the Mass of a problem with the Guide of res. Energies with noise bias it.
func Evidence(res *r2sgld.Result) exchange.Evidence {
	stats := res.Swaps()
	var energy [][][]float64
	for r := range res.Ladders[0].Energy {
		energy = append(energy, res.TradedEnergies(r))
	}
	step := stats.Steps()
	e, terms, gaps := exchange.FromDraws(energy, step)
	if e.GapError = math.NaN(); len(step) > 0 {
		e.Error, e.GapError = errorOf(terms), errorOf(gaps)
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

// A gap between forward and backward log Z beyond this, and beyond so many standard
// errors, says that something is amiss.
const (
	gapLeast  = 0.3
	gapErrors = 5
)

// Contradicts reports whether forward and backward log Z are farther apart than chance
// explains, by the error of the gap, or where draws do not tell that, of the estimate: the
// backward mean may have a tail so heavy that one draw makes all of it.
func Contradicts(e exchange.Evidence) bool {
	se := e.Error
	if e.GapError == e.GapError {
		se = max(se, e.GapError)
	}
	return math.Abs(e.Forward-e.Backward) > gapLeast+gapErrors*se
}

// Strays reports whether forward and backward log Z are farther apart than two errors of
// the gap, and so far that it matters: draws of the colder rungs do not confirm log Z then,
// be it that a few of them make most of the backward mean.
func Strays(e exchange.Evidence) bool {
	return math.Abs(e.Forward-e.Backward) > max(gapLeast, 2*e.GapError)
}
