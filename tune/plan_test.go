package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat"

	"github.com/r2sgld/r2sgld"
	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/exchange"
	"github.com/r2sgld/r2sgld/internal/pace"
	"github.com/r2sgld/r2sgld/kernel"
	"github.com/r2sgld/r2sgld/potential"
)

// simpson integrates f over [a, b].
func simpson(a, b float64, f func(float64) float64) float64 {
	const n = 40_000
	h, sum := (b-a)/n, f(a)+f(b)
	for i := 1; i < n; i++ {
		sum += float64(2+2*(i%2)) * f(a+float64(i)*h)
	}
	return sum * h / 3
}

// logNormalDensity is log φ((x−m)/s)/s.
func logNormalDensity(x, m, s float64) float64 {
	return -(x-m)*(x-m)/(2*s*s) - math.Log(s*math.Sqrt(2*math.Pi))
}

// E min(1, e^D) and P(D ≥ c) against Simpson's rule on either side of the kink
// (error of order h⁴, below 1e-9 relative here), down to 1e-400, where the
// integrand is scaled by its largest value. It kills: s for s² in the exponent, a
// wrong sign of the second term, Φ by math.Erfc in the tails (−Inf).
func TestCappedNormal(t *testing.T) {
	for _, m := range []float64{3, 0.4, 0, -0.7, -5, -60, -900} {
		for _, s := range []float64{0.2, 1, 3, 21} {
			top := math.Inf(-1) // of the log integrand
			capped := func(x float64) float64 { return min(0, x) + logNormalDensity(x, m, s) }
			peak := max(m, min(0, m+s*s))
			for _, x := range []float64{m, peak, 0, min(0, m+s*s)} {
				top = max(top, capped(x))
			}
			f := func(x float64) float64 { return math.Exp(capped(x) - top) }
			lo, hi := min(m, 0)-14*s, max(m+s*s, 0, m)+14*s
			want := top + math.Log(simpson(min(lo, -1), 0, f)+simpson(0, max(hi, 1), f))
			if got := logCapped(m, s); math.Abs(got-want) > 1e-7*max(1, math.Abs(want)) {
				t.Errorf("log E min(1, e^N(%g, %g²)) = %.12g, want %.12g", m, s, got, want)
			}
		}
	}
	for _, x := range []float64{6, 1, -1, -7.9, -8.1, -40, -150} {
		top := -x * x / 2
		if x > 0 {
			top = 0
		}
		want := top + math.Log(simpson(max(0, -x), max(0, -x)+40/max(1, -x), func(y float64) float64 {
			return math.Exp(-y*y/2 - top)
		})/math.Sqrt(2*math.Pi))
		if x > 0 {
			want = math.Log1p(-simpson(x, x+40, func(y float64) float64 { return math.Exp(-y * y / 2) }) / math.Sqrt(2*math.Pi))
		}
		if got := logReached(x, 1, 0); math.Abs(got-want) > 1e-8*math.Max(1e-3, math.Abs(want)) {
			t.Errorf("log Φ(%g) = %.12g, want %.12g", x, got, want)
		}
	}
}

// The law of a normal density's energy at temperature τ in d dimensions:
// τ Γ(d/2, 1). Swaps between τ₁ and τ₂ succeed with probability
// 2 I_{x}(d/2, d/2), x = τ₁/(τ₁+τ₂), and for d = 1, 2, … λ(β) = E|G − G′|/(2β).
func normalAcceptance(d int, cold, hot float64) float64 {
	a := float64(d) / 2
	return 2 * mathext.RegIncBeta(a, a, cold/(cold+hot))
}

func gamma(rng *rand.Rand, d int, tau float64, n int) Energies {
	e := Energies{Beta: 1 / tau}
	for range n {
		u := 0.0
		for range d {
			x := rng.NormFloat64()
			u += x * x / 2
		}
		e.U = append(e.U, tau*u)
	}
	e.Mean, e.SD = moments(e.U)
	return e
}

