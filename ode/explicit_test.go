package ode

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"
)

// The tableaus satisfy their simplifying and quadrature conditions. Tolerance:
// rounding of sums of terms up to 50; a wrong digit in any coefficient but the
// last one or two is caught.
func TestTableaus(t *testing.T) {
	for _, c := range []struct {
		name  string
		tab   *tableau
		order int
		err   []int // orders of the lower methods
	}{{"dopri5", &dormandPrince, 5, []int{4}}, {"dop853", &dop853, 8, []int{5, 3}}} {
		near := func(what string, got, want float64) {
			t.Helper()
			if !(math.Abs(got-want) < 2e-13) {
				t.Errorf("%s: %s is %.17g, not %.17g", c.name, what, got, want)
			}
		}
		moment := func(w []float64, k int) (sum float64) {
			for i, v := range w {
				sum += v * math.Pow(c.tab.c[i], float64(k))
			}
			return sum
		}
		for s, row := range c.tab.a {
			near(fmt.Sprint("row sum ", s), moment(row, 0), c.tab.c[s])
		}
		for k := range c.order {
			near(fmt.Sprint("quadrature of degree ", k), moment(c.tab.b, k), 1/float64(k+1))
		}
		for i, w := range c.tab.err {
			for k := range c.err[i] {
				near(fmt.Sprintf("error estimate %d of degree %d", i, k), moment(w, k), 0)
			}
			if math.Abs(moment(w, c.err[i])) < 1e-5 {
				t.Errorf("%s: error estimate %d vanishes beyond its order %d", c.name, i, c.err[i])
			}
		}
		// ẏ = tᵏ is integrated exactly by the dense output up to its order.
		for k := range c.tab.order {
			e := newExplicit(c.tab, 1, 1, &Options{ATol: []float64{1e9}, RTol: 1, Max: 1, First: 1})
			e.start(&System{Dim: 1, F: func(dy []float64, x float64, _ []float64) { dy[0] = math.Pow(x, float64(k)) }}, 0, 1, []float64{0})
			if err := e.step(); err != nil {
				t.Fatal(err)
			}
			var y [1]float64
			for _, x := range []float64{0, 0.1, 0.37, 0.5, 0.81, 1} {
				e.at(y[:], x)
				near(fmt.Sprintf("dense output of t^%d at %g", k, x), y[0], math.Pow(x, float64(k+1))/float64(k+1))
			}
		}
	}
}

// curve is a nonlinear, nonautonomous system with the solution (e^sin t, 1/(1+t²)).
var curve = System{Dim: 2, F: func(dy []float64, t float64, y []float64) {
	dy[0] = y[0]*math.Cos(t) + (y[1]*(1+t*t)-1)*y[0]
	dy[1] = -2*t*y[1]*y[1] + math.Log(y[0]) - math.Sin(t)
}}

func curveAt(t float64) [2]float64 { return [2]float64{math.Exp(math.Sin(t)), 1 / (1 + t*t)} }

