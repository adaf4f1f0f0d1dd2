package theory_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/theory"
	"github.com/r2sgld/r2sgld/potential"
)

func course(t testing.TB, p *theory.Process, start []float64, times ...float64) *theory.Course {
	t.Helper()
	c, err := p.Decay(t.Context(), theory.Decay{Start: start, Times: times})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// heat is the density at x ∈ [0, 1] of a reflected Brownian motion, generator τΔ, at
// time t from x0, and its distribution function.
func heat(tau, t, x0, x float64) (h, cdf float64) {
	h, cdf = 1, x
	for k := 1.0; k < 60; k++ {
		a := 2 * math.Exp(-tau*k*k*math.Pi*math.Pi*t) * math.Cos(k*math.Pi*x0)
		h += a * math.Cos(k*math.Pi*x)
		cdf += a * math.Sin(k*math.Pi*x) / (k * math.Pi)
	}
	return h, cdf
}

// heatDistances integrates the series on a fine grid.
func heatDistances(tau, t, x0 float64) theory.Distances {
	const n = 20_000
	d := theory.Distances{Time: t}
	for i := range n {
		x := (float64(i) + 0.5) / n
		h, cdf := heat(tau, t, x0, x)
		d.Chi2 += (h - 1) * (h - 1) / n
		d.KL += h * math.Log(h) / n
		d.TV += math.Abs(h-1) / n / 2
		d.W2 += h * (x - cdf) * (x - cdf) / n // x of μ at u = F(x) goes to u
	}
	d.W2 = math.Sqrt(d.W2)
	return d
}

// All distances on an interval against the series of cosines, to 1e-4. Mutants: TV
// without ½; KL of π to μ; χ² of √h; quantiles of the left end of a cell.
func TestDecayOnInterval(t *testing.T) {
	const tau, x0 = 0.7, 0.20125 // the middle of a cell
	p := process(t, theory.Problem{Domain: interval(t, 0, 1)}, []float64{tau}, 0, 400)
	c := course(t, p, []float64{x0}, 0.01, 0.03, 0.1, 0.3, 0.6)
	for _, d := range c.Distances {
		want := heatDistances(tau, d.Time, x0)
		for _, v := range []struct {
			name      string
			got, want float64
		}{{"chi2", d.Chi2, want.Chi2}, {"kl", d.KL, want.KL}, {"tv", d.TV, want.TV}, {"w2", d.W2, want.W2}} {
			if e := v.got/v.want - 1; math.Abs(e) > 1e-4 {
				t.Errorf("%s at time %g is %.8g, want %.8g: off by %.2g", v.name, d.Time, v.got, v.want, e)
			}
		}
	}
}

// Near π entropy keeps its digits although ∫h dπ is off by rounding. Mutant: h log h
// alone.
func TestKLKeepsDigits(t *testing.T) {
	h := []float64{1 + 3e-9, 1 - 1e-9}
	pi := []float64{0.25, 0.75}
	want := 0.5 * (0.25*(h[0]-1)*(h[0]-1) + 0.75*(h[1]-1)*(h[1]-1))
	if got := theory.KL(h, pi); math.Abs(got/want-1) > 1e-6 {
		t.Errorf("KL is %g, want %g", got, want)
	}
	if got := theory.KL([]float64{4, 0}, pi); math.Abs(got-math.Log(4)) > 1e-15 {
		t.Errorf("KL of a point is %g, want log 4", got)
	}
}

// The Ornstein–Uhlenbeck process from the tail, where π has 1e-9 of its mass in 0.2: a
// normal law whose mean is x0·e^(−t) and whose variance is 1 − e^(−2t), to 1e-3.
func TestDecayFromTheTail(t *testing.T) {
	const x0 = 5.01
	p := process(t, theory.Problem{Potential: bowl(), Domain: interval(t, -8, 8)}, []float64{1}, 0, 800)
	c := course(t, p, []float64{x0}, 0.5, 1, 2, 4, 8)
	for _, d := range c.Distances {
		m, v := x0*math.Exp(-d.Time), 1-math.Exp(-2*d.Time)
		chi2 := math.Expm1(m*m/(2-v) - 0.5*math.Log(v*(2-v)))
		kl := 0.5 * (m*m + v - 1 - math.Log(v))
		w2 := math.Hypot(m, 1-math.Sqrt(v))
		if math.Abs(d.Chi2/chi2-1) > 1e-3 || math.Abs(d.KL/kl-1) > 1e-3 || math.Abs(d.W2/w2-1) > 1e-3 {
			t.Errorf("%+v, want χ² %g, KL %g, W2 %g", d, chi2, kl, w2)
		}
	}
}

// χ² stays below its bound and falls, late, at exactly its rate; KL ≤ log(1 + χ²), TV ≤
// ½√χ², W2 below the bound by entropy. Mutants: rate λ₁ or 4λ₁ in place of 2λ₁; a bound
// from half of χ²(0).
func TestBoundsHold(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		height := rapid.Float64Range(0, 3).Draw(rt, "height")
		tau := math.Exp(rapid.Float64Range(-0.7, 1.5).Draw(rt, "log tau"))
		x := rapid.Float64Range(-1.7, 1.9).Draw(rt, "start")
		p := process(t, theory.Problem{Potential: wells(height), Domain: interval(t, -1.8, 2)}, []float64{tau}, 0, 50)
		g, err := p.Gap(t.Context())
		if err != nil {
			rt.Fatal(err)
		}
		c := course(t, p, []float64{x}, 0.03/g, 0.1/g, 0.3/g, 1/g, 4/g, 5/g)
		for i, d := range c.Distances {
			if d.Chi2 > c.Bound.Chi2[i]*(1+1e-8) || d.KL > c.Bound.KL[i]*(1+1e-8) || d.TV > c.Bound.TV[i]*(1+1e-8) || d.W2 > c.Bound.W2[i] {
				rt.Errorf("time %g: %+v above the bounds %+v", d.Time, d, *c.Bound)
			}
			if d.KL > math.Log1p(d.Chi2)*(1+1e-8) || d.TV > 0.5*math.Sqrt(d.Chi2)*(1+1e-8) || 2*d.TV*d.TV > d.KL*(1+1e-8) {
				rt.Errorf("time %g: %+v break KL ≤ log(1 + χ²), TV ≤ ½√χ² or Pinsker's inequality", d.Time, d)
			}
		}
		a, b := c.Distances[4], c.Distances[5]
		if rate := math.Log(a.Chi2/b.Chi2) / (b.Time - a.Time); rate < 2*g*(1-1e-8) {
			rt.Errorf("χ² falls at rate %g, slower than 2λ₁ = %g", rate, 2*g)
		}
		if c.LogSobolev < 2/g*(1-1e-8) {
			rt.Errorf("log-Sobolev constant %g below 2/λ₁ = %g", c.LogSobolev, 2/g)
		}
	})
}

