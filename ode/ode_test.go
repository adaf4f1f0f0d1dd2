package ode

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var explicitMethods = []Method{DormandPrince, DOP853}

// oscillator has the solution (sin t, cos t) from (0, 1).
var oscillator = System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = y[1], -y[0] }}

func lotkaSystem() System { return System{Dim: 2, F: problems["lotka"].f} }

// same reports whether a and b are equal bit by bit, NaN included.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// drawTimes are 1 to 12 times in (0, 5], the last of them 5, mirrored by back.
func drawTimes(t *rapid.T, back bool) []float64 {
	x := append(rapid.SliceOfN(rapid.Float64Range(0, 5), 0, 11).Draw(t, "times"), 5)
	slices.Sort(x)
	if back {
		for i := range x {
			x[i] = -x[i]
		}
	}
	return x
}

// Solver and Solve give the same bytes, on a used workspace as on a fresh one.
func TestSolverEqualsSolve(t *testing.T) {
	solvers := map[Method]*Solver{}
	for _, m := range explicitMethods {
		v, err := NewSolver(2, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		solvers[m] = v
	}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(explicitMethods).Draw(t, "method")
		times := drawTimes(t, rapid.Bool().Draw(t, "back"))
		y0 := []float64{rapid.Float64Range(0.1, 20).Draw(t, "prey"), rapid.Float64Range(0.1, 20).Draw(t, "predators")}
		r, err := Solve(context.Background(), lotkaSystem(), 0, y0, times, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, 2*len(times))
		if err := solvers[m].Solve(lotkaSystem(), 0, y0, times, out); err != nil {
			t.Fatal(err)
		}
		if !same(out, slices.Concat(r.Y...)) || solvers[m].Stats() != r.Stats || !same(r.T, times) {
			t.Fatalf("Solver gives %v with %+v, Solve %v with %+v", out, solvers[m].Stats(), r.Y, r.Stats)
		}
	})
}

// Where output is wanted changes neither the steps nor the end, to the bit.
func TestOutputTimesLeaveSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(explicitMethods).Draw(t, "method")
		times := drawTimes(t, rapid.Bool().Draw(t, "back"))
		o := Options{Method: m}
		many, err := Solve(context.Background(), lotkaSystem(), 0, []float64{10, 5}, times, o)
		if err != nil {
			t.Fatal(err)
		}
		one, err := Solve(context.Background(), lotkaSystem(), 0, []float64{10, 5}, times[len(times)-1:], o)
		if err != nil {
			t.Fatal(err)
		}
		if !same(many.Y[len(times)-1], one.Y[0]) || many.Stats.Steps != one.Stats.Steps || many.Stats.Rejected != one.Stats.Rejected {
			t.Fatalf("with %d times %v, %+v; with the last alone %v, %+v", len(times), many.Y[len(times)-1], many.Stats, one.Y[0], one.Stats)
		}
	})
}

// There and back again. Tolerance: each way commits at most 4 tolerances on this
// problem (TestToleranceAndWork) and carries them along; going on instead of back
// ends elsewhere by more than a million tolerances.
func TestTimeReversal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.SampledFrom(explicitMethods).Draw(t, "method")
		y0 := []float64{rapid.Float64Range(5, 30).Draw(t, "prey"), rapid.Float64Range(5, 15).Draw(t, "predators")}
		o := Options{Method: m, RTol: 1e-9, ATol: []float64{1e-9}}
		there, err := Solve(context.Background(), lotkaSystem(), 1, y0, []float64{6}, o)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Solve(context.Background(), lotkaSystem(), 6, there.Y[0], []float64{1}, o)
		if err != nil {
			t.Fatal(err)
		}
		if e := scaled(back.Y[0], y0, 1e-9, 1e-9); e > 100 {
			t.Fatalf("%v comes back as %v: %.3g tolerances", y0, back.Y[0], e)
		}
	})
}

