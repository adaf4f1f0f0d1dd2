package modes

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/r2sgld/r2sgld/domain"
	"github.com/r2sgld/r2sgld/potential"
)

const (
	memory     = 6    // pairs of steps and slopes that tell the curvature
	sufficient = 1e-4 // of the decrease that the slope promises (Armijo)
	firstStep  = 0.2  // in widths
	longest    = 1.0  // in widths, along every coordinate, at first
	mostCreeps = 3    // steps along a wall
	mostTries  = 12   // of one step
	still      = 1e-4 // of the length of a step that leads to a wall: it begins there
	further    = 100  // times that, after a step along a wall that gains next to nothing
	mostSweeps = 100  // over walls, for a direction that leads out of none
)

// A descent goes down E from one start, by L-BFGS (Nocedal & Wright 2006, algorithm 7.5) in
// coordinates in which starts are equally wide, and along the walls that it leans on. It asks
// for the energy and the slope at one point at a time, so that many go side by side.
type descent struct {
	t     *Target
	trace domain.Tracer // nil without a domain

	x, g   []float64 // where it is, and the slope there, per width
	e      float64
	p      []float64 // the direction
	reach  float64   // no coordinate goes further in a step, in widths
	step   float64   // the part of it that is tried
	tries  int
	creeps int           // steps along a wall, one after the other, that gain next to nothing
	cut    bool          // whether a wall ends the step
	s, y   [][]float64   // the last pairs, oldest first
	walls  []domain.Wall // those that the direction leans on
	normal [][]float64   // of each of them, of length one
	force  []float64     // by which each of them keeps it inside
	next   []float64     // the point that it asks for
	along  float64       // what the slope promises of the way there
	v, n   []float64
	asked  int  // points so far
	most   int  // of them, in all
	begun  bool // whether x is evaluated
	done   bool // at a minimum
	fresh  bool // it has begun once more, and gained no more than tol since
	lost   bool // no step leads down, or slopes are not finite

	view view   // of a cover, where it was last looked at
	mark mark   // where the density is most above the cover
	seen uint64 // the laws of the cover, as bits, that could be seen on the way
}

func newDescent(t *Target, x []float64) *descent {
	d := len(x)
	w := &descent{t: t, reach: longest, x: append([]float64(nil), x...), g: make([]float64, d), p: make([]float64, d),
		next: append([]float64(nil), x...), v: make([]float64, d), n: make([]float64, d)}
	if t.Domain != nil {
		w.trace = t.Domain.Tracer()
	}
	return w
}

// over reports whether nothing more is to be asked for.
func (w *descent) over() bool { return w.done || w.lost }

// hear takes the energy and the slope, of x itself, at the point that was asked for. tol is
// the decrease, in E, below which it is at a minimum.
func (w *descent) hear(e float64, slope []float64, tol float64) {
	w.asked++
	finite := e-e == 0
	for j, v := range slope {
		w.v[j] = v * w.t.Width[j]
		finite = finite && v-v == 0
	}
	switch {
	case !w.begun && !finite:
		w.lost = true
		return
	case !w.begun:
		w.begun, w.e = true, e
		copy(w.g, w.v)
	case finite && e <= w.e+sufficient*w.along:
		w.accept(e, tol)
	default:
		w.shorten(e, finite)
	}
	if !w.over() {
		w.ask(tol)
	}
}

