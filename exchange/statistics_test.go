package exchange

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"pgregory.net/rapid"
)

// kinds are settings of every scheme, rule and gate.
var kinds = []Settings{
	{}, {Scheme: "adj", Every: 2}, {Scheme: "ape"}, {Scheme: "seo"},
	{Scheme: "windowed-deo", Window: 4}, {Scheme: "windowed-deo", Window: 3, Gate: "open"},
	{Scheme: "windowed-deo", Window: 5, Gate: "once"},
	{Scheme: "windowed-deo", Window: 5, Gate: "once", Parity: "off", Rule: "indicator"},
	{Rule: "threshold"}, {Rule: "indicator", Gain: 0.1}, {Estimate: Estimate{Every: 3, Batches: 4}},
}

// drive runs iterations from … to−1 with random energies, observed where wanted.
func drive(e *Exchange, rung []int, tau []float64, rng *rand.Rand, from, to int) {
	energies := make([][]float64, 5)
	for b := range energies {
		energies[b] = make([]float64, len(rung))
	}
	for k := from; k < to; k++ {
		for b := range 1 + e.Wanted(k) {
			for i := range rung {
				energies[b][i] = rng.ExpFloat64()
			}
		}
		if n := e.Wanted(k); n > 0 {
			e.Observe(rung, energies[1:1+n])
		}
		e.Sweep(k, rung, energies[0], tau, rng)
	}
}

// An exchange that goes on from its saved state ends like one that was never
// interrupted: window, gates, level, σ̃², noise, evidence and travels. A state
// cut short, too long, or of another ladder is refused and changes nothing.
func TestSavedState(t *testing.T) {
	for _, s := range kinds {
		rapid.Check(t, func(t *rapid.T) {
			rungs := rapid.IntRange(1, 5).Draw(t, "rungs")
			stop := rapid.IntRange(1, 60).Draw(t, "stop")
			seed := rapid.Uint64().Draw(t, "seed")
			tau := geometric(rungs, 10)
			whole, _ := New(rungs, s)
			rung, rng := count(rungs), rand.New(rand.NewPCG(seed, 1))
			drive(whole, rung, tau, rng, 1, 100)

			half, _ := New(rungs, s)
			rung2, rng2 := count(rungs), rand.New(rand.NewPCG(seed, 1))
			drive(half, rung2, tau, rng2, 1, stop)
			saved, err := half.AppendBinary(nil)
			if err != nil {
				t.Fatal(err)
			}
			rest, _ := New(rungs, s)
			for n := range saved {
				if rest.UnmarshalBinary(saved[:n]) == nil {
					t.Fatalf("%d of %d bytes were taken for a state", n, len(saved))
				}
			}
			if rest.UnmarshalBinary(append(saved[:len(saved):len(saved)], 0)) == nil {
				t.Fatal("a state with one byte more was taken")
			}
			if other, _ := New(rungs+1, s); other.UnmarshalBinary(saved) == nil {
				t.Fatal("the state of another ladder was taken")
			}
			if fresh, _ := New(rungs, s); !reflect.DeepEqual(fresh, rest) {
				t.Fatal("a refused state has changed the exchange")
			}
			if err := rest.UnmarshalBinary(saved); err != nil {
				t.Fatal(err)
			}
			drive(rest, rung2, tau, rng2, stop, 100)
			if a, b := fmt.Sprintf("%+v", whole.stats), fmt.Sprintf("%+v", rest.stats); a != b {
				t.Fatalf("%+v: uninterrupted\n%s\nresumed\n%s", s, a, b)
			}
			if !reflect.DeepEqual(rung, rung2) || whole.level != rest.level {
				t.Fatalf("%+v: labels %v and %v", s, rung, rung2)
			}
		})
	}
}

func TestNoAllocations(t *testing.T) {
	for _, s := range kinds {
		e, _ := New(8, s)
		rng := rand.New(rand.NewPCG(1, 1))
		rung, tau := count(8), geometric(8, 10)
		energies := [][]float64{make([]float64, 8), make([]float64, 8), make([]float64, 8), make([]float64, 8)}
		fresh(energies, rung, make([]float64, 8), rng)
		k := 0
		if n := testing.AllocsPerRun(100, func() {
			k++
			e.Observe(rung, energies)
			e.Sweep(k, rung, energies[k%4], tau, rng)
		}); n != 0 {
			t.Errorf("%+v: %v allocations a sweep", s, n)
		}
	}
}

