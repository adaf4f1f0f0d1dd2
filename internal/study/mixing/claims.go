package mixing

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/study"
)

// claims judges what section 3 of the paper says.
func (r *Results) claims() []study.Claim {
	return []study.Claim{reversibleLaw(r.Reversibility), chiSquare(r.Decay), transport(r.Decay), faster(r.Decay, &r.Acceleration),
		quadratic(r.Diameter.Families), convexBound(r.Diameter.Polygons), bentWalls(&r.Diameter), stepError(&r.Discretisation)}
}

// Tolerances of verdicts.
const (
	exactly0  = 1e-10 // what rounding leaves of a zero
	ratioRoom = 2e-3  // by which a ratio to a bound may be over 1: the grid
	gapRoom   = 0.01  // by which a gap may be below a bound: cut cells of thin polygons
	nearSlope = 0.1   // how near −2 a slope is called quadratic
)

// reversibleLaw judges the lemma of reversibility.
func reversibleLaw(all []Reversibility) study.Claim {
	c := study.Claim{ID: "theory-reversible", Section: "3.1",
		Text: "Reflected replica exchange diffusion is reversible, and its invariant law is the product of both rungs' laws.",
		Test: "Generators on a grid with swaps at rate r·min(1, S), as section 2 says, and at rate r·S, as the generator and the Dirichlet form are printed: defect of detailed balance and, by a dense solution, the law that stays. It holds if both are 0 to rounding for either rate, depends if for min(1, S) alone, and else does not."}
	var capped, printed Balance
	for i := range all {
		capped, printed = capped.worst(all[i].Capped), printed.worst(all[i].Printed)
	}
	c.Numbers = []study.Number{exactly("defect of detailed balance, min(1, S)", capped.Defect), exactly("defect of detailed balance, S", printed.Defect),
		exactly("total variation from π of the law that stays, min(1, S)", capped.Law), exactly("the same, S", printed.Law),
		exactly("largest change of the cold mean energy, S", printed.Energy)}
	switch {
	case !capped.holds():
		c.Verdict = study.Fails
		c.Why = fmt.Sprintf("Even with min(1, S) detailed balance is off by %s and the law that stays by %s.", show(capped.Defect), show(capped.Law))
	case printed.holds():
		c.Verdict = study.Holds
		c.Why = fmt.Sprintf("Detailed balance is off by %s at most with either rate.", show(math.Max(capped.Defect, printed.Defect)))
	default:
		c.Verdict = study.Depends
		c.Why = fmt.Sprintf("With the rate r·min(1, S) it holds to rounding (defect %s); with r·S, as the generator is printed, detailed balance is off by up to %s %% and the law that stays is up to %s in total variation away from π.",
			show(capped.Defect), show(100*printed.Defect), show(printed.Law))
		c.Why += " π(x₁,x₂)S(x₁,x₂) is π(x₂,x₁), so that only the smaller of both masses may flow each way."
	}
	return c
}

// worst joins two balances.
func (b Balance) worst(o Balance) Balance {
	if math.Abs(o.Energy) > math.Abs(b.Energy) {
		b.Energy = o.Energy
	}
	return Balance{math.Max(b.Defect, o.Defect), math.Max(b.Drift, o.Drift), math.Max(b.Law, o.Law), b.Energy}
}

// holds reports that nothing but rounding is off.
func (b Balance) holds() bool { return b.Defect < exactly0 && b.Law < exactly0 }

