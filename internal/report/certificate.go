package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

// certified are the parameters whose means have a certificate, those that the step
// shifts by the largest share of their standard deviation first.
func (s *Summary) certified() []Parameter {
	var ps []Parameter
	for _, p := range s.Parameters {
		if p.Bias != nil && p.BiasSE != nil {
			ps = append(ps, p)
		}
	}
	slices.SortStableFunc(ps, func(a, b Parameter) int {
		x, y := math.Abs(*a.Bias)/a.SD, math.Abs(*b.Bias)/b.SD
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return ps
}

// mostBiases is how many parameters the line of the certificate names.
const mostBiases = 4

// certificate is the line that says what the step adds to the means; "" without one.
func (s *Summary) certificate() string {
	ps := s.certified()
	if len(ps) == 0 {
		return ""
	}
	if b := *ps[0].Bias; b != b {
		return " step bias of the means: not known\n"
	}
	var parts []string
	for _, p := range ps[:min(len(ps), mostBiases)] {
		parts = append(parts, p.Name+" "+text.PlusMinus(*p.Bias, *p.BiasSE))
	}
	if more := len(ps) - mostBiases; more > 0 {
		parts = append(parts, fmt.Sprintf("less for %d more", more))
	}
	return " step bias of the means: " + strings.Join(parts, ", ") + "\n"
}

// significant is how many standard errors of its own a bias has to be large to be told.
const significant = 3

// shifts stands in what biased says.
const shifts = ": the step shifts the mean by "

// biased warns if the step shifts a mean by more than chance does, and says which step
// would not; "" if it does not.
func (s *Summary) biased(set r2sgld.Settings) string {
	var worst *Parameter
	ratio, more := 1.0, 0
	for _, p := range s.certified() {
		r := math.Abs(*p.Bias) / p.MCSEMean
		if !(r > 1 && math.Abs(*p.Bias) > significant**p.BiasSE) {
			continue
		}
		more++
		if r > ratio {
			worst, ratio = &p, r
		}
	}
	if worst == nil {
		return ""
	}
	others := ""
	if more > 1 {
		others = fmt.Sprintf(", and those of %s likewise", text.Counted(more-1, "other parameter"))
	}
	at := ""
	if len(set.StepSize) > 0 {
		at = fmt.Sprintf(" (%s at the coldest rung)", text.Short(set.StepSize[0]/ratio, 2))
	}
	return fmt.Sprintf("%s"+shifts+"%s, chance by %s only%s. The bias goes like the step: with %s of the step size%s "+
		"and %s times the iterations it would be no larger. %s",
		worst.Name, text.PlusMinus(*worst.Bias, *worst.BiasSE), text.Short(worst.MCSEMean, 2), others, text.Short(1/ratio, 2), at,
		text.Short(ratio, 2), s.instead("Halve the step to halve the bias"))
}

// stepBias is the largest bias of a mean by the step, in standard deviations of its
// parameter, less two standard errors of the estimate and with them; NaN where it is
// not known. The rule of package tune for until.bias is the same.
func (s *Summary) stepBias() (least, most float64) {
	if len(s.certified()) < len(s.Parameters) {
		return math.NaN(), math.NaN()
	}
	for _, p := range s.Parameters {
		least = max(least, (math.Abs(*p.Bias)-2**p.BiasSE)/p.SD)
		most = max(most, (math.Abs(*p.Bias)+2**p.BiasSE)/p.SD)
	}
	return least, most
}

// tooBiased says why a run ended without the bias asked for, R̂ and effective sample
// sizes being good.
func (s *Summary) tooBiased(u tune.Until, least, most float64) string {
	if least > u.Bias {
		return fmt.Sprintf("the step shifts a mean by at least %s standard deviations, more than the %s of until.bias, and a longer run would "+
			"not change that: the run ended. The bias goes like the step: take method: r2sgld with the temperatures found and steps of %s of "+
			"those found (ladder in summary.json).",
			text.Short(least, 2), text.Short(u.Bias, 2), text.Short(u.Bias/most, 1))
	}
	of, raise := s.limit(u)
	return fmt.Sprintf("the run ended at its limit%s before the bias of the step was known to be at most %s standard deviations (now at "+
		"most %s). Raise it (%s).", of, text.Short(u.Bias, 2), text.Short(most, 2), raise)
}