// A ladder from independent energies: the mean over all pairs of draws of two rungs
// is a U statistic, whose standard error follows from its projections on either
// rung. It kills:
// Δβ with the wrong sign, temperatures for inverse ones, min left out.
func TestForecastOfIndependentEnergies(t *testing.T) {
	const d, n = 8, 1500
	rng := rand.New(rand.NewPCG(1, 2))
	taus := []float64{1, 2, 5}
	var rungs []Energies
	for _, tau := range taus {
		rungs = append(rungs, gamma(rng, d, tau, n))
	}
	plan := predict(rungs, make([]float64, 2), exchange.Settings{}, false)
	total := 0.0
	for i, trade := range plan.Pairs {
		want := normalAcceptance(d, taus[i], taus[i+1])
		se := projected(rungs[i], rungs[i+1])
		if math.Abs(trade.Exact-want) > 4.9*se || math.Abs(trade.Acceptance-trade.Exact) > 1e-12 {
			t.Errorf("pair %d: %.4f (rule %.4f), want %.4f ± %.4f", i, trade.Exact, trade.Acceptance, want, se)
		}
		total += trade.Exact
	}
	// λ(β) = c/β with c = ½ E|G − G′| of Γ(4): Λ = c ln 5. The standard error of a
	// mean difference of n draws is below sd/√n, 2.6 % of c here, for each of three
	// rungs that share in Λ: 4.9·0.026/√2 of it.
	c := math.Gamma(4.5) / (math.Gamma(4) * math.Sqrt(math.Pi))
	if want := c * math.Log(5); math.Abs(plan.Barrier-want) > 0.09*want {
		t.Errorf("barrier %.4f, want %.4f", plan.Barrier, want)
	}
	if want := math.Exp(0.5 / c); math.Abs(math.Log(plan.Half.Ratio/want)) > 0.13*math.Log(want) ||
		plan.Half.Rungs != 1+int(math.Ceil(2*c*math.Log(5))) {
		t.Errorf("%d rungs with ratio %.4f, want %.4f", plan.Half.Rungs, plan.Half.Ratio, want)
	}
}

// projected is the standard error of the mean of min(1, S) over all pairs of draws.
func projected(c, h Energies) float64 {
	of := func(u, v []float64, sign float64) []float64 {
		var means []float64
		for _, x := range u {
			sum := 0.0
			for _, y := range v {
				sum += math.Exp(min(0, sign*(c.Beta-h.Beta)*(x-y)))
			}
			means = append(means, sum/float64(len(v)))
		}
		return means
	}
	a, b := of(c.U, h.U, 1), of(h.U, c.U, -1)
	return math.Sqrt(stat.Variance(a, nil)/float64(len(a)) + stat.Variance(b, nil)/float64(len(b)))
}

// λ of three draws is half the mean distance of different ones; one unit of β
// colder the draws 0, ln 2 and ln 4 weigh 1, ½ and ¼. Where there are no draws,
// 1/λ is linear.
func TestLocalBarrier(t *testing.T) {
	e := &Energies{Beta: 1, U: []float64{math.Log(4), 0, math.Log(2)}, SD: 1}
	if got, want := e.local(), math.Log(2)*(1+1+2)/6; math.Abs(got-want) > 1e-12 {
		t.Errorf("λ = %g, want %g", got, want)
	}
	got, n := reweighted(e, 2) // weights 1, ½, ¼
	if want := math.Log(2) * (1*0.5 + 0.5*0.25 + 2*0.25) / (2 * (0.5 + 0.125 + 0.25)); math.Abs(got-want) > 1e-12 ||
		math.Abs(n-1.75*1.75/1.3125) > 1e-12 {
		t.Errorf("λ = %g of %g draws, want %g", got, n, want)
	}
	p := pair{&Energies{Beta: 4, SD: 1}, &Energies{Beta: 1, SD: 4}, 3, 0}
	if got, want := p.local(2), 2/math.Sqrt(math.Pi); math.Abs(got-want) > 1e-12 {
		t.Errorf("between sd 1 at β = 4 and 4 at 1, λ(2) = %g, want %g", got, want)
	}
}

