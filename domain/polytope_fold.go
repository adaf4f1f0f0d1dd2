package domain

import (
	"math"
	"slices"
)

// fold keeps the slacks of the rows along the path and from step to step.
func (p *polytope) Reflector(rule Rule, limit int) (Reflector, error) {
	if rule != Specular {
		return nil, nil
	}
	p.lay.Do(func() { p.rows = newPolyRows(p, wide()) })
	return newPolyFold(p.rows, limit), nil
}

// polyStates is the largest number of states whose slacks a reflector remembers:
// those of the replicas that it serves in turn. polyMemory bounds their numbers.
const (
	polyStates = 32
	polyMemory = 1 << 17
)

// polyStale is the number of mirrorings after which slacks are taken afresh.
const polyStale = 256

// polyFold reflects specularly. What it does to a step is a function of that step
// alone: slacks and rates carried along, within a step and from step to step, only
// tell which rows may be met first, by bounds on their errors; those rows are then
// compared by slacks and rates computed from the point and the direction.
type polyFold struct {
	k      *polyRows
	cap    int
	x, dir []float64 // a point of the path and what is left of it
	v      []float64
	likely []int32 // rows that may be met first

	states []polyState
	next   polyState // the end of a step
	due    int       // the state expected next
	clock  int

	span      float64 // of the step: |from| and its length
	size      float64 // of the step: |x| and the way since slacks were taken afresh
	lag       float64 // bound on an error that slacks and rates share, gone at the end of the path
	off, skew float64 // bounds on the other errors of slacks and of rates
	tip       []float64

	trail
}

var _ Stuck = (*polyFold)(nil)

// A polyState is a state that may be the start of the next step; x[0] is NaN where
// there is none.
type polyState struct {
	x, slack []float64
	hits     int     // mirrorings since slack was taken afresh; −1 when it is not known
	off      float64 // bound on the errors of slack if hits > 0
	way      float64 // since slack was taken afresh
	used     int     // when
	near     polyNear
}

func newPolyFold(k *polyRows, limit int) *polyFold {
	r := &polyFold{k: k, cap: limit, x: make([]float64, k.d), dir: make([]float64, k.d), v: make([]float64, k.d),
		tip: make([]float64, k.d), likely: make([]int32, 0, k.m), trail: newTrail(k.m), next: polyState{slack: make([]float64, len(k.b))}}
	r.states = make([]polyState, min(max(polyMemory/(len(k.b)+k.d), 2), polyStates))
	for i := range r.states {
		r.states[i] = polyState{x: make([]float64, k.d), slack: make([]float64, len(k.b)), near: k.nearby()}
		r.states[i].x[0] = math.NaN()
	}
	return r
}

func (r *polyFold) Reflect(from, to, v []float64) (int, bool) {
	k := r.k
	s, known := r.find(from)
	if !known {
		copy(s.x, from)
		s.hits, s.near.reach = -1, 0
	}
	if s.near.clears(k, to) && k.within(to) {
		copy(s.x, to)
		s.hits = -1
		return 0, true
	}
	in := k.slacks(r.next.slack, to)
	switch {
	case !finite(to) || !in && !tame(to):
		r.stuck = r.stuck[:0]
		giveUp(from, to, v)
		return 0, false
	case in:
		hits := k.fold(to, v)
		r.arrive(s, to)
		return hits, true
	}
	r.depart(s, from, to)
	mv := r.v[:copy(r.v, v)]
	hits, ok := r.follow(s, mv)
	if !ok || !r.settle(s) || !finite(mv) {
		s.x[0] = math.NaN()
		giveUp(from, to, v)
		return hits, false
	}
	for _, j := range k.at {
		r.x[j] = to[j]
	}
	// A path that ends beyond a wall by rounding alone touches it.
	hits = max(hits, 1) + k.fold(r.x, mv)
	copy(s.x, r.x)
	copy(to, r.x)
	copy(v, mv)
	return hits, true
}

// find returns the state x, and whether its slacks are known.
func (r *polyFold) find(x []float64) (s *polyState, known bool) {
	n := len(r.states)
	r.clock++
	oldest := r.due
	for i := range n {
		at := r.due + i
		if at >= n {
			at -= n
		}
		s := &r.states[at]
		if s.x[0] == x[0] && slices.Equal(s.x, x) {
			oldest, known = at, true
			break
		}
		if s.used < r.states[oldest].used {
			oldest = at
		}
	}
	r.due = oldest + 1
	if r.due == n {
		r.due = 0
	}
	s = &r.states[oldest]
	s.used = r.clock
	return s, known
}

// arrive moves s to a place whose slacks are those of next.
func (r *polyFold) arrive(s *polyState, to []float64) {
	s.slack, r.next.slack = r.next.slack, s.slack
	if s.near.calm++; s.near.calm >= nearCalm {
		length := distance(s.x, to)
		s.near.consider(r.k, s.slack, to, length, 4*r.fresh(norm(to)+8*length)+r.k.least)
	}
	copy(s.x, to)
	s.hits, s.way = 0, 0
}

// fresh bounds the error of a row's slack at a point of length size, or of its rate
// along a direction of that length: twice that of a sum of d products and eight
// operations more.
func (r *polyFold) fresh(size float64) float64 { return 0x1p-52 * float64(r.k.d+8) * size }