// accept goes to the point that was asked for, where the slope is v.
func (w *descent) accept(e, tol float64) {
	s, y := make([]float64, len(w.x)), make([]float64, len(w.x))
	for j := range s {
		s[j] = (w.next[j] - w.x[j]) / w.t.Width[j]
		y[j] = w.v[j] - w.g[j]
	}
	if floats.Dot(s, y) > 1e-10*floats.Norm(s, 2)*floats.Norm(y, 2) {
		if w.s, w.y = append(w.s, s), append(w.y, y); len(w.s) > memory {
			w.s, w.y = w.s[1:], w.y[1:]
		}
	}
	if w.e-e > tol {
		w.fresh = false
	}
	flat := !w.cut && w.tries == 0 && len(w.s) > 1 && w.e-e < tol && -w.along < 10*tol
	if w.creeps++; !w.cut || w.e-e > tol {
		w.creeps = 0
	}
	switch w.creeps {
	case mostCreeps:
		flat = true
	case mostCreeps - 1: // the last goes straight down
		w.s, w.y = nil, nil
	}
	if w.t.Flat < 1 && w.tries == 0 && !w.cut && floats.Norm(w.p, math.Inf(1)) >= 0.99*w.reach {
		w.reach *= 2 // a minimum may be far from starts that tell no width
	}
	w.e, w.tries = e, 0
	copy(w.x, w.next)
	copy(w.g, w.v)
	if flat {
		w.arrive()
	}
}

// arrive ends a descent at a minimum; one that leans on walls begins once more without what it
// knows, and ends if that leads nowhere.
func (w *descent) arrive() {
	w.done = w.fresh || len(w.walls) == 0 && !w.cut
	w.fresh, w.creeps = true, 0
	w.s, w.y = nil, nil
	w.walls, w.normal, w.force = nil, nil, nil
}

// shorten tries a part of the step, by the parabola through what is known.
func (w *descent) shorten(e float64, finite bool) {
	w.reach = max(longest, w.reach/2)
	if w.tries++; w.tries > mostTries {
		if len(w.s) == 0 {
			w.end()
			return
		}
		w.s, w.y, w.tries = nil, nil, 0
		return
	}
	part := 0.1
	if finite {
		if curve := e - w.e - w.along; curve > 0 {
			part = min(0.5, max(0.1, -w.along/(2*curve)))
		}
	}
	w.step *= part
}

// ask chooses the next point.
func (w *descent) ask(tol float64) {
	if w.tries == 0 {
		w.direction()
		w.step = 1
	}
	for turns := 0; turns < 2*len(w.x)+4; {
		slope := floats.Dot(w.g, w.p)
		if !(slope < 0) || -slope < tol/10 {
			if w.arrive(); w.done {
				return
			}
			w.tries = 0
			w.direction()
			w.step = 1
			turns++
			continue
		}
		switch w.way() {
		case ahead:
			for j, v := range w.next {
				w.v[j] = (v - w.x[j]) / w.t.Width[j]
			}
			if w.along = floats.Dot(w.g, w.v); w.along < 0 {
				return
			}
			if w.step /= 2; w.stuck() == blocked { // a mirrored step may lead up
				w.end()
				return
			}
		case leaning:
			turns++
		case blocked:
			w.end()
			return
		}
	}
	w.end()
}

// end ends a descent of which no step leads on: at a wall that it leans on it is as low as
// it comes.
func (w *descent) end() { w.done, w.lost = w.cut, !w.cut }

// direction is that of L-BFGS along the walls that the last one leaned on, but for those that
// the slope leads away from.
func (w *descent) direction() {
	floats.ScaleTo(w.p, -1, w.g)
	w.press()
	w.release()
	k := len(w.s)
	alpha := make([]float64, k)
	for i := k - 1; i >= 0; i-- {
		alpha[i] = floats.Dot(w.s[i], w.p) / floats.Dot(w.s[i], w.y[i])
		floats.AddScaled(w.p, -alpha[i], w.y[i])
	}
	if k > 0 {
		floats.Scale(floats.Dot(w.s[k-1], w.y[k-1])/floats.Dot(w.y[k-1], w.y[k-1]), w.p)
	}
	for i := range k {
		beta := floats.Dot(w.y[i], w.p) / floats.Dot(w.s[i], w.y[i])
		floats.AddScaled(w.p, alpha[i]-beta, w.s[i])
	}
	clear(w.force)
	w.press()
	if k == 0 || !(floats.Dot(w.g, w.p) < 0) { // curvatures along walls may mislead
		w.s, w.y = nil, nil
		floats.ScaleTo(w.p, -1, w.g)
		clear(w.force)
		w.press()
		if norm := floats.Norm(w.p, 2); norm > 0 {
			floats.Scale(firstStep/norm, w.p)
			floats.Scale(firstStep/norm, w.force)
		}
	}
	if most := floats.Norm(w.p, math.Inf(1)); most > w.reach {
		floats.Scale(w.reach/most, w.p)
		floats.Scale(w.reach/most, w.force)
	}
}

