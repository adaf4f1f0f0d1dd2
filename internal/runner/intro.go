package runner

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// what says what is sampled.
func (j *Job) what() string {
	d := len(j.Problem.ReportedNames())
	var what []string
	if j.Model != nil {
		unit, rows := j.Model.Likelihood.Datum()
		datum := text.Counted(len(j.Model.Time), unit)
		if rows > 1 {
			datum += " of " + text.Counted(rows, "row")
		}
		what = append(what, datum, j.Model.Likelihood.Name(), text.Counted(d, "parameter"))
		if effort := j.Model.Likelihood.Effort(); effort != "" {
			what = append(what, effort)
		}
	} else {
		what = append(what, text.Counted(d, "variable"))
	}
	switch {
	case j.Rows == nil:
	case j.Rows.Drawn == nil && j.Rows.Likelihood.Summed():
		what = append(what, text.Counted(j.Rows.Likelihood.Rows(), "row")+" by their sums")
	case j.Rows.Drawn != nil:
		what = append(what, fmt.Sprintf("minibatches of %s of %s", text.Count(j.Rows.Drawn.Rows()),
			text.Counted(j.Rows.Likelihood.Rows(), "row")))
	}
	if k := j.Problem.Potential.Dim(); k < d { // log Z is by the length, area … in these
		what = append(what, fmt.Sprintf("a slice of %s", text.Counted(k, "dimension")))
	}
	switch {
	case j.Problem.Base != nil:
		what = append(what, "priors on all")
	case j.Problem.Domain == nil:
		what = append(what, "no constraints")
	case domain.Bounded(j.Problem.Domain):
		what = append(what, "bounded domain")
	case j.Until != nil && !j.Settings.Traits().Paths: // the law that method auto fits to the modes tells log Z
		what = append(what, "walls, but no known bounds all around")
	default:
		what = append(what, "walls, but no known bounds all around (for log Z bound each by numbers)")
	}
	return strings.Join(what, ", ")
}

// slowGradient is the time of a gradient from which on a run takes minutes at least.
const slowGradient = 5 * time.Millisecond

// tellGradient says how long a gradient of a model takes, of all rows where there are
// minibatches, where that is long, and what comes of it.
func (x *execution) tellGradient() {
	d := x.Problem.Potential.Dim()
	if x.Model == nil || x.Until == nil || d != len(x.Model.Center) {
		return
	}
	whole, batches := potential.Exact(x.Problem.Potential)
	if whole == nil {
		return
	}
	eval := whole.Evaluator(1, nil)
	energy, grad, took := make([]float64, 1), make([]float64, d), time.Duration(math.MaxInt64)
	for range 3 {
		at := time.Now()
		eval.Eval(energy, grad, x.Model.Center)
		took = min(took, time.Since(at))
	}
	if took < slowGradient {
		return
	}
	rounds := ", and rounds of thousands for each ladder"
	if batches {
		rounds = ", rounds go by minibatches"
	}
	fmt.Fprintf(x.Terminal, " a gradient takes %.2g s: %s for a first look at the potential%s\n",
		took.Seconds(), (tune.FirstGradients * took).Round(time.Second), rounds)
}

// how says how it is sampled, in a line.
func (x *execution) how() string {
	s := x.Settings
	how := []string{text.Counted(len(s.Temperature), "rung")}
	if n := len(s.Temperature); n > 1 {
		how[0] += fmt.Sprintf(" (temperature %.3g … %.3g)", s.Temperature[0], s.Temperature[n-1])
		hottest := "∞"
		if x.Problem.Guide != nil {
			hottest = "the fitted law"
		}
		how[0] = strings.ReplaceAll(how[0], "+Inf", hottest)
	}
	if s.Whitening != nil {
		how = append([]string{"whitened"}, how...)
	}
	how = append(how, text.Counted(s.Ladders, "ladder"))
	moves := s.Traits()
	if moves.Paths {
		return fmt.Sprintf("method %s: %s, exact paths", x.Method, strings.Join(how, ", "))
	}
	eta := s.StepSize[0]
	line := strings.Join(append(how, fmt.Sprintf("step %.3g", eta)), ", ")
	switch {
	case moves.Metropolis && x.found != nil:
		line += fmt.Sprintf(" (trajectories of %s)", text.Counted(moves.Steps, "step"))
	case x.found != nil && x.found.Singular:
		line += " (bias not known: slopes grow without bound)"
	case x.found != nil:
		line += fmt.Sprintf(" (bias ≤ %.2g %% of a variance)", 100*x.found.Bias)
	case x.Model != nil && x.Model.Linear && s.Whitening != nil && !moves.Exact:
		line += fmt.Sprintf(" (bias %.2g %% of a variance; more at walls that bind)", 100*eta/2/(1-eta/2))
	}
	return fmt.Sprintf("method %s: %s", x.Method, line)
}
