package multimodal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/internal/study"
	"github.com/r2sgld/r2sgld/internal/text"
)

// A court weighs the claims of the study.
type court struct {
	*trials
	five      []*scene
	protocols []protocol
	scale     study.Scale
	bias      []bias
}

// pairs compares a number of two methods of the nine, a below b, on all domains
// and by all protocols.
func (c court) pairs(of func(Score) float64, pairs ...[2]string) study.Comparisons {
	var out study.Comparisons
	for _, p := range c.protocols {
		for _, s := range c.five {
			for _, q := range pairs {
				a, b := c.of(s.name, p.name, q[0]), c.of(s.name, p.name, q[1])
				out = append(out, welch(fmt.Sprintf("%s on the %s, protocol %s", q[1], s.name, p.name), a.last(of), b.last(of)))
			}
		}
	}
	return out.Adjusted()
}

// numbers are a number of methods at the last checkpoint, on the first domain by
// the first protocol, as basis says: what a reader can compare with the paper's
// figure.
func (c court) numbers(what string, of func(Score) float64, labels ...string) []study.Number {
	var out []study.Number
	for _, l := range labels {
		o := c.of(c.five[0].name, c.protocols[0].name, l)
		out = append(out, interval(o.last(of)).positive(what+" of "+l))
	}
	return out
}

