package monotone

import (
	"testing"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/study/studytest"
)

// made are results in which a metric of each method is a number and what the repetitions differ by.
func made(metric string, of map[string]float64) *Results {
	r := &Results{}
	for m, v := range of {
		for k := range 6 {
			r.table.Add(m, metric, v+0.001*float64(k%3)+0.0001*float64(k)*v)
		}
	}
	return r
}

// spread adds repetitions of which one is far off.
func spread(r *Results, method, metric string, v, off float64) *Results {
	for k := range 6 {
		r.table.Add(method, metric, v+0.001*float64(k%3))
	}
	r.table.Add(method, metric, v+off)
	return r
}

// Kills: the constrained net compared the wrong way, chains compared with those of the other law.
func TestLossVerdicts(t *testing.T) {
	better := map[string]float64{exact: -2, reflected: -2.01, freeExact: -1.5, freeChain: -1.4, clipped: 3, exactEach: -1, freeEach: -1.6}
	r := made("loss", better)
	studytest.Verdict(t, r.helps(), study.Holds, "2 of 2")
	studytest.Verdict(t, r.breaks(), study.Holds, "2 of 2")
	studytest.Verdict(t, r.asks(), study.Holds, "1 of 1")
	worse := map[string]float64{exact: -2, reflected: -2, freeExact: -3, freeChain: -3, clipped: -4, exactEach: -2, freeEach: -1.6}
	r = made("loss", worse)
	studytest.Verdict(t, r.helps(), study.Fails)
	studytest.Verdict(t, r.breaks(), study.Fails)
	studytest.Verdict(t, r.asks(), study.Fails)
	worse[freeExact], worse[clipped] = -1, -2.5
	r = made("loss", worse)
	studytest.Verdict(t, r.helps(), study.Fails)
}

// Kills: a difference in place of the end of its interval, one of two taken for both, what is not known taken for wrong.
func TestReflectionVerdict(t *testing.T) {
	same := made("loss", map[string]float64{exact: -2, reflected: -1.99, reparametrised: -1.995})
	studytest.Verdict(t, same.costless(), study.Holds, "exact; reparametrised")
	one := made("loss", map[string]float64{exact: -2, reflected: -1.9, reparametrised: -1.89})
	studytest.Verdict(t, one.costless(), study.Depends, "Worse than exact")
	wide := spread(spread(spread(&Results{}, exact, "loss", -2, 0), reflected, "loss", -2, 0.1), reparametrised, "loss", -2, 0.1)
	studytest.Verdict(t, wide.costless(), study.Depends, "too wide to tell: exact")
	wide = spread(spread(spread(&Results{}, exact, "loss", -2, 0), reflected, "loss", -2, 0.1), reparametrised, "loss", -2, 0)
	studytest.Verdict(t, wide.costless(), study.Untestable, "too wide to tell: exact; reparametrised")
}

// Kills: shares compared without regard to their size, fewer weights near the wall not seen.
func TestWallVerdicts(t *testing.T) {
	r := made("near", map[string]float64{exact: 0.1, reflected: 0.11, reparametrised: 0.13, projected: 0.3})
	studytest.Verdict(t, r.piles(), study.Holds, "2 of 2")
	studytest.Verdict(t, r.faithful(), study.Depends, "Not as many: reparametrised")
	r = made("near", map[string]float64{exact: 0.1, reflected: 0.07, reparametrised: 0.13, projected: 0.1})
	studytest.Verdict(t, r.faithful(), study.Fails)
	r = made("near", map[string]float64{exact: 0.1, reflected: 0.1, reparametrised: 0.1, projected: 0.05})
	studytest.Verdict(t, r.piles(), study.Fails)
	studytest.Verdict(t, r.faithful(), study.Holds)
}

// Kills: means in place of the worst repetition, free draws asked to fall.
func TestFallsVerdict(t *testing.T) {
	of := func(rising map[string]float64) *Results {
		r := &Results{}
		for _, m := range methods() {
			r.table.Add(m, "somehow", 0)
			r.table.Add(m, "somehow", rising[m])
		}
		return r
	}
	all := map[string]float64{freeExact: 0.9, freeChain: 0.1, freeEach: 1}
	studytest.Verdict(t, of(all).falls(), study.Holds, "all 9")
	all[projected] = 1e-6
	studytest.Verdict(t, of(all).falls(), study.Depends, "Not so: projected")
	delete(all, projected)
	all[freeChain] = 0
	studytest.Verdict(t, of(all).falls(), study.Depends, "Not so: free.")
}

// Kills: clipped draws judged, either of R̂ and effective draws not asked for, the mean R̂ judged.
func TestMixingVerdict(t *testing.T) {
	of := func(method string, rhat, ess float64) *Results {
		r := &Results{}
		for _, m := range methods() {
			r.table.Add(m, "rhat", 1)
			r.table.Add(m, "ess", 1000)
			if m == method {
				r.table.Add(m, "rhat", rhat)
				r.table.Add(m, "ess", ess)
			}
		}
		return r
	}
	studytest.Verdict(t, of("", 0, 0).mixing(), study.Holds)
	studytest.Verdict(t, of(clipped, 2, 5).mixing(), study.Holds)
	studytest.Verdict(t, of(exact, 1.11, 500).mixing(), study.Depends, "Not in every one: exact.")
	studytest.Verdict(t, of(exact, 1.05, 49).mixing(), study.Depends, "Not in every one: exact.")
	studytest.Verdict(t, of(exact, 1.09, 51).mixing(), study.Holds)
}

// Kills: intervals that hold too many not seen.
func TestCoverageVerdict(t *testing.T) {
	of := map[string]float64{exact: 0.9, reflected: 0.93, reparametrised: 0.87, freeExact: 0.9, freeChain: 0.9}
	studytest.Verdict(t, made("covered", of).covers(), study.Holds)
	of[exact], of[freeChain] = 0.97, 0.8
	studytest.Verdict(t, made("covered", of).covers(), study.Depends, "Not of exact; free.")
}
