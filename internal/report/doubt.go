package report

import (
	"fmt"
	"math"
	"slices"
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

// A doubt is one reason why the draws of a parameter cannot be trusted.
type doubt struct {
	holds func(Parameter) bool
	size  func(Parameter) float64 // that of the worst is largest
	say   func(who string, worst Parameter) string
}

// ess is the smaller effective sample size. The tail's is not known where draws bunch at a quantile.
func (p Parameter) ess() float64 {
	if p.ESSTail < p.ESSBulk {
		return p.ESSTail
	}
	return p.ESSBulk
}

// alike is the size of what is as bad for all.
func alike(Parameter) float64 { return 0 }

// doubts are those of a method with so many rungs (0 if that is not known), the gravest first.
func doubts(rungs int) []doubt {
	more := "with more rungs"
	if rungs == 1 {
		more = "with several rungs (method r2sgld)"
	}
	return append([]doubt{
		{func(p Parameter) bool { return p.Q50 != p.Q50 },
			alike,
			func(who string, _ Parameter) string {
				return who + ": not all draws are finite numbers, so that nothing can be told of them. Look for NaN and Inf in the draws."
			}},
		{func(p Parameter) bool { return p.agreement() != p.agreement() || p.ESSBulk != p.ESSBulk },
			alike,
			func(who string, _ Parameter) string {
				return who + ": the draws do not vary, or are too few to judge. Take a smaller step size, or more draws."
			}},
		{func(p Parameter) bool { return p.agreement() > wellMixed },
			func(p Parameter) float64 { return p.agreement() },
			func(who string, worst Parameter) string {
				return fmt.Sprintf("%s: R̂ %.3f and ESS %.0f: the ladders have not come to agree. Run several times as long (sampler.iterations), "+
					"with larger steps, or %s.", who, worst.agreement(), worst.ess(), more)
			}},
		{func(p Parameter) bool { return p.ess() < enough },
			func(p Parameter) float64 { return -p.ess() },
			func(who string, worst Parameter) string {
				tail := "–"
				if worst.ESSTail == worst.ESSTail {
					tail = fmt.Sprintf("%.0f", worst.ESSTail)
				}
				return fmt.Sprintf("%s: ESS %.0f (bulk), %s (tail) is below %d: quantiles and intervals are rough. Run longer (sampler.iterations).",
					who, worst.ESSBulk, tail, enough)
			}},
	}, spreads()...)
}

// spreads are those of sds, which tails make hard to know.
func spreads() []doubt {
	return []doubt{
		{func(p Parameter) bool { return p.tail.Heavy() },
			func(p Parameter) float64 { return p.tail.Shape },
			func(who string, worst Parameter) string {
				return fmt.Sprintf("%s: a tail is so heavy (Pareto shape %.2g, where a variance needs 0.5 and a mean 1) that mean, sd and the errors "+
					"told rest on a few draws far out, and outer quantiles are less sure than they look. Go by median and quartiles, or sample a logarithm "+
					"of it.", who, worst.tail.Shape)
			}},
		{func(p Parameter) bool { return p.tail.Rough() },
			func(p Parameter) float64 { return p.tail.Shape },
			func(who string, worst Parameter) string {
				return fmt.Sprintf("%s: a tail is heavy (Pareto shape %.2g, where the error of an sd needs one below 0.25): the sd rests on "+
					"a few draws far out, and may be off by more than its error tells, mostly too small. Go by quantiles, or sample a "+
					"logarithm of it.", who, worst.tail.Shape)
			}},
		{func(p Parameter) bool { return p.slope.Heavy() },
			func(p Parameter) float64 { return -p.slope.Exponent },
			func(who string, worst Parameter) string {
				return fmt.Sprintf("%s: far out the density falls like a power of the distance, with an exponent of about %.2g (an sd needs more "+
					"than 3, its error more than 5): draws go there so seldom that the sd may be off by more than its error tells, mostly too "+
					"small. Go by quantiles, or bound it (domain).", who, worst.slope.Exponent)
			}},
		{func(p Parameter) bool { return p.looseness() > 1/math.Sqrt(2*enough) },
			Parameter.looseness,
			func(who string, worst Parameter) string {
				return fmt.Sprintf("%s: the sd is known to %.0f %% only (%.3g ± %.2g): it rests on few draws far out, or on few "+
					"that are independent. Run longer (sampler.iterations, sampler.until.ess), or go by quantiles.", who, 100*worst.looseness(), worst.SD, worst.MCSESD)
			}},
	}
}

// looseness is the error of the sd as a share of it: of n independent draws of a normal law 1/√2n.
func (p Parameter) looseness() float64 { return p.MCSESD / p.SD }

// Doubts say why the draws of parameters, or of what else they are called, of a method with so
// many rungs (0 if that is not known), cannot be trusted yet and what to do: one sentence for all
// of which the same is to be said, with the worst.
func Doubts(called string, ps []Parameter, rungs int) (out []string) {
	all := doubts(rungs)
	doubtful := make([][]Parameter, len(all))
	for _, p := range ps {
		if i := slices.IndexFunc(all, func(d doubt) bool { return d.holds(p) }); i >= 0 {
			doubtful[i] = append(doubtful[i], p)
		}
	}
	for i, d := range all {
		if of := doubtful[i]; len(of) > 0 {
			worst := worstOf(of, d.size)
			out = append(out, d.say(those(called, of, len(ps), worst), worst))
		}
	}
	return out
}

// Mix tells that there is no doubt of how chains of parameters mix, whatever their tails.
func Mix(ps []Parameter) bool {
	return !slices.ContainsFunc(ps, func(p Parameter) bool { return !(p.agreement() <= wellMixed && p.ess() >= enough) })
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
func those(called string, ps []Parameter, of int, worst Parameter) string {
	if len(ps) == 1 {
		return worst.Name
	}
	return fmt.Sprintf("%d of %d %s, worst %s", len(ps), of, called, worst.Name)
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
