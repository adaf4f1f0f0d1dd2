package ode

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// pol1000 is van der Pol's oscillator of μ = 1000, robertson three reactions with
// rates nine orders apart.
func pol1000(dy []float64, _ float64, y []float64) {
	dy[0], dy[1] = y[1], 1000*(1-y[0]*y[0])*y[1]-y[0]
}

func robertson(dy []float64, _ float64, y []float64) {
	a, b := -0.04*y[0]+1e4*y[1]*y[2], 3e7*y[1]*y[1]
	dy[0], dy[1], dy[2] = a, -a-b, b
}

func robertsonJacobian(j []float64, _ float64, y []float64) {
	copy(j, []float64{
		-0.04, 1e4 * y[2], 1e4 * y[1],
		0.04, -1e4*y[2] - 6e7*y[1], -1e4 * y[1],
		0, 6e7 * y[1], 0})
}

// lsodaAt is an LSODA for one step after another by hand, with all that rtol and
// atol leave open decided.
func lsodaAt(t *testing.T, s *System, rtol, t0, bound float64, y0 ...float64) *lsoda {
	t.Helper()
	o, err := Options{RTol: rtol, ATol: []float64{rtol}}.complete(s.Dim)
	if err != nil {
		t.Fatal(err)
	}
	m := newLSODA(s.Dim, &o).(*lsoda)
	m.start(s, t0, bound, y0)
	return m
}

// solve is the state at the end and what it took.
func solve(t *testing.T, s System, t0, end float64, y0 []float64, o Options) ([]float64, Stats) {
	t.Helper()
	v, err := NewSolver(s.Dim, o)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, s.Dim)
	if err := v.Solve(s, t0, y0, []float64{end}, y); err != nil {
		t.Fatal(err)
	}
	return y, v.Stats()
}

// The coefficients of the state and of the error are those in print (Hairer,
// Nørsett and Wanner, tables III.1.2 and III.1.6): a formula that is off by one
// in anything differs in all of them.
func TestLSODAFormulas(t *testing.T) {
	for _, c := range []struct {
		name            string
		f               family
		state, constant []float64 // from order 1
	}{
		{"Adams", adams(),
			[]float64{1, 1. / 2, 5. / 12, 3. / 8, 251. / 720, 95. / 288, 19087. / 60480},
			[]float64{1. / 2, 1. / 12, 1. / 24, 19. / 720, 3. / 160, 863. / 60480, 275. / 24192, 33953. / 3628800}},
		{"BDF", bdf(),
			[]float64{1, 2. / 3, 6. / 11, 12. / 25, 60. / 137},
			[]float64{1. / 2, 1. / 3, 1. / 4, 1. / 5, 1. / 6}},
	} {
		for q := 1; q <= c.f.orders; q++ {
			if q <= len(c.state) && math.Abs(c.f.l[q][0]-c.state[q-1]) > 1e-14 {
				t.Errorf("%s, order %d: l_0 = %v, want %v", c.name, q, c.f.l[q][0], c.state[q-1])
			}
			if q <= len(c.constant) && math.Abs(c.f.constant[q]-c.constant[q-1]) > 1e-14 {
				t.Errorf("%s, order %d: error constant %v, want %v", c.name, q, c.f.constant[q], c.constant[q-1])
			}
			if math.Abs(c.f.l[q][1]-1) > 1e-14 || len(c.f.l[q]) != q+1 {
				t.Errorf("%s, order %d: %v", c.name, q, c.f.l[q])
			}
		}
	}
}

