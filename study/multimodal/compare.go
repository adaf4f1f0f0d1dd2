package multimodal

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
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

// ran reports whether an outcome is of a sampler, and of no other name of a case.
func (o *outcome) ran() bool { return o.steps > 0 && o.from == "" }

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

// add notes a comparison; its p value is not yet adjusted. It is 1 where one run
// has no spread to compare with.
func (cs *comparisons) add(about string, a, b []float64) {
	p := 1.0
	if len(a) > 1 && len(b) > 1 {
		_, p = diag.Welch(diag.MeanSEOf(a), diag.MeanSEOf(b))
	}
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
const ruleText = "Where a test compares a with b, the claim being that a is below b: Welch's t in every comparison (domain, protocol, method), Holm-adjusted over all of the claim, at 5 %. It holds if a is below b on average in all and significantly in half of them at least. It does not hold if a is significantly above at least once, and as often as it is significantly below; nor if no difference is significant and a is below on average in two thirds at most. If no difference is significant otherwise, or, with fewer than five runs, at all, it is not testable here. Else it depends."

// enough is the number of runs from which on it means something that no difference
// is significant.
const enough = 5

// verdict weighs comparisons of so many runs each as ruleText says.
func (cs comparisons) verdict(runs int) study.Verdict {
	better, worse, below := cs.count()
	switch {
	case len(cs) == 0 || better+worse == 0 && runs < enough:
		return study.Untestable
	case below == len(cs) && 2*better >= len(cs):
		return study.Holds
	case worse > 0 && worse >= better, better+worse == 0 && 3*below <= 2*len(cs):
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
		capital(a), b, below, len(cs), better, worse)
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

// capital is text with a capital first letter, unless that belongs to a name.
func capital(text string) string {
	if first, rest, _ := strings.Cut(text, " "); rest != "" && strings.ToLower(first) == first && !strings.ContainsAny(first, "0123456789") {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// short is "0.0243 ± 0.0043".
func short(i Interval) string { return i.number("").PlusMinus() }

// digits is v with three significant digits, never as a power of ten unless it is
// tiny.
func digits(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 100 || a < 1e-4 && a > 1e-9 {
		decimals := 0
		if a < 1 {
			decimals = 2 - int(math.Floor(math.Log10(a)))
		}
		if text = strconv.FormatFloat(v, 'f', decimals, 64); decimals > 0 {
			text = strings.TrimRight(text, "0")
		}
	}
	if v != v {
		return "–"
	}
	return strings.Replace(text, "-", "−", 1)
}
