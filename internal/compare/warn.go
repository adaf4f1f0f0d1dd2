package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

func (t *Table) warnf(format string, args ...any) {
	t.Warnings = append(t.Warnings, fmt.Sprintf(format, args...))
}

// warn says what makes the comparison of sorted runs doubtful and what to do.
func (t *Table) warn(runs []Run, best Run) {
	several := len(runs) > 1
	for _, r := range runs {
		r.warnEvidence(t, several)
		r.warnPrediction(t)
	}
	for i := 1; i < len(runs); i++ {
		a, b := runs[i-1], runs[i]
		if gap, se := a.LogEvidence-b.LogEvidence, math.Hypot(a.SE, b.SE); gap < 2*se {
			t.warnf("%s and %s: their log evidences differ by %s: the order may be chance. Run both longer, or with more ladders.",
				a.Name, b.Name, plusMinus(gap, se))
		}
	}
	for i, m := range t.Models {
		if runs[i].Predictive != best.Predictive && -m.ELPDDifference <= 2*m.ELPDDifferenceSE {
			t.warnf("%s and %s: their predictions differ by %s: the data cannot tell which one predicts better.",
				best.Name, m.Name, plusMinus(-m.ELPDDifference, m.ELPDDifferenceSE))
		}
	}
	if m := t.Models[0]; t.RankedBy == "log_evidence" && -m.ELPDDifference > 2*m.ELPDDifferenceSE {
		t.warnf("the evidence prefers %s, prediction %s: the evidence hangs on how wide priors and bounds are. See whether it still does with "+
			"others.", m.Name, best.Name)
	}
	estimated := slices.ContainsFunc(runs, func(r Run) bool { return r.Predictive != nil && r.Predictive.Noise == "estimate" })
	switch {
	case several && estimated:
		t.warnf("noise: estimate: each model is judged with the residual standard deviation of its own best fit, taken from the same data, " +
			"which favours models of more parameters. To be strict, give all of them one: noise: {state: sd}.")
	case several && t.Data == (Data{}):
		t.warnf("the runs name no data: a log evidence is log ∫ exp(−U), and differences are log Bayes factors only if every U is minus the " +
			"log of likelihood and prior with all their constants.")
	}
}

func (r *Run) warnEvidence(t *Table, several bool) {
	switch {
	case r.Lost:
		t.warnf("%s: log evidence not known, so that nothing is ranked against it and no model has a probability: %s", r.Name, r.NoEvidence)
	case math.IsNaN(r.LogEvidence):
		lost := "no log evidence"
		if t.RankedBy == "log_evidence" {
			lost += ", and no part in the probabilities"
		}
		t.warnf("%s: %s: %s", r.Name, lost, cmp.Or(r.NoEvidence,
			"bound every parameter, by constraints or priors: uniform(lower, upper), and run it again."))
	case math.IsNaN(r.SE) && several:
		t.warnf("%s: the error of its log evidence is not known: run at least two ladders.", r.Name)
	}
}

func (r *Run) warnPrediction(t *Table) {
	p := r.Predictive
	switch {
	case p == nil && r.Data != (Data{}):
		t.warnf("%s: no predictive densities: the run has no predictive.json. Run it again.", r.Name)
	case p == nil:
	case math.IsNaN(p.ELPDLOO):
		t.warnf("%s: no predictive densities: those of some data are not finite at some draws. Bound the parameters to where the "+
			"equations are.", r.Name)
	case p.KAbove > 0:
		most := ""
		if !math.IsNaN(p.KMax) && !math.IsInf(p.KMax, 0) {
			most = fmt.Sprintf(" (up to %s)", number(p.KMax, 2))
		}
		t.warnf("%s: Pareto k above %g%s for %d of %d data: they move the posterior so much that leaving them out cannot be told from these "+
			"draws. Go by the log evidence, or fit without them and compare.",
			r.Name, trusted, most, p.KAbove, len(p.Pointwise.K))
	}
}