func TestTimesAtTheStart(t *testing.T) {
	for _, m := range explicitMethods {
		r, err := Solve(context.Background(), oscillator, 2, []float64{3, 4}, []float64{2, 2}, Options{Method: m})
		if err != nil || !same(slices.Concat(r.Y...), []float64{3, 4, 3, 4}) || r.Stats != (Stats{}) {
			t.Errorf("%s, no way to go: %+v, %v", m, r, err)
		}
		r, err = Solve(context.Background(), oscillator, 2, []float64{3, 4}, []float64{2, 1, 1, 0}, Options{Method: m})
		if err != nil || !same(r.Y[0], []float64{3, 4}) || !same(r.Y[1], r.Y[2]) || r.Y[3][0] == 3 {
			t.Errorf("%s, back from a time asked for: %+v, %v", m, r, err)
		}
		r, err = Solve(context.Background(), oscillator, 2, []float64{3, 4}, nil, Options{Method: m})
		if err != nil || len(r.Y) != 0 {
			t.Errorf("%s, no times: %+v, %v", m, r, err)
		}
	}
}

func TestBlowUp(t *testing.T) {
	sqrt := func(dy []float64, _ float64, y []float64) { dy[0] = -1 - math.Sqrt(y[0]) } // reaches 0 at 2-2ln2
	square := func(dy []float64, _ float64, y []float64) { dy[0] = y[0] * y[0] }        // 1/(1-t)
	wall := func(dy []float64, t float64, _ []float64) { dy[0] = 1 / math.Max(0, 1-t) * 0 }
	nan := func(dy []float64, _ float64, _ []float64) { dy[0] = math.NaN() }
	still := func(dy []float64, t float64, _ []float64) { // f not finite between the steps' states alone
		if dy[0] = 1; t > 1 {
			dy[0] = math.Inf(1)
		}
	}
	for _, m := range explicitMethods {
		for _, c := range []struct {
			name   string
			f      func(dy []float64, t float64, y []float64)
			at     float64
			within float64
			reason string
		}{
			{"root of a negative number", sqrt, 2 - 2*math.Ln2, 1e-6, "not finite"},
			{"infinity in finite time", square, 1, 1e-6, ""},
			{"a wall in time", wall, 1, 1e-12, "not finite"},
			{"not a number at once", nan, 0, 0, "not finite"},
			{"an infinite slope", still, 1, 1e-12, "not finite"},
		} {
			r, err := Solve(context.Background(), System{Dim: 1, F: c.f}, 0, []float64{1}, []float64{0, 0.25, 3}, Options{Method: m})
			var b *BlowUp
			if !errors.As(err, &b) || math.Abs(b.Time-c.at) > c.within || !finite(b.State) || !strings.Contains(b.Reason, c.reason) {
				t.Errorf("%s, %s: %v", m, c.name, err)
				continue
			}
			if c.at == 0 && b.Evaluations != 1 {
				t.Errorf("%s, %s: %d evaluations", m, c.name, b.Evaluations)
			}
			if want := 1 + min(1, int(4*c.at)); len(r.T) != want || len(r.Y) != want {
				t.Errorf("%s, %s: %d times reached, not %d", m, c.name, len(r.T), want)
			}
		}
	}
	_, err := Solve(context.Background(), oscillator, 0, []float64{0, 1}, []float64{1e3}, Options{Steps: 50})
	var b *BlowUp
	if !errors.As(err, &b) || b.Steps+b.Rejected < 50 || b.Steps+b.Rejected > 60 || !strings.Contains(err.Error(), "too many steps") {
		t.Errorf("a limit of 50 steps: %v", err)
	}
}

// What a Solver cannot reach is NaN.
func TestSolverUnreached(t *testing.T) {
	v, err := NewSolver(1, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]float64, 3)
	err = v.Solve(System{Dim: 1, F: func(dy []float64, _ float64, y []float64) { dy[0] = y[0] * y[0] }}, 0, []float64{1},
		[]float64{0, 0.5, 2}, out)
	if err == nil || out[0] != 1 || math.Abs(out[1]-2) > 1e-5 || !math.IsNaN(out[2]) {
		t.Errorf("%v, %v", out, err)
	}
	if err := v.Solve(System{Dim: 1, F: oscillator.F}, 0, []float64{1}, []float64{0, 0, 0}, out); err != nil || v.Stats() != (Stats{}) {
		t.Errorf("no way to go: %v, %+v", err, v.Stats())
	}
}

