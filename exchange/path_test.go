package exchange

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/r2sgld/r2sgld/internal/pace"
)

// sample is the mean of independent numbers and its standard error.
type sample struct{ n, mean, squares float64 }

func (s *sample) add(x float64) {
	s.n++
	d := x - s.mean
	s.mean += d / s.n
	s.squares += d * (x - s.mean)
}

func (s *sample) se() float64 { return math.Sqrt(s.squares / (s.n - 1) / s.n) }

// size is n, 16 times as much in long runs.
func size(n int) int {
	if pace.Soaking() {
		return 16 * n
	}
	return n
}

// A path gives independent energies of the law exp(−U/τ), in place of a kernel.
type path func(rng *rand.Rand, tau float64) float64

// plane is U = |x|²/2 in two dimensions: τ·Exp(1).
func plane(rng *rand.Rand, tau float64) float64 { return tau * rng.ExpFloat64() }

// flower is the law of 25 modes on the flower, by rejection from the uniform law:
// testdata/flower.json.
func flower(rng *rand.Rand, tau float64) float64 {
	const s, lowest = 2 / 3.5, -4
	for {
		x, y := 4.6*rng.Float64()-2.3, 4.6*rng.Float64()-2.3
		rr := x*x + y*y
		r := math.Sqrt(rr)
		if (r-3*s)*rr*rr*r > s*(5*x*x*x*x*y-10*x*x*y*y*y+y*y*y*y*y) {
			continue
		}
		u := (rr/10 - (math.Cos(2*math.Pi*x) + math.Cos(2*math.Pi*y))) / 0.5
		if rng.Float64() < math.Exp((lowest-u)/tau) {
			return u
		}
	}
}

// run makes n sweeps with fresh energies of every replica.
func (p path) run(e *Exchange, from, n int, rung []int, tau []float64, rng *rand.Rand) {
	energy := make([]float64, len(rung))
	for k := from + 1; k <= from+n; k++ {
		for i, r := range rung {
			energy[i] = p(rng, tau[r])
		}
		e.Sweep(k, rung, energy, tau, rng)
	}
}

// trips measures round trips and restarts per sweep in batches, after as many
// sweeps as four batches. Trips go on through the ends of batches, so that the
// means are those of the stationary process without an error from the ends.
func (p path) trips(t *testing.T, s Settings, tau []float64, batches, length int) (trips, restarts sample) {
	t.Helper()
	e, err := New(len(tau), s)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, uint64(len(tau))))
	rung := count(len(tau))
	k := 4 * length
	p.run(e, 0, k, rung, tau, rng)
	for range batches {
		e.Reset()
		p.run(e, k, length, rung, tau, rng)
		k += length
		st := e.Statistics()
		trips.add(float64(st.RoundTrips) / float64(st.Sweeps))
		restarts.add(float64(st.Restarts) / float64(st.Sweeps))
	}
	return trips, restarts
}

