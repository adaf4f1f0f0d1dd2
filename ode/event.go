package ode

import (
	"cmp"
	"math"
	"slices"
)

// An Event happens where Zero changes its sign along the trajectory. Two changes
// within one step are not seen: limit Options.Max where they may be so close. A
// trajectory that starts at a zero has no event there.
type Event struct {
	Name      string
	Zero      func(t float64, y []float64) float64
	Direction int  // > 0: only rising, < 0: only falling as the integration goes, 0: both
	Stop      bool // the trajectory ends here
}

// An Occurrence is an event that happened.
type Occurrence struct {
	Event int // index in Options.Events
	Name  string
	T     float64
	Y     []float64 // the state then, from the dense output
}

// events watch a trajectory.
type events struct {
	all     []Event
	value   []float64 // of each, at the end of the last step
	y       []float64 // workspace
	found   []Occurrence
	stopped bool
}

func newEvents(dim int, all []Event) events {
	e := events{all: all}
	if len(all) > 0 {
		e.value, e.y = make([]float64, len(all)), make([]float64, dim)
	}
	return e
}

func (e *events) reset() { e.found, e.stopped = e.found[:0], false }

func (e *events) start(t float64, y []float64) {
	for i := range e.all {
		e.value[i] = e.all[i].Zero(t, y)
	}
}

// step looks for events in the last step of m and returns where the trajectory
// ends: at the end of the step, or at the first event that stops it.
func (e *events) step(m stepper) (end float64) {
	from, end := m.interval()
	if len(e.all) == 0 {
		return end
	}
	first := len(e.found)
	to := end
	for i := range e.all {
		v := &e.all[i]
		was, is := e.value[i], v.Zero(to, m.state())
		e.value[i] = is
		rises, falls := was < 0 && is >= 0, was > 0 && is <= 0
		if !(rises && v.Direction >= 0 || falls && v.Direction <= 0) {
			continue
		}
		t := root(func(t float64) float64 { m.at(e.y, t); return v.Zero(t, e.y) }, from, to, was, is)
		e.add(i, t, m)
		if v.Stop && (!e.stopped || math.Abs(t-from) < math.Abs(end-from)) {
			e.stopped, end = true, t
		}
	}
	new := e.found[first:]
	slices.SortStableFunc(new, func(a, b Occurrence) int { return cmp.Compare(math.Abs(a.T-from), math.Abs(b.T-from)) })
	if e.stopped { // nothing happens after the first event that stops
		k := slices.IndexFunc(new, func(o Occurrence) bool { return e.all[o.Event].Stop })
		e.found = e.found[:first+k+1]
	}
	return end
}

// add notes that event i happened at t, in memory of an earlier trajectory if there is.
func (e *events) add(i int, t float64, m stepper) {
	n := len(e.found)
	if n < cap(e.found) {
		e.found = e.found[:n+1]
	} else {
		e.found = append(e.found, Occurrence{})
	}
	o := &e.found[n]
	if o.Y == nil {
		o.Y = make([]float64, len(e.y))
	}
	o.Event, o.Name, o.T = i, e.all[i].Name, t
	m.at(o.Y, t)
}

// root returns a zero of f between a and b, where f has the values fa and fb of
// opposite signs (fb may be 0), to the resolution of time: Chandrupatla's method.
// Of the last bracket it returns the end nearer to b, so that f has already
// changed its sign there.
func root(f func(float64) float64, a, b, fa, fb float64) float64 {
	if fb == 0 {
		return b
	}
	x1, x2, f1, f2 := b, a, fb, fa // x1 and x2 bracket, x1 is the newest
	var x3, f3 float64
	t := 0.5
	for range 200 {
		x := x1 + t*(x2-x1)
		fx := f(x)
		if (fx > 0) == (f1 > 0) {
			x3, f3 = x1, f1
		} else {
			x3, f3, x2, f2 = x2, f2, x1, f1
		}
		x1, f1 = x, fx
		limit := 2 * 0x1p-52 * math.Max(math.Abs(x1), math.Abs(x2)) / math.Abs(x2-x1)
		if fx == 0 {
			return x
		}
		if limit > 0.5 || x1 == x2 {
			break
		}
		xi, phi := (x1-x2)/(x3-x2), (f1-f2)/(f3-f2)
		t = 0.5
		if phi*phi < xi && (1-phi)*(1-phi) < 1-xi {
			t = f1/(f2-f1)*f3/(f2-f3) + (x3-x1)/(x2-x1)*f1/(f3-f1)*f2/(f3-f2)
		}
		t = math.Min(1-limit, math.Max(limit, t))
	}
	if (x1 > x2) == (b > a) {
		return x1
	}
	return x2
}
