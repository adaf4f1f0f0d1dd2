package ode

import "fmt"

// A path is what an explicit method remembers of its steps.
type path struct {
	hops   []hop
	states []float64 // of the stages, step by step
}

// A hop is an accepted step; smooth says that its dense output was asked for.
type hop struct {
	from, to float64
	smooth   bool
}

// room is where the states of the stages of the next step go, n numbers.
func (p *path) room(n int) []float64 {
	at := len(p.hops) * n
	for len(p.states) < at+n {
		p.states = append(p.states, make([]float64, max(n, len(p.states)))...)
	}
	return p.states[at : at+n]
}

// together is about how many states have their derivatives evaluated together.
const together = 60

// An Adjoint solver integrates y by an explicit method and goes back along its steps
// for the gradient of a function of what they computed: in reverse mode, at the cost
// of a few solutions however many parameters there are (Griewank & Walther 2008). The
// gradient is that of [Sensitive], but for rounding. After its first calls it
// allocates nothing, but to remember more steps than ever. It serves one goroutine.
type Adjoint struct {
	s      Parametric
	solver *Solver
	method *explicit
	system System
	p      []float64
	t0     float64
	times  []float64
	y0     []float64
	block  Block
	begin  Block     // of the initial state alone
	steps  int       // that the block holds
	at     []float64 // times of their stages

	sums   []sum // of the adjoint of each stage, from those of the states of later ones
	smooth []sum // likewise, from those of the dense output as well
	// adjoints: of the states of the stages (the first of all but what follows it), then of the coefficients of the dense output
	bar   [][]float64
	state []float64 // adjoint of the state where the way back has come to
	slope []float64 // of f there
	k     []float64 // of a stage
}

// NewAdjoint returns a solver of s with an explicit method of o, which has no events.
func NewAdjoint(s Parametric, o Options) (*Adjoint, error) {
	if s.Dim < 1 || s.Parameters < 0 || s.Eval == nil || len(o.Events) > 0 {
		return nil, fmt.Errorf("ode: a parametric system of %d components and %d parameters, without Eval or with events", s.Dim, s.Parameters)
	}
	solver, err := NewSolver(s.Dim, o)
	if err != nil {
		return nil, err
	}
	e, ok := solver.method.(*explicit)
	if !ok {
		return nil, fmt.Errorf("ode: there is no way back along the steps of %s: use %s or %s", o.Method, DormandPrince, DOP853)
	}
	e.path = &path{}
	a := &Adjoint{s: s, solver: solver, method: e, p: make([]float64, s.Parameters), steps: max(1, together/(len(e.a)-1))}
	n := a.steps * (len(e.a) - 1)
	if s.Block == nil {
		s.Block = s.one
	}
	a.block, a.begin, a.at = s.Block(n), s.Block(1), make([]float64, n)
	a.system = System{Dim: s.Dim, F: func(dy []float64, t float64, y []float64) { s.Eval(dy, nil, nil, t, y, a.p) }}
	a.transpose()
	return a, nil
}

// transpose makes the sums of the way back: what is a row on the way is a column.
func (a *Adjoint) transpose() {
	e, d := a.method, a.s.Dim
	stages, last := len(e.a), len(e.b)
	rows := append(append([][]float64{}, e.a...), nil, nil, make([]float64, stages), make([]float64, stages))
	rows[stages+2][0] = 1 // the coefficients h·f0 − δ and 2δ − h·(f0 + f1), where δ is the way made
	rows[stages+3][0], rows[stages+3][last] = -1, -1
	rows = append(rows, e.dense...)
	a.bar = make([][]float64, len(rows))
	for i := range a.bar {
		a.bar[i] = make([]float64, d)
	}
	column := func(j, n int) sum {
		w := make([]float64, n)
		for s, row := range rows[:n] {
			if j < len(row) {
				w[s] = row[j]
			}
		}
		return newSum(w, a.bar)
	}
	for j := range stages {
		a.sums, a.smooth = append(a.sums, column(j, last+1)), append(a.smooth, column(j, len(rows)))
	}
	a.state, a.slope, a.k = make([]float64, d), make([]float64, d), make([]float64, d)
}

