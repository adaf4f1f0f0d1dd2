package ode

import (
	"fmt"
	"slices"
)

// A Parametric system is y' = f(t, y, p) with its derivatives.
type Parametric struct {
	Dim, Parameters int
	// Eval writes f (Dim) and, unless nil, ∂f/∂y (Dim×Dim, by rows) and ∂f/∂p
	// (Dim×Parameters, by rows), every entry of them.
	Eval func(f, jy, jp []float64, t float64, y, p []float64)
	// Block returns what evaluates n lanes at once; [Lanes] make do with Eval if it is nil.
	Block func(n int) Block
}

// System returns the system at parameters p, which it keeps.
func (s Parametric) System(p []float64) System {
	f := make([]float64, s.Dim)
	return System{Dim: s.Dim,
		F:        func(dy []float64, t float64, y []float64) { s.Eval(dy, nil, nil, t, y, p) },
		Jacobian: func(j []float64, t float64, y []float64) { s.Eval(f, j, nil, t, y, p) }}
}

// A Sensitive solver integrates y together with S = ∂y/∂(p, y0), which follows
// S' = ∂f/∂y·S + [∂f/∂p 0] from [0 1] (Hairer, Nørsett and Wanner, section I.14).
// It allocates nothing after its first call and serves one goroutine.
type Sensitive struct {
	s      Parametric
	width  int // parameters and initial values
	solver *Solver
	system System // of y and S, row by row
	p      []float64
	z0     []float64
	out    []float64
	f      []float64
	jy, jp []float64
}

// NewSensitive returns a solver of s with sensitivities. Error control watches y
// alone if o.Control is 0: the steps, and y to the bit, are those of a plain solve,
// S is the derivative of what those steps compute, and its relative error some ten
// to a hundred times that of y. Dim·(1+Parameters+Dim) watches S as well, row by
// row after y. Events see y and S.
func NewSensitive(s Parametric, o Options) (*Sensitive, error) {
	if s.Dim < 1 || s.Parameters < 0 || s.Eval == nil {
		return nil, fmt.Errorf("ode: a parametric system of %d components and %d parameters, or without Eval", s.Dim, s.Parameters)
	}
	if o.Control == 0 {
		o.Control = s.Dim
	}
	d, w := s.Dim, s.Parameters+s.Dim
	n := d * (1 + w)
	solver, err := NewSolver(n, o)
	if err != nil {
		return nil, err
	}
	v := &Sensitive{s: s, width: w, solver: solver, p: make([]float64, s.Parameters), z0: make([]float64, n),
		f: make([]float64, d), jy: make([]float64, d*d), jp: make([]float64, d*s.Parameters)}
	for i := range d {
		v.z0[d+i*w+s.Parameters+i] = 1
	}
	v.system = System{Dim: n, F: v.derivative, Jacobian: v.jacobian, columns: w}
	return v, nil
}

// Solve integrates from y0 at t0 with parameters p through times. Component i at
// times[k] is y[k*Dim+i]; with W = Parameters+Dim, its derivative by parameter j
// is sens[(k*Dim+i)*W+j], by initial value j sens[(k*Dim+i)*W+Parameters+j]. What
// is not reached is NaN.
func (v *Sensitive) Solve(t0 float64, y0, p []float64, times []float64, y, sens []float64) error {
	d, w := v.s.Dim, v.width
	if len(y0) != d || len(p) != v.s.Parameters || len(y) != len(times)*d || len(sens) != len(y)*w {
		return fmt.Errorf("ode: %d initial values, %d parameters, room for %d values and %d sensitivities: want %d, %d, %d and %d",
			len(y0), len(p), len(y), len(sens), d, v.s.Parameters, len(times)*d, len(times)*d*w)
	}
	copy(v.p, p)
	copy(v.z0, y0)
	n := len(v.z0)
	v.out = slices.Grow(v.out[:0], len(times)*n)[:len(times)*n]
	err := v.solver.Solve(v.system, t0, v.z0, times, v.out)
	for k := range times {
		z := v.out[k*n : (k+1)*n]
		copy(y[k*d:(k+1)*d], z)
		copy(sens[k*d*w:(k+1)*d*w], z[d:])
	}
	if b, ok := err.(*BlowUp); ok {
		b.State = b.State[:d] // S adds nothing to the message
	}
	return err
}

// Stats returns what the last Solve took; an evaluation is one of f with both
// derivatives.
func (v *Sensitive) Stats() Stats { return v.solver.Stats() }

// derivative is the right-hand side of y and S.
func (v *Sensitive) derivative(dz []float64, t float64, z []float64) {
	d, w, np := v.s.Dim, v.width, v.s.Parameters
	v.s.Eval(dz[:d], v.jy, v.jp, t, z[:d], v.p)
	s, ds := z[d:], dz[d:]
	if d == 2 {
		plane(ds, s, (*[4]float64)(v.jy), v.jp)
		return
	}
	for i := range d {
		row := ds[i*w : (i+1)*w]
		copy(row, v.jp[i*np:(i+1)*np])
		clear(row[np:])
		for l, a := range v.jy[i*d : (i+1)*d] {
			if a == 0 {
				continue
			}
			for j, x := range s[l*w : (l+1)*w] {
				row[j] += a * x
			}
		}
	}
}

// plane is J·S + [jp 0] for two components: half of all models, and the loop is
// short enough for its overhead to matter.
func plane(ds, s []float64, j *[4]float64, jp []float64) {
	w, np := len(s)/2, len(jp)/2
	a, b, c, d := j[0], j[1], j[2], j[3]
	x, y, dx, dy := s[:w], s[w:][:w], ds[:w], ds[w:][:w]
	p, q := jp[:np], jp[np:][:np]
	for k, x := range x {
		y := y[k]
		dx[k], dy[k] = a*x+b*y, c*x+d*y
	}
	dx, dy = dx[:len(p)], dy[:len(p)]
	for k := range p {
		dx[k] += p[k]
		dy[k] += q[k]
	}
}

// jacobian is that of f: of derivative it leaves out the second derivatives of f,
// without which Newton's iteration converges all the same.
func (v *Sensitive) jacobian(j []float64, t float64, z []float64) {
	v.s.Eval(v.f, j, nil, t, z[:v.s.Dim], v.p)
}
