package dynamical

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// What runs are compared by; lower is better.
func modeError(s score) float64  { return s.error }
func around(s score) float64     { return s.around }
func off(s score) float64        { return s.off }
func parting(s score) float64    { return s.parting }
func sooner(s score) float64     { return -s.parting }
func apartEarly(s score) float64 { return s.apart[0] }
func apartLate(s score) float64  { return s.apart[1] }
func swaps(s score) float64      { return s.swaps }

// settings are the pairs of free coefficients and start that were run for all of
// some labels.
func (m *inquiry) settings(labels ...string) [][2]string {
	var out [][2]string
	for _, v := range m.system.variants {
		for _, from := range []string{fromBox, fromLow, fromTruth} {
			if !slices.ContainsFunc(labels, func(l string) bool { return find(m.all, v, from, l) == nil }) {
				out = append(out, [2]string{v.name, from})
			}
		}
	}
	return out
}

// at returns a case of a setting.
func (m *inquiry) at(setting [2]string, label string) *outcome {
	for _, v := range m.system.variants {
		if v.name == setting[0] {
			return find(m.all, v, setting[1], label)
		}
	}
	return nil
}

// place tells a setting.
func (m *inquiry) place(setting [2]string) string {
	for _, v := range m.system.variants {
		if v.name == setting[0] {
			return v.told + ", start " + setting[1]
		}
	}
	return ""
}

// pairs compares a number of two methods, a below b, in all settings that both
// were run in.
func (m *inquiry) pairs(of func(score) float64, pairs ...[2]string) study.Comparisons {
	var out study.Comparisons
	for _, p := range pairs {
		for _, s := range m.settings(p[0], p[1]) {
			out = append(out, study.Paired(fmt.Sprintf("%s against %s, %s", p[0], p[1], m.place(s)), m.at(s, p[0]).column(of), m.at(s, p[1]).column(of)))
		}
	}
	return out.Adjusted()
}

// main is the setting that numbers of claims are of.
func (m *inquiry) main() [2]string { return [2]string{m.system.variants[0].name, fromBox} }

func (m *inquiry) numbers(what string, of func(score) float64, labels ...string) []study.Number {
	var out []study.Number
	for _, l := range labels {
		out = append(out, study.IntervalOf(m.at(m.main(), l).column(of)).Positive(what+" of "+l))
	}
	return out
}

// id is the name of a claim of this system.
func (m *inquiry) id(rest string) string { return m.system.name + "-" + rest }

// ordinary is a claim that comparisons decide.
func (m *inquiry) ordinary(id, section, text, test string, cs study.Comparisons, numbers []study.Number, why string) study.Claim {
	return cs.Claim(study.Claim{ID: m.id(id), Section: section, Text: text, Test: test, Numbers: numbers, Why: why, Basis: m.place(m.main())}, runsOf(m.Scale))
}

const errorText = "the error of the modes (root mean square of their relative errors)"

// claims are all claims of the study.
func (m *inquiry) claims() []study.Claim {
	if m.system.chaotic {
		return []study.Claim{m.closer(), m.onePeak(), m.reflection(), m.behind(), m.concentrates(), m.best(), m.longest(), m.kept(), m.swapRate(), m.law()}
	}
	return []study.Claim{m.reflection(), m.behind(), m.comparable(), m.overlap(), m.later(), m.kept(), m.swapRate(), m.law()}
}

// sameText says in how many runs a reflected method made the draws of its partner.
func (m *inquiry) sameText() string {
	runs, same, hit := 0, 0, 0
	for _, s := range samplers() {
		for _, at := range m.settings(s.plain, s.reflected) {
			a, b := m.at(at, s.reflected), m.at(at, s.plain)
			runs += len(a.runs)
			same += a.identical(b)
			for _, r := range a.runs {
				if r.hits > 0 {
					hit++
				}
			}
		}
	}
	return fmt.Sprintf("In %d of %d runs the reflected method makes, bit for bit, the draws of its partner without: with equal noise they differ only where a wall is met, which happens in %d.", same, runs, hit)
}

