package stream

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/internal/vector/lane"
)

// Frozen draws: results that users saved depend on them. A change here changes
// every run of every user; do not make it without a new major version.
func TestFrozen(t *testing.T) {
	s := New(1, 0)
	got := [3]uint64{s.Of(0, Kernel).Uint64(), s.Of(1, Kernel).Uint64(), s.Of(0, Swap).Uint64()}
	want := [3]uint64{0xeb6a0b5642f780c8, 0x735ba814afce2df4, 0x978cf6997329b97a}
	if got != want {
		t.Errorf("first numbers %#x, frozen %#x", got, want)
	}
}

// An iteration begins with the same numbers whatever was drawn before, in it streams go on,
// and words and normal numbers do not depend on each other.
func TestStreamsBegin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, k := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 1<<40).Draw(t, "iteration")
		a, b := New(seed, 2), New(seed, 2)
		x, y := a.Of(1, Kernel), b.Of(1, Kernel)
		draw := func(r *Rand) (words [5]uint64, normals [5]float64) {
			for i := range words {
				words[i], normals[i] = r.Uint64(), r.NormFloat64()
			}
			return words, normals
		}
		first, _ := draw(x)
		for range rapid.IntRange(0, 9).Draw(t, "draws") {
			x.Uint64()
			x.NormFloat64()
		}
		a.Begin(k)
		b.Begin(k)
		words, normals := draw(x)
		a.Begin(k) // changes nothing
		for i, v := range normals {
			if w := y.NormFloat64(); w != v {
				t.Fatalf("normal number %d is %v, was %v", i, w, v)
			}
		}
		for i, v := range words {
			if w := y.Uint64(); w != v || v == first[i] {
				t.Fatalf("word %d is %v, was %v, in iteration 0 %v", i, w, v, first[i])
			}
		}
		if x.Uint64() != y.Uint64() || x.NormFloat64() != y.NormFloat64() {
			t.Fatal("streams that drew as much go on differently")
		}
	})
}

// Streams of ladders beside each other are those of each.
func TestBeside(t *testing.T) {
	a, b := New(7, 3), New(7, 9)
	both := Beside(2, a, b)
	for i, want := range []*Rand{a.Of(0, Kernel), a.Of(1, Kernel), b.Of(0, Kernel), b.Of(1, Kernel)} {
		if both.Of(i, Kernel) != want {
			t.Errorf("replica %d has the stream of another", i)
		}
	}
}

// Streams that differ in one part of their key are uncorrelated: n products of
// independent standard normals have mean 0 and variance 1, so |z| < 5.3 has a
// false alarm below 1.2e-7 a pair. A key that drops one part has z = sqrt(n).
func TestStreamsDiffer(t *testing.T) {
	const n = 10_000
	base := func() *Set { return New(5, 1) }
	others := map[string]func() float64{
		"seed":    New(6, 1).Of(1, Kernel).NormFloat64,
		"ladder":  New(5, 2).Of(1, Kernel).NormFloat64,
		"replica": base().Of(2, Kernel).NormFloat64,
		"purpose": base().Of(1, Swap).NormFloat64,
	}
	next := base().Of(1, Kernel)
	next.NormFloat64()
	others["number"] = next.NormFloat64
	words, both, odd := base().Of(1, Kernel), [2]float64{}, 1
	others["kind"] = func() float64 {
		if odd = 1 - odd; odd == 0 {
			both[0], both[1] = lane.Normals(words.Uint64(), words.Uint64())
		}
		return both[odd]
	}
	for name, other := range others {
		mine := base().Of(1, Kernel)
		sum := 0.0
		for range n {
			sum += mine.NormFloat64() * other()
		}
		if z := sum / math.Sqrt(n); math.Abs(z) > 5.3 {
			t.Errorf("streams of another %s are correlated: z = %.1f", name, z)
		}
	}
}

// Normals: the counts of 64 cells of equal probability, have a χ² with 63 degrees of freedom; its
// 1 − 5e-7 quantile is below 137. Beyond 3.6541… and 4.5 counts are binomial.
func TestNormals(t *testing.T) {
	const n, tailStart = 4_000_000, 3.6541528853610088
	var cell [64]float64
	var tails, far [2]float64
	r := New(3, 1).Of(0, Kernel)
	var sum, square float64
	for range n {
		x := r.NormFloat64()
		cell[min(63, int(64*0.5*math.Erfc(-x/math.Sqrt2)))]++
		side := 0
		if x < 0 {
			side = 1
		}
		if math.Abs(x) > tailStart {
			tails[side]++
		}
		if math.Abs(x) > 4.5 {
			far[side]++
		}
		sum += x
		square += x * x
	}
	chi2 := 0.0
	for _, c := range cell {
		chi2 += (c - n/64) * (c - n/64) / (n / 64)
	}
	if chi2 > 137 {
		t.Errorf("χ² of 64 cells is %.1f", chi2)
	}
	for side := range 2 {
		for _, q := range []struct{ count, p float64 }{{tails[side], 0.5 * math.Erfc(tailStart/math.Sqrt2)},
			{far[side], 0.5 * math.Erfc(4.5/math.Sqrt2)}} {
			want := n * q.p
			// Poisson: mean 516 and 13.6; 6.5 standard deviations and 4 more for its skewness.
			if math.Abs(q.count-want) > 6.5*math.Sqrt(want)+4 {
				t.Errorf("side %d: %.0f beyond, want %.1f", side, q.count, want)
			}
		}
	}
	if z := sum / math.Sqrt(n); math.Abs(z) > 5.3 {
		t.Errorf("mean: z = %.1f", z)
	}
	if z := (square - n) / math.Sqrt(2*n); math.Abs(z) > 5.3 {
		t.Errorf("variance: z = %.1f", z)
	}
}

func BenchmarkNormal(b *testing.B) {
	r := New(1, 1).Of(0, Kernel)
	for b.Loop() {
		r.NormFloat64()
	}
}