// Late, χ² falls at the rate of its bound: the slopes agree to 1e-6.
func TestLateSlope(t *testing.T) {
	p := process(t, twoWells(t), []float64{0.5}, 0, 200)
	g, err := p.Gap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := course(t, p, []float64{-1}, 3/g, 5/g)
	a, b := c.Distances[0], c.Distances[1]
	bound := math.Log(c.Bound.Chi2[0] / c.Bound.Chi2[1])
	if e := math.Log(a.Chi2/b.Chi2)/bound - 1; math.Abs(e) > 1e-6 {
		t.Errorf("slope of log χ² is off that of its bound by %.2g", e)
	}
}

// The log-Sobolev constant is 2/λ₁ for the uniform law of an interval and for a normal
// law. Mutant: 2/ρ or 8/ρ.
func TestLogSobolev(t *testing.T) {
	for _, c := range []struct {
		p     theory.Problem
		tau   float64
		start float64
		want  float64
	}{
		{theory.Problem{Domain: interval(t, 0, 2)}, 0.5, 0.3, 2 / (0.5 * math.Pi * math.Pi / 4)},
		{theory.Problem{Potential: bowl(), Domain: interval(t, -6, 6)}, 0.7, 1.5, 2},
	} {
		got := course(t, process(t, c.p, []float64{c.tau}, 0, 200), []float64{c.start}, 1)
		if e := got.LogSobolev/c.want - 1; math.Abs(e) > 1e-3 {
			t.Errorf("log-Sobolev constant %g, want %g", got.LogSobolev, c.want)
		}
	}
}

// W2 to π of laws that are uniform on a piece of an interval of length 2: to the
// uniform law it is known. Mutants: no mixed term d0·d1; divided by 2 for 3.
func TestQuantileW2(t *testing.T) {
	const n = 50
	p := process(t, theory.Problem{Domain: interval(t, 1, 3)}, []float64{1}, 0, n)
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.IntRange(0, n-1).Draw(rt, "from")
		to := rapid.IntRange(from+1, n).Draw(rt, "to")
		h := make([]float64, n)
		for i := from; i < to; i++ {
			h[i] = n / float64(to-from)
		}
		middle, width := float64(from+to)/n, 2*float64(to-from)/n
		want := math.Sqrt((middle-1)*(middle-1) + (2-width)*(2-width)/12)
		if got := p.QuantileW2(h); math.Abs(got-want) > 1e-12 {
			rt.Errorf("W2 of the piece %d–%d is %g, want %g", from, to, got, want)
		}
	})
}

