package ode

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// lotka is Lotka–Volterra: prey grows by p0 and is eaten by p1; the predator
// grows by p2 from prey and dies by p3.
func lotka() Parametric {
	return Parametric{Dim: 2, Parameters: 4, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		u, v := y[0], y[1]
		_ = p[3]
		f[0], f[1] = p[0]*u-p[1]*u*v, p[2]*u*v-p[3]*v
		if jy != nil {
			jy[0], jy[1], jy[2], jy[3] = p[0]-p[1]*v, -p[1]*u, p[2]*v, p[2]*u-p[3]
		}
		if jp != nil {
			uv := u * v
			jp[0], jp[1], jp[2], jp[3] = u, -uv, 0, 0
			jp[4], jp[5], jp[6], jp[7] = 0, 0, uv, -v
		}
	}}
}

// chain is decay 0 → 1 → 2 with rates p0 and p1 and a source p2 of the first:
// three components, a linear system with a closed solution.
func chain() Parametric {
	return Parametric{Dim: 3, Parameters: 3, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		f[0], f[1], f[2] = p[2]-p[0]*y[0], p[0]*y[0]-p[1]*y[1], p[1]*y[1]
		if jy != nil {
			copy(jy, []float64{-p[0], 0, 0, p[0], -p[1], 0, 0, p[1], 0})
		}
		if jp != nil {
			copy(jp, []float64{-y[0], 0, 1, y[0], -y[1], 0, 0, y[1], 0})
		}
	}}
}

// growth is y' = p0·y·cos t, one component.
func growth() Parametric {
	return Parametric{Dim: 1, Parameters: 1, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		f[0] = p[0] * y[0] * math.Cos(t)
		if jy != nil {
			jy[0] = p[0] * math.Cos(t)
		}
		if jp != nil {
			jp[0] = y[0] * math.Cos(t)
		}
	}}
}

func sensitive(t testing.TB, s Parametric, o Options, t0 float64, y0, p, times []float64) (y, sens []float64) {
	t.Helper()
	v, err := NewSensitive(s, o)
	if err != nil {
		t.Fatal(err)
	}
	y = make([]float64, len(times)*s.Dim)
	sens = make([]float64, len(y)*(s.Parameters+s.Dim))
	if err := v.Solve(t0, y0, p, times, y, sens); err != nil {
		t.Fatal(err)
	}
	return y, sens
}

// apart is the largest difference of a and b in units of 1 + |b|.
func apart(a, b []float64) (worst float64) {
	for i := range a {
		d := math.Abs(a[i]-b[i]) / (1 + math.Abs(b[i]))
		if math.IsNaN(d) {
			return d
		}
		worst = max(worst, d)
	}
	return worst
}

var tight = Options{Method: DOP853, RTol: 1e-12, ATol: []float64{1e-12}}

// y = y0·exp(p sin t): its derivatives are y·sin t and y/y0. Tolerance: that of
// the solver, a hundredfold; dropping ∂f/∂p or the identity at the start is off by 1.
func TestSensitivityOneComponent(t *testing.T) {
	times := []float64{0, 1, 2.5, 7}
	y, s := sensitive(t, growth(), tight, 0, []float64{3}, []float64{0.7}, times)
	for k, x := range times {
		want := 3 * math.Exp(0.7*math.Sin(x))
		if d := apart([]float64{y[k], s[2*k], s[2*k+1]}, []float64{want, want * math.Sin(x), want / 3}); !(d < 1e-10) {
			t.Errorf("at %g: %v, %v, off by %.3g", x, y[k], s[2*k:2*k+2], d)
		}
	}
}