// A polynomial of degree up to the order is predicted exactly, with all its
// derivatives, taken back exactly, and needs no correction. Tolerance: rounding
// of 13 terms below 1; one wrong binomial coefficient changes 1 in 13 of them.
func TestLSODAPrediction(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		q := rapid.IntRange(1, adamsOrder).Draw(rt, "order")
		p := rapid.SliceOfN(rapid.Float64Range(-1, 1), q+1, q+1).Draw(rt, "polynomial")
		h := rapid.Float64Range(0.1, 0.5).Draw(rt, "step")
		taylor := func(dst []float64, x float64) { // h^j/j! p^(j)(x)
			for j := range dst {
				sum, binomial := 0.0, 1.0
				for k := j; k <= q; k++ {
					sum += binomial * p[k] * math.Pow(x, float64(k-j))
					binomial *= float64(k+1) / float64(k+1-j)
				}
				dst[j] = sum * math.Pow(h, float64(j))
			}
		}
		slope := func(dy []float64, x float64, _ []float64) {
			z := make([]float64, 2)
			taylor(z, x)
			dy[0] = z[1] / h
		}
		m := lsodaAt(t, &System{Dim: 1, F: slope}, 1e-8, 0, 1, p[0])
		m.order, m.h = q, h
		z := make([]float64, q+1)
		taylor(z, 0)
		for j := range z {
			m.z[j][0] = z[j]
		}
		copy(m.good, m.z[0])
		near := func(what string, x float64) {
			taylor(z, x)
			for j := range z {
				if math.Abs(m.z[j][0]-z[j]) > 1e-11 {
					rt.Fatalf("%s: derivative %d is %v, want %v", what, j, m.z[j][0], z[j])
				}
			}
		}
		m.t = h
		m.predict(1)
		near("prediction", h)
		if done, _ := m.correct(); !done || math.Abs(m.change[0]) > 1e-11 {
			rt.Fatalf("the correction of an exact prediction is %v", m.change[0])
		}
		m.predict(-1)
		near("back", 0)
	})
}

// With order and step fixed, the error over an interval falls with the order.
// Tolerance 0.4 as for the explicit methods: another order is 1 away.
func TestLSODAOrders(t *testing.T) {
	const decay = -0.2
	s := System{Dim: 1, F: func(dy []float64, x float64, y []float64) {
		dy[0] = -1/((1+x)*(1+x)) + decay*(y[0]-1/(1+x)) + (y[0]-1/(1+x))*(y[0]-1/(1+x))
	}}
	for _, stiff := range []bool{false, true} {
		for q := 1; q <= map[bool]int{false: adamsOrder, true: bdfOrder}[stiff]; q++ {
			var hs, es []float64
			for _, n := range []float64{32, 40, 48, 56} {
				n *= max(1, 4-float64(q)/2) // low orders: smaller steps
				m := lsodaAt(t, &s, 1e3, 0, 1, 1)
				m.stiff, m.order, m.h = stiff, q, 1/n
				for j := range q + 1 { // y = 1/(1+t)
					m.z[j][0] = math.Pow(-1/n, float64(j))
				}
				for {
					m.wait, m.patience = 1<<30, 1<<30
					if err := m.step(); err != nil {
						t.Fatal(err)
					}
					if _, end := m.interval(); end == 1 {
						break
					}
				}
				hs, es = append(hs, 1/n), append(es, math.Abs(m.state()[0]-0.5))
			}
			if got := slope(hs, es); math.Abs(got-float64(q)) > 0.4 {
				t.Errorf("stiff %v, order %d: the error falls with order %.2f (%.3g)", stiff, q, got, es)
			}
		}
	}
}

// steps follows a trajectory and says how often the family changed, and what
// share of the steps the stiff one took.
func steps(t *testing.T, m *lsoda, end float64) (changes int, stiff float64) {
	t.Helper()
	n := 0.0
	for {
		was := m.stiff
		if err := m.step(); err != nil {
			t.Fatal(err)
		}
		n++
		if was {
			stiff++
		}
		if m.stiff != was {
			changes++
		}
		if _, at := m.interval(); at == end {
			return changes, stiff / n
		}
	}
}

// The slow arcs of van der Pol's oscillator are stiff, its jumps are not: there
// and back at each of about ten jumps. What is not stiff stays with Adams.
func TestLSODASwitches(t *testing.T) {
	m := lsodaAt(t, &System{Dim: 2, F: pol1000}, 1e-6, 0, 8000, 2, 0)
	if changes, stiff := steps(t, m, 8000); changes < 10 || stiff < 0.3 || stiff > 0.95 {
		t.Errorf("van der Pol: %d changes, %.2f of the steps stiff", changes, stiff)
	}
	m = lsodaAt(t, &System{Dim: 2, F: problems["lotka"].f}, 1e-6, 0, 100, 10, 5)
	if changes, _ := steps(t, m, 100); changes > 0 {
		t.Errorf("Lotka–Volterra: %d changes of the family", changes)
	}
	// A transient of 1e-6, then a cosine: an explicit method would need 1e7 evaluations.
	m = lsodaAt(t, &System{Dim: 1, F: func(dy []float64, x float64, y []float64) { dy[0] = -1e6 * (y[0] - math.Cos(x)) }}, 1e-6, 0, 10, 0)
	if changes, stiff := steps(t, m, 10); changes != 1 || stiff < 0.3 || m.count.Evaluations > 1000 {
		t.Errorf("fast decay to a cosine: %d changes, %.2f of the steps stiff, %d evaluations", changes, stiff, m.count.Evaluations)
	}
}

