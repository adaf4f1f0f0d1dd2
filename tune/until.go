package tune

import (
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
)

// Until says when a run is long enough: when R̂ and effective sample sizes of
// every parameter are good enough, or when it has taken too long.
type Until struct {
	RHat       float64 `json:"rhat"`              // of every parameter, at most
	ESS        float64 `json:"ess"`               // bulk and tail, at least
	Seconds    float64 `json:"seconds,omitempty"` // of sampling; 0 is no limit
	Iterations int     `json:"iterations"`        // per ladder, warm-up aside
}

// Met reports the worst R̂ and the smallest effective sample size of the cold
// draws, NaN where they are not known, and whether they are good enough.
func (u Until) Met(res *r2sgld.Result) (rhat, ess float64, ok bool) {
	rhat, ess = 0, math.Inf(1)
	for j := range res.Names {
		chains := res.Chains(j)
		r, e := diag.RHat(chains), min(diag.ESSBulk(chains), diag.ESSTail(chains)) // min keeps NaN
		if !(r <= rhat) {
			rhat = r
		}
		if !(e >= ess) {
			ess = e
		}
	}
	return rhat, ess, rhat <= u.RHat && ess >= u.ESS
}

// Next is the number of iterations to go on to after n of them, which took some
// seconds, did not suffice: twice as many, within the limits; n if there are no
// more to be had.
func (u Until) Next(n int, seconds float64) int {
	next := min(2*n, u.Iterations)
	if u.Seconds > 0 && seconds*float64(next) > u.Seconds*float64(n) {
		next = int(u.Seconds / seconds * float64(n))
		if next < n+n/20 {
			return n
		}
	}
	return max(n, next)
}