// chiSquare judges the decay of χ².
func chiSquare(all []Decay) study.Claim {
	c := study.Claim{ID: "theory-chi2", Section: "3.1",
		Text: "χ² to the invariant law falls at least like exp(−2t(1 + η_S)/C_P), C_P the Poincaré constant.",
		Test: "Laws from single cells followed by the semigroup on a grid. C_P = 1/λ₁, λ₁ without swaps; η_S is the least of E_S(h)/E(h) − 1 along the flow. It holds if χ² at no time exceeds the bound started at any earlier time. Lemma 3.4 prints C_P = λ₁: how many of the flows are slower than that would ask for is told beside."}
	broken, slower, sharp := 0, 0, 0
	worst := 0.0
	example := ""
	for i := range all {
		d := &all[i]
		worst = math.Max(worst, d.Theorem)
		if !(d.Theorem <= 1+ratioRoom) { // NaN is none that holds
			broken++
		}
		if d.Slope < d.Printed*(1-ratioRoom) {
			if slower++; example == "" {
				example = fmt.Sprintf(" (%s: %s where it would be %s)", d.Name, show(d.Slope), show(d.Printed))
			}
		}
		if math.Abs(d.Slope/(2*d.Gap)-1) < 0.01 {
			sharp++
		}
		c.Numbers = append(c.Numbers, exactly("−slope of log χ² over 2λ₁, "+d.Name, d.Slope/(2*d.Gap)))
	}
	c.Numbers = append([]study.Number{exactly("largest χ² over the bound", worst), exactly("flows slower than C_P = λ₁ asks for", float64(slower))}, c.Numbers...)
	if c.Verdict = study.Holds; broken > 0 {
		c.Verdict = study.Fails
		c.Why = fmt.Sprintf("χ² exceeds the bound in %d of %d flows, by a factor of up to %s.", broken, len(all), show(worst))
		return c
	}
	c.Why = fmt.Sprintf("With C_P = 1/λ₁ χ² never exceeds the bound in %d flows; with C_P = λ₁, as lemma 3.4 prints it, %d of them are slower than it%s.", len(all), slower, example)
	c.Why += fmt.Sprintf(" The rate at the end is 2λ₁ of the process with its swaps to 1 %% in %d flows", sharp)
	if c.Why += "."; sharp < len(all) {
		c.Why += " The others start where the slowest mode is hardly seen."
	}
	return c
}

// transport judges the decay of W2.
func transport(all []Decay) study.Claim {
	c := study.Claim{ID: "theory-w2", Section: "3.2",
		Text: "W2 to the invariant law is at most √(2 C_LS KL(0))·exp(−t(1 + δ_S)/C_LS), C_LS the log-Sobolev constant.",
		Test: "The same flows, the bound started at every time. On an interval with one rung W2 is exact, and these decide; elsewhere W2 is known from above only. C_LS is exact where the law is uniform or normal, else an estimate from below, which makes the bound smaller. It holds if W2 is below the bound in all that decide, depends if in some."}
	within, over, above, known := 0, 0, 0, 0
	worst, scaled, entropy := 0.0, 0.0, 0.0
	var culprits []string
	for i := range all {
		d := &all[i]
		entropy = math.Max(entropy, d.Entropy)
		if d.W2Is != "exact" {
			if above++; d.Transport <= 1+ratioRoom {
				known++
			}
			continue
		}
		worst, scaled = math.Max(worst, d.Transport), math.Max(scaled, d.Scaled)
		if d.Transport <= 1+ratioRoom {
			within++
		} else {
			over++
			culprits = append(culprits, d.Name)
		}
		c.Numbers = append(c.Numbers, exactly("W2 over the bound, "+d.Name, d.Transport))
	}
	c.Numbers = append([]study.Number{exactly("largest W2 over the bound", worst), exactly("largest W2 over √(τ C KL) exp(−2t(1 + δ_S)/C)", scaled),
		exactly("largest KL over KL(0) exp(−4t(1 + δ_S)/C)", entropy)}, c.Numbers...)
	switch {
	case within+over == 0:
		c.Verdict, c.Why = study.Untestable, "W2 is exact in none of the flows."
		return c
	case over == 0:
		c.Verdict, c.Why = study.Holds, fmt.Sprintf("W2 is at most %s of the bound in all %d flows where it is exact.", show(worst), within)
	case within == 0:
		c.Verdict, c.Why = study.Fails, fmt.Sprintf("W2 exceeds the bound in all %d flows where it is exact, by a factor of up to %s.", over, show(worst))
	default:
		c.Verdict = study.Depends
		c.Why = fmt.Sprintf("W2 stays below the bound in %d flows and exceeds it by a factor of %s in %d (%s).", within, show(worst), over, strings.Join(culprits, "; "))
	}
	c.Why += fmt.Sprintf(" The form E has the temperature in it and the distance has not: the constant under the root must be the highest temperature times C_LS (Talagrand's inequality), with which the rate may be twice as high: then W2 is at most %s of the bound.", show(scaled))
	if above > 0 {
		c.Why += fmt.Sprintf(" Of the %d flows with two coordinates, %d are below the bound by what is known from above.", above, known)
	}
	return c
}

