package runner

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/report"
)

// what says what is sampled.
func (j *Job) what() string {
	d := len(j.Problem.ReportedNames())
	var what []string
	if j.Model != nil {
		datum := report.Counted(len(j.Model.Time), j.Model.Datum())
		if w := j.Model.Width(); w > 0 {
			datum += " of " + report.Counted(w, "row")
		}
		what = append(what, datum, j.Model.LikelihoodName(), report.Counted(d, "parameter"))
		if effort := j.Model.Effort(); effort != "" {
			what = append(what, effort)
		}
	} else {
		what = append(what, report.Counted(d, "variable"))
	}
	if k := j.Problem.Potential.Dim(); k < d { // log Z is by the length, area … in these
		what = append(what, fmt.Sprintf("a slice of %s", report.Counted(k, "dimension")))
	}
	switch {
	case j.Problem.Base != nil:
		what = append(what, "priors on all")
	case j.Problem.Domain == nil:
		what = append(what, "no constraints")
	case domain.Bounded(j.Problem.Domain):
		what = append(what, "bounded domain")
	default:
		what = append(what, "walls, but no known bounds all around (for log Z bound each by numbers)")
	}
	return strings.Join(what, ", ")
}

// how says how it is sampled.
func (x *execution) how() string {
	s := x.Settings
	how := []string{report.Counted(len(s.Temperature), "rung")}
	if n := len(s.Temperature); n > 1 {
		how[0] += fmt.Sprintf(" (temperature %.3g … %.3g)", s.Temperature[0], s.Temperature[n-1])
		how[0] = strings.ReplaceAll(how[0], "+Inf", "∞")
	}
	if s.Whitening != nil {
		how = append([]string{"whitened"}, how...)
	}
	how = append(how, report.Counted(s.Ladders, "ladder"))
	if s.Harmonic != nil {
		return fmt.Sprintf("method %s: %s, exact paths\n", x.Method, strings.Join(how, ", "))
	}
	eta := s.StepSize[0]
	line := strings.Join(append(how, fmt.Sprintf("step %.3g", eta)), ", ")
	switch {
	case s.HMC != nil && x.found != nil:
		line += fmt.Sprintf(" (trajectories of %s)", report.Counted(s.HMC.Leapfrog, "step"))
	case x.found != nil && x.found.Singular:
		line += " (bias not known: slopes grow without bound)"
	case x.found != nil:
		line += fmt.Sprintf(" (bias ≤ %.2g %% of a variance)", 100*x.found.Bias)
	case x.Model != nil && x.Model.Linear && s.Whitening != nil && !s.Unbiased():
		line += fmt.Sprintf(" (bias %.2g %% of a variance; more at walls that bind)", 100*eta/2/(1-eta/2))
	}
	return fmt.Sprintf("method %s: %s\n", x.Method, line)
}