func (m *inquiry) closer() study.Claim {
	cs := m.pairs(modeError, [2]string{"r2SGLD", "reSGLD"})
	return m.ordinary("modes-closer", "5.1", "The modes of r2SGLD are closer to the true σ, ρ and β than those of reSGLD.",
		"r2SGLD (a) against reSGLD (b) in "+errorText+".", cs, m.numbers("error of the modes", modeError, "r2SGLD", "reSGLD"),
		fmt.Sprintf("In %d of %d settings no wall is met and both make the same draws. ", cs.Count().Same, len(cs))+cs.Tell("r2SGLD", "reSGLD")+" "+m.massText())
}

// massText says how far the walls are from the law.
func (m *inquiry) massText() string {
	var parts []string
	for _, v := range m.system.variants {
		r := m.rulers[v]
		nearest := math.Inf(1)
		for _, w := range r.walls {
			nearest = min(nearest, w)
		}
		parts = append(parts, fmt.Sprintf("%.3g with %s", nearest, v.told))
	}
	return "The constraints do not bind: the nearest wall is so many standard deviations from the mean of the exact law: " + strings.Join(parts, ", ") + "."
}

func (m *inquiry) onePeak() study.Claim {
	several := func(s score) float64 {
		if s.peaks[0] > 1 {
			return 1
		}
		return 0
	}
	cs := m.pairs(several, [2]string{"r2SGLD", "reSGLD"})
	var parts, sums []string
	for _, l := range []string{"r2SGLD", "reSGLD", "R-SGLD", "R-cycSGLD"} {
		total, runs := 0.0, 0
		for _, s := range m.settings(l) {
			o, n := m.at(s, l), 0.0
			for _, v := range o.column(several) {
				n += v
			}
			total, runs = total+n, runs+len(o.runs)
			parts = append(parts, fmt.Sprintf("%s, %s: %.0f of %d", l, m.place(s), n, len(o.runs)))
		}
		sums = append(sums, fmt.Sprintf("%s in %.0f of %d", l, total, runs))
	}
	return m.ordinary("one-peak", "5.1", "The density of σ has two peaks with reSGLD and one with r2SGLD.",
		fmt.Sprintf("The share of runs whose kernel density estimate of σ (Silverman's bandwidth, as for the modes) has more than one peak of a prominence of %g of its height: r2SGLD (a) against reSGLD (b).", prominent),
		cs, shares(m.numbers("share of runs with several peaks", several, "r2SGLD", "reSGLD")),
		"Several peaks: "+strings.Join(sums[:2], ", ")+" runs. The exact density has one; several are a sign of draws that have not mixed. By method and setting: "+strings.Join(parts, "; ")+".")
}

// shares are numbers that cannot be above 1.
func shares(numbers []study.Number) []study.Number {
	for i := range numbers {
		numbers[i] = numbers[i].Within(0, 1)
	}
	return numbers
}

func (m *inquiry) reflection() study.Claim {
	var pairs [][2]string
	for _, s := range samplers() {
		pairs = append(pairs, [2]string{s.reflected, s.plain})
	}
	cs := m.pairs(modeError, pairs...)
	laws := m.pairs(off, pairs...)
	return m.ordinary("reflection-helps", "appendix", "Constraints and reflection improve the modes and the posteriors.",
		"Each reflected method (a) against the same method without (b) in "+errorText+".", cs, m.numbers("error of the modes", modeError, six()...),
		m.sameText()+" "+m.massText()+" "+cs.Tell("The reflected method", "the plain one")+" By distance from the exact law: "+laws.Tell("the reflected method", "the plain one"))
}

func (m *inquiry) behind() study.Claim {
	cs := m.pairs(modeError, [2]string{"R-cycSGLD", "R-SGLD"}, [2]string{"r2SGLD", "R-SGLD"})
	return m.ordinary("rsgld-behind", "appendix", "Of the reflected methods R-SGLD falls behind.",
		"R-cycSGLD and r2SGLD (a) against R-SGLD (b) in "+errorText+".", cs, m.numbers("error of the modes", modeError, "R-SGLD", "R-cycSGLD", "r2SGLD"),
		cs.Tell("The other", "R-SGLD")+" "+m.timeText())
}

