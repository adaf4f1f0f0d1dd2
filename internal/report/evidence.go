package report

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// ended warns of what a run that was to end when log Z is known leaves open: the error
// asked for, where it ended before, or the draws of parameters, which were not waited for.
func (s *Summary) ended(u tune.Until, met bool) {
	e := s.LogEvidence
	asked := text.Short(u.Evidence, 2)
	switch {
	case !met && tune.Contradicts(e.Evidence):
		s.warnf("the run ended at its limit with log Z %s from the hotter rungs and %s from the colder, "+
			"too far apart for the %s of until.evidence. Raise the limit (sampler.until).",
			text.Number(e.Forward, 2), text.Number(e.Backward, 2), asked)
	case !met:
		s.warnf("the run ended at its limit before log Z was known to %s (now %s), or before R̂ and ESS, "+
			"if these were asked for, were reached. Raise the limit (sampler.until).", asked, text.Short(e.Error, 3))
	case e.Estimate != e.Estimate:
		s.warnf("the draws tell log Z to the %s asked for (until.evidence), but for the volume of the "+
			"domain: without it log Z is not known.", asked)
		return
	case e.Error > u.Evidence:
		s.warnf("the draws tell log Z to the %s asked for; with what the volume of the domain and the step "+
			"add, its error is %s, and a longer run would not change that part.", asked, text.Short(e.Error, 2))
	}
	if met && u.RHat == 0 && u.ESS == 0 {
		if len(Doubts(s.Parameters, 0)) > 0 {
			s.warnf("the run ended because log Z was known to %s (until.evidence); R̂ and ESS of parameters "+
				"were not waited for.", asked)
		}
	}
}

// apart tells forward and backward log Z, with the error of their gap if that is known;
// nothing where they are no farther apart than twice that.
func (e Evidence) apart() string {
	gap := e.Forward - e.Backward
	if math.Abs(gap) <= 2*e.GapError {
		return ""
	}
	both := fmt.Sprintf("forward %s, backward %s, ", text.Number(e.Forward, 3), text.Number(e.Backward, 3))
	if e.GapError == e.GapError {
		both += fmt.Sprintf("apart by %s, ", text.PlusMinus(math.Abs(gap), e.GapError))
	}
	return both
}