// The first component of the chain is (y0-c)e^(-at)+c with c = s/a; the second
// follows by variation of constants; the third holds what is left.
func TestSensitivityLinear(t *testing.T) {
	const a, b, s, x0, y0, z0 = 0.8, 0.3, 0.5, 2., 1., 0.25
	solution := func(t, a, b, s, x0, y0, z0 float64) [3]float64 {
		c, e, g := s/a, math.Exp(-a*t), math.Exp(-b*t)
		y := y0*g + a*((x0-c)*(e-g)/(b-a)+c*(1-g)/b)
		x := (x0-c)*e + c
		return [3]float64{x, y, x0 + y0 + z0 + s*t - x - y}
	}
	// Its derivatives in closed form for the initial values and the source (all
	// linear: differences of solutions), by differences for the rates.
	times := []float64{0.5, 3, 11}
	y, sens := sensitive(t, chain(), tight, 0, []float64{x0, y0, z0}, []float64{a, b, s}, times)
	for k, t1 := range times {
		at := func(da, db, ds, dx, dy, dz float64) [3]float64 {
			return solution(t1, a+da, b+db, s+ds, x0+dx, y0+dy, z0+dz)
		}
		base := at(0, 0, 0, 0, 0, 0)
		if d := apart(y[3*k:3*k+3], base[:]); !(d < 1e-10) {
			t.Errorf("state at %g off by %.3g", t1, d)
		}
		for j, unit := range [][6]float64{{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}} {
			h := 1.
			if j < 2 {
				h = 1e-4 // error of the five-point formula h⁴ ≈ 1e-16, rounding 1e-12
			}
			f := func(c float64) [3]float64 {
				c *= h
				return at(c*unit[0], c*unit[1], c*unit[2], c*unit[3], c*unit[4], c*unit[5])
			}
			p, q, m, n := f(1), f(2), f(-1), f(-2)
			for i := range 3 {
				want := (8*(p[i]-m[i]) - (q[i] - n[i])) / (12 * h)
				if j >= 2 {
					want = p[i] - base[i]
				}
				if got := sens[(3*k+i)*6+j]; !(math.Abs(got-want) < 1e-10) {
					t.Errorf("∂y%d/∂%d at %g: %.12g, want %.12g", i, j, t1, got, want)
				}
			}
		}
	}
}

// Derivatives on Lotka–Volterra agree with central differences of the solver.
// Step 1e-4 relative: error of the formula about 1e-8, of the solver 1e-12/1e-4 =
// 1e-8, relative to sensitivities of up to 500; an entry of J or ∂f/∂p in the
// wrong place is off by more than 1e-2.
func TestSensitivityDifferences(t *testing.T) {
	p, y0, times := []float64{0.55, 0.028, 0.026, 0.84}, []float64{30, 4}, []float64{1, 5, 20}
	_, sens := sensitive(t, lotka(), tight, 0, y0, p, times)
	for j := range 6 {
		x := [6]float64{p[0], p[1], p[2], p[3], y0[0], y0[1]}
		base, h := x[j], 1e-4*x[j]
		x[j] = base + h
		up, _ := sensitive(t, lotka(), tight, 0, x[4:], x[:4], times)
		x[j] = base - h
		down, _ := sensitive(t, lotka(), tight, 0, x[4:], x[:4], times)
		for i := range up {
			got, want := sens[i*6+j]*base, (up[i]-down[i])/(2*h)*base
			if !(math.Abs(got-want) < 1e-5*(1+math.Abs(want))) {
				t.Errorf("∂y%d/∂%d at %g: %.9g, by differences %.9g", i%2, j, times[i/2], got/base, want/base)
			}
		}
	}
}

// They agree with the complex step, which has no difference to lose digits in:
// classical Runge–Kutta in complex numbers, 20,000 steps (error (1e-3)⁴ = 1e-12
// times constants of up to 1e3).
func TestSensitivityComplexStep(t *testing.T) {
	p, y0, end := []float64{0.55, 0.028, 0.026, 0.84}, []float64{30, 4}, 20.
	_, sens := sensitive(t, lotka(), tight, 0, y0, p, []float64{end})
	const tiny = 1e-30
	for j := range 6 {
		x := [6]complex128{}
		for i, v := range append(append([]float64{}, p...), y0...) {
			x[i] = complex(v, 0)
		}
		x[j] += complex(0, tiny)
		f := func(u, v complex128) (complex128, complex128) {
			return x[0]*u - x[1]*u*v, x[2]*u*v - x[3]*v
		}
		u, v := x[4], x[5]
		const n = 20000
		h := complex(end/n, 0)
		for range n {
			a, b := f(u, v)
			c, d := f(u+h/2*a, v+h/2*b)
			e, g := f(u+h/2*c, v+h/2*d)
			k, l := f(u+h*e, v+h*g)
			u, v = u+h/6*(a+2*c+2*e+k), v+h/6*(b+2*d+2*g+l)
		}
		for i, z := range []complex128{u, v} {
			if got, want := sens[i*6+j], imag(z)/tiny; !(math.Abs(got-want) < 1e-8*(1+math.Abs(want))) {
				t.Errorf("∂y%d/∂%d: %.12g, by complex step %.12g", i, j, got, want)
			}
		}
	}
}

