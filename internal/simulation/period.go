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

// period returns the mean time between rising passages of state i through its
// mean. It is NaN unless there are at least three passages, at times that are
// equal to a twentieth and leastSteps apart: what does not repeat itself has no
// period. Slope is the derivative of the state at a step.
func (s *steps) period(i int, slope func(k int) float64) float64 {
	n := len(s.t)
	if n < 3 {
		return math.NaN()
	}
	at := func(k int) float64 { return s.y[k*s.dim+i] }
	mean, lo, hi := 0.0, at(0), at(0)
	for k := 1; k < n; k++ {
		lo, hi = math.Min(lo, at(k)), math.Max(hi, at(k))
		mean += (s.t[k] - s.t[k-1]) / (s.t[n-1] - s.t[0]) * (at(k) + at(k-1)) / 2
	}
	if !(hi-lo > 1e-6*math.Max(math.Abs(lo), math.Abs(hi))) {
		return math.NaN()
	}
	var passages []float64
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
	}
	if len(passages) < 3 {
		return math.NaN()
	}
	gaps := make([]float64, len(passages)-1)
	for k := range gaps {
		gaps[k] = math.Abs(passages[k+1] - passages[k])
	}
	if shortest, longest := slices.Min(gaps), slices.Max(gaps); longest-shortest > 0.05*longest {
		return math.NaN()
	}
	return diag.Mean(gaps)
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
