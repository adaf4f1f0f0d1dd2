package exchange

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// The threshold rule as released, 3e-4 with σ̃² = 9.5 and C = 1, swaps at
// Δβ = 0.9 whenever U_cold − U_hot ≥ −0.463. With fresh exact draws of both
// replicas in every iteration the cold rung's mean energy after the sweep is
// −2.612 instead of −2.450; no threshold takes it below −2.626. Replicas that
// stay where they are, as under any kernel with small steps, are sorted further:
// redrawn exactly with probability 1/10 per iteration, and with energy noise of
// sd 0.05, it is −2.66. Simulated elsewhere: −2.6122 and −2.6584, both ± 0.002;
// the quoted −2.660 is met within 0.01 and Student's |t| < 5.3 over 100 batches.
// It kills: metropolis for threshold, C = 2 for 1 (−0.99), strictly more than the
// variance, threshold reported exact.
func TestThresholdIsBiased(t *testing.T) {
	pace.Slow(t)
	s := Settings{Rule: "threshold", Variance: 9.5, Correction: 1}
	for _, c := range []struct{ redraw, noise, want, by float64 }{{1, 0, -2.612, 0.004}, {0.1, 0.05, -2.660, 0.01}} {
		m := coldEnergy(t, s, c.redraw, c.noise, size(400_000))
		if math.Abs(m.mean-c.want) > c.by+5.3*m.se() {
			t.Errorf("redrawn with probability %g: E U = %.4f ± %.4f, want %.3f", c.redraw, m.mean, m.se(), c.want)
		}
	}
	if len(Settings{Rule: "threshold"}.Bias(2, false)) == 0 {
		t.Error("the threshold rule is said to be exact")
	}
	// The same with metropolis, where the law is kept.
	m := coldEnergy(t, Settings{}, 0.1, 0, size(400_000))
	if want := readReference(t).Mean["1"]; math.Abs(m.mean-want) > 5.3*m.se() {
		t.Errorf("metropolis: E U = %.4f ± %.4f, want %.4f", m.mean, m.se(), want)
	}
}

// coldEnergy is the mean energy of the cold one of two rungs τ = 1, 10 on the
// flower after the sweep, each replica redrawn exactly with the given probability.
func coldEnergy(t *testing.T, s Settings, redraw, noise float64, n int) sample {
	t.Helper()
	s.Scheme = "adj"
	e, err := New(2, s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(41, 42))
	tau, rung, u, noisy := []float64{1, 10}, []int{0, 1}, []float64{-2, 0}, []float64{0, 0}
	var mean sample
	sum := 0.0
	for k := -1000; k <= n; k++ {
		for i, r := range rung {
			if rng.Float64() < redraw {
				u[i] = flower(rng, tau[r])
			}
			noisy[i] = u[i] + noise*rng.NormFloat64()
		}
		e.Sweep(k+1001, rung, noisy, tau, rng)
		if k <= 0 {
			continue
		}
		sum += u[rung[0]]
		if k%(n/100) == 0 {
			mean.add(sum / float64(n/100))
			sum = 0
		}
	}
	return mean
}

// The indicator rule finds the level at which a share 𝕊 of the pairs would trade:
// on fresh exact draws of the flower and for 0.1 it is 0.54, and the cold rung's
// energy then −2.612 instead of −2.450 (interpolated between −2.6154 at 0.46,
// share 0.1062, and −2.6093 at 0.6, share 0.0946). It kills: the sign of the
// level, of its step, metropolis for indicator.
func TestIndicatorIsBiased(t *testing.T) {
	pace.Slow(t)
	s := Settings{Rule: "indicator", Gain: 0.01, Scheme: "adj"}
	e, _ := New(2, s)
	rng := rand.New(rand.NewPCG(51, 52))
	n := size(100_000)
	rung, tau := []int{0, 1}, []float64{1, 10}
	path(flower).run(e, 0, 2000, rung, tau, rng)
	e.Reset()
	var level sample
	for k := 2000; k < 2000+n; k += 100 {
		path(flower).run(e, k, 100, rung, tau, rng)
		level.add(e.level)
	}
	st := e.Statistics()
	// The step adds up: the mean share differs from 𝕊 by the change of the level
	// over γ n, a level's range of order one.
	if got := st.Pairs[0].Rate(); math.Abs(got-0.1) > 3/(0.01*float64(n)) {
		t.Errorf("share %.4f of attempts traded, want 0.1", got)
	}
	if math.Abs(level.mean-0.54) > 0.08 {
		t.Errorf("level %.3f, want 0.54", level.mean)
	}
	m := coldEnergy(t, s, 1, 0, n)
	if math.Abs(m.mean+2.612) > 0.005+5.3*m.se() {
		t.Errorf("E U = %.4f ± %.4f, want −2.612", m.mean, m.se())
	}
	if len(s.Bias(2, false)) == 0 {
		t.Error("the indicator rule is said to be exact")
	}
}

