package ode

import (
	"context"
	"math"
	"testing"
)

// fall is a stone thrown up: height 5 + 10t - 5t², zero at 1+√2, apex at 1.
var fall = System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = y[1], -10 }}

func component(i int) func(float64, []float64) float64 {
	return func(_ float64, y []float64) float64 { return y[i] }
}

// The equations are exact for both methods, so are the times: tolerance of
// rounding, magnified by the slow change at the zero.
func TestEventStops(t *testing.T) {
	for _, m := range explicitMethods {
		r, err := Solve(context.Background(), fall, 0, []float64{5, 10}, []float64{0.5, 1.5, 2.45, 9}, Options{Method: m, Events: []Event{
			{Name: "later", Zero: func(t float64, _ []float64) float64 { return t - 2.43 }},
			{Name: "cellar", Zero: func(_ float64, y []float64) float64 { return y[0] + 1 }, Stop: true}, // at 2.48
			{Name: "ground", Zero: component(0), Stop: true},
			{Name: "apex", Zero: component(1), Direction: -1},
			{Name: "rising", Zero: component(1), Direction: 1},
		}})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Stopped || len(r.T) != 2 || len(r.Events) != 2 {
			t.Fatalf("%s: stopped %v, %d times, events %+v", m, r.Stopped, len(r.T), r.Events)
		}
		for i, want := range []Occurrence{{3, "apex", 1, []float64{10, 0}}, {2, "ground", 1 + math.Sqrt2, []float64{0, -10 * math.Sqrt2}}} {
			e := r.Events[i]
			if e.Event != want.Event || e.Name != want.Name || math.Abs(e.T-want.T) > 1e-12 ||
				math.Hypot(e.Y[0]-want.Y[0], e.Y[1]-want.Y[1]) > 1e-11 {
				t.Errorf("%s: %+v, want %+v", m, e, want)
			}
		}
	}
}

// Zeros of the sine, forward and back, by direction; that at the start is none.
// Tolerance: 100 times that of the solver.
func TestEventDirections(t *testing.T) {
	for _, m := range explicitMethods {
		for _, end := range []float64{10, -10} {
			r, err := Solve(context.Background(), oscillator, 0, []float64{0, 1}, []float64{end},
				Options{Method: m, RTol: 1e-10, ATol: []float64{1e-10},
					Events: []Event{{Zero: component(0)}, {Zero: component(0), Direction: 1}, {Zero: component(0), Direction: -1}}})
			if err != nil {
				t.Fatal(err)
			}
			count, last := [3]int{}, 0.0
			for _, e := range r.Events {
				k := math.Round(e.T / math.Pi)
				if count[e.Event]++; math.Abs(e.T-k*math.Pi) > 1e-8 || k == 0 || math.Abs(e.T) < math.Abs(last)-1e-8 {
					t.Errorf("%s: event at %.12g after %.12g", m, e.T, last)
				}
				last = e.T
			}
			// Forward the sine falls first, backward it rises as time goes back.
			if want := map[bool][3]int{true: {3, 1, 2}, false: {3, 2, 1}}[end > 0]; count != want {
				t.Errorf("%s to %g: %v zeros, rising, falling, want %v", m, end, count, want)
			}
		}
	}
}

// root brackets: f has one sign before and the other, or zero, at the root.
func FuzzRoot(f *testing.F) {
	f.Add(0.0, 1.0, 0.3, 1.0)
	f.Add(5.0, -7.0, 1e-9, -3.0)
	f.Add(-1e6, 1e6, 0.5, 1e-8)
	f.Add(-1.000073e6, 5e6, 0.15, -47.99999999)
	f.Fuzz(func(t *testing.T, a, b, share, bend float64) {
		if !finite([]float64{a, b, share, bend}) || math.Abs(a) > 1e9 || math.Abs(b) > 1e9 || a == b || share <= 0 || share >= 1 ||
			math.Abs(bend) > 1e3 {
			return
		}
		zero := a + share*(b-a)
		if zero == a || zero == b {
			return
		}
		calls := 0
		g := func(x float64) float64 {
			calls++
			u := (x - zero) / (b - a)
			return u * (1 + bend*bend*u*u)
		}
		fa, fb := g(a), g(b)
		x := root(g, a, b, fa, fb)
		if d := math.Abs(x - zero); d > 8*0x1p-52*max(math.Abs(a), math.Abs(b)) || (g(x) > 0) != (fb > 0) && g(x) != 0 {
			t.Errorf("root %.17g, want %.17g: f is %g there, %g at the end", x, zero, g(x), fb)
		}
		if calls > 160 {
			t.Errorf("%d evaluations", calls)
		}
	})
}
