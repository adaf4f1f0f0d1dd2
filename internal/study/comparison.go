package study

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/r2sgld/r2sgld/internal/significance"
)

// An Interval is a mean over runs and half the width of its 95 % t interval; NaN
// where runs are too few.
type Interval struct{ Mean, Half float64 }

// IntervalOf returns the mean of v and its 95 % t interval.
func IntervalOf(v []float64) Interval {
	if len(v) == 0 {
		return Interval{math.NaN(), math.NaN()}
	}
	t := significance.TInterval(v, 0.95)
	return Interval{t.Mean, (t.Hi - t.Lo) / 2}
}

// Number returns the interval under a name.
func (i Interval) Number(name string) Number {
	return Number{Name: name, Value: i.Mean, Low: i.Mean - i.Half, High: i.Mean + i.Half}
}

// Positive is Number for what cannot be negative: KL, distances, times.
func (i Interval) Positive(name string) Number { return i.Number(name).Within(0, math.Inf(1)) }

// PlusMinus returns "0.0243 ± 0.0043".
func (i Interval) PlusMinus() string { return i.Number("").PlusMinus() }

// MarshalJSON writes {"mean": …, "half95": …}, null for what is not known.
func (i Interval) MarshalJSON() ([]byte, error) { return i.JSON(-1), nil }

// JSON is what MarshalJSON writes, with so many significant digits; -1 is all.
func (i Interval) JSON(digits int) []byte {
	b := []byte(`{"mean":`)
	for k, v := range []float64{i.Mean, i.Half} {
		if k > 0 {
			b = append(b, `,"half95":`...)
		}
		if v-v != 0 {
			b = append(b, "null"...)
		} else {
			b = strconv.AppendFloat(b, v, 'g', digits, 64)
		}
	}
	return append(b, '}')
}

// A Comparison asks whether a is below b, both a number of every run.
type Comparison struct {
	About string // where and of what
	A, B  Interval
	P     float64 // of a two-sided test; see [Comparisons.Adjusted]
	Same  bool    // a and b are the same numbers
}

// Paired compares by the paired t test numbers of runs that share their chance, of as many
// runs as both have. P is 1 of one run, and of numbers that are the same.
func Paired(about string, a, b []float64) Comparison {
	n := min(len(a), len(b))
	a, b = a[:n], b[:n]
	d := make([]float64, n)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	c := Comparison{About: about, A: IntervalOf(a), B: IntervalOf(b), P: 1, Same: n > 0 && slices.Equal(a, b)}
	if n > 1 && !c.Same {
		_, c.P = significance.TTest(significance.MeanSEOf(d))
	}
	return c
}

// Welch compares by Welch's test. P is 1 where one run has no spread to compare with.
func Welch(about string, a, b []float64) Comparison {
	c := Comparison{About: about, A: IntervalOf(a), B: IntervalOf(b), P: 1}
	if len(a) > 1 && len(b) > 1 {
		_, c.P = significance.Welch(significance.MeanSEOf(a), significance.MeanSEOf(b))
	}
	return c
}

// Better and Worse report a difference at 5 %.
func (c Comparison) Better() bool { return c.P < 0.05 && c.A.Mean < c.B.Mean }

// Worse is Better the other way round.
func (c Comparison) Worse() bool { return c.P < 0.05 && c.A.Mean > c.B.Mean }

// Comparisons are tested together.
type Comparisons []Comparison

// Adjusted returns cs with the p values of Holm's method.
func (cs Comparisons) Adjusted() Comparisons {
	p := make([]float64, len(cs))
	for i, c := range cs {
		p[i] = c.P
	}
	out := slices.Clone(cs)
	for i, q := range significance.Holm(p) {
		out[i].P = q
	}
	return out
}

// Counts are how many comparisons are better and worse, below on average, and of the
// same numbers.
type Counts struct{ Better, Worse, Below, Same int }

// Count counts what cs say.
func (cs Comparisons) Count() (n Counts) {
	for _, c := range cs {
		if c.Better() {
			n.Better++
		}
		if c.Worse() {
			n.Worse++
		}
		if c.A.Mean < c.B.Mean {
			n.Below++
		}
		if c.Same {
			n.Same++
		}
	}
	return n
}

// Rule says how [Comparisons.Verdict] decides, given what each comparison is: "Welch's
// t in every comparison"; same is what it says of equal numbers: "; nor if …".
func Rule(test, same string) string {
	return "Where a test compares a with b, the claim being that a is below b: " + test + ", Holm-adjusted over all of the claim, at 5 %. " +
		"It holds if a is below b on average in all and significantly in half of them at least. It does not hold if a is significantly above " +
		"at least once, and as often as it is significantly below; nor if no difference is significant and a is below on average in two " +
		"thirds at most" + same + ". If no difference is significant otherwise, or, with fewer than five runs, at all, it is not testable " +
		"here. Else it depends."
}

// Enough is the number of runs from which on it means something that no difference
// is significant.
const Enough = 5

// Verdict weighs comparisons of so many runs each as [Rule] says.
func (cs Comparisons) Verdict(runs int) Verdict {
	n := cs.Count()
	switch {
	case len(cs) == 0:
		return Untestable
	case n.Same == len(cs):
		return Fails
	case n.Better+n.Worse == 0 && runs < Enough:
		return Untestable
	case n.Below == len(cs) && 2*n.Better >= len(cs):
		return Holds
	case n.Worse > 0 && n.Worse >= n.Better, n.Better+n.Worse == 0 && 3*n.Below <= 2*len(cs):
		return Fails
	case n.Better == 0:
		return Untestable
	}
	return Depends
}

// Claim returns c with the verdict of comparisons of so many runs each, which it
// explains if they are too few.
func (cs Comparisons) Claim(c Claim, runs int) Claim {
	if c.Verdict = cs.Verdict(runs); c.Verdict == Untestable {
		c.Why += " The runs are too few to decide it."
	}
	return c
}

// Tell is what the comparisons say: "a is below b on average in 9 of 10
// comparisons, …".
func (cs Comparisons) Tell(a, b string) string {
	n := cs.Count()
	text := fmt.Sprintf("%s is below %s on average in %d of %d comparisons, significantly in %d, and significantly above in %d.", a, b,
		n.Below, len(cs), n.Better, n.Worse)
	if n.Same > 0 {
		text += fmt.Sprintf(" In %d they are the same numbers.", n.Same)
	}
	return text + cs.clearest("below", Comparison.Better) + cs.clearest("above", Comparison.Worse)
}

// clearest tells of the comparison with the smallest p among those that are so;
// nothing if none is.
func (cs Comparisons) clearest(where string, so func(Comparison) bool) string {
	var out *Comparison
	for i, c := range cs {
		if so(c) && (out == nil || c.P < out.P) {
			out = &cs[i]
		}
	}
	if out == nil {
		return ""
	}
	return fmt.Sprintf(" Most clearly %s: %s, %s against %s.", where, out.About, out.A.PlusMinus(), out.B.PlusMinus())
}

// ThreeToFour reports whether a mean number of round trips of a replica is what the paper
// anticipates in 1,000 epochs.
func ThreeToFour(trips float64) bool { return trips >= 3 && trips <= 4 }