// Reset forgets what was counted and nothing that later sweeps depend on: labels
// go on as without it, and the counts before and after add up.
func TestReset(t *testing.T) {
	for _, s := range kinds {
		tau := geometric(4, 10)
		a, _ := New(4, s)
		b, _ := New(4, s)
		rungA, rungB := count(4), count(4)
		rngA, rngB := rand.New(rand.NewPCG(3, 3)), rand.New(rand.NewPCG(3, 3))
		drive(a, rungA, tau, rngA, 1, 2000)
		drive(b, rungB, tau, rngB, 1, 700)
		first := b.Statistics()
		b.Reset()
		if st := b.Statistics(); st.Sweeps+st.RoundTrips+st.Restarts+st.Pairs[1].Attempts+st.stones[0].Hot.Count != 0 {
			t.Errorf("%+v: %+v after Reset", s, st)
		}
		drive(b, rungB, tau, rngB, 700, 2000)
		sum, whole := b.Statistics(), a.Statistics()
		sum.Add(first)
		if sum.RoundTrips != whole.RoundTrips || sum.Restarts != whole.Restarts || sum.Sweeps != whole.Sweeps ||
			sum.Pairs[2].Accepted != whole.Pairs[2].Accepted {
			t.Errorf("%+v: %d + … is not %d", s, sum.RoundTrips, whole.RoundTrips)
		}
		if !reflect.DeepEqual(rungA, rungB) {
			t.Errorf("%+v: Reset changed the labels", s)
		}
		if extra := whole.Restarts - whole.RoundTrips; extra < 0 || extra > 4 {
			t.Errorf("%+v: %d restarts and %d round trips of 4 replicas", s, whole.Restarts, whole.RoundTrips)
		}
		if x, y := EvidenceOf(sum), EvidenceOf(whole); math.Abs(x.Forward-y.Forward)+math.Abs(x.Backward-y.Backward)+math.Abs(
			x.Estimate-y.Estimate) > 1e-10 && s.Estimate.Every == 0 {
			t.Errorf("%+v: evidence %+v, want %+v", s, x, y)
		}
	}
}

// One replica alone at the top and the bottom of a ladder of two: the labels are
// driven by hand. A restart needs the hot end, a round trip the cold end before.
func TestTripsByHand(t *testing.T) {
	e, _ := New(2, Settings{Scheme: "adj"})
	rng := rand.New(rand.NewPCG(1, 1))
	rung, tau := []int{0, 1}, []float64{1, 2}
	for k, want := range []struct{ trips, restarts int64 }{{0, 0}, {0, 1}, {1, 2}, {2, 3}} {
		energy := []float64{0, 0}
		if k == 0 {
			energy[0] = -1e6 // stay: replica 0 is cold, replica 1 hot
		}
		e.Sweep(k+1, rung, energy, tau, rng)
		if st := e.Statistics(); st.RoundTrips != want.trips || st.Restarts != want.restarts {
			t.Errorf("sweep %d: %d round trips and %d restarts, want %d and %d", k+1, st.RoundTrips, st.Restarts, want.trips, want.restarts)
		}
	}
}

// At infinite temperature an infinite energy never comes down, and counts in
// the evidence as density zero. U is 0 on half of the
// volume and +Inf elsewhere: log Z(β)/Z(0) = −log 2 at any β, forward and backward. 25,000
// terms of variance 1/4 give log ½ ± 0.0063; 4.9 of them. It kills: NaN, terms left out.
func TestUniformReference(t *testing.T) {
	e, _ := New(2, Settings{Scheme: "adj"})
	rng := rand.New(rand.NewPCG(1, 9))
	rung, tau := []int{0, 1}, []float64{1, math.Inf(1)}
	for k := 1; k <= 200_000; k++ {
		energy := []float64{0, 0}
		for i, r := range rung {
			if r == 1 && rng.Float64() < 0.5 {
				energy[i] = math.Inf(1)
			}
		}
		e.Sweep(k, rung, energy, tau, rng)
		for i, r := range rung {
			if r == 0 && math.IsInf(energy[i], 1) {
				t.Fatal("a state of density zero came to the cold rung")
			}
		}
	}
	st := e.Statistics()
	if ev := EvidenceOf(st); math.Abs(ev.Forward+math.Ln2) > 4.9*0.0063 || ev.Backward != ev.Forward {
		t.Errorf("evidence %+v", ev)
	}
	if p := st.Pairs[0].MeanProbability(); math.Abs(p-0.5) > 4.9*0.5/math.Sqrt(float64(st.Pairs[0].Weighed)) {
		t.Errorf("mean probability %v", p)
	}
}

// Sums of exponentials of any size agree with sums of logarithms done at once,
// also added up from two parts.
func TestTilt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e5, 1e5), 1, 40).Draw(t, "x")
		cut := rapid.IntRange(0, len(x)).Draw(t, "cut")
		var a, b tilt
		top := math.Inf(-1)
		for i, v := range x {
			if i < cut {
				a.add(v, math.Inf(1))
			} else {
				b.add(v, math.Inf(1))
			}
			top = max(top, v)
		}
		a.merge(b, math.Inf(1))
		sum, root := 0.0, 0.0
		for _, v := range x {
			sum += math.Exp(v - top)
			root += math.Exp((v - top) / 2)
		}
		n := float64(len(x))
		if a.Count != int64(len(x)) || math.Abs(a.logMean(a.Count)-top-math.Log(sum/n)) > 1e-9 ||
			math.Abs(a.logMeanRoot(a.Count)-top/2-math.Log(root/n)) > 1e-9 {
			t.Fatalf("%+v of %v", a, x)
		}
	})
}

// A ladder whose temperatures change has no evidence, and none without draws.
func TestNoEvidence(t *testing.T) {
	e, _ := New(2, Settings{})
	if ev := EvidenceOf(e.Statistics()); !math.IsNaN(ev.Estimate) {
		t.Errorf("evidence %v without draws", ev.Estimate)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for k := 1; k <= 100; k++ {
		e.Sweep(k, []int{0, 1}, []float64{1, 2}, []float64{1, 2 + float64(k)}, rng)
	}
	if ev := EvidenceOf(e.Statistics()); !math.IsNaN(ev.Estimate) {
		t.Errorf("evidence %v of changing temperatures", ev.Estimate)
	}
	if !math.IsNaN(Pair{}.Rate()) || !math.IsNaN(Pair{}.MeanProbability()) {
		t.Error("what is not known must be NaN")
	}
}
