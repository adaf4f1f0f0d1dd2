package multimodal

import (
	"fmt"
	"math"
	"strings"

	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// claims judges what the paper says of the diameter.
func (r *DiameterResults) claims() []study.Claim {
	return []study.Claim{r.decline(), r.quadratic(), r.comparable()}
}

// number is the power under a name.
func (p Power) number(name string) study.Number {
	return study.Number{Name: name, Value: p.Power, Low: p.Low, High: p.High}
}

// String tells the power with its interval.
func (p *Power) String() string {
	if p == nil {
		return "–"
	}
	return p.number("").String()
}

// sign is 1 if the power is above v beyond its interval, -1 if below, else 0.
func (p Power) sign(v float64) int {
	switch {
	case p.Low > v:
		return 1
	case p.High < v:
		return -1
	}
	return 0
}

// beside says how the power compares with 2.
func (p Power) beside() string {
	switch {
	case p.square():
		return "quadratic"
	case p.sign(2) < 0:
		return "less than quadratic"
	case p.sign(2) > 0:
		return "more than quadratic"
	case p.Misfit > mostMisfit:
		return "where no single power fits"
	}
	return "too wide an interval to tell"
}

// mostMisfit is the χ² per degree of freedom above which times follow no power: of
// two degrees, those of four octagons, it is exceeded with probability e⁻⁴, 2 %.
const mostMisfit = 4

// square reports that the power is 2, and known to be: its interval leaves out 1.5
// and 2.5.
func (p Power) square() bool {
	return p.sign(2) == 0 && p.Low > 1.5 && p.High < 2.5 && p.Misfit <= mostMisfit
}

// trend is the power of the radius with which the mean KL after n iterations grows.
func (r *DiameterResults) trend(n int) Power {
	var x, y, se []float64
	runs := 0
	for _, d := range r.Domains {
		s := rowAt(d.All, n)
		runs = s.Runs
		x, y = append(x, d.Circumradius), append(y, s.KL.Mean)
		se = append(se, s.KL.over(s.Runs).SE/s.KL.Mean)
	}
	return fitPower(x, y, se, runs-1)
}

// decline judges that KL falls faster in a smaller domain.
func (r *DiameterResults) decline() study.Claim {
	c := study.Claim{ID: "diameter-decline", Section: "5.2, appendix",
		Text: "With the same steps and number of iterations, KL falls faster the smaller the diameter of the domain.",
		Test: "Octagons of circumradius 1.5 to 3, runs as the paper's. Does mean KL(truth‖draws) after 10,000 iterations grow with the diameter (weighted fit of a power), and do the iterations needed to a given KL? It holds if all these powers are above 0 by their 95 % intervals, does not if that of KL is below; else it depends."}
	late := r.trend(paperLength)
	c.Numbers = append(c.Numbers, late.number("power of the diameter in KL after 10,000"))
	early := r.trend(1000)
	c.Numbers = append(c.Numbers, early.number("power of the diameter in KL after 1,000"))
	needed := 1
	for _, p := range r.Powers {
		c.Numbers = append(c.Numbers, p.Chain.number(fmt.Sprintf("power of the diameter in iterations to KL %g", p.KL)))
		needed = min(needed, p.Chain.sign(0))
	}
	for _, d := range r.Domains {
		c.Numbers = append(c.Numbers, rowAt(d.All, paperLength).KL.positive(fmt.Sprintf("KL after 10,000, circumradius %g", d.Circumradius)))
	}
	switch s := late.sign(0); {
	case s > 0 && needed > 0:
		c.Verdict = study.Holds
	case s < 0:
		c.Verdict = study.Fails
	default:
		c.Verdict = study.Depends
	}
	c.Why = fmt.Sprintf("After 10,000 iterations KL grows like the diameter to the power %v, after 1,000 to the power %v.%s", &late, &early, r.early())
	if p := r.lowest(); p != nil {
		c.Why += fmt.Sprintf(" A given KL takes more iterations the larger the domain, to KL %g like the power %v; but independent draws, which mix at once, have the power %v (the claim on KL of equally many draws).", p.KL, &p.Chain, p.IID)
	}
	return c
}

// early says whether the order of the diameters is there at 500 to 2,000 iterations.
func (r *DiameterResults) early() string {
	var bad []string
	for _, n := range []int{500, 1000, 2000} {
		for i := 1; i < len(r.Domains); i++ {
			if rowAt(r.Domains[i].All, n).KL.Mean < rowAt(r.Domains[i-1].All, n).KL.Mean {
				bad = append(bad, text.Count(n))
				break
			}
		}
	}
	if bad == nil {
		return ""
	}
	return fmt.Sprintf(" After %s the four are not in the order of their diameters.", enumerated(bad))
}

// enumerated joins words, of which there is one at least.
func enumerated(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// quadratic judges that the mixing time is quadratic in the diameter.
func (r *DiameterResults) quadratic() study.Claim {
	c := study.Claim{ID: "diameter-quadratic", Section: "abstract, 3.1, 5.2",
		Text: "The mixing rate falls with the square of the diameter.",
		Test: "Relaxation time (from the autocorrelation of the slowest statistic) against the diameter: the slope of the logarithms, for r2SGLD on the 25 modes, without a potential, and at one temperature. Beside it the iterations needed to a given KL. It does not hold if the 95 % interval of the slope without a potential leaves out 2, where theory has it exactly; it holds if both intervals have 2 and lie within 1.5 and 2.5, and r2SGLD's times follow a power (χ² at most 4 times what it should be); else it depends."}
	var walks []DiameterRelaxation
	for _, x := range r.Relaxations {
		walks = append(walks, x)
		c.Numbers = append(c.Numbers, x.Fit.number("slope, "+x.Name))
	}
	for _, p := range r.Powers {
		c.Numbers = append(c.Numbers, p.Chain.number(fmt.Sprintf("power, iterations to KL %g", p.KL)))
	}
	exchange, free := walks[0].Fit, walks[1].Fit
	switch {
	case free.sign(2) != 0:
		c.Verdict = study.Fails
	case free.square() && exchange.square():
		c.Verdict = study.Holds
	default:
		c.Verdict = study.Depends
	}
	c.Why = fmt.Sprintf("The slope is %v without a potential, %s, and %v for r2SGLD on the 25 modes, %s.", &free, free.beside(), &exchange, exchange.beside())
	if free.sign(2) == 0 {
		c.Why += " Without a potential it must be 2, by scaling."
	}
	if len(walks) > 2 {
		c.Why += fmt.Sprintf(" At one temperature: %v, with times %.3g to %.3g times those without a potential: the barriers between its modes set the scale, and the diameter the number of them.",
			&walks[2].Fit, slower(walks[2], walks[1], true), slower(walks[2], walks[1], false))
	}
	if exchange.Misfit > mostMisfit {
		c.Why += fmt.Sprintf(" For r2SGLD no single power fits (χ² %.0f times what it should be): which modes lie inside, and how near the wall, changes with the size.", exchange.Misfit)
	}
	c.Why += " The bowl of the potential holds a chain near the origin however far the wall is, so that no square law can go on for ever."
	if p := r.lowest(); p != nil {
		c.Why += fmt.Sprintf(" Iterations to KL %g grow like the power %v, but the independent draws with that KL like the power %v: they are no evidence for a square law of mixing.", p.KL, &p.Chain, p.IID)
	}
	return c
}

// slower is the least (or largest) ratio of relaxation times.
func slower(a, b DiameterRelaxation, least bool) float64 {
	out := a.Relaxation[0].Time / b.Relaxation[0].Time
	for i := range a.Relaxation {
		v := a.Relaxation[i].Time / b.Relaxation[i].Time
		if least {
			out = math.Min(out, v)
		} else {
			out = math.Max(out, v)
		}
	}
	return out
}

// comparable judges that KL of equally many draws can be compared.
func (r *DiameterResults) comparable() study.Claim {
	c := study.Claim{ID: "diameter-comparable", Section: "5.2, appendix",
		Text: "KL of equally many draws tells how fast domains of different diameter mix.",
		Test: "KL of independent draws in the same octagons, which mix at once: does it depend on the diameter as well? Then the iterations of r2SGLD to a given KL over the independent draws to the same KL. It does not hold if independent draws need more in a larger domain at every KL that was reached, by the 95 % interval of the power; else it depends."}
	grows := true
	for i := range r.Powers {
		p := r.Powers[len(r.Powers)-1-i] // the lowest KL first
		if p.IID != nil {
			c.Numbers = append(c.Numbers, p.IID.number(fmt.Sprintf("power, independent draws to KL %g", p.KL)),
				p.Ratio.number(fmt.Sprintf("power, iterations per independent draw at KL %g", p.KL)))
			grows = grows && p.IID.sign(0) > 0
		}
	}
	for _, d := range r.Domains {
		for _, f := range d.Floor {
			if f.Iterations == paperLength {
				c.Numbers = append(c.Numbers, f.KL.positive(fmt.Sprintf("KL of 10,000 independent draws, circumradius %g (%d cells)", d.Circumradius, d.Cells)))
			}
		}
	}
	p := r.lowest()
	switch {
	case p == nil:
		c.Verdict, c.Why = study.Untestable, "The runs are too short to reach a common KL."
		return c
	case grows:
		c.Verdict = study.Fails
	default:
		c.Verdict = study.Depends
	}
	c.Why = fmt.Sprintf("Independent draws to KL %g grow like the diameter to the power %v, where r2SGLD has %v: a larger octagon has more cells. Per independent draw its iterations go with the power %v: that is what the diameter does to mixing as KL sees it.",
		p.KL, p.IID, &p.Chain, p.Ratio)
	return c
}

// lowest is the power of the lowest KL that r2SGLD and independent draws reached in
// every octagon, nil if there is none.
func (r *DiameterResults) lowest() *DiameterPower {
	for i := len(r.Powers) - 1; i >= 0; i-- {
		if r.Powers[i].IID != nil {
			return &r.Powers[i]
		}
	}
	return nil
}