// Linear systems with rates from 1e-2 to 1e6 in one, each with another basis: the
// error is at most ten tolerances times the condition of the basis.
func TestLSODALinear(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		rate := [2]float64{}
		for i := range rate {
			rate[i] = -math.Pow(10, rapid.Float64Range(-2, 6).Draw(rt, "rate"))
		}
		turn := rapid.Float64Range(-0.7, 0.7).Draw(rt, "shear")
		rtol := math.Pow(10, -rapid.Float64Range(3, 9).Draw(rt, "digits"))
		end := math.Pow(10, rapid.Float64Range(-3, 3).Draw(rt, "end"))
		// y = V·(e^(rate·t)·(1, 1)) with V = [1 turn; turn 1].
		d := 1 - turn*turn
		a := [4]float64{(rate[0] - turn*turn*rate[1]) / d, turn * (rate[1] - rate[0]) / d,
			turn * (rate[0] - rate[1]) / d, (rate[1] - turn*turn*rate[0]) / d}
		s := System{Dim: 2, F: func(dy []float64, _ float64, y []float64) {
			dy[0], dy[1] = a[0]*y[0]+a[1]*y[1], a[2]*y[0]+a[3]*y[1]
		}}
		y, _ := solve(t, s, 0, end, []float64{1 + turn, 1 + turn}, Options{Method: LSODA, RTol: rtol, ATol: []float64{rtol}})
		e0, e1 := math.Exp(rate[0]*end), math.Exp(rate[1]*end)
		for i, want := range []float64{e0 + turn*e1, turn*e0 + e1} {
			if e := math.Abs(y[i]-want) / (rtol + rtol*math.Abs(want)); e > 10*(1+math.Abs(turn))/(1-math.Abs(turn)) {
				rt.Fatalf("component %d is %v, want %v: %.3g tolerances", i, y[i], want, e)
			}
		}
	})
}

// Robertson's reactions keep their mass to rounding, which a Newton iteration on
// a matrix with a wrong entry or a solution with a lost pivot would not.
func TestLSODAMass(t *testing.T) {
	for _, j := range []func([]float64, float64, []float64){nil, robertsonJacobian} {
		y, _ := solve(t, System{Dim: 3, F: robertson, Jacobian: j}, 0, 1e11, []float64{1, 0, 0},
			Options{Method: LSODA, RTol: 1e-6, ATol: []float64{1e-8, 1e-12, 1e-8}})
		if sum := y[0] + y[1] + y[2]; math.Abs(sum-1) > 1e-11 {
			t.Errorf("mass %.15g", sum)
		}
	}
}

// A wrong Jacobian costs work, not correctness: with the half of it, the iteration
// hardly converges, and 70,000 steps sum up to 12 tolerances.
func TestLSODAWrongJacobian(t *testing.T) {
	want := []float64{0.7158270688, 9.1855347650e-6, 0.2841637457} // at t = 40 by LSODA and DOP853 at rtol 1e-12, which agree
	o := Options{Method: LSODA, RTol: 1e-6, ATol: []float64{1e-8, 1e-12, 1e-8}}
	run := func(change func(j []float64)) int {
		s := System{Dim: 3, F: robertson, Jacobian: func(j []float64, t float64, y []float64) {
			robertsonJacobian(j, t, y)
			change(j)
		}}
		y, st := solve(t, s, 0, 40, []float64{1, 0, 0}, o)
		for i := range y {
			if e := math.Abs(y[i]-want[i]) / (o.ATol[i] + o.RTol*want[i]); e > 20 {
				t.Errorf("component %d is %v, want %v: %.3g tolerances", i, y[i], want[i], e)
			}
		}
		return st.Evaluations
	}
	right := run(func([]float64) {})
	for name, change := range map[string]func(j []float64){
		"half": func(j []float64) {
			for i := range j {
				j[i] /= 2
			}
		},
		"double": func(j []float64) {
			for i := range j {
				j[i] *= 2
			}
		},
		"transpose": func(j []float64) { j[1], j[3], j[2], j[6], j[5], j[7] = j[3], j[1], j[6], j[2], j[7], j[5] },
	} {
		if n := run(change); n <= right {
			t.Errorf("%s: %d evaluations, %d with the right one", name, n, right)
		}
	}
}

