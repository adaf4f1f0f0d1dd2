package simulation

import (
	"math"
	"slices"

	"github.com/r2sgld/r2sgld/diag"
	"github.com/r2sgld/r2sgld/ode"
)

// steps are a trajectory where the solver's own steps end: as close together as
// its accuracy needs, however far apart the times are that are asked for.
type steps struct {
	dim  int
	t, y []float64 // component i at t[k] is y[k*dim+i]
}

// note is an event that never happens: the solver asks it once at the start and
// once at the end of each step.
func (s *steps) note(t float64, y []float64) float64 {
	s.t, s.y = append(s.t, t), append(s.y, y...)
	return 1
}

func (s *steps) reset() { s.t, s.y = s.t[:0], s.y[:0] }

// cut forgets what lies before a time.
func (s *steps) cut(first float64) {
	n := len(s.t)
	if n == 0 {
		return
	}
	back := s.t[n-1] < s.t[0]
	k := 0
	for k < n && s.t[k] != first && (s.t[k] < first) != back {
		k++
	}
	s.t, s.y = s.t[k:], s.y[k*s.dim:]
}

// periods writes the period of each state, NaN for one that has none.
func (s *steps) periods(dst []float64, sys *ode.System) {
	slope := make([]float64, s.dim)
	for i := range dst {
		dst[i] = s.period(i, func(k int) float64 {
			sys.F(slope, s.t[k], s.y[k*s.dim:(k+1)*s.dim])
			return slope[i]
		})
	}
}

// leastSteps is how many steps a wave takes at least. A method of order eight with
// a relative tolerance of 1e-3 takes seven.
const leastSteps = 4

// settled is the share of the last gap between passages that others of an orbit differ
// by at most: those before them belong to the way there.
const settled = 1e-3

// period returns the mean time between rising passages of state i through the mean of
// its later half, over the last passages, whose gaps equal the last one but for settled:
// the way from the start to an orbit has no part in it. It is NaN unless there are at
// least three passages, leastSteps apart, the later half of which are at equal gaps, to a
// twentieth: what does not repeat itself has no period. Slope is the derivative of the
// state at a step.
func (s *steps) period(i int, slope func(k int) float64) float64 {
	n := len(s.t)
	if n < 3 {
		return math.NaN()
	}
	at := func(k int) float64 { return s.y[k*s.dim+i] }
	half := 1
	for half < n-2 && math.Abs(s.t[half]-s.t[0]) < math.Abs(s.t[n-1]-s.t[0])/2 {
		half++
	}
	mean, lo, hi := 0.0, at(half-1), at(half-1)
	for k := half; k < n; k++ {
		lo, hi = math.Min(lo, at(k)), math.Max(hi, at(k))
		mean += (s.t[k] - s.t[k-1]) / (s.t[n-1] - s.t[half-1]) * (at(k) + at(k-1)) / 2
	}
	if !(hi-lo > 1e-6*math.Max(math.Abs(lo), math.Abs(hi))) {
		return math.NaN()
	}
	var passages, gaps []float64
	last := -1
	for k := 1; k < n; k++ {
		if !(at(k-1) < mean && at(k) >= mean) {
			continue
		}
		if last >= 0 && k-last < leastSteps {
			return math.NaN()
		}
		last = k
		h := s.t[k] - s.t[k-1]
		passages = append(passages, s.t[k-1]+h*rising(at(k-1)-mean, at(k)-mean, h*slope(k-1), h*slope(k)))
		if m := len(passages); m > 1 {
			gaps = append(gaps, math.Abs(passages[m-1]-passages[m-2]))
		}
	}
	if len(gaps) < 2 {
		return math.NaN()
	}
	later := gaps[min(len(gaps)/2, len(gaps)-2):]
	if shortest, longest := slices.Min(later), slices.Max(later); longest-shortest > 0.05*longest {
		return math.NaN()
	}
	first, end := len(gaps)-1, gaps[len(gaps)-1]
	for first > 0 && math.Abs(gaps[first-1]-end) <= settled*end {
		first--
	}
	return diag.Mean(gaps[first:])
}

// rising is where on [0, 1] the cubic with values a < 0 at 0 and b ≥ 0 at 1 and
// slopes da and db there passes through zero.
func rising(a, b, da, db float64) float64 {
	lo, hi := 0.0, 1.0
	for range 40 {
		u := (lo + hi) / 2
		v := 1 - u
		if v*v*((1+2*u)*a+u*da)+u*u*((1+2*v)*b-v*db) < 0 {
			lo = u
		} else {
			hi = u
		}
	}
	return (lo + hi) / 2
}

// Periods returns the period of state i over the trajectories, from the first to
// the last of the times, and how many of them have one.
func (r *Result) Periods(i int, level float64) (Interval, int) {
	var all []float64
	for _, p := range r.periods {
		if p[i] == p[i] {
			all = append(all, p[i])
		}
	}
	return interval(all, level), len(all)
}