// faster judges that swaps accelerate.
func faster(flows []Decay, a *Acceleration) study.Claim {
	c := study.Claim{ID: "theory-acceleration", Section: "2.3, 3.1, 3.2",
		Text: "Swaps accelerate: E_S ≥ E, and the acceleration effect is positive.",
		Test: "Gaps of two rungs with and without swaps: double well, a slice of the 25 modes and the 25 modes on the flower, second temperatures 2 to 100, domains of several sizes; E_S/E − 1 of the slowest mode and along flows. It holds if each of these is above 0 and no gap falls as the intensity rises, does not if none is; else it depends."}
	least, slow, falls, n, positive := math.Inf(1), math.Inf(1), 0, 0, 0
	for _, group := range [][]Sweep{a.Intensity, a.Hot, a.Diameter} {
		for i := range group {
			s := &group[i]
			least, slow = math.Min(least, s.gain()), math.Min(slow, s.Form)
			if n++; s.gain() > 1+ratioRoom && s.Form > 0 {
				positive++
			}
			for k := 1; k < len(s.Gap); k++ {
				if s.Gap[k] < s.Gap[k-1]*(1-1e-6) {
					falls++
				}
			}
		}
	}
	eta, late := math.Inf(1), math.Inf(1)
	for i := range flows {
		if d := &flows[i]; len(d.Ratio) > 0 {
			eta, late = math.Min(eta, d.Eta), math.Min(late, d.Gap/d.Alone-1)
			if n++; d.Eta > 0 {
				positive++
			}
		}
	}
	for i := range a.Intensity {
		s := &a.Intensity[i]
		c.Numbers = append(c.Numbers, exactly("gap with ever more swaps over that without, "+s.Name, s.gain()), exactly("intensity that reaches 95 % of it, "+s.Name, s.Enough))
	}
	c.Numbers = append(c.Numbers, exactly("least of these ratios of gaps", least), exactly("least E_S/E − 1 of a slowest mode at intensity 1", slow), exactly("least η_S of a flow", eta))
	switch {
	case positive == n && falls == 0:
		c.Verdict = study.Holds
	case positive == 0:
		c.Verdict = study.Fails
	default:
		c.Verdict = study.Depends
	}
	c.Why = fmt.Sprintf("Swaps multiply the gap by %s at least if they are as frequent as can be, and it falls in %d of all steps up in intensity; E_S/E − 1 is positive in %d of %d cases.", show(least), falls, positive, n)
	if !math.IsInf(eta, 1) {
		c.Why += fmt.Sprintf(" But η_S, the least along a whole flow, is only %s where the gap itself rises by %s times or more: a law that starts at a point gains nothing at first, and the theorem's rate λ₁(1 + η_S) tells little of what swaps do.", show(eta), show(1+late))
	}
	return c
}

// quadratic judges how the gap depends on the diameter.
func quadratic(all []Family) study.Claim {
	c := study.Claim{ID: "theory-diameter", Section: "abstract, 3.1",
		Text: "The gap, and with it the rate of mixing, is of the order of 1/diameter².",
		Test: fmt.Sprintf("Gaps on domains that grow without changing their shape; least squares of log gap on log diameter. It holds if all slopes are −2 to ±%g, does not if that without a potential is not, else it depends.", nearSlope)}
	scales, other, far := true, 0, 0
	name, flat, steep := "", math.Inf(-1), math.Inf(1)
	for i := range all {
		f := &all[i]
		c.Numbers = append(c.Numbers, f.Fit.number("slope, "+f.Name))
		near := math.Abs(f.Fit.Slope+2) <= nearSlope
		if f.Kind == free {
			scales = scales && near
			continue
		}
		if other++; !near {
			far++
		}
		for _, v := range f.Local {
			if v > flat {
				flat, name = v, f.Name
			}
			steep = math.Min(steep, v)
		}
	}
	switch {
	case !scales:
		c.Verdict, c.Why = study.Fails, "Without a potential the slope is not −2, which scaling asks for."
	case far == 0:
		c.Verdict, c.Why = study.Holds, fmt.Sprintf("The slope is −2 to ±%g in every family.", nearSlope)
	default:
		c.Verdict = study.Depends
		c.Why = fmt.Sprintf("Without a potential the slope is −2 exactly, by scaling; with one it is not in %d of %d families (slopes between neighbours %s to %s, the flattest of %s).", far, other, signed(steep, 2), signed(flat, 2), name)
		c.Why += " In a domain small beside the features of U the potential is nearly constant and the law quadratic; in a large one a bowl holds the law where it is, and the gap becomes that of the whole plane; in between barriers decide, not the diameter."
	}
	return c
}

