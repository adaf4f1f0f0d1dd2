package ode

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/r2sgld/r2sgld/internal/pace" // the seed
)

// The way back gives what the way with sensitivities gives, states bit by bit and gradients
// but for rounding, in every lane: forwards and backwards in time, times in one step, at the
// end of one and at the beginning, asked for twice, and whatever was solved before. A lane
// alone gives the same bits. Seen to fail with any one of the sums of back left out. Nothing
// is allocated: of ten solutions, since the runtime may allocate beside one.
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
				if a.Err(i) == ErrBehind && lanes >= 4 {
					continue
				}
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
			if allocated := testing.AllocsPerRun(10, func() { _ = a.Solve(t0, y0, p, times, y); a.Gradient(g, weights) }); allocated > 0 {
				r.Fatalf("%v allocations a gradient", allocated)
			}
		}
	})
}

// A lane that needs far more steps than the others is left, and alone it is solved; one that
// may take no more, runs off or begins nowhere says so. The others have their numbers.
func TestLanesThatEnd(t *testing.T) {
	blowUp := Parametric{Dim: 1, Parameters: 2, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		f[0] = p[0]*math.Cos(p[0]*t) + p[1]*y[0]*y[0]
		if jy != nil {
			jy[0] = 2 * p[1] * y[0]
		}
		if jp != nil {
			jp[0], jp[1] = math.Cos(p[0]*t)-p[0]*t*math.Sin(p[0]*t), y[0]*y[0]
		}
	}}
	times := []float64{0.5, 3}
	const n = 9
	y0 := []float64{0, 0, 0, 0, 1, math.NaN(), 0, 0, 0}
	p := []float64{1, 1.1, 1.2, 1.3, 0, 1, 500, 1.4, 1.5, 0, 0, 0, 0, 1, 0, 0, 0, 0}
	for _, c := range []struct {
		steps int
		want  error
	}{{0, ErrBehind}, {20, ErrTooMany}} {
		l := must(NewLanes(blowUp, n, Options{Steps: c.steps}))
		y, g, w := make([]float64, 2*n), make([]float64, 3*n), slices.Repeat([]float64{1}, 2*n)
		if err := l.Solve(0, y0, p, times, y); err != nil {
			t.Fatal(err)
		}
		l.Gradient(g, w)
		if l.Err(6) != c.want || l.Err(4) != c.want || l.Err(5) != errNotFinite {
			t.Errorf("%d steps: %v, %v, %v", c.steps, l.Err(6), l.Err(4), l.Err(5))
		}
		alone := must(NewLanes(blowUp, 1, Options{Steps: c.steps}))
		for i := range n {
			z, h := make([]float64, 2), make([]float64, 3)
			if err := alone.Solve(0, column(y0, i, n), column(p, i, n), times, z); err != nil {
				t.Fatal(err)
			}
			alone.Gradient(h, []float64{1, 1})
			if i == 6 || i == 4 {
				want := []error{nil, errTooSmall}[(6-i)/2]
				if c.steps > 0 {
					want = ErrTooMany
				}
				if alone.Err(0) != want {
					t.Errorf("%d steps: lane %d alone: %v", c.steps, i, alone.Err(0))
				}
				continue
			}
			if ended := l.Err(i) != nil; l.Err(i) != alone.Err(0) || ended != (i == 5) || !same(column(y, i, n), z) ||
				!ended && !same(column(g, i, n), h) {
				t.Errorf("lane %d: %v, %v, %v; alone %v, %v, %v", i, l.Err(i), column(y, i, n), column(g, i, n), alone.Err(0), z, h)
			}
		}
	}
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