// The Gaussian path in two dimensions, precision 1 … 10, has Λ = ½ log 10 =
// 1.1513 and log Z(10)/Z(1) = −log 10. Equal rejections are equal ratios of
// temperatures: with 9 rungs r = (ρ−1)/(ρ+1), ρ = 10^⅛, so that Σ r = 1.1430 (the
// barrier is its limit) and DEO makes 1/(2 + 8(ρ−1)) = 0.2142 round trips per
// sweep, the most that 9 rungs can: Σ r/(1−r) = ½ Σ (ρ_i − 1) is least for equal
// ratios. The 0.2151 sometimes quoted is a measured figure, 0.4 % above it.
//
// Standard errors are derived: with X = exp(−ΔU), U ~ Exp(β_hot), E X = 1/ρ and
// E X² = 1/(2ρ−1), likewise backward and for the bridge, whose terms on one rung
// are correlated negatively. Backward terms have fewer than four moments, hence
// |z| < 6 for those. It kills: inverted swap, temperatures exchanged, the signs
// of forward and backward, the bridge with whole exponents, a streaming sum that
// forgets to rescale.
func TestGaussianPath(t *testing.T) {
	const rungs, ladders = 9, 20
	length := size(40_000)
	rho := math.Pow(10, 1.0/8)
	tau := make([]float64, rungs) // precisions 10 … 1
	for r := range tau {
		tau[r] = 0.1 * math.Pow(rho, float64(r))
	}
	var all []Statistics
	var pooled Statistics
	for l := range ladders {
		e, _ := New(rungs, Settings{})
		path(plane).run(e, 0, length, count(rungs), tau, rand.New(rand.NewPCG(5, uint64(l))))
		all = append(all, e.Statistics())
		pooled.Add(e.Statistics())
	}
	r := (rho - 1) / (rho + 1)
	n := float64(ladders * length)
	// A mean probability of one pair comes from an eighth of n/2 attempts in [0,1].
	if got, se := pooled.Barrier(), math.Sqrt(8*r*(1-r)/(n/16)); math.Abs(got-8*r) > 4.9*se {
		t.Errorf("barrier %.5f, want %.5f ± %.5f", got, 8*r, se)
	}
	if limit := 0.5 * math.Log(10); !(8*r < limit && limit-8*r < 0.0084) {
		t.Errorf("Σ r is %.5f, far from its limit %.5f", 8*r, limit)
	}
	if rate := RateDEO(pooled.Rejections()); math.Abs(rate-1/(2+8*(rho-1))) > 0.0005 {
		t.Errorf("%.4f round trips per sweep from rejections, want %.4f", rate, 1/(2+8*(rho-1)))
	}
	terms := n / noteEvery
	forward := math.Sqrt(8 * (rho*rho/(2*rho-1) - 1) / terms)
	backward := math.Sqrt(8 * (1/(rho*(2-rho)) - 1) / terms)
	half := (1+rho)*(1+rho)/(4*rho) - 1
	shared := (1+rho)*(1+rho)/(4*rho)/(1+(rho-1)/2-(1-1/rho)/2) - 1
	bridge := math.Sqrt((16*half - 14*shared) / terms)
	ev := EvidenceOf(all...)
	for _, c := range []struct {
		name     string
		got, se  float64
		exceeded float64
	}{{"forward", ev.Forward, forward, 4.9}, {"backward", ev.Backward, backward, 6}, {"bridge", ev.Estimate, bridge, 4.9}} {
		if z := (c.got + math.Log(10)) / c.se; math.Abs(z) > c.exceeded {
			t.Errorf("%s: log Z = %.5f, want %.5f ± %.5f (z = %.1f)", c.name, c.got, -math.Log(10), c.se, z)
		}
	}
	// The square of the ratio is χ²/19 with 19 degrees of freedom: outside of
	// [0.11, 3.6] with a probability of 1e-6.
	if q := ev.Error * ev.Error / (bridge * bridge); q < 0.11 || q > 3.6 {
		t.Errorf("standard error over ladders %.5f, want %.5f", ev.Error, bridge)
	}
}

// Energies seen at sweeps only, as exact ones are, tell the evidence about every
// sixteenth iteration, and at every sweep if these are rarer: every 100 iterations
// its standard error over ladders is that of all sweeps, where energies are seen in
// between that of the iterations in between as well, 16 ladders of m sweeps. Two rungs
// of the Gaussian path, ρ = 1.25: the terms of the bridge have the relative variance
// (1+ρ)²/(4ρ) − 1, the difference of their logarithms twice that. The square of the
// ratio to it is χ²/15: outside of [0.07, 4.2] with a probability of 1e-6. It kills:
// every sixteenth sweep (16).
func TestEvidenceOfRareSweeps(t *testing.T) {
	const rho, ladders = 1.25, 16
	tau, sweeps := []float64{1, rho}, size(6400)
	for _, c := range []struct {
		every int
		apart int     // iterations from one that is seen to the next
		terms float64 // of a sweep
	}{
		{1, 1, 1.0 / 16}, {10, 10, 10.0 / 16}, {16, 16, 1}, {100, 100, 1},
		{10, 1, 10.0/16 + 10.0/16 - 10.0/80}, {100, 1, 100.0/16 + 1 - 100.0/400},
	} {
		var all []Statistics
		for l := range ladders {
			e, _ := New(2, Settings{Every: c.every})
			rng, rung, energy := rand.New(rand.NewPCG(8, uint64(l))), count(2), make([]float64, 2)
			for k := c.apart; k <= sweeps*c.every; k += c.apart {
				for i, r := range rung {
					energy[i] = plane(rng, tau[r])
				}
				e.Sweep(k, rung, energy, tau, rng)
			}
			all = append(all, e.Statistics())
			if got, want := all[l].stones[0].Hot.Count, int64(math.Round(c.terms*float64(sweeps))); got != want {
				t.Fatalf("a sweep in %d iterations, one in %d seen: %d terms, want %d", c.every, c.apart, got, want)
			}
		}
		ev := EvidenceOf(all...)
		se := math.Sqrt(2 * ((1+rho)*(1+rho)/(4*rho) - 1) / (ladders * c.terms * float64(sweeps)))
		if q := ev.Error * ev.Error / (se * se); q < 0.07 || q > 4.2 || math.Abs(ev.Estimate+math.Log(rho)) > 4.9*se {
			t.Errorf("a sweep in %d iterations, one in %d seen: log Z = %.5f ± %.5f, want %.5f ± %.5f",
				c.every, c.apart, ev.Estimate, ev.Error, -math.Log(rho), se)
		}
	}
}

