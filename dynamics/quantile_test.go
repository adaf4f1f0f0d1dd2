package dynamics

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// anyPrior draws a prior of any family; no beta law with a pole at 1, next to which
// numbers are too far apart for its upper tail.
func anyPrior(t *rapid.T) (string, *prior) {
	size := rapid.Float64Range(0.2, 8)
	a, b, c := size.Draw(t, "a"), size.Draw(t, "b"), size.Draw(t, "c")
	text := rapid.SampledFrom([]string{
		fmt.Sprintf("normal(%v, %v)", a-3, b), fmt.Sprintf("half_normal(%v)", a), fmt.Sprintf("lognormal(%v, %v)", a-3, b/4),
		fmt.Sprintf("exponential(%v)", a), fmt.Sprintf("gamma(%v, %v)", a, b), fmt.Sprintf("inv_gamma(%v, %v)", a, b),
		fmt.Sprintf("beta(%v, %v)", a, 1+b), fmt.Sprintf("uniform(%v, %v)", a-5, a+b), fmt.Sprintf("cauchy(%v, %v)", a-3, b),
		fmt.Sprintf("half_cauchy(%v)", a), fmt.Sprintf("student_t(%v, %v, %v)", a, b-3, c)}).Draw(t, "prior")
	return text, must(parsePrior(text))
}

// tail draws the two tails of a point, the smaller one down to 1e-15.
func tail(t *rapid.T) (below, above float64) {
	p := math.Pow(10, rapid.Float64Range(-15, math.Log10(0.5)).Draw(t, "log tail"))
	if rapid.Bool().Draw(t, "upper") {
		return 1 - p, p
	}
	return p, 1 - p
}

// P and X undo each other to 1e-12 of the nearer tail, and to what x itself can
// hold: a few units in its last place move the tail by 1e-15·x·f. This kills 1 − P for
// an upper tail (1e-16 of 1 is 1e-1 of 1e-15), Newton iterations that stop early,
// and student_t's law around its centre from ν/(ν + z²).
func TestQuantileInvertsDistribution(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, p := anyPrior(t)
		q := p.quantile()
		below, above := tail(t)
		x := q.inverse(below, above)
		gotBelow, gotAbove := q.tails(x)
		got, want := gotBelow, below
		if above < below {
			got, want = gotAbove, above
		}
		f, _ := q.Density(x)
		if !(math.Abs(got-want) <= 1e-12*want+1e-15*math.Abs(x)*f) {
			t.Fatalf("%s at tails %v, %v: x = %v with %v, %v", text, below, above, x, gotBelow, gotAbove)
		}
		if v := q.P(q.X(below)); !(math.Abs(v-below) <= 1e-12*below+1e-15*(1+math.Abs(x)*f)) {
			t.Fatalf("%s: P(X(%v)) is %v", text, below, v)
		}
	})
}

// The density is that of the potential, and the slope of P: 1e-12 and 1e-5 kill
// a wrong constant, factor or sign, and a law in other arguments than its prior.
func TestQuantileHasThePriorsDensity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, p := anyPrior(t)
		q := p.quantile()
		u := rapid.Float64Range(0.02, 0.98).Draw(t, "u")
		x := q.X(u)
		value, grad := []float64{0}, []float64{0}
		p.curve(1)(value, grad, []float64{x})
		f, slope := q.Density(x)
		if math.Abs(math.Log(f)+value[0]) > 1e-11*(1+math.Abs(value[0])) || math.Abs(slope+grad[0]) > 1e-10*(1/math.Abs(x)+math.Abs(grad[0])) {
			t.Fatalf("%s at %v: density %v, slope %v; energy %v, %v", text, x, f, slope, value[0], grad[0])
		}
		h := 1e-4 * math.Min(u, 1-u) / f
		if d := (q.P(x+h) - q.P(x-h)) / (2 * h); math.Abs(d-f) > 1e-5*f {
			t.Fatalf("%s at %v: density %v, slope of P %v", text, x, f, d)
		}
	})
}

func TestQuantileIsMonotoneAndTruncates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, p := anyPrior(t)
		q := p.quantile()
		u := rapid.Float64Range(0, 1)
		a, b := u.Draw(t, "from"), u.Draw(t, "to")
		if a > b {
			a, b = b, a
		}
		if b-a < 1e-3 {
			a, b = a/2, (1+b)/2
		}
		lo, hi := q.X(a), q.X(b)
		cut := q.On(lo, hi)
		if cut == nil {
			t.Fatalf("%s on [%v, %v]", text, lo, hi)
		}
		last := math.Inf(-1)
		for _, v := range []float64{0, 1e-9, 0.1, 0.3, 0.3 + 1e-9, 0.5, 0.7, 0.9, 1 - 1e-9, 1} {
			x := cut.X(v)
			if !(x >= last) || x < lo || x > hi {
				t.Fatalf("%s on [%v, %v]: X(%v) is %v after %v", text, lo, hi, v, x, last)
			}
			last = x
			f, _ := cut.Density(x)
			// The difference from what lies below keeps 1e-16 of the whole.
			if w := cut.P(x); math.Abs(w-v) > 1e-12*v+1e-15/cut.mass*(3+5*math.Abs(x)*f) {
				t.Fatalf("%s on [%v, %v]: P(X(%v)) is %v", text, lo, hi, v, w)
			}
		}
		if whole := q.P(cut.X(0.5)); math.Abs(whole-(q.P(lo)+q.P(hi))/2) > 1e-9 {
			t.Fatalf("%s on [%v, %v]: the median is at %v of the whole", text, lo, hi, whole)
		}
		if f, _ := cut.Density(math.Nextafter(lo, math.Inf(-1))); f != 0 && !math.IsInf(lo, -1) {
			t.Fatalf("%s: density %v outside", text, f)
		}
	})
}

func TestQuantileAtTheEnds(t *testing.T) {
	q := must(parsePrior("lognormal(0, 1)")).quantile()
	if lo, hi := q.Support(); lo != 0 || !math.IsInf(hi, 1) || q.X(0) != 0 || !math.IsInf(q.X(1), 1) || !math.IsNaN(q.X(math.NaN())) {
		t.Errorf("support %v to %v, X(0) = %v, X(1) = %v", lo, hi, q.X(0), q.X(1))
	}
	if q.P(-1) != 0 || q.P(math.Inf(1)) != 1 || q.On(-2, -1) != nil {
		t.Error("mass outside the support")
	}
	// Far up, where the lower tail is 1 to all digits.
	far := must(parsePrior("normal(0, 1)")).quantile().On(10, math.Inf(1))
	if x := far.X(0.5); math.Abs(x-10.0678) > 1e-3 || math.Abs(far.P(x)-0.5) > 1e-12 {
		t.Errorf("median beyond 10 standard deviations: %v", x)
	}
}

func BenchmarkQuantile(b *testing.B) {
	for _, text := range []string{"normal(1, 0.5)", "lognormal(-1, 1)", "cauchy(0, 1)", "gamma(2.5, 3)", "beta(2, 3.5)", "student_t(4, 1, 2)"} {
		q := must(parsePrior(text)).quantile()
		b.Run(text, func(b *testing.B) {
			u := 0.0
			for b.Loop() {
				u = math.Mod(u+0.618, 1)
				q.X(u)
			}
		})
	}
}