// Far apart, W2 is the distance of two points: π sits in one well of two.
func TestQuantileW2OfPoints(t *testing.T) {
	p := process(t, theory.Problem{Potential: incline(1), Domain: interval(t, 0, 10)}, []float64{0.02}, 0, 1000)
	c := course(t, p, []float64{0.405}, 0)
	// Start uniform on the cell [0.40, 0.41], π exponential of mean and deviation 0.02.
	if w := c.Distances[0].W2; math.Abs(w-math.Hypot(0.385, 0.017)) > 5e-4 {
		t.Errorf("W2 is %g, want 0.385", w)
	}
}

// The upper bound on W2 lies above it, and within 2 % for laws near π. Mutants: factor
// 1 for every law; factor 2 for every law; conductances at τ in place of 1.
func TestSobolevW2BoundsExact(t *testing.T) {
	const n = 60
	rapid.Check(t, func(rt *rapid.T) {
		tau := rapid.Float64Range(0.5, 4).Draw(rt, "tau")
		p := process(t, theory.Problem{Potential: wells(1), Domain: interval(t, -1.8, 2)}, []float64{tau}, 0, n)
		near := rapid.Bool().Draw(rt, "near")
		h, total := make([]float64, n), 0.0
		k := rapid.IntRange(1, 4).Draw(rt, "k")
		for i := range h {
			if h[i] = 1 + 0.01*math.Cos(math.Pi*float64(k)*(float64(i)+0.5)/n); !near {
				h[i] = math.Exp(rapid.Float64Range(-3, 3).Draw(rt, "log h"))
			}
			total += h[i] * p.Chain.Mass()[i]
		}
		for i := range h {
			h[i] /= total
		}
		exact := p.QuantileW2(h)
		bound, err := p.SobolevW2(t.Context(), h)
		if err != nil {
			rt.Fatal(err)
		}
		if bound < exact*(1-2e-3) || near && bound > 1.02*exact {
			rt.Errorf("W2 is %g and its bound %g (near: %v)", exact, bound, near)
		}
	})
}

// Without swaps two rungs are independent: 1 + χ² multiplies, entropy adds, and the
// bound on W2 is above the exact distance of both. Mutant: rungs the wrong way round.
func TestDecayOfTwoRungs(t *testing.T) {
	tau, times := []float64{0.4, 2}, []float64{0.05, 0.3, 1, 6}
	well := theory.Problem{Potential: wells(0.4), Domain: interval(t, -1.8, 2)}
	both := course(t, process(t, well, tau, 0, 40), []float64{-1}, times...)
	cold := course(t, process(t, well, tau[:1], 0, 40), []float64{-1}, times...)
	hot := course(t, process(t, well, tau[1:], 0, 40), []float64{-1}, times...)
	for i, d := range both.Distances {
		a, b := cold.Distances[i], hot.Distances[i]
		if e := (1+a.Chi2)*(1+b.Chi2) - 1; math.Abs(d.Chi2/e-1) > 1e-7 {
			t.Errorf("χ² is %g, of the rungs %g", d.Chi2, e)
		}
		if e := a.KL + b.KL; math.Abs(d.KL/e-1) > 1e-7 {
			t.Errorf("KL is %g, of the rungs %g", d.KL, e)
		}
		if exact := math.Hypot(a.W2, b.W2); d.W2 < exact || i == 3 && d.W2 > 1.1*exact {
			t.Errorf("bound on W2 %g, of the rungs %g and %g", d.W2, a.W2, b.W2)
		}
	}
	if both.LogSobolev != max(cold.LogSobolev, hot.LogSobolev) {
		t.Errorf("log-Sobolev constant %g, of the rungs %g and %g", both.LogSobolev, cold.LogSobolev, hot.LogSobolev)
	}
}