// Round trips of independent energies follow the formulae, as restarts do: over
// 100 batches, Student's |t| < 5.3 has a false alarm below 1e-6. It kills: parity
// ignored, a coin for parity, trips counted at one end only.
func TestRoundTripRates(t *testing.T) {
	tau := geometric(9, 10)
	rho := tau[1]
	r := make([]float64, 8)
	for i := range r {
		r[i] = (rho - 1) / (rho + 1)
	}
	for scheme, want := range map[string]float64{"deo": RateDEO(r), "seo": rateSEO(r), "windowed-deo": RateDEO(r) / 3} {
		s := Settings{Scheme: scheme}
		if scheme == "windowed-deo" {
			s.Window = 3
		}
		if got := s.RoundTrips(r); math.Abs(got/want-1) > 1e-12 {
			t.Errorf("%s: the formula is %g instead of %g", scheme, got, want)
		}
		trips, restarts := path(plane).trips(t, s, tau, 100, size(4000))
		if z := (trips.mean - want) / trips.se(); math.Abs(z) > 5.3 {
			t.Errorf("%s: %.5f round trips per sweep, want %.5f (z = %.1f)", scheme, trips.mean, want, z)
		}
		if z := (restarts.mean - want) / restarts.se(); math.Abs(z) > 5.3 {
			t.Errorf("%s: %.5f restarts per sweep, want %.5f (z = %.1f)", scheme, restarts.mean, want, z)
		}
	}
}

// With 10 rungs and every swap accepted with probability 0.005, 98,000 sweeps
// have 55.6 round trips of all replicas in windows of 626 with gate once, and
// 27.3 in windows of 1. Student's |t| < 5.3 over 100 batches. It kills: gate open
// or last for once, parity that does not wait for the window, a wrong W.
func TestWindowedRoundTrips(t *testing.T) {
	pace.Slow(t)
	const target, length = 0.005, 98_000
	tau := geometric(10, 10)
	energy := make([]float64, 10) // of rungs, so that S̃ is the target for each pair
	for p := range energy[1:] {
		energy[p+1] = energy[p] - math.Log(target)/(1/tau[p]-1/tau[p+1])
	}
	of := map[float64]float64{}
	for r, v := range tau {
		of[v] = energy[r]
	}
	fixed := path(func(_ *rand.Rand, tau float64) float64 { return of[tau] })
	for _, c := range []struct {
		window int
		quoted float64
	}{{0, 55.6}, {1, 27.3}} {
		s := Settings{Scheme: "windowed-deo", Gate: "once", Target: target, Window: c.window}
		w := s.WithDefaults(10).Window
		want := s.RoundTrips(slices.Repeat([]float64{1 - target}, 9))
		if math.Abs(want*length-c.quoted) > 0.05 {
			t.Errorf("W = %d: the formula gives %.2f round trips, want %.1f", w, want*length, c.quoted)
		}
		trips, _ := fixed.trips(t, s, tau, 100, size(98_000)/14)
		if z := (trips.mean - want) / trips.se(); math.Abs(z) > 5.3 {
			t.Errorf("W = %d: %.2f round trips, want %.2f (z = %.1f)", w, trips.mean*length, want*length, z)
		}
	}
}

// reference is testdata/flower.json.
type reference struct {
	Mean  map[string]float64 `json:"mean_energy"`
	SD    map[string]float64 `json:"sd_energy"`
	Swap  float64            `json:"swap_1_10"`
	Total float64            `json:"barrier_10_to_1"`
	Local map[string]float64 `json:"local_barrier"`
	LogZ  float64            `json:"log_Z_1_over_10"`
}

func readReference(t *testing.T) reference {
	t.Helper()
	text, err := os.ReadFile("testdata/flower.json")
	if err != nil {
		t.Fatal(err)
	}
	var ref reference
	if err := json.Unmarshal(text, &ref); err != nil {
		t.Fatal(err)
	}
	return ref
}

// On the flower, with exact energies, two rungs τ = 1 and 10 swap with
// probability 0.3042. Standard errors are binomial, |z| < 4.9. It kills: inverted
// swap, temperatures exchanged, threshold, C = 1 with a variance.
func TestFlowerSwaps(t *testing.T) {
	ref := readReference(t)
	e, _ := New(2, Settings{Scheme: "adj"})
	n := size(60_000)
	path(flower).run(e, 0, n, count(2), []float64{1, 10}, rand.New(rand.NewPCG(6, 1)))
	s := e.Statistics()
	se := math.Sqrt(ref.Swap * (1 - ref.Swap) / float64(n))
	if z := (s.Pairs[0].MeanProbability() - ref.Swap) / se; math.Abs(z) > 4.9 {
		t.Errorf("mean probability %.5f, want %.5f", s.Pairs[0].MeanProbability(), ref.Swap)
	}
	if z := (s.Pairs[0].Rate() - ref.Swap) / se; math.Abs(z) > 4.9 {
		t.Errorf("rate %.5f, want %.5f", s.Pairs[0].Rate(), ref.Swap)
	}
}