// slope returns the order at which errors fall over steps, from a straight line
// through the logarithms.
func slope(h, e []float64) float64 {
	var sx, sy, sxx, sxy float64
	n := float64(len(h))
	for i := range h {
		x, y := math.Log(h[i]), math.Log(e[i])
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// Over an interval the error falls with the order of the method; within one step
// from the solution, that of the state with one order more and that of the dense
// output with its own and one more. Tolerance 0.4: the next term is O(h) relative,
// at most 0.4 in slope for these steps; a method of another order is 1 away.
func TestOrders(t *testing.T) {
	for _, c := range []struct {
		method      Method
		order, step float64
		steps       []float64 // in a unit of time
	}{{DormandPrince, 5, 5, []float64{20, 30, 40, 60}}, {DOP853, 8, 8, []float64{6, 8, 10, 12}}} {
		var hs, long, short, dense []float64
		for _, n := range c.steps {
			h := 1 / n
			o := Options{Method: c.method, RTol: 1e3, ATol: []float64{1e3}, First: h, Max: h}
			// worst is the largest error after these times, from several starts.
			worst := func(after ...float64) (worst float64) {
				for t0 := -1.5; t0 < 1.5; t0 += 0.25 {
					start := curveAt(t0)
					times := make([]float64, len(after))
					for i, a := range after {
						times[i] = t0 + a
					}
					r, err := Solve(context.Background(), curve, t0, start[:], times, o)
					if err != nil {
						t.Fatal(err)
					}
					for k, y := range r.Y {
						x := curveAt(times[k])
						worst = max(worst, math.Hypot(y[0]-x[0], y[1]-x[1]))
					}
				}
				return worst
			}
			hs = append(hs, h)
			long = append(long, worst(1))
			short = append(short, worst(h))
			inner := make([]float64, 18)
			for i := range inner {
				inner[i] = h * float64(i+1) / 18
			}
			dense = append(dense, worst(inner...))
		}
		for _, x := range []struct {
			what string
			e    []float64
			want float64
		}{{"over an interval", long, c.order}, {"of one step", short, c.order + 1}, {"of the dense output", dense, c.step}} {
			if got := slope(hs, x.e); math.Abs(got-x.want) > 0.4 {
				t.Errorf("%s: the error %s falls with order %.2f, want %g (%.3g)", c.method, x.what, got, x.want, x.e)
			}
		}
	}
}

// problems are those of script/ode-reference.py.
var problems = map[string]struct {
	f  func(dy []float64, t float64, y []float64)
	y0 []float64
}{
	"lorenz": {func(dy []float64, _ float64, y []float64) {
		dy[0], dy[1], dy[2] = 10*(y[1]-y[0]), y[0]*(28-y[2])-y[1], y[0]*y[1]-8./3*y[2]
	}, []float64{1, 1, 1}},
	"lotka": {func(dy []float64, _ float64, y []float64) {
		dy[0], dy[1] = y[0]-0.1*y[0]*y[1], 0.075*y[0]*y[1]-1.5*y[1]
	}, []float64{10, 5}},
	"kepler":     {orbit, []float64{0.4, 0, 0, 2}},
	"half orbit": {orbit, []float64{0.4, 0, 0, 2}},
	"pol": {func(dy []float64, _ float64, y []float64) {
		dy[0], dy[1] = y[1], (1-y[0]*y[0])*y[1]-y[0]
	}, []float64{2, 0}},
}

// orbit is Kepler's problem.
func orbit(dy []float64, _ float64, y []float64) {
	r := math.Hypot(y[0], y[1])
	r *= r * r
	dy[0], dy[1], dy[2], dy[3] = y[2], y[3], -y[0]/r, -y[1]/r
}

// A reference is an entry of testdata/scipy.json.
type reference struct {
	Problem, Method string
	RTol, ATol      float64
	End             float64 `json:"t_end"`
	Evaluations     int     `json:"nfev"`
	Error           float64
	Y               []float64 `json:"y_end"`
}

func references(t *testing.T, method string) (all []reference) {
	t.Helper()
	data, err := os.ReadFile("testdata/scipy.json")
	if err != nil {
		t.Fatal(err)
	}
	var every []reference
	if err := json.Unmarshal(data, &every); err != nil {
		t.Fatal(err)
	}
	for _, r := range every {
		if _, ok := problems[r.Problem]; ok && r.Method == method {
			all = append(all, r)
		}
	}
	if len(all) != 20 {
		t.Fatalf("%d references of %s, not 20", len(all), method)
	}
	return all
}

// scaled is an error in units of the tolerance: max |e_i| / (atol + rtol·max |y_i|).
func scaled(y, want []float64, rtol, atol float64) float64 {
	e, m := 0.0, 0.0
	for i := range y {
		e, m = max(e, math.Abs(y[i]-want[i])), max(m, math.Abs(want[i]))
	}
	return e / (atol + rtol*m)
}

// The error at the end is at most ten tolerances where the problem itself damps
// errors or carries them along. It is more where the problem magnifies what a step
// has committed: up to e⁹ on Lorenz' attractor by t = 10; two hundredfold by the
// end of an orbit, whose period depends on its energy; half an orbit has 10.1 at
// the coarsest tolerance. The work is SciPy's, to rounding: within one step in
// fifty (a wrong constant of step control changes it by 3 % or more).
func TestToleranceAndWork(t *testing.T) {
	limit := map[string]float64{"lotka": 10, "pol": 10, "half orbit": 10.5, "lorenz": 100, "kepler": 300}
	for method, name := range map[Method]string{DormandPrince: "RK45", DOP853: "DOP853"} {
		for _, r := range references(t, name) {
			p := problems[r.Problem]
			got, err := Solve(context.Background(), System{Dim: len(p.y0), F: p.f}, 0, p.y0, []float64{r.End},
				Options{Method: method, RTol: r.RTol, ATol: []float64{r.ATol}})
			if err != nil {
				t.Fatal(err)
			}
			e := scaled(got.Y[0], r.Y, r.RTol, r.ATol)
			t.Logf("%-10s %s rtol %5.0e: %5d evaluations (SciPy %5d), error %.3g tolerances (%.3g)",
				r.Problem, method, r.RTol, got.Stats.Evaluations, r.Evaluations, e, r.Error)
			if e > limit[r.Problem] {
				t.Errorf("%s, %s, rtol %g: error of %.3g tolerances", r.Problem, method, r.RTol, e)
			}
			if w := float64(got.Stats.Evaluations) / float64(r.Evaluations); math.Abs(w-1) > 0.02 {
				t.Errorf("%s, %s, rtol %g: %d evaluations, SciPy takes %d", r.Problem, method, r.RTol, got.Stats.Evaluations, r.Evaluations)
			}
		}
	}
}