// What cannot go on says where and why.
func TestLSODABlowUp(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        func(dy []float64, t float64, y []float64)
		at, near float64
		why      error
	}{
		{"y² from 1 is infinite at 1", func(dy []float64, _ float64, y []float64) { dy[0] = y[0] * y[0] }, 1, 1e-5, nil},
		{"no number from 1 on", func(dy []float64, x float64, _ []float64) { dy[0] = math.Sqrt(1 - x) }, 1, 1e-5, errNotFinite},
		{"no number at all", func(dy []float64, _ float64, _ []float64) { dy[0] = math.NaN() }, 0, 0, errNotFinite},
		{"a jump to infinity", func(dy []float64, x float64, _ []float64) { dy[0] = math.Inf(int(math.Floor(x))) * x }, 0, 0, errNotFinite},
	} {
		v, err := NewSolver(1, Options{Method: LSODA})
		if err != nil {
			t.Fatal(err)
		}
		y := []float64{0}
		err = v.Solve(System{Dim: 1, F: c.f}, 0, []float64{1}, []float64{2}, y)
		var b *BlowUp
		if !errors.As(err, &b) || math.Abs(b.Time-c.at) > c.near || !finite(b.State) || !math.IsNaN(y[0]) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if c.why != nil && b.Reason != c.why.Error() {
			t.Errorf("%s: %v", c.name, b.Reason)
		}
	}
	v, _ := NewSolver(2, Options{Method: LSODA, Steps: 50})
	err := v.Solve(System{Dim: 2, F: pol1000}, 0, []float64{2, 0}, []float64{2000}, make([]float64, 2))
	var b *BlowUp
	if !errors.As(err, &b) || b.Reason != ErrTooMany.Error() || b.Steps+b.Rejected < 50 || b.Steps+b.Rejected > 60 {
		t.Errorf("50 steps: %v", err)
	}
}

// There and back again, also where a step stops at the bound on the way.
func TestLSODABackward(t *testing.T) {
	s := System{Dim: 2, F: problems["lotka"].f}
	o := Options{Method: LSODA, RTol: 1e-8, ATol: []float64{1e-8}}
	there, _ := solve(t, s, 3, 10, []float64{10, 5}, o)
	back, _ := solve(t, s, 10, 3, there, o)
	if math.Abs(back[0]-10) > 1e-6 || math.Abs(back[1]-5) > 1e-6 {
		t.Errorf("back at %v", back)
	}
}

// Dense output keeps the tolerance between the steps of both families, and events
// are found on it. A circle; and a decay on which Adams gives way to BDF.
func TestLSODADense(t *testing.T) {
	times := make([]float64, 500)
	for i := range times {
		times[i] = 20 * float64(i+1) / 500
	}
	const rtol = 1e-7
	o := Options{Method: LSODA, RTol: rtol, ATol: []float64{rtol},
		Events: []Event{{Name: "down", Zero: func(_ float64, y []float64) float64 { return y[0] }, Direction: -1}}}
	circle := System{Dim: 2, F: func(dy []float64, _ float64, y []float64) { dy[0], dy[1] = -y[1], y[0] }}
	r, err := Solve(t.Context(), circle, 0, []float64{1, 0}, times, o)
	if err != nil {
		t.Fatal(err)
	}
	for k, x := range times {
		if e := math.Hypot(r.Y[k][0]-math.Cos(x), r.Y[k][1]-math.Sin(x)); e > 10*rtol {
			t.Errorf("circle at %g: off by %.2g", x, e)
		}
	}
	if len(r.Events) != 3 {
		t.Fatalf("%d zeros of a cosine on the way down in 20", len(r.Events))
	}
	for k, e := range r.Events {
		if want := math.Pi * (0.5 + 2*float64(k)); math.Abs(e.T-want) > 10*rtol {
			t.Errorf("zero at %v, want %v", e.T, want)
		}
	}
	o.Events = nil
	decay := System{Dim: 1, F: func(dy []float64, x float64, y []float64) { dy[0] = -1e4*(y[0]-math.Sin(x)) + math.Cos(x) }}
	if r, err = Solve(t.Context(), decay, 0, []float64{1}, times, o); err != nil {
		t.Fatal(err)
	}
	for k, x := range times {
		if e := math.Abs(r.Y[k][0] - math.Sin(x)); e > 10*rtol {
			t.Errorf("decay at %g: off by %.2g", x, e)
		}
	}
}