// A network of 278,324 parameters with four rungs over τ 1 … 4, by its moments:
// E U = dτ/2, sd τ√(d/2) = 373. Λ = √(d/2π) ln 4 = 291.77 exactly, as 1/λ is
// linear in β; 584 pairs; ratio exp(½/√(d/2π)) = 1.00238. The true acceptance,
// 2 I_{x}(d/2, d/2), has the exponent d/2 log₁₀(4x(1−x)) = −7118 between 1 and 2:
// normal energies say −6043. Both mean never, and a float64 says 0.
func TestForecastOfALargeNetwork(t *testing.T) {
	const d = 278_324
	var rungs []Energies
	for tau := 1.0; tau <= 4; tau++ {
		rungs = append(rungs, Energies{Beta: 1 / tau, Mean: d * tau / 2, SD: tau * math.Sqrt(d/2.0)})
	}
	plan := predict(rungs, make([]float64, 3), exchange.Settings{}, false)
	lambda := math.Sqrt(d / (2 * math.Pi))
	if want := lambda * math.Log(4); math.Abs(plan.Barrier-want) > 1e-6*want || math.Abs(want-292) > 0.5 {
		t.Errorf("barrier %g, want %g", plan.Barrier, want)
	}
	if want := math.Exp(0.5 / lambda); plan.Half.Rungs != 585 || math.Abs(plan.Half.Ratio-want) > 1e-7 {
		t.Errorf("%d rungs, ratio %.6f; want 585 and %.6f", plan.Half.Rungs, plan.Half.Ratio, want)
	}
	for i, tau := range []float64{1, 2, 3} {
		x := tau / (2*tau + 1)
		truth := d / 2.0 * math.Log10(4*x*(1-x))
		trade := plan.Pairs[i]
		if trade.Exact != 0 || trade.Log10Exact/truth < 0.8 || trade.Log10Exact/truth > 1 {
			t.Errorf("pair %d: 10^%.0f, truly 10^%.0f", i, trade.Log10Exact, truth)
		}
	}
	plan.advise(r2sgld.Settings{})
	want := "With these settings rungs will not trade under rule metropolis. What will: temperature ratio 1.0024 (585 rungs between the " +
		"same ends), or rule indicator (an optimiser, not a sampler)."
	if len(plan.Advice) != 1 || plan.Advice[0] != want {
		t.Errorf("advice %q", plan.Advice)
	}
	// At that ratio neighbours do trade half the time: erf(√π/4) = 0.531 accepted.
	next := Energies{Beta: 1 / plan.Half.Ratio, Mean: d * plan.Half.Ratio / 2, SD: plan.Half.Ratio * math.Sqrt(d/2.0)}
	close := predict([]Energies{rungs[0], next}, []float64{0}, exchange.Settings{}, false)
	if got, want := close.Pairs[0].Exact, math.Erfc(math.Sqrt(math.Pi)/4); math.Abs(got-want) > 2e-3 {
		t.Errorf("acceptance %.4f at ratio %.5f, want %.4f", got, plan.Half.Ratio, want)
	}
}

// bowl is U = ½|x|².
func bowl(d int) potential.Potential {
	return potential.Func(d, func(grad, x []float64) float64 {
		u := 0.0
		for i, v := range x {
			grad[i] = v
			u += v * v / 2
		}
		return u
	})
}

// The same ladder from a sampler. Steps of 0.1 make variances 1/(1 − η/2) = 1.053
// too large at every rung alike, which the acceptances follow by less than 0.02.
// 4 ladders × 1250 iterations with autocorrelation time 2/(2·0.1) = 10 of the
// energy are about 500 independent energies a rung, of which 400 are compared; the
// standard deviation of the projections is below 0.3, so 4.9·0.3·√(2/400) = 0.10,
// and 0.02 for the step.
func TestForecast(t *testing.T) {
	const d = 8
	taus := []float64{1, 2, 5}
	far := []float64{6, 6, 6, 6, 6, 6, 6, 6} // what a step from there to the bowl sees must not count
	s := r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: 50_000, BurnIn: 5000, Thin: 10, Start: far, Temperature: taus,
		StepSize: []float64{0.1}}
	p := r2sgld.Problem{Potential: bowl(d)}
	plan, err := Forecast(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	for i, trade := range plan.Pairs {
		if want := normalAcceptance(d, taus[i], taus[i+1]); math.Abs(trade.Exact-want) > 0.12 {
			t.Errorf("pair %d: %.3f, want %.3f", i, trade.Exact, want)
		}
	}
	if want := math.Sqrt(d / 2.0); math.Abs(plan.Rungs[0].SD/want-1.053) > 0.25 || plan.Noisy || plan.Rungs[0].Noise != 0 {
		t.Errorf("sd of U %.3f, want about %.3f; noise %g", plan.Rungs[0].SD, want, plan.Rungs[0].Noise)
	}
	if !(plan.Seconds > 0 && plan.ESS > 400 && plan.RoundTrips > 0.4*plan.Independent && plan.RoundTrips < 1.2*plan.Independent) {
		t.Errorf("%g s, ESS %g, %g round trips, %g of independent energies", plan.Seconds, plan.ESS, plan.RoundTrips, plan.Independent)
	}
	compare(t, p, s, plan)
	if plan.Draws != 18_000 || plan.Disk < 8*3*9*18_000 || plan.Checkpoint < 8*3*9*18_000 {
		t.Errorf("%d draws, %g bytes of disk, checkpoint %g", plan.Draws, plan.Disk, plan.Checkpoint)
	}
	// The formula 1/(2+2Σ r/(1−r)) with the exact acceptances, 200,000 sweeps.
	r := []float64{1 - normalAcceptance(d, 1, 2), 1 - normalAcceptance(d, 2, 5)}
	if want := 200_000 * exchange.RateDEO(r); math.Abs(plan.Independent/want-1) > 0.4 {
		t.Errorf("%.0f round trips of independent energies, want %.0f", plan.Independent, want)
	}
}

