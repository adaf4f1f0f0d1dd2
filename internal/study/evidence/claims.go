package evidence

import (
	"fmt"
	"math"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
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

// basis is what numbers are of.
func (r *Results) basis() string {
	if len(r.Problems) == 0 {
		return ""
	}
	return fmt.Sprintf("%d seeds a problem", len(r.Problems[0].Runs))
}

// accurate judges the errors of our runs.
func (r *Results) accurate() study.Claim {
	f := struct {
		Basis         string
		Problems      []Problem
		Worst, Biased *Problem
		Bad           []string
	}{Basis: r.basis(), Problems: r.Problems}
	for i := range r.Problems {
		p := &r.Problems[i]
		if f.Worst == nil || p.RMS > f.Worst.RMS {
			f.Worst = p
		}
		if f.Biased == nil || math.Abs(p.Mean) > math.Abs(f.Biased.Mean) {
			f.Biased = p
		}
		if !(p.RMS <= mostRMS && math.Abs(p.Mean) <= mostMean) {
			f.Bad = append(f.Bad, p.ID)
		}
	}
	return prose().Claim("evidence-error", study.Among(len(r.Problems)-len(f.Bad), len(r.Problems)), f)
}

// honest judges their error bars.
func (r *Results) honest() study.Claim {
	f := struct {
		Basis  string
		Runs   int
		Within Covered
		Bad    []string
	}{Basis: r.basis()}
	for i := range r.Problems {
		p := &r.Problems[i]
		f.Runs += len(p.Runs)
		f.Within = Covered{f.Within.Gap + p.Covered.Gap, f.Within.SE + p.Covered.SE, f.Within.Bar + p.Covered.Bar}
		if !(float64(p.Covered.Bar) >= enough*float64(len(p.Runs))) {
			f.Bad = append(f.Bad, fmt.Sprintf("%s (%d of %d)", p.ID, p.Covered.Bar, len(p.Runs)))
		}
	}
	return prose().Claim("evidence-bar", study.Among(len(r.Problems)-len(f.Bad), len(r.Problems)), f)
}

// outside judges nested sampling with the likelihood put to nothing outside.
func (r *Results) outside() study.Claim {
	var f struct {
		Cases        int
		Wrong, Right []string
		Errors       []study.Number
	}
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
				f.Wrong = append(f.Wrong, fmt.Sprintf("%s (%s)", name, q.stopped.Note))
				continue
			case q.off():
				f.Wrong = append(f.Wrong, fmt.Sprintf("%s (%s, stated ±%.2g a run)", name, show(diag.Mean(q.errors)), diag.Mean(q.stated)))
			default:
				f.Right = append(f.Right, name)
			}
			f.Errors = append(f.Errors, study.IntervalOf(q.errors).Number("mean error of "+name))
		}
	}
	f.Cases = len(f.Wrong) + len(f.Right)
	return prose().Claim("evidence-outside", study.Among(len(f.Wrong), f.Cases), f)
}

// A contest is between our runs and the cheapest program and use on a problem.
type contest struct {
	Problem      string
	Name         string  // of the program and its use
	Ours, Theirs float64 // calls for the error mostRMS
	bounded      bool
}

// outcome are contests, and those of them that are told as lost and won by us.
type outcome struct{ All, Fewer, More []contest }

// contests are all of them; those on bounded problems are told if told is set.
func (r *Results) contests(told bool) (out outcome) {
	for i := range r.Problems {
		p := &r.Problems[i]
		q, ok := cheapest(r.Peers.peersOn(p.ID, p.Exact), mostRMS)
		if !ok {
			continue
		}
		c := contest{p.ID, q.name(), p.callsFor(mostRMS), q.callsFor(mostRMS), p.bounded}
		out.All = append(out.All, c)
		switch {
		case c.bounded && !told:
		case c.Theirs < c.Ours:
			out.Fewer = append(out.Fewer, c)
		default:
			out.More = append(out.More, c)
		}
	}
	return out
}

// cheaper judges where nested sampling needs fewer calls.
func (r *Results) cheaper() study.Claim {
	f := struct {
		outcome
		Free int // problems without constraints
	}{outcome: r.contests(false)}
	f.Free = len(f.Fewer) + len(f.More)
	return prose().Claim("evidence-calls", study.Among(len(f.Fewer), f.Free), f)
}
