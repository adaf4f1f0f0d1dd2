package ode

import (
	"fmt"
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/internal/vector"
)

// A Block evaluates a parametric system at n lanes side by side, for one goroutine:
// number k of lane i of a vector is at k*n+i. No lane depends on another.
type Block interface {
	// Set gives the parameters.
	Set(p []float64)
	// Values writes f at times t and states y.
	Values(f, t, y []float64)
	// Pull writes wᵀ·∂f/∂y into gy and adds wᵀ·∂f/∂p to gp.
	Pull(gy, gp, t, y, w []float64)
}

// A path is what lanes remember of their steps.
type path struct {
	records []*record
	rows    int // of them that count
}

// next is where the next attempt goes.
func (p *path) next(e *explicit) *record {
	if p.rows == len(p.records) {
		p.records = append(p.records, e.newRecord())
	}
	p.rows++
	return p.records[p.rows-1]
}

// Lanes integrate a parametric system by an explicit method from several initial states
// and with several parameters at once, each lane with steps of its own, and go back along
// the steps for the gradient of a function of what they computed: in reverse mode, at the
// cost of a few solutions however many parameters there are (Griewank & Walther 2008).
// The gradient is that of [Sensitive], but for rounding. A lane's numbers are the same bit
// by bit whatever the others are. After their first calls Lanes allocate nothing, but to
// remember more steps than ever. They serve one goroutine.
type Lanes struct {
	*explicit
	parameters int
	block      Block
	t0         float64
	origin     []float64
	times      []float64
	y          []float64
	reached    []int // by lane: times
	few        int   // attempts until three lanes of four had ended

	sums   []vector.Sum  // of the adjoint of each stage, from those of the states of later ones
	smooth []vector.Sum  // likewise, from those of the dense output as well
	whole  [2]vector.Sum // the adjoints of the states of all stages, without and with those for dense output
	// adjoints: of the states of the stages (the first of all but what follows it), then of the coefficients of the dense output
	bar          [][]float64
	end, slope   []float64 // adjoint of the states where the way back has come to, and of f there
	state, pull  []float64 // those of the step it goes back over: of its start, of a stage
	more         []float64 // by parameter: of that step
	mask, nought []float64 // by parameter
}

// NewLanes returns a solver of n lanes of s with an explicit method of o, which has no events.
func NewLanes(s Parametric, n int, o Options) (*Lanes, error) {
	if s.Dim < 1 || s.Parameters < 0 || s.Eval == nil || n < 1 || len(o.Events) > 0 {
		return nil, fmt.Errorf("ode: %d lanes of a parametric system of %d components and %d parameters, without Eval or with events",
			n, s.Dim, s.Parameters)
	}
	o, err := o.complete(s.Dim)
	if err != nil {
		return nil, fmt.Errorf("ode options: %w", err)
	}
	tab := &dormandPrince
	switch o.Method {
	case "", DormandPrince:
	case DOP853:
		tab = &dop853
	default:
		return nil, fmt.Errorf("ode: there is no way back along the steps of %s: use %s or %s", o.Method, DormandPrince, DOP853)
	}
	l := &Lanes{explicit: newExplicit(tab, s.Dim, n, &o), parameters: s.Parameters, reached: make([]int, n)}
	if s.Block == nil {
		s.Block = s.scalars
	}
	l.block, l.path = s.Block(n), &path{}
	l.field = l.block
	l.origin = make([]float64, s.Dim*n)
	for i, v := range matrix(4, s.Dim*n) {
		*[]*[]float64{&l.end, &l.slope, &l.state, &l.pull}[i] = v
	}
	for i, v := range matrix(3, s.Parameters*n) {
		*[]*[]float64{&l.more, &l.mask, &l.nought}[i] = v
	}
	l.transpose()
	return l, nil
}

// transpose makes the sums of the way back: what is a row on the way is a column.
func (l *Lanes) transpose() {
	stages, last := len(l.a), len(l.b)
	rows := append(append([][]float64{}, l.a...), nil, nil, make([]float64, stages), make([]float64, stages))
	rows[stages+2][0] = 1 // the coefficients h·f0 − δ and 2δ − h·(f0 + f1), where δ is the way made
	rows[stages+3][0], rows[stages+3][last] = -1, -1
	rows = append(rows, l.dense...)
	l.bar = matrix(len(rows), l.dim*l.n)
	column := func(j, n int) vector.Sum {
		w := make([]float64, n)
		for s, row := range rows[:n] {
			if j < len(row) {
				w[s] = row[j]
			}
		}
		return vector.NewSum(w, l.bar)
	}
	for j := range stages {
		l.sums, l.smooth = append(l.sums, column(j, last+1)), append(l.smooth, column(j, len(rows)))
	}
	for i, n := range []int{last + 1, stages} {
		l.whole[i] = vector.NewSum(slices.Repeat([]float64{1}, n), l.bar)
	}
}

