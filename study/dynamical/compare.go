package dynamical

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/study"
)

// An Interval is a mean over runs and half the width of its 95 % t interval; NaN
// for a single run.
type Interval struct{ Mean, Half float64 }

func interval(v []float64) Interval {
	if len(v) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	t := diag.TInterval(v, 0.95)
	return Interval{t.Mean, (t.Hi - t.Lo) / 2}
}

// MarshalJSON writes {"mean": 1, "half95": 0.1}, null where a number is not known.
func (i Interval) MarshalJSON() ([]byte, error) {
	known := func(v float64) *float64 {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
		return &v
	}
	return json.Marshal(map[string]*float64{"mean": known(i.Mean), "half95": known(i.Half)})
}

// number is the interval as a number of a claim, which cannot be below 0.
func (i Interval) number(name string) study.Number {
	return study.Number{Name: name, Value: i.Mean, Low: i.Mean - i.Half, High: i.Mean + i.Half}.Within(0, math.Inf(1))
}

// short is "0.0243 ± 0.0043".
func short(i Interval) string {
	return study.Number{Value: i.Mean, Low: i.Mean - i.Half, High: i.Mean + i.Half}.PlusMinus()
}

// A comparison asks whether a is below b, in runs that share their starts.
type comparison struct {
	about string
	a, b  Interval
	p     float64 // paired t, two-sided, adjusted for all it is tested with
	same  bool    // equal in every run
}

func (c comparison) better() bool { return c.p < 0.05 && c.a.Mean < c.b.Mean }
func (c comparison) worse() bool  { return c.p < 0.05 && c.a.Mean > c.b.Mean }

// comparisons are tested together.
type comparisons []comparison

// add compares two numbers of the same runs, as many as both have.
func (cs *comparisons) add(about string, a, b []float64) {
	n := min(len(a), len(b))
	d := make([]float64, n)
	same := n > 0
	for i := range d {
		d[i] = a[i] - b[i]
		same = same && d[i] == 0
	}
	p := 1.0
	if n > 1 && !same {
		_, p = diag.TTest(diag.MeanSEOf(d))
	}
	*cs = append(*cs, comparison{about, interval(a[:n]), interval(b[:n]), p, same})
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

func (cs comparisons) count() (better, worse, below, same int) {
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
		if c.same {
			same++
		}
	}
	return better, worse, below, same
}

// ruleText says how verdict decides.
const ruleText = "Where a test compares a with b, the claim being that a is below b: paired t over runs that share start, noise and minibatches, in every comparison (free coefficients, start, method), Holm-adjusted over all of the claim, at 5 %. It holds if a is below b on average in all and significantly in half of them at least. It does not hold if a is significantly above at least once, and as often as it is significantly below; nor if no difference is significant and a is below on average in two thirds at most; nor if a and b are the same numbers. If no difference is significant otherwise, or, with fewer than five runs, at all, it is not testable here. Else it depends."

// enough is the number of runs from which on it means something that no difference
// is significant.
const enough = 5

// verdict weighs comparisons of so many runs each as ruleText says.
func (cs comparisons) verdict(runs int) study.Verdict {
	better, worse, below, same := cs.count()
	switch {
	case len(cs) == 0:
		return study.Untestable
	case same == len(cs):
		return study.Fails
	case better+worse == 0 && runs < enough:
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

// tell is what the comparisons say.
func (cs comparisons) tell(a, b string) string {
	better, worse, below, same := cs.count()
	text := fmt.Sprintf("%s is below %s on average in %d of %d comparisons, significantly in %d, and significantly above in %d.", a, b, below, len(cs), better, worse)
	if same > 0 {
		text += fmt.Sprintf(" In %d they are the same numbers.", same)
	}
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
