package exchange

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// gaussian is an exact kernel: iid energies of U = ½(x² + y²/4) + shift under
// exp(−U/τ), whatever the state: U = shift + τ·Exp(1). Energies may carry
// normal noise.
func gaussian(rng *rand.Rand, tau, noise float64) float64 {
	return 3 + tau*rng.ExpFloat64() + noise*rng.NormFloat64()
}

// acceptance is E min(1, exp(Δβ (U1 − U2))) for U_i = τ_i·Exp(1), τ1 < τ2:
// with α = 1 − τ1/τ2 = Δβ τ1 and γ = τ2/τ1 − 1 = Δβ τ2 it is
// P(swap) = 2τ1/(τ1+τ2), by integrating both exponentials.
func acceptance(cold, hot float64) float64 { return 2 * cold / (cold + hot) }

// With independent draws in place of the kernel the mean swap probability and
// the share of swaps have known means. Attempts are independent, so the
// standard errors are binomial and ≤ 1/(2 sqrt(n)); |z| < 5.6 has a false alarm
// of 2.1e-8 for each of the 6 figures. It kills: the inverted swap, temperatures
// exchanged, a threshold rule, the missing pair parity.
func TestSwapProbabilityOfExactDraws(t *testing.T) {
	tau := []float64{1, 2, 5, 9}
	e, err := New(4, Settings{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	rung, energy := []int{2, 0, 3, 1}, make([]float64, 4)
	const sweeps = 200_000
	for k := 1; k <= sweeps; k++ {
		for i, r := range rung {
			energy[i] = gaussian(rng, tau[r], 0)
		}
		e.Sweep(k, rung, energy, tau, rng)
	}
	s := e.Statistics()
	for p, pair := range s.Pairs {
		if pair.Attempts != sweeps/2 {
			t.Errorf("pair %d: %d attempts in %d sweeps", p, pair.Attempts, sweeps)
		}
		want := acceptance(tau[p], tau[p+1])
		se := math.Sqrt(want * (1 - want) / float64(pair.Attempts))
		if z := (pair.Rate() - want) / se; math.Abs(z) > 5.6 {
			t.Errorf("pair %d: %.4f of the attempts traded, want %.4f (z = %.1f)", p, pair.Rate(), want, z)
		}
		if z := (pair.MeanProbability() - want) / se; math.Abs(z) > 5.6 {
			t.Errorf("pair %d: mean probability %.4f, want %.4f (z = %.1f)", p, pair.MeanProbability(), want, z)
		}
	}
}

// Independent energies of each rung stay so through sweeps: after the labels
// traded, the energy held by rung 0 has still the law of rung 0, also with
// Gaussian energy noise of variance s² per energy and σ̃² = 2s², C = 2. The
// fraction test is on the exact energy. E U = shift + τ, sd τ: |z| < 5.3 has a
// false alarm of 1.2e-7. It kills: inverted swap, temperatures exchanged,
// threshold, and at noise 1 C = 1 and C = 4.
func TestSweepKeepsTheLaw(t *testing.T) {
	tau := []float64{1, 3, 4}
	for _, noise := range []float64{0, 1} {
		e, err := New(3, Settings{Variance: 2 * noise * noise})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		const n = 300_000
		sum := make([]float64, 3)
		for k := 1; k <= n; k++ {
			rung := []int{0, 1, 2}
			exact, noisy := make([]float64, 3), make([]float64, 3)
			for i := range exact {
				exact[i] = gaussian(rng, tau[i], 0)
				noisy[i] = exact[i] + noise*rng.NormFloat64()
			}
			e.Sweep(k, rung, noisy, tau, rng)
			for i, r := range rung {
				sum[r] += exact[i]
			}
		}
		for r, s := range sum {
			if z := (s/n - 3 - tau[r]) / (tau[r] / math.Sqrt(n)); math.Abs(z) > 5.3 {
				t.Errorf("noise %g, rung %d: mean energy %.4f, want %.4f (z = %.1f)", noise, r, s/n, 3+tau[r], z)
			}
		}
	}
}

// Rungs stay a permutation, only neighbours trade, every rung is in at most one
// pair of a sweep, and DEO alternates.
func TestLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "rungs")
		e, err := New(n, Settings{Every: rapid.IntRange(1, 3).Draw(t, "every")})
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		tau, rung, energy := make([]float64, n), rng.Perm(n), make([]float64, n)
		for i := range tau {
			tau[i] = 1 + float64(i)
		}
		for k := 1; k <= 40; k++ {
			for i := range energy {
				energy[i] = rng.NormFloat64()
			}
			before := append([]int(nil), rung...)
			e.Sweep(k, rung, energy, tau, rng)
			seen := make([]bool, n)
			for i, r := range rung {
				seen[r] = true
				if d := r - before[i]; d < -1 || d > 1 || d != 0 && k%e.set.Every != 0 {
					t.Fatalf("replica %d jumped from rung %d to %d at iteration %d", i, before[i], r, k)
				} else if d != 0 && min(r, before[i])%2 != (e.sweeps-1)%2 {
					t.Fatalf("pair %d traded in sweep %d of the other parity", min(r, before[i]), e.sweeps-1)
				}
			}
			for r, ok := range seen {
				if !ok {
					t.Fatalf("nobody holds rung %d", r)
				}
			}
		}
	})
}