// Swaps speed up the decay of two rungs, as much as they say: at each time by the forms of
// the density that is there. Mutants: √h for h, the density of another time.
func TestSwapsSpeedUpDecay(t *testing.T) {
	tau, times := []float64{0.4, 2}, []float64{0, 0.5, 2}
	alone := course(t, process(t, twoWells(t), tau, 0, 40), []float64{-1}, times...)
	p := process(t, twoWells(t), tau, 3, 40)
	swapping := course(t, p, []float64{-1}, times...)
	h, _, err := p.Start([]float64{-1})
	if err != nil {
		t.Fatal(err)
	}
	flow, err := p.Chain.Evolve(t.Context(), h, times)
	if err != nil {
		t.Fatal(err)
	}
	for i, h := range flow {
		if i == 0 {
			if !math.IsNaN(swapping.Faster[0]) || !math.IsNaN(swapping.FasterRoot[0]) {
				t.Errorf("from a point: %g and %g", swapping.Faster[0], swapping.FasterRoot[0])
			}
			continue
		}
		root := make([]float64, len(h))
		for k, v := range h {
			root[k] = math.Sqrt(v)
		}
		for _, x := range []struct{ found, want float64 }{
			{swapping.Faster[i], p.Chain.Form(h)/p.Alone.Form(h) - 1},
			{swapping.FasterRoot[i], p.Chain.Form(root)/p.Alone.Form(root) - 1},
		} {
			if math.Abs(x.found/x.want-1) > 1e-9 {
				t.Errorf("time %g: faster by %g, want %g", times[i], x.found, x.want)
			}
		}
		if swapping.Chi2 > swapping.Faster[i] || swapping.W2 > swapping.FasterRoot[i] {
			t.Errorf("time %g: infima %g and %g above %g and %g", times[i], swapping.Chi2, swapping.W2, swapping.Faster[i], swapping.FasterRoot[i])
		}
	}
	for i, d := range swapping.Distances {
		if a := alone.Distances[i]; i > 0 && (d.Chi2 >= a.Chi2 || d.KL >= a.KL) {
			t.Errorf("with swaps %+v, without %+v", d, a)
		}
		if d.Chi2 > swapping.Bound.Chi2[i]*(1+1e-12) || d.KL > swapping.Bound.KL[i]*(1+1e-12) || d.W2 > swapping.Bound.W2[i] {
			t.Errorf("%+v above the bounds %+v", d, *swapping.Bound)
		}
	}
	if !(swapping.Chi2 > 0) || !(swapping.W2 > 0) || alone.Chi2 != 0 {
		t.Errorf("accelerations with swaps %g and %g, without %g", swapping.Chi2, swapping.W2, alone.Chi2)
	}
}

// What rounding leaves of a law that is at rest does not count: over late times alone the
// acceleration is that of the slowest mode. Mutant: late densities taken at their word.
func TestAccelerationAwayFromRounding(t *testing.T) {
	p := process(t, twoWells(t), []float64{0.4, 2}, 3, 40)
	slow, err := p.Chain.Spectrum(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	f := slow.Functions[0]
	limit := p.Chain.Form(f)/p.Alone.Form(f) - 1
	var times []float64
	for k := range 16 { // χ² from about 1e-14 to rounding
		times = append(times, (16+2*float64(k)/3)/slow.Values[0])
	}
	for _, x := range []float64{-1, 0.1} {
		c := course(t, p, []float64{x}, times...)
		if math.Abs(c.Chi2/limit-1) > 1e-6 || math.Abs(c.W2/limit-1) > 1e-6 {
			t.Errorf("from %g: acceleration %g and %g, that of the slowest mode is %g", x, c.Chi2, c.W2, limit)
		}
	}
}

// However light the start, no law is farther from π than the domain is wide: of two
// rungs by √2, and of what is told by 1/250 more.
func TestW2IsNotBeyondTheDomain(t *testing.T) {
	p := process(t, theory.Problem{Potential: incline(25), Domain: interval(t, 0, 1)}, []float64{1, 2}, 3, 40)
	c := course(t, p, []float64{1}, 0, 0.001, 0.01, 0.1)
	for i, d := range c.Distances {
		if far := 1.004 * math.Sqrt2 * (1 + 1e-12); d.W2 > far || c.Bound.W2[i] > far {
			t.Errorf("time %g: W2 ≤ %g, bound %g, of states at most %g apart", d.Time, d.W2, c.Bound.W2[i], math.Sqrt2)
		}
	}
	if d := c.Distances[0]; d.W2 < 1.3 { // π is near 0
		t.Errorf("two points at a distance of √2 are told to be within %g", d.W2)
	}
}

// incline is a·x on a line.
func incline(a float64) potential.Potential {
	return potential.Func(1, func(grad, x []float64) float64 {
		grad[0] = a
		return a * x[0]
	})
}