// Solve integrates from y0 at t0 with parameters p through times. Component i at
// times[k] is y[k*Dim+i]. What is not reached is NaN.
func (a *Adjoint) Solve(t0 float64, y0, p, times, y []float64) error {
	if len(p) != a.s.Parameters {
		return fmt.Errorf("ode: %d parameters: want %d", len(p), a.s.Parameters)
	}
	copy(a.p, p)
	a.t0, a.y0, a.times = t0, append(a.y0[:0], y0...), append(a.times[:0], times...)
	return a.solver.Solve(a.system, t0, y0, times, y)
}

// Stats returns what the last Solve took.
func (a *Adjoint) Stats() Stats { return a.solver.Stats() }

// Gradient writes the gradient of a function of the states of the last Solve, which
// must have reached all times: w is its gradient by y. That by parameter j is g[j], by
// initial value i g[Parameters+i].
func (a *Adjoint) Gradient(g, w []float64) {
	d, size, hops := a.s.Dim, (len(a.method.a)-1)*a.s.Dim, a.method.path.hops
	gp, g0 := g[:a.s.Parameters], g[a.s.Parameters:]
	clear(g)
	clear(a.state)
	clear(a.slope)
	k := len(a.times)
	if k == 0 || a.times[k-1] == a.t0 {
		hops = nil // no step was made
	}
	for n := len(hops) - 1; n >= 0; n-- {
		h, first := hops[n], n-n%a.steps
		if n == len(hops)-1 || n%a.steps == a.steps-1 {
			a.evaluate(hops[first:n+1], a.method.path.states[first*size:(n+1)*size])
		}
		if h.smooth {
			for _, b := range a.bar[len(a.method.a):] {
				clear(b)
			}
		}
		for ; k > 0 && a.times[k-1] != h.from && (a.times[k-1] > h.from) == (h.to > h.from); k-- {
			a.output(h, a.times[k-1], w[(k-1)*d:k*d])
		}
		a.back(h, n-first, gp)
	}
	for ; k > 0; k-- {
		add1(a.state, a.state, 1, w[(k-1)*d:k*d])
	}
	if len(hops) > 0 {
		a.at[0] = a.t0
		a.begin.Evaluate(a.at[:1], a.y0, a.p)
		a.begin.Pull(g0, gp, 0, a.slope)
	}
	add1(g0, g0, 1, a.state)
}

// evaluate evaluates the derivatives at the stages of some steps.
func (a *Adjoint) evaluate(hops []hop, states []float64) {
	c := a.method.c[1:]
	for n, h := range hops {
		for s, part := range c {
			a.at[n*len(c)+s] = h.from + part*(h.to-h.from)
		}
	}
	a.block.Evaluate(a.at[:len(hops)*len(c)], states, a.p)
}

// output takes the adjoint w of the output at t, within or at the end of a step.
func (a *Adjoint) output(h hop, t float64, w []float64) {
	if t == h.to {
		add1(a.state, a.state, 1, w)
		return
	}
	x := (t - h.from) / (h.to - h.from)
	factor := [2]float64{x, 1 - x}
	weight := 1.0
	for j, b := range a.bar[len(a.method.a):] {
		add1(b, b, weight, w)
		weight *= factor[j%2]
	}
}

// back goes back over a step, one of those evaluated: from adjoints of state and slope
// at its end to those at its beginning.
func (a *Adjoint) back(h hop, step int, gp []float64) {
	e, d := a.method, h.to-h.from
	top, last, sums := len(e.b), len(e.b), a.sums
	first := step*(len(e.a)-1) - 1
	clear(a.bar[0])
	if h.smooth {
		top, sums = len(e.a)-1, a.smooth
		c := a.bar[len(e.a):]
		for i := range a.state { // the way made is in three of the coefficients
			way := c[1][i] - c[2][i] + 2*c[3][i]
			a.state[i] += way
			a.bar[0][i] = c[0][i] - way
		}
	}
	for s := top; s > 0; s-- {
		b := a.bar[s]
		if s == last {
			copy(b, a.state)
			copy(a.k, a.slope)
			sums[s].into(a.k, a.k, d)
		} else {
			clear(b)
			sums[s].into(a.k, e.zero, d)
		}
		a.block.Pull(b, gp, first+s, a.k)
	}
	sums[0].into(a.slope, e.zero, d)
	copy(a.state, a.bar[0])
	for _, b := range a.bar[1 : top+1] {
		add1(a.state, a.state, 1, b)
	}
}