// Rule threshold blurs the energies of two rungs; a plan looks at rungs that do not
// trade. About 500 independent energies of sd 2: E U = 4·1.053 within
// 4.9·2/√500 = 0.44. With swaps it is 6.4.
func TestForecastOfBiasedSwaps(t *testing.T) {
	s := r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: 50_000, Start: make([]float64, 8), Temperature: []float64{1, 2},
		StepSize: []float64{0.1},
		Swap:     exchange.Settings{Rule: "threshold"}}
	plan, err := Forecast(context.Background(), r2sgld.Problem{Potential: bowl(8)}, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := plan.Rungs[0].Mean; math.Abs(got-4*1.053) > 0.44 || len(plan.Advice) != 1 {
		t.Errorf("E U = %.3f, want %.3f; advice %q", got, 4*1.053, plan.Advice)
	}
}

// compare makes the run that was planned. Round trips of a short run of 10,000
// iterations (≥ 400 of them, alike to independent) are within 25 %; effective
// sample sizes of a fortieth of the draws within a factor of two.
func compare(t *testing.T, p r2sgld.Problem, s r2sgld.Settings, plan *Plan) {
	t.Helper()
	res, err := r2sgld.Sample(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(res.Swaps().RoundTrips) * float64(s.Iterations) / float64(s.Iterations-s.BurnIn); math.Abs(
		plan.RoundTrips/got-1) > 0.25 {
		t.Errorf("%g round trips planned, %g made", plan.RoundTrips, got)
	}
	if m := (Until{}).mixing(res); plan.ESS/m.ess > 2 || plan.ESS/m.ess < 0.5 {
		t.Errorf("ESS %g planned, %g had", plan.ESS, m.ess)
	}
}

// Synthetic noise of sd 30 on energies: σ̃² = 1800 for each pair and sd 30 of
// Ũ − U, from 200 blocks of 10: the relative standard error of a variance with
// 1800 degrees of freedom is √(2/1800) = 3.3 %, of a standard deviation half of
// that: 4.9 times. It kills: noise twice in the exact energies (their sd would be
// 30), variance per rung for that of a pair. At Δβ = 0.5 the penalty of metropolis
// leaves about exp(−Δβ²σ²/8)= 1e-25; full energies trade 0.46.
func TestForecastOfNoisyEnergies(t *testing.T) {
	const d = 8
	s := r2sgld.Settings{Seed: 3, Ladders: 4, Iterations: 20_000, BurnIn: 1000, Start: make([]float64, d), Temperature: []float64{1, 2},
		StepSize: []float64{0.1},
		Swap:     exchange.Settings{Estimate: exchange.Estimate{Every: 100}}}
	p := r2sgld.Problem{Potential: potential.Noisy(bowl(d), 0, 30)}
	plan, err := Forecast(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	pair := plan.Pairs[0]
	if math.Abs(pair.Variance/1800-1) > 4.9*0.033 {
		t.Errorf("σ̃² %g, want 1800", pair.Variance)
	}
	for r, e := range plan.Rungs {
		if math.Abs(e.Noise/30-1) > 4.9*0.0165 || e.SD > 3*float64(r+1) {
			t.Errorf("rung %d: noise %g, want 30; sd of U %g, want %d", r, e.Noise, e.SD, 2*(r+1))
		}
	}
	if want := normalAcceptance(d, 1, 2); math.Abs(pair.Exact-want) > 0.15 || pair.Log10Acceptance > -20 || pair.Log10Acceptance < -30 {
		t.Errorf("acceptance %.3f exact, want %.3f; 10^%.1f with noise", pair.Exact, want, pair.Log10Acceptance)
	}
	if len(plan.Advice) != 1 || plan.FullEvery < 1 {
		t.Errorf("advice %q, full energies every %d", plan.Advice, plan.FullEvery)
	}
	s.FullEnergies, s.Swap = true, exchange.Settings{}
	full, err := Forecast(context.Background(), p, s)
	if err != nil {
		t.Fatal(err)
	}
	if q := full.Pairs[0]; math.Abs(q.Acceptance-q.Exact) > 1e-12 || len(full.Advice) != 0 {
		t.Errorf("full energies: %.3f exact, %.3f, advice %q", q.Exact, q.Acceptance, full.Advice)
	}
}

// flower is the 25-mode target in the flower.
func flower(t *testing.T) r2sgld.Problem {
	t.Helper()
	dom, err := domain.NewFlower(5, 3, 2)
	if err != nil {
		t.Fatal(err)
	}
	u := potential.Func(2, func(grad, x []float64) float64 {
		sx, cx := math.Sincos(2 * math.Pi * x[0])
		sy, cy := math.Sincos(2 * math.Pi * x[1])
		grad[0], grad[1] = 0.4*x[0]+4*math.Pi*sx, 0.4*x[1]+4*math.Pi*sy
		return 0.2*(x[0]*x[0]+x[1]*x[1]) - 2*(cx+cy)
	})
	return r2sgld.Problem{Potential: u, Domain: dom}
}

// Acceptance and barrier of the flower between τ 1 and 10 are 0.3042 and 0.8089;
// steps of 5e-4 and 1.5e-3 take 0.008 from the first, and change the second by less
// than 0.02. The mean over 12 seeds has a t law with 11 degrees of freedom: 9.3
// standard errors are a false alarm of 1.5e-6. It kills: energies of the wrong
// rung, draws of burn-in, an unweighted mean of λ over β (0.88).
func TestForecastOfTheFlower(t *testing.T) {
	pace.Slow(t)
	s := r2sgld.Settings{Ladders: 4, Iterations: 400_000, BurnIn: 10_000, Thin: 10, Temperature: []float64{1, 10},
		StepSize: []float64{5e-4, 1.5e-3}}
	var acceptance, barrier []float64
	for seed := range 12 {
		s.Seed = uint64(seed)
		plan, err := Forecast(context.Background(), flower(t), s)
		if err != nil {
			t.Fatal(err)
		}
		acceptance, barrier = append(acceptance, plan.Pairs[0].Acceptance), append(barrier, plan.Barrier)
	}
	for _, c := range []struct {
		name        string
		seen        []float64
		want, slack float64
	}{{"acceptance", acceptance, 0.3042 - 0.008, 0.004}, {"barrier", barrier, 0.8089, 0.02}} {
		mean, sd := stat.MeanStdDev(c.seen, nil)
		t.Logf("%s %.4f, sd of one plan %.4f", c.name, mean, sd)
		if math.Abs(mean-c.want) > 9.3*sd/math.Sqrt(12)+c.slack {
			t.Errorf("%s %.4f ± %.4f, want %.4f", c.name, mean, sd/math.Sqrt(12), c.want)
		}
	}
}

// A ladder that method auto finds on the flower reaches to the uniform law, meets
// its stopping rule within the first round and says so.
func TestForecastAuto(t *testing.T) {
	pace.Slow(t)
	s := r2sgld.Settings{Seed: 5, Ladders: 4, Iterations: 100_000, BurnIn: 2000, Thin: 10, Kernel: kernel.Langevin{}}
	u := Until{RHat: 1.01, ESS: 400, Iterations: 6_400_000}
	plan, err := ForecastAuto(context.Background(), flower(t), s, u)
	if err != nil {
		t.Fatal(err)
	}
	f := plan.Tuned
	if f == nil || len(f.Rejection) != len(plan.Pairs) || len(plan.Rungs) < 2 || plan.Rungs[len(plan.Rungs)-1].Beta != 0 ||
		!(f.Bias > 0 && f.Bias < 0.02) {
		t.Fatalf("tuned %+v", f)
	}
	if !f.Met || !(f.Needed > 2000) || float64(plan.Iterations) < f.Needed || plan.ESS < u.ESS || plan.Iterations%s.Iterations != 0 {
		t.Errorf("%d iterations, %g needed, ESS %g", plan.Iterations, f.Needed, plan.ESS)
	}
	for i, r := range f.Rejection {
		// Both are means over thousands of iterations, of which a few hundred count.
		if got := 1 - plan.Pairs[i].Acceptance; math.Abs(got-r) > 0.15 {
			t.Errorf("pair %d: rejection %.3f in warm-up, %.3f now", i, r, got)
		}
	}
	u.Iterations = 200
	s.Iterations = 200
	s.BurnIn = 20
	if plan, err = ForecastAuto(context.Background(), flower(t), s, u); err != nil {
		t.Fatal(err)
	}
	if plan.Tuned.Met || len(plan.Advice) != 1 {
		t.Errorf("200 iterations: met %t, advice %q", plan.Tuned.Met, plan.Advice)
	}
}

// The chance of a swap under each rule against an exchange that is given fresh
// energies of each rung, with fresh noise, in every sweep: 30,000 attempts a pair
// have a standard error of at most 0.003, and the pairs of 600 draws one of 0.016. Rule
// indicator is told by normal laws: 0.03 more for each pair (Γ(4) is skew), and
// its mean over pairs is its target. It kills: σ² for Δβ²σ², the penalty in the
// wrong direction, C left out, a threshold on the wrong side.
func TestPlannedRules(t *testing.T) {
	pace.Slow(t)
	const d, n, sd = 8, 600, 2.0
	taus := []float64{1, 2, 5}
	for _, c := range []struct {
		swap  exchange.Settings
		slack float64
	}{
		{exchange.Settings{Variance: 2 * sd * sd}, 0},
		{exchange.Settings{Variance: 2 * sd * sd, Correction: 1}, 0},
		{exchange.Settings{}, 0},
		{exchange.Settings{Rule: "threshold", Threshold: 0.2, Variance: 2 * sd * sd}, 0},
		{exchange.Settings{Rule: "indicator", Target: 0.3, Gain: 0.05}, 0.03},
	} {
		rng := rand.New(rand.NewPCG(4, 4))
		var rungs []Energies
		for _, tau := range taus {
			rungs = append(rungs, gamma(rng, d, tau, n))
		}
		plan := predict(rungs, []float64{2 * sd * sd, 2 * sd * sd}, c.swap, false)
		e, err := exchange.New(3, c.swap)
		if err != nil {
			t.Fatal(err)
		}
		rung, energy := []int{0, 1, 2}, make([]float64, 3)
		for k := 1; k <= 70_000; k++ {
			if k == 10_000 {
				e.Reset() // the level of rule indicator has settled
			}
			for i, r := range rung {
				u := 0.0
				for range d / 2 {
					u += rng.ExpFloat64()
				}
				energy[i] = taus[r]*u + sd*rng.NormFloat64()
			}
			e.Sweep(k, rung, energy, taus, rng)
		}
		share := 0.0
		for i, seen := range e.Statistics().Pairs {
			got := plan.Pairs[i].Acceptance
			share += got / 2
			if tol := 4.9*math.Hypot(0.003, 0.016) + c.slack; math.Abs(got-seen.Rate()) > tol {
				t.Errorf("%+v, pair %d: %.4f planned, %.4f seen", c.swap, i, got, seen.Rate())
			}
		}
		if c.swap.Rule == "indicator" && math.Abs(share-0.3) > 1e-6 {
			t.Errorf("rule indicator: %.4f of the pairs trade, target 0.3", share)
		}
	}
}

// Timings aside, a plan depends on the seed alone, not on threads.
func TestForecastIsDetermined(t *testing.T) {
	text := func(threads int) string {
		s := r2sgld.Settings{Seed: 2, Ladders: 3, Iterations: 20_000, Temperature: []float64{1, 10}, StepSize: []float64{1e-3}, Threads: threads}
		plan, err := Forecast(context.Background(), flower(t), s)
		if err != nil {
			t.Fatal(err)
		}
		plan.Seconds, plan.SecondsPerIteration = 0, 0
		return fmt.Sprintf("%+v", plan)
	}
	if a, b := text(1), text(2); a != b {
		t.Errorf("one thread\n%s\ntwo\n%s", a, b)
	}
}

// A step that is too large ends the plan as it would end the run.
func TestForecastOfABlowUp(t *testing.T) {
	s := r2sgld.Settings{Iterations: 10_000, Start: []float64{1, 1}, Temperature: []float64{1, 2}, StepSize: []float64{5}}
	_, err := Forecast(context.Background(), r2sgld.Problem{Potential: bowl(2)}, s)
	var blown *r2sgld.BlowUp
	if !errors.As(err, &blown) {
		t.Errorf("error %v", err)
	}
}