func TestCancellation(t *testing.T) {
	for _, m := range explicitMethods {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		s := System{Dim: 1, F: func(dy []float64, t float64, _ []float64) {
			if n++; n == 100 {
				cancel()
			}
			dy[0] = math.Cos(t)
		}}
		r, err := Solve(ctx, s, 0, []float64{0}, []float64{0.1, 1e6}, Options{Method: m})
		if !errors.Is(err, context.Canceled) || len(r.T) != 1 || n > 120 {
			t.Errorf("%s: %v after %d evaluations, %d times reached", m, err, n, len(r.T))
		}
		cancel()

		ctx, cancel = context.WithCancel(context.Background())
		n = 0
		v, err := NewSolver(1, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, 2)
		err = v.SolveContext(ctx, s, 0, []float64{0}, []float64{0.1, 1e6}, out)
		if !errors.Is(err, context.Canceled) || out[0] != out[0] || out[1] == out[1] || n > 120 {
			t.Errorf("%s: %v after %d evaluations, %g", m, err, n, out)
		}
		cancel()
	}
}

// Components beyond Control change no step, whatever they do.
func TestControl(t *testing.T) {
	for _, m := range explicitMethods {
		o := Options{Method: m}
		alone, err := Solve(context.Background(), oscillator, 0, []float64{0, 1}, []float64{10}, o)
		if err != nil {
			t.Fatal(err)
		}
		o.Control = 2
		with, err := Solve(context.Background(), System{Dim: 3, F: func(dy []float64, x float64, y []float64) {
			oscillator.F(dy, x, y)
			dy[2] = 1e3 * math.Sin(1e3*x)
		}}, 0, []float64{0, 1, 7}, []float64{10}, o)
		if err != nil {
			t.Fatal(err)
		}
		if alone.Stats != with.Stats || !same(alone.Y[0], with.Y[0][:2]) {
			t.Errorf("%s: %+v alone, %+v with a passenger", m, alone.Stats, with.Stats)
		}
	}
}

// First and Max bound the steps.
func TestStepLimits(t *testing.T) {
	for _, m := range explicitMethods {
		var calls []float64
		s := System{Dim: 1, F: func(dy []float64, t float64, _ []float64) { calls = append(calls, t); dy[0] = 1 }}
		r, err := Solve(context.Background(), s, 0, []float64{0}, []float64{10}, Options{Method: m, First: 1e-3, Max: 0.25})
		if err != nil || calls[1] > 1e-3 || r.Stats.Steps < 41 || r.Stats.Steps > 44 {
			t.Errorf("%s: %d steps, the first evaluations at %v, %v", m, r.Stats.Steps, calls[:3], err)
		}
	}
}

// A step that fails is shortened to a fifth at most; the first is at most a hundred
// times the step of the trial before it, which is 1e-6 from a state of zero; a
// value that is not finite at the end of a step alone, the last of its evaluations,
// rejects it.
func TestStepControl(t *testing.T) {
	for m, stages := range map[Method]int{DormandPrince: 6, DOP853: 12} {
		var calls []float64
		broken := -1
		f := func(dy []float64, t float64, _ []float64) {
			if dy[0] = math.Cos(3 * t); len(calls) == broken {
				dy[0] = math.Inf(1)
			}
			calls = append(calls, t)
		}
		solve := func(o Options) Stats {
			calls = nil
			o.Method = m
			r, err := Solve(context.Background(), System{Dim: 1, F: f}, 0, []float64{0}, []float64{20}, o)
			if err != nil || math.Abs(r.Y[0][0]-math.Sin(60)/3) > 1e-5 {
				t.Errorf("%s: %v, %v", m, r.Y, err)
			}
			return r.Stats
		}
		solve(Options{First: 10})
		if a, b := calls[stages], calls[2*stages]; a != 10 || b != 2 {
			t.Errorf("%s: the first step to %g, its repetition to %g", m, a, b)
		}
		good := solve(Options{})
		if a, b := calls[1], calls[1+stages]; a != 1e-6 || math.Abs(b-1e-4) > 1e-18 {
			t.Errorf("%s: the trial to %g, the first step to %g", m, a, b)
		}
		broken = 1 + stages
		if bad := solve(Options{}); bad.Rejected <= good.Rejected {
			t.Errorf("%s: %d steps rejected, %d without a fault", m, bad.Rejected, good.Rejected)
		}
	}
}