// Solve integrates from the states y0 at t0 with parameters p through times, monotone.
// Component k of lane i at times[r] is y[(r*Dim+k)*n+i]. What a lane does not reach is NaN;
// [Lanes.Err] says why.
func (l *Lanes) Solve(t0 float64, y0, p, times, y []float64) error {
	if m := len(l.origin); len(p) != len(l.more) || len(y0) != m || len(y) != len(times)*m {
		return fmt.Errorf("ode: %d initial values, %d parameters, room for %d values: want %d, %d and %d",
			len(y0), len(p), len(y), m, len(l.more), len(times)*m)
	}
	if err := disorder(t0, times); err != nil {
		return err
	}
	copy(l.origin, y0)
	l.t0, l.times, l.y = t0, append(l.times[:0], times...), y
	l.block.Set(p)
	first := 0
	for ; first < len(times) && times[first] == t0; first++ {
		copy(y[first*len(y0):], y0)
	}
	for i := range l.reached {
		l.reached[i] = first
		l.lanes[i] = lane{}
	}
	l.path.rows, l.few = 0, 0
	for j := first * len(y0); j < len(y); j++ {
		y[j] = math.NaN()
	}
	if first == len(times) {
		return nil
	}
	l.begin(t0, times[len(times)-1], y0)
	for l.going() {
		l.sweep()
		l.outputs()
	}
	return nil
}

// going reports whether any lane goes. It ends those that took too many steps, and the few
// that have needed twice as many as the others: the others idle meanwhile.
func (l *Lanes) going() bool {
	going := 0
	for i := range l.lanes {
		a := &l.lanes[i]
		if a.going && a.count.Steps+a.count.Rejected >= l.o.Steps {
			a.fail(ErrTooMany)
		}
		if a.going {
			going++
		}
	}
	sweeps := l.path.rows
	switch {
	case 4*going > l.n:
		l.few = sweeps
	case going > 0 && sweeps > 2*l.few:
		for i := range l.lanes {
			if a := &l.lanes[i]; a.going {
				a.fail(ErrBehind)
			}
		}
		return false
	}
	return going > 0
}

// outputs writes the states at times within the last steps.
func (l *Lanes) outputs() {
	r := l.record
	for i, accepted := range r.accepted {
		if accepted == 0 {
			continue
		}
		a := &l.lanes[i]
		if t := l.times[l.reached[i]]; t != a.to && (t < a.to) == (a.to > a.from) {
			r.smooth[i], r.dense = r.step[i], true
		}
	}
	if r.dense {
		l.interpolate()
	}
	m := l.dim * l.n
	for i, accepted := range r.accepted {
		if accepted == 0 {
			continue
		}
		a, n := &l.lanes[i], l.reached[i]
		for n < len(l.times) && (l.times[n] == a.to || (l.times[n] < a.to) == (a.to > a.from)) {
			l.output(l.y[n*m+i:(n+1)*m], l.n, i, l.times[n])
			n++
		}
		l.reached[i] = n
		a.going = n < len(l.times)
	}
}

// Err says why lane i of the last Solve did not reach all times: nil if it did. It is
// [ErrTooMany] or [ErrBehind] where the solution may go on, else it cannot.
func (l *Lanes) Err(i int) error { return l.lanes[i].err }

// Stats returns what lane i of the last Solve took.
func (l *Lanes) Stats(i int) Stats { return l.lanes[i].count }

// Gradient writes the gradients of functions of the states of the last Solve, one for each
// lane that reached all times: w is their gradient by y. That by parameter j of lane i is
// g[j*n+i], by initial value k g[(Parameters+k)*n+i]. What it writes for others is of no use.
func (l *Lanes) Gradient(g, w []float64) {
	np := len(l.more)
	gp, g0 := g[:np], g[np:]
	clear(g)
	clear(l.end)
	clear(l.slope)
	for i := range l.reached {
		l.reached[i] = len(l.times)
	}
	for n := l.path.rows - 1; n >= 0; n-- {
		l.record = l.path.records[n]
		l.inputs(w)
		l.back(gp)
	}
	m := len(l.end)
	if l.path.rows > 0 {
		for i := range l.time {
			l.time[i] = l.t0
		}
		l.block.Pull(l.pull, gp, l.time, l.origin, l.slope)
		vector.Add(l.end, l.end, l.pull)
	}
	copy(g0, l.end)
	for n := 0; n < len(l.times) && l.times[n] == l.t0; n++ {
		vector.Add(g0, g0, w[n*m:])
	}
}

