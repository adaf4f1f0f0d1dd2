package scheme_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/potential"
)

// The truncated normal law has a known distribution function and density.
func TestTruncatedNormal(t *testing.T) {
	lo, hi, b, tau := -1.0, 2.5, 0.4, 0.3
	phi := func(x float64) float64 { return math.Erf((x - b) / math.Sqrt(2*tau)) }
	z := phi(hi) - phi(lo)
	law := must[*scheme.Law](t)(scheme.Target(quadratic(1, b, 0), lo, hi, tau))
	for i := range 1001 {
		x := lo + (hi-lo)*float64(i)/1000
		// Half a panel off, or a coefficient too few, costs 1e-6 and more.
		if want := (phi(x) - phi(lo)) / z; math.Abs(law.CDF(x)-want) > 1e-12 {
			t.Fatalf("CDF(%g) = %.15g, should be %.15g", x, law.CDF(x), want)
		}
		want := 2 / z * math.Exp(-(x-b)*(x-b)/2/tau) / math.Sqrt(2*math.Pi*tau)
		if math.Abs(law.Density(x)-want) > 1e-9 {
			t.Fatalf("density(%g) = %.15g, should be %.15g", x, law.Density(x), want)
		}
	}
	if law.CDF(lo-1) != 0 || math.Abs(law.CDF(hi+1)-1) > 1e-14 || law.Density(lo-1) != 0 {
		t.Error("the law goes on outside the interval")
	}
}

// withDensity is the law on [lo, hi] with a density proportional to density.
func withDensity(lo, hi float64, density func(x float64) float64) (*scheme.Law, error) {
	return scheme.Target(potential.Func(1, func(_, x []float64) float64 { return -math.Log(density(x[0])) }), lo, hi, 1)
}

// Closed forms: points, a point and the uniform law, and two linear densities
// whose distribution functions cross.
func TestW1Exact(t *testing.T) {
	point := func(x float64) *scheme.Law { return must[*scheme.Law](t)(scheme.Point(-1, 1, x)) }
	law := func(f func(float64) float64) *scheme.Law { return must[*scheme.Law](t)(withDensity(-1, 1, f)) }
	one := func(float64) float64 { return 1 }
	for _, c := range []struct {
		name string
		a, b *scheme.Law
		want float64
	}{
		{"points", point(-0.7), point(0.9), 1.6},
		{"equal points", point(0.3), point(0.3), 0},
		{"point and uniform", point(0.5), law(one), (1.5*1.5 + 0.5*0.5) / 4},
		{"wall and uniform", point(-1), law(one), 1},
		// F − G = c(x² − 1)/2 with densities 1/2 ∓ cx/2 … of mean ∓ c/3
		{"tilts", law(func(x float64) float64 { return 1 + 0.9*x }), law(func(x float64) float64 { return 1 - 0.9*x }), 0.6},
		// 1 and (1 + 3x²)/2: F − G = (x − x³)/4, zero at 0
		{"crossing", law(one), law(func(x float64) float64 { return 1 + 3*x*x }), 0.125},
	} {
		for _, got := range []float64{scheme.W1(c.a, c.b), scheme.W1(c.b, c.a)} {
			// A crossing that is missed makes the last one 0.
			if math.Abs(got-c.want) > 1e-13 {
				t.Errorf("%s: W1 %.15g, should be %.15g", c.name, got, c.want)
			}
		}
	}
}

// W1 is a metric, and is the sum of |F − G| over a fine grid.
func TestW1Property(t *testing.T) {
	draw := func(t *rapid.T) *scheme.Law {
		a, b, k := rapid.Float64Range(-0.9, 0.9).Draw(t, "a"), rapid.Float64Range(0, 6).Draw(t, "phase"), rapid.Float64Range(0.5, 20).Draw(t, "k")
		law, err := withDensity(-1, 2, func(x float64) float64 { return 1 + a*math.Sin(k*x+b) })
		if err != nil {
			t.Fatal(err)
		}
		if !rapid.Bool().Draw(t, "project") {
			return law
		}
		kernel, err := scheme.New(scheme.Step{Lo: -1, Hi: 2, Temperature: 1, StepSize: 0.01, Rule: domain.Project})
		if err != nil {
			t.Fatal(err)
		}
		law, err = kernel.After(law, 3)
		if err != nil {
			t.Fatal(err)
		}
		return law
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := draw(t), draw(t), draw(t)
		ab := scheme.W1(a, b)
		sum, n := 0.0, 20000
		for i := range n {
			x := -1 + 3*(float64(i)+0.5)/float64(n)
			sum += math.Abs(a.CDF(x)-b.CDF(x)) * 3 / float64(n)
		}
		if math.Abs(ab-sum) > 1e-7 || math.Abs(ab-scheme.W1(b, a)) > 1e-14 || scheme.W1(a, a) != 0 ||
			ab > scheme.W1(a, c)+scheme.W1(c, b)+1e-14 {
			t.Fatalf("W1 %.12g, should be %.12g", ab, sum)
		}
	})
}