func TestFaults(t *testing.T) {
	good := oscillator
	for _, c := range []struct {
		s     System
		y0    []float64
		times []float64
		o     Options
		says  string
	}{
		{System{Dim: 2}, []float64{0, 1}, []float64{1}, Options{}, "right-hand side"},
		{System{}, nil, []float64{1}, Options{}, "0 components"},
		{good, []float64{0}, []float64{1}, Options{}, "initial state of 1"},
		{good, []float64{0, math.NaN()}, []float64{1}, Options{}, "not finite"},
		{good, []float64{0, 1}, []float64{1, math.Inf(1)}, Options{}, "not all finite"},
		{good, []float64{0, 1}, []float64{1, 3, 2}, Options{}, "time 3 (2) after 3"},
		{good, []float64{0, 1}, []float64{-1, 1}, Options{}, "time 1 (-1) after 0"},
		{good, []float64{0, 1}, []float64{1}, Options{Method: "euler"}, `no method "euler"`},
		{good, []float64{0, 1}, []float64{1}, Options{RTol: -1}, "rtol -1"},
		{good, []float64{0, 1}, []float64{1}, Options{RTol: 1e-15}, "rtol 1e-15"},
		{good, []float64{0, 1}, []float64{1}, Options{ATol: []float64{1, 2, 3}}, "3 absolute tolerances"},
		{good, []float64{0, 1}, []float64{1}, Options{ATol: []float64{-1}}, "atol -1"},
		{good, []float64{0, 1}, []float64{1}, Options{Control: 3}, "3 components under control"},
		{good, []float64{0, 1}, []float64{1}, Options{Max: -1}, "longest step -1"},
		{good, []float64{0, 1}, []float64{1}, Options{Events: []Event{{Name: "apex"}}}, "apex"},
	} {
		if _, err := Solve(context.Background(), c.s, 0, c.y0, c.times, c.o); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("want %q: %v", c.says, err)
		}
	}
}

func TestSolverAllocatesNothing(t *testing.T) {
	for _, m := range explicitMethods {
		v, err := NewSolver(2, Options{Method: m, Events: []Event{{Zero: func(_ float64, y []float64) float64 { return y[0] }}}})
		if err != nil {
			t.Fatal(err)
		}
		times, out, y0 := []float64{1, 2, 20}, make([]float64, 6), []float64{0, 1}
		if n := testing.AllocsPerRun(20, func() {
			if err := v.Solve(oscillator, 0, y0, times, out); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %g allocations a solve", m, n)
		}
		if found, _ := v.Events(); len(found) != 6 {
			t.Errorf("%s: %d zeros of the sine in (0, 20], not 6", m, len(found))
		}
	}
}

// Whatever f returns, Solve returns: what is reached is finite, and there is an
// error if not all is.
func FuzzSolve(f *testing.F) {
	f.Add(uint8(0), 1.0, 2.0, 3.0, 0.5)
	f.Add(uint8(1), -1e300, 1e-300, 2.0, -7.0)
	f.Add(uint8(1), 0.0, -3.0, 40.0, 1e9)
	f.Fuzz(func(t *testing.T, m uint8, a, b, c, end float64) {
		s := System{Dim: 2, F: func(dy []float64, x float64, y []float64) {
			dy[0], dy[1] = a*y[1]+b*y[0]*y[0], c*math.Sin(x*y[1])-math.Sqrt(y[0])
		}}
		r, err := Solve(context.Background(), s, 0, []float64{1, -1}, []float64{end / 2, end},
			Options{Method: explicitMethods[int(m)%2], Steps: 2000})
		if r == nil {
			if err == nil {
				t.Fatal("neither a solution nor an error")
			}
			return
		}
		if err == nil && len(r.Y) != 2 {
			t.Fatalf("%d of 2 times and no error", len(r.Y))
		}
		for i, y := range r.Y {
			if !finite(y) {
				t.Fatalf("state %v at %g", y, r.T[i])
			}
		}
	})
}
