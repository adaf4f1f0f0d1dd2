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
	RHat float64 `json:"rhat,omitempty"` // of every parameter, nested where ladders are many, at most; 0 does not ask, where Evidence does
	// bulk and tail, at least, and of spread as many, or 400 if that is less: see [diag.ESSSpread]. That of
	// a heavy tail is waited for only so long.
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
	RHat     float64           // the worst [diag.Agreement] of the cold draws; NaN where it is not known or not asked for
	ESS      float64           // the smallest, likewise
	Spread   bool              // whether ESS is that of a standard deviation
	Evidence exchange.Evidence // if it is asked for
	Short    []Short           // sides of parameters on which draws end too early; looked at where all else is reached
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
		m := u.mixing(res)
		if p.Chart != nil && p.Chart.Symmetry != nil {
			further = append(further, res.AgreedChains(0, p.Chart.Symmetry)...) // shuffled, draws look as if they mixed
		}
		for _, chains := range further {
			m.add(chains)
		}
		j.RHat, j.ESS, j.Spread = m.rhat, m.ess, m.ofSpread
		if a != nil && a.RHat == a.RHat {
			j.Spread = j.Spread && !(a.ESS < j.ESS)
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

// mixing is how well chains mix: the worst R̂ and the smallest effective sample size of those
// that were added; NaN where one is not known. An sd that is known as well as by fewer than
// spread draws of a normal law counts for as many, while the other sizes are below patience times
// that. Where draws were dropped, and half of those that are left are as good as independent, it is
// not waited for: a longer run would know little more of it.
type mixing struct {
	rhat, ess, spread float64
	ofSpread          bool // whether ess is that of an sd
	whole             int  // draws of all chains where none were dropped
}

const (
	spreadESS = 400 // which tell an sd to 3.5 %
	patience  = 16  // times as many draws tell that of a law of kurtosis 33; heavier tails tell theirs slowly, if at all
)

// mixing is that of the parameters, with spreads as u asks for them.
func (u Until) mixing(res *r2sgld.Result) *mixing {
	m := &mixing{ess: math.Inf(1), spread: min(u.ESS, spreadESS)}
	for _, l := range res.Ladders {
		if m.whole += len(l.Energy[0]); l.Stride > 1 {
			m.whole = math.MaxInt
			break
		}
	}
	for j := range res.Names {
		m.add(res.Chains(j))
	}
	return m
}

// add adds a quantity. The tail's size is not known where draws bunch at a quantile.
func (m *mixing) add(chains [][]float64) {
	e, n := diag.ESSBulk(chains), len(chains)*len(chains[0])
	if tail := diag.ESSTail(chains); tail < e {
		e = tail
	}
	ofSpread := false
	if e < patience*m.spread && (n >= m.whole || e < float64(n)/2) {
		if spread := diag.ESSSpread(chains); spread < m.spread && spread < e {
			e, ofSpread = spread, true
		}
	}
	if e < m.ess {
		m.ofSpread = ofSpread
	}
	m.rhat, m.ess = max(m.rhat, diag.Agreement(chains)), min(m.ess, e) // which keep NaN
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