// release forgets the walls that no force is needed at.
func (w *descent) release() {
	n := 0
	for i, f := range w.force {
		if f > 0 {
			w.walls[n], w.normal[n], w.force[n] = w.walls[i], w.normal[i], f
			n++
		}
	}
	w.walls, w.normal, w.force = w.walls[:n], w.normal[:n], w.force[:n]
	clear(w.force)
}

// What a way may come to.
const (
	ahead   = iota // there is a point to ask for
	leaning        // at a wall: the direction now goes along it
	shorter        // at a wall: the step is now shorter
	blocked        // no point is to be had
)

// way follows the direction up to a wall.
func (w *descent) way() int {
	for j, v := range w.p {
		w.v[j] = w.step * v * w.t.Width[j]
		w.next[j] = w.x[j] + w.v[j]
	}
	if w.cut = false; w.trace == nil || w.trace.Clear(w.x, w.next) {
		return ahead
	}
	t, wall := w.trace.Exit(w.x, w.v, domain.None)
	if wall == domain.None && w.t.Domain.Contains(w.next) {
		return ahead
	}
	if w.cut = true; slices.Contains(w.walls, wall) {
		return w.hug(wall)
	}
	if wall != domain.None && t > still*math.Pow(further, float64(w.creeps)) {
		for j, v := range w.v {
			w.next[j] = w.x[j] + t*(1-still)*v
		}
		if w.t.Domain.Contains(w.next) {
			return ahead
		}
	}
	if wall == domain.None {
		w.step /= 2
		return w.stuck()
	}
	for j, v := range w.v {
		w.next[j] = w.x[j] + t*v
	}
	w.trace.Normal(w.n, w.next, wall)
	if w.outward() && floats.Dot(w.p, w.n) > 1e-9*floats.Norm(w.p, 2) {
		w.walls, w.normal, w.force = append(w.walls, wall), append(w.normal, slices.Clone(w.n)), append(w.force, 0)
		w.press()
		return leaning
	}
	return w.hug(wall)
}

// hug has the step end on a curved wall that the direction leans on, near where it would.
func (w *descent) hug(wall domain.Wall) int {
	for j, v := range w.v {
		w.next[j] = w.x[j] + v
	}
	if w.follow() {
		if i := slices.Index(w.walls, wall); i >= 0 && w.outward() {
			copy(w.normal[i], w.n)
		}
		return ahead
	}
	w.step /= 2
	return w.stuck()
}

// follow takes the next point, outside beyond a curved wall, back to that wall. It reports
// whether that is a short way next to the step, and nothing stands between.
func (w *descent) follow() bool {
	const short, inwards = 0.25, 1e-3
	copy(w.v, w.next)
	if !w.trace.Nearest(w.next, w.n, w.v) {
		return false
	}
	back, far := 0.0, 0.0
	for j, v := range w.v {
		back, far = math.Hypot(back, w.next[j]-v), math.Hypot(far, v-w.x[j])
		w.next[j] += inwards * (w.next[j] - v)
	}
	return back <= short*far && w.t.Domain.Contains(w.next) && !leaves(w.trace, w.x, w.next, w.v)
}

// outward takes the normal of a wall to the coordinates of p and to length one.
func (w *descent) outward() bool {
	floats.Mul(w.n, w.t.Width)
	norm := floats.Norm(w.n, 2)
	floats.Scale(1/norm, w.n)
	return norm > 0
}

