package scheme_test

import (
	"math"
	"runtime"
	"testing"

	"github.com/r2sgld/r2sgld/internal/scheme"
	"github.com/r2sgld/r2sgld/potential"
)

// Without a force the rates are τ(kπ/L)², and a point start spreads like the
// theta series Σ cos(kπx/L)cos(kπy/L) exp(−λ_k t).
func TestReflectedBrownianMotion(t *testing.T) {
	lo, hi, tau, x := -0.5, 2.0, 0.7, 0.3
	l := hi - lo
	d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(nil, lo, hi, tau))
	for k, rate := range d.Rates() {
		want := tau * math.Pow(float64(k)*math.Pi/l, 2)
		if math.Abs(rate-want) > 1e-10*(1+want) {
			t.Errorf("rate %d is %.12g, should be %.12g", k, rate, want)
		}
	}
	start := must[*scheme.Law](t)(scheme.Point(lo, hi, x))
	for _, at := range []float64{0.02, 0.2, 3} {
		law := must[*scheme.Law](t)(d.After(start, at))
		for i := range 101 {
			y := l * float64(i) / 100
			want := y / l
			for k := 1; k < 60; k++ {
				w := float64(k) * math.Pi / l
				want += 2 / l * math.Cos(w*(x-lo)) * math.Sin(w*y) / w * math.Exp(-tau*w*w*at)
			}
			if got := law.CDF(lo + y); math.Abs(got-want) > 1e-9 {
				t.Fatalf("time %g: CDF(%g) = %.12g, should be %.12g", at, lo+y, got, want)
			}
		}
	}
	if _, err := d.After(start, 1e-5); err == nil {
		t.Error("a point start at time 1e-5: no error")
	}
	if _, err := d.After(start, 0); err == nil {
		t.Error("time 0: no error")
	}
	if _, err := d.After(must[*scheme.Law](t)(scheme.Point(0, 1, 0.5)), 1); err == nil {
		t.Error("another interval: no error")
	}
}

// On a wide interval U = x²/2 has rates k at any temperature, and the law from
// a point is normal about x·exp(−t) with variance τ(1 − exp(−2t)).
func TestOrnsteinUhlenbeck(t *testing.T) {
	tau := 0.25
	d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(quadratic(1, 0, 0), -5, 5, tau))
	for k, rate := range d.Rates()[:8] {
		if math.Abs(rate-float64(k)) > 1e-9 {
			t.Errorf("rate %d is %.12g", k, rate)
		}
	}
	for _, at := range []float64{0.3, 1} {
		law := must[*scheme.Law](t)(d.After(must[*scheme.Law](t)(scheme.Point(-5, 5, 1.5)), at))
		mean, variance := 1.5*math.Exp(-at), tau*(1-math.Exp(-2*at))
		if math.Abs(law.Moment(1)-mean) > 1e-9 || math.Abs(law.Variance()-variance) > 1e-9 {
			t.Errorf("time %g: mean %.10g, variance %.10g, should be %.10g and %.10g", at, law.Moment(1), law.Variance(), mean, variance)
		}
	}
}

// The diffusion keeps π, and its laws form a semigroup.
func TestSemigroup(t *testing.T) {
	d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(doubleWell, -1.6, 1.6, 0.5))
	if w := scheme.W1(d.Target(), must[*scheme.Law](t)(d.After(d.Target(), 0.1))); w > 1e-12 {
		t.Errorf("π moves by %g", w)
	}
	start := must[*scheme.Law](t)(scheme.Point(-1.6, 1.6, -1.5))
	once := must[*scheme.Law](t)(d.After(start, 0.3))
	twice := must[*scheme.Law](t)(d.After(must[*scheme.Law](t)(d.After(start, 0.1)), 0.2))
	if w := scheme.W1(once, twice); w > 1e-11 {
		t.Errorf("times 0.1 and 0.2 are %g from 0.3", w)
	}
}

// At a fixed time the error of the scheme against the diffusion, two programs
// with nothing in common but π, has order 1 from a point. With another
// temperature, drift or number of steps it would not vanish.
func TestOrderAtATime(t *testing.T) {
	d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(quadratic(4, 0.3, 0), 0, 1, 1))
	start := must[*scheme.Law](t)(scheme.Point(0, 1, 0.7))
	eta := []float64{1e-3, 3.125e-4, 1e-4, 3.125e-5, 1e-5}
	for _, at := range []float64{0.02, 0.25} {
		law := must[*scheme.Law](t)(d.After(start, at))
		var w1 []float64
		for _, e := range eta {
			k := must[*scheme.Kernel](t)(scheme.New(scheme.Step{U: quadratic(4, 0.3, 0), Lo: 0, Hi: 1, Temperature: 1, StepSize: e}))
			w1 = append(w1, scheme.W1(law, must[*scheme.Law](t)(k.After(start, int(math.Round(at/e))))))
		}
		slope, se := order(eta, w1)
		t.Logf("time %g: order %.4f ± %.4f, W1 %.3g", at, slope, se, w1)
		if math.Abs(slope-1) > 0.05 || w1[4] > 1e-5 {
			t.Errorf("time %g: order %.3f ± %.3f, W1 %.3g", at, slope, se, w1)
		}
	}
}

// doubleWell is 2(x² − 1)² + x/2, with wells of unequal depth.
var doubleWell = potential.Func(1, func(g, x []float64) float64 {
	w := x[0]*x[0] - 1
	g[0] = 8*x[0]*w + 0.5
	return 2*w*w + 0.5*x[0]
})

// The bytes do not depend on the number of threads.
func TestThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var was [3]float64
	for i, n := range []int{1, 4} {
		runtime.GOMAXPROCS(n)
		d := must[*scheme.Diffusion](t)(scheme.NewDiffusion(doubleWell, -1.6, 1.6, 0.5))
		e := must[*scheme.Diffusion](t)(scheme.NewDiffusion(doubleWell, -1.6, 1.6, 2))
		now := [3]float64{must[float64](t)(scheme.Gap(d, e, 1, 8)), d.Rates()[1], joint(t, pairStep(0.1, 1, 1, 2)).Swaps}
		if i > 0 && now != was {
			t.Errorf("%d threads: %v, one: %v", n, now, was)
		}
		was = now
	}
}
