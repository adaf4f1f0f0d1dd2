package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// Doubt makes evidence with a bottleneck not known.
func (e *Evidence) Doubt() {
	if e.Bottleneck == nil {
		return
	}
	e.Reason, e.Untrusted = e.Bottleneck.String(), &Estimate{e.Estimate, e.Error}
	e.Estimate, e.Error = math.NaN(), math.NaN()
}

// Lost warns of log Z that is lost in a bottleneck. auto says that the program found the rungs.
func (s *Summary) Lost(auto bool) {
	e := s.LogEvidence
	if e.Bottleneck == nil {
		return
	}
	advice := "Take method auto, which finds rungs, or more of them (sampler.temperature)"
	if auto {
		advice = "Run until it is: sampler.until.evidence"
	}
	s.warnf("log Z is not known: %s. Draws would put it at %s, from %s by the hotter rung of each pair and %s by the colder: "+
		"none of it can be trusted. %s.", e.Reason, text.PlusMinus(e.Untrusted.Estimate, e.Untrusted.SE), text.Number(e.Forward, 2),
		text.Number(e.Backward, 2), advice)
}

// line is that of log Z below the table of parameters; "" where it was not looked for.
func (e Evidence) line() string {
	if u := e.Untrusted; u != nil {
		return fmt.Sprintf(" log Z not known (bottleneck between rungs %d and %d)\n", e.Bottleneck.Rungs[0], e.Bottleneck.Rungs[1])
	}
	if e.Estimate != e.Estimate {
		return ""
	}
	volume := text.Number(e.LogVolume, 3)
	if e.LogVolumeSE > 0 {
		volume = text.PlusMinus(e.LogVolume, e.LogVolumeSE)
	}
	from := "log volume " + volume
	if e.Fitted {
		from = "from a law fitted to the modes"
	}
	if e.StepBias == e.StepBias && (e.StepBias != 0 || e.StepBiasSE != 0) { // exact kernels add nothing
		from += "; the step adds " + text.PlusMinus(e.StepBias, e.StepBiasSE)
	}
	return fmt.Sprintf(" log Z %s (%s%s)\n", text.PlusMinus(e.Estimate, e.Error), e.apart(), from)
}

// ended warns of what a run that was to end when log Z is known leaves open: the error
// asked for, where it ended before, or the draws of parameters, which were not waited for.
func (s *Summary) ended(u tune.Until, met bool) {
	e := s.LogEvidence
	asked := text.Short(u.Evidence, 2)
	of, raise := s.limit(u)
	more := s.unmet(u)
	if more != "" {
		more = ", and before " + more
	}
	switch {
	case !met && e.Bottleneck != nil:
		s.warnf("the run ended at its limit%s before log Z was known to %s: what it has is not known at all. Raise the limit (%s).", of, asked,
			raise)
	case !met && more != "" && e.Error <= u.Evidence:
		s.warnf("the run ended at its limit%s%s. Raise the limit (%s).", of, strings.TrimPrefix(more, ", and"), raise)
	case !met:
		s.warnf("the run ended at its limit%s before log Z was known to %s (now %s)%s. Raise the limit (%s).", of, asked,
			text.Short(e.Error, 3), more, raise)
	case e.Estimate != e.Estimate:
		s.warnf("the draws tell log Z to the %s asked for (until.evidence), but for the volume of the "+
			"domain: without it log Z is not known.", asked)
		return
	case e.Error > u.Evidence:
		s.warnf("the draws tell log Z to the %s asked for; with what the volume of the domain and the step "+
			"add, its error is %s, and a longer run would not change that part.", asked, text.Short(e.Error, 2))
	}
	if met && u.RHat == 0 && u.ESS == 0 {
		if len(Doubts("parameters", s.Parameters, 0)) > 0 {
			s.warnf("the run ended because log Z was known to %s (until.evidence); R̂ and ESS of parameters "+
				"were not waited for.", asked)
		}
	}
}

// apart tells forward and backward log Z, with the error of their gap if that is known;
// nothing where they are no farther apart than twice that, or not without a hundredth of the draws.
func (e Evidence) apart() string {
	gap := e.Forward - e.Backward
	if math.Abs(gap) <= 2*e.GapError || math.Abs(e.Trimmed) <= 2*e.TrimmedError {
		return ""
	}
	both := fmt.Sprintf("forward %s, backward %s, ", text.Number(e.Forward, 3), text.Number(e.Backward, 3))
	if e.GapError == e.GapError {
		both += fmt.Sprintf("apart by %s, ", text.PlusMinus(math.Abs(gap), e.GapError))
	}
	return both
}