// The decaying gain: min(½, 600/(k^0.8+1000))/10 in sweep k, so 0.05 at first and
// 0.0429 in sweep 3000 (600/(604.9+1000) = 0.3739 there). A neighbour share of
// 0 and target 0.1 lowers the level by a tenth of it.
func TestGain(t *testing.T) {
	e, _ := New(3, Settings{Rule: "indicator", Target: 0.1})
	e.energy = []float64{0, 100, 200}
	for _, c := range []struct {
		n    int
		gain float64
	}{{0, 0.05}, {2999, 0.037385}} {
		e.sweeps = c.n
		before := e.level
		e.adapt()
		if got := (before - e.level) / 0.1; math.Abs(got-c.gain) > 2e-6 {
			t.Errorf("sweep %d: gain %.6f, want %.6f", c.n+1, got, c.gain)
		}
	}
}

// Noisy energies: at Δβ = 0.9 (τ = 1, 10) and an energy difference of one, the
// swap one way must be e^0.9 times as likely as the way back. With noise of sd 1
// of the difference, and σ̃² = 1, the logarithm of the ratio is 0.900 with C = 2,
// but 1.136 with C = 1 and 0.780 with C = 4. The standard error is that of two
// means in [0,1]; |z| < 4.9, and the quoted figures are rounded to 0.0005. It
// kills: each C for another, σ̃ for σ̃², Δβ² forgotten.
func TestNoisyRatio(t *testing.T) {
	tau := []float64{1, 10}
	for _, c := range []struct{ correction, want float64 }{{2, 0.9}, {1, 1.136}, {4, 0.780}} {
		s := Settings{Scheme: "adj", Variance: 1, Correction: c.correction}
		rng := rand.New(rand.NewPCG(61, 62))
		var way [2]sample
		n := size(400_000)
		for w, difference := range []float64{1, -1} {
			e, _ := New(2, s)
			for k := 1; k <= n; k++ {
				e.Reset() // the first attempt is always weighed
				e.Sweep(k, []int{0, 1}, []float64{5 + difference + math.Sqrt(0.5)*rng.NormFloat64(), 5 + math.Sqrt(0.5)*rng.NormFloat64()}, tau, rng)
				way[w].add(e.stats.Pairs[0].Probability)
			}
		}
		got := math.Log(way[0].mean / way[1].mean)
		se := math.Hypot(way[0].se()/way[0].mean, way[1].se()/way[1].mean)
		if math.Abs(got-c.want) > 0.0005+4.9*se {
			t.Errorf("C = %g: log ratio %.4f ± %.4f, want %.3f", c.correction, got, se, c.want)
		}
		if biased := len(Settings{Variance: 1, Correction: c.correction}.Bias(3, true)) > 0; biased != (c.correction != 2) {
			t.Errorf("C = %g: biased is %v", c.correction, biased)
		}
	}
}

// With noise of sd 1 of each energy, schemes whose pairs are disjoint keep the
// law of three rungs, pairs in sequence do not: a label that moves twice in a
// sweep does so on the same noise. E U of the cold rung is then 5 % low with all
// pairs, 37 standard errors at ten times this length. One pair alone has none before
// it. Student's |t| < 5.3. It kills: pairs in sequence reported exact with noise, or
// biased where there is one, C = 1, C = 4.
func TestNoisySchemes(t *testing.T) {
	tau := []float64{1, 1.3, 1.7}
	for _, c := range []struct {
		scheme string
		rungs  int
	}{{"deo", 3}, {"seo", 3}, {"windowed-deo", 3}, {"ape", 3}, {"ape", 2}, {"adj", 2}} {
		s := Settings{Scheme: c.scheme, Variance: 2}
		if c.scheme == "windowed-deo" {
			s.Gate, s.Window = "open", 3
		}
		want := c.scheme == "ape" && c.rungs == 3
		m := autocorrelated(t, s, tau[:c.rungs], 0.9, 1, size(200_000))[0]
		if off := math.Abs(m.mean-1) > 5.3*m.se(); off != want {
			t.Errorf("%+v: E U = %.4f ± %.4f τ", c, m.mean, m.se())
		}
		if biased := len(s.Bias(c.rungs, true)) > 0; biased != want {
			t.Errorf("%+v: biased is %v", c, biased)
		}
	}
}