// Only components under control decide the steps.
func TestLSODAControl(t *testing.T) {
	o := Options{Method: LSODA, RTol: 1e-6}
	_, alone := solve(t, System{Dim: 2, F: pol1000}, 0, 100, []float64{2, 0}, o)
	o.Control = 2
	ride := System{Dim: 3, F: func(dy []float64, x float64, y []float64) {
		pol1000(dy[:2], x, y[:2])
		dy[2] = 100 * math.Cos(100*x)
	}}
	_, with := solve(t, ride, 0, 100, []float64{2, 0, 0}, o)
	if with.Steps != alone.Steps || with.Rejected != alone.Rejected {
		t.Errorf("%+v with a rider, %+v alone", with, alone)
	}
}

// A repeated solve allocates nothing.
func TestLSODAAllocates(t *testing.T) {
	s := System{Dim: 3, F: robertson}
	v, err := NewSolver(3, Options{Method: LSODA, RTol: 1e-6, ATol: []float64{1e-8, 1e-12, 1e-8}})
	if err != nil {
		t.Fatal(err)
	}
	y0, times, out := []float64{1, 0, 0}, []float64{1, 1e3, 1e6}, make([]float64, 9)
	if n := testing.AllocsPerRun(10, func() {
		if err := v.Solve(s, 0, y0, times, out); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations in a solve", n)
	}
}

// The solution of (I - γJ)·x = b for every column, with exchanges of rows.
// Tolerance: rounding times the condition, which the residual does not see; an
// exchange that is forgotten leaves a residual of size 1.
func TestLSODANewton(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, width := rapid.IntRange(1, 6).Draw(rt, "n"), rapid.IntRange(1, 3).Draw(rt, "width")
		j := rapid.SliceOfN(rapid.Float64Range(-1, 1), n*n, n*n).Draw(rt, "J")
		b := rapid.SliceOfN(rapid.Float64Range(-1, 1), n*width, n*width).Draw(rt, "b")
		w := newton{}
		w.reset(n)
		w.gamma = rapid.Float64Range(0, 10).Draw(rt, "γ")
		copy(w.matrix, j)
		if !w.factorize() {
			return // singular
		}
		x := append([]float64{}, b...)
		w.solve(x, width)
		size := 0.0
		for _, v := range x {
			size = max(size, math.Abs(v))
		}
		for i := range n {
			for c := range width {
				r := x[i*width+c] - b[i*width+c]
				for k := range n {
					r -= w.gamma * j[i*n+k] * x[k*width+c]
				}
				if math.Abs(r) > 1e-11*(1+size) {
					rt.Fatalf("row %d, column %d: residual %g of a solution of size %g", i, c, r, size)
				}
			}
		}
	})
}

// A right-hand side that jumps costs steps at the jumps alone: from there the
// formulas begin again at order 1.
func TestLSODAJumps(t *testing.T) {
	s := System{Dim: 1, F: func(dy []float64, x float64, y []float64) {
		dy[0] = -y[0]
		if math.Mod(x, 2) < 1 {
			dy[0]++
		}
	}}
	const rtol = 1e-6
	y, st := solve(t, s, 0, 10, []float64{0}, Options{Method: LSODA, RTol: rtol, ATol: []float64{rtol}})
	want := 0.0
	for k := range 10 {
		want *= math.Exp(-1)
		if k%2 == 0 {
			want += 1 - math.Exp(-1)
		}
	}
	if e := math.Abs(y[0]-want) / (rtol + rtol*want); e > 10 || st.Evaluations > 1500 {
		t.Errorf("%v, want %v (%.3g tolerances) after %+v", y, want, e, st)
	}
}

// The first step is the one asked for and none is longer than allowed.
func TestLSODAStepLimits(t *testing.T) {
	o, err := Options{First: 1e-3, Max: 0.25}.complete(1)
	if err != nil {
		t.Fatal(err)
	}
	m := newLSODA(1, &o)
	m.start(&System{Dim: 1, F: func(dy []float64, _ float64, y []float64) { dy[0] = -y[0] / 100 }}, 0, -10, []float64{1})
	for n := 0; ; n++ {
		if err := m.step(); err != nil {
			t.Fatal(err)
		}
		from, to := m.interval()
		if n == 0 && to != -1e-3 || from-to > 0.25*(1+1e-12) || to < -10 {
			t.Fatalf("step %d from %v to %v", n, from, to)
		}
		if to == -10 {
			break
		}
	}
}
