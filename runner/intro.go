package runner

import (
	"fmt"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
)

// intro says in two lines what will be done.
func (j *Job) intro() string {
	s, d := j.Settings, j.Problem.Potential.Dim()
	var what []string
	if j.Model != nil {
		what = append(what, number(len(j.Model.Time), "row")+" with a derivative", number(len(j.Model.Responses), "equation"), number(d, "parameter"))
	} else {
		what = append(what, number(d, "variable"))
	}
	switch {
	case j.Problem.Domain == nil:
		what = append(what, "no constraints")
	case domain.Bounded(j.Problem.Domain):
		what = append(what, "bounded domain")
	default:
		what = append(what, "walls, but no bounds all around")
	}
	how := []string{number(len(s.Temperature), "rung")}
	if n := len(s.Temperature); n > 1 {
		how[0] += fmt.Sprintf(" (temperature %g … %g)", s.Temperature[0], s.Temperature[n-1])
	}
	if s.Whitening != nil {
		how = append([]string{"whitened"}, how...)
	}
	how = append(how, number(s.Ladders, "ladder"), fmt.Sprintf("step %.3g", s.StepSize[0]))
	line := strings.Join(how, ", ")
	if j.Model != nil && j.Model.Linear && s.Whitening != nil {
		eta := s.StepSize[0]
		line += fmt.Sprintf(" (bias %.2g %% of a variance; more at walls that bind)", 100*eta/2/(1-eta/2))
	}
	return fmt.Sprintf("%s: %s\nmethod %s: %s\n", j.Name, strings.Join(what, ", "), j.Method, line)
}

// number counts things.
func number(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