// timeText says how far each schedule takes a chain.
func (m *inquiry) timeText() string {
	var parts []string
	for i, s := range samplers() {
		total, late := m.diffusion(i)
		parts = append(parts, fmt.Sprintf("%s %.3g, of which %.3g after burn-in", s.reflected, total, late))
	}
	slowest := m.rulers[m.system.variants[0]].slowest()
	return fmt.Sprintf("Steps add up, on the cold rung, to %s; the slowest direction of %s needs %.3g for a factor e.", strings.Join(parts, "; "), m.system.variants[0].told, slowest)
}

func (m *inquiry) concentrates() study.Claim {
	cs := m.pairs(around, [2]string{"R-cycSGLD", "R-SGLD"})
	return m.ordinary("rcycsgld-concentrates", "appendix", "R-cycSGLD concentrates the posterior nearer the true parameters than R-SGLD does.",
		"R-cycSGLD (a) against R-SGLD (b) in the root mean square of the relative distances of the draws from the truth.", cs,
		m.numbers("relative distance of the draws from the truth", around, "R-cycSGLD", "R-SGLD", "r2SGLD"),
		cs.Tell("R-cycSGLD", "R-SGLD")+fmt.Sprintf(" Draws of the exact law are at %.3g: nearer than that is no merit.", m.rulers[m.system.variants[0]].exactAround()))
}

// rivals pairs r2SGLD with each of the five others, and returns the labels of all with
// that of r2SGLD first.
func rivals() (pairs [][2]string, labels []string) {
	labels = []string{"r2SGLD"}
	for _, l := range six() {
		if l != "r2SGLD" {
			pairs, labels = append(pairs, [2]string{"r2SGLD", l}), append(labels, l)
		}
	}
	return pairs, labels
}

func (m *inquiry) best() study.Claim {
	pairs, labels := rivals()
	cs := m.pairs(modeError, pairs...)
	laws := m.pairs(off, pairs...)
	return m.ordinary("r2sgld-best", "appendix", "r2SGLD is the most accurate of the six methods.",
		"r2SGLD (a) against each of the five others (b) in "+errorText+".", cs, m.numbers("error of the modes", modeError, labels...),
		cs.Tell("r2SGLD", "its rival")+" By distance from the exact law: "+laws.Tell("r2SGLD", "its rival")+" r2SGLD and reSGLD evaluate two states where the others evaluate one.")
}

func (m *inquiry) longest() study.Claim {
	pairs, labels := rivals()
	cs := m.pairs(sooner, pairs...)
	n := cs.Count()
	key := m.rulers[m.system.variants[0]]
	return m.ordinary("simulation", "5.1", "With its modes r2SGLD follows the true trajectory longest.",
		fmt.Sprintf("Trajectories with all modes as coefficients, from the initial state of the data (DOP853, tolerance %.0e), until they are more than 1 unit from the true one: r2SGLD (a) against each of the five others (b) in minus that time.", tolerance),
		cs, m.numbers("time until the trajectories part", parting, labels...),
		fmt.Sprintf("r2SGLD follows longer on average in %d of %d comparisons, significantly in %d, and significantly less long in %d; in %d the trajectories are the same. The system forgets: distances grow by e in %.2f units of time, so that an error ten times smaller buys %.1f units. With the modes of the exact law it is %.2f.",
			n.Below, len(cs), n.Better, n.Worse, n.Same, m.lyapunov.Time(), m.lyapunov.Time()*math.Ln10, key.best().parting))
}

