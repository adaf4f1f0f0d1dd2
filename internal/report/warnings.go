package report

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/tune"
)

func (s *Summary) warnf(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// Singular warns of a density whose slopes have no bound, where the certificate claims nothing:
// it takes the bias to go like the step.
func (s *Summary) Singular() {
	for i, p := range s.Parameters {
		if p.Bias != nil {
			unknown := math.NaN()
			s.Parameters[i].Bias, s.Parameters[i].BiasSE = &unknown, &unknown
		}
	}
	s.Warnings = slices.DeleteFunc(s.Warnings, func(w string) bool { return strings.Contains(w, shifts) })
	text := "The bias of the step is larger than where slopes are bounded, of the order of its square root, and not known."
	if s.Acceptance != nil {
		text = "Trajectories rarely go in or out there, which R̂ and ESS do not show."
	}
	s.Warnings = append(s.Warnings, "a few draws have slopes that outweigh all others, or slopes below the draws grow like the inverse of "+
		"the distance from a wall or a place inside: the density is infinite there, or has a mode far narrower than the rest. "+text+" "+
		s.instead("Compare with other variables, such as the logarithm of the distance from there"))
}

// OneSided warns if backward evidence does not confirm forward, or if nothing tells the
// error.
func (s *Summary) OneSided() {
	switch e := s.LogEvidence; {
	case e.Bottleneck != nil: // which is told
	case tune.Strays(e.Evidence):
		s.warnf("log Z is %s from the hotter rung of each pair and %s from the colder, apart by %s: the colder rungs do not confirm "+
			"it. A few of their draws where the energy is far above its mean may make most of the second number. Run again with another "+
			"seed (sampler.seed): log Z should stay as it is.",
			text.Number(e.Forward, 2), text.Number(e.Backward, 2), text.PlusMinus(math.Abs(e.Forward-e.Backward), e.GapError))
	}
	if s.Ladders == 1 {
		s.Warnings = append(s.Warnings, "one ladder cannot disagree with another: R̂ compares its halves only. Run four (sampler.ladders).")
	}
}

// givenUp says of the rungs of which steps could not be ended inside.
func (s *Summary) givenUp(set r2sgld.Settings, res *r2sgld.Result) []string {
	moves := set.Traits()
	var w []string
	for r := range res.Ladders[0].Tally {
		t := res.Tally(r)
		if float64(t.Fallbacks) <= 1e-3*float64(t.Steps) {
			continue
		}
		advice := "they meet too many walls. Raise sampler.cap."
		if !moves.Paths {
			advice = "the step size is too large for the narrow parts of the domain. " + s.instead("Take a smaller one")
		}
		at := ""
		if walls := res.Stuck(r); len(walls) > 0 {
			at = ", the last at " + strings.Join(walls, " and ")
		}
		w = append(w, fmt.Sprintf("%.3g %% of the steps of rung %d could not be ended inside the domain (%s)%s: %s",
			100*float64(t.Fallbacks)/float64(t.Steps), r+1, moves.GivenUp, at, advice))
	}
	return w
}

// leastAccepted is the share of trajectories below which their steps are too long:
// the best is about 0.65 (Beskos et al. 2013), and more costs little.
const leastAccepted = 0.4

// refused says of the rungs that accept too few of their trajectories.
func (s *Summary) refused() []string {
	worst, few := 0, 0
	for r, a := range s.Acceptance {
		if a < leastAccepted {
			few++
			if a < s.Acceptance[worst] || few == 1 {
				worst = r
			}
		}
	}
	if few == 0 {
		return nil
	}
	at := fmt.Sprintf("rung %d accepted", worst+1)
	if few > 1 {
		at = fmt.Sprintf("%d of %d rungs accepted too few of their trajectories, rung %d", few, len(s.Acceptance), worst+1)
	}
	advice := ""
	if s.Exact {
		advice = ", or run longer: the law is exact whatever the steps"
	}
	return []string{fmt.Sprintf("%s %.2g of its trajectories: shorter steps would serve better. Take half the step size, or less%s.", at,
		s.Acceptance[worst], advice)}
}

// mostUndefined is the share of trajectories that may come to where the gradient is NaN without a word:
// what is lost there is a hundredth of the error of a share that 10,000 draws tell.
const mostUndefined = 1e-4

// undefined warns of the first rung whose trajectories come to where the density is not 0 and its
// gradient is NaN.
func undefined(res *r2sgld.Result) []string {
	for r, share := range res.Undefined() {
		if share > mostUndefined {
			return []string{fmt.Sprintf("%.2g %% of the trajectories of rung %d came to where the energy is a number and its gradient is not "+
				"(NaN): they are rejected, as if the density were 0 there, and what lies there is not drawn. Write the potential so that its "+
				"derivative is a number wherever it is one itself, or bound the domain before that.", 100*share, r+1)}
		}
	}
	return nil
}

// falling warns if the cold energies of every ladder fall from each eighth of the run to
// the next, by more in all than they vary within one: no draws of a law do.
func falling(res *r2sgld.Result) []string {
	const parts = 8
	first, last := 0.0, 0.0
	for _, l := range res.Ladders {
		u := l.Energy[0]
		n := len(u) / parts
		if n < 2 {
			return nil
		}
		before := math.Inf(1)
		for k := range parts {
			m := diag.Mean(u[k*n : (k+1)*n])
			if !(m < before) {
				return nil
			}
			if before = m; k == 0 {
				first += m / float64(len(res.Ladders))
			}
		}
		if diag.Mean(u[:n])-before < 4*diag.SD(u[(parts-1)*n:parts*n]) {
			return nil
		}
		last += before / float64(len(res.Ladders))
	}
	return []string{fmt.Sprintf("the energy falls without end in every ladder, from %.4g on average to %.4g: exp(−U) has no finite integral "+
		"where it goes, so that it is no density. Bound the variables (domain), add a prior, or see whether the sign of U is right; if it is, "+
		"the start was "+
		"far from the mass: run longer.", first, last)}
}

// endless warns of tails on which the draws end and the density does not.
func endless(p r2sgld.Problem, set r2sgld.Settings, res *r2sgld.Result) []string {
	chains := res.Cold()
	if len(res.Names) != p.Potential.Dim() || len(chains[0]) == 0 {
		return nil
	}
	tails := tune.EndlessTails(context.Background(), p, set, chains)
	if len(tails) == 0 {
		return nil
	}
	var where []string
	for _, t := range tails {
		where = append(where, res.Names[t.Variable]+" → "+map[bool]string{true: "∞", false: "−∞"}[t.Upper])
	}
	return []string{fmt.Sprintf("the posterior may be improper: where %s, the density does not fall as its draws do, which spread farther "+
		"the longer the run is. If exp(−U) has no finite integral there, no number told holds: bound the variables (domain) or add a prior. If it "+
		"has, run longer.", strings.Join(where, ", "))}
}

// Beyond says where least of the fall of draws is that of the density, where there are any, and on how many other sides
// draws end before it.
func Beyond(names []string, found []tune.Short) (worst tune.Short, where, others string) {
	worst = slices.MaxFunc(found, func(a, b tune.Short) int { return cmp.Compare(a.Share, b.Share) })
	side := "below"
	if worst.Upper {
		side = "above"
	}
	if n := len(found) - 1; n > 0 {
		others = fmt.Sprintf(", and so on %s more", text.Counted(n, "side"))
	}
	return worst, fmt.Sprintf("%s %s = %s", side, names[worst.Variable], text.Short(worst.From, 3)), others
}

// Short warns of sides on which draws end before the density does.
func (s *Summary) Short(names []string, found []tune.Short) {
	if len(found) == 0 {
		return
	}
	s.short = true
	worst, where, others := Beyond(names, found)
	s.warnf("%s, where %.0f %% of the draws are, they end before the density does: its slopes explain %.0f ± %.0f %% of their fall%s. Beyond is "+
		"a place that the run comes to too seldom, such as the narrow end of a funnel: quantiles on that side, mean and sd are off by more than "+
		"their errors tell. Take variables by which it is as wide as the rest (for effects of groups (x − μ)/σ in place of x).",
		where, 100*tune.TailShare, 100*(1-worst.Share), 100*worst.SE, others)
}

// mostMet is the share of steps that may meet a wall without a word. Where a density leans on
// a wall like exp(−sx), steps of size η shift its mean by ηs²/2 standard deviations, and s√(η/π)
// of them meet the wall: 15 % where they shift it by 4 %. Momentum μ leaves the shift, and
// makes steps shorter by √(1 + μ).
const mostMet = 0.15

// warnings says what is wrong with the draws and what to do, once each.
func (s *Summary) warnings(p r2sgld.Problem, set r2sgld.Settings, res *r2sgld.Result) []string {
	w := append(falling(res), s.rounded()...)
	w = append(w, Doubts("parameters", s.Parameters, max(1, len(set.Temperature)))...)
	s.exact = sync.OnceValue(func() string { return remedy(p, set, res) }) // which asks the potential
	for r := range res.Ladders[0].Jumps {
		s.jumps = append(s.jumps, res.Jumps(r))
	}
	for _, text := range []string{s.unreached(p, set, res), s.jumping(res), s.coarse(mostWidened, 1), s.biased(set)} {
		if text != "" {
			w = append(w, text)
		}
	}
	if s.jumping(res) == "" { // slopes do not tell of jumps
		w = append(w, endless(p, set, res)...)
	}
	w = append(w, s.refused()...)
	w = append(w, undefined(res)...)
	if why := inexact(p, set); set.Unbiased() && len(why) > 0 {
		w = append(w, "the kernel is not exact here: "+strings.Join(why, ", and ")+".")
	}
	for _, why := range s.Swaps.Reasons {
		w = append(w, "swaps are biased, and the cold rung does not sample the target: "+why+".")
	}
	for _, p := range s.Swaps.Pairs {
		if p.Attempts > 1000 && p.Rate < 0.01 && p.Rungs[1] == p.Rungs[0]+1 {
			w = append(w, fmt.Sprintf("rungs %d and %d traded in %.2g of their attempts: put a temperature between %g and %g.",
				p.Rungs[0], p.Rungs[1], p.Rate, set.Temperature[p.Rungs[0]-1], set.Temperature[p.Rungs[1]-1]))
		}
	}
	w = append(w, s.givenUp(set, res)...)
	met := mostMet / math.Sqrt(1+set.Traits().Momentum.Mu)
	if d := res.Tally(0); float64(d.Reflected) > met*float64(d.Steps) && s.Energy.SD > 0 && !s.Exact && !set.Unbiased() && !res.Certified() {
		w = append(w, fmt.Sprintf("%.0f %% of the cold rung's steps met the wall: where the density leans on it, the step is large against the "+
			"layer that holds the mass, and the bias with it. %s",
			100*float64(d.Reflected)/float64(d.Steps), s.instead("Compare with a tenth of sampler.step_size")))
	}
	if b := set.Boundary; (b == domain.Project || b == domain.Nearest) && s.Domain.Reflected > 0 {
		w = append(w, fmt.Sprintf("boundary %s is biased at walls (project everywhere, nearest at curved ones and in corners): use specular.", b))
	}
	if s.Domain.Outside > 0 && p.Chart != nil && p.Chart.Symmetry != nil {
		w = append(w, fmt.Sprintf("%d draws lie outside the domain in the order that they are told in: a constraint tells components apart, and "+
			"means of parameters are wrong. Leave labels out.", s.Domain.Outside))
	}
	if s.Domain.Outside > 0 && set.Inside {
		w = append(w, fmt.Sprintf("%d draws lay outside the domain and were left out; every ladder is cut to the length of the shortest.",
			s.Domain.Outside))
	} else if s.Domain.Outside > 0 && set.Boundary == domain.Free {
		w = append(w, fmt.Sprintf("%d of %d draws lie outside the domain: method %s does not reflect. Use method: r2sgld.", s.Domain.Outside,
			s.Draws, s.Method))
	}
	return w
}
