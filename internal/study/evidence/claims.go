package evidence

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// What is asked of our runs on each problem.
const (
	mostRMS  = 0.06
	mostMean = 0.04
	// of eight runs as many as seven may lie within their error bar and not more
	enough = 7.0 / 8
)

// far is by how much nested sampling with no likelihood outside must be off on average
// to be called wrong, in standard errors of its mean.
const far = 3

// claims judges what is said of evidence.
func (r *Results) claims() []study.Claim {
	return []study.Claim{r.accurate(), r.honest(), r.outside(), r.cheaper()}
}

// judge is the verdict where good of all cases are as claimed.
func judge(good, all int) study.Verdict {
	switch good {
	case all:
		return study.Holds
	case 0:
		return study.Fails
	}
	return study.Depends
}

// exactly is a number without an interval.
func exactly(name string, v float64) study.Number {
	return study.Number{Name: name, Value: v, Low: math.NaN(), High: math.NaN()}
}

// show prints a number with four digits and a minus sign.
func show(v float64) string { return exactly("", v).String() }

// basis is what numbers are of.
func (r *Results) basis() string {
	if len(r.Problems) == 0 {
		return ""
	}
	return fmt.Sprintf("%d seeds a problem", len(r.Problems[0].Runs))
}

// accurate judges the errors of our runs.
func (r *Results) accurate() study.Claim {
	c := study.Claim{ID: "evidence-error", Section: "evidence", Basis: r.basis(),
		Text: "Exact kernels with stepping stones from the uniform law find log Z of constrained and unconstrained problems without bias.",
		Test: fmt.Sprintf("Method auto with reflected MALA (kernel: mala), on five problems whose log Z is known; each run goes on until log Z has the standard error asked for. It holds if on all of them the root mean square error over seeds is at most %g and the mean error at most %g in size, depends if on some.", mostRMS, mostMean)}
	good := 0
	var worst, biased *Problem
	var bad []string
	for i := range r.Problems {
		p := &r.Problems[i]
		c.Numbers = append(c.Numbers, exactly("rms error, "+p.ID, p.RMS))
		if worst == nil || p.RMS > worst.RMS {
			worst = p
		}
		if biased == nil || math.Abs(p.Mean) > math.Abs(biased.Mean) {
			biased = p
		}
		if p.RMS <= mostRMS && math.Abs(p.Mean) <= mostMean {
			good++
		} else {
			bad = append(bad, p.ID)
		}
	}
	for i := range r.Problems {
		c.Numbers = append(c.Numbers, meanError(&r.Problems[i]))
	}
	if worst == nil {
		c.Verdict, c.Why = study.Untestable, "There are no runs."
		return c
	}
	c.Verdict = judge(good, len(r.Problems))
	c.Why = fmt.Sprintf("The root mean square error is %s at most (%s) and the largest mean error %s (%s).", show(worst.RMS), worst.ID, show(biased.Mean), biased.ID)
	if len(bad) > 0 {
		c.Why += fmt.Sprintf(" Above what is asked for: %s.", strings.Join(bad, ", "))
	}
	return c
}

// meanError is the mean error with its interval over seeds.
func meanError(p *Problem) study.Number {
	var v []float64
	for i := range p.Runs {
		v = append(v, p.Runs[i].Error)
	}
	return study.IntervalOf(v).Number("mean error, " + p.ID)
}

// honest judges their error bars.
func (r *Results) honest() study.Claim {
	c := study.Claim{ID: "evidence-bar", Section: "evidence", Basis: r.basis(),
		Text: "A run tells how far off its log Z is: by the gap of forward and backward stepping stones and its standard error.",
		Test: "The same runs. The error bar is the gap or, if that is smaller, two standard errors. It holds if on every problem it covers the error in seven of eight runs at least, depends if on some."}
	good, n, all := 0, 0, Covered{}
	var bad []string
	for i := range r.Problems {
		p := &r.Problems[i]
		n += len(p.Runs)
		all = Covered{all.Gap + p.Covered.Gap, all.SE + p.Covered.SE, all.Bar + p.Covered.Bar}
		if float64(p.Covered.Bar) >= enough*float64(len(p.Runs)) {
			good++
		} else {
			bad = append(bad, fmt.Sprintf("%s (%d of %d)", p.ID, p.Covered.Bar, len(p.Runs)))
		}
	}
	if n == 0 {
		c.Verdict, c.Why = study.Untestable, "There are no runs."
		return c
	}
	c.Numbers = []study.Number{exactly("runs within their error bar", float64(all.Bar)), exactly("runs", float64(n)),
		exactly("within the gap alone", float64(all.Gap)), exactly("within one standard error", float64(all.SE))}
	c.Verdict = judge(good, len(r.Problems))
	c.Why = fmt.Sprintf("The bar covers the error in %d of %d runs; the gap alone in %d, one standard error, of which two in three are expected, in %d.", all.Bar, n, all.Gap, all.SE)
	if len(bad) > 0 {
		c.Why += fmt.Sprintf(" Too few on %s.", strings.Join(bad, ", "))
	}
	return c
}

