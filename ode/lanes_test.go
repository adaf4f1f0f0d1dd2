package ode

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The way back gives what the way with sensitivities gives, states bit by bit and gradients
// but for rounding, in every lane: forwards and backwards in time, times in one step, at the
// end of one and at the beginning, asked for twice, and whatever was solved before. A lane
// alone gives the same bits. Seen to fail with any one of the sums of back left out.
func TestLanesAgreeWithSensitivities(t *testing.T) {
	systems := []Parametric{lotka(), chain(), growth()}
	rapid.Check(t, func(r *rapid.T) {
		s := systems[rapid.IntRange(0, 2).Draw(r, "system")]
		o := Options{Method: rapid.SampledFrom(explicitMethods).Draw(r, "method"),
			RTol: math.Pow(10, -rapid.Float64Range(2, 9).Draw(r, "digits"))}
		lanes := rapid.IntRange(1, 9).Draw(r, "lanes")
		number := rapid.Float64Range(0.2, 2)
		draw := func(n int, name string) []float64 { return rapid.SliceOfN(number, n*lanes, n*lanes).Draw(r, name) }
		t0 := rapid.Float64Range(-1, 1).Draw(r, "t0")
		times := drawWay(r, t0)
		a, alone := must(NewLanes(s, lanes, o)), must(NewLanes(s, 1, o))
		n, width := len(times)*s.Dim, s.Parameters+s.Dim
		y, g, weights := make([]float64, n*lanes), make([]float64, width*lanes), make([]float64, n*lanes)
		for range 2 { // the second solution has a path of before
			y0, p := draw(s.Dim, "y0"), draw(s.Parameters, "p")
			w := rapid.SliceOfN(rapid.Float64Range(-1, 1), n*lanes, n*lanes).Draw(r, "weights")
			copy(weights, w)
			if err := a.Solve(t0, y0, p, times, y); err != nil {
				r.Fatal(err)
			}
			a.Gradient(g, w)
			for i := range lanes {
				y0, p, w, y, g := column(y0, i, lanes), column(p, i, lanes), column(w, i, lanes), column(y, i, lanes), column(g, i, lanes)
				if a.Err(i) != nil {
					r.Fatalf("lane %d: %v", i, a.Err(i))
				}
				want, sens := sensitive(t, s, o, t0, y0, p, times)
				if !same(y, want) {
					r.Fatalf("lane %d: states %v, with sensitivities %v", i, y, want)
				}
				for j, v := range g {
					sum, size := 0.0, 0.0
					for i, c := range w {
						sum, size = sum+c*sens[i*width+j], size+math.Abs(c*sens[i*width+j])
					}
					if !(math.Abs(v-sum) <= 1e-10*(1+size)) {
						r.Fatalf("lane %d: gradient by %d: %v, by sensitivities %v", i, j, v, sum)
					}
				}
				z, h := make([]float64, n), make([]float64, width)
				if err := alone.Solve(t0, y0, p, times, z); err != nil {
					r.Fatal(err)
				}
				if alone.Gradient(h, w); !same(y, z) || !same(g, h) || a.Stats(i) != alone.Stats(0) {
					r.Fatalf("lane %d of %d: %v, %v, %+v; alone %v, %v, %+v", i, lanes, y, g, a.Stats(i), z, h, alone.Stats(0))
				}
			}
			if allocated := testing.AllocsPerRun(1, func() { _ = a.Solve(t0, y0, p, times, y); a.Gradient(g, weights) }); allocated > 0 {
				r.Fatalf("%v allocations a gradient", allocated)
			}
		}
	})
}

// drawWay are monotone from t0, some of them twice.
func drawWay(r *rapid.T, t0 float64) []float64 {
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
	return times
}

// column is lane i of n.
func column(x []float64, i, n int) (v []float64) {
	for ; i < len(x); i += n {
		v = append(v, x[i])
	}
	return v
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestLanesFaults(t *testing.T) {
	for _, o := range []Options{{Method: LSODA}, {RTol: -1}, {Events: []Event{{Zero: func(float64, []float64) float64 { return 1 }}}}} {
		if _, err := NewLanes(lotka(), 1, o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, err := NewLanes(Parametric{Dim: 2}, 1, Options{}); err == nil {
		t.Error("no Eval: no error")
	}
	a := must(NewLanes(lotka(), 1, Options{}))
	if err := a.Solve(0, []float64{1, 1}, []float64{1}, []float64{1}, make([]float64, 2)); err == nil {
		t.Error("one parameter of four: no error")
	}
	if err := a.Solve(0, []float64{1, 1}, []float64{1, 1, 1, 1}, []float64{1, 2, 1}, make([]float64, 6)); err == nil {
		t.Error("times that go back: no error")
	}
}