func (m *inquiry) kept() study.Claim {
	c := study.Claim{ID: m.id("constraints-kept"), Section: m.system.section, Text: "With reflection the chains keep the constraints; without it they break them.",
		Test: "Iterations, burn-in included, in which a state is outside, over both rungs: none with reflection and some without, in every method and setting."}
	inside, broken, settings := true, 0, 0
	var parts []string
	for _, s := range samplers() {
		for _, at := range m.settings(s.plain, s.reflected) {
			plain, reflected := m.at(at, s.plain).outsideShare(), m.at(at, s.reflected).outsideShare()
			inside = inside && reflected == 0
			settings++
			if plain > 0 {
				broken++
				parts = append(parts, fmt.Sprintf("%s, %s: %.3g", s.plain, m.place(at), plain))
			}
			if at == m.main() {
				c.Numbers = append(c.Numbers, study.Number{Name: "share outside, " + s.plain, Value: plain, Low: math.NaN(), High: math.NaN()},
					study.Number{Name: "share outside, " + s.reflected, Value: reflected, Low: math.NaN(), High: math.NaN()})
			}
		}
	}
	c.Basis = m.place(m.main())
	c.Verdict = among(broken, settings)
	c.Why = fmt.Sprintf("Reflected chains never leave; plain ones do in %d of %d cases (method, setting)", broken, settings)
	if !inside {
		c.Verdict = study.Fails
		c.Why = fmt.Sprintf("Reflected chains leave too; plain ones in %d of %d cases (method, setting)", broken, settings)
	}
	if len(parts) > 0 {
		c.Why += "; shares of iterations: " + strings.Join(parts, "; ")
	}
	c.Why += ". " + m.massText()
	return c
}

// outsideShare is the share of iterations and rungs outside the domain.
func (o *outcome) outsideShare() float64 {
	n := 0
	for _, r := range o.runs {
		n += r.outside[0][0] + r.outside[0][1] + r.outside[1][0] + r.outside[1][1]
	}
	return float64(n) / float64(len(o.runs)*o.iterations*samplers()[o.base].rungs)
}

// among is the verdict on what is so in some of all cases.
func among(some, all int) study.Verdict {
	switch some {
	case all:
		return study.Holds
	case 0:
		return study.Fails
	}
	return study.Depends
}

// The range in which the paper adjusts the swap rate.
const leastSwaps, mostSwaps = 0.05, 0.20

func (m *inquiry) swapRate() study.Claim {
	c := study.Claim{ID: m.id("swap-rate"), Section: "appendix", Text: "Replicas swap in 5 to 20 % of the iterations (by adjusted correction terms).",
		Test: "The rate of r2SGLD by the rule of Metropolis, which is exact and has nothing to adjust, with temperatures 1 and 10 as in the released code: within that range in every setting."}
	in, all := 0, 0
	var parts []string
	for _, at := range m.settings("r2SGLD") {
		i := study.IntervalOf(m.at(at, "r2SGLD").column(swaps))
		all++
		if i.Mean >= leastSwaps && i.Mean <= mostSwaps {
			in++
		}
		c.Numbers = append(c.Numbers, i.Positive("swap rate, "+m.place(at)).Within(0, 1))
	}
	for _, v := range m.system.variants {
		parts = append(parts, fmt.Sprintf("%.3g with %s", normalSwaps(len(v.parameters)), v.told))
	}
	c.Verdict = among(in, all)
	c.Why = fmt.Sprintf("Within the range in %d of %d settings. The exact rate in equilibrium is %s: it falls with the number of coefficients, whatever a correction does.", in, all, strings.Join(parts, ", "))
	if t := m.thresholdText(); t != "" {
		c.Why += " " + t
	}
	return c
}

// normalSwaps is the mean swap probability of one normal law in d dimensions at
// temperatures 1 and 10. By detailed balance it is twice the probability that the
// cold energy is the higher one; the energies are Gamma laws of shape d/2.
func normalSwaps(d int) float64 {
	return 2 * mathext.RegIncBeta(float64(d)/2, float64(d)/2, 1./11)
}

func (m *inquiry) comparable() study.Claim {
	cs := m.pairs(modeError, [2]string{"r2SGLD", "R-cycSGLD"})
	n := cs.Count()
	c := study.Claim{ID: m.id("comparable"), Section: "appendix", Text: "R-cycSGLD and r2SGLD estimate the parameters comparably well.",
		Test:    "No significant difference in " + errorText + " in any setting (paired t, Holm-adjusted, 5 %).",
		Numbers: m.numbers("error of the modes", modeError, "R-cycSGLD", "r2SGLD"), Basis: m.place(m.main()), Verdict: study.Holds,
		Why: cs.Tell("r2SGLD", "R-cycSGLD")}
	switch {
	case runsOf(m.Scale) < study.Enough:
		c.Verdict = study.Untestable
	case n.Better+n.Worse == len(cs):
		c.Verdict = study.Fails
	case n.Better+n.Worse > 0:
		c.Verdict = study.Depends
	}
	return c
}