// A ladder of 13 rungs between τ = 1 and 10, equally spaced in 1/τ, tells the
// barrier, its derivative and the evidence. Discrete rejections differ from the
// barrier by less than 0.002 here. As 1 − min(1, S) ≤ Δβ (U_hot − U_cold)⁺, its
// standard deviation is at most Δβ·sd(U) ≤ 1.97 Δβ: that of the mean of 12 such
// over m sweeps, and, divided by Δβ, of the local barrier, where the cubic's
// derivative weighs two pairs and its shape adds up to 0.02. log Z by its standard error over 8 ladders, Student's t with 7 degrees
// of freedom: |t| < 15 is 1.4e-6. It kills: inverted swap, forward for backward.
func TestFlowerBarrier(t *testing.T) {
	pace.Slow(t)
	ref := readReference(t)
	const rungs, ladders = 13, 8
	length := size(8000)
	beta, tau := make([]float64, rungs), make([]float64, rungs)
	for r := range tau {
		beta[r] = 1 - 0.9*float64(r)/(rungs-1)
		tau[r] = 1 / beta[r]
	}
	var all []Statistics
	var pooled Statistics
	for l := range ladders {
		e, _ := New(rungs, Settings{Scheme: "adj"})
		path(flower).run(e, 0, length, count(rungs), tau, rand.New(rand.NewPCG(7, uint64(l))))
		all = append(all, e.Statistics())
		pooled.Add(all[l])
	}
	m := float64(ladders * length)
	b, err := NewBarrier(beta, pooled.Rejections())
	if err != nil {
		t.Fatal(err)
	}
	sd := ref.SD["10"] / math.Sqrt(m)
	if tol := 0.002 + 4.9*sd*(beta[0]-beta[1])*math.Sqrt(rungs-1); math.Abs(b.Total()-ref.Total) > tol {
		t.Errorf("barrier %.4f, want %.4f ± %.4f", b.Total(), ref.Total, tol)
	}
	for at, beta := range map[string]float64{"0.1": beta[rungs-1], "0.325": 0.325, "0.55": 0.55, "0.775": 0.775, "1": 1} {
		tol := 0.02 + 4.9*math.Sqrt2*sd
		if got := b.Local(beta); math.Abs(got-ref.Local[at]) > tol {
			t.Errorf("local barrier at %s: %.3f, want %.3f ± %.3f", at, got, ref.Local[at], tol)
		}
	}
	ev := EvidenceOf(all...)
	if math.Abs(ev.Estimate-ref.LogZ) > 15*ev.Error || ev.Error > 0.02 {
		t.Errorf("log Z ratio %.4f ± %.4f, want %.4f", ev.Estimate, ev.Error, ref.LogZ)
	}
	for _, v := range []float64{ev.Forward, ev.Backward} {
		if math.Abs(v-ref.LogZ) > 0.05 {
			t.Errorf("log Z ratio %.4f one way, want %.4f", v, ref.LogZ)
		}
	}
}

// Round trips per sweep on the Gaussian path with equal rejections: DEO's do not
// fall with the number of rungs, random even-odd's do (from 4 on), and the table
// tells the others'. Standard errors over 40 batches; a fall counts if it is more
// than 5.7 of them, Student's 1e-6. It kills: a coin in place of parity in DEO.
func TestRoundTripTable(t *testing.T) {
	sizes := []int{2, 4, 8, 16, 32}
	t.Logf("round trips per sweep\n%-14s%8v", "", sizes)
	for _, scheme := range schemes {
		var rates []sample
		for _, rungs := range sizes {
			length := size(800)
			if scheme == "ape" {
				length = size(800) / rungs
			}
			trips, _ := path(plane).trips(t, Settings{Scheme: scheme}, geometric(rungs, 10), 40, length)
			rates = append(rates, trips)
		}
		line := ""
		for _, r := range rates {
			line += format(r)
		}
		t.Logf("%-14s%s", scheme, line)
		for i := range rates[1:] {
			change, se := rates[i+1].mean-rates[i].mean, math.Hypot(rates[i].se(), rates[i+1].se())
			if scheme == "deo" && change < -5.7*se {
				t.Errorf("deo: the rate falls by %.4f ± %.4f from %d rungs to %d", -change, se, sizes[i], sizes[i+1])
			}
			if scheme == "seo" && i > 0 && change > -5.7*se {
				t.Errorf("seo: the rate changes by %.4f ± %.4f from %d rungs to %d", change, se, sizes[i], sizes[i+1])
			}
		}
	}
}
