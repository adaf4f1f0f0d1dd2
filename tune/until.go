package tune

import (
	"cmp"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/exchange"
)

// Until says when a run is long enough: when R̂ and effective sample sizes of
// every parameter are good enough, or log Z is known well enough, or when it has taken
// too long.
type Until struct {
	RHat float64 `json:"rhat,omitempty"` // of every parameter, at most; 0 does not ask, where Evidence does
	// of bulk, tail and spread, at least; a spread of heavy tails is waited for only so long. See [diag.ESSSpread]
	ESS      float64 `json:"ess,omitempty"`
	Evidence float64 `json:"evidence,omitempty"` // standard error of log Z, volume aside, at most; 0 does not ask. See [Evidence]
	// of every mean by the step, in standard deviations of the parameter, at most; 0 does not ask. It needs a certificate
	Bias       float64 `json:"bias,omitempty"`
	Seconds    float64 `json:"seconds,omitempty"` // of sampling; 0 is no limit
	Iterations int     `json:"iterations"`        // per ladder, warm-up aside
}

// WithDefaults fills in what u leaves open for a run whose first round has so many
// iterations: R̂ 1.01 and an effective sample size of 400, unless the evidence is asked
// for, and 64 rounds' worth of iterations.
func (u Until) WithDefaults(first int) Until {
	if u.Evidence == 0 {
		u.RHat, u.ESS = cmp.Or(u.RHat, 1.01), cmp.Or(u.ESS, 400)
	}
	u.Iterations = cmp.Or(u.Iterations, 64*first)
	return u
}

// A Judgement is how far a result has come by an [Until].
type Judgement struct {
	RHat     float64           // the worst of the cold draws; NaN where it is not known or not asked for
	ESS      float64           // the smallest, likewise
	Evidence exchange.Evidence // if it is asked for
	Met      bool              // all that is asked for is reached
	// Done says that there is nothing more to run for: Met, or all else is good enough
	// and the bias of the step certain to be too large.
	Done bool
}

// Judge says how far res has come. R̂ and effective sample sizes are not looked at where
// u asks for the evidence alone.
func (u Until) Judge(res *r2sgld.Result) Judgement {
	return u.judge(r2sgld.Problem{}, res, nil, nil)
}

// judge is Judge that looks at the modes as well, at what draws of p agree on, and at chains of
// further quantities; a is nil where no modes are known.
func (u Until) judge(p r2sgld.Problem, res *r2sgld.Result, a *Audit, further [][][]float64) Judgement {
	j := Judgement{RHat: math.NaN(), ESS: math.NaN(), Met: true}
	if u.Evidence == 0 || u.RHat > 0 || u.ESS > 0 {
		j.RHat, j.ESS = u.mixing(res)
		if p.Chart != nil && p.Chart.Symmetry != nil {
			further = append(further, res.AgreedChains(0, p.Chart.Symmetry)...) // shuffled, draws look as if they mixed
		}
		for _, chains := range further {
			j.RHat, j.ESS = u.worst(j.RHat, j.ESS, chains)
		}
		if a != nil && a.RHat == a.RHat {
			j.RHat, j.ESS = max(j.RHat, a.RHat), min(j.ESS, a.ESS)
		}
		j.Met = (u.Evidence > 0 && u.RHat == 0 || j.RHat <= u.RHat) && (u.ESS == 0 || j.ESS >= u.ESS)
	}
	if u.Evidence > 0 {
		e := Evidence(res)
		j.Evidence = e
		j.Met = j.Met && e.Error <= u.Evidence && e.Bottleneck == nil
	}
	j.Done = j.Met
	if j.Met && u.Bias > 0 {
		least, most := stepBias(res)
		j.Met = most <= u.Bias
		j.Done = j.Met || least > u.Bias
	}
	return j
}

// mixing is the worst R̂ of the cold draws and the smallest effective sample size; NaN where
// one is not known.
func (u Until) mixing(res *r2sgld.Result) (rhat, ess float64) {
	rhat, ess = 0, math.Inf(1)
	for j := range res.Names {
		rhat, ess = u.worst(rhat, ess, res.Chains(j))
	}
	return rhat, ess
}

// patience is how many times the effective draws that are asked for a spread is waited for:
// until laws of a kurtosis of 33 suffice. That of those with heavier tails comes slowly, if at all.
const patience = 16

// worst is the larger R̂ and the smaller effective sample size, of those so far and of chains:
// of bulk and tail, and of the spread while u waits for it.
func (u Until) worst(rhat, ess float64, chains [][]float64) (float64, float64) {
	r, e := diag.RHat(chains), min(diag.ESSBulk(chains), diag.ESSTail(chains)) // min keeps NaN
	if e < patience*u.ESS {
		if spread := diag.ESSSpread(chains); spread < e {
			e = spread
		}
	}
	if !(r <= rhat) {
		rhat = r
	}
	if !(e >= ess) {
		ess = e
	}
	return rhat, ess
}

// stepBias is the largest bias of a mean by the step, in standard deviations of its
// parameter, less two standard errors of the estimate and with them; NaN where it is not
// known. See [r2sgld.Result.Bias].
func stepBias(res *r2sgld.Result) (least, most float64) {
	for j := range res.Names {
		b, se := res.MeanBias(j)
		sd := diag.SD(slices.Concat(res.Chains(j)...))
		least = max(least, (math.Abs(b)-2*se)/sd) // max keeps NaN
		most = max(most, (math.Abs(b)+2*se)/sd)
	}
	return least, most
}

// Next is the number of iterations to go on to after n of them, of which those
// made here took some seconds, did not suffice: twice as many, within the limits;
// n if there are no more to be had.
func (u Until) Next(n, here int, seconds float64) int {
	next := min(2*n, u.Iterations)
	if here = max(1, here); u.Seconds > 0 && seconds*float64(here+next-n) > u.Seconds*float64(here) {
		next = n - here + int(u.Seconds/seconds*float64(here))
		if next < n+n/20 {
			return n
		}
	}
	return max(n, next)
}
