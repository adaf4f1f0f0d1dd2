package kernel

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/r2sgld/r2sgld/stream"
)

// sources returns one generator per replica.
func sources(r int) *stream.Lanes { return stream.New(11, 0).Lanes(r, stream.Kernel) }

// On U = ½ Σ a_j x_j² one step of SGLD keeps the law N(0, τ/(a(1 − ηa/2))) of
// each coordinate exactly. Replicas start there, independent, and take three
// steps; two rungs hold different η and τ. The variance of n independent
// normals has standard error V·sqrt(2/n), so |z| < 5.6 has a false alarm below
// 2.2e-8 for each of four variances. It kills: noise sqrt(ητ) (z ≈ −60 per
// step), temperatures or step sizes of the rungs exchanged, ascent, and the
// unbiased variance τ/a (z ≈ 13 at ηa = 0.06 and n = 100,000 per rung).
func TestStationaryVariance(t *testing.T) {
	const n = 100_000
	a := []float64{1, 6}
	s := Schedule{StepSize: []float64{0.01, 0.02}, Temperature: []float64{1, 4}, Iterations: 3}
	b := NewBlock(2*n, 2)
	noise := sources(2 * n)
	variance := func(rung, j int) float64 {
		return s.Temperature[rung] / (a[j] * (1 - s.StepSize[rung]*a[j]/2))
	}
	for i := range b.R {
		b.Rung[i] = 1 - i%2
		for j := range a {
			b.X[j*b.R+i] = math.Sqrt(variance(b.Rung[i], j)) * noise.Of(i).NormFloat64()
		}
	}
	at := NewAt(2)
	for k := 1; k <= 3; k++ {
		for j := range a {
			for i := range b.R {
				b.Grad[j*b.R+i] = a[j] * b.X[j*b.R+i]
			}
		}
		s.Set(at, k)
		stepLangevin(b, at, noise)
	}
	for rung := range 2 {
		for j := range a {
			sum := 0.0
			for i := 1 - rung; i < b.R; i += 2 {
				x := b.X[j*b.R+i]
				sum += x * x
			}
			v := variance(rung, j)
			if z := (sum/n - v) / (v * math.Sqrt(2.0/n)); math.Abs(z) > 5.6 {
				t.Errorf("rung %d, coordinate %d: variance %.5f, not %.5f (z = %.1f)", rung, j, sum/n, v, z)
			}
		}
	}
}

// A step is x − η g + sqrt(2ητ) ξ to the last bit, and From keeps the start.
func TestStepIsItsFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, d := rapid.IntRange(1, 5).Draw(t, "replicas"), rapid.IntRange(1, 4).Draw(t, "dimension")
		b := NewBlock(r, d)
		number := rapid.Float64Range(-1e3, 1e3)
		for i := range b.X {
			b.X[i], b.Grad[i] = number.Draw(t, "x"), number.Draw(t, "g")
		}
		s := Schedule{Iterations: 10}
		for range r {
			s.StepSize = append(s.StepSize, rapid.Float64Range(1e-6, 1).Draw(t, "step"))
			s.Temperature = append(s.Temperature, rapid.Float64Range(1e-3, 100).Draw(t, "temperature"))
		}
		before := append([]float64(nil), b.X...)
		at := NewAt(r)
		s.Set(at, 1)
		stepLangevin(b, at, sources(r))
		xi := sources(r).Normals(d)
		for i := range r {
			for j := range d {
				k := j*r + i
				want := before[k] - s.StepSize[i]*b.Grad[k] + math.Sqrt(2*s.StepSize[i]*s.Temperature[i])*xi[k]
				if b.X[k] != want || b.From[k] != before[k] {
					t.Fatalf("replica %d, coordinate %d: %v from %v, want %v from %v", i, j, b.X[k], b.From[k], want, before[k])
				}
			}
		}
	})
}