// depart sets the path from → to up, slacks in s and rates in next.
func (r *polyFold) depart(s *polyState, from, to []float64) {
	copy(r.x, from)
	for i, f := range from {
		r.dir[i] = to[i] - f
	}
	if s.hits < 0 || s.hits >= polyStale {
		r.k.slacks(s.slack, from)
		s.hits, s.way = 0, 0
	}
	start, length := norm(from), norm(r.dir)
	if s.hits == 0 {
		s.off = r.fresh(start)
	}
	s.way += length
	r.span, r.size = start+length, start+s.way
	r.lag = s.off
	r.rates(s)
}

// rates makes the slacks at the end of the path, in next, into rates. Slacks at the
// start that are too large by some error give rates that are too large by as much:
// where they are used up it is gone.
func (r *polyFold) rates(s *polyState) {
	r.k.advance(s.slack, r.next.slack, s.slack, 0, -1, -1) // s − 0·r, and −r + s
	r.off, r.skew = 0, r.fresh(r.size)
}

// follow goes along the path to its end, and mirrors mv with it.
func (r *polyFold) follow(s *polyState, mv []float64) (hits int, ok bool) {
	k, rate := r.k, r.next.slack
	on := int32(-1)
	for ; ; hits++ {
		t, rise, w := r.first(s.slack, rate, on)
		if w < 0 {
			break
		}
		if hits == r.cap {
			r.blame(hits)
			return hits, false
		}
		r.met(Wall(k.wall[w]), hits)
		on = w
		row := k.unit[int(w)*k.d : (int(w)+1)*k.d]
		rest := 1 - t
		c := 2 * rest * rise
		for i, u := range row {
			e := r.dir[i]
			r.x[i] += t * e
			r.dir[i] = rest*e - c*u
		}
		mirror(mv, row[:len(mv)])
		r.turn(s, int(w), t, rest, c)
	}
	for i, e := range r.dir {
		r.x[i] += e
	}
	k.advance(s.slack, rate, rate, 1, 0, 0)
	r.off += r.skew + 0x1p-50*r.size
	s.off = r.off
	s.hits++
	return hits, true
}

// turn takes slacks and rates along for the share t of the path to row w, and past
// the turn of the rest by c times the unit row.
func (r *polyFold) turn(s *polyState, w int, t, rest, c float64) {
	k, rate := r.k, r.next.slack
	s.hits++
	known := s.hits <= polyStale && k.turn(s.slack, rate, w, t, rest, c)
	r.off += t*r.skew + 0x1p-50*r.size
	r.skew = rest*r.skew + r.fresh(r.size)
	if known {
		return
	}
	r.lag += r.off
	if s.hits > polyStale {
		k.slacks(s.slack, r.x)
		r.lag, s.hits = r.fresh(r.size), 1
	}
	for i, e := range r.dir {
		r.tip[i] = r.x[i] + e
	}
	k.slacks(rate, r.tip)
	r.rates(s)
}

// first returns where the path leaves the polytope, a share t < 1 of what is left
// of it, at which rate and by which row; −1 if it does not. Of several rows met at
// once it is the first. on was met last and cannot be met again.
func (r *polyFold) first(slack, rate []float64, on int32) (t, rise float64, w int32) {
	k := r.k
	margin := 2*(2*r.lag+r.off+r.skew) + r.fresh(r.size) + k.least
	likely, about, guess := r.likely[:0], 1.0, int32(-1)
	for i := 0; i < k.m; i += 8 {
		if i = k.near(slack, rate, i, about, margin); i >= k.m {
			break
		}
		for l := i; l < min(i+8, k.m); l++ {
			s, e := slack[l], rate[l]
			if s >= about*e+margin || int32(l) == on {
				continue
			}
			likely = append(likely, int32(l))
			if e > 0 && s < about*e {
				about, guess = max(s/e, 0), int32(l)
			}
		}
	}
	t, w = 1, -1
	try := func(i int32) {
		if s, e := k.exact(int(i), r.x, r.dir); e > 0 {
			if q := s / e; q < t || q == t && i < w {
				t, rise, w = q, e, i
			}
		}
	}
	if guess >= 0 {
		try(guess)
	}
	for _, i := range likely {
		if i != guess && !(slack[i] >= t*rate[i]+margin) {
			try(i)
		}
	}
	return t, rise, w
}

// settle makes sure that the end of the path lies in the polytope, which rounding
// may have put some ulps beyond a wall, and corrects the slacks of s where it moves
// it. It reports false, and names the walls, if it cannot.
func (r *polyFold) settle(s *polyState) bool {
	k := r.k
	margin := 2*s.off + r.fresh(r.size) + k.least
	if r.ends(s.slack, margin) {
		return true
	}
	for step := 0x1p-53 * r.span; step < 0x1p-30*r.span; step *= 2 {
		r.stuck = r.stuck[:0]
		for i := range k.m {
			if k.behind(i, r.x) {
				continue
			}
			r.accuse(Wall(k.wall[i]))
			row := k.unit[i*k.d : (i+1)*k.d]
			gap := step - (k.b[i]-dot(k.a[i*k.d:(i+1)*k.d], r.x))*k.inv[i]
			for j, u := range row {
				r.x[j] -= gap * u
			}
		}
		if len(r.stuck) == 0 {
			s.hits, s.way = 0, 0
			return k.slacks(s.slack, r.x)
		}
	}
	return false
}

// ends reports whether the end of the path lies behind every row; only those of
// slack up to margin may tell.
func (r *polyFold) ends(slack []float64, margin float64) bool {
	k := r.k
	for i := 0; i < k.m; i += 8 {
		if i = k.near(slack, slack, i, 0, margin); i >= k.m {
			break
		}
		for l := i; l < min(i+8, k.m); l++ {
			if !(slack[l] > margin) && !k.behind(l, r.x) {
				return false
			}
		}
	}
	return true
}
