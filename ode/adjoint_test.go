package ode

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The way back gives what the way with sensitivities gives, state for state and but for
// rounding: forwards and backwards in time, times in one step, at the end of one and at
// the beginning, asked for twice. Seen to fail with any one of the sums of back left out.
func TestAdjointAgreesWithSensitivities(t *testing.T) {
	systems := []Parametric{lotka(), chain(), growth()}
	rapid.Check(t, func(r *rapid.T) {
		s := systems[rapid.IntRange(0, 2).Draw(r, "system")]
		o := Options{Method: rapid.SampledFrom(explicitMethods).Draw(r, "method"),
			RTol: math.Pow(10, -rapid.Float64Range(2, 9).Draw(r, "digits"))}
		number := rapid.Float64Range(0.2, 2)
		y0, p := rapid.SliceOfN(number, s.Dim, s.Dim).Draw(r, "y0"), rapid.SliceOfN(number, s.Parameters, s.Parameters).Draw(r, "p")
		t0 := rapid.Float64Range(-1, 1).Draw(r, "t0")
		times := rapid.SliceOfN(rapid.Float64Range(0, 3), 0, 12).Draw(r, "times")
		slices.Sort(times)
		forward := rapid.SampledFrom([]float64{1, -1}).Draw(r, "direction")
		for i := range times {
			times[i] = t0 + forward*times[i]
		}
		if rapid.Bool().Draw(r, "twice") {
			times = slices.Sorted(slices.Values(slices.Concat(times, times, []float64{t0})))
			if forward < 0 {
				slices.Reverse(times)
			}
		}
		a, err := NewAdjoint(s, o)
		if err != nil {
			r.Fatal(err)
		}
		n, width := len(times)*s.Dim, s.Parameters+s.Dim
		for range 2 { // the second solution has a path of before
			y := make([]float64, n)
			if err := a.Solve(t0, y0, p, times, y); err != nil {
				r.Fatal(err)
			}
			want, sens := sensitive(t, s, o, t0, y0, p, times)
			if !same(y, want) {
				r.Fatalf("states %v, with sensitivities %v", y, want)
			}
			w := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(r, "weights")
			g := make([]float64, width)
			a.Gradient(g, w)
			for j, v := range g {
				sum, size := 0.0, 0.0
				for i, c := range w {
					sum, size = sum+c*sens[i*width+j], size+math.Abs(c*sens[i*width+j])
				}
				if !(math.Abs(v-sum) <= 1e-10*(1+size)) {
					r.Fatalf("gradient by %d: %v, by sensitivities %v", j, v, sum)
				}
			}
		}
		y, g := make([]float64, n), make([]float64, width)
		if allocated := testing.AllocsPerRun(1, func() { _ = a.Solve(t0, y0, p, times, y); a.Gradient(g, y) }); allocated > 0 {
			r.Fatalf("%v allocations a gradient", allocated)
		}
	})
}

func TestAdjointFaults(t *testing.T) {
	for _, o := range []Options{{Method: LSODA}, {RTol: -1}, {Events: []Event{{Zero: func(float64, []float64) float64 { return 1 }}}}} {
		if _, err := NewAdjoint(lotka(), o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := NewAdjoint(Parametric{Dim: 2}, Options{}); err == nil {
		t.Error("no Eval: no error")
	}
	a, err := NewAdjoint(lotka(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Solve(0, []float64{1, 1}, []float64{1}, []float64{1}, make([]float64, 2)); err == nil {
		t.Error("one parameter of four: no error")
	}
}