// At the tolerance of a posterior, 1e-6, with control of the states alone, every
// sensitivity is right to 1e-3 of its column's size; with control of all of it, to 1e-5.
func TestSensitivityError(t *testing.T) {
	p, y0, times := []float64{0.55, 0.028, 0.026, 0.84}, []float64{30, 4}, []float64{5, 10, 15, 20}
	_, want := sensitive(t, lotka(), tight, 0, y0, p, times)
	var size [6]float64
	for i, s := range want {
		size[i%6] = max(size[i%6], math.Abs(s))
	}
	for _, m := range explicitMethods {
		for control, limit := range map[int]float64{0: 1e-3, 14: 1e-5} {
			_, got := sensitive(t, lotka(), Options{Method: m, Control: control}, 0, y0, p, times)
			worst := 0.
			for i, s := range got {
				worst = max(worst, math.Abs(s-want[i])/size[i%6])
			}
			t.Logf("%s, control of %d: %.2g", m, control, worst)
			if !(worst < limit) {
				t.Errorf("%s, control of %d: off by %.3g of the largest", m, control, worst)
			}
		}
	}
}

// The states are those of a plain solve, to the bit: sensitivities ride along.
func TestSensitiveStates(t *testing.T) {
	p, y0, times := []float64{0.55, 0.028, 0.026, 0.84}, []float64{30, 4}, []float64{0, 1.5, 20}
	for _, m := range explicitMethods {
		y, _ := sensitive(t, lotka(), Options{Method: m}, 0, y0, p, times)
		v, err := NewSolver(2, Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		out := make([]float64, 6)
		if err := v.Solve(lotka().System(p), 0, y0, times, out); err != nil {
			t.Fatal(err)
		}
		if !same(y, out) || v.Stats().Steps < 10 {
			t.Errorf("%s: %v with sensitivities, %v without", m, y, out)
		}
	}
}

func TestSensitiveAllocatesNothing(t *testing.T) {
	for _, m := range append(explicitMethods, LSODA) {
		v, err := NewSensitive(lotka(), Options{Method: m})
		if err != nil {
			t.Fatal(err)
		}
		times, y, s := []float64{1, 2, 20}, make([]float64, 6), make([]float64, 36)
		y0, p := []float64{30, 4}, []float64{0.55, 0.028, 0.026, 0.84}
		if n := testing.AllocsPerRun(20, func() {
			if err := v.Solve(0, y0, p, times, y, s); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%s: %g allocations a solve", m, n)
		}
	}
}

// The stiff method gives the same sensitivities, with the Jacobian of the states
// alone: Robertson's kinetics against differences of itself at tight tolerance.
func TestSensitivityStiff(t *testing.T) {
	kinetics := Parametric{Dim: 3, Parameters: 3, Eval: func(f, jy, jp []float64, t float64, y, p []float64) {
		a, b, c := y[0], y[1]*y[2], y[1]*y[1]
		f[0] = -p[0]*a + p[1]*b
		f[2] = p[2] * c
		f[1] = -f[0] - f[2]
		if jy != nil {
			copy(jy, []float64{-p[0], p[1] * y[2], p[1] * y[1], p[0], -p[1]*y[2] - 2*p[2]*y[1], -p[1] * y[1], 0, 2 * p[2] * y[1], 0})
		}
		if jp != nil {
			copy(jp, []float64{-a, b, 0, a, -b, -c, 0, 0, c})
		}
	}}
	o := Options{Method: LSODA, RTol: 1e-9, ATol: []float64{1e-11, 1e-15, 1e-11}}
	p, y0, times := []float64{0.04, 1e4, 3e7}, []float64{1, 0, 0}, []float64{0.4, 40, 4000}
	_, sens := sensitive(t, kinetics, o, 0, y0, p, times)
	for j := range 3 {
		x := [3]float64{p[0], p[1], p[2]}
		h := 1e-3 * p[j]
		x[j] = p[j] + h
		up, _ := sensitive(t, kinetics, o, 0, y0, x[:], times)
		x[j] = p[j] - h
		down, _ := sensitive(t, kinetics, o, 0, y0, x[:], times)
		for _, i := range []int{0, 2, 3, 5, 6, 8} { // the second component is 1e-5 and less
			got, want := sens[i*6+j]*p[j], (up[i]-down[i])/(2*h)*p[j]
			if !(math.Abs(got-want) < 1e-4*(0.1+math.Abs(want))) {
				t.Errorf("p·∂y%d/∂p%d at %g: %.6g, by differences %.6g", i%3, j, times[i/3], got, want)
			}
		}
	}
}

// The right-hand side is J·S + [∂f/∂p 0] for any size and any zeros in J. Tolerance:
// rounding of sums of up to nine terms of size 1.
func TestSensitiveProduct(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d, np := rapid.IntRange(1, 9).Draw(t, "dim"), rapid.IntRange(0, 3).Draw(t, "parameters")
		w := np + d
		entry := rapid.OneOf(rapid.Just(0.), rapid.Float64Range(-1, 1))
		draw := func(name string, n int) []float64 { return rapid.SliceOfN(entry, n, n).Draw(t, name) }
		j, g, z := draw("J", d*d), draw("∂f/∂p", d*np), draw("z", d*(1+w))
		v, err := NewSensitive(Parametric{Dim: d, Parameters: np, Eval: func(f, jy, jp []float64, _ float64, y, _ []float64) {
			copy(f, y)
			copy(jy, j)
			copy(jp, g)
		}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		dz := make([]float64, len(z))
		v.derivative(dz, 0, z)
		want := slices.Clone(z)
		for i := range d {
			for k := range w {
				x := 0.
				if k < np {
					x = g[i*np+k]
				}
				for l := range d {
					x += j[i*d+l] * z[d+l*w+k]
				}
				want[d+i*w+k] = x
			}
		}
		if !(apart(dz, want) < 1e-14) {
			t.Fatalf("%v, want %v", dz, want)
		}
	})
}

func TestSensitiveFaults(t *testing.T) {
	if _, err := NewSensitive(Parametric{Dim: 2}, Options{}); err == nil {
		t.Error("no Eval: no error")
	}
	if _, err := NewSensitive(lotka(), Options{Control: 15}); err == nil {
		t.Error("control of 15 of 14 components: no error")
	}
	v, err := NewSensitive(lotka(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Solve(0, []float64{1, 1}, []float64{1}, []float64{1}, make([]float64, 2), make([]float64, 12)); err == nil {
		t.Error("one parameter of four: no error")
	}
	y, sens := make([]float64, 4), make([]float64, 24)
	err = v.Solve(0, []float64{1, 1}, []float64{math.NaN(), 1, 1, 1}, []float64{0, 1}, y, sens)
	var b *BlowUp
	if !errors.As(err, &b) || !same(b.State, []float64{1, 1}) || !same(y[:2], b.State) || !math.IsNaN(y[2]) || !math.IsNaN(sens[23]) {
		t.Errorf("a parameter that is no number: %v, %v", err, y)
	}
}

// A solve as the posterior of a trajectory makes them: the years 1900 to 1920 of
// lynx and hare.
func BenchmarkSensitive(b *testing.B) {
	for _, m := range append(explicitMethods, LSODA) {
		b.Run(string(m), func(b *testing.B) {
			v, err := NewSensitive(lotka(), Options{Method: m})
			if err != nil {
				b.Fatal(err)
			}
			times := make([]float64, 21)
			for i := range times {
				times[i] = float64(i)
			}
			y, s := make([]float64, 42), make([]float64, 42*6)
			y0, p := []float64{30, 4}, []float64{0.55, 0.028, 0.026, 0.84}
			b.ReportAllocs()
			for b.Loop() {
				if err := v.Solve(0, y0, p, times, y, s); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(v.Stats().Evaluations), "evals")
		})
	}
}
