package exchange

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Any rejections, also 0 and 1, give a barrier that increases and ladders that
// decrease strictly between the same ends with equal steps of the barrier.
func TestLadder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "rungs")
		beta, rejection := make([]float64, n), make([]float64, n-1)
		beta[n-1] = rapid.SampledFrom([]float64{0, 0.1, 1e-9}).Draw(t, "hottest")
		for p := n - 2; p >= 0; p-- {
			beta[p] = beta[p+1] + math.Exp(rapid.Float64Range(-12, 8).Draw(t, "step"))
			rejection[p] = rapid.OneOf(rapid.Float64Range(-0.1, 1.1), rapid.SampledFrom([]float64{0, 1})).Draw(t, "r")
		}
		b, err := NewBarrier(beta, rejection)
		if err != nil {
			t.Fatal(err)
		}
		before := 0.0
		for i := range 101 {
			at := b.at(beta[n-1] + (beta[0]-beta[n-1])*float64(i)/100)
			if at < before-1e-9 || b.Local(beta[n-1]+(beta[0]-beta[n-1])*float64(i)/100) < 0 {
				t.Fatalf("the barrier falls from %v to %v", before, at)
			}
			before = at
		}
		m := rapid.IntRange(2, 40).Draw(t, "new rungs")
		ladder := b.Ladder(m)
		if ladder[0] != beta[0] || ladder[m-1] != beta[n-1] || len(ladder) != m {
			t.Fatalf("ladder %v of %v", ladder, beta)
		}
		for i := 1; i < m; i++ {
			if !(ladder[i] < ladder[i-1]) {
				t.Fatalf("ladder %v does not decrease", ladder)
			}
			if want := b.Total() * float64(m-1-i) / float64(m-1); i < m-1 && math.Abs(b.at(ladder[i])-want) > 1e-6*(1+want) {
				t.Fatalf("barrier %v at rung %d, want %v", b.at(ladder[i]), i, want)
			}
		}
	})
}

// From exact rejections of an uneven ladder of the Gaussian path the ladder found
// is geometric, and so are ladders that already are. A cubic between 17 rungs is
// within 2 %. It kills: rejections in the wrong order, Λ̂ from the cold end.
func TestLadderOfGaussianPath(t *testing.T) {
	var beta, r []float64
	for i := range 17 {
		beta = append(beta, math.Pow(10, 1-math.Pow(float64(i)/16, 1.5)))
		if i > 0 {
			r = append(r, (beta[i-1]-beta[i])/(beta[i-1]+beta[i]))
		}
	}
	b, err := NewBarrier(beta, r)
	if err != nil {
		t.Fatal(err)
	}
	got := b.Ladder(9)
	for i := range got {
		if want := math.Pow(10, 1-float64(i)/8); math.Abs(got[i]/want-1) > 0.02 {
			t.Errorf("rung %d: β = %.4f, want %.4f", i, got[i], want)
		}
	}
	// λ(β) = 1/(2β) for d = 2.
	for _, beta := range []float64{1.5, 2, 4, 8} {
		if got, want := b.Local(beta), 1/(2*beta); math.Abs(got/want-1) > 0.05 {
			t.Errorf("local barrier at %g: %.4f, want %.4f", beta, got, want)
		}
	}
	if b.Local(0.5) != 0 || b.Local(11) != 0 {
		t.Error("a local barrier outside of the ladder")
	}
}

func TestBarrierRefuses(t *testing.T) {
	for _, c := range []struct{ beta, r []float64 }{
		{[]float64{1}, nil}, {[]float64{2, 1}, nil}, {[]float64{2, 1}, []float64{math.NaN()}},
		{[]float64{1, 2}, []float64{0.5}}, {[]float64{1, 1}, []float64{0.5}}, {[]float64{1, -1}, []float64{0.5}},
		{[]float64{1, math.NaN()}, []float64{0.5}}, {[]float64{math.Inf(1), 1}, []float64{0.5}},
	} {
		if _, err := NewBarrier(c.beta, c.r); err == nil {
			t.Errorf("%v with rejections %v was taken", c.beta, c.r)
		}
	}
}

// Limits: without rejection DEO makes half a trip per sweep and random even-odd
// 1/(2N); a window of one is DEO; a wall stops all.
func TestRates(t *testing.T) {
	none := make([]float64, 7)
	same := slices.Repeat([]float64{0.3}, 7)
	for _, c := range []struct{ got, want float64 }{
		{RateDEO(none), 0.5}, {rateSEO(none), 1.0 / 14}, {RateDEO(same), 1 / (2 + 2*7*0.3/0.7)},
		{rateWindowed(same, 1), RateDEO(same)}, {Settings{Scheme: "windowed-deo", Gate: "open", Window: 1}.RoundTrips(same),
			RateDEO(same)}, {RateDEO([]float64{0.1, 1}), 0},
		{rateWindowed(slices.Repeat([]float64{0.995}, 9), 626) * 98_000, 55.58},
	} {
		if math.Abs(c.got-c.want) > 0.01*c.want && c.got != c.want {
			t.Errorf("rate %v, want %v", c.got, c.want)
		}
	}
}
