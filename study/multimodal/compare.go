package multimodal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/study"
)

// trials are all outcomes of the study.
type trials struct {
	all   []*outcome
	index map[string]*outcome
}

// newTrials lists outcomes.
func newTrials(all []*outcome) *trials {
	t := &trials{index: make(map[string]*outcome)}
	t.add(all...)
	return t
}

func (t *trials) add(all ...*outcome) {
	for _, o := range all {
		t.all = append(t.all, o)
		t.index[o.name()] = o
	}
}

// find returns the outcome of a case, nil if it was not run.
func (t *trials) find(domain, protocol, group, label string) *outcome {
	return t.index[strings.Join([]string{domain, protocol, group, label}, " · ")]
}

// of returns the outcome of one of the paper's nine methods by its label.
func (t *trials) of(domain, protocol, label string) *outcome {
	for _, group := range []string{groupPlain, groupPenalised, groupReflected} {
		if o := t.find(domain, protocol, group, label); o != nil {
			return o
		}
	}
	return nil
}

// beside returns the outcome of a case of a group or, beside it, of one of the nine
// methods, by protocol paper; nil if it was not run.
func (t *trials) beside(domain, group, label string) *outcome {
	return cmp.Or(t.find(domain, "paper", group, label), t.of(domain, "paper", label))
}

// A comparison asks whether a is below b, both a number of every run.
type comparison struct {
	about string // where and of what
	a, b  Interval
	p     float64 // of Welch's test, two-sided, adjusted for all that it is tested with
}

// better and worse report a difference at 5 %.
func (c comparison) better() bool { return c.p < 0.05 && c.a.Mean < c.b.Mean }
func (c comparison) worse() bool  { return c.p < 0.05 && c.a.Mean > c.b.Mean }

// comparisons are tested together.
type comparisons []comparison

// add notes a comparison; its p value is not yet adjusted.
func (cs *comparisons) add(about string, a, b []float64) {
	if len(a) < 2 || len(b) < 2 {
		return
	}
	_, p := diag.Welch(diag.MeanSEOf(a), diag.MeanSEOf(b))
	*cs = append(*cs, comparison{about, interval(a), interval(b), p})
}

// adjusted returns cs with the p values of Holm's method.
func (cs comparisons) adjusted() comparisons {
	p := make([]float64, len(cs))
	for i, c := range cs {
		p[i] = c.p
	}
	out := slices.Clone(cs)
	for i, q := range diag.Holm(p) {
		out[i].p = q
	}
	return out
}

// count returns how many are better, worse, and below on average.
func (cs comparisons) count() (better, worse, below int) {
	for _, c := range cs {
		if c.better() {
			better++
		}
		if c.worse() {
			worse++
		}
		if c.a.Mean < c.b.Mean {
			below++
		}
	}
	return better, worse, below
}

// ruleText says how verdict decides.
const ruleText = "Welch's t of every comparison, Holm-adjusted over all of them, 5 %. It holds if a is below b on average in all, significantly in half of them at least; it does not if a is above significantly as often as below, or nowhere significantly below and on average in two thirds at most; it is not decided if there is no significant difference otherwise; else it depends."

// verdict weighs comparisons as ruleText says.
func (cs comparisons) verdict() study.Verdict {
	better, worse, below := cs.count()
	switch {
	case len(cs) == 0:
		return study.Untestable
	case below == len(cs) && 2*better >= len(cs):
		return study.Holds
	case worse > 0 && worse >= better, better == 0 && 3*below <= 2*len(cs):
		return study.Fails
	case better == 0:
		return study.Untestable
	}
	return study.Depends
}

// tell is what the comparisons say: "a is significantly below b in 9 of 10, …".
func (cs comparisons) tell(a, b string) string {
	better, worse, below := cs.count()
	text := fmt.Sprintf("%s is below %s on average in %d of %d comparisons, significantly in %d, and significantly above in %d.",
		a, b, below, len(cs), better, worse)
	if best, ok := cs.extreme(comparison.better); ok {
		text += fmt.Sprintf(" Most clearly below: %s, %s against %s.", best.about, short(best.a), short(best.b))
	}
	if worst, ok := cs.extreme(comparison.worse); ok {
		text += fmt.Sprintf(" Most clearly above: %s, %s against %s.", worst.about, short(worst.a), short(worst.b))
	}
	return text
}

// extreme is the comparison with the smallest p among those that are so.
func (cs comparisons) extreme(so func(comparison) bool) (comparison, bool) {
	var out comparison
	found := false
	for _, c := range cs {
		if so(c) && (!found || c.p < out.p) {
			out, found = c, true
		}
	}
	return out, found
}

// short is "0.0243 ± 0.0043".
func short(i Interval) string {
	return fmt.Sprintf("%s ± %s", digits(i.Mean), digits(i.Half))
}

// digits is v with three significant digits.
func digits(v float64) string {
	switch {
	case v != v:
		return "–"
	case v >= 100 || v <= -100:
		return fmt.Sprintf("%.0f", v)
	}
	return strings.Replace(fmt.Sprintf("%.3g", v), "-", "−", 1)
}
