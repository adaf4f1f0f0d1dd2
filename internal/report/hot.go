package report

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/text"
)

const (
	// hotApart is the R̂ beyond which the ladders of a hot rung have not come to agree
	// (Gelman & Rubin 1992): with four ladders it has then about forty effective draws, a
	// tenth of what the cold rung is asked for. Of 400 draws R̂ is that large with
	// probability 1e-12.
	hotApart   = 1.1
	hotDraws   = 256 // of a ladder, for R̂ of hot rungs, evenly spread
	hotColumns = 64  // coordinates, likewise
)

// unreached warns of the hotter rung that is farthest from its law, where the cold draws
// look as if they were of theirs: swaps bring them states of another law, and what the hot
// rung has yet to find the cold one does not know of. "" where every rung agrees.
func (s *Summary) unreached(p r2sgld.Problem, set r2sgld.Settings, res *r2sgld.Result) string {
	for _, of := range s.Parameters {
		if !(of.agreement() <= wellMixed) {
			return ""
		}
	}
	worst, rung, name := hotApart, 0, ""
	for r := 1; r < len(res.Ladders[0].X); r++ {
		see := func(of string, chains [][]float64) {
			if v := diag.RHat(chains); v > worst && !math.IsInf(v, 1) {
				worst, rung, name = v, r, of
			}
		}
		see("U", sparse(res.TradedEnergies(r)))
		chains := func(j int) [][]float64 { return res.RungChains(r, j) }
		if p.Chart != nil && p.Chart.Symmetry != nil { // which of its points a hot draw is does not matter
			agreed := res.AgreedChains(r, p.Chart.Symmetry)
			chains = func(j int) [][]float64 { return agreed[j] }
		}
		for j := 0; j < len(res.Names); j += 1 + len(res.Names)/hotColumns {
			see(res.Names[j], sparse(chains(j)))
		}
	}
	if rung == 0 {
		return ""
	}
	warmth := "∞"
	if t := set.Temperature[rung]; !math.IsInf(t, 1) {
		warmth = text.Short(t, 3)
	}
	return fmt.Sprintf("the ladders have not come to agree at rung %d (temperature %s): R̂ %s of %s. Swaps bring its states to the cold "+
		"rung, whose "+
		"means may be off by more than their errors tell, and whose R̂ and ESS need not show it. In a funnel, where the scale of one variable "+
		"is the exponential of another, take variables divided by their scale; else bound the variables (domain), or run longer.",
		rung+1, warmth, text.Number(worst, 2), name)
}

// mostUnstable is the share of cold draws at which steps may be unstable without a word. Of a
// normal law there are none, of exp(−x⁴) and exp(−x⁶), whose tails bend ever more, up to 7 %: a
// step there leads back to the middle. Of ridges along a parabola, 50 to 500 times as narrow
// as long, there are 9 to 29 %, and the steps lead nowhere.
const mostUnstable = 0.085

// Barred warns of trajectories whose steps are unstable at a share of the cold draws.
func (s *Summary) Barred(share float64) {
	if !(share > mostUnstable) {
		return
	}
	s.warnf("at %s of the cold draws the density is too narrow for the steps of trajectories, which are refused there: what lies beyond, as "+
		"the ends "+
		"of a bent ridge, is hardly entered, and R̂ and ESS need not show it. Means and sds may be off by more than their errors tell. Bound "+
		"the variables (domain), so that ladders begin at uniform draws, or take a variable across the ridge in place of one that runs along it.",
		text.Number(share, 2))
}

// sparse thins chains of one length to hotDraws.
func sparse(chains [][]float64) [][]float64 {
	n := len(chains[0])
	if n <= hotDraws {
		return chains
	}
	out := make([][]float64, len(chains))
	for i, c := range chains {
		for k := range hotDraws {
			out[i] = append(out[i], c[k*n/hotDraws])
		}
	}
	return out
}