// ranked are numbers in ascending order, that of the first label first.
func (c court) ranked(what string, of func(Score) float64, labels ...string) []study.Number {
	out := c.numbers(what, of, labels...)
	slices.SortStableFunc(out[1:], func(a, b study.Number) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

// basis is what numbers are of.
func (c court) basis() string {
	return fmt.Sprintf("%s, protocol %s", c.five[0].name, c.protocols[0].name)
}

// text says what a protocol is.
func (p protocol) text() string {
	kept := "each a draw"
	if p.thin > 1 {
		kept = fmt.Sprintf("one in %d a draw", p.thin)
	}
	return fmt.Sprintf("%s iterations, %s", text.Count(p.iterations), kept)
}

// rule is how the study decides, and what all its tests have in common.
func (c court) rule() string {
	text := fmt.Sprintf("The 25 modes: %d domains, %d runs of a case. Protocol paper, of the paper's text: %s.", len(c.five), runsOf(c.scale), c.protocols[0].text())
	if len(c.protocols) > 1 {
		text += fmt.Sprintf(" Protocol released, of its released code: %s.", c.protocols[1].text())
	}
	return text + " The first fifth of the draws is dropped. The numbers shown are of one domain and protocol, where it says so; the tests are over all.\n\n" + ruleText()
}

// appendix is where the paper's text on modes and swaps stands.
const appendix = "appendix"

const (
	klCounted   = "KL(truth‖draws)"
	klDiscarded = "KL of the draws inside"
)

// claims are all claims of the study.
func (c court) claims() []study.Claim {
	return []study.Claim{c.worst(), c.cyclic(), c.best(), c.bestInside(), c.reduces(), c.beatsPenalty(), c.anyPenalty(),
		c.sameCost(), c.swapRate(), c.allModes(), c.trapped(), c.mostModes(), c.reflectionItself(), c.unbiased(), c.falls()}
}

// ordinary is a claim that comparisons decide.
func (c court) ordinary(id, text, test string, cs study.Comparisons, numbers []study.Number, why string) study.Claim {
	return cs.Claim(study.Claim{ID: id, Section: "5.2", Text: text, Test: test, Basis: c.basis(), Numbers: numbers, Why: why}, runsOf(c.scale))
}

func (c court) worst() study.Claim {
	cyc := c.pairs(klAll, [2]string{"R-cycSGLD", "R-SGLD"})
	re := c.pairs(klAll, [2]string{"r2SGLD", "R-SGLD"})
	all := c.pairs(klAll, [2]string{"R-cycSGLD", "R-SGLD"}, [2]string{"r2SGLD", "R-SGLD"})
	sure, cycles := re.Count().Better, cyc.Count().Better
	return c.ordinary("multimodal-rsgld-worst", "Of the reflected methods R-SGLD has the largest KL.",
		"R-cycSGLD and r2SGLD (a) against R-SGLD (b) in "+klCounted+".", all,
		c.numbers("KL", klAll, "R-SGLD", "R-cycSGLD", "r2SGLD"),
		fmt.Sprintf("r2SGLD is significantly below R-SGLD in %d of %d comparisons, R-cycSGLD in %d of %d.", sure, len(re), cycles, len(cyc))+" "+re.Tell("r2SGLD", "R-SGLD")+" "+cyc.Tell("R-cycSGLD", "R-SGLD"))
}

func (c court) cyclic() study.Claim {
	cs := c.pairs(klAll, [2]string{"R-cycSGLD", "R-SGLD"})
	var twice study.Comparisons
	for _, s := range c.five {
		if o := c.find(s.name, "paper", groupTwice, "R-cycSGLD, twice the step"); o != nil {
			twice = append(twice, welch(s.name, o.last(klAll), c.of(s.name, "paper", "R-SGLD").last(klAll)))
		}
	}
	twice = twice.Adjusted()
	numbers := c.numbers("KL", klAll, "R-cycSGLD", "R-SGLD")
	if o := c.find(c.five[0].name, "paper", groupTwice, "R-cycSGLD, twice the step"); o != nil {
		numbers = append(numbers, interval(o.last(klAll)).positive("KL of R-cycSGLD at twice the step"))
	}
	why := cs.Tell("R-cycSGLD", "R-SGLD") + " The stated cosine of 1e-3 has the mean step 5e-4 of R-SGLD, and so the same diffusion time. The code of the paper's figure uses twice that: " +
		twice.Tell("R-cycSGLD at 2e-3", "R-SGLD")
	return c.ordinary("multimodal-rcycsgld-better", "R-cycSGLD outperforms R-SGLD, owing to its varying step size.",
		"R-cycSGLD (a) against R-SGLD (b) in "+klCounted+" at the settings stated.", cs, numbers, why)
}

// rivals pairs r2SGLD with the other eight.
func rivals() [][2]string {
	var out [][2]string
	for _, l := range nine() {
		if l != "r2SGLD" {
			out = append(out, [2]string{"r2SGLD", l})
		}
	}
	return out
}

// rank says in how many cells r2SGLD has the lowest mean of the labels, and which
// have it elsewhere.
func (c court) rank(of func(Score) float64, labels []string) string {
	first, cells := 0, 0
	var others []string
	for _, p := range c.protocols {
		for _, s := range c.five {
			best, lowest := "", 0.0
			for _, l := range labels {
				if m := interval(c.of(s.name, p.name, l).last(of)).Mean; best == "" || m < lowest {
					best, lowest = l, m
				}
			}
			if cells++; best == "r2SGLD" {
				first++
			} else {
				others = append(others, fmt.Sprintf("%s (%s, protocol %s)", best, s.name, p.name))
			}
		}
	}
	text := fmt.Sprintf("r2SGLD has the lowest mean of the nine in %d of %d cases (domain, protocol).", first, cells)
	if len(others) > 0 {
		text += " Lowest elsewhere: " + strings.Join(others, "; ") + "."
	}
	return text
}

// leading are the labels with r2SGLD first.
func leading(labels []string) []string {
	out := []string{"r2SGLD"}
	for _, l := range labels {
		if l != "r2SGLD" {
			out = append(out, l)
		}
	}
	return out
}

func (c court) best() study.Claim {
	cs := c.pairs(klAll, rivals()...)
	return c.ordinary("multimodal-r2sgld-best", "Of the nine methods r2SGLD has the smallest KL.",
		"r2SGLD (a) against each of the eight others (b; the P- methods with the penalty that served each best) in "+klCounted+", draws outside being lost mass.",
		cs, c.ranked("KL", klAll, leading(nine())...), c.rank(klAll, nine())+" "+cs.Tell("r2SGLD", "its rival"))
}

func (c court) bestInside() study.Claim {
	var pairs [][2]string
	for _, q := range rivals() {
		if q[1] == "P-reSGLD" {
			q[1] = bestInside
		}
		pairs = append(pairs, q)
	}
	labels := []string{"r2SGLD"}
	for _, q := range pairs {
		labels = append(labels, q[1])
	}
	cs := c.pairs(klIn, pairs...)
	claim := c.ordinary("multimodal-r2sgld-best-inside", "r2SGLD samples best, also if the draws outside are simply discarded from all methods.",
		"r2SGLD (a) against each of the eight others (b; P-reSGLD with the penalty of the lowest "+klDiscarded+") in "+klDiscarded+".", cs,
		c.ranked("KL inside", klIn, labels...),
		c.rank(klIn, labels)+" "+cs.Tell("r2SGLD", "its rival"))
	if claim.Verdict != study.Holds {
		claim.Why += " Where it is not first, its lead with draws outside counted is the share that the other leaves there; reflection at the nearest point has a bias of its own, at curved walls and in corners (the claim on its law)."
	}
	return claim
}

func (c court) reduces() study.Claim {
	var pairs [][2]string
	for _, a := range samplers() {
		pairs = append(pairs, [2]string{a.reflected, a.plain})
	}
	cs := c.pairs(klAll, pairs...)
	return c.ordinary("multimodal-reflection-reduces-kl", "Reflection markedly reduces the KL of each sampler.",
		"Each reflected sampler (a) against the plain one (b) in "+klCounted+".", cs,
		append(c.numbers("KL", klAll, "r2SGLD", "reSGLD", "R-cycSGLD", "cycSGLD", "R-SGLD", "SGLD"), c.shares("reSGLD", "cycSGLD", "SGLD")...),
		cs.Tell("The reflected sampler", "the plain one")+" "+c.pairs(klIn, pairs...).Tell("Once draws outside are discarded, the reflected sampler", "the plain one"))
}

// shares are shares of draws outside.
func (c court) shares(labels ...string) []study.Number {
	out := c.numbers("share of draws outside", outside, labels...)
	for i := range out {
		out[i] = out[i].Within(0, 1)
	}
	return out
}

func (c court) beatsPenalty() study.Claim {
	var pairs [][2]string
	for _, a := range samplers() {
		pairs = append(pairs, [2]string{a.reflected, a.penalised()})
	}
	cs := c.pairs(klAll, pairs...)
	return c.ordinary("multimodal-reflection-beats-best-penalty", "Reflection outperforms a penalty whose strength and form suit it.",
		"Each reflected sampler (a) against the penalised one (b) with the best strength and form of the grid on that domain in "+klCounted+".", cs,
		c.numbers("KL", klAll, "r2SGLD", "P-reSGLD", "R-cycSGLD", "P-cycSGLD", "R-SGLD", "P-SGLD"),
		cs.Tell("The reflected sampler", "the best penalised one"))
}

func (c court) anyPenalty() study.Claim {
	var cs study.Comparisons
	var penalties []penalty // of each comparison
	grid := penaltiesOf(c.scale)
	for _, s := range c.five {
		for _, a := range samplers() {
			for _, q := range grid {
				o := c.find(s.name, "paper", groupGrid, a.with(q))
				cs = append(cs, welch(fmt.Sprintf("%s on the %s", o.label, s.name), c.of(s.name, "paper", a.reflected).last(klAll), o.last(klAll)))
				penalties = append(penalties, q)
			}
		}
	}
	cs = cs.Adjusted()
	won := make(map[penalty]int)
	for i, x := range cs {
		if x.Better() {
			won[penalties[i]]++
		}
	}
	var parts []string
	for _, q := range grid {
		parts = append(parts, fmt.Sprintf("%s: %d", q, won[q]))
	}
	each := len(c.five) * len(samplers())
	claim := c.ordinary("multimodal-reflection-beats-penalty", "Reflection outperforms the penalised samplers, whatever the strength ξ, which the paper does not give.",
		"Each reflected sampler (a) against the penalised one (b) for every strength and form in "+klCounted+", protocol paper. It depends unless a is significantly below in all.", cs,
		append(c.numbers("KL", klAll, "r2SGLD"), c.penalties(samplers()[2], grid)...),
		cs.Tell("The reflected sampler", "the penalised one")+fmt.Sprintf(" Significantly below, of %d per penalty: %s.", each, strings.Join(parts, "; ")))
	if claim.Verdict == study.Holds && cs.Count().Better < len(cs) {
		claim.Verdict = study.Depends
	}
	if claim.Verdict == study.Depends {
		claim.Why += " It depends on ξ and on the form of the penalty."
	}
	return claim
}

// penalties are the KL of a sampler with each penalty, ascending.
func (c court) penalties(a sampler, grid []penalty) []study.Number {
	var out []study.Number
	for _, q := range grid {
		o := c.find(c.five[0].name, "paper", groupGrid, a.with(q))
		out = append(out, interval(o.last(klAll)).positive("KL of "+o.label))
	}
	slices.SortStableFunc(out, func(a, b study.Number) int { return cmp.Compare(a.Value, b.Value) })
	return out
}

func (c court) sameCost() study.Claim {
	var cs study.Comparisons
	for _, p := range c.protocols {
		for _, s := range c.five {
			half := c.of(s.name, p.name, "r2SGLD")
			for _, l := range []string{"SGLD", "cycSGLD", "P-SGLD", "P-cycSGLD", "R-SGLD", "R-cycSGLD"} {
				cs = append(cs, welch(fmt.Sprintf("%s on the %s, protocol %s", l, s.name, p.name), half.cheap(len(half.at)-1, true, klAll), c.of(s.name, p.name, l).last(klAll)))
			}
		}
	}
	cs = cs.Adjusted()
	o := c.of(c.five[0].name, "paper", "r2SGLD")
	return c.ordinary("multimodal-same-cost", "The comparison is one at the same computational cost.",
		"r2SGLD at half the draws (a), which cost as many gradients, against the methods of one chain at all of them (b) in "+klCounted+".", cs,
		append([]study.Number{interval(o.cheap(len(o.at)-1, true, klAll)).positive("KL of r2SGLD at half the draws")},
			c.numbers("KL", klAll, "R-SGLD", "R-cycSGLD", "r2SGLD")...),
		"At equal gradients "+cs.Tell("r2SGLD", "a method of one chain")+" At equal numbers of draws replica exchange evaluates twice as many.")
}

func (c court) swapRate() study.Claim {
	var numbers []study.Number
	inRange := map[string]int{}
	for _, s := range c.five {
		for _, q := range [][2]string{{groupReflected, "r2SGLD"}, {groupThreshold, "r2SGLD, rule threshold"}} {
			o := c.find(s.name, "paper", q[0], q[1])
			if o == nil {
				continue
			}
			rate := interval(o.swaps)
			if rate.Mean >= 0.05 && rate.Mean <= 0.2 {
				inRange[q[0]]++
			}
			numbers = append(numbers, rate.share(fmt.Sprintf("%s, rule %s", s.name, map[string]string{groupReflected: "metropolis", groupThreshold: "threshold"}[q[0]])))
		}
	}
	verdict := study.Fails
	switch {
	case inRange[groupReflected] == len(c.five):
		verdict = study.Holds
	case inRange[groupThreshold] > 0:
		verdict = study.Depends
	}
	var cs study.Comparisons
	for _, s := range c.five {
		if o := c.find(s.name, "paper", groupThreshold, "r2SGLD, rule threshold"); o != nil {
			cs = append(cs, welch(s.name, c.of(s.name, "paper", "r2SGLD").last(klAll), o.last(klAll)))
		}
	}
	return study.Claim{ID: "multimodal-swap-rate", Section: appendix,
		Text:  "With steps 5e-4 and 1.5e-3 and temperatures 1 and 10, 5 to 20 % of the swaps are accepted.",
		Test:  "Mean rate over the runs within 5 to 20 % on every domain: by the rule of Metropolis as the algorithm is stated, and by the rule threshold of the released code with its correction adjusted to a tenth.",
		Basis: "swap rate of r2SGLD, protocol paper", Numbers: numbers, Verdict: verdict,
		Why: fmt.Sprintf("The stated algorithm swaps within that range on %d of %d domains, with the rule threshold of the released code on %d of %d. The exact probabilities are those of the table of truths. A rate of a tenth needs the deterministic threshold and a correction made for it, and then the law of the draws is another: %s",
			inRange[groupReflected], len(c.five), inRange[groupThreshold], len(cs), cs.Adjusted().Tell("KL of r2SGLD by Metropolis", "that by the threshold"))}
}

// found counts the runs of a method that found every mode, and its mean share of
// the modes and total variation of their weights, over the domains.
func (c court) found(label string) (full, runs int, share, tv []float64) {
	for _, s := range c.five {
		o := c.of(s.name, "paper", label)
		want := float64(s.worthFinding())
		for i, n := range o.last(modesFound) {
			if runs++; n == want {
				full++
			}
			share = append(share, n/want)
			tv = append(tv, o.last(modesOff)[i])
		}
	}
	return full, runs, share, tv
}

// modesClaim is a claim on the modes that a method finds.
func (c court) modesClaim(id, text, test, label string, holds func(full, runs int, share Interval) study.Verdict, more string) study.Claim {
	full, runs, share, tv := c.found(label)
	return study.Claim{ID: id, Section: appendix, Text: text,
		Test:    test + " A mode is found by one draw within its unit square; those of mass 0.001 or less need not be.",
		Basis:   label + ", all domains, protocol paper",
		Numbers: []study.Number{interval(share).share("share of the modes found"), interval(tv).share("total variation of their weights")},
		Verdict: holds(full, runs, interval(share)),
		Why: fmt.Sprintf("%s finds all modes in %d of %d runs, %.1f %% of the modes on average%s. The weights of the modes are off by %.3f in total variation.",
			label, full, runs, 100*interval(share).Mean, more, interval(tv).Mean)}
}

func (c court) allModes() study.Claim {
	return c.modesClaim("multimodal-r2sgld-all-modes", "r2SGLD captures all modes on all domains.", "It holds if every run finds every mode, does not if none does, else it depends.", "r2SGLD",
		func(full, runs int, _ Interval) study.Verdict {
			switch {
			case full == runs:
				return study.Holds
			case full == 0:
				return study.Fails
			}
			return study.Depends
		}, "")
}

func (c court) trapped() study.Claim {
	return c.modesClaim("multimodal-rsgld-trapped", "R-SGLD is often trapped in local modes and misses others.", "It holds if fewer than half of the runs find every mode, else it does not.", "R-SGLD",
		func(full, runs int, _ Interval) study.Verdict {
			if 2*full < runs {
				return study.Holds
			}
			return study.Fails
		}, "")
}

func (c court) mostModes() study.Claim {
	_, _, a, _ := c.found("R-cycSGLD")
	_, _, b, _ := c.found("R-SGLD")
	var cs study.Comparisons
	cs = append(cs, welch("all domains", b, a)) // R-SGLD below
	return c.modesClaim("multimodal-rcycsgld-most-modes", "R-cycSGLD captures most modes, more robustly than R-SGLD.",
		"It does not hold if half of the modes at most are found on average; it holds if more are, and a larger share than by R-SGLD (Welch, 5 %, over all runs and domains), else it depends.", "R-cycSGLD",
		func(_, _ int, share Interval) study.Verdict {
			switch {
			case share.Mean > 0.5 && cs[0].Better():
				return study.Holds
			case share.Mean > 0.5:
				return study.Depends
			}
			return study.Fails
		}, fmt.Sprintf("; R-SGLD finds %.1f %% of them (Welch, p = %.2g)", 100*cs[0].A.Mean, cs[0].P))
}

func (c court) reflectionItself() study.Claim {
	var cs study.Comparisons
	for _, s := range c.five {
		for _, a := range samplers() {
			if o := c.find(s.name, "paper", groupBoundary, a.reflected+", refuse"); o != nil {
				cs = append(cs, welch(fmt.Sprintf("%s on the %s", a.reflected, s.name), c.of(s.name, "paper", a.reflected).last(klAll), o.last(klAll)))
			}
		}
	}
	cs = cs.Adjusted()
	s := c.five[0]
	refuse := c.find(s.name, "paper", groupBoundary, "r2SGLD, refuse")
	return c.ordinary("multimodal-reflection-itself", "The gain comes from redirecting the draws that go out of bounds, by reflection.",
		"Each reflected sampler (a) against the same that refuses a step out of the domain (b) in "+klCounted+", protocol paper.", cs,
		append(c.numbers("KL", klAll, "r2SGLD"), interval(refuse.last(klAll)).positive("KL of r2SGLD that refuses")),
		cs.Tell("The reflected sampler", "the refusing one")+" What helps is that the hot chain is confined; how it is turned back matters little.")
}

func (c court) falls() study.Claim {
	var numbers []study.Number
	var p []float64
	rises, basis := 0, ""
	for _, s := range c.five {
		for _, l := range []string{"R-SGLD", "R-cycSGLD", "r2SGLD"} {
			o := c.of(s.name, "paper", l)
			early, late := o.values(0, true, klAll), o.values(2, true, klAll)
			change := make([]float64, len(early))
			for i := range early {
				change[i] = late[i] - early[i]
			}
			_, q := diag.TTest(diag.MeanSEOf(change))
			p = append(p, q)
			numbers = append(numbers, interval(change).number(fmt.Sprintf("%s on the %s", l, s.name)))
			basis = fmt.Sprintf("change of KL from %s to %s draws, protocol paper", text.Count(o.at[0]), text.Count(o.at[2]))
		}
	}
	p = diag.Holm(p)
	for i, n := range numbers {
		if p[i] < 0.05 && n.Value > 0 {
			rises++
		}
	}
	verdict := study.Holds
	if rises > 0 {
		verdict = study.Depends
	}
	slices.SortStableFunc(numbers, func(a, b study.Number) int { return cmp.Compare(b.Value, a.Value) })
	why := fmt.Sprintf("It rises significantly in %d of %d cases.", rises, len(numbers))
	if rises > 0 {
		why += " With counts smoothed by ½ few draws of a chain in few modes look nearly uniform, and the KL of a stuck chain grows with their number: compare methods at one number of draws, and do not read such a curve as divergence."
	}
	return study.Claim{ID: "multimodal-kl-falls", Section: "5.2", Text: "The KL of a reflected method falls with the number of draws.",
		Test:  "The change of " + klCounted + " between two numbers of draws over the runs, t test against 0, Holm-adjusted, 5 %. It holds if it rises significantly nowhere, else it depends.",
		Basis: basis, Numbers: numbers, Verdict: verdict, Why: why}
}