// convexBound judges the bound of convex domains.
func convexBound(all []Polygon) study.Claim {
	c := study.Claim{ID: "theory-convex", Section: "3.1",
		Text: "On a convex domain the gap is at least π²/diameter² (C₁ = 1, C₂ = 0).",
		Test: fmt.Sprintf("%d random convex polygons, temperature 1: gap·diameter²/π² for U = 0, for a convex U and for the 25 modes. It holds if none is below 1 (by 1 %%, for the grid), does not if U = 0 is, else it depends.", len(all))}
	low := Polygon{Free: math.Inf(1), Convex: math.Inf(1), Modes: math.Inf(1)}
	below := 0
	for _, p := range all {
		low.Free, low.Convex, low.Modes = math.Min(low.Free, p.Free), math.Min(low.Convex, p.Convex), math.Min(low.Modes, p.Modes)
		if p.Modes < 1-gapRoom {
			below++
		}
	}
	c.Numbers = []study.Number{exactly("least gap over the bound, U = 0", low.Free), exactly("least gap over the bound, U = |x|²/2", low.Convex),
		exactly("least gap over the bound, 25 modes", low.Modes), exactly("polygons below the bound, 25 modes", float64(below))}
	switch {
	case low.Free < 1-gapRoom:
		c.Verdict, c.Why = study.Fails, fmt.Sprintf("Even without a potential a polygon has %s of the bound.", show(low.Free))
	case low.Convex < 1-gapRoom || below > 0:
		c.Verdict = study.Depends
		c.Why = fmt.Sprintf("Without a potential the gap is %s times the bound or more, with a convex one %s times; with the 25 modes %d of %d polygons are below it, down to %s of it.", show(low.Free), show(low.Convex), below, len(all), show(low.Modes))
		c.Why += " The bound needs a convex U as well as a convex domain (Payne and Weinberger; Bakry and Qian); the lemma asks for no such thing of U."
	default:
		c.Verdict = study.Holds
		c.Why = fmt.Sprintf("The gap is at least %s times the bound in every polygon.", show(math.Min(low.Free, math.Min(low.Convex, low.Modes))))
	}
	return c
}

// small is the diameter up to which the remark on walls that are not convex is tested.
const small = 1.0

// bentWalls judges the remark on domains that are not convex.
func bentWalls(d *Diameter) study.Claim {
	c := study.Claim{ID: "theory-nonconvex", Section: "3.1",
		Text: "On a domain that is not convex, whose wall bends outward by no more than κ, the gap is still of the order of 1/diameter² when the diameter is small.",
		Test: "Domains with a waist, U = 0, least curvature of the wall −1, of diameters around and far below 1: it holds if gap·diameter²/π² is at least ½ for all diameters up to 1, and does not otherwise. Beside it dumb-bells of one diameter, whose corners bend without bound."}
	least, largest := math.Inf(1), math.NaN()
	n := 0
	for _, x := range d.Bent {
		if x.Diameter <= small {
			least = math.Min(least, x.Over)
			n++
		}
		largest = x.Over
	}
	c.Numbers = []study.Number{exactly("least gap·diameter²/π², diameters up to 1, κ = −1", least), exactly("the same at the largest diameter", largest)}
	for _, x := range d.Necks {
		c.Numbers = append(c.Numbers, exactly(fmt.Sprintf("gap·diameter²/π², dumb-bell with a passage of %g", x.Width), x.Over))
	}
	if n == 0 {
		c.Verdict, c.Why = study.Untestable, "No domain is small."
		return c
	}
	if c.Verdict = study.Holds; least < 0.5 {
		c.Verdict = study.Fails
	}
	c.Why = fmt.Sprintf("With the curvature bounded by 1 gap·diameter²/π² is at least %s for diameters up to 1, and %s at the largest.", show(least), show(largest))
	if len(d.Necks) > 0 {
		last := d.Necks[len(d.Necks)-1]
		c.Why += fmt.Sprintf(" The bound on the curvature is needed: in a dumb-bell with a passage of %g it is %s, and there is no bound by the diameter alone.", last.Width, show(last.Over))
	}
	return c
}

