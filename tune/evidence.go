package tune

import (
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
)

// Evidence is log(Z(coldest)/Z(hottest)) from the energies of the draws of all ladders,
// with its standard error, all pairs of a ladder in one series, so that what they share
// counts. NaN if temperatures changed. If the hottest rung is the uniform law, log Z of
// the coldest is this plus the log volume of the domain. Energies with noise bias it.
func Evidence(res *r2sgld.Result) exchange.Evidence {
	stats := res.Swaps()
	var energy [][][]float64
	for r := range res.Ladders[0].Energy {
		energy = append(energy, res.RungEnergies(r))
	}
	e, terms, gaps := exchange.FromDraws(energy, stats.Steps())
	e.Error, e.GapError = diag.MCSEMean(terms), diag.MCSEMean(gaps)
	return e
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
