package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/text"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
	"github.com/r2sgld/r2sgld/tune"
)

// R̂ above wellMixed and an effective sample size below enough are told.
const (
	wellMixed = 1.01
	enough    = 400
)

// Doubts say why the draws of parameters, of a method with so many rungs (0 if that is not
// known), cannot be trusted yet and what to do: one sentence for all parameters of which
// the same is to be said, with the worst.
func Doubts(ps []Parameter, rungs int) (out []string) {
	more := "with more rungs"
	if rungs == 1 {
		more = "with several rungs (method r2sgld)"
	}
	least := func(p Parameter) float64 { // the tail's is not known where draws bunch at a quantile
		if p.ESSTail < p.ESSBulk {
			return p.ESSTail
		}
		return p.ESSBulk
	}
	var broken, still, apart, few, heavy []Parameter
	for _, p := range ps {
		switch {
		case p.Q50 != p.Q50:
			broken = append(broken, p)
		case p.RHat != p.RHat || p.ESSBulk != p.ESSBulk:
			still = append(still, p)
		case p.RHat > wellMixed:
			apart = append(apart, p)
		case least(p) < enough:
			few = append(few, p)
		case p.tail.Heavy():
			heavy = append(heavy, p)
		}
	}
	if len(broken) > 0 {
		out = append(out, those(broken, len(ps), broken[0])+": not all draws are finite numbers, so that nothing can be told of them. Look for "+
			"NaN and Inf in the draws.")
	}
	if len(still) > 0 {
		out = append(out, those(still, len(ps), still[0])+": the draws do not vary, or are too few to judge. Take a smaller step size, or more "+
			"draws.")
	}
	if len(apart) > 0 {
		worst := worstOf(apart, func(p Parameter) float64 { return p.RHat })
		out = append(out, fmt.Sprintf("%s: R̂ %.3f and ESS %.0f: the ladders have not come to agree. Run several times as long "+
			"(sampler.iterations), with larger steps, or %s.",
			those(apart, len(ps), worst), worst.RHat, least(worst), more))
	}
	if len(few) > 0 {
		worst := worstOf(few, func(p Parameter) float64 { return -least(p) })
		tail := "–"
		if worst.ESSTail == worst.ESSTail {
			tail = fmt.Sprintf("%.0f", worst.ESSTail)
		}
		out = append(out, fmt.Sprintf("%s: ESS %.0f (bulk), %s (tail) is below %d: quantiles and intervals are rough. Run longer "+
			"(sampler.iterations).",
			those(few, len(ps), worst), worst.ESSBulk, tail, enough))
	}
	if len(heavy) > 0 {
		worst := worstOf(heavy, func(p Parameter) float64 { return p.tail.Shape })
		out = append(out, fmt.Sprintf("%s: a tail is so heavy (Pareto shape %.2g, where a variance needs 0.5 and a mean 1) that mean, sd and "+
			"the errors told rest on a few draws far out, and outer quantiles are less sure than they look. Go by median and quartiles, or sample "+
			"a logarithm of it.",
			those(heavy, len(ps), worst), worst.tail.Shape))
	}
	return out
}

// Undefined says which outputs are not finite numbers in all draws; nil where all are.
func Undefined(ps []Parameter) []string {
	var names []string
	for _, p := range ps {
		if p.Q50 != p.Q50 {
			names = append(names, p.Name)
		}
	}
	if names == nil {
		return nil
	}
	if len(names) > mostNamed {
		names = append(names[:mostNamed], "…")
	}
	return []string{strings.Join(names, ", ") + ": not a finite number in all draws, so that nothing is told of it. Such outputs divide by 0, " +
		"or take the logarithm of a number that may be negative."}
}

// mostNamed is how many outputs a warning names.
const mostNamed = 5

// worstOf is the parameter of which a number is largest.
func worstOf(ps []Parameter, of func(Parameter) float64) Parameter {
	worst := ps[0]
	for _, p := range ps[1:] {
		if of(p) > of(worst) {
			worst = p
		}
	}
	return worst
}

// those names a parameter, or how many there are of how many, and the worst.
func those(ps []Parameter, of int, worst Parameter) string {
	if len(ps) == 1 {
		return worst.Name
	}
	return fmt.Sprintf("%d of %d parameters, worst %s", len(ps), of, worst.Name)
}

// remedy is how to take the kernel that has no bias from steps on this problem: harmonic
// where U is Gaussian and it knows the walls; "" where there is none, or it is in use.
func remedy(p r2sgld.Problem, set r2sgld.Settings, res *r2sgld.Result) string {
	if !biased(p, set) {
		return ""
	}
	text := ByKernel + "mala"
	x, d := res.Ladders[0].X[0], p.Potential.Dim()
	if p.Chart == nil && len(x) >= d && tune.Suits(kernel.Harmonic{}, p, x[:d]) == nil {
		text = ByKernel + "harmonic --set sampler.step_size=null"
	}
	if res.Certified() {
		text += " --set sampler.certificate=null"
	}
	return text
}

// biased reports whether steps have a bias that another kernel has not.
func biased(p r2sgld.Problem, set r2sgld.Settings) bool {
	_, noisy := potential.Exact(p.Potential)
	if noisy || !set.Traits().Coupled || set.Mirror || set.Penalty != nil {
		return false
	}
	return set.Boundary == "" || set.Boundary == domain.Specular || set.Boundary == domain.Refuse
}

// SteepWall warns before a run of a wall, with a point near it, towards which slopes grow
// without bound: kernels whose steps have a bias are wrong there. again is the command that
// makes the run; "" is not known.
func SteepWall(p r2sgld.Problem, set r2sgld.Settings, at []float64, again string) string {
	var where []string
	for i, name := range p.ReportedNames()[:len(at)] {
		where = append(where, name+" = "+text.Short(at[i], 3))
	}
	text := "slopes grow without bound towards a wall"
	if p.Chart == nil && len(where) <= 4 {
		text += " (near " + strings.Join(where, ", ") + ")"
	}
	text += ": steps of this kernel overshoot there, and draws near it have wrong shares, which R̂ and ESS do not show. "
	if biased(p, set) {
		return text + "Take a kernel whose law is exact: " + strings.TrimSpace(again+" "+ByKernel+"mala")
	}
	return text + "Compare with other variables, such as the logarithm of the distance from the wall."
}

// ByKernel is how a warning names another kernel: with the command in front it is one to
// copy.
const ByKernel = "--set sampler.kernel="

// instead is a sentence of advice, with the kernel that needs none.
func (s *Summary) instead(advice string) string {
	if s.exact != nil {
		if exact := s.exact(); exact != "" {
			return advice + ", or take an exact kernel, which has no such bias: " + exact
		}
	}
	return advice + "."
}

// mostRounded is the largest distance of neighbouring numbers at which energies tell
// acceptances and swaps to a hundredth.
const mostRounded = 0.01

// rounded warns of energies so large that what they differ by is lost in rounding.
func (s *Summary) rounded() []string {
	u := math.Abs(s.Energy.Mean)
	apart := math.Nextafter(u, math.Inf(1)) - u
	if !(apart > mostRounded) || math.IsInf(apart, 1) {
		return nil
	}
	return []string{fmt.Sprintf("energies are about %.1g, where numbers are %.1g apart: what they differ by is lost in rounding, and draws "+
		"and log Z with it. Take a constant off the potential.", s.Energy.Mean, apart)}
}