// The stationary law does not move, steps add up, and mass is kept, whatever the
// force, the rule and the noise.
func TestStepsProperty(t *testing.T) {
	pace.Slow(t)
	rapid.Check(t, func(t *rapid.T) {
		s := scheme.Step{
			U: quadratic(rapid.Float64Range(-3, 5).Draw(t, "a"), rapid.Float64Range(-0.5, 0.5).Draw(t, "b"),
				rapid.Float64Range(-2, 2).Draw(t, "c")),
			Lo: -1, Hi: 0.5, Temperature: rapid.Float64Range(0.3, 3).Draw(t, "τ"),
			StepSize:      math.Exp(rapid.Float64Range(-8, -2).Draw(t, "log η")),
			GradientNoise: rapid.Float64Range(0, 3).Draw(t, "s"),
			Rule:          rapid.SampledFrom(rules).Draw(t, "rule"),
		}
		k, err := scheme.New(s)
		if err != nil {
			t.Fatal(err)
		}
		law, err := k.Stationary()
		if err != nil {
			t.Fatal(err)
		}
		check := func(a *scheme.Law, err error) *scheme.Law {
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		if d := scheme.W1(law, check(k.After(law, 1))); d > 1e-14 {
			t.Fatalf("the stationary law moves by %g", d)
		}
		if d := scheme.W1(law, check(k.After(law, 5000))); d > 1e-11 {
			t.Fatalf("the stationary law moves by %g in 5000 steps", d)
		}
		start := check(scheme.Point(-1, 0.5, rapid.Float64Range(-1, 0.5).Draw(t, "x")))
		n, m := rapid.IntRange(1, 300).Draw(t, "n"), rapid.IntRange(1, 300).Draw(t, "m")
		once, twice := check(k.After(start, n+m)), check(k.After(check(k.After(start, n)), m))
		if d := scheme.W1(once, twice); d > 1e-11 {
			t.Fatalf("%d steps and %d more: %g from %d steps", n, m, d, n+m)
		}
		if d := math.Abs(once.CDF(0.5) - 1); d > 1e-13 {
			t.Fatalf("mass off by %g", d)
		}
	})
}

// A refused step leaves an atom at a start in the interior.
func TestRefusedPoint(t *testing.T) {
	k := must[*scheme.Kernel](t)(scheme.New(scheme.Step{Lo: 0, Hi: 1, Temperature: 1, StepSize: 0.01, Rule: domain.Refuse}))
	stay := math.Erfc(0.2/math.Sqrt(0.02)/math.Sqrt2)/2 + math.Erfc(0.8/math.Sqrt(0.02)/math.Sqrt2)/2
	for n := range 6 {
		law := must[*scheme.Law](t)(k.After(must[*scheme.Law](t)(scheme.Point(0, 1, 0.2)), n))
		a := law.Atoms()
		if want := math.Pow(stay, float64(n)); len(a) != 1 || a[0].At != 0.2 || math.Abs(a[0].Mass/want-1) > 1e-12 {
			t.Errorf("%d steps: atoms %v, should be %g at 0.2", n, a, want)
		}
	}
}

// A potential with a kink is integrated to 1e-6, and noise leaves the exact part.
func TestOtherPotentials(t *testing.T) {
	kink := potential.Func(1, func(g, x []float64) float64 {
		g[0] = math.Copysign(1, x[0]-0.1234)
		return math.Abs(x[0] - 0.1234)
	})
	law := must[*scheme.Law](t)(scheme.Target(kink, -1, 1, 1))
	want := (1 - math.Exp(-1.1234)) / (2 - math.Exp(-1.1234) - math.Exp(-0.8766))
	if d := math.Abs(law.CDF(0.1234) - want); d > 1e-5 {
		t.Errorf("a kink costs %g", d)
	}
	u := quadratic(1, 0.2, 0)
	a, b := must[*scheme.Law](t)(scheme.Target(u, -1, 1, 1)), must[*scheme.Law](t)(scheme.Target(potential.Noisy(u, 1, 1), -1, 1, 1))
	if d := scheme.W1(a, b); d != 0 {
		t.Errorf("noise moves the target by %g", d)
	}
}

// A step from the middle is normal: two standard deviations to a panel, the
// sharpest law there is. Its interpolation is right to 1e-11 (12 coefficients
// of the 16 in a panel: 8e-11).
func TestOneStepIsNormal(t *testing.T) {
	sd := 0.02
	k := must[*scheme.Kernel](t)(scheme.New(scheme.Step{Lo: -1, Hi: 1, Temperature: 1, StepSize: sd * sd / 2}))
	law := must[*scheme.Law](t)(k.After(must[*scheme.Law](t)(scheme.Point(-1, 1, 0.013)), 1))
	worst := 0.0
	for i := range 2001 {
		x := float64(i-1000) / 5000
		worst = max(worst, math.Abs(law.CDF(x)-math.Erfc((0.013-x)/sd/math.Sqrt2)/2))
	}
	if !(worst < 1e-11) {
		t.Errorf("the distribution function is off by %.2g", worst)
	}
}