func TestDecay(t *testing.T) {
	const k = 100
	cases := []struct {
		decay Decay
		at    int
		want  float64
	}{
		{Decay{}, 77, 1},
		{Decay{Kind: Exponential, Rate: 0.9, After: 10}, 10, 1},
		{Decay{Kind: Exponential, Rate: 0.9, After: 10}, 12, 0.81},
		{Decay{Kind: Cosine, Cycles: 4}, 1, 1},
		{Decay{Kind: Cosine, Cycles: 4}, 26, 1},
		{Decay{Kind: Cosine, Cycles: 5}, 11, 0.5}, // half a cycle of 20
		{Decay{Kind: Cosine, Cycles: 3}, 35, 1},   // cycles of ⌈100/3⌉ = 34
		{Decay{Kind: Polynomial, A: 3, B: 4, Gamma: 2}, 6, 0.03},
	}
	for _, c := range cases {
		s := Schedule{StepSize: []float64{2}, Temperature: []float64{5}, Iterations: k, Decay: c.decay}
		at := NewAt(1)
		s.Set(at, 1)
		s.Set(at, c.at)
		if math.Abs(at.StepSize[0]-2*c.want) > 1e-15 || math.Abs(at.Noise[0]-math.Sqrt(20*c.want)) > 1e-14 {
			t.Errorf("%+v at %d: step %v, noise %v, want factor %v", c.decay, c.at, at.StepSize[0], at.Noise[0], c.want)
		}
	}
	// Cosine cycles have a mean factor of ½ up to 1/(2·cycle): the same diffusion time at twice the step.
	sum := 0.0
	for i := 1; i <= k; i++ {
		sum += Decay{Kind: Cosine, Cycles: 5}.Factor(i, k)
	}
	if math.Abs(sum/k-0.525) > 1e-12 {
		t.Errorf("mean cosine factor %v, want ½ + 1/40", sum/k)
	}
}

func TestDecayFaults(t *testing.T) {
	for _, d := range []Decay{{Kind: "linear"}, {Kind: Exponential}, {Kind: Exponential, Rate: 1.5}, {Kind: Exponential, Rate: math.NaN()},
		{Kind: Cosine}, {Kind: Polynomial}, {Kind: Polynomial, A: 1, B: -1, Gamma: 1}, {Kind: Polynomial, A: 1, Gamma: -1}, {Kind: Polynomial,
			A: math.Inf(1), Gamma: 1}} {
		if d.Validate() == nil {
			t.Errorf("%+v was taken", d)
		}
	}
}

// The kept iterations are every Thin-th after the burn-in, from wherever one asks.
func TestNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule{BurnIn: rapid.IntRange(0, 50).Draw(t, "burn-in"), Thin: rapid.IntRange(0, 9).Draw(t, "thin")}
		want := 0
		for k := 200; k >= 0; k-- {
			if want != 0 && s.Next(k) != want {
				t.Fatalf("after %d comes %d, want %d", k, s.Next(k), want)
			}
			if k > s.BurnIn && (k-s.BurnIn)%max(1, s.Thin) == 0 {
				want = k
			}
		}
	})
}

func TestNotFinite(t *testing.T) {
	b := NewBlock(3, 2)
	if b.NotFinite() != -1 {
		t.Error("zeros are finite")
	}
	b.Grad[1*3+2] = math.Inf(-1)
	if b.NotFinite() != 2 {
		t.Error("an infinite gradient of replica 2 was missed")
	}
	b.Energy[1] = math.NaN()
	if b.NotFinite() != 1 {
		t.Error("a NaN energy of replica 1 was missed")
	}
}

func TestNoAllocation(t *testing.T) {
	b, at, noise := NewBlock(4, 3), NewAt(4), sources(4)
	s := Schedule{StepSize: []float64{1, 2, 3, 4}, Temperature: []float64{1, 2, 3, 4}, Iterations: 1e6, Decay: Decay{Kind: Cosine, Cycles: 3}}
	k := 0
	if n := testing.AllocsPerRun(100, func() { k++; s.Set(at, k); stepLangevin(b, at, noise) }); n != 0 {
		t.Errorf("%v allocations a step", n)
	}
}

func BenchmarkSGLD(b *testing.B) {
	blk, at, noise := NewBlock(2, 2), NewAt(2), sources(2)
	s := Schedule{StepSize: []float64{5e-4, 1.5e-3}, Temperature: []float64{1, 10}, Iterations: 1}
	s.Set(at, 1)
	for b.Loop() {
		stepLangevin(blk, at, noise)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2, "ns/chain-step")
}