// inputs takes the adjoints of the outputs within a step and at its end.
func (l *Lanes) inputs(w []float64) {
	r, m := l.record, l.dim*l.n
	if r.dense {
		for _, b := range l.bar[len(l.a):] {
			clear(b)
		}
	}
	for i := range l.n { // of a rejected attempt the steps behind it have taken all outputs
		k := l.reached[i]
		for ; k > 0; k-- {
			t := l.times[k-1]
			if t == r.from[i] || (t > r.from[i]) != (r.to[i] > r.from[i]) {
				break
			}
			l.input(i, t, w[(k-1)*m+i:k*m])
		}
		l.reached[i] = k
	}
}

// input takes the adjoint w of the output of lane i at t.
func (l *Lanes) input(i int, t float64, w []float64) {
	r := l.record
	if t == r.to[i] {
		for j := 0; j < len(w); j += l.n {
			l.end[j+i] += w[j]
		}
		return
	}
	x := (t - r.from[i]) / (r.to[i] - r.from[i])
	factor := [2]float64{x, 1 - x}
	weight := 1.0
	for k, b := range l.bar[len(l.a):] {
		for j := 0; j < len(w); j += l.n {
			b[j+i] += float64(weight * w[j])
		}
		weight *= factor[k%2]
	}
}

// back goes back over a step of all lanes that made it: from adjoints of state and slope
// at its end to those at its beginning.
func (l *Lanes) back(gp []float64) {
	r := l.record
	l.spread(l.wide, r.step)
	l.spread(l.accepted, r.accepted)
	l.spread(l.mask, r.accepted)
	clear(l.more)
	clear(l.bar[0])
	top, last, sums, whole := len(l.b), len(l.b), l.sums, &l.whole[0]
	copy(l.state, l.end)
	if r.dense {
		top, sums, whole = len(l.a)-1, l.smooth, &l.whole[1]
		c := l.bar[len(l.a):]
		// the way made is in three of the coefficients
		vector.Sub(l.u, c[1], c[2])
		vector.Add(l.u, l.u, c[3])
		vector.Add(l.u, l.u, c[3])
		vector.Add(l.state, l.state, l.u)
		vector.Sub(l.bar[0], c[0], l.u)
	}
	for s := top; s > 0; s-- {
		step, slope := r.step, l.zero
		if s > last {
			step = r.smooth
		}
		if s == last {
			slope = l.slope
		}
		sums[s].Into(l.pull, slope, l.wide)
		l.parts[s].Into(l.time, r.from, step)
		l.block.Pull(l.bar[s], l.more, l.time, l.stage(s), l.pull)
		if s == last {
			vector.Add(l.bar[s], l.bar[s], l.state)
		}
	}
	sums[0].Into(l.pull, l.zero, l.wide)
	whole.Into(l.state, l.zero, l.ones)
	// Only accepted steps count.
	vector.Select(l.end, l.accepted, l.zero, l.end, l.state)
	vector.Select(l.slope, l.accepted, l.zero, l.slope, l.pull)
	vector.Add(l.more, l.more, gp)
	vector.Select(gp, l.mask, l.nought, gp, l.more)
}

// scalars are the Block of a system without: lane by lane.
type scalars struct {
	Parametric
	p            [][]float64
	f, jy, jp, y []float64
}

func (s Parametric) scalars(n int) Block {
	return &scalars{s, matrix(n, s.Parameters), make([]float64, s.Dim), make([]float64, s.Dim*s.Dim),
		make([]float64, s.Dim*s.Parameters), make([]float64, s.Dim)}
}

func (b *scalars) Set(p []float64) {
	for i := range b.p {
		for j := range b.p[i] {
			b.p[i][j] = p[j*len(b.p)+i]
		}
	}
}

func (b *scalars) Values(f, t, y []float64) {
	for i, t := range t {
		gather(b.y, y, i, len(b.p))
		b.Eval(b.f, nil, nil, t, b.y, b.p[i])
		for k, v := range b.f {
			f[k*len(b.p)+i] = v
		}
	}
}

func (b *scalars) Pull(gy, gp, t, y, w []float64) {
	n, d := len(b.p), b.Dim
	for i, t := range t {
		gather(b.y, y, i, n)
		b.Eval(b.f, b.jy, b.jp, t, b.y, b.p[i])
		for k := range d {
			gy[k*n+i] = 0
		}
		for r := range d {
			w := w[r*n+i]
			for k := range d {
				gy[k*n+i] += float64(w * b.jy[r*d+k])
			}
			for k := range b.Parameters {
				gp[k*n+i] += float64(w * b.jp[r*b.Parameters+k])
			}
		}
	}
}

// gather copies lane i of n.
func gather(dst, src []float64, i, n int) {
	for k := range dst {
		dst[k] = src[k*n+i]
	}
}