// fresh fills energies of minibatches that all replicas share: replica i has
// noise s_i z_b + 0.3 ξ, so that pairs differ with variance (s_i−s_j)² + 0.18.
func fresh(energies [][]float64, rung []int, shared []float64, rng *rand.Rand) {
	for b := range energies {
		z := rng.NormFloat64()
		for i, r := range rung {
			energies[b][i] = 100*float64(i) + shared[r]*z + 0.3*rng.NormFloat64()
		}
	}
}

// After 20 estimates of 500 batches σ̃² is within 10 % of the truth. Estimate n
// weighs max(0.1, 1/n): the squares of the weights of 20 add up to 0.0665, so
// that its relative standard error is sqrt(2·0.0665/499) = 0.0163 and 10 % is 6.1
// of them. It kills: independent noise of replicas, replicas in place of rungs,
// the variance of a mean, a without 1/n (σ̃² is 12 % low: 1 − 0.9^20).
func TestEstimate(t *testing.T) {
	shared := []float64{3, 2, 0.5}
	for _, scheme := range []string{"deo", "ape"} {
		e, err := New(3, Settings{Scheme: scheme, Estimate: Estimate{Every: 5, Batches: 500}})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(71, 72))
		rung, tau := []int{2, 0, 1}, []float64{1, 2, 3}
		energies := make([][]float64, 500)
		for b := range energies {
			energies[b] = make([]float64, 3)
		}
		estimates := 0
		for k := 1; k <= 95; k++ {
			n := e.Wanted(k)
			if want := k == 1 || k%5 == 0; (n == 500) != want || n != 0 && n != 500 {
				t.Fatalf("iteration %d wants %d energies", k, n)
			}
			if n > 0 {
				estimates++
				fresh(energies, rung, shared, rng)
				e.Observe(rung, energies[:n])
			}
			e.Sweep(k, rung, energies[0], tau, rng)
		}
		st := e.Statistics()
		if estimates != 20 {
			t.Fatalf("%d estimates", estimates)
		}
		for _, p := range st.Pairs {
			d := shared[p.Cold] - shared[p.Hot]
			if want := d*d + 0.18; math.Abs(p.Variance/want-1) > 0.1 {
				t.Errorf("%s: rungs %d, %d: σ̃² = %.4f, want %.4f", scheme, p.Cold, p.Hot, p.Variance, want)
			}
		}
		for r, got := range st.Noise {
			if want := shared[r]*shared[r] + 0.09; math.Abs(got/want-1) > 0.1 {
				t.Errorf("%s: rung %d: noise %.4f, want %.4f", scheme, r, got, want)
			}
		}
	}
	e, _ := New(3, Settings{Variance: 4})
	if e.Wanted(1) != 0 || e.Statistics().Pairs[1].Variance != 4 || e.Statistics().Noise[2] != 2 {
		t.Error("a given variance is not kept")
	}
}

// Evidence from noisy energies is corrected, forward, backward and both, also
// where the rungs' noise differs. The Gaussian path with τ 1, 1.25 and noise of
// variance 4 and 1: uncorrected, forward is off by Δβ²/2 = 0.02, backward by 0.08,
// the bridge by 0.015. A term's relative variance is at most (1/0.6)·0.8²·e^0.16
// − 1 = 0.25: with 250,000 the standard error is at most 0.001. The noise is known
// to 1 %, 0.0008. The tolerance is 4.9 of both. It kills: the sign of each
// correction, σ̃² for σ̃²/2, the noise of the other rung, no correction, evidence
// of labels that have moved, by the very noise that it is made of.
func TestNoisyEvidence(t *testing.T) {
	tau := []float64{1, 1.25}
	noise := []float64{2, 1}
	e, _ := New(2, Settings{Estimate: Estimate{Every: 1 << 40, Batches: 20000}})
	rng := rand.New(rand.NewPCG(81, 82))
	energies := make([][]float64, e.Wanted(1))
	for b := range energies {
		energies[b] = []float64{noise[0] * rng.NormFloat64(), noise[1] * rng.NormFloat64()}
	}
	rung := []int{0, 1}
	e.Observe(rung, energies)
	energy := make([]float64, 2)
	for k := 1; k <= size(250_000); k++ {
		for i, r := range rung {
			energy[i] = plane(rng, tau[r]) + noise[r]*rng.NormFloat64()
		}
		e.Sweep(k*noteEvery, rung, energy, tau, rng) // each has a term
	}
	ev := EvidenceOf(e.Statistics())
	for name, got := range map[string]float64{"forward": ev.Forward, "backward": ev.Backward, "bridge": ev.Estimate} {
		if want := math.Log(0.8); math.Abs(got-want) > 4.9*math.Hypot(0.001, 0.0008) {
			t.Errorf("%s: %.4f, want %.4f", name, got, want)
		}
	}
	if !math.IsNaN(ev.Error) {
		t.Error("one ladder has a standard error")
	}
}