// With equal energies every attempt trades, and DEO carries each replica up and
// down without a pause: of N+1 rungs every replica makes one round trip in
// 2(N+1) sweeps.
func TestRoundTripsWithoutRejection(t *testing.T) {
	for _, rungs := range []int{2, 3, 5, 8} {
		e, _ := New(rungs, Settings{})
		rng := rand.New(rand.NewPCG(1, 1))
		rung, energy, tau := make([]int, rungs), make([]float64, rungs), make([]float64, rungs)
		for i := range rung {
			rung[i], tau[i] = i, 1+float64(i)
		}
		const laps = 50
		for k := 1; k <= 2*rungs*laps; k++ {
			e.Sweep(k, rung, energy, tau, rng)
		}
		s := e.Statistics()
		// The first trip of a replica starts when it first reaches rung 0.
		if got := s.RoundTrips; got < int64(rungs*(laps-1)) || got > int64(rungs*laps) {
			t.Errorf("%d rungs: %d round trips in %d laps", rungs, got, laps)
		}
		if s.Barrier() != 0 {
			t.Errorf("%d rungs: barrier %v without rejections", rungs, s.Barrier())
		}
	}
}

func TestSettings(t *testing.T) {
	for _, s := range []Settings{{Scheme: "ring"}, {Rule: "always"}, {Every: -1}, {Correction: -2}, {Correction: math.NaN()}, {Variance: -1},
		{Variance: math.Inf(1)}} {
		if _, err := New(2, s); err == nil {
			t.Errorf("%+v was taken", s)
		}
	}
}

func TestSavedExchangeGoesOn(t *testing.T) {
	run := func(e *Exchange, rung []int, rng *rand.Rand, from, to int) Statistics {
		tau, energy := []float64{1, 2, 3}, make([]float64, 3)
		for k := from; k < to; k++ {
			for i := range energy {
				energy[i] = rng.ExpFloat64()
			}
			e.Sweep(k, rung, energy, tau, rng)
		}
		return e.Statistics()
	}
	whole, _ := New(3, Settings{})
	want := run(whole, []int{0, 1, 2}, rand.New(rand.NewPCG(9, 9)), 1, 1000)

	half, _ := New(3, Settings{})
	rung, rng := []int{0, 1, 2}, rand.New(rand.NewPCG(9, 9))
	run(half, rung, rng, 1, 400)
	saved, err := half.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	rest, _ := New(3, Settings{})
	if err := rest.UnmarshalBinary(saved); err != nil {
		t.Fatal(err)
	}
	got := run(rest, rung, rng, 400, 1000)
	if got.RoundTrips != want.RoundTrips || got.Pairs[0] != want.Pairs[0] || got.Pairs[1] != want.Pairs[1] {
		t.Errorf("resumed %+v, uninterrupted %+v", got, want)
	}
	for n := range saved {
		if rest.UnmarshalBinary(saved[:n]) == nil {
			t.Errorf("%d of %d bytes were taken for a state", n, len(saved))
		}
	}
}

func TestNoAllocation(t *testing.T) {
	e, _ := New(8, Settings{})
	rng := rand.New(rand.NewPCG(1, 1))
	rung, energy := []int{0, 1, 2, 3, 4, 5, 6, 7}, make([]float64, 8)
	tau := []float64{1, 2, 3, 4, 5, 6, 7, 8}
	k := 0
	if n := testing.AllocsPerRun(100, func() { k++; e.Sweep(k, rung, energy, tau, rng) }); n != 0 {
		t.Errorf("%v allocations a sweep", n)
	}
}