// outside judges nested sampling with the likelihood put to nothing outside.
func (r *Results) outside() study.Claim {
	c := study.Claim{ID: "evidence-outside", Section: "evidence",
		Text: "Nested sampling that is told of a constraint by a log-likelihood of −1e300 outside gives a wrong log Z, or none.",
		Test: fmt.Sprintf("dynesty, UltraNest and nestle as they are if nothing is said, on the box around the flower and the ordered box, the log of the ratio of volumes added. A program is wrong if its mean error exceeds %d of its standard errors, by what the program states, or if it fails or answers −1e300. It holds if all are on both, depends if some.", far)}
	wrong, all := 0, 0
	var bad, right []string
	for i := range r.Problems {
		p := &r.Problems[i]
		if !p.bounded {
			continue
		}
		for _, q := range r.Peers.peersOn(p.ID, p.Exact) {
			name := q.program + " on " + p.ID
			switch {
			case q.use != usual || len(q.errors) == 0 && !q.failed():
				continue
			case len(q.errors) == 0:
				all, wrong = all+1, wrong+1
				bad = append(bad, fmt.Sprintf("%s (%s)", name, q.stopped.Note))
				continue
			}
			c.Numbers = append(c.Numbers, study.IntervalOf(q.errors).Number("mean error of "+name))
			if all++; q.off() {
				wrong++
				bad = append(bad, fmt.Sprintf("%s (%s, stated ±%.2g a run)", name, show(diag.Mean(q.errors)), diag.Mean(q.stated)))
			} else {
				right = append(right, name)
			}
		}
	}
	if all == 0 {
		c.Verdict, c.Why = study.Untestable, "No program was measured."
		return c
	}
	c.Verdict = judge(wrong, all)
	c.Why = fmt.Sprintf("Wrong in %d of %d cases.", wrong, all)
	if len(bad) > 0 {
		c.Why += " Wrong: " + strings.Join(bad, ", ") + "."
	}
	if len(right) > 0 {
		c.Why += " Right within errors: " + strings.Join(right, ", ") + "."
	}
	return c
}

// cheaper judges where nested sampling needs fewer calls.
func (r *Results) cheaper() study.Claim {
	c := study.Claim{ID: "evidence-calls", Section: "evidence", Basis: fmt.Sprintf("calls for an error of %g", mostRMS),
		Text: "Without constraints nested sampling needs fewer calls of the likelihood for the same error, and no gradients.",
		Test: fmt.Sprintf("Calls times the square of the error over %g, the error being the root mean square found, with fewer than five runs the larger of it and the one stated; of the programs and uses that are not off, the cheapest. It holds if that is below ours on every problem without constraints, depends if on some.", mostRMS)}
	fewer, all := 0, 0
	var ours, theirs []string
	for i := range r.Problems {
		p := &r.Problems[i]
		q, ok := cheapest(r.Peers.peersOn(p.ID, p.Exact), mostRMS)
		if !ok {
			continue
		}
		mine := p.callsFor(mostRMS)
		c.Numbers = append(c.Numbers, exactly("r2sgld, "+p.ID, mine), exactly(q.name()+", "+p.ID, q.callsFor(mostRMS)))
		told := fmt.Sprintf("%s (%s of %s against %s)", p.ID, rounded(q.callsFor(mostRMS)), q.name(), rounded(mine))
		if p.bounded {
			continue
		}
		if all++; q.callsFor(mostRMS) < mine {
			fewer++
			theirs = append(theirs, told)
		} else {
			ours = append(ours, told)
		}
	}
	if all == 0 {
		c.Verdict, c.Why = study.Untestable, "No program was measured."
		return c
	}
	c.Verdict = judge(fewer, all)
	c.Why = fmt.Sprintf("Fewer in %d of %d problems without constraints.", fewer, all)
	if len(theirs) > 0 {
		c.Why += " Fewer: " + strings.Join(theirs, ", ") + "."
	}
	if len(ours) > 0 {
		c.Why += " Not fewer: " + strings.Join(ours, ", ") + "."
	}
	return c
}

// rounded prints a number of calls with two digits and separators.
func rounded(v float64) string {
	if v-v != 0 {
		return "–"
	}
	if v > 100 {
		unit := math.Pow(10, math.Floor(math.Log10(v))-1)
		v = math.Round(v/unit) * unit
	}
	return text.Count(int64(math.Round(v)))
}