// press takes the direction to the nearest one that leads out of no wall that it leans on
// (Hildreth 1957).
func (w *descent) press() {
	for range mostSweeps {
		most := 0.0
		for i, n := range w.normal {
			push := max(floats.Dot(w.p, n), -w.force[i])
			w.force[i] += push
			floats.AddScaled(w.p, -push, n)
			most = max(most, math.Abs(push))
		}
		if most <= 1e-10*floats.Norm(w.p, 2) {
			break
		}
	}
}

// stuck is shorter while steps are not too short.
func (w *descent) stuck() int {
	if w.step < 1e-9 {
		return blocked
	}
	return shorter
}

// sees reports whether no wall stands between the descent and a point.
func (w *descent) sees(x []float64) bool { return w.trace == nil || !leaves(w.trace, w.x, x, w.n) }

// near reports whether the descent is within a hair of a point, or sees it: walls are where
// minima are.
func (w *descent) near(x []float64) bool {
	const hair = 1e-3 // of a width
	for j, v := range x {
		if math.Abs(v-w.x[j]) > hair*w.t.Width[j] {
			return w.sees(x)
		}
	}
	return true
}

// leaves reports whether the straight way from a point to another leaves a domain. dir is
// overwritten.
func leaves(trace domain.Tracer, from, to, dir []float64) bool {
	if trace.Clear(from, to) {
		return false
	}
	for j := range dir {
		dir[j] = to[j] - from[j]
	}
	_, wall := trace.Exit(from, dir, domain.None)
	return wall != domain.None
}

// evaluator evaluates points of several descents at once.
type evaluator struct {
	eval            potential.Evaluator
	r               int
	energy, grad, x []float64
	slope           []float64
}

func newEvaluator(p potential.Potential, r int) *evaluator {
	d := p.Dim()
	return &evaluator{p.Evaluator(r, nil), r, make([]float64, r), make([]float64, r*d), make([]float64, r*d), make([]float64, d)}
}

// set puts x into lane i.
func (v *evaluator) set(i int, x []float64) {
	for j, c := range x {
		v.x[j*v.r+i] = c
	}
}

// slopeOf is the slope in lane i; the next call overwrites it.
func (v *evaluator) slopeOf(i int) []float64 {
	for j := range v.slope {
		v.slope[j] = v.grad[j*v.r+i]
	}
	return v.slope
}

// run evaluates all lanes. It fails where the potential does.
func (v *evaluator) run() error {
	v.eval.Eval(v.energy, v.grad, v.x)
	return potential.Err(v.eval)
}

// block evaluates points, n × d, from one on; spare lanes look where the last does.
func (v *evaluator) block(at []float64, from int) error {
	d := len(v.slope)
	for i := range v.r {
		k := min(from+i, len(at)/d-1)
		v.set(i, at[k*d:(k+1)*d])
	}
	return v.run()
}

// walk evaluates points evenly spread from a part of the straight way from a to b to another.
func (v *evaluator) walk(a, b []float64, from, to float64) error {
	step := (to - from) / (between + 1)
	for i := range between {
		part := from + step*float64(i+1)
		for j := range a {
			v.x[j*v.r+i] = (1-part)*a[j] + part*b[j]
		}
	}
	return v.run()
}

func (v *evaluator) close() { _ = potential.Close(v.eval) }

// idle keeps evaluators that wait, for one goroutine: some hold a process.
type idle struct{ all []*evaluator }

// take returns an evaluator of r lanes that waits, or a new one.
func (k *idle) take(p potential.Potential, r int) *evaluator {
	for i, v := range k.all {
		if v.r == r {
			k.all = slices.Delete(k.all, i, i+1)
			return v
		}
	}
	return newEvaluator(p, r)
}

// put has v wait.
func (k *idle) put(v *evaluator) { k.all = append(k.all, v) }

// close closes all that wait.
func (k *idle) close() {
	for _, v := range k.all {
		v.close()
	}
}
