package tune

import (
	"math"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

// Why method auto takes kernel HMC in place of SGLD.
const (
	ForHoles    = "holes"    // U is +Inf in part of the domain
	ForFeatures = "features" // the potential jumps, or has features narrower than steps of SGLD
	ForDraws    = "draws"    // it makes more effective draws of a gradient
)

const (
	// An estimate of so many effective draws has a relative variance of 20 by their number,
	// where autocorrelations are added up to five times their time (Sokal 1997).
	variance   = 20
	certainty  = 2   // standard errors by which SGLD is better where it goes on
	mostChance = 0.5 // part of its effective draws that chance may be
)

// pilotPart is how many times fewer gradients a pilot of HMC takes than the warm-up and
// the first round of SGLD do, at least.
const pilotPart = 4

// Exact reports whether kernel HMC keeps the law of p: energies and slopes without noise, and walls
// whose crossings are not sought.
func Exact(p r2sgld.Problem) bool {
	_, noisy := potential.Exact(p.Potential)
	return !noisy && (p.Domain == nil || domain.ExactWalls(p.Domain))
}

// exact reports whether runs of s with kernel HMC do, whose swaps must not be biased either.
func exact(p r2sgld.Problem, s r2sgld.Settings) bool {
	return Exact(p) && len(s.Swap.Bias(mostRungs, false)) == 0
}

// pilot is the ladder that rounds of HMC begin with after those of SGLD, f: that of f, of
// whose steps it takes those that are just as far from the limit of stability as its own
// first ones; or, where it was tried before, that of the trial.
func (t *tuner) pilot(f *Found) *Found {
	sgld := *f
	if sgld.Rival = nil; f.Rival != nil {
		hmc := *f.Rival
		hmc.Rival, hmc.Holes = &sgld, f.Holes
		return &hmc
	}
	hmc := &Found{Holes: f.Holes, Beta: f.Beta, Whitening: f.Whitening, States: f.States, Leapfrog: firstLeapfrog,
		Rival: &sgld, Modes: f.Modes}
	widest := t.of(hmc).widest(t.fill, f.Whitening)
	for _, h := range f.Diffusion {
		hmc.Diffusion = append(hmc.Diffusion, min(widest*widest/2, h*stable/(2*Bias)))
	}
	return hmc
}

// tried reports whether the rounds of HMC tell how it compares with SGLD, of which the
// first round of the run has so many iterations, or another would cost too much.
func (t *tuner) tried(f *Found, first int) bool {
	cost, most := t.of(f).iterations(f), first
	for _, r := range f.Rounds {
		cost += r.Iterations
	}
	for _, r := range f.Rival.Rounds {
		most += r.Iterations
	}
	return len(f.Rounds) >= fewest || len(f.Rounds) > 1 && pilotPart*cost*f.Leapfrog > most
}

// choose returns the ladder of the kernel that goes on: HMC, which f is of, where SGLD
// cannot go on or does not see the potential, or where HMC makes as many effective draws of a gradient. For the
// precision of so many effective draws SGLD, whose variances are too large by the part b,
// takes more: the mean square error of a variance is 2/n + b², in parts of the variance,
// and 2/ess without bias. Where slopes are singular its bias is not known. What chance makes of
// these figures counts for HMC, whose law is exact.
func (f *Found) choose(ess float64) *Found {
	hmc, sgld := *f, *f.Rival
	unbiased := 1 - sgld.Bias*sgld.Bias*ess/2 // part of SGLD's effective draws that chance needs
	if sgld.Singular {
		unbiased = 0
	}
	switch {
	case sgld.Holes:
		hmc.Taken = ForHoles
	case sgld.Jumps:
		hmc.Taken = ForFeatures
	case hmc.Efficiency() >= sgld.Efficiency()*unbiased*(1-min(mostChance, certainty*math.Hypot(hmc.chance(), sgld.chance()))):
		hmc.Taken = ForDraws
	default:
		hmc.Rival, sgld.Rival = nil, &hmc
		return &sgld
	}
	return &hmc
}

// Efficiency is the number of effective draws that a gradient makes, the least of all
// parameters, as kernels are compared by it: in the last of their first rounds. It is 0
// where the draws do not tell it.
func (f *Found) Efficiency() float64 {
	r := f.trial()
	if r.Gradients == 0 {
		return 0
	}
	return 2 * r.ESS / float64(r.Gradients) // the draws are those of the second half
}

// chance is the standard error of the efficiency, in parts of it.
func (f *Found) chance() float64 { return math.Sqrt(variance / f.trial().ESS) }

// trial is the last of the first rounds, or none.
func (f *Found) trial() (r Round) {
	if n := min(len(f.Rounds), fewest); n > 0 {
		r = f.Rounds[n-1]
	}
	return r
}

// known is v, or 0 where it is not a number.
func known(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}
