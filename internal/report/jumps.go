package report

import (
	"fmt"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/text"
)

// jumping warns of steps along which the potential jumps, at the rung that saw most of
// them; "" where none did.
func (s *Summary) jumping(res *r2sgld.Result) string {
	worst, share := 0, 0.0
	for r := range res.Ladders[0].Jumps {
		if j := res.Jumps(r); j.Certain() && float64(j.Seen) > share*float64(j.Looked) {
			worst, share = r, float64(j.Seen)/float64(j.Looked)
		}
	}
	if share == 0 {
		return ""
	}
	return fmt.Sprintf("the potential jumps, or has features far narrower than a step: along %s %% of the steps of rung %d it changed by up "+
		"to %s temperatures at once. The gradient does not know of that, and the two sides have wrong shares, by a bias that is not known. %s",
		text.Short(100*share, 2), worst+1, text.Short(res.Jumps(worst).Largest, 2), s.instead("Write the pieces as domains of their own"))
}

// coarse warns of steps of one of the first so many rungs that are too long for a feature of
// the potential, by which its law is off by more than steps of that bias do; "" where none are.
func (s *Summary) coarse(bias float64, rungs int) string {
	for r, j := range s.jumps[:min(rungs, len(s.jumps))] {
		if !j.Certain() && j.Coarse(bias) {
			return fmt.Sprintf("the potential has features narrower than a step, or slopes towards a wall that steps are too long for: an exact "+
				"kernel would refuse %s %% of the steps of rung %d, along which the energy does not change as the slopes at both ends say. "+
				"The draws are off by a bias that is not known. %s",
				text.Short(100*j.Refused/float64(j.Looked), 2), r+1, s.instead("Take a much smaller sampler.step_size"))
		}
	}
	return ""
}

// mostWidened is by how much, relative, steps may widen a variance without a word.
const mostWidened = 0.1

// Widened warns of given steps that make variances too large: by bias, relative, at a
// rung, the coldest being 0, as [tune.StepBias] tells.
func (s *Summary) Widened(bias float64, rung int) {
	if !(bias > mostWidened) {
		return
	}
	by := fmt.Sprintf("makes the variance in the stiffest direction %s times too large, walls aside", text.Short(1+bias, 2))
	if 1+bias > 1e6 {
		by = "is beyond the limit of stability in the stiffest direction: without walls the run would fly apart"
	}
	s.warnf("the step size %s of rung %d, times the curvature of U at its draws, %s. %s",
		text.Short(s.Ladder.StepSize[rung], 2), rung+1, by, s.instead("Take a smaller sampler.step_size, or method auto"))
}