// overlapping is how near trajectories are that cannot be told apart in a figure:
// in standard deviations of the true one.
const overlapping = 0.1

func (m *inquiry) overlap() study.Claim {
	c := study.Claim{ID: m.id("first-100-days"), Section: "appendix", Text: "In the first 100 days the simulations of the methods overlap.",
		Test: fmt.Sprintf("Trajectories with the modes as coefficients, days 0 to 100: root mean square distance from the true one below %g of its standard deviation, on average over the runs, in all methods and settings.", overlapping), Basis: m.place(m.main())}
	in, all := 0, 0
	for _, l := range six() {
		for _, at := range m.settings(l) {
			all++
			if study.IntervalOf(m.at(at, l).column(apartEarly)).Mean < overlapping {
				in++
			}
		}
	}
	c.Numbers = m.numbers("distance in days 0 to 100", apartEarly, six()...)
	c.Verdict = among(in, all)
	c.Why = fmt.Sprintf("They do in %d of %d cases (method, setting). With the modes of the exact law the distance is %.3f (%s) and %.3f (%s).", in, all,
		m.rulers[m.system.variants[0]].best().apart[0], m.system.variants[0].told, m.rulers[m.system.variants[1]].best().apart[0], m.system.variants[1].told)
	return c
}

func (m *inquiry) later() study.Claim {
	pairs, labels := rivals()
	cs := m.pairs(apartLate, pairs...)
	return m.ordinary("days-100-200", "appendix", "In days 100 to 200 the simulation of r2SGLD is closest to the truth.",
		"Trajectories with the modes as coefficients: r2SGLD (a) against each of the five others (b) in the root mean square distance from the true one over days 100 to 200, in its standard deviations.",
		cs, m.numbers("distance in days 100 to 200", apartLate, labels...),
		cs.Tell("r2SGLD", "its rival")+fmt.Sprintf(" With the modes of the exact law it is %.3f (%s).", m.rulers[m.system.variants[0]].best().apart[1], m.system.variants[0].told))
}

// near is the distance from the exact law up to which draws may stand for it.
const near = 0.25

func (m *inquiry) law() study.Claim {
	c := study.Claim{ID: m.id("law"), Section: m.system.section, Text: "The empirical posteriors that the figures show are those of the model (implied).",
		Test:  fmt.Sprintf("Distance from the exact law: of each key coefficient the Wasserstein distance of order 2 of normal laws with these means and standard deviations, in exact standard deviations, root mean square; below %g on average over the runs, in all methods and settings.", near),
		Basis: m.place(m.main()), Numbers: m.numbers("distance from the exact law", off, six()...)}
	in, all := 0, 0
	var good []string
	for _, l := range six() {
		for _, at := range m.settings(l) {
			all++
			if d := study.IntervalOf(m.at(at, l).column(off)); d.Mean < near {
				in++
				good = append(good, fmt.Sprintf("%s, %s (%s)", l, m.place(at), d.PlusMinus()))
			}
		}
	}
	c.Verdict = among(in, all)
	c.Why = fmt.Sprintf("So near in %d of %d cases (method, setting).", in, all)
	if len(good) > 0 {
		c.Why += " These: " + strings.Join(good, "; ") + "."
	}
	c.Why += " " + m.timeText() + " " + m.essText()
	return c
}

// essText is what the draws are worth.
func (m *inquiry) essText() string {
	var parts []string
	for _, l := range reflecting() {
		o := m.at(m.main(), l)
		var all []float64
		for _, r := range o.runs {
			all = append(all, slices.Min(r.ess))
		}
		parts = append(parts, fmt.Sprintf("%s %.3g", l, diag.Mean(all)))
	}
	return fmt.Sprintf("The %s draws of a run are worth so many independent ones in the worst coefficient: %s.", text.Count(iterationsOf(m.Scale)-iterationsOf(m.Scale)/3), strings.Join(parts, ", "))
}