// stepError judges the discretisation error.
func stepError(d *Discretisation) study.Claim {
	c := study.Claim{ID: "theory-discretisation", Section: "3.3",
		Text: "With reflection W1(μ_T, μ̃_T) is at most of order η^¼, plus a term for the noise of the gradient and one for that of the energies.",
		Test: "Exact laws of steps on intervals, of one rung at time T and of the cold of two that swap in the long run: powers of W1 at the small end of the steps and of the noises. It holds if no power is below that of the theorem by more than 0.05: ¼ in η without noise, 0 in η and 1 in the size of the gradient's noise, −¼ in η and ½ in the size of the energies' noise."}
	low, high, over, n := math.Inf(1), math.Inf(-1), 0, 0
	see := func(all []Order, name string, span bool) {
		for i := range all {
			x := &all[i]
			if x.Rule != ruleName(domain.Specular) || x.Vanishes {
				continue
			}
			if n++; !(x.Fit.Slope >= x.Bound-0.05) { // NaN is none that holds
				over++
			}
			if span {
				low, high = math.Min(low, x.Fit.Slope), math.Max(high, x.Fit.Slope)
			}
			c.Numbers = append(c.Numbers, x.Fit.number(fmt.Sprintf("power of the %s, %s%s", x.Of, name, x.Name)))
		}
	}
	see(d.Times, "time T, ", true)
	see(d.Orders, "stationary, ", false)
	see(d.Gradient, "", false)
	see(d.Energy, "", false)
	switch {
	case n == 0:
		c.Verdict, c.Why = study.Untestable, "No distance is above rounding."
		return c
	case over > 0:
		c.Verdict, c.Why = study.Fails, fmt.Sprintf("%d of %d powers are below those of the theorem.", over, n)
	default:
		c.Verdict = study.Holds
		c.Why = fmt.Sprintf("All %d powers are at least those of the theorem.", n)
	}
	c.Why += fmt.Sprintf(" η^¼ is an upper bound that is far from what happens: W1(μ_T, μ̃_T) falls with the power %s to %s of η (1 is the weak order of reflection).", signed(low, 2), signed(high, 2))
	c.Why += noises(d)
	return c
}

// noises says what the noise of gradients and energies does.
func noises(d *Discretisation) string {
	power := func(all []Order, of, what string) (float64, bool) {
		for i := range all {
			if x := &all[i]; x.Of == of && strings.Contains(x.Name, what) && !x.Vanishes {
				return x.Fit.Slope, true
			}
		}
		return 0, false
	}
	out := ""
	if s, ok := power(d.Gradient, byGradient, ""); ok {
		eta, _ := power(d.Gradient, byStep, "")
		out += fmt.Sprintf(" Noise of the gradient adds an error of powers %s in its size and %s in η, so that it vanishes with the step.", signed(s, 2), signed(eta, 2))
	}
	if eta, ok := power(d.Energy, byStep, "no correction"); ok {
		out += fmt.Sprintf(" Noise of the energies leaves an error without correction that does not fall with η (power %s)", signed(eta, 2))
		if with, ok := power(d.Energy, byStep, "C = 2"); ok {
			out += fmt.Sprintf("; with C = 2 it falls (power %s)", signed(with, 2))
		}
		out += "."
	}
	return out
}
